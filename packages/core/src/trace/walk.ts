/** Walks over the nodes of a trace, into its child runs. Reads what the fold made. */

import { childRunOf, compositesOf } from "./child-run.js";
import type { Trace, TraceNode } from "./trace.js";

/** A node and where it stands. */
export interface WalkedNode {
  readonly node: TraceNode;
  /** The breadcrumb for people: `research:findings`. */
  readonly label: string;
  /** How many nodes are around it; 0 for the root. A child run counts as inside its tool call. */
  readonly depth: number;
  /** The node around it. Of the root of a child run: its tool call. */
  readonly parent: WalkedNode | undefined;
  /** The document it stands in: the trace itself, or that of a child run. */
  readonly trace: Trace;
}

/** A node to come, with the composites of the agent around it. */
interface Visit {
  readonly walked: WalkedNode;
  readonly composites: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Every node, outer ones first and siblings in their order. The nodes of a child run come last in its tool call.
 * A trace may be nested deeper than the stack of the runtime.
 * @see docs/trace.md
 */
export function* walkTrace(trace: Trace): Generator<WalkedNode, void, undefined> {
  const stack = [toVisit(trace.root, undefined, trace)];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    yield visit.walked;
    const { walked, composites } = visit;
    const childRun = childRunOf(walked.node, composites);
    if (childRun !== undefined) stack.push(toVisit(childRun.trace.root, visit, childRun.trace));
    for (const child of walked.node.children.toReversed()) stack.push(toVisit(child, visit, walked.trace));
  }
}

function toVisit(node: TraceNode, around: Visit | undefined, trace: Trace): Visit {
  const parent = around?.walked;
  return {
    walked: { node, label: node.label, depth: parent === undefined ? 0 : parent.depth + 1, parent, trace },
    composites: node.kind === "agent" ? compositesOf(node) : (around?.composites ?? none),
  };
}
