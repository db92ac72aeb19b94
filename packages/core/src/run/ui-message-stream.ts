/** `handle.toUIMessageStream()`: a run as the AI SDK's UI message stream. It ends when only people are waited for, and a further one goes on from there. */

import type { UIMessageChunk } from "ai";
import { describeValue, didYouMean } from "../errors/compose.js";
import { invalidOption } from "../errors/declaration-errors.js";
import type { RunEvent } from "../trace/event.js";
import type { TraceError } from "../trace/trace.js";
import type { SharedRun } from "./run-state.js";
import { UiMessage } from "./ui-message.js";

/** What a UI message stream can be told. */
export interface UIStreamOptions {
  /** The text the page gets for an error. Unless given it gets the message of a failed tool, and "An error occurred." for a failed run. */
  readonly onError?: (error: TraceError) => string;
}

/** The UI message of one run, read by one stream at a time. */
export class UiMessageStream {
  readonly #shared: SharedRun;
  readonly #message = new UiMessage();
  readonly #take: () => RunEvent | undefined;
  #current: object | undefined;
  #wake: (() => void) | undefined;

  constructor(shared: SharedRun) {
    this.#shared = shared;
    const notify = (): void => this.#notify();
    this.#take = shared.recorder.log.follow(notify);
    shared.strands.onRest = notify;
  }

  /**
   * A stream of what no stream before it has given. One that is still open ends.
   * @throws {DeclarationError} `invalid-option`
   */
  open(options: UIStreamOptions): ReadableStream<UIMessageChunk> {
    checkOptions(options);
    const stream = {};
    this.#current = stream;
    this.#message.onError = options.onError;
    this.#notify();
    let isClosing = false;
    return new ReadableStream<UIMessageChunk>(
      {
        start: (controller) => controller.enqueue({ type: "start", messageId: this.#shared.id }),
        pull: async (controller) => {
          for (;;) {
            if (this.#current !== stream) return controller.close();
            const chunk = this.#message.chunks.shift();
            if (chunk !== undefined) return controller.enqueue(chunk);
            if (isClosing) return controller.close();
            isClosing = await this.#advance();
          }
        },
        cancel: () => {
          if (this.#current === stream) this.#current = undefined;
        },
      },
      // A chunk leaves the message only when it is asked for: one in a buffer would be lost with its stream.
      { highWaterMark: 0 },
    );
  }

  /** Waits for more of the message; says whether it was the last for now. */
  async #advance(): Promise<boolean> {
    const event = this.#take();
    if (event !== undefined) {
      this.#message.add(event);
      return false;
    }
    this.#message.showFresh();
    if (this.#message.chunks.length > 0) return false;
    if (this.#message.outcome !== undefined || this.#shared.strands.isAtRest) {
      this.#message.close(this.#shared.requests.list());
      return true;
    }
    await new Promise<void>((resolve) => (this.#wake = resolve));
    return false;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function checkOptions(options: UIStreamOptions): void {
  if (typeof options !== "object" || options === null)
    throw invalidOption("toUIMessageStream()", `got ${describeValue(options)}`, "Give { onError }, or nothing.");
  const unknown = Object.keys(options).find((name) => name !== "onError");
  if (unknown !== undefined)
    throw invalidOption(
      "toUIMessageStream()",
      `there is no option ${unknown}`,
      `The option is "onError".${didYouMean(unknown, ["onError"])} The SDK's createUIMessageStream() takes the others around it.`,
    );
  const { onError } = options;
  if (onError !== undefined && typeof onError !== "function")
    throw invalidOption("toUIMessageStream()", `onError is ${describeValue(onError)}`, "onError is a function.");
}
