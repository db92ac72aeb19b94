/** Folds events into the trace. The recorder of a run and `foldEvents` use this one function, so both always agree. Long because each kind of node has its facts. */

import type { LanguageModelUsage } from "ai";
import { captureValue } from "./capture.js";
import type { RunEvent } from "./event.js";
import {
  traceFormat,
  type Capture,
  type ChildRunOutput,
  type NodeKind,
  type NodeStatus,
  type Trace,
  type TraceNode,
} from "./trace.js";
import { addUsage, zeroUsage } from "./usage.js";

type Facts = Omit<
  Partial<TraceNode>,
  "id" | "kind" | "name" | "path" | "label" | "status" | "usage" | "children" | "startedAtMs"
>;

/** A node while its run goes on. */
interface LiveNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  readonly path: string;
  readonly label: string;
  readonly parent: LiveNode | undefined;
  readonly startedAtMs: number;
  readonly children: LiveNode[];
  status: NodeStatus;
  own: LanguageModelUsage | undefined;
  total: LanguageModelUsage | undefined;
  facts: { -readonly [K in keyof Facts]: Facts[K] };
  /** run: its id, its schemas, and its document once it ended. */
  run: { readonly runId: string; schemas: Record<string, string> | undefined; trace: Trace | undefined } | undefined;
  /** tool-call: the child run behind it. */
  childRun: LiveNode | undefined;
}

/** The state of a fold. */
export class TraceFold {
  readonly #capture: Capture;
  readonly #nodes = new Map<string, LiveNode>();
  #root: LiveNode | undefined;

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  /** Takes one event in. */
  apply(event: RunEvent): void {
    if ("kind" in event) this.#start(event);
    else if (event.type === "text-delta" || event.type === "tool-call-progress") return;
    else {
      const node = this.#nodes.get(event.id);
      if (node === undefined) return;
      if ("status" in event) this.#end(node, event);
      else if (event.type === "agent-resolved") {
        if (event.capabilities !== undefined) node.facts.capabilities = event.capabilities;
        if (event.waits !== undefined) node.facts.waits = event.waits;
      } else node.facts.notes = [...(node.facts.notes ?? []), event.note];
    }
  }

  /** The usage of a node so far. */
  usageOf(id: string): { own: LanguageModelUsage; total: LanguageModelUsage } {
    const node = this.#nodes.get(id);
    return { own: node?.own ?? zeroUsage(), total: node?.total ?? zeroUsage() };
  }

  /** The document of the run whose node is `id`, the outermost unless given. Made once for a run that ended. */
  traceOf(id?: string): Trace {
    const node = id === undefined ? this.#root : this.#nodes.get(id);
    if (node?.run === undefined)
      throw new TypeError("There is no run to make a trace of: the first event of a run is run-start.");
    const { run } = node;
    if (run.trace !== undefined) return run.trace;
    const trace: Trace = {
      format: traceFormat,
      runId: run.runId,
      capture: this.#capture,
      ...(run.schemas === undefined ? {} : { schemas: { ...run.schemas } }),
      root: toTraceNode(node),
    };
    if (node.status !== "running") run.trace = trace;
    return trace;
  }

