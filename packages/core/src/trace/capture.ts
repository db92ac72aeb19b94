/** What a trace keeps of a value: a bounded JSON copy, whatever the value is. */

import type { Json } from "../element/json.js";
import { JuneError } from "../errors/june-error.js";
import { quotesOf } from "./quotes.js";
import type { Capture, TraceError } from "./trace.js";

const maxBytes = 64 * 1024;
const maxErrorDepth = 16;
const maxErrors = 200;

/** A JSON copy of `value` of at most 64 KiB of UTF-8; longer ones become their head and tail with the size between. */
export function captureValue(value: unknown): Json {
  if (value === undefined) return null;
  if (typeof value === "string") return bound(value);
  const text = toJsonText(value);
  const bounded = bound(text);
  return bounded === text ? (JSON.parse(text) as Json) : bounded;
}

/**
 * `error` with its cause chain as plain data; never a stack. In the shape of a trace, no message holds the input or answer
 * that the SDK quotes in it.
 */
export function captureError(error: unknown, capture: Capture = "full"): TraceError {
  const quotes = capture === "full" ? [] : quotesOf(error, maxErrors);
  let left = maxErrors;
  const copy = (part: unknown, depth: number): TraceError => {
    left--;
    const say = (text: string): string => bound(quotes.reduce((rest, { from, to }) => rest.replaceAll(from, to), text));
    if (!(part instanceof Error))
      return { name: "Error", message: say(typeof part === "string" ? part : toJsonText(part)) };
    const isDeep = depth >= maxErrorDepth;
    return {
      name: String(part.name),
      message: say(String(part.message)),
      ...(JuneError.isInstance(part) ? { code: part.code } : {}),
      ...(part.cause === undefined || isDeep || left <= 0 ? {} : { cause: copy(part.cause, depth + 1) }),
      ...(part instanceof AggregateError && !isDeep
        ? { errors: part.errors.flatMap((inner) => (left <= 0 ? [] : [copy(inner, depth + 1)])) }
        : {}),
    };
  };
  return copy(error, 0);
}

function bound(text: string): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  let tailStart = bytes.length - maxBytes / 2;
  while ((bytes[tailStart]! & 0xc0) === 0x80) tailStart++;
  // Streaming leaves out the half of a character at the cut.
  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes / 2), { stream: true });
  const tail = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(tailStart));
  return `${head}… [${bytes.length} bytes] …${tail}`;
}

function toJsonText(value: unknown): string {
  const ancestors: unknown[] = [];
  try {
    const text: string | undefined = JSON.stringify(
      value,
      function (this: Record<string, unknown>, key, part: unknown) {
        while (ancestors.length > 0 && ancestors[ancestors.length - 1] !== this) ancestors.pop();
        if (typeof part === "bigint") return `${part}n`;
        if (typeof part === "function" || typeof part === "symbol") return `[${typeof part}]`;
        if (part instanceof Error) return captureError(part);
        // A Buffer has become a list of numbers by now.
        const given = this[key];
        if (ArrayBuffer.isView(given)) return `[${given.byteLength} bytes]`;
        if (typeof part !== "object" || part === null) return part;
        if (ancestors.includes(part)) return "[cycle]";
        ancestors.push(part);
        return part;
      },
    );
    return text ?? JSON.stringify(`[${typeof value}]`);
  } catch (error) {
    return JSON.stringify(`[not JSON: ${error instanceof Error ? error.message : String(error)}]`);
  }
}
