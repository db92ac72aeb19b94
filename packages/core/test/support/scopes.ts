/** What the agents of a run or an inspection can do. */

import { inspect, run, type AgentReport, type InspectedNode, type JuneElement, type RunOptions } from "@june/core";
import { echoModel } from "@june/core/testing";
import type { TraceNode } from "@june/core/trace";
import { nodesOf } from "./trace-nodes.js";

/** The nodes of all agents of a run, outer ones first. */
export async function agentNodes(element: JuneElement, options: RunOptions = {}): Promise<TraceNode[]> {
  const { trace } = await run(element, { model: echoModel(), ...options });
  return nodesOf(trace, "agent");
}

/** The tool names each agent of a run has, outer agents first; undefined where the trace lists none. */
export async function toolNames(element: JuneElement, options: RunOptions = {}): Promise<(string[] | undefined)[]> {
  const agents = await agentNodes(element, options);
  return agents.map(({ capabilities }) => capabilities?.map(({ name }) => name));
}

/** The sources of the tools of a run's first agent, by name. */
export async function sources(element: JuneElement, options: RunOptions = {}): Promise<Record<string, string>> {
  const [agent] = await agentNodes(element, options);
  return Object.fromEntries((agent?.capabilities ?? []).map(({ name, source }) => [name, source]));
}

/** The agents an inspection reports, outer ones first. */
export async function reports(element: JuneElement): Promise<AgentReport[]> {
  return (await inspect(element)).flatMap(reportsIn);
}

function reportsIn(node: InspectedNode): AgentReport[] {
  if (node.kind === "unknown") return [];
  if (node.kind === "component") return node.inside.flatMap(reportsIn);
  return [node.agent, ...node.agent.inside.flatMap(reportsIn)];
}
