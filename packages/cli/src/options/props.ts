/** The props of the workflow, from `--props` and `--prop`. */

import { readFile } from "node:fs/promises";
import { propInvalid, propsInvalid, propsUnreadable } from "../errors/messages.js";
import { systemProblem } from "../errors/system-problem.js";

/** What the options gave. */
export interface PropOptions {
  /** JSON, `@file` or `-`. */
  readonly props?: string;
  /** `name=value`, in order. */
  readonly prop: readonly string[];
}

/**
 * The props, or undefined when no option gives any. A `--prop` is text and wins over the same name in `--props`.
 * @throws {CommandError} for what cannot be read or is no JSON object
 */
export async function readProps(
  options: PropOptions,
  standardInput: AsyncIterable<string | Uint8Array>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (options.props === undefined && options.prop.length === 0) return undefined;
  const given = options.props === undefined ? {} : await readJson(options.props, standardInput);
  return Object.fromEntries([...Object.entries(given), ...options.prop.map(splitProp)]);
}

function splitProp(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw propInvalid(text);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

async function readJson(source: string, standardInput: AsyncIterable<string | Uint8Array>): Promise<object> {
  const origin = source === "-" ? "the standard input" : source.startsWith("@") ? source.slice(1) : "--props";
  const text =
    source === "-" ? await readAll(standardInput) : source.startsWith("@") ? await readText(source.slice(1)) : source;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw propsInvalid(origin, (error as SyntaxError).message);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw propsInvalid(
      origin,
      `they are ${Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`}.`,
    );
  return value;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw propsUnreadable(path, systemProblem(error));
  }
}

async function readAll(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}
