/** The model of an agent: given, defaulted or one of a list (L10, L11), and what becomes of one that fails. Long because a list is tried in many ways. */

import { tool } from "ai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Agent, Catch, Step, Tool, run, type AgentProps, type JuneElement } from "@june/core";
import { echoModel, scriptedModel, type ScriptedModel } from "@june/core/testing";
import { cutModel } from "../support/cut-stream.js";
import { settled } from "../support/deferred.js";
import { overloaded } from "../support/overloaded.js";
import { withoutPlaces } from "../support/places.js";
import { errorOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";
import { echo } from "../support/tools.js";

const modes = [{ stream: false }, { stream: true }];
const callEcho = { calls: [{ name: "echo", input: { text: "hi" } }] };

/** An agent with one step that may call `echo`. */
function talker(props: Partial<AgentProps>): JuneElement {
  return (
    <Agent {...props}>
      <Tool name="echo" value={echo} />
      <Step id="a" prompt="go" />
    </Agent>
  );
}

describe.each(modes)("the model (stream: $stream)", ({ stream }) => {
  it("L11 left out is the run's default, which a list may be as well", async () => {
    expect((await run(talker({}), { model: scriptedModel(["from the default"]), stream })).output).toBe(
      "from the default",
    );
    const models = [scriptedModel([new Error("down")]), scriptedModel(["from the second"])];
    expect((await run(talker({}), { model: models, stream })).output).toBe("from the second");
  });

  it("L11 given wins over the run's default", async () => {
    const model = scriptedModel([]);
    expect((await run(talker({ model: scriptedModel(["own"]) }), { model, stream })).output).toBe("own");
    expect(model.calls).toHaveLength(0);
  });

  it("L11 of a newer agent inside is not that of the one around: nothing crosses", async () => {
    const outer = scriptedModel(["never asked"]);
    const error = await errorOf(
      run(
        <Agent name="outer" model={outer}>
          <Agent name="inner">text</Agent>
        </Agent>,
        { stream },
      ),
    );
    expect(withoutPlaces(error.message)).toBe(
      'june: <Agent name="inner"> (HERE) has no model\nSet <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.',
    );
    expect(outer.calls).toHaveLength(0);
  });

  it("L11 missing fails before any model call, and no <Catch> retries it", async () => {
    let attempts = 0;
    function Attempt() {
      attempts++;
      return talker({ name: "writer" });
    }
    const error = await errorOf(
      run(
        <Catch retries={3} fallback={() => "instead"}>
          <Attempt />
        </Catch>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "no-model" });
    expect(attempts).toBe(1);
  });

  it("L10 of version 3 of the SDK's interface works", async () => {
    const current = scriptedModel([callEcho, "done"]);
    const old = { ...current, specificationVersion: "v3" } as unknown as ScriptedModel;
    expect((await run(talker({ model: old }), { stream })).output).toBe("done");
    expect(current.calls[1]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("L10 of a version the SDK does not know fails by name, and the next of a list is tried", async () => {
    const old = { ...scriptedModel([], { modelId: "old" }), specificationVersion: "v1" } as unknown as ScriptedModel;
    const error = await errorOf(run(talker({ model: old }), { stream }));
    expect(error).toMatchObject({ name: "RunError", code: "model-failed" });
    expect(error.message).toMatch(/^june: the model "old" failed in the step "a": Unsupported model version v1 /);
    expect((await run(talker({ model: [old, scriptedModel(["new"])] }), { stream })).output).toBe("new");
  });
});

describe.each(modes)("a model id (stream: $stream)", ({ stream }) => {
  const holder = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
  const models: Record<string, ScriptedModel> = {};
  const asked = new Set<string>();
  let before: unknown;
  beforeEach(() => {
    before = holder.AI_SDK_DEFAULT_PROVIDER;
    asked.clear();
    holder.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: "v4",
      languageModel: (id: string) => {
        asked.add(id);
        const model = models[id];
        if (model === undefined) throw new Error(`no model ${id}`);
        return model;
      },
    };
  });
  afterEach(() => void (holder.AI_SDK_DEFAULT_PROVIDER = before));

  it("L11 goes to the SDK's default provider unchanged, from the agent and from the run", async () => {
    models["acme/large:2"] = echoModel();
    expect((await run(talker({ model: "acme/large:2" }), { stream })).output).toBe("go");
    expect((await run(talker({}), { model: "acme/large:2", stream })).output).toBe("go");
    expect([...asked]).toEqual(["acme/large:2"]);
  });

  it("L11 that the provider does not know fails as a model does", async () => {
    const error = await errorOf(run(talker({ model: "acme/none" }), { stream }));
    expect(error).toMatchObject({ name: "RunError", code: "model-failed", cause: { message: "no model acme/none" } });
    expect(error.message).toBe('june: the model "acme/none" failed in the step "a": no model acme/none');
  });

  it("L10, L11 that the provider does not know is passed over in a list", async () => {
    models["acme/large"] = scriptedModel(["from the second"]);
    const result = await run(talker({ model: ["acme/none", "acme/large"] }), { stream });
    expect(result.output).toBe("from the second");
    expect(nodesOf(result.trace, "model-call")[0]?.notes).toEqual([
      { code: "model-fallback", text: '"acme/none" failed (no model acme/none); trying "scripted"' },
    ]);
  });
});

describe.each(modes)("a list of models (stream: $stream)", ({ stream }) => {
  afterEach(() => void vi.useRealTimers());

  it("L10 goes on with the next, keeping the conversation, and the trace says so", async () => {
    const first = scriptedModel([callEcho, new Error("down"), "back again"], { modelId: "first" });
    const second = scriptedModel([{ text: "rescued", expect: { user: "go", results: ["hi"] } }], { modelId: "second" });
    const result = await run(
      <Agent model={[first, second]} instructions="Be brief.">
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="go" />
        <Step id="b" prompt="more" />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ a: "rescued", b: "back again" });
    expect(second.calls[0]?.prompt).toEqual(first.calls[1]?.prompt);
    expect(first.calls[2]?.prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const calls = nodesOf(result.trace, "model-call");
    expect(calls.map(({ notes, status }) => [status, notes?.map(({ text }) => text)])).toEqual([
      ["ok", undefined],
      ["ok", ['"first" failed (down); trying "second"']],
      ["ok", undefined],
    ]);
  });

  it("L10 tries the next only after the retries of the one before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const first = scriptedModel(() => overloaded(700), { modelId: "first" });
    const second = scriptedModel(["rescued"], { modelId: "second" });
    const handle = run(talker({ model: [first, second], maxRetries: 2 }), { stream });
    for (const calls of [1, 2, 3]) {
      await settled();
      expect([first.calls.length, second.calls.length]).toEqual([calls, calls === 3 ? 1 : 0]);
      vi.advanceTimersByTime(699);
      await settled();
      expect(first.calls).toHaveLength(calls);
      vi.advanceTimersByTime(1);
    }
    const result = await handle;
    expect(result.output).toBe("rescued");
    expect(nodesOf(result.trace, "model-call")[0]?.notes).toEqual([
      { code: "model-retry", text: '"first" failed: overloaded' },
      { code: "model-retry", text: '"first" failed: overloaded' },
      { code: "model-fallback", text: '"first" failed (overloaded); trying "second"' },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("L10 fails with what the last one failed with", async () => {
    const models = ["first", "second", "third"].map((modelId) =>
      scriptedModel([new Error(`${modelId} is down`)], { modelId }),
    );
    const error = await errorOf(run(talker({ model: models }), { stream }));
    expect(error).toMatchObject({ code: "model-failed", details: { step: "a", modelId: "third" } });
    expect(error.message).toBe('june: the model "third" failed in the step "a": third is down');
    expect(models.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });

  it("L10 is not gone on with after an abort", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const first = scriptedModel(() => {
      abort.abort(reason);
      return new Error("because of it");
    });
    const second = scriptedModel([]);
    const failure = await errorOf(run(talker({ model: [first, second] }), { stream, signal: abort.signal }));
    expect(failure).toBe(reason);
    expect(second.calls).toHaveLength(0);
  });

  it("L10 may come from prepareStep", async () => {
    const own = scriptedModel([]);
    const models = [scriptedModel([new Error("down")]), scriptedModel(["from the second"])];
    const prepareStep = (() => ({ model: models })) as unknown as NonNullable<AgentProps["prepareStep"]>;
    expect((await run(talker({ model: own, prepareStep }), { stream })).output).toBe("from the second");
    expect(own.calls).toHaveLength(0);
  });
});

describe("a list of models, streamed", () => {
  it("L10 goes on with the next when a stream breaks off before it gave anything", async () => {
    const broken = cutModel([[{ type: "stream-start", warnings: [] }]], "end", scriptedModel([]));
    const result = await run(talker({ model: [broken, scriptedModel(["rescued"])] }), { stream: true });
    expect(result.output).toBe("rescued");
    expect(nodesOf(result.trace, "model-call")[0]?.notes).toEqual([
      {
        code: "model-fallback",
        text: '"cut" failed (the stream of the model "cut" ended before the answer was finished); trying "scripted"',
      },
    ]);
  });

  it("L10 does not when a part of the answer was there: nobody could take it back", async () => {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "half an " },
    ] as const;
    const broken = cutModel([parts as never], "end", scriptedModel([]));
    const second = scriptedModel([]);
    const error = await errorOf(run(talker({ model: [broken, second] }), { stream: true }));
    expect(error).toMatchObject({ code: "stream-cut" });
    expect(second.calls).toHaveLength(0);
  });
});

describe.each(modes)("a model that fails (stream: $stream)", ({ stream }) => {
  it("L10 for good fails the step by name, with what was thrown as the cause", async () => {
    const thrown = new Error("the key is wrong");
    const model = scriptedModel([thrown], { modelId: "large" });
    const error = await errorOf(run(talker({ model }), { stream }));
    expect(error).toMatchObject({ name: "RunError", code: "model-failed" });
    expect(error.cause).toBe(thrown);
    expect(error.message).toBe('june: the model "large" failed in the step "a": the key is wrong');
    expect(model.calls).toHaveLength(1);
  });

  it("L10 for a while is asked again, maxRetries times", async () => {
    for (const [maxRetries, calls] of [
      [0, 1],
      [1, 2],
      [undefined, 3],
    ] as const) {
      const model = scriptedModel(() => overloaded(0));
      const error = await errorOf(
        run(talker({ model, ...(maxRetries === undefined ? {} : { maxRetries }) }), { stream }),
      );
      expect(error.message).toBe('june: the model "scripted" failed in the step "a": overloaded');
      expect(model.calls).toHaveLength(calls);
    }
  });

  it("L31 fails before the tools of a <Catch> run again", async () => {
    let ran = 0;
    const count = tool({ inputSchema: z.object({}), execute: () => ++ran });
    const model = scriptedModel([{ calls: [{ name: "count" }] }, new Error("down"), "done"]);
    const result = await run(
      <Agent model={model}>
        <Tool name="count" value={count} />
        <Catch retries={1}>
          <Step id="a" prompt="go" />
        </Catch>
      </Agent>,
      { stream },
    );
    expect([result.output, ran]).toEqual(["done", 1]);
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual(["user"]);
  });
});
