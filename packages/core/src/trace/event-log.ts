/** Keeps the events of a run for readers that come early, late or never. Memory is bounded by the facts: the deltas of one text, and the values a tool yields on its way, are one entry. */

import type { RunEvent } from "./event.js";

type Delta = Extract<RunEvent, { type: "text-delta" }>;
type Piece = Delta | Extract<RunEvent, { type: "tool-call-progress" }>;

interface Reader {
  position: number;
  /** What came to entries this reader has read already. */
  readonly added: Map<number, Piece>;
  wake: (() => void) | undefined;
}

/** The events of one outermost run, in order. */
export class EventLog {
  readonly #entries: RunEvent[] = [];
  readonly #openPieces = new Map<string, number>();
  readonly #readers = new Set<Reader>();
  #hasEnded = false;

  /** Adds an event. */
  push(event: RunEvent): void {
    this.#openPieces.delete(event.id);
    this.#entries.push(event);
    this.#wakeReaders();
  }

  /** Adds a piece of text, which joins the piece before it of the same node, or a value, which takes the place of the one before. */
  pushPiece(piece: Piece): void {
    const index = this.#openPieces.get(piece.id);
    if (index === undefined) {
      this.#openPieces.set(piece.id, this.#entries.length);
      this.#entries.push(piece);
    } else {
      this.#entries[index] = join(this.#entries[index] as Piece, piece);
      for (const reader of this.#readers) {
        if (reader.position <= index) continue;
        const unread = reader.added.get(index);
        reader.added.set(index, unread === undefined ? piece : join(unread, piece));
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
    const take = async (): Promise<IteratorResult<RunEvent>> => {
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
    // Several calls of next at once are answered in turn.
    let last: Promise<unknown> = Promise.resolve();
    const iterator: AsyncIterableIterator<RunEvent> = {
      next: () => {
        const result = last.then(take);
        last = result;
        return result;
      },
      return: async () => {
        this.#readers.delete(reader);
        reader.wake?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /** A reader from the first event on that takes what is there at once; `onMore` is told when there is more. */
  follow(onMore: () => void): () => RunEvent | undefined {
    const reader: Reader = { position: 0, added: new Map(), wake: undefined };
    this.#readers.add(reader);
    return () => {
      reader.wake = onMore;
      return this.#take(reader);
    };
  }

  #take(reader: Reader): RunEvent | undefined {
    for (const [index, piece] of reader.added) {
      reader.added.delete(index);
      return piece;
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

function join(before: Piece, after: Piece): Piece {
  return before.type === "text-delta" && after.type === "text-delta"
    ? { ...after, text: before.text + after.text }
    : after;
}
