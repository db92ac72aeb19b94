/** What a trace keeps of a value: a bounded JSON copy, whatever the value is. */

import type { Json } from "../element/json.js";
import { JuneError } from "../errors/june-error.js";
import type { TraceError } from "./trace.js";

const maxCharacters = 64 * 1024;

/** A JSON copy of `value` of at most 64 KiB of text; longer ones become their head and tail with the size between. */
export function captureValue(value: unknown): Json {
  if (value === undefined) return null;
  if (typeof value === "string") return bound(value);
  const text = toJsonText(value);
  return text.length <= maxCharacters ? (JSON.parse(text) as Json) : bound(text);
}

/** `error` with its cause chain as plain data; never a stack. */
export function captureError(error: unknown, depth = 0): TraceError {
  if (!(error instanceof Error))
    return { name: "Error", message: bound(typeof error === "string" ? error : toJsonText(error)) };
  return {
    name: error.name,
    message: bound(error.message),
    ...(JuneError.isInstance(error) ? { code: error.code } : {}),
    ...(error.cause === undefined || depth > 16 ? {} : { cause: captureError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && depth <= 16
      ? { errors: error.errors.map((inner) => captureError(inner, depth + 1)) }
      : {}),
  };
}

function bound(text: string): string {
  if (text.length <= maxCharacters) return text;
  const half = maxCharacters / 2;
  return `${text.slice(0, half).toWellFormed()}… [${text.length} characters] …${text.slice(-half).toWellFormed()}`;
}

function toJsonText(value: unknown): string {
  const ancestors: unknown[] = [];
  try {
    const text: string | undefined = JSON.stringify(value, function (this: unknown, _key, part: unknown) {
      while (ancestors.length > 0 && ancestors[ancestors.length - 1] !== this) ancestors.pop();
      if (typeof part === "bigint") return `${part}n`;
      if (typeof part === "function" || typeof part === "symbol") return `[${typeof part}]`;
      if (part instanceof Error) return captureError(part);
      if (ArrayBuffer.isView(part)) return `[${part.byteLength} bytes]`;
      if (typeof part !== "object" || part === null) return part;
      if (ancestors.includes(part)) return "[cycle]";
      ancestors.push(part);
      return part;
    });
    return text ?? JSON.stringify(`[${typeof value}]`);
  } catch (error) {
    return JSON.stringify(`[not JSON: ${error instanceof Error ? error.message : String(error)}]`);
  }
}
