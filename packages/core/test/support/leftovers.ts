/** What a run may leave behind in the process: timers, rejections nobody handles, warnings, and listeners on a signal. */

import { settled } from "./deferred.js";

/** What happened in the process while something ran. */
export interface ProcessReport {
  readonly rejections: readonly unknown[];
  readonly warnings: readonly string[];
  /** Timers and intervals that were set and neither ran out nor were cleared. */
  readonly timers: number;
}

/** Runs `work` and reports what it left in the process. */
export async function watchProcess(work: () => Promise<unknown>): Promise<ProcessReport> {
  const rejections: unknown[] = [];
  const warnings: string[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  const onWarning = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
  // The test runner's listeners would fail the file before the test can say what happened.
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", onRejection);
  process.on("warning", onWarning);
  const timers = countTimers();
  try {
    await work();
    await settled();
    return { rejections, warnings, timers: timers.live() };
  } finally {
    timers.stop();
    process.off("unhandledRejection", onRejection);
    process.off("warning", onWarning);
    for (const listener of others) process.on("unhandledRejection", listener);
  }
}

function countTimers(): { live: () => number; stop: () => void } {
  const {
    setTimeout: startTimer,
    setInterval: startInterval,
    clearTimeout: stopTimer,
    clearInterval: stopInterval,
  } = globalThis;
  const live = new Set<unknown>();
  globalThis.setTimeout = ((callback: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) => {
    const timer = startTimer(() => {
      live.delete(timer);
      callback(...given);
    }, delayMs);
    live.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.setInterval = ((callback: () => void, delayMs?: number) => {
    const timer = startInterval(callback, delayMs);
    live.add(timer);
    return timer;
  }) as typeof setInterval;
  const stopping = (stop: (timer: never) => void) => (timer: unknown) => {
    live.delete(timer);
    stop(timer as never);
  };
  globalThis.clearTimeout = stopping(stopTimer);
  globalThis.clearInterval = stopping(stopInterval);
  return {
    live: () => live.size,
    stop: () =>
      Object.assign(globalThis, {
        setTimeout: startTimer,
        setInterval: startInterval,
        clearTimeout: stopTimer,
        clearInterval: stopInterval,
      }),
  };
}

/** A signal that counts the abort listeners on it. */
export function countedSignal(): { controller: AbortController; signal: AbortSignal; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const live = new Set<unknown>();
  signal.addEventListener = (type: string, listener: never, options?: never) => {
    if (type === "abort" && !live.has(listener)) {
      live.add(listener);
      count++;
    }
    add(type as never, listener, options);
  };
  signal.removeEventListener = (type: string, listener: never, options?: never) => {
    if (type === "abort" && live.delete(listener)) count--;
    remove(type as never, listener, options);
  };
  return { controller, signal, listeners: () => count };
}
