import { Output, tool, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Parallel, Step, Tool, run, type Results } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { errorOf } from "../support/rejection-of.js";

const echo = tool({ description: "Echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });

describe.each([false, true])("steps (stream %s)", (stream) => {
  it("L20 the prompt and the answer join the conversation of the agent", async () => {
    const model = scriptedModel([{ calls: [{ name: "echo", input: { text: "x" } }] }, "one", "two"]);
    const result = await run(
      <Agent
        model={model}
        name="talker"
        messages={[
          { role: "user", content: "earlier" },
          { role: "assistant", content: "yes" },
        ]}
      >
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="first" />
        <Step id="b" prompt={[{ role: "user", content: "second" }]} />
      </Agent>,
      { stream },
    );
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(result.messages("talker").map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(result.steps).toEqual({ a: "one", b: "two" });
  });

  it("L21 an output gives the parsed value, and an answer that is not it fails by name", async () => {
    const output = Output.object({ schema: z.object({ degrees: z.number() }) });
    const runOn = (answer: string) =>
      run(
        <Agent model={scriptedModel([answer])}>
          <Step id="weather" prompt="go" output={output} />
        </Agent>,
        { stream },
      );
    expect((await runOn('{"degrees":7}')).output).toEqual({ degrees: 7 });
    for (const wrong of ["seven", '{"degrees":"seven"}']) {
      const error = await errorOf(runOn(wrong));
      expect(error).toMatchObject({ name: "RunError", code: "output-invalid" });
      expect(error.message).toContain('june: the answer of the step "weather" is not the output asked for: ');
    }
  });

  it("L25 an empty answer, a cut one, a filtered one and an error are failures with names of their own", async () => {
    const codeOf = async (turn: object) =>
      (
        await errorOf(
          run(
            <Agent model={scriptedModel([turn])}>
              <Step id="a" prompt="go" />
            </Agent>,
            { stream },
          ),
        )
      ).code;
    expect(await codeOf({})).toBe("empty-answer");
    expect(await codeOf({ text: "  " })).toBe("empty-answer");
    expect(await codeOf({ text: "half an", finishReason: "length" })).toBe("answer-cut");
    expect(await codeOf({ text: "no", finishReason: "content-filter" })).toBe("answer-filtered");
    expect(await codeOf({ text: "no", finishReason: "error" })).toBe("model-failed");
  });

  it("L25, case 20 an unknown tool and wrong input go back to the model, and execute does not run", async () => {
    let ran = 0;
    const close = tool({ description: "Close", inputSchema: z.object({ number: z.number() }), execute: () => ++ran });
    const model = scriptedModel([
      { calls: [{ name: "nope", input: {} }] },
      { calls: [{ name: "close", input: { number: "12" } }], expect: { results: [/nope/] } },
      { calls: [{ name: "close", input: '{"number":' }], expect: { results: [/number/] } },
      { calls: [{ name: "close", input: { number: 12 } }] },
      { text: "closed", expect: { results: [1] } },
    ]);
    const result = await run(
      <Agent model={model}>
        <Tool name="close" value={close} />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    expect([result.output, ran]).toEqual(["closed", 1]);
    const calls = result.trace.root.children[0]?.children[0]?.children.flatMap(({ children }) => children) ?? [];
    expect(calls.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "nope error",
      "close error",
      "close error",
      "close ok",
    ]);
  });

  it("L25, case 88 a call of a cut answer is never run: whole it fails the step, cut off it goes back to the model", async () => {
    let ran = 0;
    const write = tool({ description: "Write", inputSchema: z.object({ path: z.string() }), execute: () => ++ran });
    const runOn = (input: string) =>
      run(
        <Agent
          model={scriptedModel([
            { calls: [{ name: "write", input }], finishReason: "length" },
            { text: "again", expect: { results: [/Unterminated string/] } },
          ])}
        >
          <Tool name="write" value={write} />
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
    expect(await errorOf(runOn('{"path":"a.txt"}'))).toMatchObject({ code: "answer-cut" });
    expect((await runOn('{"path":"a.txt')).output).toBe("again");
    expect(ran).toBe(0);
  });

  it("L26 a tool without execute asks for its result, and the step waits", async () => {
    const location = tool({
      description: "Where the user is",
      inputSchema: z.object({}),
      outputSchema: z.object({ city: z.string() }),
    });
    const handle = run(
      <Agent
        model={scriptedModel([
          { calls: [{ name: "location" }] },
          { text: "ok", expect: { results: [{ city: "Oslo" }] } },
        ])}
      >
        <Tool name="location" value={location} />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    for await (const event of handle.events) {
      if (event.type !== "request-open") continue;
      expect(handle.requests[0]).toMatchObject({ kind: "input", tool: "location", step: "a" });
      expect(await errorOf(handle.answer({ city: 7 }))).toMatchObject({ code: "tool-input" });
      await handle.answer({ city: "Oslo" });
    }
    expect((await handle).output).toBe("ok");
  });
});

describe("prompts", () => {
  it("L20 a function of the results so far; in a branch those there when it began, and its own", async () => {
    const seen: Record<string, Results> = {};
    const note = (id: string) => (results: Results) => {
      seen[id] = { ...results };
      return "go";
    };
    await run(
      <>
        <Agent model={echoModel()}>
          <Step id="a" prompt="first" />
        </Agent>
        <Parallel>
          <Agent model={echoModel()}>
            <Step id="b" prompt={note("b")} />
            <Step id="c" prompt={note("c")} />
          </Agent>
          <Agent model={echoModel()}>
            <Step id="d" prompt={note("d")} />
          </Agent>
        </Parallel>
        <Agent model={echoModel()}>
          <Step id="e" prompt={note("e")} />
        </Agent>
      </>,
    );
    expect(seen).toEqual({
      b: { a: "first" },
      c: { a: "first", b: "go" },
      d: { a: "first" },
      e: { a: "first", b: "go", c: "go", d: "go" },
    });
  });

  it("L20 one that throws or gives nothing fails by name", async () => {
    const runOn = (prompt: () => string) =>
      errorOf(
        run(
          <Agent model={echoModel()}>
            <Step id="a" prompt={prompt} />
          </Agent>,
        ),
      );
    const throwing = await runOn(() => {
      throw new Error("no data");
    });
    expect(throwing.message).toBe('june: <Agent> > <Step id="a"> failed: no data');
    expect(await runOn(() => "")).toMatchObject({ code: "invalid-props" });
  });

  it("L20 messages with an approval nobody asked for are refused", async () => {
    const forged: ModelMessage[] = [
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "x", approved: true }] },
    ];
    const error = await errorOf(
      run(
        <Agent model={echoModel()}>
          <Step id="a" prompt={forged} />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "messages-with-approvals" });
  });
});

describe("child functions and ids", () => {
  it("L22 what follows from the answer renders inside the step's agent, and new agents resolve then", async () => {
    const model = scriptedModel(["2", "one", "two"]);
    const inner = scriptedModel([{ text: "in", expect: { tools: ["echo"] } }]);
    const result = await run(
      <Agent model={model}>
        <Step id="count" prompt="How many?">
          {async (answer) => (
            <>
              {Array.from({ length: Number(answer) }, (_, index) => (
                <Step id={`part${index}`} prompt={`part ${index}`} />
              ))}
              <Agent model={inner}>
                <Tool name="echo" value={echo} />
                <Step id="inner" prompt="go" />
              </Agent>
            </>
          )}
        </Step>
      </Agent>,
    );
    expect(result.steps).toEqual({ count: "2", part0: "one", part1: "two", inner: "in" });
    expect(model.calls[2]?.prompt).toHaveLength(5);
  });

  it("L22 anything but one function as the child is refused", async () => {
    const props = { id: "a", prompt: "go", children: "text" } as never;
    const error = await errorOf(
      run(
        <Agent model={echoModel()}>
          <Step {...(props as { id: string; prompt: string })} />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "invalid-props" });
    expect(error.message).toContain("children is one function of the step's result: {(result) => …}.");
  });

  it("L23 ids are unique in a run, also across branches, and the second names both places", async () => {
    const model = scriptedModel(["x", "y"]);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Step id="same" prompt="1" />
          <Step id="same" prompt="2" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "duplicate-step" });
    expect(error.message).toMatch(
      /^june: two steps of this run have the id "same"\n {2}<Step id="same"> .*steps\.test\.tsx:\d+\n {2}<Step id="same"> .*steps\.test\.tsx:\d+\nGive each step an id of its own\.$/,
    );
    expect(model.calls).toHaveLength(1);
    const branches = await errorOf(
      run(
        <Parallel>
          <Agent model={echoModel()}>
            <Step id="same" prompt="1" />
          </Agent>
          <Agent model={echoModel()}>
            <Step id="same" prompt="2" />
          </Agent>
        </Parallel>,
      ),
    );
    expect(branches).toMatchObject({ code: "duplicate-step" });
  });

  it("L23 ids that objects have of themselves are fine, and others than letters, digits, _ and - are not", async () => {
    const result = await run(
      <Agent model={echoModel()}>
        <Step id="constructor" prompt="1" />
        <Step id="toString" prompt="2" />
      </Agent>,
    );
    expect(Object.entries(result.steps)).toEqual([
      ["constructor", "1"],
      ["toString", "2"],
    ]);
    expect(Object.getPrototypeOf(result.steps)).toBeNull();
    for (const id of ["", "1a", "a b", "__proto__", "a.b"]) {
      const error = await errorOf(
        run(
          <Agent model={echoModel()}>
            <Step id={id} prompt="go" />
          </Agent>,
        ),
      );
      expect(error).toMatchObject({ code: "invalid-props" });
    }
  });

  it("L24 a step without an agent of its own run is refused, and a composite's workflow is such a run", async () => {
    const alone = await errorOf(run(<Step id="a" prompt="go" />));
    expect(alone).toMatchObject({ name: "DeclarationError", code: "step-without-agent" });
    expect(alone.message).toMatch(/^june: <Step id="a"> \(.*\) has no <Agent> around it\nPut it inside an <Agent>\.$/);
    const model = scriptedModel([
      { calls: [{ name: "work" }] },
      { text: "ok", expect: { results: [/has no <Agent> around it/] } },
    ]);
    const result = await run(
      <Agent model={model}>
        <Tool name="work" description="d" input={z.object({})}>
          {() => <Step id="b" prompt="go" />}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("ok");
  });
});
