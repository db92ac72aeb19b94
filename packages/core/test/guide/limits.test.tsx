/** The limits over the whole tree of a run. Long because each sentence of its rules has a test. */

import { APICallError, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, Step, Tool, defineAgent, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { stuckModel } from "../support/stuck-model.js";
import { nodesOf } from "../support/trace-nodes.js";
import { untilEvent } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const ping = tool({ inputSchema: z.object({}), execute: () => "pong" });
const pinging = { calls: [{ name: "ping" }] };

/** An agent whose steps each take two model calls. */
function Pinging({ ids, model }: { ids: readonly string[]; model: ReturnType<typeof scriptedModel> }) {
  return (
    <Agent model={model}>
      <Tool name="ping" value={ping} />
      {ids.map((id) => (
        <Step key={id} id={id} prompt="go" />
      ))}
    </Agent>
  );
}

const alternating = (usage = { inputTokens: 10, outputTokens: 5 }) =>
  scriptedModel(({ prompt }) => (prompt.at(-1)!.role === "tool" ? { text: "done", usage } : { ...pinging, usage }));

describe("modelCalls", () => {
  it.each(modes)(
    "L44 as many as allowed, and the next fails the run, saying where (stream: $stream)",
    async ({ stream }) => {
      const model = alternating();
      expect(
        (await run(<Pinging ids={["a", "b"]} model={model} />, { stream, limits: { modelCalls: 4 } })).steps,
      ).toEqual({ a: "done", b: "done" });
      const cut = alternating();
      const error = await errorOf(run(<Pinging ids={["a", "b"]} model={cut} />, { stream, limits: { modelCalls: 3 } }));
      expect(error).toMatchObject({
        code: "limit-reached",
        name: "RunError",
        details: { limit: "modelCalls", value: 3, path: "/agent[0]/step[b]/model[1]" },
      });
      expect(error.message).toBe(
        "june: the run reached limits.modelCalls (3) at /agent[0]/step[b]/model[1]\nRaise limits.modelCalls in the options of run() if this much is meant.",
      );
      expect(cut.calls).toHaveLength(3);
    },
  );

  it("L44 counts a call with its retries once", async () => {
    const overloaded = () =>
      new APICallError({
        message: "overloaded",
        url: "",
        requestBodyValues: {},
        isRetryable: true,
        responseHeaders: { "retry-after-ms": "1" },
      });
    const model = scriptedModel([overloaded(), overloaded(), "done"]);
    const handle = run(
      <Agent model={model}>
        <Step id="a" prompt="go" />
      </Agent>,
      { limits: { modelCalls: 1 } },
    );
    expect((await handle).output).toBe("done");
    expect(model.calls).toHaveLength(3);
    expect(nodesOf(handle.trace, "model-call")).toHaveLength(1);
  });

  it("L44 1,000 unless set", async () => {
    const model = scriptedModel(() => "x");
    const Many = () => Array.from({ length: 1_001 }, (_, index) => <Step key={index} id={`s${index}`} prompt="go" />);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Many />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "limit-reached", details: { limit: "modelCalls", value: 1_000 } });
    expect(model.calls).toHaveLength(1_000);
  }, 60_000);

  it("L44 counts over branches and child runs, and no <Catch> takes the error", async () => {
    const inner = scriptedModel(() => "found");
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({}),
      prompt: () => "go",
      model: inner,
    });
    let fallbacks = 0;
    const handle = run(
      <Catch
        retries={3}
        fallback={() => {
          fallbacks++;
          return null;
        }}
      >
        <Parallel>
          {["a", "b", "c"].map((id) => (
            <Agent
              key={id}
              model={scriptedModel(({ prompt }) =>
                prompt.at(-1)!.role === "tool" ? "done" : { calls: [{ name: "helper", input: {} }] },
              )}
            >
              <Helper />
              <Step id={id} prompt="go" />
            </Agent>
          ))}
        </Parallel>
      </Catch>,
      { limits: { modelCalls: 5 } },
    );
    expect(await errorOf(handle)).toMatchObject({ code: "limit-reached", details: { limit: "modelCalls" } });
    expect(fallbacks).toBe(0);
    expect(nodesOf(handle.trace, "model-call")).toHaveLength(5);
    expect(nodesOf(handle.trace, "attempt")).toHaveLength(1);
  });
});

describe("tokens", () => {
  it.each(modes)(
    "L44 is looked at before each model call, so that the last one may overshoot (stream: $stream)",
    async ({ stream }) => {
      const model = alternating({ inputTokens: 70, outputTokens: 30 });
      const error = await errorOf(run(<Pinging ids={["a", "b"]} model={model} />, { stream, limits: { tokens: 250 } }));
      expect(error.message).toBe(
        "june: the run reached limits.tokens (250) at /agent[0]/step[b]/model[1]\nIt has used 300 tokens.\nRaise limits.tokens in the options of run() if this much is meant.",
      );
      expect(model.calls).toHaveLength(3);
      expect(
        (
          await run(<Pinging ids={["a"]} model={alternating({ inputTokens: 70, outputTokens: 30 })} />, {
            stream,
            limits: { tokens: 101 },
          })
        ).output,
      ).toBe("done");
    },
  );

  it("L44 counts what child runs spend", async () => {
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({}),
      prompt: () => "go",
      model: scriptedModel(() => ({ text: "helped", usage: { inputTokens: 1_000, outputTokens: 500 } })),
    });
    const outer = scriptedModel([{ calls: [{ name: "helper", input: {} }] }]);
    const error = await errorOf(
      run(
        <Agent model={outer}>
          <Helper />
          <Step id="a" prompt="go" />
        </Agent>,
        { limits: { tokens: 1_515 } },
      ),
    );
    expect(error).toMatchObject({
      code: "limit-reached",
      details: { limit: "tokens", path: "/agent[0]/step[a]/model[1]" },
    });
  });

  it("L44 of 0 lets no model be called", async () => {
    const model = alternating();
    expect(await errorOf(run(<Pinging ids={["a"]} model={model} />, { limits: { tokens: 0 } }))).toMatchObject({
      code: "limit-reached",
    });
    expect(model.calls).toHaveLength(0);
  });
});

