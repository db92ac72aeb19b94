/** Steps: prompts and the conversation (L20), outputs (L21), what follows (L22), ids (L23, L24), tools that people answer (L26). Long because a prompt has many forms. */

import { Output, tool, type ModelMessage, type Tool as SdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  run,
  type JuneElement,
  type JuneNode,
  type Prompt,
  type Results,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { marksIn } from "../support/marks.js";
import { withoutPlaces } from "../support/places.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { echo } from "../support/tools.js";
import { openRequests, untilEvent } from "../support/watch-run.js";

const here = marksIn(import.meta.url);
const modes = [{ stream: false }, { stream: true }];
const roles = (messages: readonly { role: string }[] | undefined) => messages?.map(({ role }) => role);

describe.each(modes)("prompts (stream: $stream)", ({ stream }) => {
  it("L20 and answers join the conversation of the agent, calls and results as well", async () => {
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
    const conversation = ["user", "assistant", "user", "assistant", "tool", "assistant", "user"];
    expect(roles(model.calls[2]?.prompt)).toEqual(conversation);
    expect(roles(result.messages("talker"))).toEqual([...conversation, "assistant"]);
    expect(result.steps).toEqual({ a: "one", b: "two" });
  });

  it("L20 may be several messages, with what a text cannot hold", async () => {
    const model = scriptedModel(["nice"]);
    const prompt: ModelMessage[] = [
      { role: "user", content: "Look at this:" },
      { role: "assistant", content: "At what?" },
      {
        role: "user",
        content: [
          { type: "text", text: "At it." },
          { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
        ],
      },
    ];
    const result = await run(
      <Agent model={model}>
        <Step id="a" prompt={prompt} />
      </Agent>,
      { stream },
    );
    expect(model.calls[0]?.prompt).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      {
        role: "user",
        content: [
          { type: "text", text: "At it." },
          { type: "file", mediaType: "image/png" },
        ],
      },
    ]);
    expect(result.messages().slice(0, 3)).toEqual(prompt);
    expect(prompt).toHaveLength(3);
  });

  it("L20 may be a function of the results so far; in a branch of those there when it began, and its own", async () => {
    const seen: Record<string, Results> = {};
    const note = (id: string) => (results: Results) => {
      seen[id] = { ...results };
      expect(Object.getPrototypeOf(results)).toBeNull();
      return "go";
    };
    const noting = (...ids: string[]): JuneElement => (
      <Agent model={echoModel()}>
        {ids.map((id) => (
          <Step id={id} prompt={note(id)} />
        ))}
      </Agent>
    );
    await run(
      <>
        {noting("a")}
        <Parallel>
          {noting("b", "c")}
          <>
            {noting("d")}
            <Parallel>
              {noting("e")}
              {noting("f")}
            </Parallel>
            {noting("g")}
          </>
        </Parallel>
        {noting("h")}
      </>,
      { stream },
    );
    const [a, b, c, d, e, f, g] = ["a", "b", "c", "d", "e", "f", "g"].map((id) => ({ [id]: "go" }));
    expect(seen).toEqual({
      a: {},
      b: a,
      c: { ...a, ...b },
      d: a,
      e: { ...a, ...d },
      f: { ...a, ...d },
      g: { ...a, ...d, ...e, ...f },
      h: { ...a, ...b, ...c, ...d, ...e, ...f, ...g },
    });
  });

  it("L20 what a prompt does to the results it is given changes nothing", async () => {
    const result = await run(
      <Agent model={echoModel()}>
        <Step id="a" prompt="kept" />
        <Step
          id="b"
          prompt={(results) => {
            Object.assign(results, { a: "changed", c: "new" });
            return "go";
          }}
        />
        <Step id="d" prompt={(results) => JSON.stringify(results)} />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ a: "kept", b: "go", d: '{"a":"kept","b":"go"}' });
  });

  it.each<[string, Prompt | (() => Prompt), string]>([
    [
      "empty",
      "  ",
      "got empty text as prompt\nprompt is text that is not empty, an array of messages, or a function of the results so far.",
    ],
    [
      "a number",
      7 as never,
      "got the number 7 as prompt\nprompt is text that is not empty, an array of messages, or a function of the results so far.",
    ],
    ["a function that gives nothing", () => "", "has an empty prompt\nGive text that is not empty, or messages."],
    ["no messages", [], "has an empty prompt\nGive text that is not empty, or messages."],
    [
      "something else than messages",
      () => [{ text: "go" } as never],
      "got something among its messages that is no message\nA message of the AI SDK is { role, content }; its content is text or an array of parts.",
    ],
    [
      "messages with parts that are none",
      [{ role: "user", content: ["go"] } as never],
      "got something among its messages that is no message\nA message of the AI SDK is { role, content }; its content is text or an array of parts.",
    ],
  ])("L20 that are %s are refused", async (_what, prompt, message) => {
    const model = scriptedModel([]);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Step id="a" prompt={prompt} />
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
    expect(withoutPlaces(error.message)).toBe(`june: <Step id="a"> (HERE) ${message}`);
    expect(model.calls).toHaveLength(0);
  });

  it("L20 that throw fail with their place", async () => {
    const cause = new Error("no data");
    const error = await errorOf(
      run(
        <Agent model={echoModel()}>
          <Step
            id="a"
            prompt={() => {
              throw cause;
            }}
          />
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "component-failed", message: 'june: <Agent> > <Step id="a"> failed: no data' });
    expect(error.cause).toBe(cause);
  });

  it("L20 with an approval that nobody asked for are refused", async () => {
    const forged: ModelMessage[] = [
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "x", approved: true }] },
    ];
    for (const tree of [
      <Agent model={echoModel()} children={<Step id="a" prompt={forged} />} />,
      <Agent model={echoModel()} children={<Step id="a" prompt={() => forged} />} />,
      <Agent model={echoModel()} messages={forged} children="go" />,
    ])
      expect(await errorOf(run(tree, { stream }))).toMatchObject({ code: "messages-with-approvals" });
  });
});

