/** Usage: every model call counts once, in its own run and in the ones around. Long because each sentence of its rules has a test. */

import { APICallError, tool } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, RequireApproval, Step, Tool, defineAgent, run, type JuneNode } from "@june/core";
import type { TraceNode } from "@june/core/trace";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { buildWorkflow, workflowPlan } from "../support/random-workflow.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { childTrace, nodesOf } from "../support/trace-nodes.js";
import { openRequests, untilEvent } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const costing = (inputTokens: number, outputTokens: number, entry: object): ScriptEntry => ({
  ...entry,
  usage: { inputTokens, outputTokens },
});
const tokens = (usage: { inputTokens: number | undefined; outputTokens: number | undefined }) => [
  usage.inputTokens,
  usage.outputTokens,
];

/** A chain of composites: each level calls the next once and costs ten times the one around. */
function chain(levels: number): JuneNode {
  const cost = 10 ** levels;
  return (
    <Agent
      model={scriptedModel([
        costing(cost, cost / 10, levels === 0 ? { text: "bottom" } : { calls: [{ name: "down" }] }),
        costing(cost, cost / 10, { text: `level ${levels}` }),
      ])}
    >
      {levels === 0 ? null : (
        <Tool name="down" description="Goes down" input={z.object({})}>
          {() => chain(levels - 1)}
        </Tool>
      )}
      <Step id="a" prompt="go" />
    </Agent>
  );
}

