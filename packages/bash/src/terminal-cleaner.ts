/** Turns what a program draws on a terminal into the lines a reader would end up with. Fed by output-capture with decoded text. */

/** Longest unfinished line that is held back for a carriage return that may still rewrite it, in UTF-16 units. */
const maxLineLength = 65_536;
/** Longest escape sequence that is held back because its end has not come yet. */
const maxSequenceLength = 1024;

/* oxlint-disable no-control-regex */
/** A control character other than tab and line feed. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const controls = new RegExp(control, "g");
/** "Erase the line" and "go to its first column": programs redraw with these as well as with a carriage return. */
const restartsLine = /\u001b\[(?:2K|[01]?G)/g;
/**
 * The sequences of ECMA-48: a control sequence, a string such as a title or a link with its end, any other escape. Every end is
 * optional, so nothing is read twice: `stripVTControlCharacters` of node:util takes a minute for a megabyte of unfinished ones.
 */
const sequence =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
/* oxlint-enable no-control-regex */

/** Removes colours, other control sequences and every state of a redrawn line but its last. Holds one line at most. */
export class TerminalCleaner {
  #line = "";

  /** The part of the text that is final now. */
  push(text: string): string {
    const end = text.lastIndexOf("\n") + 1;
    const lines = end === 0 ? "" : cleanLines(this.#line + text.slice(0, end));
    this.#line = end === 0 ? this.#line + text : text.slice(end);
    return lines + this.#shortenLine();
  }

  /** What was held back. */
  end(): string {
    const rest = cleanLines(this.#line);
    this.#line = "";
    return rest;
  }

  #shortenLine(): string {
    if (this.#line.length <= maxLineLength) return "";
    const lastReturn = this.#line.lastIndexOf("\r", this.#line.length - 2);
    if (lastReturn > 0) this.#line = this.#line.slice(lastReturn);
    if (this.#line.length <= maxLineLength) return "";
    const lastEscape = this.#line.lastIndexOf("\u001b");
    const end = lastEscape > this.#line.length - maxSequenceLength ? lastEscape : this.#line.length;
    const part = cleanLines(this.#line.slice(0, end));
    this.#line = this.#line.slice(end);
    return part;
  }
}

function cleanLines(text: string): string {
  if (!control.test(text)) return text;
  return text.replace(restartsLine, "\r").replace(sequence, "").split("\n").map(cleanLine).join("\n");
}

function cleanLine(line: string): string {
  const last = line.split("\r").findLast((state) => state !== "") ?? "";
  return (last.includes("\b") ? applyBackspaces(last) : last).replace(controls, "");
}

/** Manual pages write bold as `N`, backspace, `N`. */
function applyBackspaces(line: string): string {
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}