describe("depth", () => {
  it("L44 bounds how deep runs nest; a composite on the last level still runs", async () => {
    const nested = (levels: number) =>
      levels === 0 ? (
        "bottom"
      ) : (
        <Agent model={scriptedModel([{ calls: [{ name: "down" }] }, `level ${levels}`])}>
          <Tool name="down" description="Goes down" input={z.object({})}>
            {() => nested(levels - 1)}
          </Tool>
          <Step id="a" prompt="go" />
        </Agent>
      );
    expect((await run(<>{nested(3)}</>, { limits: { depth: 3 } })).output).toBe("level 3");
    const error = await errorOf(run(<>{nested(4)}</>, { limits: { depth: 3 } }));
    expect(error).toMatchObject({ code: "limit-reached", details: { limit: "depth", value: 3 } });
    expect(error.message).toContain("\nThe chain is <down> > <down> > <down> > <down>.\n");
  });
});

describe("concurrency", () => {
  /** Models that note how many of them work at once. */
  function watchedModels(script: (index: number) => string | typeof pinging = () => "done") {
    const state = { now: 0, most: 0 };
    const make = () =>
      scriptedModel(async ({ index }) => {
        state.now++;
        state.most = Math.max(state.most, state.now);
        await settled();
        state.now--;
        return script(index);
      });
    return { state, make };
  }

  it.each([1, 2, 5].flatMap((concurrency) => modes.map((mode) => ({ concurrency, ...mode }))))(
    "L44 makes model calls wait: $concurrency at once (stream: $stream)",
    async ({ concurrency, stream }) => {
      const { state, make } = watchedModels((index) => (index === 0 ? pinging : "done"));
      const result = await run(
        <Parallel>
          {Array.from({ length: 8 }, (_, index) => (
            <Pinging key={index} ids={[`s${index}`]} model={make()} />
          ))}
        </Parallel>,
        { stream, limits: { concurrency } },
      );
      expect(Object.keys(result.steps)).toHaveLength(8);
      expect(state.most).toBe(concurrency);
    },
  );

  it.each(modes)("L44 a parent that waits for a child holds no place (stream: $stream)", async ({ stream }) => {
    const { state, make } = watchedModels();
    const shared = { description: "Goes down", input: z.object({}), prompt: () => "go" };
    const Inner = defineAgent({ ...shared, name: "inner", model: make() });
    const twice = { name: "inner", input: {} };
    const Middle = defineAgent({
      ...shared,
      name: "middle",
      model: scriptedModel([{ calls: [twice, twice] }, "done"]),
      capabilities: () => <Inner />,
    });
    const { output } = await run(
      <Agent model={scriptedModel([{ calls: [{ name: "middle", input: {} }] }, "done"])}>
        <Middle />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream, limits: { concurrency: 1 } },
    );
    expect([output, state.most]).toEqual(["done", 1]);
  });

  it("L44 a call that waits for a place counts against no tool and goes when its run is aborted", async () => {
    const gate = deferred();
    const waiting = scriptedModel(["never called"]);
    const report = await watchProcess(async () => {
      const handle = run(
        <Parallel>
          <Agent model={scriptedModel([{ text: "first", waitFor: gate.promise }])}>
            <Step id="a" prompt="go" />
          </Agent>
          <Agent model={waiting}>
            <Step id="b" prompt="go" />
          </Agent>
        </Parallel>,
        { limits: { concurrency: 1 } },
      );
      await untilEvent(handle, (event) => event.type === "step-start" && event.name === "b");
      await settled();
      handle.abort("stop");
      expect(await rejectionOf(handle)).toBe("stop");
    });
    expect(waiting.calls).toHaveLength(0);
    expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
  });

  it("L44 a call that fails gives its place back", async () => {
    const models = [scriptedModel([new Error("down")]), scriptedModel(["up"])];
    const { steps } = await run(
      <>
        <Catch fallback={() => null}>
          <Agent model={models[0]!}>
            <Step id="a" prompt="go" />
          </Agent>
        </Catch>
        <Agent model={models[1]!}>
          <Step id="b" prompt="go" />
        </Agent>
      </>,
      { limits: { concurrency: 1 } },
    );
    expect(steps).toEqual({ b: "up" });
  });

  it.each([
    { where: "call", stream: false, timeout: { totalMs: 30 } },
    { where: "call", stream: true, timeout: { totalMs: 30 } },
    { where: "first-part", stream: true, timeout: { firstChunkMs: 30 } },
    { where: "next-part", stream: true, timeout: { chunkMs: 30 } },
  ] as const)("L44 so does one that is stuck ($where, stream: $stream)", async ({ where, stream, timeout }) => {
    const { steps } = await run(
      <>
        <Catch fallback={() => null}>
          <Agent model={stuckModel(where, false)} timeout={timeout}>
            <Step id="a" prompt="go" />
          </Agent>
        </Catch>
        <Agent model={scriptedModel(["up"])}>
          <Step id="b" prompt="go" />
        </Agent>
      </>,
      { stream, limits: { concurrency: 1, cleanupMs: 20 } },
    );
    expect(steps).toEqual({ b: "up" });
  });
});
