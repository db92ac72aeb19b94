/** Where a text stops being JSON. Runtimes word this differently or not at all, and whoever has a broken file wants the line. */

/** A place in a text. Line and column count from 1, the column in UTF-16 units. */
export interface JsonTextFault {
  readonly line: number;
  readonly column: number;
  /** What stands there; undefined at the end of the text. */
  readonly found: string | undefined;
}

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end";

const space = /[ \t\n\r]*/y;
const markOrWord = /[[\]{}:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The first place at which `text` is not JSON, or undefined when it is. */
export function findJsonFault(text: string): JsonTextFault | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  let index = endOf(space, text, 0);
  while (index < text.length) {
    const next = accept(text[index]!, expected, open);
    if (next === undefined) return faultAt(text, index);
    const { end, isClosed } = endOfToken(text, index);
    if (!isClosed) return faultAt(text, end);
    expected = next;
    index = endOf(space, text, end);
  }
  return expected === "comma or end" && open.length === 0 ? undefined : faultAt(text, index);
}

/** What may follow a token that begins with `first`, or undefined when the token may not stand here. Keeps `open`. */
function accept(first: string, expected: Expected, open: string[]): Expected | undefined {
  const inner = open.at(-1);
  switch (first) {
    case "[":
    case "{":
      if (expected !== "value" && expected !== "value or end") return undefined;
      open.push(first);
      return first === "[" ? "value or end" : "key or end";
    case "]":
    case "}":
      if (inner !== (first === "]" ? "[" : "{") || !expected.endsWith("or end")) return undefined;
      open.pop();
      return "comma or end";
    case ":":
      return expected === "colon" ? "value" : undefined;
    case ",":
      if (expected !== "comma or end" || inner === undefined) return undefined;
      return inner === "[" ? "value" : "key";
    default:
      if (expected === "value" || expected === "value or end") return "comma or end";
      return first === '"' && expected.startsWith("key") ? "colon" : undefined;
  }
}

/** The end of the token that begins at `start`, or where it stops being one. */
function endOfToken(text: string, start: number): { readonly end: number; readonly isClosed: boolean } {
  if (text[start] !== '"') {
    const end = endOf(markOrWord, text, start);
    return { end, isClosed: end > start };
  }
  let index = start + 1;
  while (index < text.length && text[index]! >= " ") {
    if (text[index] === '"') return { end: index + 1, isClosed: true };
    const end = text[index] === "\\" ? endOf(escape, text, index) : index + 1;
    if (end === index) break;
    index = end;
  }
  return { end: index, isClosed: false };
}

/** Where the match at `start` ends; `start` when nothing matches. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

function faultAt(text: string, index: number): JsonTextFault {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    line: before.split("\n").length,
    column: index - lineStart + 1,
    found: index < text.length ? String.fromCodePoint(text.codePointAt(index)!) : undefined,
  };
}
