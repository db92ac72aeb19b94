/** Agents: what is taken first (L13), agents in agents (L14), and text as the prompt (L15). Long because text may stand in many places, and few are right. */

import { Output } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  Namespace,
  Parallel,
  Step,
  Tool,
  defineAgent,
  defineCapabilities,
  defineToolset,
  run,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { withoutPlaces } from "../support/places.js";
import { errorOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";
import { echo, saying } from "../support/tools.js";

const modes = [{ stream: false }, { stream: true }];

describe("children", () => {
  const Bundle = defineCapabilities(() => [<Tool name="bundled" value={echo} />], { name: "Bundle" });

  it("L13 capabilities are taken first, in their order, wherever they stand among the rest", async () => {
    const model = scriptedModel(["one", "two"]);
    const result = await run(
      <Agent model={model}>
        <Step id="a" prompt="go" />
        <Tool name="first" value={echo} />
        <>
          <Step id="b" prompt="go" />
          {[null, [<Tool name="second" value={echo} />], <Bundle />]}
        </>
        <Namespace name="web">
          <Tool name="last" value={echo} />
        </Namespace>
      </Agent>,
    );
    expect(result.steps).toEqual({ a: "one", b: "two" });
    const tools = ["first", "second", "bundled", "web_last"];
    expect(model.calls.map((call) => call.tools)).toEqual([tools, tools]);
  });

  it("L13 nothing of the rest renders before they are resolved", async () => {
    const log: string[] = [];
    const Remote = defineToolset({
      name: "Remote",
      key: () => "remote",
      open: async () => {
        log.push("opening");
        await Promise.resolve();
        log.push("open");
        return { tools: { far: echo } };
      },
    });
    function Note(): JuneNode {
      log.push("rendered");
      return null;
    }
    const model = scriptedModel(["done"]);
    await run(
      <Agent model={model}>
        <Note />
        <Step id="a" prompt="go" />
        <Remote />
      </Agent>,
    );
    expect(log).toEqual(["opening", "open", "rendered"]);
    const rendered: string[] = [];
    function Never(): JuneNode {
      rendered.push("never");
      return null;
    }
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Never />
          <Step id="a" prompt="go" />
          {[<Tool name="x" value={echo} />, <Tool name="x" value={echo} />]}
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "tool-name-collision" });
    expect([rendered, model.calls.length]).toEqual([[], 1]);
  });

  const capability = <Tool name="echo" value={echo} />;
  function Component(): JuneNode {
    return capability;
  }
  it.each<[string, () => JuneNode]>([
    ["<Catch>", () => <Catch>{capability}</Catch>],
    ["<Parallel>", () => <Parallel>{capability}</Parallel>],
    ["<Agent>", () => Promise.resolve(capability)],
    ["the component <Component>", () => <Component />],
    [
      '<Step id="a">',
      () => (
        <Step id="a" prompt="go">
          {() => capability}
        </Step>
      ),
    ],
  ])("L13 a capability inside %s is misplaced", async (where, child) => {
    const error = await errorOf(run(<Agent model={echoModel()}>{child()}</Agent>));
    expect(error).toMatchObject({ name: "DeclarationError", code: "misplaced-capability" });
    expect(withoutPlaces(error.message)).toBe(
      `june: the capability <Tool name="echo"> (HERE) stands inside ${where}, where no <Agent> can see it\nPut it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.`,
    );
  });
});

