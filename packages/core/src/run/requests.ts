/** The open requests of a run and its child runs: opens them, takes the answers, and says when nobody can answer. */

import {
  requestAmbiguous,
  requestAnswered,
  requestKind,
  requestUnanswered,
  requestUnknown,
} from "../errors/run-errors.js";
import { cloneData } from "../capability/approval.js";
import { deepFreeze } from "../element/json.js";
import type { NodeHandle, Recorder } from "../trace/recorder.js";
import type { AbortScope } from "../render/abort-scope.js";
import type { Strands } from "../render/strands.js";
import { TimeLimit } from "../render/time-limit.js";
import { startTimer } from "../render/timer.js";
import { keepAlive } from "./keep-alive.js";
import type { RunOptions } from "./options.js";
import type { Answer, Decision, Request } from "./request.js";

/** What opens a request. `validate` checks an edited input or an answer and gives what will be used. */
export interface Opening {
  readonly kind: Request["kind"];
  readonly path: string;
  readonly step: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string | undefined;
  readonly source: string;
  readonly agent: string;
  readonly node: NodeHandle;
  readonly abort: AbortScope;
  readonly timeLimits: TimeLimit | undefined;
  readonly validate: (value: unknown) => Promise<unknown>;
}

interface OpenRequest {
  readonly request: Request;
  readonly opening: Opening;
  readonly decide: (decision: Decision) => void;
  /** Ends the wait of the strand, once people are waited for. */
  goOn: (() => void) | undefined;
}

/** The requests of one outermost run. */
export class Requests {
  readonly #open = new Map<string, OpenRequest>();
  readonly #answered = new Set<string>();
  readonly #recorder: Recorder;
  readonly #options: Pick<RunOptions, "onRequest">;
  readonly #requestMs: number;
  readonly #strands: Strands;
  readonly #fail: (error: unknown) => void;
  #hasReader = false;

  /** @param fail ends the outermost run, when nobody can answer. */
  constructor(
    recorder: Recorder,
    options: Pick<RunOptions, "onRequest">,
    requestMs: number,
    strands: Strands,
    fail: (error: unknown) => void,
  ) {
    this.#recorder = recorder;
    this.#options = options;
    this.#requestMs = requestMs;
    this.#strands = strands;
    this.#fail = fail;
  }

  /** Somebody reads events or requests, so a request may stay open. */
  addReader(): void {
    this.#hasReader = true;
  }

