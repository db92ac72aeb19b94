/** Finding nodes in a trace, child runs included. */

import type { NodeKind, Trace, TraceNode } from "@june/core/trace";

/** Every node, outer ones first, with those of child runs where their tool call stands. */
export function allNodes(trace: Trace): TraceNode[] {
  const found: TraceNode[] = [];
  const visit = (node: TraceNode): void => {
    found.push(node);
    for (const child of node.children) visit(child);
    const inner = childTrace(node);
    if (inner !== undefined) visit(inner.root);
  };
  visit(trace.root);
  return found;
}

/** The nodes of one kind. */
export function nodesOf(trace: Trace, kind: NodeKind): TraceNode[] {
  return allNodes(trace).filter((node) => node.kind === kind);
}

/** The only node of a kind and name. */
export function nodeOf(trace: Trace, kind: NodeKind, name: string): TraceNode {
  const found = nodesOf(trace, kind).filter((node) => node.name === name);
  if (found.length !== 1) throw new Error(`There are ${found.length} nodes of kind ${kind} named ${name}.`);
  return found[0]!;
}

/** The trace of the child run behind a tool call. */
export function childTrace(node: TraceNode): Trace | undefined {
  const { output } = node as { output?: { trace?: Trace } | null };
  return typeof output === "object" && output !== null && output.trace?.format !== undefined ? output.trace : undefined;
}
