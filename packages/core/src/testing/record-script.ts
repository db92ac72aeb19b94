/** Turns the trace of a finished run into a script, so that what a real model did once can be tested without it. */

import type { Json } from "../element/json.js";
import type { Trace, TraceNode } from "../trace/trace.js";
import type { ScriptedTurn } from "./scripted-model.js";

/**
 * The turns of a run's model calls, in the order they were made, for `scriptedModel`. Take one step's, by its label
 * (`research:findings`), where several agents ran.
 * @throws {TypeError} when the trace was not captured in full, has no such step, or holds an answer that was cut short.
 * @see docs/guide/testing.md
 */
export function recordScript(trace: Trace, options: { readonly step?: string } = {}): readonly ScriptedTurn[] {
  if (trace.capture !== "full")
    throw new TypeError('The trace holds no answers: run it with { trace: { capture: "full" } }.');
  const calls: TraceNode[] = [];
  const steps = new Set<string>();
  const pending: TraceNode[] = [trace.root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "step") steps.add(node.label);
    if (node.kind === "model-call" && node.content !== undefined && (options.step ?? node.label) === node.label)
      calls.push(node);
    const inside = [...node.children];
    if (node.kind === "tool-call" && typeof node.output === "object" && node.output !== null && "trace" in node.output)
      inside.push((node.output.trace as Trace).root);
    pending.push(...inside.toReversed());
  }
  if (options.step !== undefined && !steps.has(options.step))
    throw new TypeError(
      `The trace has no step ${JSON.stringify(options.step)}; it has ${[...steps].map((step) => JSON.stringify(step)).join(", ")}.`,
    );
  return calls.toSorted((a, b) => a.startedAtMs - b.startedAtMs || ordinal(a) - ordinal(b)).map(toTurn);
}

function ordinal({ id }: TraceNode): number {
  return Number(id.slice(1));
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: string;
  readonly providerExecuted?: boolean;
}

function toTurn({ content, usage, finishReason, path }: TraceNode): ScriptedTurn {
  if (!Array.isArray(content)) throw new TypeError(`The answer at ${path} was too long to be kept whole.`);
  const parts = content as unknown as readonly Part[];
  const textOf = (type: string): string =>
    parts.flatMap((part) => (part.type === type ? [part.text ?? ""] : [])).join("");
  const calls = parts.flatMap((part) =>
    part.type === "tool-call" && part.providerExecuted !== true
      ? [{ name: part.toolName ?? "", id: part.toolCallId ?? "", input: parseInput(part.input) }]
      : [],
  );
  return {
    ...(textOf("reasoning") === "" ? {} : { reasoning: textOf("reasoning") }),
    ...(textOf("text") === "" ? {} : { text: textOf("text") }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(finishReason === undefined ? {} : { finishReason: finishReason as NonNullable<ScriptedTurn["finishReason"]> }),
    usage: { inputTokens: usage.own.inputTokens ?? 0, outputTokens: usage.own.outputTokens ?? 0 },
  };
}

function parseInput(input: string | undefined): Json | string {
  if (input === undefined) return {};
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}
