/** How a step's model may finish without an answer, L25: each goes back to the model or fails by a name, and none is an empty success. Long because there are so many. */

import { Output, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Catch, Step, Tool, run, type AgentProps } from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { cutModel, type Part } from "../support/cut-stream.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";

const modes = [{ stream: false }, { stream: true }];

/** A tool that counts how often it ran, and an agent that has it. */
function closing(script: readonly ScriptEntry[], stream: boolean, props: Partial<AgentProps> = {}) {
  const ran: unknown[] = [];
  const close = tool({
    inputSchema: z.object({ number: z.number(), note: z.string().optional() }),
    execute: (input) => {
      ran.push(input);
      return `closed ${input.number}`;
    },
  });
  const model = scriptedModel(script);
  const handle = run(
    <Agent model={model} {...props}>
      <Tool name="close" value={close} />
      <Step id="a" prompt="go" />
    </Agent>,
    { stream },
  );
  return { ran, model, handle };
}
const call = (input: unknown, name = "close") => ({ calls: [{ name, input }] });

describe.each(modes)("finishes (stream: $stream)", ({ stream }) => {
  const emptyCure = "Ask for an answer in the prompt, or try another model.";
  const cutCure = "Raise maxOutputTokens, or ask for less. Tool calls of a cut answer are never run.";

  it.each<[string, ScriptEntry, string, string]>([
    ["nothing", {}, "empty-answer", `the model gave no answer in the step "a" (finish reason "stop")\n${emptyCure}`],
    [
      "white space",
      { text: " \n\t " },
      "empty-answer",
      `the model gave no answer in the step "a" (finish reason "stop")\n${emptyCure}`,
    ],
    [
      "nothing but reasoning",
      { reasoning: "Hm." },
      "empty-answer",
      `the model gave no answer in the step "a" (finish reason "stop")\n${emptyCure}`,
    ],
    [
      "nothing, for another reason",
      { finishReason: "other" },
      "empty-answer",
      `the model gave no answer in the step "a" (finish reason "other")\n${emptyCure}`,
    ],
    [
      "a text cut off at the limit",
      { text: "half an", finishReason: "length" },
      "answer-cut",
      `the answer of the step "a" was cut off at the model's output limit\n${cutCure}`,
    ],
    [
      "nothing at the limit",
      { finishReason: "length" },
      "answer-cut",
      `the answer of the step "a" was cut off at the model's output limit\n${cutCure}`,
    ],
    [
      "a text the filter stopped",
      { text: "no", finishReason: "content-filter" },
      "answer-filtered",
      `the provider's content filter stopped the answer of the step "a"\nChange the prompt, or try another model.`,
    ],
    [
      "a text and an error",
      { text: "no", finishReason: "error" },
      "model-failed",
      'the model "scripted" failed in the step "a": the provider reported an error as the finish reason',
    ],
  ])("L25 %s fails by a name", async (_what, turn, code, message) => {
    const { handle, model } = closing([turn], stream);
    const error = await errorOf(handle);
    expect(error).toMatchObject({ name: "RunError", code });
    expect(error.message).toBe(`june: ${message}`);
    expect(model.calls).toHaveLength(1);
  });

  it("L25 a text with a finish reason nobody knows is an answer", async () => {
    expect((await closing([{ text: "fine", finishReason: "other" }], stream).handle).output).toBe("fine");
  });

  it("L25, L21 nothing is no text that was asked for with an output, while an empty value in JSON is one", async () => {
    const runOn = (turn: ScriptEntry, output: ReturnType<typeof Output.text> | ReturnType<typeof Output.json>) =>
      run(
        <Agent model={scriptedModel([turn])}>
          <Step id="a" prompt="go" output={output as never} />
        </Agent>,
        { stream },
      );
    for (const text of ["", "  "])
      expect(await errorOf(runOn({ text }, Output.text()))).toMatchObject({ code: "empty-answer" });
    expect(await errorOf(runOn({ text: "" }, Output.json()))).toMatchObject({ code: "output-invalid" });
    expect((await runOn({ text: '""' }, Output.json())).output).toBe("");
  });

  it("L25 the tokens of an answer that is none count", async () => {
    for (const finishReason of ["stop", "length", "content-filter", "error"] as const) {
      const { handle } = closing([{ finishReason, usage: { inputTokens: 7, outputTokens: 3 } }], stream);
      await rejectionOf(handle);
      expect(handle.trace.root.usage.total).toMatchObject({ inputTokens: 7, outputTokens: 3, totalTokens: 10 });
    }
  });
});