  #start(event: Extract<RunEvent, { kind: NodeKind }>): void {
    const parent = event.parentId === undefined ? undefined : this.#nodes.get(event.parentId);
    const node: LiveNode = {
      id: event.id,
      kind: event.kind,
      name: event.name,
      path: event.path,
      label: event.label,
      parent,
      startedAtMs: event.atMs,
      children: [],
      status: event.type === "request-open" ? "waiting" : "running",
      own: undefined,
      total: undefined,
      facts: {},
      run: event.type === "run-start" ? { runId: event.runId, schemas: undefined, trace: undefined } : undefined,
      childRun: undefined,
    };
    this.#nodes.set(event.id, node);
    if (parent === undefined) this.#root = node;
    else if (event.type === "run-start") parent.childRun = node;
    else parent.children.push(node);
    this.#startFacts(node, event);
  }

  #startFacts(node: LiveNode, event: Extract<RunEvent, { kind: NodeKind }>): void {
    const { facts, parent } = node;
    switch (event.type) {
      case "step-start":
        facts.offered = event.offered;
        facts.called = [];
        if (this.#capture === "shape") return;
        if (event.offeredSchemas !== undefined) facts.offeredSchemas = event.offeredSchemas;
        if (event.schemas !== undefined) {
          const run = runOf(node);
          if (run !== undefined) run.schemas = { ...run.schemas, ...event.schemas };
        }
        if (event.prompt !== undefined) facts.prompt = captureValue(event.prompt);
        return;
      case "model-call-start":
        facts.model = event.model;
        if (this.#capture === "full" && event.messages !== undefined)
          facts.messages = { kept: event.messages.kept, added: captureValue(event.messages.added) };
        return;
      case "tool-call-start": {
        facts.toolCallId = event.toolCallId;
        facts.invocation = event.invocation;
        if (event.source !== undefined) facts.source = event.source;
        if (this.#capture === "full") facts.input = captureValue(event.input);
        const step = event.invocation === "application" ? undefined : stepOf(node);
        if (step !== undefined) step.facts.called = [...(step.facts.called ?? []), event.name];
        return;
      }
      case "request-open":
        facts.requestKind = event.requestKind;
        facts.source = event.source;
        if (event.reason !== undefined) facts.reason = event.reason;
        if (this.#capture === "full") facts.input = captureValue(event.input);
        if (parent !== undefined) parent.status = "waiting";
        return;
      case "toolset-start":
        facts.phase = event.phase;
        return;
      case "attempt-start":
        facts.attempt = event.attempt;
        return;
      default:
    }
  }

  #end(node: LiveNode, event: Extract<RunEvent, { status: NodeStatus }>): void {
    node.status = event.status;
    const { facts } = node;
    facts.durationMs = Math.max(0, event.atMs - node.startedAtMs);
    if (event.error !== undefined) facts.error = event.error;
    const full = this.#capture === "full";
    switch (event.type) {
      case "step-end":
        if (full && event.answer !== undefined) facts.answer = captureValue(event.answer);
        return;
      case "model-call-end":
        if (event.finishReason !== undefined) facts.finishReason = event.finishReason;
        if (full && event.content !== undefined) facts.content = captureValue(event.content);
        if (event.usage !== undefined) countUsage(node, event.usage);
        return;
      case "tool-call-end":
        if (node.childRun !== undefined) facts.output = this.#childOutput(node.childRun, event.output);
        else if (full && event.status === "ok") facts.output = captureValue(event.output);
        return;
      case "request-answered":
        if (node.parent?.status === "waiting") node.parent.status = "running";
        if (event.answer !== undefined) {
          const { type, by, reason, input, value } = event.answer;
          facts.answered = {
            type,
            ...(by === undefined ? {} : { by }),
            ...(reason === undefined ? {} : { reason }),
            ...(full && input !== undefined ? { input: captureValue(input) } : {}),
            ...(full && type === "answered" ? { value: captureValue(value) } : {}),
          };
        }
        return;
      default:
    }
  }

  #childOutput(child: LiveNode, output: unknown): ChildRunOutput {
    const trace = this.traceOf(child.id);
    return {
      ...(this.#capture === "full" && output !== undefined ? { output: captureValue(output) } : {}),
      trace,
      usage: trace.root.usage,
    };
  }
}

/** The trace that these events of one run make. Events of child runs among them end up in their tool calls. */
export function foldEvents(events: Iterable<RunEvent>, capture: Capture): Trace {
  const fold = new TraceFold(capture);
  for (const event of events) fold.apply(event);
  return fold.traceOf();
}

function countUsage(node: LiveNode, usage: LanguageModelUsage): void {
  const { raw: _raw, ...counts } = usage;
  let isOwn = true;
  for (let part: LiveNode | undefined = node; part !== undefined; part = part.parent) {
    if (isOwn) part.own = addUsage(part.own, counts);
    part.total = addUsage(part.total, counts);
    if (part.kind === "run") isOwn = false;
  }
}

function runOf(node: LiveNode): LiveNode["run"] {
  let part: LiveNode | undefined = node;
  while (part !== undefined && part.run === undefined) part = part.parent;
  return part?.run;
}

function stepOf(node: LiveNode): LiveNode | undefined {
  let part = node.parent;
  while (part !== undefined && part.kind !== "step" && part.kind !== "run") part = part.parent;
  return part?.kind === "step" ? part : undefined;
}

function toTraceNode(root: LiveNode): TraceNode {
  const make = (node: LiveNode): TraceNode & { children: TraceNode[] } => ({
    id: node.id,
    kind: node.kind,
    name: node.name,
    path: node.path,
    label: node.label,
    status: node.status,
    startedAtMs: node.startedAtMs,
    usage: { own: node.own ?? zeroUsage(), total: node.total ?? zeroUsage() },
    ...node.facts,
    children: [],
  });
  const result = make(root);
  const stack: { live: LiveNode; made: TraceNode & { children: TraceNode[] } }[] = [{ live: root, made: result }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    for (const child of top.live.children) {
      const made = make(child);
      top.made.children.push(made);
      stack.push({ live: child, made });
    }
  }
  return result;
}
