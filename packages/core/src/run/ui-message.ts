/** Turns the events of a run into chunks of one UI message of the AI SDK. Fed with the event log, read by the UI message stream. It is long because each event has its case, and each turn of a call its chunk. */

import type { UIMessageChunk } from "ai";
import { serializationFault } from "../element/json.js";
import { captureValue } from "../trace/capture.js";
import type { RunEvent } from "../trace/event.js";
import type { TraceError } from "../trace/trace.js";
import type { Request } from "./request.js";

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** One tool part of the message. A call has another when it is asked about again after the message went on. */
interface Part {
  readonly id: string;
  approvalId: string | undefined;
}

/** A tool call that has not ended. */
interface Call {
  readonly start: EventOf<"tool-call-start">;
  /** Whether its state is shown from the beginning; a call inside another tool's run is only shown once it is asked about. */
  readonly isShown: boolean;
  readonly parts: Part[];
  input: unknown;
}

/** The message so far. */
export class UiMessage {
  /** What the page has not been given yet. */
  readonly chunks: UIMessageChunk[] = [];
  /** How the run ended. */
  outcome: EventOf<"run-end"> | undefined;
  /** The text for an error; unless given a failed tool's message, and of a failed run nothing but that it failed. */
  onError: ((error: TraceError) => string) | undefined;
  readonly #calls = new Map<string, Call>();
  /** Calls by the node of their open request. */
  readonly #asking = new Map<string, Call>();
  readonly #texts = new Set<string>();
  readonly #usedIds = new Set<string>();
  /** The tool parts since the last start-step, as the page sees them. */
  readonly #stepParts = new Map<Part, Call>();
  #isStepDue = false;
  #isStepOpen = false;
  /** A call that started with the last event: the next one tells whether it is held. */
  #fresh: Call | undefined;

