/** The public names of @june/core/trace: the format of a trace and what reads it. Knows nothing of running. */

export { foldEvents } from "./trace/fold.js";
export type { RunEvent } from "./trace/event.js";
export { diffTraces, type TraceDifference } from "./trace/diff.js";
export { printTrace, type PrintOptions } from "./trace/print.js";
export { readTrace } from "./trace/read.js";
export { traceSchema } from "./trace/schema.js";
export {
  traceFormat,
  type Capture,
  type ChildRunOutput,
  type NodeKind,
  type NodeStatus,
  type Trace,
  type TraceAnswer,
  type TraceCapability,
  type TraceError,
  type TraceNode,
  type TraceNote,
} from "./trace/trace.js";
export type { Usage } from "./trace/usage.js";
export { walkTrace, type WalkedNode } from "./trace/walk.js";
