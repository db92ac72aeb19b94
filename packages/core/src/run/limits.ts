/** Counts what the whole tree of a run spends, and queues model calls over the concurrency limit. */

import type { LanguageModelUsage } from "ai";
import { limitReached } from "../errors/run-errors.js";
import type { AbortScope } from "../render/abort-scope.js";
import type { ResolvedLimits } from "./options.js";

/** A place for one piece of work at a time, or for `size`. A waiter that is aborted leaves the queue. */
export class Places {
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  /** Waits for a place; call the result to give it back. */
  async take(abort: AbortScope): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else {
      let enter!: () => void;
      const entered = new Promise<void>((resolve) => (enter = resolve));
      this.#queue.push(enter);
      try {
        await abort.race(entered);
      } catch (error) {
        const index = this.#queue.indexOf(enter);
        if (index >= 0) this.#queue.splice(index, 1);
        else this.#give();
        throw error;
      }
    }
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#give();
    };
  }

  #give(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** The counters of one outermost run. */
export class Spending {
  readonly limits: ResolvedLimits;
  readonly places: Places | undefined;
  #modelCalls = 0;
  #tokens = 0;

  constructor(limits: ResolvedLimits) {
    this.limits = limits;
    this.places = limits.concurrency === Infinity ? undefined : new Places(limits.concurrency);
  }

  /**
   * Counts a model call that is about to start.
   * @throws {RunError} `limit-reached`
   */
  startModelCall(path: string): void {
    const { modelCalls, tokens } = this.limits;
    if (this.#modelCalls >= modelCalls) throw limitReached("modelCalls", modelCalls, path);
    if (this.#tokens >= tokens) throw limitReached("tokens", tokens, path, `It has used ${this.#tokens} tokens.`);
    this.#modelCalls++;
  }

  /** Counts the tokens of a model call that ended. */
  addTokens(usage: LanguageModelUsage): void {
    this.#tokens += usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
}
