/** The input of a held call for the person who decides: one field a line, text of several lines as lines. What a text says cannot look like a field. */

import { showLines, toJson } from "./safe-text.js";

const bounds = { maxLines: 60, maxLineLength: 1_000 };

/** The lines of a value, bounded; what is left out is said. */
export function showInput(value: unknown): string[] {
  return showLines(linesOf(JSON.parse(toJson(value))).join("\n"), bounds);
}

/** Of JSON data. */
function linesOf(value: unknown): string[] {
  if (typeof value === "string" && value.includes("\n")) return value.split("\n").map((line) => `| ${line}`);
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item) => under("-", item));
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, item]) => under(`${showName(name)}:`, item));
  return [toJson(value)];
}

function under(head: string, value: unknown): string[] {
  const lines = linesOf(value);
  const isShort =
    lines.length === 1 && (typeof value !== "object" || value === null || Object.keys(value).length === 0);
  return isShort ? [`${head} ${lines[0]}`] : [head, ...lines.map((line) => `  ${line}`)];
}

function showName(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}