describe.each(modes)("calls (stream: $stream)", ({ stream }) => {
  it("L25, case 20 an unknown tool and wrong input go back to the model, and the tool does not run", async () => {
    const { handle, model, ran } = closing(
      [call({}, "nope"), call({ number: "12" }), call('{"number":'), call("[]"), call({ number: 12 }), "done"],
      stream,
    );
    const result = await handle;
    expect([result.output, ran]).toEqual(["done", [{ number: 12 }]]);
    const [unknown, wrong, cut, list, whole] = resultOutputs(model, 5) as { type: string; value: string }[];
    expect(unknown).toEqual({
      type: "error-text",
      value: "AI_NoSuchToolError: Model tried to call unavailable tool 'nope'. Available tools: close.",
    });
    expect(wrong).toMatchObject({
      type: "error-text",
      value: expect.stringMatching(/^AI_InvalidToolInputError: Invalid input for tool close: /),
    });
    expect(wrong?.value).toContain('"number"');
    expect(cut).toMatchObject({ type: "error-text", value: expect.stringContaining("JSON parsing failed") });
    expect(list).toMatchObject({ type: "error-text", value: expect.stringMatching(/expected object/) });
    expect(whole).toEqual({ type: "text", value: "closed 12" });
    expect(nodesOf(result.trace, "tool-call").map(({ name, status }) => `${name} ${status}`)).toEqual([
      "nope error",
      "close error",
      "close error",
      "close error",
      "close ok",
    ]);
  });

  it("L25 a wrong call beside a right one keeps the right one from nothing", async () => {
    const { handle, model, ran } = closing(
      [{ calls: [{ name: "close", input: { number: 1 } }, { name: "nope" }, { name: "close", input: "{" }] }, "done"],
      stream,
    );
    expect((await handle).output).toBe("done");
    expect(ran).toEqual([{ number: 1 }]);
    expect(resultOutputs(model, 1).map((output) => (output as { type: string }).type)).toEqual([
      "text",
      "error-text",
      "error-text",
    ]);
  });

  it("L25 wrong calls for ever end at the limit of a step", async () => {
    const model = scriptedModel(() => call({ number: "x" }));
    const error = await errorOf(
      run(
        <Agent
          model={model}
          tools={{ close: tool({ inputSchema: z.object({ number: z.number() }), execute: () => 1 }) }}
        >
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "step-limit", details: { modelCalls: 20, lastTools: ["close"] } });
  });

  it("L25, case 88 a call with cut-off input goes back to the model, whole ones of a cut answer fail the step, and none runs", async () => {
    const cut = '{"number":1,"note":"line1';
    const back = closing([{ ...call(cut), finishReason: "length" }, "again"], stream);
    expect((await back.handle).output).toBe("again");
    expect(resultOutputs(back.model, 1)).toMatchObject([{ type: "error-text" }]);
    for (const calls of [
      [{ name: "close", input: { number: 1 } }],
      [
        { name: "close", input: { number: 1 } },
        { name: "close", input: cut },
      ],
    ]) {
      const whole = closing([{ calls, finishReason: "length" }], stream);
      expect(await errorOf(whole.handle)).toMatchObject({ code: "answer-cut" });
      expect(whole.ran).toEqual([]);
    }
    expect(back.ran).toEqual([]);
  });

  it("L25 whole calls of an answer that was filtered, failed or ended otherwise are not run, and the step fails", async () => {
    const failures = {
      "content-filter": ["answer-filtered", /content filter stopped/],
      error: ["model-failed", /reported an error as the finish reason/],
      other: [
        "model-failed",
        /^june: the model "scripted" failed in the step "a": it called tools and finished with "other", so that they were not run$/,
      ],
    } as const;
    for (const [finishReason, [code, message]] of Object.entries(failures)) {
      const { handle, ran } = closing(
        [{ ...call({ number: 1 }), text: "Let me see.", finishReason: finishReason as "other" }],
        stream,
      );
      const error = await errorOf(handle);
      expect(error).toMatchObject({ name: "RunError", code });
      expect(error.message).toMatch(message);
      expect(ran).toEqual([]);
    }
  });

  it("L25 a model that must call a tool and does not fails by name", async () => {
    const { handle } = closing(["just text"], stream, { toolChoice: "required" });
    expect(await errorOf(handle)).toMatchObject({ code: "model-failed" });
  });

  it("L25 repairToolCall may mend a call", async () => {
    const { handle, ran } = closing([call({ number: "12" }), "done"], stream, {
      repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: '{"number":12}' }),
    });
    expect((await handle).output).toBe("done");
    expect(ran).toEqual([{ number: 12 }]);
  });
});

