/** Runs with the options an application has in common. */

import { Output } from "ai";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { Agent, Parallel, RequireApproval, Step, Tool, createRuntime, type JuneElement, type run } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { echo } from "../support/tools.js";
import { collectEvents } from "../support/watch-run.js";

const ask = (prompt: string, model?: ReturnType<typeof scriptedModel>): JuneElement => (
  <Agent {...(model && { model })}>
    <Step id="a" prompt={prompt} />
  </Agent>
);

describe("run", () => {
  it("L42 createRuntime takes the options of run once, and run takes them over", async () => {
    const model = scriptedModel(["from the defaults", "again"]);
    const runtime = createRuntime({ model });
    expect((await runtime.run(ask("one"))).output).toBe("from the defaults");
    const other = scriptedModel(["from the call"]);
    expect((await runtime.run(ask("two"), { model: other })).output).toBe("from the call");
    expect((await runtime.run(ask("three"), { model: undefined } as never)).output).toBe("again");
    expectTypeOf(runtime.run).parameters.toEqualTypeOf<Parameters<typeof run>>();
  });

  it("L42 createRuntime merges limits and trace one level deeper", async () => {
    const runtime = createRuntime({
      model: echoModel(),
      limits: { modelCalls: 1, requestMs: 0 },
      trace: { capture: "full" },
    });
    const two = (
      <Parallel>
        {ask("one")}
        <Agent>
          <Step id="b" prompt="two" />
        </Agent>
      </Parallel>
    );
    expect(await errorOf(runtime.run(two, { limits: { depth: 3 }, trace: {} }))).toMatchObject({
      code: "limit-reached",
    });
    const handle = runtime.run(two, { limits: { modelCalls: 2 } });
    await handle;
    expect(handle.trace.capture).toBe("full");
    // The other limit of the defaults holds: the request is denied at once.
    const model = scriptedModel([
      { calls: [{ name: "say", input: { text: "x" } }] },
      ({ prompt }) => JSON.stringify(prompt.at(-1)!.content),
    ]);
    const held = runtime.run(
      <Agent model={model}>
        <RequireApproval>
          <Tool name="say" value={echo} />
        </RequireApproval>
        <Step id="a" prompt="Go." />
      </Agent>,
      { limits: { modelCalls: 5 } },
    );
    await collectEvents(held);
    expect((await held).output).toContain("nobody answered within 0 ms");
  });

  it("L42 createRuntime refuses at once what run refuses, and reads the defaults once", async () => {
    expect(() => createRuntime({ modle: "x" } as never)).toThrowError(
      /^june: createRuntime\(\): there is no option modle\n.* Did you mean "model"\?$/s,
    );
    expect(() => createRuntime({ limits: { depth: 0 } })).toThrowError(
      /createRuntime\(\): limits\.depth is the number/,
    );
    expect(() => createRuntime(5 as never)).toThrowError(/createRuntime\(\): the options is /);
    const defaults = { model: echoModel(), limits: { modelCalls: 5 } };
    const runtime = createRuntime(defaults);
    defaults.limits.modelCalls = 1;
    Object.assign(defaults, { stream: "yes" });
    expect((await runtime.run(ask("hello"))).output).toContain("hello");
  });

  it("L42 a wrong option of the call rejects its handle, as run's does", async () => {
    const runtime = createRuntime({ model: echoModel(), limits: { depth: 3 } });
    const wrong: [unknown, RegExp][] = [
      [5, /run\(\): the options is the number/],
      [{ strem: true }, /run\(\): there is no option strem/],
      [{ limits: 5 }, /run\(\): limits is the number/],
    ];
    for (const [options, message] of wrong)
      expect((await errorOf(runtime.run(ask("x"), options as never))).message).toMatch(message);
    expect(await errorOf(runtime.run({} as never))).toMatchObject({ code: "invalid-node" });
  });
});

describe("evaluate", () => {
  it("L42 evaluate gives text as it is, anything else as JSON, and nothing as no text", async () => {
    const runtime = createRuntime({ model: echoModel() });
    expect(await runtime.evaluate(ask("plain", scriptedModel(["plain text"])))).toBe("plain text");
    expect(
      await runtime.evaluate(
        <Agent model={scriptedModel(['{"port":80}'])}>
          <Step id="a" prompt="Go." output={Output.object({ schema: z.object({ port: z.number() }) })} />
        </Agent>,
      ),
    ).toBe('{"port":80}');
    expect(
      await runtime.evaluate(
        <Agent model={scriptedModel(["one", "two"])}>
          <Step id="a" prompt="Go." />
          <Step id="b" prompt="On." />
        </Agent>,
      ),
    ).toBe('{"a":"one","b":"two"}');
    const Said = () => "only text";
    expect(await runtime.evaluate(<Said />)).toBe("only text");
    expect(await runtime.evaluate(<></>)).toBe("");
  });

  it("L42 evaluate rejects as the run does, and takes the options of a run", async () => {
    const runtime = createRuntime({ model: scriptedModel([new Error("no network")]) });
    expect(await errorOf(runtime.evaluate(ask("x")))).toMatchObject({ code: "model-failed" });
    const reason = new Error("enough");
    expect(await rejectionOf(runtime.evaluate(ask("x"), { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});
