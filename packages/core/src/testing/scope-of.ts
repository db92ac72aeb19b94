/** The scopes of a tree for tests: what each agent can do and why, without running a model. */

import type { Capability, Wait } from "../capability/scope.js";
import type { JuneElement } from "../element/element.js";
import { inspect, type InspectedNode } from "../run/inspect.js";

/** One agent of a tree. */
export interface AgentScope {
  /** How the agent reads: `<Agent name="writer">`, `<researcher>`. */
  readonly agent: string;
  /** Its tools in scope order, with their sources. */
  readonly tools: readonly Capability[];
  /** The names alone. */
  readonly names: readonly string[];
  readonly waits: readonly Wait[];
  /** Why the agent has or lacks a tool, one sentence for each fact. */
  explain(name: string): readonly string[];
}

/**
 * Every agent that can be known without calling a model, outer ones first, in source order.
 * @throws {DeclarationError} the mistakes of scope a run would find.
 * @see docs/guide/testing.md
 */
export async function scopeOf(element: JuneElement): Promise<readonly AgentScope[]> {
  return (await inspect(element)).flatMap(scopesIn);
}

function scopesIn(node: InspectedNode): AgentScope[] {
  if (node.kind === "unknown") return [];
  if (node.kind === "component") return node.inside.flatMap(scopesIn);
  const { label, capabilities, waits, inside, explain } = node.agent;
  const scope = { agent: label, tools: capabilities, names: capabilities.map(({ name }) => name), waits, explain };
  return [scope, ...inside.flatMap(scopesIn)];
}
