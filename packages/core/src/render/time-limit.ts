/** A time limit that stands still while a person is asked. Limits nest: asking below one pauses all of them. */

import { startTimer } from "./timer.js";

/** One running limit, and the ones around it. */
export class TimeLimit {
  readonly #outer: TimeLimit | undefined;
  readonly #onExpire: () => void;
  readonly #now: () => number;
  #remainingMs: number;
  #startedAtMs = 0;
  #pauses = 0;
  #stopTimer: (() => void) | undefined;

  /** @param limitMs milliseconds */
  constructor(limitMs: number, now: () => number, onExpire: () => void, outer: TimeLimit | undefined) {
    this.#remainingMs = limitMs;
    this.#now = now;
    this.#onExpire = onExpire;
    this.#outer = outer;
    this.#run();
  }

  /** Stops this limit and those around it from counting until the returned function is called. */
  static pause(limit: TimeLimit | undefined): () => void {
    for (let part = limit; part !== undefined; part = part.#outer) part.#pause();
    return () => {
      for (let part = limit; part !== undefined; part = part.#outer) part.#resume();
    };
  }

  /** Ends the limit. */
  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#remainingMs = Infinity;
  }

  #run(): void {
    if (this.#remainingMs === Infinity) return;
    this.#startedAtMs = this.#now();
    this.#stopTimer = startTimer(this.#remainingMs, this.#onExpire);
  }

  #pause(): void {
    if (this.#pauses++ > 0 || this.#stopTimer === undefined) return;
    this.#stopTimer();
    this.#stopTimer = undefined;
    this.#remainingMs -= this.#now() - this.#startedAtMs;
  }

  #resume(): void {
    if (--this.#pauses === 0) this.#run();
  }
}
