/** The settings of `<Agent>`: the AI SDK's own under their own names, L10, each seen to arrive. */

import { describe, expect, it } from "vitest";
import { Agent, Step, Tool, createElement, run, type AgentProps } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { failureOf } from "../support/failure-of.js";
import { sdkSettings } from "../support/sdk-settings.js";
import { saying } from "../support/tools.js";

const say = <Tool name="say" value={saying("hi")} />;
const step = <Step id="a" prompt="go" />;

describe("the SDK's settings", () => {
  it("L10 are taken, or refused by name, as the types say", async () => {
    for (const [name, fate] of Object.entries(sdkSettings)) {
      const agent = createElement(Agent, { [name]: undefined });
      if (fate === "left-out")
        expect(await failureOf(agent)).toMatchObject({
          code: "invalid-props",
          lines: [
            `june: <Agent> has no prop ${JSON.stringify(name)}`,
            expect.stringMatching(/^See the props of <Agent>\./),
          ],
        });
      else expect((await run(agent, { model: echoModel() })).output, name).toBeUndefined();
    }
  });

  it.each([false, true])("L10 for the call arrive at the model as they are (stream %s)", async (stream) => {
    const model = scriptedModel(["done"]);
    const settings = {
      maxOutputTokens: 7,
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      presencePenalty: 0.4,
      frequencyPenalty: 0.5,
      stopSequences: ["END"],
      seed: 6,
      reasoning: "low",
      providerOptions: { test: { flag: true } },
    } satisfies Partial<AgentProps>;
    await run(
      <Agent model={model} {...settings} headers={{ "x-test": "yes" }} instructions="Be brief." toolChoice="none">
        {say}
        {step}
      </Agent>,
      { stream },
    );
    const [call] = model.calls;
    expect(call?.options).toMatchObject({ ...settings, toolChoice: { type: "none" } });
    expect(call?.options.headers).toMatchObject({ "x-test": "yes" });
    expect(call?.prompt[0]).toEqual({ role: "system", content: "Be brief." });
  });

  it("L10 that are callbacks are called", async () => {
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(name);
    await run(
      <Agent
        model={scriptedModel([{ calls: [{ name: "say" }] }, "done"])}
        onStart={note("onStart")}
        onStepStart={note("onStepStart")}
        onLanguageModelCallStart={note("onLanguageModelCallStart")}
        onLanguageModelCallEnd={note("onLanguageModelCallEnd")}
        onToolExecutionStart={note("onToolExecutionStart")}
        onToolExecutionEnd={note("onToolExecutionEnd")}
        onStepEnd={note("onStepEnd")}
        onEnd={note("onEnd")}
      >
        {say}
        {step}
      </Agent>,
    );
    const turn = ["onStepStart", "onLanguageModelCallStart", "onLanguageModelCallEnd"];
    expect(seen).toEqual([
      "onStart",
      ...turn,
      "onToolExecutionStart",
      "onToolExecutionEnd",
      "onStepEnd",
      ...turn,
      "onStepEnd",
      "onEnd",
    ]);
  });

  it("L10 that steer the loop do: prepareStep, stopWhen, activeTools and toolOrder", async () => {
    const prepared = scriptedModel(["done"]);
    await run(
      <Agent model={prepared} prepareStep={({ stepNumber }) => ({ temperature: stepNumber + 0.5 })}>
        {step}
      </Agent>,
    );
    expect(prepared.calls[0]?.options.temperature).toBe(0.5);
    const stopped = scriptedModel([{ text: "so far", calls: [{ name: "say" }] }]);
    const { output } = await run(
      <Agent model={stopped} stopWhen={({ steps }) => steps.length === 1}>
        {say}
        {step}
      </Agent>,
    );
    expect(output).toBe("so far");
    const ordered = scriptedModel(["done"]);
    await run(
      <Agent
        model={ordered}
        tools={{ a: saying("a"), b: saying("b"), c: saying("c") }}
        activeTools={["a", "c"]}
        toolOrder={["c"]}
      >
        {step}
      </Agent>,
    );
    expect(ordered.calls[0]?.tools).toEqual(["c", "a"]);
  });

  it("L10 name tools by their exposed names, and an unknown one is refused", async () => {
    const settings = [
      ["toolApproval", { toolApproval: { sya: "denied" } }, "sya"],
      ["activeTools", { activeTools: ["say", "sya"] }, "sya"],
      ["toolOrder", { toolOrder: ["sya"] }, "sya"],
      ["toolChoice", { toolChoice: { type: "tool", toolName: "sya" } }, "sya"],
      ["toolsContext", { toolsContext: { sya: {} } }, "sya"],
      ["timeout.tools", { timeout: { tools: { sayMS: 5 } } }, "sayMS"],
    ] as const;
    for (const [setting, props, name] of settings) {
      const failure = await failureOf(createElement(Agent, props, say, step));
      const has = setting === "timeout.tools" ? "sayMs" : "say";
      expect(failure).toMatchObject({
        code: "unknown-tool-name",
        lines: [
          `june: ${setting} of <Agent> names the tool "${name}", which the agent does not have`,
          `It has "${has}".`,
          `Use the exposed name, with its namespaces. Did you mean "${has}"?`,
        ],
        modelCalls: 0,
      });
    }
  });

  it("L10 of the wrong kind are refused, and what was given is named", async () => {
    const wrong = [
      [{ model: 1 }, "got the number 1 as model", "model is a model of the AI SDK, a model id, or a list of them."],
      [{ model: [] }, "got an array as model", "model is a model of the AI SDK, a model id, or a list of them."],
      [{ tools: [] }, "got an array as tools", "tools is a plain object."],
      [{ tools: new Map() }, "got an object as tools", "tools is a plain object."],
      [{ tools: Promise.resolve({}) }, "got a promise as tools", "tools is a plain object."],
      [{ activeTools: "say" }, "got text as activeTools", "activeTools is an array."],
      [{ maxRetries: -1 }, "got the number -1 as maxRetries", "maxRetries is a whole number from 0 on."],
      [{ maxTools: 1.5 }, "got the number 1.5 as maxTools", "maxTools is a whole number from 1 on."],
      [{ onStart: "log" }, "got text as onStart", "onStart is a function."],
      [{ name: 7 }, "got the number 7 as name", "name is text."],
      [{ messages: "hi" }, "got text as messages", "messages is an array."],
    ] as const;
    for (const [props, problem, cure] of wrong)
      expect(await failureOf(createElement(Agent, props))).toMatchObject({
        code: "invalid-props",
        lines: [`june: <Agent> ${problem}`, cure],
      });
    const typo = await failureOf(createElement(Agent, { temprature: 1 }));
    expect(typo.lines).toEqual([
      'june: <Agent> has no prop "temprature"',
      'See the props of <Agent>. Did you mean "temperature"?',
    ]);
  });
});
