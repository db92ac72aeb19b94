/** Walks what an inspection found. */

import type { AgentReport, InspectedNode } from "@june/core";

/** Every agent, outer before inner, in the order of the tree. */
export function agentsOf(nodes: readonly InspectedNode[]): AgentReport[] {
  return nodes.flatMap((node) => {
    if (node.kind === "unknown") return [];
    if (node.kind === "component") return agentsOf(node.inside);
    return [node.agent, ...agentsOf(node.agent.inside)];
  });
}
