/** Small random workflows: agents, steps, tools of every temper, composites, branches, attempts and components, as data and as the tree built from it. */

import { tool } from "ai";
import * as fc from "fast-check";
import { z } from "zod";
import { Agent, Catch, Parallel, RequireApproval, Step, Tool, type JuneElement, type JuneNode } from "@june/core";
import { scriptedModel, type ScriptedModel } from "@june/core/testing";

/** What a model calls in one turn. */
export type CallPlan =
  | { readonly kind: "plain" | "throws" | "deaf" | "streams"; readonly rounds: number }
  | { readonly kind: "held"; readonly approved: boolean }
  | { readonly kind: "unknown" }
  | { readonly kind: "child"; readonly inside: WorkPlan };

/** One step: what its model calls first, and how it ends. */
export interface StepPlan {
  readonly calls: readonly CallPlan[];
  readonly ending: "answers" | "fails";
}

/** One piece of a workflow. */
export type WorkPlan =
  | { readonly kind: "agent"; readonly steps: readonly StepPlan[] }
  | { readonly kind: "parallel"; readonly branches: readonly WorkPlan[]; readonly limit: number }
  | { readonly kind: "catch"; readonly inside: WorkPlan; readonly retries: number; readonly hasFallback: boolean }
  | { readonly kind: "component"; readonly inside: WorkPlan; readonly throws: "never" | "before" | "after" };

const { plan } = fc.letrec<{ plan: WorkPlan; call: CallPlan; step: StepPlan }>((tie) => ({
  call: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      kind: fc.constantFrom("plain", "throws", "deaf", "streams"),
      rounds: fc.nat({ max: 3 }),
    }) as fc.Arbitrary<CallPlan>,
    fc.record({ kind: fc.constant("held" as const), approved: fc.boolean() }),
    fc.constant<CallPlan>({ kind: "unknown" }),
    fc.record({ kind: fc.constant("child" as const), inside: tie("plan") }),
  ),
  step: fc.record({
    calls: fc.array(tie("call"), { maxLength: 3 }),
    ending: fc.oneof({ weight: 5, arbitrary: fc.constant("answers" as const) }, fc.constant("fails" as const)),
  }),
  plan: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constant("agent" as const), steps: fc.array(tie("step"), { minLength: 1, maxLength: 2 }) }),
    fc.record({
      kind: fc.constant("parallel" as const),
      branches: fc.array(tie("plan"), { maxLength: 3 }),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      kind: fc.constant("catch" as const),
      inside: tie("plan"),
      retries: fc.nat({ max: 1 }),
      hasFallback: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("component" as const),
      inside: tie("plan"),
      throws: fc.oneof(
        { weight: 4, arbitrary: fc.constant("never" as const) },
        fc.constantFrom("before" as const, "after" as const),
      ),
    }),
  ),
}));

/** Any workflow. */
export const workflowPlan: fc.Arbitrary<WorkPlan> = plan;

/** A workflow as a tree, with the models in it. */
export interface BuiltWorkflow {
  readonly tree: JuneElement;
  readonly models: readonly ScriptedModel[];
  /** The tokens of every answer the models gave so far, other ones each time. */
  readonly spent: { inputTokens: number; outputTokens: number };
}

/** Builds the tree of a plan. Its tools yield to the event loop, so that abort and answers fall between any two of their steps. */
export function buildWorkflow(work: WorkPlan): BuiltWorkflow {
  const models: ScriptedModel[] = [];
  const spent = { inputTokens: 0, outputTokens: 0 };
  let steps = 0;
  let answers = 0;
  const spend = () => {
    const usage = { inputTokens: 3 + 2 * answers, outputTokens: 1 + answers++ };
    spent.inputTokens += usage.inputTokens;
    spent.outputTokens += usage.outputTokens;
    return usage;
  };
  const build = (part: WorkPlan): JuneNode => {
    switch (part.kind) {
      case "agent":
        return buildAgent(part.steps);
      case "parallel":
        return <Parallel limit={part.limit}>{part.branches.map(build)}</Parallel>;
      case "catch":
        return (
          <Catch retries={part.retries} {...(part.hasFallback ? { fallback: () => null } : {})}>
            {build(part.inside)}
          </Catch>
        );
      case "component": {
        const inside = build(part.inside);
        const Part = async () => {
          await turns(1);
          if (part.throws === "before") throw new Error("a component failed");
          return [inside, part.throws === "after" ? <Broken /> : null];
        };
        return <Part />;
      }
    }
  };
  const buildAgent = (plans: readonly StepPlan[]): JuneNode => {
    const byId = new Map(plans.map((step) => [`s${steps++}`, step]));
    const children = [...byId].flatMap(([id, { calls }]) =>
      calls.flatMap((call, index) =>
        call.kind === "child" ? [{ name: `child_${id}_${index}`, inside: build(call.inside) }] : [],
      ),
    );
    const model = scriptedModel(({ prompt }) => {
      const last = prompt.findLast(({ role }) => role === "user")!;
      const id = (last.content as { text: string }[])[0]!.text;
      const { calls, ending } = byId.get(id)!;
      if (prompt.at(-1)!.role === "user" && calls.length > 0)
        return {
          calls: calls.map((call, index) => toCall(call, `child_${id}_${index}`)),
          chunkSize: 1,
          usage: spend(),
        };
      return ending === "fails" ? new Error("a model failed") : { text: `${id} is done`, chunkSize: 3, usage: spend() };
    });
    models.push(model);
    return (
      <Agent model={model}>
        <Tool name="plain" value={plain} />
        <Tool name="throws" value={throwing} />
        <Tool name="deaf" value={deaf} />
        <Tool name="streams" value={streaming} />
        <RequireApproval reason="it is held">
          <Tool name="held" value={held} />
        </RequireApproval>
        {children.map(({ name, inside }) => (
          <Tool key={name} name={name} description="A workflow" input={z.object({})}>
            {() => inside}
          </Tool>
        ))}
        {[...byId.keys()].map((id) => (
          <Step key={id} id={id} prompt={id} />
        ))}
      </Agent>
    );
  };
  return { tree: <>{build(work)}</>, models, spent };
}

function toCall(call: CallPlan, child: string): { name: string; input: unknown } {
  switch (call.kind) {
    case "held":
      return { name: "held", input: { approved: call.approved } };
    case "unknown":
      return { name: "nowhere", input: {} };
    case "child":
      return { name: child, input: {} };
    default:
      return { name: call.kind, input: { rounds: call.rounds } };
  }
}

function Broken(): never {
  throw new Error("a component failed");
}

async function turns(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}

const rounds = z.object({ rounds: z.number() });
const plain = tool({
  inputSchema: rounds,
  execute: async (input, { abortSignal }) => {
    await turns(input.rounds);
    abortSignal?.throwIfAborted();
    return { rounds: input.rounds };
  },
});
const throwing = tool({
  inputSchema: rounds,
  execute: async (input): Promise<string> => {
    await turns(input.rounds);
    throw new Error("a tool failed", { cause: new Error("for a reason") });
  },
});
/** Hears no abort; the run waits for it, or leaves it. */
const deaf = tool({
  inputSchema: rounds,
  execute: async (input) => {
    await new Promise((resolve) => setTimeout(resolve, input.rounds * 2));
    return "late";
  },
});
const streaming = tool({
  inputSchema: rounds,
  async *execute(input) {
    for (let round = 0; round < input.rounds; round++) {
      await turns(1);
      yield round;
    }
    yield "whole";
  },
});
const held = tool({ inputSchema: z.object({ approved: z.boolean() }), execute: () => "was let through" });
