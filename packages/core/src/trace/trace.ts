/** The trace: one versioned JSON document about a run. Written by folding its events, read by people, Studio and programs. */

import type { Json } from "../element/json.js";
import type { Usage } from "./usage.js";

/** The version of the format. */
export const traceFormat = "june.trace/1";

/** What a node is. */
export type NodeKind =
  | "run"
  | "component"
  | "agent"
  | "step"
  | "model-call"
  | "tool-call"
  | "request"
  | "toolset"
  | "attempt";

/** Where a node stands: still `running`, `waiting` for a request, or ended. */
export type NodeStatus = "running" | "waiting" | "ok" | "error" | "aborted";

/** How much of prompts, answers, tool inputs and outputs a trace keeps. */
export type Capture = "full" | "shape";

/** An error as the trace keeps it, with everything underneath it. */
export interface TraceError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: TraceError;
  /** The errors of an AggregateError. */
  readonly errors?: readonly TraceError[];
}

/** One tool of an agent: its exposed name and where it came from. */
export interface TraceCapability {
  readonly name: string;
  readonly source: string;
  readonly composite?: true;
  readonly granted?: string;
}

/** Something worth knowing about a node, such as an abort that a tool ignored. */
export interface TraceNote {
  readonly code: string;
  readonly text: string;
}

/** How a request was answered. */
export interface TraceAnswer {
  readonly type: "approved" | "denied" | "answered";
  readonly by?: string;
  readonly reason?: string;
  /** The input a person put in place of the one asked for. */
  readonly input?: Json;
  readonly value?: Json;
}

/** One node of a trace. Fields below `children` belong to single kinds. */
export interface TraceNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  readonly path: string;
  /** The display form for people: `research:findings`. */
  readonly label: string;
  readonly status: NodeStatus;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** Milliseconds; absent while the node runs. */
  readonly durationMs?: number;
  readonly usage: Usage;
  readonly error?: TraceError;
  readonly notes?: readonly TraceNote[];
  readonly children: readonly TraceNode[];
  /** agent: what it can do, in scope order; absent when it uses only the `tools` prop. */
  readonly capabilities?: readonly TraceCapability[];
  /** agent: which tools wait for approval, and why. */
  readonly waits?: readonly { readonly name: string; readonly because: string }[];
  /** step: the tool names the model was given. */
  readonly offered?: readonly string[];
  /** step, when captured in full: the hash of each offered tool's schema text, found in the trace's `schemas`. */
  readonly offeredSchemas?: Readonly<Record<string, string>>;
  /** step: the tool names the model called, in order. */
  readonly called?: readonly string[];
  /** step: its prompt; captured in full only. */
  readonly prompt?: Json;
  /** step: its answer; captured in full only. */
  readonly answer?: Json;
  /** model-call: provider and model id. */
  readonly model?: string;
  /** model-call: messages new since the step's model call before; `kept` of that call's come first. Captured in full only. */
  readonly messages?: { readonly kept: number; readonly added: Json };
  /** model-call: what the model answered; captured in full only. */
  readonly content?: Json;
  readonly finishReason?: string;
  /** tool-call: the id the model gave the call. */
  readonly toolCallId?: string;
  /** tool-call: who called. */
  readonly invocation?: "model" | "application" | "provider";
  /** tool-call and request: the declaration of the tool. */
  readonly source?: string;
  /** tool-call and request: captured in full only. */
  readonly input?: Json;
  /** tool-call: captured in full only, but for a child run, whose trace and usage are always kept. */
  readonly output?: Json | ChildRunOutput;
  /** request */
  readonly requestKind?: string;
  readonly reason?: string;
  readonly answered?: TraceAnswer;
  /** attempt: counts from 0. */
  readonly attempt?: number;
  /** toolset */
  readonly phase?: "opening" | "closing";
}

/** The output of a composite tool or callable agent: what its model got, and the whole child run. */
export interface ChildRunOutput {
  readonly output?: Json;
  readonly trace: Trace;
  readonly usage: Usage;
}

/** One run as a document. */
export interface Trace {
  readonly format: typeof traceFormat;
  readonly runId: string;
  readonly capture: Capture;
  /** JSON Schema text of tools by hash; captured in full only. */
  readonly schemas?: Readonly<Record<string, string>>;
  readonly root: TraceNode;
}
