/** What an inspection found as plain data for `--json`. */

import type { InspectedNode } from "@june/core";

/** The node without its functions. */
export function toRecord(node: InspectedNode): object {
  if (node.kind === "unknown") return { kind: node.kind, label: node.label };
  if (node.kind === "component") return { kind: node.kind, label: node.label, inside: node.inside.map(toRecord) };
  const { explain: _explain, inside, ...facts } = node.agent;
  return { kind: node.kind, ...facts, inside: inside.map(toRecord) };
}
