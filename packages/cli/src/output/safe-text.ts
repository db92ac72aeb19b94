/** Text of models, tools and files on its way to a terminal: control characters and invisible ones become visible escapes, lengths are bounded. */

// Everything that could move the cursor, colour, hide or reorder what is shown. The joiners of scripts and emoji stay.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const harmless = new Set(["\n", "\t", "\u200c", "\u200d"]);

/** The text with its lines, harmless; the escapes are those of JSON, so JSON stays JSON. */
export function showBlock(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(unsafe, (character) => (harmless.has(character) ? character : escape(character)));
}

/** The text on one line, bounded. */
export function showLine(text: string, maxLength = 200): string {
  const cut = text.length > maxLength * 2 ? text.slice(0, maxLength * 2) : text;
  const line = showBlock(cut.replaceAll(/\s+/g, " ").trim());
  return line.length > maxLength || cut !== text
    ? `${line.slice(0, maxLength).toWellFormed()}… (${count(text.length)} characters)`
    : line;
}

/** A value as one bounded line of JSON. */
export function showValue(value: unknown, maxLength = 100): string {
  return value === undefined ? "" : showLine(toJson(value), maxLength);
}

/** The lines of a text, bounded in number and length: what is left out is in the middle, and said. */
export function showLines(text: string, bounds: { maxLines: number; maxLineLength: number }): string[] {
  const lines = text.split("\n").map((line) => boundLine(showBlock(line), bounds.maxLineLength));
  if (lines.length <= bounds.maxLines) return lines;
  const tail = Math.floor(bounds.maxLines / 4);
  const head = bounds.maxLines - tail;
  return [
    ...lines.slice(0, head),
    `… ${count(lines.length - head - tail)} lines left out …`,
    ...lines.slice(lines.length - tail),
  ];
}

/** A value as JSON, also where JSON has no form for a part of it. */
export function toJson(value: unknown): string {
  try {
    const replace = (_key: string, part: unknown): unknown => (typeof part === "bigint" ? String(part) : part);
    return JSON.stringify(value, replace) ?? "null";
  } catch {
    return '"(a value that JSON cannot hold)"';
  }
}

/** A number with its thousands apart. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

function boundLine(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const tail = Math.floor(maxLength / 4);
  const left = line.length - maxLength;
  const end = line.slice(line.length - tail);
  return `${line.slice(0, maxLength - tail)} … ${count(left)} characters left out … ${end}`.toWellFormed();
}

function escape(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index);
    return `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
}
