/** Traces made by hand, for readers of traces: what a run would not easily give, such as a very deep or a hostile one. */

import { traceFormat, type Trace, type TraceNode } from "@june/core/trace";

/** A node with what every node has; its path is its name under the path given. */
export function makeNode(node: Pick<TraceNode, "kind" | "name"> & Partial<TraceNode>): TraceNode {
  return {
    id: "n0",
    path: `/${node.kind}[${node.name}]`,
    label: node.name,
    status: "ok",
    startedAtMs: 1_000,
    durationMs: 5,
    usage: makeUsage(0),
    children: [],
    ...node,
  };
}

/** The document around the children of a run. */
export function makeTrace(children: readonly TraceNode[], root: Partial<TraceNode> = {}): Trace {
  return {
    format: traceFormat,
    runId: "run-1",
    capture: "shape",
    root: makeNode({ kind: "run", name: "run", path: "", children, ...root }),
  };
}

/** So many tokens of a node's own, and as many with child runs unless given. */
export function makeUsage(own: number, total = own): TraceNode["usage"] {
  const tokens = (count: number): TraceNode["usage"]["own"] => ({
    inputTokens: count,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokens: 0,
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    totalTokens: count,
  });
  return { own: tokens(own), total: tokens(total) };
}

/** A trace whose components stand in each other, `depth` of them. */
export function makeDeepTrace(depth: number): Trace {
  let node = makeNode({ kind: "component", name: "Innermost" });
  for (let level = 1; level < depth; level++)
    node = makeNode({ kind: "component", name: "Outer", children: [node], label: `level ${depth - level}` });
  return makeTrace([node]);
}

/** A trace whose every composite call has a child run with the next one, `depth` of them. */
export function makeNestedTrace(depth: number): Trace {
  let trace = makeTrace([]);
  for (let level = 0; level < depth; level++) {
    const call = makeNode({ kind: "tool-call", name: "inner", output: { trace, usage: trace.root.usage } });
    const capabilities = [{ name: "inner", source: '<Tool name="inner">', composite: true as const }];
    trace = makeTrace([makeNode({ kind: "agent", name: "outer", capabilities, children: [call] })]);
  }
  return trace;
}