  /** The open requests, oldest first. */
  list(): readonly Request[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** Opens a request and waits for its answer. Time limits around stand still meanwhile. */
  async open(opening: Opening): Promise<Decision> {
    opening.abort.throwIfAborted();
    const { kind, path, step, tool, reason, source, agent } = opening;
    const request: Request = Object.freeze({
      id: this.#idFor(`${path}:${kind}`),
      kind,
      path,
      step,
      tool,
      input: deepFreeze(cloneData(opening.input)),
      ...(reason === undefined ? {} : { reason }),
      source,
      agent,
    });
    const node = this.#recorder.start({
      type: "request-open",
      name: tool,
      path: `${path}/request[${kind}]`,
      label: step,
      parentId: opening.node.id,
      requestKind: kind,
      source,
      input: request.input,
      ...(reason === undefined ? {} : { reason }),
    });
    const resume = TimeLimit.pause(opening.timeLimits);
    let decide!: (decision: Decision) => void;
    const decided = new Promise<Decision>((resolve) => (decide = resolve));
    this.#open.set(request.id, { request, opening, decide, goOn: undefined });
    const letGo = keepAlive();
    const stopTimer = startTimer(this.#requestMs, () =>
      this.#settle(request.id, { type: "denied", reason: `nobody answered within ${this.#requestMs} ms` }),
    );
    this.#ask(request, opening);
    try {
      const decision = await opening.abort.race(decided);
      this.#recorder.end(node, { type: "request-answered", answer: toTraceAnswer(decision) });
      return decision;
    } catch (error) {
      this.#recorder.fail(node, { type: "request-answered" }, error, opening.abort.isReason(error));
      throw error;
    } finally {
      stopTimer();
      letGo();
      resume();
      this.#close(request.id);
    }
  }

  /** Answers with yes, once. @throws {RunError} `request-unknown`, `request-answered`, `request-ambiguous`, `request-kind`, `tool-input` */
  async approve(
    id: string | undefined,
    options: { reason?: string; by?: string; input?: unknown } = {},
  ): Promise<void> {
    const open = this.#find(id);
    if (open.request.kind !== "approval") throw requestKind(open.request.id, open.request.kind, "approve");
    const input =
      "input" in options && options.input !== undefined
        ? { input: { value: cloneData(await open.opening.validate(cloneData(options.input))) } }
        : {};
    this.#settle(open.request.id, { type: "approved", ...input, ...people(options) });
  }

  /** Answers with no, once. */
  async deny(id: string | undefined, options: { reason?: string; by?: string } = {}): Promise<void> {
    this.#settle(this.#find(id).request.id, { type: "denied", ...people(options) });
  }

  /** Gives the value an `input` request asks for, once. */
  async answer(id: string | undefined, value: unknown, options: { by?: string } = {}): Promise<void> {
    const open = this.#find(id);
    if (open.request.kind !== "input") throw requestKind(open.request.id, open.request.kind, "answer");
    const validated = cloneData(await open.opening.validate(cloneData(value)));
    this.#settle(open.request.id, { type: "answered", value: validated, ...people(options) });
  }

  #find(id: string | undefined): OpenRequest {
    if (id === undefined) {
      const [only, ...more] = this.#open.values();
      if (only === undefined || more.length > 0) throw requestAmbiguous(this.list());
      return only;
    }
    const open = this.#open.get(id);
    if (open === undefined) throw this.#answered.has(id) ? requestAnswered(id) : requestUnknown(id, this.list());
    return open;
  }

  #settle(id: string, decision: Decision): void {
    const open = this.#open.get(id);
    if (open === undefined) throw this.#answered.has(id) ? requestAnswered(id) : requestUnknown(id, this.list());
    this.#answered.add(id);
    this.#close(id);
    open.decide(decision);
  }

  #close(id: string): void {
    this.#open.get(id)?.goOn?.();
    this.#open.delete(id);
  }

  #ask(request: Request, { abort }: Opening): void {
    const { onRequest } = this.#options;
    const give = (): void => {
      const open = this.#open.get(request.id);
      if (open === undefined) return;
      if (this.#hasReader) open.goOn = this.#strands.pause();
      else this.#fail(requestUnanswered(request));
    };
    if (onRequest === undefined) return give();
    void (async () => {
      const answer = await onRequest(request, { signal: abort.signal });
      if (answer === undefined) return give();
      if (this.#open.has(request.id)) await this.#take(request, answer);
    })().catch((error: unknown) => {
      if (this.#open.has(request.id))
        this.#settle(request.id, { type: "denied", reason: error instanceof Error ? error.message : String(error) });
    });
  }

  #take(request: Request, answer: Answer): Promise<void> {
    if (typeof answer === "object" && answer !== null) {
      if ("answer" in answer) return this.answer(request.id, answer.answer, answer);
      if (answer.approved === true) return this.approve(request.id, answer);
      if (answer.approved === false) return this.deny(request.id, answer);
    }
    throw new TypeError(
      "onRequest gave something that is no answer: give { approved: true }, { approved: false, reason }, { answer: value } or undefined.",
    );
  }

  /** A short id that a run which asks the same again gives again. */
  #idFor(key: string): string {
    let hash = 0x811c9dc5;
    for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    const base = `r${(hash >>> 0).toString(36)}`;
    let id = base;
    for (let repeat = 2; this.#open.has(id) || this.#answered.has(id); repeat++) id = `${base}-${repeat}`;
    return id;
  }
}

function people({ reason, by }: { reason?: string; by?: string }): { reason?: string; by?: string } {
  return { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) };
}

function toTraceAnswer(decision: Decision): {
  type: Decision["type"];
  reason?: string;
  by?: string;
  input?: unknown;
  value?: unknown;
} {
  const { type, by } = decision;
  const who = by === undefined ? {} : { by };
  if (type === "answered") return { type, ...who, value: cloneData(decision.value) };
  const why = decision.reason === undefined ? {} : { reason: decision.reason };
  return {
    type,
    ...who,
    ...why,
    ...(type === "approved" && decision.input !== undefined ? { input: cloneData(decision.input.value) } : {}),
  };
}