  /** Takes one event in. */
  add(event: RunEvent): void {
    if (!(event.type === "request-open" && event.parentId === this.#fresh?.start.id)) this.showFresh();
    switch (event.type) {
      case "model-call-start":
        if (!isInner(event.path)) this.#isStepDue = true;
        return;
      case "text-delta":
        if (!isInner(event.path)) this.#say(event.id, event.text);
        return;
      case "model-call-end":
        if (isInner(event.path)) return;
        if (event.text !== undefined) this.#say(event.id, event.text);
        if (this.#texts.delete(event.id)) this.chunks.push({ type: "text-end", id: event.id });
        return;
      case "tool-call-start":
        this.#startCall(event);
        return;
      case "request-open":
        this.#fresh = undefined;
        this.#asking.set(event.id, this.#calls.get(event.parentId!)!);
        return;
      case "request-answered":
        this.#answer(event);
        return;
      case "tool-call-progress":
        for (const { id } of this.#calls.get(event.id)?.parts ?? [])
          this.chunks.push({
            type: "tool-output-available",
            toolCallId: id,
            output: toJson(event.value),
            preliminary: true,
          });
        return;
      case "tool-call-end":
        this.#endCall(event);
        return;
      case "run-end":
        if (event.path === "") this.outcome = event;
        return;
      default:
    }
  }

  /** Shows the call of the last event: no request followed it. */
  showFresh(): void {
    const call = this.#fresh;
    this.#fresh = undefined;
    if (call !== undefined) this.#show(call);
  }

  /** What a stream ends with: the run's outcome, or the questions it waits for, put into one step at the end of the message, where the page looks for them. */
  close(requests: readonly Request[]): void {
    const { outcome } = this;
    if (outcome === undefined) this.#ask(requests);
    else if (outcome.status !== "error") this.#seal(outcome);
    if (this.#isStepOpen) this.chunks.push({ type: "finish-step" });
    this.#isStepOpen = false;
    switch (outcome?.status) {
      case undefined:
      case "ok":
        this.chunks.push({ type: "finish", finishReason: outcome === undefined ? "tool-calls" : "stop" });
        return;
      case "aborted": {
        const reason = outcome.error === undefined ? undefined : this.onError?.(outcome.error);
        this.chunks.push({ type: "abort", ...(reason === undefined ? {} : { reason }) });
        return;
      }
      default:
        this.chunks.push({
          type: "error",
          errorText: this.onError?.(outcome!.error!) ?? "An error occurred.",
        });
    }
  }

  /** Keeps tool calls out of the last step of a message that is over: the page would take them for answers to send, and send them for ever. */
  #seal({ status }: EventOf<"run-end">): void {
    if (this.#stepParts.size === 0) return;
    this.#isStepDue = true;
    this.#enterStep();
    this.chunks.push({ type: "data-run", data: { status } });
  }

  /** Starts the step that is due, with the first thing in it: the page does not keep an empty one. */
  #enterStep(): void {
    if (!this.#isStepDue) return;
    this.#isStepDue = false;
    if (this.#isStepOpen) this.chunks.push({ type: "finish-step" });
    this.#isStepOpen = true;
    this.#stepParts.clear();
    this.chunks.push({ type: "start-step" });
  }

  #say(id: string, text: string): void {
    if (!this.#texts.has(id)) {
      this.#enterStep();
      this.#texts.add(id);
      this.chunks.push({ type: "text-start", id });
    }
    this.chunks.push({ type: "text-delta", id, delta: text });
  }

  #startCall(start: EventOf<"tool-call-start">): void {
    if (start.invocation === "application") return;
    const call: Call = { start, isShown: !isInner(start.path), parts: [], input: start.input };
    this.#calls.set(start.id, call);
    if (call.isShown) this.#fresh = call;
  }

  #show(call: Call, request?: Request): Part {
    this.#enterStep();
    let part = call.parts.findLast((shown) => this.#stepParts.has(shown));
    if (part === undefined) {
      part = { id: this.#uniqueId(call.start.toolCallId), approvalId: undefined };
      call.parts.push(part);
      this.#stepParts.set(part, call);
    }
    this.chunks.push({
      type: "tool-input-available",
      toolCallId: part.id,
      toolName: call.start.name,
      input: toJson(call.input),
      ...(call.start.invocation === "provider" ? { providerExecuted: true } : {}),
      ...(request === undefined ? {} : { toolMetadata: { requestId: request.id, step: request.step } }),
    });
    return part;
  }

  #ask(requests: readonly Request[]): void {
    const asked = new Map<Call, Request>();
    for (const call of this.#asking.values()) {
      const request = requests.find(({ path }) => path === call.start.path);
      if (request !== undefined) asked.set(call, request);
    }
    const isElsewhere = [...asked.keys()].some(({ parts }) => parts.length > 0 && !this.#stepParts.has(parts.at(-1)!));
    // The page sends its answers once everything in the last step is settled or answered.
    const hasOthers = [...this.#stepParts.values()].some((call) => this.#calls.has(call.start.id) && !asked.has(call));
    if (isElsewhere || hasOthers) this.#isStepDue = true;
    this.#enterStep();
    for (const [call, request] of asked) {
      const part = this.#show(call, request);
      if (request.kind !== "approval") continue;
      part.approvalId = request.id;
      this.chunks.push({
        type: "tool-approval-request",
        approvalId: request.id,
        toolCallId: part.id,
        ...(request.reason === undefined ? {} : { reason: request.reason }),
      });
    }
  }

  #answer(event: EventOf<"request-answered">): void {
    const call = this.#asking.get(event.id);
    this.#asking.delete(event.id);
    const { answer } = event;
    if (call === undefined || answer === undefined) return;
    const isEdited = answer.input !== undefined;
    if (isEdited) call.input = answer.input;
    const part = call.parts.at(-1);
    if (part === undefined ? call.isShown : isEdited && this.#stepParts.has(part)) this.#show(call);
    if (part?.approvalId !== undefined && answer.type !== "answered")
      this.#respond(part.approvalId, answer.type === "approved", answer.reason);
  }

  #endCall(event: EventOf<"tool-call-end">): void {
    const call = this.#calls.get(event.id);
    if (call === undefined) return;
    if (call.isShown && call.parts.length === 0) this.#show(call);
    this.#calls.delete(event.id);
    const provided = call.start.invocation === "provider" ? { providerExecuted: true } : {};
    for (const part of call.parts) {
      const toolCallId = part.id;
      if (event.status === "ok")
        this.chunks.push({ type: "tool-output-available", toolCallId, output: toJson(event.output), ...provided });
      else if (event.error?.name === "Denied") this.#deny(part, event.error.message);
      else
        this.chunks.push({
          type: "tool-output-error",
          toolCallId,
          errorText: this.#toolError(event.error),
          ...provided,
        });
    }
  }

  /** A denied part has to have been asked about; where a rule or code said no, it is in the same breath. */
  #deny(part: Part, reason: string): void {
    if (part.approvalId === undefined) {
      part.approvalId = this.#uniqueId(`${part.id}-denied`);
      this.chunks.push({
        type: "tool-approval-request",
        approvalId: part.approvalId,
        toolCallId: part.id,
        isAutomatic: true,
      });
      this.#respond(part.approvalId, false, reason);
    }
    this.chunks.push({ type: "tool-output-denied", toolCallId: part.id });
  }

  #respond(approvalId: string, approved: boolean, reason: string | undefined): void {
    this.chunks.push({
      type: "tool-approval-response",
      approvalId,
      approved,
      ...(reason === undefined ? {} : { reason }),
    });
  }

  #toolError(error: TraceError | undefined): string {
    const shown = error ?? { name: "Error", message: "The call failed." };
    return this.onError?.(shown) ?? shown.message;
  }

  #uniqueId(wanted: string): string {
    let id = wanted;
    for (let repeat = 2; this.#usedIds.has(id); repeat++) id = `${wanted}-${repeat}`;
    this.#usedIds.add(id);
    return id;
  }
}

/** Whether a path leads into the run behind a tool call. */
function isInner(path: string): boolean {
  return /\/tool\[[^\]]*\]\/./.test(path);
}

/** What the page gets of a value: the value, where it is JSON already, else a bounded copy of what can be shown. */
function toJson(value: unknown): unknown {
  return value === undefined || serializationFault(value) !== undefined ? captureValue(value) : value;
}