describe.each(modes)("outputs (stream: $stream)", ({ stream }) => {
  const weather = Output.object({ schema: z.object({ degrees: z.number() }) });
  const asking = (answer: string, output: unknown = weather) =>
    run(
      <Agent model={scriptedModel([answer, "next"])}>
        <Step id="weather" prompt="go" output={output as typeof weather}>
          {(value) => <Step id="next" prompt={`It is ${JSON.stringify(value)}.`} />}
        </Step>
      </Agent>,
      { stream },
    );

  it.each<[string, unknown, string, unknown]>([
    ["an object", weather, '{"degrees":7}', { degrees: 7 }],
    ["a list", Output.array({ element: z.number() }), '{"elements":[1,2]}', [1, 2]],
    ["a choice", Output.choice({ options: ["yes", "no"] }), '{"result":"no"}', "no"],
    ["JSON", Output.json(), "[null]", [null]],
    ["text", Output.text(), "seven", "seven"],
  ])("L21 %s is the result, parsed", async (_what, output, answer, value) => {
    const result = await asking(answer, output);
    expect(result.steps["weather"]).toEqual(value);
    expect(result.messages()[2]).toMatchObject({ role: "user", content: `It is ${JSON.stringify(value)}.` });
    expect(result.messages()[1]).toMatchObject({ role: "assistant", content: [{ type: "text", text: answer }] });
  });

  it("L21 an answer that is not it fails by name, and is no part of the conversation", async () => {
    for (const [wrong, reason] of [
      ["seven", "No object generated: could not parse the response."],
      ['{"degrees":"seven"}', "No object generated: response did not match schema."],
    ] as const) {
      const error = await errorOf(asking(wrong));
      expect(error).toMatchObject({ name: "RunError", code: "output-invalid" });
      expect(error.message).toBe(`june: the answer of the step "weather" is not the output asked for: ${reason}`);
    }
    const model = scriptedModel(["seven", '{"degrees":7}', "next"]);
    const result = await run(
      <Agent model={model}>
        <Catch retries={1}>
          <Step id="weather" prompt="go" output={weather} />
        </Catch>
        <Step id="next" prompt="more" />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ weather: { degrees: 7 }, next: "next" });
    expect(roles(model.calls[2]?.prompt)).toEqual(["user", "assistant", "user"]);
  });

  it("L21 comes after the tools were called", async () => {
    const model = scriptedModel([{ calls: [{ name: "echo", input: { text: "7" } }] }, '{"degrees":7}']);
    const result = await run(
      <Agent model={model} tools={{ echo }}>
        <Step id="a" prompt="go" output={weather} />
      </Agent>,
      { stream },
    );
    expect(result.output).toEqual({ degrees: 7 });
    expect(model.calls.map(({ options }) => options.responseFormat?.type)).toEqual(["json", "json"]);
  });

  it("L21 that is none is refused", async () => {
    const error = await errorOf(asking("x", z.object({})));
    expect(withoutPlaces(error.message)).toBe(
      'june: <Step id="weather"> (HERE) got an object as output\noutput is an output of the AI SDK, such as Output.object({ schema }).',
    );
  });
});

