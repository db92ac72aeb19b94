/** The public names of june/trace: those of @june/core/trace. */

export {
  foldEvents,
  traceFormat,
  type Capture,
  type ChildRunOutput,
  type NodeKind,
  type NodeStatus,
  type RunEvent,
  type Trace,
  type TraceAnswer,
  type TraceCapability,
  type TraceError,
  type TraceNode,
  type TraceNote,
  type Usage,
} from "@june/core/trace";
