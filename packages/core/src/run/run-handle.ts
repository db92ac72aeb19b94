/** The handle of a run: a promise of its result with ways to watch it, answer its requests and end it. */

import type { UIMessageChunk } from "ai";
import type { RunEvent } from "../trace/event.js";
import type { Trace } from "../trace/trace.js";
import type { Request } from "./request.js";
import type { RunResult } from "./result.js";
import type { SharedRun } from "./run-state.js";
import { UiMessageStream, type UIStreamOptions } from "./ui-message-stream.js";

/** Who answers, and why. */
export interface AnswerOptions {
  readonly reason?: string;
  readonly by?: string;
}

/** A running run. */
export interface RunHandle<T = unknown> extends Promise<RunResult<T>> {
  readonly id: string;
  /** Every event from the first on, for each reader; ends with `run-end` and never throws. Reading it means requests can be answered. */
  readonly events: AsyncIterable<RunEvent>;
  /**
   * The run as the AI SDK's UI message stream, for `createUIMessageStreamResponse` and `useChat`. It ends with the run, or when
   * nothing but open requests is left to happen; once they are answered a further call goes on with the same message, whose id is
   * the run's. Reading it means requests can be answered.
   * @throws {DeclarationError} `invalid-option`
   * @see docs/guide/app-you-have.md
   */
  toUIMessageStream(options?: UIStreamOptions): ReadableStream<UIMessageChunk>;
  /** The open requests, oldest first. Reading it means requests can be answered. */
  readonly requests: readonly Request[];
  /** A snapshot of the trace so far. */
  readonly trace: Trace;
  /**
   * Lets a held call run, with its input or an edited one. The id may be left out while exactly one request is open.
   * @throws {RunError} `request-unknown`, `request-answered`, `request-ambiguous`, `request-kind`, `tool-input`; nothing changes then.
   */
  approve(id: string, options?: AnswerOptions & { readonly input?: unknown }): Promise<void>;
  approve(options?: AnswerOptions & { readonly input?: unknown }): Promise<void>;
  /** Refuses a call; its model is told, with the reason. */
  deny(id: string, options?: AnswerOptions): Promise<void>;
  deny(options?: AnswerOptions): Promise<void>;
  /** Gives the value a request of kind `input` asks for; told apart by the number of arguments. */
  answer(value: unknown): Promise<void>;
  answer(id: string, value: unknown, options?: { readonly by?: string }): Promise<void>;
  /** Ends the run: everything in it is aborted, cleanup is awaited, then the handle rejects with `reason`. */
  abort(reason?: unknown): void;
}

/** Puts the handle together. */
export function createHandle(result: Promise<RunResult>, shared: SharedRun): RunHandle<unknown> {
  return new Handle(result, shared) as unknown as RunHandle<unknown>;
}

/** The promise and its ways in one object: a class, since a run that nobody watches should not pay for the ways. */
class Handle extends Promise<RunResult> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #shared: SharedRun;
  #uiMessage: UiMessageStream | undefined;

  constructor(result: Promise<RunResult>, shared: SharedRun) {
    super((resolve, reject) => result.then(resolve, reject));
    this.#shared = shared;
  }

  get id(): string {
    return this.#shared.id;
  }

  get events(): AsyncIterable<RunEvent> {
    this.#read();
    const { recorder } = this.#shared;
    return { [Symbol.asyncIterator]: () => recorder.log.read() };
  }

  get toUIMessageStream(): (options?: UIStreamOptions) => ReadableStream<UIMessageChunk> {
    return (options = {}) => {
      this.#read();
      return (this.#uiMessage ??= new UiMessageStream(this.#shared)).open(options);
    };
  }

  get requests(): readonly Request[] {
    const { requests } = this.#shared;
    requests.addReader();
    return requests.list();
  }

  #read(): void {
    this.#shared.requests.addReader();
    // Who watches sees the failure there.
    this.catch(() => {});
  }

  get trace(): Trace {
    return this.#shared.recorder.fold.traceOf();
  }

  // The ways to steer a run work taken off the handle too, as a callback would.

  get approve(): (...given: readonly unknown[]) => Promise<void> {
    return (...given) => this.#shared.requests.approve(...splitId(given));
  }

  get deny(): (...given: readonly unknown[]) => Promise<void> {
    return (...given) => this.#shared.requests.deny(...splitId(given));
  }

  get answer(): (...given: readonly unknown[]) => Promise<void> {
    const { requests } = this.#shared;
    return (...given) =>
      given.length < 2
        ? requests.answer(undefined, given[0])
        : requests.answer(given[0] as string, given[1], given[2] as { by?: string } | undefined);
  }

  get abort(): (reason?: unknown) => void {
    const { abort } = this.#shared;
    return (reason) =>
      abort.abort(reason === undefined ? new DOMException("the run was aborted", "AbortError") : reason);
  }
}

function splitId(given: readonly unknown[]): [string | undefined, AnswerOptions] {
  const [first, second] = given;
  return typeof first === "string"
    ? [first, (second as AnswerOptions | undefined) ?? {}]
    : [undefined, ((first ?? second) as AnswerOptions | undefined) ?? {}];
}
