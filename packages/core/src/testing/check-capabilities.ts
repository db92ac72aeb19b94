/** The conformance kit: what a package of capabilities has to hold, tried on the package itself, with a report its author can act on. */

import { asSchema, type ToolSet } from "ai";
import type { Json } from "../element/json.js";
import { createElement } from "../element/create-element.js";
import type { JuneElement } from "../element/element.js";
import { Agent } from "../components/agent.js";
import { Step } from "../components/step.js";
import { JuneError } from "../errors/june-error.js";
import { reasonOf } from "../errors/run-errors.js";
import { inspect } from "../run/inspect.js";
import { run } from "../run/run.js";
import type { RunHandle } from "../run/run-handle.js";
import type { TraceNode } from "../trace/trace.js";
import { providerBreaches } from "./provider-rules.js";
import { scriptedModel, type ScriptedCall } from "./scripted-model.js";

/** What is checked. */
export type CapabilityCheck = "names" | "schema" | "pure" | "json" | "abort" | "secret";

/** One thing that is not right. */
export interface CapabilityProblem {
  readonly check: CapabilityCheck;
  /** The tool's exposed name; absent when it concerns the whole. */
  readonly tool?: string;
  readonly problem: string;
  readonly cure: string;
  /** Where the rule is written down, when it is a provider's. */
  readonly source?: string;
}

/** What was found. */
export interface CapabilityReport {
  readonly ok: boolean;
  readonly tools: readonly string[];
  readonly problems: readonly CapabilityProblem[];
  /** What could not be checked, and what to give so that it can. */
  readonly unchecked: readonly string[];
  /** The report as text, a line for each problem with its cure. */
  toString(): string;
}

/** What the check is given besides the capabilities. */
export interface CheckOptions {
  /** Inputs to call each tool with, by exposed name. They are really run, held tools too. */
  readonly samples?: Readonly<Record<string, readonly unknown[]>>;
  /** Texts that were put into props, environment or headers and must show up nowhere. */
  readonly secrets?: readonly string[];
  /** Milliseconds a call may take to end after an abort; 2,000 unless set. */
  readonly abortWithinMs?: number;
}

/**
 * Checks a bundle, toolset, callable agent or any other capabilities.
 * @param element what would stand in an `<Agent>`.
 * @see docs/guide/testing.md
 */
export async function checkCapabilities(element: JuneElement, options: CheckOptions = {}): Promise<CapabilityReport> {
  const problems: CapabilityProblem[] = [];
  const unchecked: string[] = [];
  const tools = await resolveTwice(element, problems);
  if (tools !== undefined) {
    const samples = options.samples ?? {};
    for (const name of Object.keys(samples).filter((sampled) => !Object.hasOwn(tools, sampled)))
      problems.push({
        check: "names",
        tool: name,
        problem: "a sample is given for it, but there is no such tool",
        cure: `The tools are ${Object.keys(tools).join(", ")}.`,
      });
    checkSchemas(tools, problems);
    const calls = Object.entries(samples).flatMap(([name, inputs]) =>
      Object.hasOwn(tools, name) ? inputs.map((input): ScriptedCall => ({ name, input })) : [],
    );
    const unsampled = Object.keys(tools).filter(
      (name) => (samples[name] ?? []).length === 0 && typeof tools[name]?.execute === "function",
    );
    if (unsampled.length > 0) unchecked.push(`json and abort of ${unsampled.join(", ")}: give samples`);
    if (calls.length > 0) await runSamples(element, calls, options, problems);
    if ((options.secrets ?? []).length === 0) unchecked.push("secret: give the secrets that were put in");
  }
  const names = tools === undefined ? [] : Object.keys(tools);
  const report = { ok: problems.length === 0, tools: names, problems, unchecked };
  return { ...report, toString: () => formatReport(report) };
}

/** The tools as a model would be offered them, from two evaluations that have to agree. */
async function resolveTwice(element: JuneElement, problems: CapabilityProblem[]): Promise<ToolSet | undefined> {
  try {
    const [first, second] = [await listing(element), await listing(element)];
    if (first.text !== second.text)
      problems.push({
        check: "pure",
        problem: "two evaluations declare different tools",
        cure: "A bundle is a pure function of its props: keep time, chance, counters and input from outside it.",
      });
    return first.tools;
  } catch (error) {
    problems.push({
      check: "names",
      problem: reasonOf(error),
      cure: JuneError.isInstance(error) ? `See ${error.code} in docs/errors.md.` : "Make the capabilities resolve.",
    });
    return undefined;
  }
}