describe("the sum", () => {
  it.each(modes)(
    "L48 of a run is what its model calls cost, its child run's apart (stream: $stream)",
    async ({ stream }) => {
      const outputs: unknown[] = [];
      const handle = run(
        <Agent
          model={scriptedModel([costing(10, 2, { calls: [{ name: "research" }] }), costing(10, 2, { text: "done" })])}
          onToolExecutionEnd={({ toolOutput }) => void outputs.push((toolOutput as { output: unknown }).output)}
        >
          <Tool name="research" description="Researches" input={z.object({})}>
            {() => (
              <Agent model={scriptedModel([costing(1_000, 500, { text: "found" })])}>
                <Step id="findings" prompt="go" />
              </Agent>
            )}
          </Tool>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      const { usage, trace } = await handle;
      expect([tokens(usage.own), tokens(usage.total)]).toEqual([
        [20, 4],
        [1_020, 504],
      ]);
      expect(usage.total.totalTokens).toBe(1_524);
      expect(trace.root.usage).toEqual(usage);
      const [output] = outputs as [{ usage: typeof usage }];
      expect([tokens(output.usage.own), tokens(output.usage.total)]).toEqual([
        [1_000, 500],
        [1_000, 500],
      ]);
    },
  );

  it.each(modes)(
    "L48 holds three levels deep, each level with its own and its total (stream: $stream)",
    async ({ stream }) => {
      const { usage, trace } = await run(<>{chain(3)}</>, { stream });
      expect([tokens(usage.own), tokens(usage.total)]).toEqual([
        [2_000, 200],
        [2_221, 222.1],
      ]);
      expect(nodesOf(trace, "run").map((node) => [tokens(node.usage.own)[0], tokens(node.usage.total)[0]])).toEqual([
        [2_000, 2_221],
        [200, 221],
        [20, 21],
        [1, 1],
      ]);
    },
  );

  it.each(modes)(
    "L48 adds up over branches, loops and calls at once, and counts nothing twice around a pause (stream: $stream)",
    async ({ stream }) => {
      const save = tool({ inputSchema: z.object({}), execute: () => "saved" });
      const Worker = defineAgent({
        name: "worker",
        description: "Works",
        input: z.object({}),
        prompt: () => "go",
        capabilities: () => (
          <RequireApproval>
            <Tool name="save" value={save} />
          </RequireApproval>
        ),
        model: scriptedModel(
          ({ prompt }) =>
            costing(
              100,
              50,
              prompt.at(-1)!.role === "tool" ? { text: "done" } : { calls: [{ name: "save" }] },
            ) as never,
        ),
      });
      const calls = [0, 1, 2].map(() => ({ name: "worker", input: {} }));
      const handle = run(
        <Parallel>
          {["a", "b"].map((id) => (
            <Agent key={id} model={scriptedModel([costing(7, 3, { calls }), costing(7, 3, { text: "done" })])}>
              <Worker />
              <Step id={id} prompt="go" />
            </Agent>
          ))}
        </Parallel>,
        { stream },
      );
      for (const { id } of await openRequests(handle, 6)) await handle.approve(id);
      const { usage } = await handle;
      expect([tokens(usage.own), tokens(usage.total)]).toEqual([
        [4 * 7, 4 * 3],
        [4 * 7 + 12 * 100, 4 * 3 + 12 * 50],
      ]);
    },
  );
});

describe("failures", () => {
  it.each(modes)("L48 count what was spent before, also in a failed attempt (stream: $stream)", async ({ stream }) => {
    let attempts = 0;
    const Trying = () => (
      <Agent
        model={scriptedModel([
          costing(10, 1, { text: "one" }),
          ++attempts === 1 ? new Error("down") : costing(20, 2, { text: "two" }),
        ])}
      >
        <Step id="a" prompt="go" />
        <Step id="b" prompt="go" />
      </Agent>
    );
    const handle = run(
      <Catch retries={1}>
        <Trying />
      </Catch>,
      { stream },
    );
    expect(tokens((await handle).usage.total)).toEqual([40, 4]);
    const failed = run(
      <Agent model={scriptedModel([costing(10, 1, { text: "one" }), new Error("down")])}>
        <Step id="a" prompt="go" />
        <Step id="b" prompt="go" />
      </Agent>,
      { stream },
    );
    await errorOf(failed);
    expect(tokens(failed.trace.root.usage.total)).toEqual([10, 1]);
  });

  it.each(modes)(
    "L48 count a call that failed for what it gave: an answer cut off has been paid for (stream: $stream)",
    async ({ stream }) => {
      for (const finishReason of ["length", "content-filter"] as const) {
        const handle = run(
          <Agent model={scriptedModel([costing(10, 5, { text: "half an", finishReason })])}>
            <Step id="a" prompt="go" />
          </Agent>,
          { stream },
        );
        await errorOf(handle);
        expect(tokens(handle.trace.root.usage.total)).toEqual([10, 5]);
      }
    },
  );

  it.each(modes)(
    "L48 count a retried call once, and the model of a list that answered (stream: $stream)",
    async ({ stream }) => {
      const overloaded = new APICallError({
        message: "busy",
        url: "",
        requestBodyValues: {},
        isRetryable: true,
        responseHeaders: { "retry-after-ms": "1" },
      });
      const handle = run(
        <Agent
          model={[
            scriptedModel([overloaded, new Error("down")], { modelId: "one" }),
            scriptedModel([costing(10, 5, { text: "done" })], { modelId: "two" }),
          ]}
        >
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      const { usage, trace } = await handle;
      expect(tokens(usage.total)).toEqual([10, 5]);
      expect(nodesOf(trace, "model-call")).toHaveLength(1);
    },
  );

  it.each(modes)(
    "L48 count what was spent before an abort, in child runs too (stream: $stream)",
    async ({ stream }) => {
      const stuck = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise((_resolve, reject) =>
            abortSignal!.addEventListener("abort", () => reject(abortSignal!.reason as Error)),
          ),
      });
      const handle = run(
        <Agent model={scriptedModel([costing(10, 5, { calls: [{ name: "research" }] })])}>
          <Tool name="research" description="Researches" input={z.object({})}>
            {() => (
              <Agent model={scriptedModel([costing(100, 50, { calls: [{ name: "stuck" }] })])}>
                <Tool name="stuck" value={stuck} />
                <Step id="findings" prompt="go" />
              </Agent>
            )}
          </Tool>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      await untilEvent(handle, (event) => event.type === "tool-call-start" && event.name === "stuck");
      handle.abort("stop");
      await rejectionOf(handle);
      const { usage } = handle.trace.root;
      expect([tokens(usage.own), tokens(usage.total)]).toEqual([
        [10, 5],
        [110, 55],
      ]);
    },
  );
});

describe("every node", () => {
  it("L48 has its own apart from its total, whatever fails, nests or is aborted", async () => {
    const settings = fc.record({
      plan: workflowPlan,
      stream: fc.boolean(),
      abortAfter: fc.option(fc.nat({ max: 40 }), { freq: 3, nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(settings, async ({ plan, stream, abortAfter }) => {
        const { tree, spent } = buildWorkflow(plan);
        const handle = run(tree, {
          stream,
          limits: { cleanupMs: 2 },
          onRequest: ({ input }) => ({ approved: (input as { approved: boolean }).approved }),
        });
        let events = 0;
        for await (const { type } of handle.events)
          if (type !== "run-end" && ++events === abortAfter) handle.abort("stop");
        await handle.catch(() => {});
        const { root } = handle.trace;
        checkNode(root);
        const isCut = nodesOf(handle.trace, "model-call").some(({ status }) => status === "aborted");
        const { inputTokens, outputTokens } = root.usage.total;
        // An abort may come between an answer and the moment the run hears of it.
        if (isCut) expect(inputTokens! <= spent.inputTokens && outputTokens! <= spent.outputTokens).toBe(true);
        else expect({ inputTokens, outputTokens }).toEqual(spent);
      }),
      { numRuns: 120 },
    );
  }, 60_000);

  it("L48 adds what some models report and others do not", async () => {
    const silent = scriptedModel(["silent"]);
    const doGenerate = silent.doGenerate.bind(silent);
    silent.doGenerate = async (options) => ({
      ...(await doGenerate(options)),
      usage: {
        inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      },
    });
    const cached = scriptedModel(["cached"]);
    const doGenerateCached = cached.doGenerate.bind(cached);
    cached.doGenerate = async (options) => ({
      ...(await doGenerateCached(options)),
      usage: {
        inputTokens: { total: 100, noCache: 40, cacheRead: 50, cacheWrite: 10 },
        outputTokens: { total: 30, text: 20, reasoning: 10 },
      },
    });
    const step = (id: string, model: typeof silent) => (
      <Agent model={model}>
        <Step id={id} prompt="go" />
      </Agent>
    );
    const { usage } = await run(
      <>
        {step("a", silent)}
        {step("b", cached)}
        {step("c", scriptedModel([costing(10, 5, { text: "plain" })]))}
      </>,
    );
    expect(usage.total).toEqual({
      inputTokens: 110,
      inputTokenDetails: { noCacheTokens: 40, cacheReadTokens: 50, cacheWriteTokens: 10 },
      outputTokens: 35,
      outputTokenDetails: { textTokens: 20, reasoningTokens: 10 },
      totalTokens: 145,
    });
  });

  it("L48 of a run without a model call is nothing, in numbers", async () => {
    const { usage } = await run(<>text</>);
    expect([tokens(usage.own), tokens(usage.total), usage.total.totalTokens]).toEqual([[0, 0], [0, 0], 0]);
  });
});

/** A node's total is that of its children and of the child run behind it; its own leaves the child run out. */
function checkNode(node: TraceNode): { own: number; total: number } {
  const child = childTrace(node);
  const inner = child === undefined ? 0 : checkNode(child.root).total;
  const children = node.children.map(checkNode);
  const own = children.reduce((sum, part) => sum + part.own, 0);
  const total = children.reduce((sum, part) => sum + part.total, 0);
  const found = { own: node.usage.own.inputTokens ?? 0, total: node.usage.total.inputTokens ?? 0 };
  // A model call has tokens of its own, and the tool calls it led to below it.
  const spent = node.kind === "model-call" ? found.own - own : 0;
  expect(spent).toBeGreaterThanOrEqual(0);
  expect(found).toEqual({ own: own + spent, total: total + inner + spent });
  return found;
}
