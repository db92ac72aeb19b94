/** Keeps the process alive while a run waits for something that may hold nothing of the event loop: an answer, an opening. */

/** Holds the process until the returned function is called. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}
