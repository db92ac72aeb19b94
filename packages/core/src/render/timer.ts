/** Timers of any length: the runtime's own hold about 24 days and go off at once beyond that. */

const longestMs = 2 ** 31 - 1;

/** Calls `work` after `delayMs` milliseconds, after Infinity never. Gives the function that stops it. */
export function startTimer(delayMs: number, work: () => void): () => void {
  if (delayMs === Infinity) return () => {};
  let timer: ReturnType<typeof setTimeout>;
  const arm = (remainingMs: number): void => {
    timer =
      remainingMs > longestMs
        ? setTimeout(() => arm(remainingMs - longestMs), longestMs)
        : setTimeout(work, Math.max(0, remainingMs));
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}