describe("streams that end early", () => {
  const start: Part = { type: "stream-start", warnings: [] };
  const text: Part[] = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "half an " },
  ];
  const input = '{"number":1}';
  const finished: Part[] = [
    { type: "tool-input-start", id: "c1", toolName: "close" },
    { type: "tool-input-delta", id: "c1", delta: input },
    { type: "tool-input-end", id: "c1" },
    { type: "tool-call", toolCallId: "c1", toolName: "close", input },
  ];
  const begun: Part[] = [
    { type: "tool-input-start", id: "c2", toolName: "close" },
    { type: "tool-input-delta", id: "c2", delta: "{" },
  ];
  const parts: Record<string, readonly Part[]> = {
    "before anything": [],
    "after its start": [start],
    "in a text": [start, ...text],
    "in a call": [start, ...begun],
    "after a whole call": [start, ...finished],
    "in a second call": [start, ...text, ...finished, ...begun],
  };
  const reset = new Error("socket hang up");
  const reported = new Error("overloaded in the middle");

  it.each(Object.keys(parts).flatMap((where) => (["end", reset] as const).map((how) => ({ where, how }))))(
    "L25, case 89 fail by that name, no call of theirs runs, and what is tried again starts from the same conversation ($where, $how)",
    async ({ where, how }) => {
      let ran = 0;
      const close = tool({ inputSchema: z.object({ number: z.number() }), execute: () => ++ran });
      const whole = scriptedModel([call({ number: 1 }), "done", "after"]);
      const model = cutModel([parts[where]!, parts[where]!], how, whole);
      const seen: unknown[] = [];
      const handle = run(
        <Agent model={model} tools={{ close }} name="closer" maxRetries={0}>
          <Catch
            retries={2}
            when={(error) => {
              seen.push(error);
              return true;
            }}
          >
            <Step id="a" prompt="go" />
          </Catch>
          <Step id="b" prompt="more" />
        </Agent>,
        { stream: true },
      );
      const result = await handle;
      expect(result.steps).toEqual({ a: "done", b: "after" });
      expect([ran, model.started]).toEqual([1, 5]);
      expect(whole.calls[0]?.prompt.map(({ role }) => role)).toEqual(["user"]);
      expect(result.messages("closer").map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
      ]);
      const isOpened = how === "end" || (where !== "before anything" && where !== "after its start");
      const failure = isOpened
        ? {
            code: "stream-cut",
            message:
              'june: the stream of the model "cut" ended before the answer was finished\nThe connection was probably lost: try again.',
          }
        : { code: "model-failed", message: 'june: the model "cut" failed in the step "a": socket hang up' };
      expect(seen).toMatchObject([failure, failure]);
      if (how === reset) expect(seen).toMatchObject([{ cause: reset }, { cause: reset }]);
    },
  );

  it("L25, case 89 an error reported in the middle is that error, and no call runs", async () => {
    let ran = 0;
    const close = tool({ inputSchema: z.object({ number: z.number() }), execute: () => ++ran });
    const broken: Part[] = [start, ...text, ...finished, { type: "error", error: reported }];
    const model = cutModel([broken], "end", scriptedModel([]));
    const error = await errorOf(
      run(
        <Agent model={model} tools={{ close }}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream: true },
      ),
    );
    expect(error).toMatchObject({ code: "model-failed", cause: reported });
    expect(error.message).toBe('june: the model "cut" failed in the step "a": overloaded in the middle');
    expect(ran).toBe(0);
  });

  it("L25 an error reported first is retried or passed on to the next model, as one thrown", async () => {
    const broken = cutModel([[start, { type: "error", error: reported }]], "end", scriptedModel([]));
    const result = await run(
      <Agent model={[broken, scriptedModel(["rescued"])]}>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream: true },
    );
    expect(result.output).toBe("rescued");
  });
});
