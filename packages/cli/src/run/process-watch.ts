/** What reaches the process during a run: Ctrl-C, errors that nothing handles, the end of all work. Each ends the run, so that it cleans up. */

import { neverEnds, strayError } from "../errors/messages.js";
import { Interrupted } from "./interrupted.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const errors = ["uncaughtException", "unhandledRejection"] as const;

/** Watches the process until it is disposed. */
export class ProcessWatch {
  readonly #leave: () => never;
  readonly #onFirstSignal: () => void;
  #abort: ((reason: Error) => void) | undefined;
  #wasInterrupted = false;

  /** @param leave ends the process at once: on a second signal, and on one before there is a run. */
  constructor(leave: () => never, onFirstSignal: () => void) {
    this.#leave = leave;
    this.#onFirstSignal = onFirstSignal;
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  /** From here on there is a run to end. */
  watchRun(abort: (reason: Error) => void): void {
    this.#abort = abort;
    for (const event of errors) process.on(event, this.#onError);
    process.on("beforeExit", this.#onIdle);
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
    for (const event of errors) process.off(event, this.#onError);
    process.off("beforeExit", this.#onIdle);
  }

  readonly #onSignal = (): void => {
    if (this.#wasInterrupted || this.#abort === undefined) this.#leave();
    this.#wasInterrupted = true;
    this.#onFirstSignal();
    this.#abort(new Interrupted());
  };

  readonly #onError = (error: unknown): void => this.#abort?.(strayError(error));

  readonly #onIdle = (): void => this.#abort?.(neverEnds());
}
