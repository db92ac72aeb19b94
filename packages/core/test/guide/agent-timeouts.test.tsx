/** The `timeout` of an agent, L10: for the step, one model call with its tools, the parts of a stream, all tools or one. The clock is the test's. Long because each limit is seen to run out, and not to. */

import { tool } from "ai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Agent, Catch, Step, run, type AgentProps, type JuneElement } from "@june/core";
import { scriptedModel, type ScriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { overloaded } from "../support/overloaded.js";
import { withoutPlaces } from "../support/places.js";
import { resultOutputs } from "../support/prompts.js";
import { rejectionOf } from "../support/rejection-of.js";
import { stuckModel } from "../support/stuck-model.js";
import { nodesOf } from "../support/trace-nodes.js";
import { openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const nothing = z.object({});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
});
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers are left`);
});

/** Lets time pass once everything that is due has run, and what follows from it as well. */
async function pass(timeMs: number): Promise<void> {
  await settled();
  vi.advanceTimersByTime(timeMs);
  await settled();
}

/** A tool that works until it is aborted, and then gives up. */
const endless = tool({
  inputSchema: nothing,
  execute: (_input, { abortSignal }) =>
    new Promise<string>((_resolve, reject) => {
      abortSignal!.addEventListener("abort", () => reject(abortSignal!.reason as Error), { once: true });
    }),
});
const callOf = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

function working(
  model: ScriptedModel,
  timeout: AgentProps["timeout"],
  tools: AgentProps["tools"] = { endless },
): JuneElement {
  return (
    <Agent model={model} timeout={timeout!} tools={tools!}>
      <Step id="a" prompt="go" />
    </Agent>
  );
}

describe.each(modes)("of tools (stream: $stream)", ({ stream }) => {
  it("L10 toolMs ends a call, which the model hears of, and the step goes on", async () => {
    const model = scriptedModel([callOf("endless"), "done"]);
    const handle = run(working(model, { toolMs: 1_000 }), { stream });
    await pass(999);
    expect(model.calls).toHaveLength(1);
    await pass(1);
    const { output, trace } = await handle;
    expect(output).toBe("done");
    expect(resultOutputs(model, 1)).toEqual([
      { type: "error-text", value: 'the tool "endless" took longer than 1000 ms' },
    ]);
    expect(nodesOf(trace, "tool-call")[0]).toMatchObject({ status: "error", error: { name: "TimeoutError" } });
  });

  it("L10 tools.<name>Ms is for one tool, and goes before toolMs", async () => {
    const model = scriptedModel([callOf("quick", "slow"), "done"]);
    const timeout = { toolMs: 1_000, tools: { quickMs: 10 } } as NonNullable<AgentProps["timeout"]>;
    const handle = run(working(model, timeout, { quick: endless, slow: endless }), { stream });
    await pass(10);
    await pass(990);
    expect((await handle).output).toBe("done");
    expect(resultOutputs(model, 1).map((output) => (output as { value: unknown }).value)).toEqual([
      'the tool "quick" took longer than 10 ms',
      'the tool "slow" took longer than 1000 ms',
    ]);
  });

  it("L10 an output that comes too late is no success, and a tool that is in time leaves no timer", async () => {
    const gate = deferred<string>();
    const deaf = tool({ inputSchema: nothing, execute: () => gate.promise });
    const model = scriptedModel([callOf("deaf"), callOf("quick"), "done"]);
    const quick = tool({ inputSchema: nothing, execute: () => "quick" });
    const handle = run(working(model, { toolMs: 1_000 }, { deaf, quick }), { stream });
    await pass(1_000);
    gate.resolve("too late");
    expect((await handle).output).toBe("done");
    expect(resultOutputs(model, 1)).toEqual([
      { type: "error-text", value: 'the tool "deaf" took longer than 1000 ms' },
    ]);
    expect(resultOutputs(model, 2)[1]).toEqual({ type: "text", value: "quick" });
  });

  it("L10, L44 a tool that ignores its timeout is left after cleanupMs, and named", async () => {
    const deaf = tool({ inputSchema: nothing, execute: () => new Promise<string>(() => {}) });
    const model = scriptedModel([callOf("deaf"), "done"]);
    const handle = run(working(model, { toolMs: 1_000 }, { deaf }), { stream, limits: { cleanupMs: 300 } });
    await pass(1_000);
    await pass(299);
    expect(model.calls).toHaveLength(1);
    await pass(1);
    const { trace } = await handle;
    expect(nodesOf(trace, "tool-call")[0]?.notes).toEqual([
      { code: "ignored-abort", text: 'the tool "deaf" ignored the abort' },
    ]);
  });

  it("L10 the time of a generator between two values counts as well", async () => {
    const counting = tool({
      inputSchema: nothing,
      async *execute(_input, { abortSignal }) {
        yield "at 1";
        await new Promise((_resolve, reject) => {
          abortSignal!.addEventListener("abort", () => reject(abortSignal!.reason as Error), { once: true });
        });
      },
    });
    const model = scriptedModel([callOf("counting"), "done"]);
    const handle = run(working(model, { toolMs: 1_000 }, { counting }), { stream });
    await pass(1_000);
    expect((await handle).output).toBe("done");
    expect(resultOutputs(model, 1)).toEqual([
      { type: "error-text", value: 'the tool "counting" took longer than 1000 ms' },
    ]);
  });
});

describe.each(modes)("of steps (stream: $stream)", ({ stream }) => {
  const twice = (model: ScriptedModel, timeout: AgentProps["timeout"]) => run(working(model, timeout), { stream });

  it.each([
    ["a number", 1_000],
    ["totalMs", { totalMs: 1_000 }],
  ])("L10 %s of milliseconds bounds the whole step, its tools included", async (_what, timeout) => {
    const model = scriptedModel([callOf("endless"), "never asked"]);
    const failure = rejectionOf(twice(model, timeout));
    await pass(999);
    await pass(1);
    expect(await failure).toMatchObject({
      name: "RunError",
      code: "timeout",
      message: 'june: the step "a" took longer than 1000 ms',
    });
    expect(model.calls).toHaveLength(1);
  });

  it("L10 stepMs bounds one model call with its tools, and starts anew with the next", async () => {
    const gates = [deferred<string>(), deferred<string>()];
    let call = 0;
    const gated = tool({ inputSchema: nothing, execute: () => gates[call++]!.promise });
    const model = scriptedModel([callOf("gated"), callOf("gated"), callOf("endless"), "never asked"]);
    const failure = rejectionOf(run(working(model, { stepMs: 1_000 }, { gated, endless }), { stream }));
    for (const gate of gates) {
      await pass(900);
      gate.resolve("in time");
      await settled();
    }
    expect(model.calls).toHaveLength(3);
    await pass(999);
    await pass(1);
    expect(await failure).toMatchObject({
      code: "timeout",
      message: 'june: a model call of the step "a", with its tools, took longer than 1000 ms',
    });
  });

  it("L10 each step of an agent has its own time, and one that ran out may be caught and tried again", async () => {
    const model = scriptedModel([callOf("endless"), "second try", "next"]);
    const handle = run(
      <Agent model={model} timeout={1_000} tools={{ endless }}>
        <Catch retries={1} when={({ code }) => code === "timeout"}>
          <Step id="a" prompt="go" />
        </Catch>
        <Step id="b" prompt="more" />
      </Agent>,
      { stream },
    );
    await pass(1_000);
    expect((await handle).steps).toEqual({ a: "second try", b: "next" });
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("L10, C36 the time people take does not count against the step, while that of other calls counts against them", async () => {
    const question = tool({ inputSchema: nothing, outputSchema: z.string() });
    const model = scriptedModel([callOf("question", "endless"), callOf("endless"), callOf("endless"), "never asked"]);
    const handle = run(working(model, { totalMs: 1_500, toolMs: 1_000 }, { question, endless }), { stream });
    const failure = rejectionOf(handle);
    await openRequests(handle);
    await pass(1_000);
    expect(nodesOf(handle.trace, "tool-call").map(({ status }) => status)).toEqual(["waiting", "error"]);
    await pass(3_600_000);
    await handle.answer("yes");
    await pass(1_000);
    expect(model.calls).toHaveLength(3);
    await pass(499);
    await pass(1);
    expect(await failure).toMatchObject({ message: 'june: the step "a" took longer than 1500 ms' });
  });
});

describe("of streams", () => {
  it.each([
    ["first-part", { firstChunkMs: 1_000 }, "first"],
    ["next-part", { chunkMs: 1_000 }, "next"],
  ] as const)("L10 ends a step whose %s does not come", async (where, timeout, which) => {
    const failure = rejectionOf(
      run(
        <Agent model={stuckModel(where, false)} timeout={timeout}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream: true },
      ),
    );
    await pass(999);
    await pass(1);
    expect(await failure).toMatchObject({
      code: "timeout",
      message: `june: the ${which} part of the stream of "stuck" took longer than 1000 ms`,
    });
  });

  it("L10 chunkMs and firstChunkMs count from part to part, and not while tools run or people think", async () => {
    const gate = deferred<string>();
    const gated = tool({ inputSchema: nothing, execute: () => gate.promise });
    const question = tool({ inputSchema: nothing, outputSchema: z.string() });
    const model = scriptedModel([callOf("gated", "question"), { text: "a text of several parts", chunkSize: 2 }]);
    const handle = run(working(model, { firstChunkMs: 1_000, chunkMs: 1_000 }, { gated, question }), { stream: true });
    await openRequests(handle);
    await pass(60_000);
    gate.resolve("done");
    await handle.answer("yes");
    expect((await handle).output).toBe("a text of several parts");
  });

  it("L10 firstChunkMs counts anew for each retry", async () => {
    const gate = deferred();
    const model = scriptedModel([
      { waitFor: gate.promise.then(() => Promise.reject(overloaded(1))) },
      { waitFor: new Promise(() => {}) },
    ]);
    const failure = rejectionOf(
      run(
        <Agent model={model} timeout={{ firstChunkMs: 1_000 }}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream: true },
      ),
    );
    await pass(900);
    gate.resolve();
    await pass(1);
    expect(model.calls).toHaveLength(2);
    await pass(999);
    await pass(1);
    expect(await failure).toMatchObject({ code: "timeout" });
  });
});

describe("of the wrong kind", () => {
  it("L10 is refused, since a misspelt limit would be none", async () => {
    const wrong: [unknown, string][] = [
      [-1, "the number -1"],
      [Number.NaN, "the number NaN"],
      ["1s", "text"],
      [{ total: 5 }, "an object"],
      [{ totalMs: "5" }, "an object"],
      [{ toolMs: -1 }, "an object"],
      [{ tools: 5 }, "an object"],
      [{ tools: { endlessMs: "5" } }, "an object"],
    ];
    for (const [timeout, shown] of wrong) {
      const model = scriptedModel([]);
      const error = await rejectionOf(run(working(model, timeout as number)));
      expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
      expect(withoutPlaces((error as Error).message)).toBe(
        `june: <Agent> (HERE) got ${shown} as timeout\ntimeout is a number of milliseconds, or an object of totalMs, stepMs, toolMs, firstChunkMs, chunkMs and tools.`,
      );
      expect(model.calls).toHaveLength(0);
    }
    const unset = { totalMs: undefined, tools: undefined } as unknown as number;
    expect((await run(working(scriptedModel(["done"]), unset))).output).toBe("done");
  });
});
