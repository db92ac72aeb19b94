/** Which tool calls of a trace have a child run in their output. Used by everything that reads traces. */

import type { ChildRunOutput, TraceNode } from "./trace.js";

/** The composite tools and callable agents among an agent's capabilities, by name. */
export function compositesOf(agent: TraceNode): ReadonlySet<string> {
  return new Set(agent.capabilities?.filter(({ composite }) => composite === true).map(({ name }) => name));
}

/**
 * The child run in the output of `node`, or undefined. What the agent declared decides, never the look of an output:
 * a plain tool whose output reads like a child run is a plain tool.
 * @param composites those of the agent around
 */
export function childRunOf(node: TraceNode, composites: ReadonlySet<string>): ChildRunOutput | undefined {
  return node.kind === "tool-call" && composites.has(node.name) && node.output !== undefined
    ? (node.output as ChildRunOutput)
    : undefined;
}
