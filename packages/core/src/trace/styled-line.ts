/** A line of a printed trace in pieces: cut to its columns before it is coloured, so that no colour is cut and none comes out of a trace. */

import { cutText, escapeText, widthOf } from "./terminal-text.js";

/** How a piece of a line looks. */
export type Style = "plain" | "dim" | "red" | "green" | "yellow";

/** A piece of a line, not yet escaped. */
export interface Piece {
  readonly text: string;
  readonly style: Style;
}

const ansi: Readonly<Record<Exclude<Style, "plain">, number>> = { dim: 2, red: 31, green: 32, yellow: 33 };

/** The line, escaped, of at most `columns`. */
export function toLine(pieces: readonly Piece[], columns: number, color: boolean): string {
  let left = columns;
  let line = "";
  for (const { text, style } of pieces) {
    if (left <= 0 || text === "") continue;
    const kept = cutText(escapeText(text), left);
    line += color && style !== "plain" ? `\u001b[${ansi[style]}m${kept}\u001b[0m` : kept;
    left -= widthOf(kept);
  }
  return color ? line : line.trimEnd();
}
