/** What every stage of a run writes to: gives each node its id, hands events to the log and to the fold. Nothing reads the trace back during a run. */

import { captureError } from "./capture.js";
import type { RunEvent } from "./event.js";
import { EventLog } from "./event-log.js";
import { TraceFold } from "./fold.js";
import type { Capture, NodeKind, TraceNote } from "./trace.js";

/** A node that was started: what its later events need. */
export interface NodeHandle {
  readonly id: string;
  readonly path: string;
  readonly label: string;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type StartEvent = Extract<RunEvent, { kind: NodeKind }>;
type EndEvent = Extract<RunEvent, { status: unknown }>;

/** The start of a node without what the recorder adds. */
export type Start = DistributiveOmit<StartEvent, "id" | "atMs" | "kind">;

/** How a node ended. */
export type End = DistributiveOmit<EndEvent, "id" | "path" | "label" | "atMs" | "error" | "status">;

const kinds: Readonly<Record<StartEvent["type"], NodeKind>> = {
  "run-start": "run",
  "component-start": "component",
  "agent-start": "agent",
  "step-start": "step",
  "model-call-start": "model-call",
  "tool-call-start": "tool-call",
  "request-open": "request",
  "toolset-start": "toolset",
  "attempt-start": "attempt",
};

/** Records one outermost run with all its child runs. */
export class Recorder {
  readonly log = new EventLog();
  readonly fold: TraceFold;
  readonly capture: Capture;
  readonly #now: () => number;
  #count = 0;

  /** @param now milliseconds since 1970 */
  constructor(capture: Capture, now: () => number) {
    this.capture = capture;
    this.fold = new TraceFold(capture);
    this.#now = now;
  }

  /** Starts a node. */
  start(start: Start): NodeHandle {
    const id = `n${this.#count++}`;
    this.#record({ ...start, id, kind: kinds[start.type], atMs: this.#now() } as StartEvent);
    return { id, path: start.path, label: start.label };
  }

  /** Ends a node well. */
  end(node: NodeHandle, end: End): void {
    this.#record({
      ...end,
      id: node.id,
      path: node.path,
      label: node.label,
      atMs: this.#now(),
      status: "ok",
    } as EndEvent);
  }

  /** Ends a node with an error, or as aborted when the error is the reason of an abort. */
  fail(node: NodeHandle, end: End, error: unknown, isAbort: boolean): void {
    this.#record({
      ...end,
      id: node.id,
      path: node.path,
      label: node.label,
      atMs: this.#now(),
      status: isAbort ? "aborted" : "error",
      error: captureError(error, this.capture),
    } as EndEvent);
  }

  /** Adds what an agent can do. */
  resolved(
    node: NodeHandle,
    facts: Omit<Extract<RunEvent, { type: "agent-resolved" }>, "type" | "id" | "path" | "label" | "atMs">,
  ): void {
    this.#record({
      type: "agent-resolved",
      id: node.id,
      path: node.path,
      label: node.label,
      atMs: this.#now(),
      ...facts,
    });
  }

  /** Adds a note to a node. */
  note(node: NodeHandle, note: TraceNote): void {
    this.#record({ type: "note-added", id: node.id, path: node.path, label: node.label, atMs: this.#now(), note });
  }

  /** Adds a value a tool yields on its way to its output. */
  progress(node: NodeHandle, value: unknown): void {
    this.log.pushPiece({
      type: "tool-call-progress",
      id: node.id,
      path: node.path,
      label: node.label,
      atMs: this.#now(),
      value,
    });
  }

  /** Adds a piece of the text a model call streams. */
  delta(node: NodeHandle, text: string): void {
    this.log.pushPiece({
      type: "text-delta",
      id: node.id,
      path: node.path,
      label: node.label,
      atMs: this.#now(),
      text,
    });
  }

  #record(event: RunEvent): void {
    this.fold.apply(event);
    this.log.push(event);
  }
}
