/** What June makes of a tree, and what the reference model says it should, in one comparable form. */

import { expect } from "vitest";
import {
  JuneError,
  inspect,
  run,
  type ErrorCode,
  type InspectedNode,
  type JuneElement,
  type RunHandle,
} from "@june/core";
import { scriptedModel, type ScriptedModel } from "@june/core/testing";
import type { Trace, TraceNode } from "@june/core/trace";
import { callDepth } from "./build-plan.js";
import type { ExpectedAgent, Outcome } from "./reference-model.js";

/** One agent, as seen in the trace or as expected. */
export interface Seen {
  readonly capabilities: unknown;
  readonly waits: readonly string[];
  readonly hasLookalikes: boolean;
  /** For each step, the tools its model was offered, and what became of a call of each. */
  readonly steps: readonly { readonly offered: readonly string[]; readonly calls: Readonly<Record<string, unknown>> }[];
  readonly inside: readonly Seen[];
}

/** A run or a call: its agents, and the code it failed with. */
export interface SeenRun {
  readonly agents: readonly Seen[];
  readonly code?: string;
}

/** A model that calls every tool on offer once in each step, as deep as the step's prompt says. */
export function callingModel(): ScriptedModel {
  return scriptedModel(({ prompt, options }) => {
    const last = prompt[prompt.length - 1]!;
    const [part] = last.role === "user" ? last.content : [];
    const depth = part?.type === "text" ? Number(part.text) : 0;
    const called = depth === 0 ? [] : (options.tools ?? []).filter(({ type }) => type === "function");
    return called.length === 0 ? "done" : { calls: called.map(({ name }) => ({ name, input: { depth: depth - 1 } })) };
  });
}

/** Runs a tree to its end; every request is approved. What the trace says was offered is what the model was given. */
export async function observeRun(element: JuneElement): Promise<SeenRun> {
  const model = callingModel();
  const handle = run(element, { model, onRequest: () => ({ approved: true }) });
  const code = await codeOf(handle);
  const given = model.calls.map(({ tools }) => tools.join(" "));
  expect(given.toSorted()).toEqual(offeredIn(handle.trace.root).toSorted());
  return { agents: agentsIn(handle.trace.root), ...(code === undefined ? {} : { code }) };
}

/** Inspects a tree without running it. */
export async function observeInspection(element: JuneElement): Promise<SeenRun> {
  try {
    return { agents: (await inspect(element)).flatMap(inspectedAgents) };
  } catch (error) {
    return { agents: [], code: codeIn(error) };
  }
}

async function codeOf(handle: RunHandle): Promise<string | undefined> {
  try {
    await handle;
    return undefined;
  } catch (error) {
    return codeIn(error);
  }
}

function codeIn(error: unknown): string {
  if (!JuneError.isInstance(error)) throw error;
  return error.code;
}

/** For each model call, child runs' too, what the trace says its step was offered. */
function offeredIn(node: TraceNode, offered: readonly string[] = []): string[] {
  const child = node.kind === "tool-call" ? (node.output as { readonly trace?: Trace } | undefined)?.trace : undefined;
  return [
    ...(node.kind === "model-call" ? [offered.join(" ")] : []),
    ...node.children.flatMap((inner) => offeredIn(inner, node.offered ?? offered)),
    ...(child === undefined ? [] : offeredIn(child.root)),
  ];
}

/** The agents of one run that resolved, in the order they rendered. */
function agentsIn(node: TraceNode): Seen[] {
  return node.children.flatMap((child) => {
    if (child.kind !== "agent") return agentsIn(child);
    const failedToResolve =
      child.error !== undefined &&
      child.capabilities === undefined &&
      child.children.every(({ kind }) => kind === "toolset");
    return failedToResolve ? [] : [agentOf(child)];
  });
}

