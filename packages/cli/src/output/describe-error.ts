/** An error for a terminal: its message, the place in the author's files, what caused it. Stacks only when asked for. */

import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { shortPath } from "../load/explain-load-error.js";
import { CommandError } from "../errors/command-error.js";
import { showLine, showLines } from "./safe-text.js";

/** How errors are described. */
export interface DescribeOptions {
  readonly isVerbose: boolean;
  /** The line of the source for a position of the compiled file, where the runtime does not map it itself. */
  readonly originalLine?: ((path: string, line: number, column: number) => number) | undefined;
}

const maxCauses = 8;
const bounds = { maxLines: 40, maxLineLength: 1_000 };

/** The lines to print. The first begins with `june: `. */
export function describeError(error: unknown, options: DescribeOptions): string[] {
  const text = messageOf(error);
  const lines = showLines(text.startsWith("june: ") ? text : `june: ${text}`, bounds);
  return [...lines, ...placeLines(error, "  ", options), ...causeLines(error, text, "  ", options, new Set([error]))];
}

function causeLines(
  error: unknown,
  told: string,
  indent: string,
  options: DescribeOptions,
  seen: Set<unknown>,
): string[] {
  const lines: string[] = [];
  for (const [index, cause] of causesOf(error).entries()) {
    if (seen.has(cause)) continue;
    seen.add(cause);
    if (index === maxCauses) return [...lines, `${indent}…`];
    const message = messageOf(cause);
    // June's own messages quote what caused them; what has been said is not said again, but its place is.
    const isTold = told.includes(message.replace(/^june: /, ""));
    if (!isTold) lines.push(...showLines(`caused by ${message}`, bounds).map((line) => `${indent}${line}`));
    const inner = isTold ? indent : `${indent}  `;
    lines.push(...placeLines(cause, inner, options));
    lines.push(...causeLines(cause, `${told}\n${message}`, inner, options, seen));
  }
  return lines;
}

function causesOf(error: unknown): unknown[] {
  if (error instanceof AggregateError) return error.errors;
  if (!(error instanceof Error) || error.cause === undefined || error.cause === null) return [];
  return [error.cause];
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  if (typeof error === "string") return error;
  return `${String(error)} was thrown`;
}

function placeLines(error: unknown, indent: string, { isVerbose, originalLine }: DescribeOptions): string[] {
  if (!(error instanceof Error) || typeof error.stack !== "string") return [];
  const frames = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  if (isVerbose) return frames.map((frame) => `${indent}${showLine(frame, 300)}`);
  if (error instanceof CommandError) return [];
  // June's own errors name their places in the message.
  if ("code" in error && error.message.startsWith("june: ")) return [];
  for (const frame of frames) {
    const [, found, line, column] = /((?:file:\/\/|[A-Za-z]:[\\/]|\/)[^\n()]*?):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    if (found === undefined) continue;
    const path = found.startsWith("file:") ? fileURLToPath(found) : found;
    if (!isAuthors(path)) continue;
    const shown = originalLine === undefined ? Number(line) : originalLine(path, Number(line), Number(column));
    return [`${indent}at ${showLine(`${shortPath(path)}:${shown}`, 300)}`];
  }
  return [];
}

const require = createRequire(import.meta.url);
const ownFolders = ["@june/core", "@june/cli"].map((name) => dirname(require.resolve(name)) + sep);

function isAuthors(path: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(path) && !ownFolders.some((folder) => path.startsWith(folder));
}
