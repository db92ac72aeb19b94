/** Keeps the events of a run for readers that come early, late or never. Memory is bounded by the facts: the deltas of one text are one entry. */

import type { RunEvent } from "./event.js";

type Delta = Extract<RunEvent, { type: "text-delta" }>;

interface Reader {
  position: number;
  /** What was added to texts this reader has read already, by entry. */
  readonly added: Map<number, string>;
  wake: (() => void) | undefined;
}

/** The events of one outermost run, in order. */
export class EventLog {
  readonly #entries: RunEvent[] = [];
  readonly #openTexts = new Map<string, number>();
  readonly #readers = new Set<Reader>();
  #hasEnded = false;

  /** Adds an event. */
  push(event: RunEvent): void {
    this.#openTexts.delete(event.id);
    this.#entries.push(event);
    this.#wakeReaders();
  }

  /** Adds a piece of text; it joins the piece before it of the same node. */
  pushDelta(delta: Delta): void {
    const index = this.#openTexts.get(delta.id);
    if (index === undefined) {
      this.#openTexts.set(delta.id, this.#entries.length);
      this.#entries.push(delta);
    } else {
      const before = this.#entries[index] as Delta;
      this.#entries[index] = { ...before, text: before.text + delta.text };
      for (const reader of this.#readers) {
        if (reader.position > index) reader.added.set(index, (reader.added.get(index) ?? "") + delta.text);
      }
    }
    this.#wakeReaders();
  }

  /** Ends every reader after what is there. */
  end(): void {
    this.#hasEnded = true;
    this.#wakeReaders();
  }

  /** A reader from the first event on. */
  read(): AsyncIterableIterator<RunEvent> {
    const reader: Reader = { position: 0, added: new Map(), wake: undefined };
    this.#readers.add(reader);
    const next = async (): Promise<IteratorResult<RunEvent>> => {
      while (this.#readers.has(reader)) {
        const event = this.#take(reader);
        if (event !== undefined) return { done: false, value: event };
        if (this.#hasEnded) break;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
      }
      this.#readers.delete(reader);
      return { done: true, value: undefined };
    };
    const iterator: AsyncIterableIterator<RunEvent> = {
      next,
      return: async () => {
        this.#readers.delete(reader);
        reader.wake?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  #take(reader: Reader): RunEvent | undefined {
    for (const [index, text] of reader.added) {
      reader.added.delete(index);
      return { ...(this.#entries[index] as Delta), text };
    }
    const event = this.#entries[reader.position];
    if (event !== undefined) reader.position++;
    return event;
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) {
      const { wake } = reader;
      reader.wake = undefined;
      wake?.();
    }
  }
}
