/** The trace format as zod schemas: the whole document for whoever checks traces, and each record by itself for the reader, which must not depend on the stack. */

import { z } from "zod";
import type { Json } from "../element/json.js";
import { isJson } from "./is-json.js";
import { traceFormat, type ChildRunOutput, type Trace, type TraceError, type TraceNode } from "./trace.js";

const text = z.string();
const count = z.number().nonnegative();
// The AI SDK's type has these keys always, with undefined for an unknown count; JSON leaves such a key out.
const knownCount = count.optional() as unknown as z.ZodType<number | undefined>;
const textByName = z.record(text, text).readonly();
const json = z.unknown().refine(isJson, "expected JSON") as unknown as z.ZodType<Json>;

const tokens = z.object({
  inputTokens: knownCount,
  inputTokenDetails: z.object({
    noCacheTokens: knownCount,
    cacheReadTokens: knownCount,
    cacheWriteTokens: knownCount,
  }),
  outputTokens: knownCount,
  outputTokenDetails: z.object({ textTokens: knownCount, reasoningTokens: knownCount }),
  totalTokens: knownCount,
});
const usage = z.object({ own: tokens, total: tokens });

const capability = z.object({
  name: text,
  source: text,
  composite: z.literal(true).exactOptional(),
  granted: text.exactOptional(),
});

const answered = z.object({
  type: z.enum(["approved", "denied", "answered"]),
  by: text.exactOptional(),
  reason: text.exactOptional(),
  input: json.exactOptional(),
  value: json.exactOptional(),
});

const traceShape = {
  format: z.literal(traceFormat),
  runId: text,
  capture: z.enum(["full", "shape"]),
  schemas: textByName.exactOptional(),
};

const errorShape = { name: text, message: text, code: text.exactOptional() };

const childRunShape = { output: json.exactOptional(), usage };

const nodeShape = {
  id: text,
  kind: z.enum(["run", "component", "agent", "step", "model-call", "tool-call", "request", "toolset", "attempt"]),
  name: text,
  path: text,
  label: text,
  status: z.enum(["running", "waiting", "ok", "error", "aborted"]),
  startedAtMs: z.number(),
  durationMs: count.exactOptional(),
  usage,
  notes: z
    .array(z.object({ code: text, text }))
    .readonly()
    .exactOptional(),
  capabilities: z.array(capability).readonly().exactOptional(),
  waits: z
    .array(z.object({ name: text, because: text }))
    .readonly()
    .exactOptional(),
  offered: z.array(text).readonly().exactOptional(),
  offeredSchemas: textByName.exactOptional(),
  called: z.array(text).readonly().exactOptional(),
  prompt: json.exactOptional(),
  answer: json.exactOptional(),
  model: text.exactOptional(),
  messages: z.object({ kept: count, added: json }).exactOptional(),
  content: json.exactOptional(),
  finishReason: text.exactOptional(),
  toolCallId: text.exactOptional(),
  invocation: z.enum(["model", "application", "provider"]).exactOptional(),
  source: text.exactOptional(),
  input: json.exactOptional(),
  requestKind: text.exactOptional(),
  reason: text.exactOptional(),
  answered: answered.exactOptional(),
  attempt: count.exactOptional(),
  phase: z.enum(["opening", "closing"]).exactOptional(),
};

const traceError = z.object({
  ...errorShape,
  get cause(): z.ZodExactOptional<z.ZodType<TraceError>> {
    return traceError.exactOptional();
  },
  get errors(): z.ZodExactOptional<z.ZodType<readonly TraceError[]>> {
    return z.array(traceError).readonly().exactOptional();
  },
});

const traceNode = z.object({
  ...nodeShape,
  error: traceError.exactOptional(),
  get children(): z.ZodType<readonly TraceNode[]> {
    return z.array(traceNode).readonly();
  },
  get output(): z.ZodExactOptional<z.ZodType<Json | ChildRunOutput>> {
    return z.union([childRunOutput, json]).exactOptional();
  },
});

/**
 * A trace document. Fields it does not know are left out of what it gives. It nests as the trace does, so that a document
 * deeper than the stack of the runtime needs `readTrace`, which also says more when something is wrong.
 * @see docs/trace.md
 */
export const traceSchema = z.object({ ...traceShape, root: traceNode });

const childRunOutput = z.object({
  ...childRunShape,
  get trace(): z.ZodType<Trace> {
    return traceSchema;
  },
});

/** The records a trace is made of. */
export type TraceRecord = "trace" | "node" | "error" | "childRun" | "json";

/** Every record by itself, with what nests in it left to the reader. */
export const records: Readonly<Record<TraceRecord, z.ZodType>> = {
  trace: z.object({ ...traceShape, root: z.looseObject({}) }),
  node: z.object({
    ...nodeShape,
    error: z.unknown().exactOptional(),
    children: z.array(z.unknown()),
    output: z.unknown().exactOptional(),
  }),
  error: z.object({
    ...errorShape,
    cause: z.unknown().exactOptional(),
    errors: z.array(z.unknown()).exactOptional(),
  }),
  childRun: z.object({ ...childRunShape, trace: z.looseObject({}) }),
  json,
};
