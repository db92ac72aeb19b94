/** Where the command writes: the answer to one stream, everything else to the other, line by line. */

import { showBlock } from "./safe-text.js";

/** What the command needs of a stream. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Styles a text, or leaves it where the stream shows no styles. */
export type Style = (text: string) => string;

/** Status lines. While a question stands on the terminal they wait, so that nothing is written into it. */
export class StatusLines {
  readonly bold: Style;
  readonly dim: Style;
  readonly #stream: OutputStream;
  #held: string[] | undefined;

  constructor(stream: OutputStream, environment: Readonly<Record<string, string | undefined>>) {
    const hasStyles = stream.isTTY === true && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
    const style = (code: number): Style => (hasStyles ? (text) => `\u001b[${code}m${text}\u001b[0m` : (text) => text);
    this.bold = style(1);
    this.dim = style(2);
    this.#stream = stream;
    ignoreClosedPipe(stream);
  }

  /** Writes lines. They are written as they are: what comes from outside has been made harmless before. */
  write(...lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join("");
    if (this.#held === undefined) this.#stream.write(text);
    else this.#held.push(text);
  }

  /** Keeps what is written until `release`, but for what goes through the function it gives. */
  hold(): (text: string) => void {
    this.#held ??= [];
    return (text) => this.#stream.write(text);
  }

  /** Writes what was kept. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#stream.write(text);
  }
}

/** Writes the answer: as it is into a file or pipe, harmless on a terminal. Resolves when it is on its way. */
export function writeAnswer(stream: OutputStream, text: string): Promise<void> {
  ignoreClosedPipe(stream);
  const shown = stream.isTTY === true ? showBlock(text) : text;
  return new Promise((resolve) => {
    stream.write(shown.endsWith("\n") ? shown : `${shown}\n`, () => resolve());
  });
}

const watched = new WeakSet<OutputStream>();

// `june run … | head` closes the pipe early, which is no failure of the run.
function ignoreClosedPipe(stream: OutputStream): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on("error", (error) => {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  });
}