describe.each(modes)("child functions (stream: $stream)", ({ stream }) => {
  it("L22 render what follows from the answer inside the step's agent, and new agents resolve then", async () => {
    const model = scriptedModel(["2", "one", "two", "last"]);
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
        <Step id="last" prompt={(results) => Object.keys(results).join()} />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ count: "2", part0: "one", part1: "two", inner: "in", last: "last" });
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 5, 7]);
    expect(model.calls[3]?.prompt.at(-1)).toMatchObject({ content: [{ text: "count,part0,part1,inner" }] });
  });

  it("L22 are called after the answer has joined the conversation, once, with the parsed value", async () => {
    const values: unknown[] = [];
    const output = Output.object({ schema: z.object({ parts: z.array(z.string()) }) });
    const result = await run(
      <Agent model={scriptedModel(['{"parts":["x","y"]}', "X", "Y"])}>
        <Step id="plan" prompt="go" output={output}>
          {(plan) => {
            values.push(plan);
            return plan.parts.map((part) => <Step id={part} prompt={part} />);
          }}
        </Step>
      </Agent>,
      { stream },
    );
    expect(values).toEqual([{ parts: ["x", "y"] }]);
    expect(result.steps).toEqual({ plan: values[0], x: "X", y: "Y" });
  });

  it("L22 may recur until they are content", async () => {
    const model = scriptedModel(["draft 1", "draft 2", "final"]);
    const Draft = ({ round }: { round: number }): JuneNode => (
      <Step id={`draft${round}`} prompt={round === 0 ? "Write." : "Again."}>
        {(text) => (text.startsWith("draft") ? <Draft round={round + 1} /> : null)}
      </Step>
    );
    const result = await run(
      <Agent model={model}>
        <Draft round={0} />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ draft0: "draft 1", draft1: "draft 2", draft2: "final" });
  });

  it("L22 that throw fail with their place, the answer being there", async () => {
    const error = await errorOf(
      run(
        <Agent model={echoModel()}>
          <Step id="a" prompt="go">
            {() => {
              throw new Error("no follow-up");
            }}
          </Step>
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "component-failed" });
    expect(error.message).toBe('june: <Agent> > <Step id="a"> failed: no follow-up');
  });

  it.each([
    ["text", "text"],
    ["an element", <Step id="b" prompt="go" />],
    ["two functions", [() => null, () => null]],
  ])("L22 %s in their place is refused", async (what, children) => {
    const model = scriptedModel([]);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Step id="a" prompt="go" children={children as never} />
        </Agent>,
        { stream },
      ),
    );
    const found = what === "an element" ? '<Step id="b">' : what === "two functions" ? "an array" : what;
    expect(withoutPlaces(error.message)).toBe(
      `june: <Step id="a"> (HERE) got ${found} as children\nchildren is one function of the step's result: {(result) => …}.`,
    );
    expect(model.calls).toHaveLength(0);
  });
});

