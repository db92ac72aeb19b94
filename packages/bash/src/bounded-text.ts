/** Keeps the head and the tail of a text of any length and counts what lies between. Fed by output-capture with cleaned text. */

/** The two ends of a text, in `maxBytes` of memory however much is pushed. */
export class BoundedText {
  readonly #head: Buffer;
  readonly #tail: RingBuffer;
  #headLength = 0;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    const headBytes = Math.floor(maxBytes / 2);
    this.#head = Buffer.allocUnsafe(headBytes);
    this.#tail = new RingBuffer(maxBytes - headBytes);
  }

  push(text: string): void {
    const bytes = Buffer.from(text);
    const copied = bytes.copy(this.#head, this.#headLength);
    this.#headLength += copied;
    this.#totalBytes += bytes.length;
    this.#tail.push(bytes.subarray(copied));
  }

  /** The text, with `[N bytes left out]` on a line of its own where the middle is missing. No character is cut in two. */
  read(): { text: string; isTruncated: boolean } {
    const head = this.#head.subarray(0, this.#headLength);
    const tail = this.#tail.read();
    if (head.length + tail.length === this.#totalBytes)
      return { text: Buffer.concat([head, tail]).toString(), isTruncated: false };
    const before = head.subarray(0, lastBoundary(head));
    const after = tail.subarray(firstBoundary(tail));
    const leftOut = this.#totalBytes - before.length - after.length;
    return { text: `${before.toString()}\n[${leftOut} bytes left out]\n${after.toString()}`, isTruncated: true };
  }
}

/** The last `size` bytes of what was pushed. */
class RingBuffer {
  readonly #bytes: Buffer;
  #position = 0;
  #isFull = false;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  push(bytes: Buffer): void {
    const size = this.#bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    const copied = last.copy(this.#bytes, this.#position);
    last.copy(this.#bytes, 0, copied);
    if (this.#position + last.length >= size) this.#isFull = true;
    this.#position = (this.#position + last.length) % size;
  }

  read(): Buffer {
    const newest = this.#bytes.subarray(0, this.#position);
    return this.#isFull ? Buffer.concat([this.#bytes.subarray(this.#position), newest]) : newest;
  }
}

/** Where the last complete character of `bytes` ends. */
function lastBoundary(bytes: Buffer): number {
  let lead = bytes.length - 1;
  while (lead >= 0 && isContinuation(bytes[lead]!)) lead--;
  if (lead < 0) return 0;
  return lead + characterBytes(bytes[lead]!) <= bytes.length ? bytes.length : lead;
}

/** Where the first character that begins in `bytes` begins. */
function firstBoundary(bytes: Buffer): number {
  let start = 0;
  while (start < bytes.length && isContinuation(bytes[start]!)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterBytes(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
