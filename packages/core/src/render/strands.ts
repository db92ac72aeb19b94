/** Counts the strands of a run that are at work, so that a reader can tell when only people are waited for. A strand is one line of work that goes on by itself; the run begins as one. */

/** Several strands in place of one, each known by a key of the caller's. */
export interface Fork<K> {
  /** One of them ended; the last hands back to the strand they replaced. A key that is not open is no strand of this fork. */
  end(key: K): void;
  /** Ends all that are left. */
  close(): void;
}

/** The strands of one outermost run, its child runs included. */
export class Strands {
  /** Told each time that the last strand at work begins to wait. */
  onRest: (() => void) | undefined;
  #working = 1;

  /** Whether every strand waits for a person. */
  get isAtRest(): boolean {
    return this.#working === 0;
  }

  /** This strand waits for a person; call the result once it goes on. */
  pause(): () => void {
    this.#add(-1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#add(1);
    };
  }

  /** This strand goes on as one for each key, and waits until all of them ended. */
  fork<K>(keys: Iterable<K>): Fork<K> {
    const open = new Set(keys);
    const replace = (before: number): void => this.#add(Math.max(1, open.size) - before);
    replace(1);
    return {
      end: (key) => {
        const before = open.size;
        if (open.delete(key)) replace(before);
      },
      close: () => {
        const before = Math.max(1, open.size);
        open.clear();
        replace(before);
      },
    };
  }

  #add(count: number): void {
    this.#working += count;
    if (count < 0 && this.#working === 0) this.onRest?.();
  }
}
