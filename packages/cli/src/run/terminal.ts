/** Asks a person on the terminal, one question at a time. What was typed before a question stood there is no answer to it. */

import { createInterface, type Interface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { StatusLines } from "../output/streams.js";

/** What the terminal reads from. */
export type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };

const typeAheadMs = 20;

/** The terminal of one run. */
export class Terminal {
  readonly #input: InputStream;
  readonly #status: StatusLines;
  #lines: Interface | undefined;
  #onLine: ((line: string | undefined) => void) | undefined;
  #isClosed = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(input: InputStream, status: StatusLines) {
    this.#input = input;
    this.#status = status;
  }

  /**
   * Waits for its turn, then lets `dialog` ask as often as it needs. Other lines wait while a question stands there.
   * `dialog` is not started when the signal aborts before.
   */
  async hold<T>(
    signal: AbortSignal,
    dialog: (ask: (text: string) => Promise<string | undefined>) => Promise<T>,
  ): Promise<T | undefined> {
    const before = this.#turn;
    let end!: () => void;
    this.#turn = new Promise((resolve) => (end = resolve));
    await before;
    try {
      return signal.aborted ? undefined : await dialog((text) => this.#ask(text, signal));
    } finally {
      this.#status.release();
      end();
    }
  }

  /** Lets go of the input. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#lines?.close();
    this.#onLine?.(undefined);
  }

  /** The line that was typed, or undefined when the input has ended or the question is void. */
  async #ask(text: string, signal: AbortSignal): Promise<string | undefined> {
    this.#open();
    // The lines the terminal had already are read, and dropped, before the question shows.
    await wait(typeAheadMs);
    if (this.#isClosed || signal.aborted) return undefined;
    const write = this.#status.hold();
    write(text);
    const line = await new Promise<string | undefined>((resolve) => {
      this.#onLine = resolve;
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    this.#onLine = undefined;
    if (line === undefined) write("\n");
    return line;
  }

  #open(): void {
    if (this.#lines !== undefined || this.#isClosed) return;
    // The terminal itself edits the line and turns Ctrl-C into a signal: no raw mode.
    this.#lines = createInterface({ input: this.#input, terminal: false });
    this.#lines.on("line", (line) => this.#onLine?.(line));
    this.#lines.on("close", () => {
      this.#isClosed = true;
      this.#onLine?.(undefined);
    });
  }
}