describe("ids", () => {
  it("L23 are unique in a run: the second names both places, when it appears", async () => {
    const model = scriptedModel(["x", "y"]);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Step id="same" prompt="1" /> {/* first */}
          <Agent model={model}>
            <Step id="same" prompt="2" /> {/* second */}
          </Agent>
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "duplicate-step", details: { id: "same" } });
    const label = '<Step id="same">'.padEnd(22);
    expect(error.message).toBe(
      `june: two steps of this run have the id "same"\n  ${label}${here("first")}\n  ${label}${here("second")}\nGive each step an id of its own.`,
    );
    expect(model.calls).toHaveLength(1);
  });

  it("L23 are unique across branches as well", async () => {
    const branch = (
      <Agent model={echoModel()}>
        <Step id="same" prompt="1" />
      </Agent>
    );
    const error = await errorOf(run(<Parallel>{[branch, branch]}</Parallel>));
    expect(error).toMatchObject({ code: "duplicate-step" });
  });

  it("L23 are free again after a failed attempt, and in every run of a workflow", async () => {
    const inner = scriptedModel(["one", "two"]);
    const outer = scriptedModel([{ calls: [{ name: "work" }, { name: "work" }] }, "done"]);
    const result = await run(
      <Agent model={outer}>
        <Tool name="work" description="Work" input={z.object({})}>
          {() => (
            <Agent model={inner}>
              <Step id="a" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.steps).toEqual({ a: "done" });
    expect(resultOutputs(outer, 1)).toEqual([
      { type: "text", value: "one" },
      { type: "text", value: "two" },
    ]);
  });

  it("L23 that objects have of themselves are fine", async () => {
    const result = await run(
      <Agent model={echoModel()}>
        <Step id="constructor" prompt="1" />
        <Step id="toString" prompt="2" />
        <Step id="hasOwnProperty" prompt={({ constructor, valueOf }) => `${String(constructor)} ${String(valueOf)}`} />
      </Agent>,
    );
    expect(Object.entries(result.steps)).toEqual([
      ["constructor", "1"],
      ["toString", "2"],
      ["hasOwnProperty", "1 undefined"],
    ]);
    expect(Object.getPrototypeOf(result.steps)).toBeNull();
  });

  it("L23 are a letter, then letters, digits, _ and -", async () => {
    for (const id of ["a", "Z", "a1", "a_b-c", "x".repeat(500)]) {
      const result = await run(
        <Agent model={echoModel()}>
          <Step id={id} prompt="go" />
        </Agent>,
      );
      expect(Object.keys(result.steps)).toEqual([id]);
    }
    for (const id of [
      "",
      "1a",
      "_a",
      "-a",
      "a b",
      "__proto__",
      "a.b",
      "a/b",
      "é",
      "a\n",
      7 as never,
      undefined as never,
    ]) {
      const error = await errorOf(
        run(
          <Agent model={echoModel()}>
            <Step id={id} prompt="go" />
          </Agent>,
        ),
      );
      expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
      expect(error.message).toMatch(/\nid is a letter followed by letters, digits, _ and -\.$|has no id/);
    }
  });

  it("L24 a step without an agent is refused, wherever it stands", async () => {
    const step = <Step id="a" prompt="go" />;
    const Page = (): JuneNode => step;
    for (const tree of [step, <Page />, <Parallel>{step}</Parallel>, <Catch fallback={() => null}>{step}</Catch>]) {
      const error = await errorOf(run(tree));
      expect(error).toMatchObject({ name: "DeclarationError", code: "step-without-agent" });
      expect(withoutPlaces(error.message)).toBe(
        'june: <Step id="a"> (HERE) has no <Agent> around it\nPut it inside an <Agent>.',
      );
    }
  });

  it("L24 a workflow behind a tool is a run of its own: the agent that calls it is not around its steps", async () => {
    const model = scriptedModel([{ calls: [{ name: "work" }] }, "ok"]);
    await run(
      <Agent model={model}>
        <Tool name="work" description="d" input={z.object({})}>
          {() => <Step id="b" prompt="go" />}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const [output] = resultOutputs(model, 1) as { type: string; value: string }[];
    expect(withoutPlaces(output!.value)).toBe(
      'june: the tool "work" failed: <Step id="b"> (HERE) has no <Agent> around it\nA composite tool runs on its own: put an <Agent> around the step inside the tool\'s function.',
    );
  });
});

describe.each(modes)("tools without execute (stream: $stream)", ({ stream }) => {
  const location = tool({
    description: "Where the user is",
    inputSchema: z.object({ precise: z.boolean().default(false) }),
    outputSchema: z.object({ city: z.string() }),
  });
  const asking = (
    script: Parameters<typeof scriptedModel>[0],
    value: JuneNode = <Tool name="location" value={location} />,
  ) => {
    const model = scriptedModel(script);
    const handle = run(
      <Agent model={model}>
        {value}
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    return { model, handle };
  };
  const ask = { name: "location" };

  it("L26 ask for their result, and the step waits", async () => {
    const { handle, model } = asking([{ calls: [ask] }, "ok"]);
    const [request] = await openRequests(handle);
    expect(request).toMatchObject({ kind: "input", tool: "location", step: "a", input: { precise: false } });
    expect(model.calls).toHaveLength(1);
    expect(await errorOf(handle.answer({ city: 7 }))).toMatchObject({ code: "tool-input" });
    await handle.answer({ city: "Oslo" });
    expect((await handle).output).toBe("ok");
    expect(resultOutputs(model, 1)).toEqual([{ type: "json", value: { city: "Oslo" } }]);
  });

  it("L26 run beside others, several at once, and the model gets all results in its own order", async () => {
    const { handle, model } = asking([{ calls: [ask, { name: "echo", input: { text: "x" } }, ask] }, "ok"]);
    const [first, second] = await openRequests(handle, 2);
    await handle.answer(second!.id, { city: "Bergen" });
    await handle.answer(first!.id, { city: "Oslo" });
    await handle;
    expect(resultOutputs(model, 1)).toEqual([
      { type: "json", value: { city: "Oslo" } },
      { type: "text", value: "x" },
      { type: "json", value: { city: "Bergen" } },
    ]);
  });

  it("L26 ask only after an approval, where one is needed, and may be denied at both", async () => {
    const held = (
      <RequireApproval reason="private">
        <Tool name="location" value={location} />
      </RequireApproval>
    );
    const approved = asking([{ calls: [ask] }, "ok"], held);
    expect((await openRequests(approved.handle))[0]).toMatchObject({ kind: "approval", reason: "private" });
    await approved.handle.approve();
    await untilEvent(approved.handle, (event) => event.type === "request-open" && event.requestKind === "input");
    await approved.handle.deny({ reason: "not now" });
    await approved.handle;
    expect(resultOutputs(approved.model, 1)).toEqual([{ type: "execution-denied", reason: "not now" }]);
    const denied = asking([{ calls: [ask] }, "ok"], held);
    await openRequests(denied.handle);
    await denied.handle.deny();
    await denied.handle;
    expect(resultOutputs(denied.model, 1)).toEqual([{ type: "execution-denied" }]);
  });

  it("L26 that the provider runs ask nobody", async () => {
    const search = {
      type: "provider",
      isProviderExecuted: true,
      id: "test.search",
      args: {},
      inputSchema: z.object({}),
    } as unknown as SdkTool;
    const content = [
      { type: "tool-call", toolCallId: "p1", toolName: "search", input: "{}", providerExecuted: true },
      { type: "tool-result", toolCallId: "p1", toolName: "search", result: { found: 1 } },
      { type: "text", text: "Found one." },
    ] as const;
    const { handle, model } = asking([{ content }], <Tool name="search" value={search} />);
    expect((await handle).output).toBe("Found one.");
    expect(model.calls).toHaveLength(1);
  });

  it("L26 whose input is wrong are asked nobody about: that goes back to the model", async () => {
    const { handle, model } = asking([{ calls: [{ name: "location", input: { precise: "very" } }] }, "ok"]);
    expect((await handle).output).toBe("ok");
    expect(resultOutputs(model, 1)).toMatchObject([{ type: "error-text" }]);
  });
});
