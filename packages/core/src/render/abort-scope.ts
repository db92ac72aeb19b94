/** Cancellation: a tree of scopes under a run. Each has a real AbortSignal, and knows what still runs in it, so that an abort waits for cleanup and no listener is left. */

import { startTimer } from "./timer.js";

/** How long an aborted run waits for what ignores its signal, and how to wait. */
export interface Cleanup {
  readonly cleanupMs: number;
}

interface Waiter {
  readonly expire: () => void;
  stopTimer: (() => void) | undefined;
}

/** One region of a run that can be aborted by itself. */
export class AbortScope {
  readonly #controller = new AbortController();
  readonly #parent: AbortScope | undefined;
  readonly #children = new Set<AbortScope>();
  readonly #waiters = new Set<Waiter>();
  readonly #cleanup: Cleanup;

  constructor(cleanup: Cleanup, parent?: AbortScope) {
    this.#cleanup = cleanup;
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children.add(this);
    if (parent.isAborted) this.abort(parent.reason);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get reason(): unknown {
    return this.#controller.signal.reason;
  }

  /** A scope inside this one; call `dispose` when it is done. */
  inner(): AbortScope {
    return new AbortScope(this.#cleanup, this);
  }

  /** Lets the scope around forget this one. */
  dispose(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  /** Aborts this scope and everything in it. The first reason holds. */
  abort(reason: unknown): void {
    if (this.isAborted) return;
    this.#controller.abort(reason);
    for (const child of this.#children) child.abort(reason);
    for (const waiter of this.#waiters) this.#startTimer(waiter);
  }

  throwIfAborted(): void {
    this.#controller.signal.throwIfAborted();
  }

  /** Whether `error` is the reason of this scope's own abort or one around it. */
  isReason(error: unknown): boolean {
    return this.isAborted && error === this.reason;
  }

  /**
   * Waits for `work`. After an abort it is waited for `cleanupMs` more; then `onIgnored` is told and the abort's reason thrown.
   */
  wait<T>(work: PromiseLike<T>, onIgnored?: () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = {
        stopTimer: undefined,
        expire: () => {
          this.#waiters.delete(waiter);
          onIgnored?.();
          reject(this.reason);
        },
      };
      const settle = (): void => {
        this.#waiters.delete(waiter);
        waiter.stopTimer?.();
      };
      this.#waiters.add(waiter);
      if (this.isAborted) this.#startTimer(waiter);
      work.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /** Waits for `work`, or throws the reason at once when the scope aborts: for waits that have nothing to clean up. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(this.reason);
      if (this.isAborted) return onAbort();
      this.signal.addEventListener("abort", onAbort, { once: true });
      const settle = (): void => this.signal.removeEventListener("abort", onAbort);
      work.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /** Waits `delayMs` milliseconds, or throws the reason when the scope aborts before. */
  async sleep(delayMs: number): Promise<void> {
    let stop: (() => void) | undefined;
    try {
      await this.race(new Promise<void>((resolve) => (stop = startTimer(delayMs, resolve))));
    } finally {
      stop?.();
    }
  }

  #startTimer(waiter: Waiter): void {
    waiter.stopTimer ??= startTimer(this.#cleanup.cleanupMs, waiter.expire);
  }
}
