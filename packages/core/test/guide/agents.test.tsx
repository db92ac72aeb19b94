import { tool } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, Step, Tool, run, type JuneNode } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { errorOf } from "../support/rejection-of.js";

const echo = tool({ description: "Echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });
const callEcho = { calls: [{ name: "echo", input: { text: "hi" } }] };

describe("models", () => {
  it("L11 an agent without a model takes the run's default, or fails before any call with the cure", async () => {
    const model = scriptedModel(["from the default"]);
    const tree = (
      <Agent name="writer">
        <Step id="a" prompt="go" />
      </Agent>
    );
    expect((await run(tree, { model })).output).toBe("from the default");
    const error = await errorOf(run(tree));
    expect(error).toMatchObject({ name: "DeclarationError", code: "no-model" });
    expect(error.message.replace(/\(.*?\)/, "(HERE)")).toBe(
      'june: <Agent name="writer"> (HERE) has no model\nSet <Agent model={…}>, or give a default with run(element, { model }) or june run --model provider:id.',
    );
  });

  it("L11 a model id as text goes to the SDK's default provider unchanged", async () => {
    const holder = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
    const before = holder.AI_SDK_DEFAULT_PROVIDER;
    onTestFinished(() => void (holder.AI_SDK_DEFAULT_PROVIDER = before));
    const asked: string[] = [];
    holder.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: "v4",
      languageModel: (id: string) => {
        asked.push(id);
        return scriptedModel(["from text"]);
      },
    };
    const result = await run(
      <Agent model="openai/gpt-5-mini">
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("from text");
    expect(new Set(asked)).toEqual(new Set(["openai/gpt-5-mini"]));
  });

  it("L10 the next model of a list is tried when one fails for good, keeping the conversation, and the trace says so", async () => {
    const first = scriptedModel([callEcho, new Error("overloaded")], { modelId: "first" });
    const second = scriptedModel([{ text: "rescued", expect: { results: ["hi"] } }], { modelId: "second" });
    const result = await run(
      <Agent model={[first, second]}>
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("rescued");
    const call = result.trace.root.children[0]?.children[0]?.children[1];
    expect(call?.notes).toEqual([{ code: "model-fallback", text: '"first" failed (overloaded); trying "second"' }]);
  });
});

describe("counting", () => {
  it.each([false, true])(
    "L12 twenty model calls without an answer are a step-limit that names the last calls (stream %s)",
    async (stream) => {
      const model = scriptedModel(() => callEcho);
      const error = await errorOf(
        run(
          <Agent model={model}>
            <Tool name="echo" value={echo} />
            <Step id="loop" prompt="go" />
          </Agent>,
          { stream },
        ),
      );
      expect(model.calls).toHaveLength(20);
      expect(error).toMatchObject({ name: "RunError", code: "step-limit" });
      expect(error.message).toContain('the step "loop" made 20 model calls without a final answer');
      expect(error.message).toContain('Its last tool calls were "echo".');
    },
  );

  it("L12 an own stopWhen is a success with the text so far, else with the last tool's output", async () => {
    const stop = ({ steps }: { steps: readonly unknown[] }) => steps.length === 2;
    const outputOf = async (script: Parameters<typeof scriptedModel>[0]) =>
      (
        await run(
          <Agent model={scriptedModel(script)} stopWhen={stop}>
            <Tool name="echo" value={echo} />
            <Step id="a" prompt="go" />
          </Agent>,
        )
      ).output;
    expect(await outputOf([{ ...callEcho, text: "So far." }, callEcho])).toBe("So far.");
    expect(await outputOf([callEcho, callEcho])).toBe("hi");
  });

  it("L12 stepNumber of prepareStep counts over the whole step, approvals in between or not", async () => {
    const numbers: number[] = [];
    await run(
      <Agent
        model={scriptedModel([callEcho, callEcho, "done"])}
        toolApproval={{ echo: "user-approval" }}
        prepareStep={({ stepNumber }) => {
          numbers.push(stepNumber);
          return {};
        }}
      >
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
      { onRequest: () => ({ approved: true }) },
    );
    expect(numbers).toEqual([0, 1, 2]);
  });
});

describe("children", () => {
  it("L13 capabilities are taken first, wherever they stand", async () => {
    const model = scriptedModel([{ text: "ok", expect: { tools: ["echo", "last"] } }]);
    const result = await run(
      <Agent model={model}>
        <Step id="a" prompt="go" />
        <Tool name="echo" value={echo} />
        {[null, <Tool name="last" value={echo} />]}
      </Agent>,
    );
    expect(result.output).toBe("ok");
  });

  it.each<[string, JuneNode]>([
    [
      "<Catch>",
      <Catch>
        <Tool name="echo" value={echo} />
      </Catch>,
    ],
    [
      "<Parallel>",
      <Parallel>
        <Tool name="echo" value={echo} />
      </Parallel>,
    ],
    ["a promise", Promise.resolve(<Tool name="echo" value={echo} />)],
  ])("L13 a capability inside %s is misplaced", async (_where, child) => {
    const error = await errorOf(run(<Agent model={echoModel()}>{child}</Agent>));
    expect(error).toMatchObject({ name: "DeclarationError", code: "misplaced-capability" });
  });

  it("L14 a nested agent renders where it stands, with a conversation of its own", async () => {
    const outer = scriptedModel(["first", "third"]);
    const inner = scriptedModel(["second"]);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    await run(
      <Agent model={outer} instructions="outer" onStepEnd={note("outer")}>
        <Step id="a" prompt="1" />
        <Agent model={inner} onStepEnd={note("inner")}>
          <Step id="b" prompt="2" />
        </Agent>
        <Step id="c" prompt="3" />
      </Agent>,
    );
    expect(order).toEqual(["outer", "inner", "outer"]);
    expect(inner.calls[0]?.prompt).toMatchObject([{ role: "user", content: [{ text: "2" }] }]);
    expect(outer.calls[1]?.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });
});

describe("text as the prompt", () => {
  it("L15 is the prompt of one step, named by the agent where its name is a legal id", async () => {
    function Topic() {
      return " of Oslo?";
    }
    const result = await run(
      <>
        <Agent model={echoModel()} name="asker">
          What is the weather
          <Topic />
        </Agent>
        <Agent model={echoModel()} name="not an id">
          two
        </Agent>
        <Agent model={echoModel()}>three</Agent>
      </>,
    );
    expect(result.steps).toEqual({ asker: "What is the weather of Oslo?", answer: "two", "answer-2": "three" });
  });

  it("L15 in a branch the id has the branch's index", async () => {
    const result = await run(
      <Parallel>
        <Agent model={echoModel()}>one</Agent>
        <>
          <Agent model={echoModel()}>two</Agent>
          <Agent model={echoModel()}>three</Agent>
        </>
      </Parallel>,
    );
    expect(result.steps).toEqual({ "answer-b0": "one", "answer-b1": "two", "answer-b1-2": "three" });
  });

  const step = <Step id="s" prompt="go" />;
  const nested = <Agent model={echoModel()}>inner</Agent>;
  it.each<[string, JuneNode]>([
    ["before a step", ["some text", step]],
    ["after a step", [step, "some text"]],
    ["beside a nested agent", ["some text", nested]],
    ["a count that was meant as a condition", [0, step]],
  ])("L15 text %s is refused", async (_where, children) => {
    const error = await errorOf(run(<Agent model={echoModel()}>{children}</Agent>));
    expect(error).toMatchObject({ name: "DeclarationError", code: "text-beside-steps" });
  });

  it("L15 an agent with neither text nor step makes no model call", async () => {
    const model = scriptedModel([]);
    const result = await run(
      <Agent model={model}>
        <Tool name="echo" value={echo} />
        {"  "}
      </Agent>,
    );
    expect([result.output, model.calls.length]).toEqual([undefined, 0]);
  });
});
