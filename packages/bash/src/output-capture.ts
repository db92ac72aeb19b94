/** One output stream of a command as bounded text: bytes are decoded, cleaned and cut as they come. Fed by run-command. */

import { BoundedText } from "./bounded-text.js";
import { TerminalCleaner } from "./terminal-cleaner.js";

/** What a stream wrote, in memory bounded by `maxBytes`. */
export class OutputCapture {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #cleaner = new TerminalCleaner();
  readonly #text: BoundedText;

  constructor(maxBytes: number) {
    this.#text = new BoundedText(maxBytes);
  }

  push(bytes: Uint8Array): void {
    this.#text.push(this.#cleaner.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** The text so far. A character that a killed program did not finish is left out. */
  end(): { text: string; isTruncated: boolean } {
    this.#text.push(this.#cleaner.end());
    return this.#text.read();
  }
}