async function listing(element: JuneElement): Promise<{ tools: ToolSet; text: string }> {
  let tools: ToolSet = {};
  const model = scriptedModel(["done"]);
  await run(agentAround(element, model, { onStart: (event: { tools?: ToolSet }) => void (tools = event.tools ?? {}) }));
  const [node] = await inspect(agentAround(element, model, {}));
  const report = node?.kind === "agent" ? node.agent : undefined;
  const text = JSON.stringify([
    report?.capabilities,
    report?.waits,
    Object.entries(tools).map(([name, tool]) => [name, tool.description, schemaOf(tool)]),
  ]);
  return { tools, text };
}

function agentAround(element: JuneElement, model: unknown, settings: object): JuneElement {
  return createElement(
    Agent,
    { model, maxTools: 10_000, ...settings },
    element,
    createElement(Step, { id: "check", prompt: "check" }),
  );
}

function schemaOf(tool: ToolSet[string]): Json {
  return asSchema(tool.inputSchema).jsonSchema as Json;
}

function checkSchemas(tools: ToolSet, problems: CapabilityProblem[]): void {
  for (const [name, tool] of Object.entries(tools)) {
    if (tool.type === "provider") continue;
    const description = typeof tool.description === "string" ? tool.description : undefined;
    for (const breach of providerBreaches({ name, description, schema: schemaOf(tool) }))
      problems.push({ check: "schema", tool: name, ...breach });
  }
}

async function runSamples(
  element: JuneElement,
  calls: readonly ScriptedCall[],
  options: CheckOptions,
  problems: CapabilityProblem[],
): Promise<void> {
  for (const call of calls) {
    const done = await settled(startCall(element, call));
    for (const node of toolCalls(done.handle))
      if (node.error?.code === "tool-output")
        problems.push({
          check: "json",
          tool: call.name,
          problem: firstLine(node.error.message),
          cure: "Return plain data.",
        });
    const texts = [done.text, JSON.stringify(done.handle.trace)];
    for (const secret of options.secrets ?? [])
      if (texts.some((text) => text.includes(secret)))
        problems.push({
          check: "secret",
          tool: call.name,
          problem: "a secret that was put in shows up in the trace or in an error",
          cure: "Leave it out of outputs, messages and labels.",
        });
    await checkAbort(element, call, options, problems);
  }
}

/** Starts the call anew and aborts the run as soon as the tool runs. */
async function checkAbort(
  element: JuneElement,
  call: ScriptedCall,
  { abortWithinMs = 2_000 }: CheckOptions,
  problems: CapabilityProblem[],
): Promise<void> {
  const handle = startCall(element, call, abortWithinMs);
  for await (const event of handle.events)
    if (event.type === "tool-call-start" && event.name === call.name) handle.abort(new Error("checked"));
  const isIgnored = [...toolCalls(handle)].some(
    ({ notes }) => notes?.some(({ code }) => code === "ignored-abort") === true,
  );
  if (isIgnored)
    problems.push({
      check: "abort",
      tool: call.name,
      problem: `it did not end within ${abortWithinMs} ms of an abort`,
      cure: "Pass options.abortSignal on to what execute waits for.",
    });
}

function startCall(element: JuneElement, call: ScriptedCall, cleanupMs = 10_000): RunHandle {
  const model = scriptedModel([{ calls: [call] }, "done"]);
  return run(agentAround(element, model, {}), {
    trace: { capture: "full" },
    limits: { cleanupMs },
    onRequest: ({ kind }) => (kind === "approval" ? { approved: true } : { answer: null }),
  });
}

async function settled(handle: RunHandle): Promise<{ handle: RunHandle; text: string }> {
  try {
    await handle;
    return { handle, text: "" };
  } catch (error) {
    return { handle, text: reasonOf(error) };
  }
}

function* toolCalls(handle: RunHandle): Generator<TraceNode> {
  const pending: TraceNode[] = [handle.trace.root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "tool-call") yield node;
    pending.push(...node.children);
  }
}

function firstLine(text: string): string {
  return text.replace(/^june: /, "").split("\n", 1)[0] ?? "";
}

function formatReport({
  tools,
  problems,
  unchecked,
}: Pick<CapabilityReport, "tools" | "problems" | "unchecked">): string {
  const lines = problems.map(
    ({ check, tool, problem, cure, source }) =>
      `✗ ${check}${tool === undefined ? "" : ` · ${tool}`}: ${problem}\n  ${cure}${source === undefined ? "" : `\n  ${source}`}`,
  );
  const head =
    problems.length === 0 ? `✓ ${tools.length} tools hold` : `${problems.length} problems in ${tools.length} tools`;
  return [head, ...lines, ...unchecked.map((what) => `· not checked: ${what}`)].join("\n");
}
