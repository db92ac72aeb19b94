/** What an inspection found as an indented tree: agents with their tools, sources and waits, and `…` where only a run can tell. */

import type { AgentReport, InspectedNode } from "@june/core";
import { showLine } from "../output/safe-text.js";

/** What is printed when the tree holds no agent. */
export const nothingFound = "no agent that can be known without a run";

/** The lines to print. */
export function treeLines(nodes: readonly InspectedNode[]): string[] {
  return nodes.length === 0 ? [nothingFound] : nodes.flatMap((node) => nodeLines(node, ""));
}

/** An agent and its place. */
export function agentTitle({ label, source }: AgentReport): string {
  return `${showLine(label)}${source === undefined ? "" : `  ${showLine(source)}`}`;
}

function nodeLines(node: InspectedNode, indent: string): string[] {
  if (node.kind === "unknown") return [`${indent}${showLine(node.label)}`];
  const inner = `${indent}  `;
  if (node.kind === "component")
    return [`${indent}${showLine(node.label)}`, ...node.inside.flatMap((part) => nodeLines(part, inner))];
  const { agent } = node;
  return [
    `${indent}${agentTitle(agent)}`,
    ...agentLines(agent).map((line) => `${inner}${line}`),
    ...agent.inside.flatMap((part) => nodeLines(part, inner)),
  ];
}

function agentLines({ capabilities, waits, warnings, unopened, inheritable }: AgentReport): string[] {
  const width = Math.max(0, ...capabilities.map(({ name }) => name.length));
  const because = new Map(waits.map((wait) => [wait.name, wait.because]));
  const tools = capabilities.map(({ name, source, granted, composite }) =>
    [
      `${name.padEnd(width)}  ${showLine(source, 400)}`,
      ...(composite === true ? ["runs a workflow"] : []),
      ...(granted === undefined ? [] : [`from ${showLine(granted, 400)}`]),
      ...(because.has(name) ? [`waits: ${showLine(because.get(name)!, 400)}`] : []),
    ].join("  "),
  );
  return [
    ...(tools.length === 0 && unopened.length === 0 ? ["no tools"] : tools),
    ...unopened.map((label) => `…  tools of ${showLine(label)}, which a run opens`),
    ...(inheritable.length === 0 ? [] : [`may inherit: ${showLine(inheritable.join(", "), 1_000)}`]),
    ...warnings.map((warning) => `warning: ${showLine(warning, 400)}`),
  ];
}