describe.each(modes)("agents in agents (stream: $stream)", ({ stream }) => {
  it("L14 render where they stand, with a conversation of their own", async () => {
    const outer = scriptedModel(["first", "third"]);
    const inner = scriptedModel(["second"]);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const result = await run(
      <Agent name="outer" model={outer} instructions="outer" onStepEnd={note("outer")}>
        <Step id="a" prompt="1" />
        <Agent name="inner" model={inner} onStepEnd={note("inner")}>
          <Step id="b" prompt={({ a }) => `after ${String(a)}`} />
        </Agent>
        <Step id="c" prompt="3" />
      </Agent>,
      { stream },
    );
    expect(order).toEqual(["outer", "inner", "outer"]);
    expect(result.steps).toEqual({ a: "first", b: "second", c: "third" });
    expect(inner.calls[0]?.prompt).toEqual([{ role: "user", content: [{ type: "text", text: "after first" }] }]);
    expect(outer.calls[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(result.messages("inner").map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(result.messages("outer").map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("L14 get no setting, tool or context of the one around", async () => {
    const inner = scriptedModel(["in"]);
    const context: unknown[] = [];
    await run(
      <Agent
        model={scriptedModel([])}
        instructions="outer"
        temperature={0.5}
        headers={{ "x-outer": "1" }}
        runtimeContext={{ outer: true }}
        maxRetries={7}
        toolChoice="required"
        tools={{ echo }}
        stopWhen={() => true}
      >
        <Agent model={inner} prepareStep={({ runtimeContext }) => void context.push(runtimeContext)}>
          <Step id="b" prompt="go" />
        </Agent>
      </Agent>,
      { stream },
    );
    const { options, prompt } = inner.calls[0]!;
    expect(options).toMatchObject({ temperature: undefined });
    expect(options.headers ?? {}).not.toHaveProperty("x-outer");
    expect(options.toolChoice?.type).not.toBe("required");
    expect([inner.calls[0]?.tools, context, prompt.map(({ role }) => role)]).toEqual([[], [{}], ["user"]]);
  });

  it("L14 without text or step make no model call", async () => {
    const model = scriptedModel([]);
    const result = await run(
      <Agent model={model}>
        <Agent model={model}>
          <Tool name="echo" value={echo} />
          {"  "}
        </Agent>
      </Agent>,
      { stream },
    );
    expect([result.output, result.steps, model.calls.length]).toEqual([undefined, {}, 0]);
    expect(nodesOf(result.trace, "agent")).toHaveLength(2);
  });
});

describe.each(modes)("text as the prompt (stream: $stream)", ({ stream }) => {
  const say = (text: JuneNode, name?: string): JuneElement => (
    <Agent model={echoModel()} {...(name === undefined ? {} : { name })}>
      {text}
    </Agent>
  );

  it("L15 written there or rendered by components there is the prompt of one step", async () => {
    function Topic({ place }: { place: string }) {
      return <> of {place}</>;
    }
    async function Later(): Promise<JuneNode> {
      return ["?", 1];
    }
    const model = scriptedModel(["sunny"]);
    const result = await run(
      <Agent
        model={model}
        name="asker"
        messages={[
          { role: "user", content: "Hello" },
          { role: "assistant", content: "Yes?" },
        ]}
        tools={{ echo }}
      >
        What is the weather
        <Topic place="Oslo" />
        <Later />
        {Promise.resolve("!")}
        <Catch>{" Quick."}</Catch>
      </Agent>,
      { stream },
    );
    expect(result.output).toBe("sunny");
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.prompt.at(-1)).toEqual({
      role: "user",
      content: [{ type: "text", text: "What is the weather of Oslo?1! Quick." }],
    });
    expect(model.calls[0]?.prompt).toHaveLength(3);
  });

  it("L15 goes by the agent's name where that is a legal id, else by answer, answer-2, … in authored order", async () => {
    const result = await run(
      <>
        {say("one", "asker")}
        {say("two", "not an id")}
        {say("three", "2nd")}
        {say("four", "constructor")}
        {say("five")}
      </>,
      { stream },
    );
    expect(Object.entries(result.steps)).toEqual([
      ["asker", "one"],
      ["answer", "two"],
      ["answer-2", "three"],
      ["constructor", "four"],
      ["answer-3", "five"],
    ]);
  });

  it("L15 in a branch the id has the branch's index and is counted there", async () => {
    const result = await run(
      <>
        {say("before")}
        <Parallel>
          {say("b0")}
          <>
            {say("b1")}
            {say("b1 again")}
            {say("named", "named")}
            <Parallel>
              {say("b1 b0")}
              {say("b1 b1")}
            </Parallel>
          </>
        </Parallel>
        {say("after")}
        <Parallel>{say("b0 of the second")}</Parallel>
      </>,
      { stream },
    );
    expect(Object.entries(result.steps)).toEqual([
      ["answer", "before"],
      ["answer-b0", "b0"],
      ["answer-b1", "b1"],
      ["answer-b1-2", "b1 again"],
      ["named", "named"],
      ["answer-b1-b0", "b1 b0"],
      ["answer-b1-b1", "b1 b1"],
      ["answer-2", "after"],
      ["answer-b0-2", "b0 of the second"],
    ]);
  });

  it("L15, L31 an attempt that failed has used up no id", async () => {
    let attempts = 0;
    function Flaky(): JuneNode {
      if (++attempts < 3) throw new Error("flaky");
      return null;
    }
    const result = await run(
      <>
        <Catch retries={2}>
          {say("one")}
          <Parallel>{say("two")}</Parallel>
          <Flaky />
        </Catch>
        {say("three")}
      </>,
      { stream },
    );
    expect(result.steps).toEqual({ answer: "one", "answer-b0": "two", "answer-2": "three" });
  });

  it("L15 an id that is taken is taken, by a step or by the name of another agent", async () => {
    for (const other of [
      say("one", "answer"),
      <Agent model={echoModel()} children={<Step id="answer" prompt="go" />} />,
    ]) {
      const error = await errorOf(
        run(
          <>
            {other}
            {say("two")}
          </>,
          { stream },
        ),
      );
      expect(error).toMatchObject({ name: "DeclarationError", code: "duplicate-step", details: { id: "answer" } });
    }
  });

  it("L15, L45 of a callable agent is always answer, whatever it is called", async () => {
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({ text: z.string() }),
      prompt: ({ text }) => text,
      model: echoModel(),
    });
    const model = scriptedModel([{ calls: [{ name: "helper", input: { text: "x" } }] }, "done"]);
    const result = await run(
      <Agent model={model} name="main">
        <Helper />
        go
      </Agent>,
      { stream },
    );
    expect(nodesOf(result.trace, "step").map(({ name, label }) => [name, label])).toEqual([
      ["main", "main"],
      ["answer", "helper:answer"],
    ]);
  });

  it("L15, L21 may ask for an output, which is the agent's", async () => {
    const output = Output.object({ schema: z.object({ degrees: z.number() }) });
    const result = await run(
      <Agent model={scriptedModel(['{"degrees":7}'])} output={output}>
        How warm is it?
      </Agent>,
      { stream },
    );
    expect(result.output).toEqual({ degrees: 7 });
    const error = await errorOf(
      run(
        <Agent model={scriptedModel([])} output={output}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      ),
    );
    expect(withoutPlaces(error.message)).toBe(
      "june: <Agent> (HERE) has an output and steps\nMove output to the <Step>: the one of an <Agent> is for an agent whose prompt is its text.",
    );
  });
});

describe("text beside steps", () => {
  const step = <Step id="s" prompt="go" />;
  const nested = (
    <Agent model={echoModel()} name="inner">
      inner
    </Agent>
  );
  const Text = (): JuneNode => "some text";
  const Steps = (): JuneNode => step;
  const cure = "Put the text into a step's prompt, or take the steps out and let the text be the prompt.";
  const conditionCure = "A number is text: write {list.length > 0 && …} instead of {list.length && …}.";

  it.each<[string, JuneNode, string, string]>([
    ["before a step", ["some text", step], "some text", cure],
    ["after a step", [step, "some text"], "some text", cure],
    ["before a nested agent", ["some text", nested], "some text", cure],
    ["after a nested agent", [nested, "some text"], "some text", cure],
    ["of a component", [<Text />, <Steps />], "some text", cure],
    ["in a <Catch>", [step, <Catch>some text</Catch>], "some text", cure],
    ["before a <Parallel> with a nested agent", ["some text", <Parallel>{nested}</Parallel>], "some text", cure],
    ["after a <Parallel> with a nested agent", [<Parallel>{nested}</Parallel>, "some text"], "some text", cure],
    ["of one branch, with a nested agent in another", <Parallel>{["some text", nested]}</Parallel>, "some text", cure],
    [
      "that is what a child function gives",
      <Step id="s" prompt="go">
        {(answer) => answer}
      </Step>,
      "go",
      cure,
    ],
    ["that is a count meant as a condition", [0, step], "0", conditionCure],
    ["too long to print", ["x".repeat(100), step], `${"x".repeat(60)}…`, cure],
  ])("L15 %s is refused", async (_where, children, text, expected) => {
    const error = await errorOf(
      run(
        <Agent model={echoModel()} name="outer" tools={{ say: saying("x") }}>
          {children}
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "text-beside-steps" });
    expect(withoutPlaces(error.message)).toBe(
      `june: the text "${text}" stands beside steps in <Agent name="outer"> (HERE), where it has no place\n${expected}`,
    );
  });

  it("L15 is seen before the first step is asked where the text comes first", async () => {
    const model = scriptedModel([]);
    for (const second of [
      step,
      <Agent model={model}>inner</Agent>,
      <Parallel>{<Agent model={model}>inner</Agent>}</Parallel>,
    ])
      expect(await errorOf(run(<Agent model={model}>text{second}</Agent>))).toMatchObject({
        code: "text-beside-steps",
      });
    expect(model.calls).toHaveLength(0);
  });

  it("L15 in the body of a nested agent is that agent's own affair", async () => {
    const result = await run(
      <Agent model={echoModel()}>
        {step}
        {nested}
        <Agent model={echoModel()}>
          <Step id="t" prompt="too" />
        </Agent>
      </Agent>,
    );
    expect(result.steps).toEqual({ s: "go", inner: "inner", t: "too" });
  });

  it("L15, L31 that belongs to a failed attempt is as if it had not been", async () => {
    let attempts = 0;
    function Either(): JuneNode {
      if (++attempts === 1) return ["some text", <Broken />];
      return step;
    }
    function Broken(): never {
      throw new Error("broken");
    }
    const result = await run(
      <Agent model={echoModel()}>
        <Catch retries={1}>
          <Either />
        </Catch>
      </Agent>,
    );
    expect(result.steps).toEqual({ s: "go" });
  });
});
