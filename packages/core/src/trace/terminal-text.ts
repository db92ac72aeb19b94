/** Text of a trace made fit for a terminal: nothing in it moves the cursor, changes colours or turns the reading direction, and it fits its columns. */

/** What is not seen as itself: controls, escapes, direction changes, invisible characters. The two selectors belong to common emoji. */
const unseen = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const zeroWidth = /[\p{Mn}\p{Me}]/u;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** `text` on one line, with every unseen character written out and half of a surrogate pair replaced. */
export function escapeText(text: string): string {
  return text.toWellFormed().replaceAll(unseen, (character) => {
    const code = character.codePointAt(0)!;
    const digits = code.toString(16);
    return named[character] ?? (code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`);
  });
}

/** How many columns of a terminal escaped text takes; in doubt more. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** Escaped text cut to `columns`, with `…` for what is missing. */
export function cutText(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let left = columns - 1;
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Escaped text in lines of at most `columns`, broken at spaces where there are any. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  const add = (part: string, partWidth: number): void => {
    line += part;
    width += partWidth;
  };
  const end = (): void => {
    lines.push(line.trimEnd());
    line = "";
    width = 0;
  };
  for (const word of text.match(/\s+|\S+/g) ?? []) {
    const wordWidth = widthOf(word);
    if (width > 0 && width + wordWidth > columns) end();
    if (width === 0 && lines.length > 0 && word.trim() === "") continue;
    if (wordWidth <= columns) add(word, wordWidth);
    else {
      for (const character of word) {
        const characterWidth = widthOf(character);
        if (width + characterWidth > columns) end();
        add(character, characterWidth);
      }
    }
  }
  if (line.trim() !== "" || lines.length === 0) end();
  return lines;
}
