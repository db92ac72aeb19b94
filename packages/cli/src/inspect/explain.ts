/** `--why NAME`: for each agent, why it can or cannot call that tool. */

import type { AgentReport, InspectedNode } from "@june/core";
import { showLine } from "../output/safe-text.js";
import { agentsOf } from "./agents-of.js";
import { agentTitle, nothingFound } from "./tree-lines.js";

/** One agent of the answer in JSON. */
interface Explanation {
  readonly label: string;
  readonly source?: string;
  readonly why: readonly string[];
}

/** The lines to print. */
export function explainLines(nodes: readonly InspectedNode[], name: string): string[] {
  const agents = agentsOf(nodes);
  if (agents.length === 0) return [nothingFound];
  return agents.flatMap((agent) =>
    [agentTitle(agent)].concat(agent.explain(name).map((fact) => `  ${showLine(fact, 1_000)}`)),
  );
}

/** The same for `--json`. */
export function explainRecords(nodes: readonly InspectedNode[], name: string): Explanation[] {
  return agentsOf(nodes).map((agent) => toExplanation(agent, name));
}

function toExplanation(agent: AgentReport, name: string): Explanation {
  const { label, source } = agent;
  return { label, ...(source === undefined ? {} : { source }), why: agent.explain(name) };
}