function agentOf(node: TraceNode): Seen {
  const steps = node.children.filter(({ kind }) => kind === "step");
  return {
    capabilities: node.capabilities ?? [],
    waits: (node.waits ?? []).map(({ name }) => name),
    hasLookalikes: (node.notes ?? []).some(({ code }) => code === "tool-name-lookalike"),
    steps: steps.map((step) => ({
      offered: step.offered ?? [],
      calls: Object.fromEntries(
        step.children.flatMap(({ children }) =>
          children.filter(({ kind }) => kind === "tool-call").map((call) => [call.name, callOf(call)]),
        ),
      ),
    })),
    inside: agentsIn({ ...node, children: node.children.filter(({ kind }) => kind !== "step") }),
  };
}

function callOf(call: TraceNode): unknown {
  const isAsked = call.children.some(({ kind }) => kind === "request");
  const child = call.output as { readonly trace?: Trace } | undefined;
  if (child?.trace === undefined) return { isAsked, status: call.error === undefined ? call.status : "denied" };
  const code = call.error?.code;
  return { isAsked, run: { agents: agentsIn(child.trace.root), ...(code === undefined ? {} : { code }) } };
}

function inspectedAgents(node: InspectedNode): Seen[] {
  if (node.kind === "unknown") return [];
  if (node.kind === "component") return node.inside.flatMap(inspectedAgents);
  const { capabilities, waits, warnings, inside } = node.agent;
  return [
    {
      capabilities,
      waits: waits.map(({ name }) => name),
      hasLookalikes: warnings.length > 0,
      steps: [],
      inside: inside.flatMap(inspectedAgents),
    },
  ];
}

/** The reference model's answer in the form of `observeRun`. */
export function seenInRun(outcome: Outcome, depth = callDepth): SeenRun {
  return {
    agents: outcome.agents.map((agent) => seenInAgent(agent, depth)),
    ...(outcome.codes.size === 0 ? {} : { code: oneOf(outcome.codes) }),
  };
}

function seenInAgent(agent: ExpectedAgent, depth: number): Seen {
  const offered = agent.tools.map(({ name }) => name);
  const callable = depth === 0 ? [] : agent.tools.filter(({ name }) => !agent.isProvided(name));
  const calls = (): Record<string, unknown> =>
    Object.fromEntries(
      callable.map(({ name, verdict, composite }) => {
        const isAsked = verdict === "asks";
        if (verdict === "denied") return [name, { isAsked, status: "denied" }];
        if (composite !== true) return [name, { isAsked, status: "ok" }];
        return [name, { isAsked, run: seenInRun(agent.call(name), depth - 1) }];
      }),
    );
  return {
    ...seenScope(agent),
    capabilities: agent.isRecorded ? capabilitiesOf(agent) : [],
    steps: Array.from({ length: agent.steps }, () => ({ offered, calls: calls() })),
    inside: agent.inside.map((inner) => seenInAgent(inner, depth)),
  };
}

/** The reference model's answer in the form of `observeInspection`. */
export function seenInInspection(outcome: Outcome): SeenRun {
  if (outcome.codes.size > 0) return { agents: [], code: oneOf(outcome.codes) };
  return { agents: outcome.agents.map(inspected) };
}

function inspected(agent: ExpectedAgent): Seen {
  return {
    ...seenScope(agent),
    capabilities: capabilitiesOf(agent),
    steps: [],
    inside: [...agent.callable, ...agent.inside].map(inspected),
  };
}

function seenScope({ tools, hasLookalikes }: ExpectedAgent): Pick<Seen, "waits" | "hasLookalikes"> {
  return { waits: tools.filter(({ waits }) => waits).map(({ name }) => name), hasLookalikes };
}

function capabilitiesOf({ tools }: ExpectedAgent): unknown {
  return tools.map(({ name, source, composite, granted }) => ({
    name,
    source,
    ...(composite === undefined ? {} : { composite }),
    ...(granted === undefined ? {} : { granted }),
  }));
}

/** A tree may be wrong in several ways at once, and the rules do not say which is told first: any of them is right. */
function oneOf(codes: ReadonlySet<ErrorCode>): string {
  const [only] = codes;
  return codes.size === 1 ? only! : (expect.stringMatching(`^(?:${[...codes].join("|")})$`) as string);
}
