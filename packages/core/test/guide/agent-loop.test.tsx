/** The loop of model and tools as an agent's settings steer it: where it stops (L12), prepareStep, contexts, callbacks and tools that stream (L10). Long because each way a loop ends has a test. */

import { Output, hasToolCall, isLoopFinished, isStepCount, tool, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Step, Tool, run, type AgentProps, type JuneElement } from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { echo } from "../support/tools.js";
import { openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const callEcho = (text = "hi") => ({ calls: [{ name: "echo", input: { text } }] });
const nothing = z.object({});

describe.each(modes)("the default bound (stream: $stream)", ({ stream }) => {
  it("L12 lets 20 model calls be made, and names what the last one called", async () => {
    const model = scriptedModel(({ index }) =>
      index < 19 ? callEcho() : { calls: [{ name: "echo", input: { text: "a" } }, { name: "later" }] },
    );
    const error = await errorOf(
      run(
        <Agent model={model} tools={{ echo, later: tool({ inputSchema: nothing, execute: () => "x" }) }}>
          <Step id="loop" prompt="go" />
        </Agent>,
        { stream },
      ),
    );
    expect(model.calls).toHaveLength(20);
    expect(error).toMatchObject({
      name: "RunError",
      code: "step-limit",
      details: { step: "loop", modelCalls: 20, lastTools: ["echo", "later"] },
    });
    expect(error.message).toBe(
      'june: the step "loop" made 20 model calls without a final answer\nIts last tool calls were "echo", "later".\nSet stopWhen on the <Agent> to allow more, or make the prompt say when to stop.',
    );
  });

  it("L12 is no bound on the 20th answer, and each step has its own", async () => {
    const model = scriptedModel(({ index }) => (index % 20 < 19 ? callEcho() : `after ${index}`));
    const result = await run(
      <Agent model={model} tools={{ echo }}>
        <Step id="a" prompt="go" />
        <Step id="b" prompt="go" />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ a: "after 19", b: "after 39" });
  });

  it("L12 counts calls whatever the provider says they finished with", async () => {
    const model = scriptedModel(() => ({ ...callEcho(), finishReason: "stop" }));
    const error = await errorOf(
      run(
        <Agent model={model} tools={{ echo }}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "step-limit", details: { modelCalls: 20 } });
  });
});

describe.each(modes)("an own stopWhen (stream: $stream)", ({ stream }) => {
  const slow = tool({ inputSchema: nothing, execute: () => settled().then(() => "slow") });
  const quick = tool({ inputSchema: nothing, execute: () => "quick" });
  const failing = tool({
    inputSchema: nothing,
    execute: (): string => {
      throw new Error("bad");
    },
  });
  const silent = tool({ inputSchema: nothing, execute: () => undefined });

  /** The output of a step that stops after `count` model calls. */
  const outputOf = async (script: readonly ScriptEntry[], count = script.length, props: Partial<AgentProps> = {}) =>
    (
      await run(
        <Agent
          model={scriptedModel(script)}
          tools={{ echo, slow, quick, failing, silent }}
          stopWhen={isStepCount(count)}
          {...props}
        >
          <Step id="a" prompt="go" />
        </Agent>,
        { stream, onRequest: () => ({ approved: false }) },
      )
    ).output;

  it("L12 is a success: the text so far, of all its turns", async () => {
    expect(await outputOf([{ ...callEcho(), text: "First." }, callEcho(), { ...callEcho(), text: "Then." }])).toBe(
      "First.\nThen.",
    );
  });

  it("L12 without text gives the output of the last call, in the model's order whatever ended first", async () => {
    expect(await outputOf([callEcho("one"), callEcho("two")])).toBe("two");
    expect(await outputOf([{ calls: [{ name: "slow" }, { name: "quick" }] }])).toBe("quick");
    expect(await outputOf([{ calls: [{ name: "quick" }, { name: "slow" }] }])).toBe("slow");
    expect(await outputOf([{ calls: [{ name: "quick" }, { name: "slow" }], text: "  " }])).toBe("slow");
    expect(await outputOf([{ ...callEcho(), finishReason: "stop" }])).toBe("hi");
    expect(await outputOf([{ calls: [{ name: "silent" }] }])).toBeNull();
  });

  it("L12 passes over calls that gave nothing, and is never a silent empty answer", async () => {
    expect(await outputOf([callEcho("kept"), { calls: [{ name: "failing" }, { name: "none" }] }])).toBe("kept");
    const held = { toolApproval: { echo: "user-approval" } } as const;
    for (const [script, props] of [
      [[{ calls: [{ name: "failing" }] }], {}],
      [[{ calls: [{ name: "none" }] }], {}],
      [[callEcho()], held],
    ] as const) {
      const error = await errorOf(outputOf(script, 1, props));
      expect(error).toMatchObject({ name: "RunError", code: "empty-answer" });
      expect(error.message).toBe(
        'june: the model gave no answer in the step "a" (finish reason "tool-calls")\nAsk for an answer in the prompt, or try another model.',
      );
    }
  });

  it("L12 of a composite gives the workflow's output, without its trace", async () => {
    const result = await run(
      <Agent model={scriptedModel([{ calls: [{ name: "work" }] }])} stopWhen={hasToolCall("work")}>
        <Tool name="work" description="Work" input={nothing}>
          {() => "done"}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    expect(result.output).toBe("done");
  });

  it("L12 is not asked when the model answered, and may be a list, or never end the loop", async () => {
    expect(await outputOf(["answer"], 1)).toBe("answer");
    const anyOf = { stopWhen: [isStepCount(9), hasToolCall("quick")] };
    expect(await outputOf([callEcho(), { calls: [{ name: "quick" }] }], 9, anyOf)).toBe("quick");
    const long = [...Array.from({ length: 25 }, () => callEcho()), "at last"];
    expect(await outputOf(long, 0, { stopWhen: isLoopFinished() })).toBe("at last");
  });

  it("L12, L21 stops before an output is there: what there is instead is given", async () => {
    const output = Output.object({ schema: z.object({ degrees: z.number() }) });
    const result = await run(
      <Agent model={scriptedModel([callEcho()])} tools={{ echo }} stopWhen={isStepCount(1)}>
        <Step id="a" prompt="go" output={output} />
      </Agent>,
      { stream },
    );
    expect(result.output).toBe("hi");
  });

  it("L12, L6 that throws fails with the place of the step", async () => {
    const error = await errorOf(
      outputOf([callEcho()], 1, {
        stopWhen: () => {
          throw new Error("no count");
        },
      }),
    );
    expect(error).toMatchObject({
      code: "component-failed",
      message: 'june: <Agent> > <Step id="a"> failed: no count',
    });
  });

  it("L12 and stepNumber count over the whole step, people answering in between or not", async () => {
    const numbers: number[] = [];
    const counts: number[] = [];
    const { output } = await run(
      <Agent
        model={scriptedModel([callEcho(), callEcho("last")])}
        tools={{ echo }}
        toolApproval={{ echo: "user-approval" }}
        prepareStep={({ stepNumber }) => void numbers.push(stepNumber)}
        stopWhen={({ steps }) => counts.push(steps.length) === 2}
      >
        <Step id="a" prompt="go" />
      </Agent>,
      { stream, onRequest: () => ({ approved: true }) },
    );
    expect([output, numbers, counts]).toEqual(["last", [0, 1], [1, 2]]);
  });
});

describe.each(modes)("prepareStep (stream: $stream)", ({ stream }) => {
  /** Runs a step of an agent with `a`, `b` and `c`; `b` alone is active unless `prepareStep` says otherwise. */
  function prepared(
    prepareStep: NonNullable<AgentProps["prepareStep"]>,
    script: readonly ScriptEntry[],
    props: Partial<AgentProps> = {},
  ) {
    const model = scriptedModel(script, { modelId: "own" });
    const handle = run(
      <Agent model={model} tools={{ a: echo, b: echo, c: echo }} prepareStep={prepareStep} {...props}>
        <Step id="s" prompt="go" />
        <Step id="t" prompt="again" />
      </Agent>,
      { stream },
    );
    return { model, handle };
  }
  const call = (name: string) => ({ calls: [{ name, input: { text: name } }] });

  it("L10 chooses another model for one call", async () => {
    const other = scriptedModel([call("a")], { modelId: "other" });
    const seen: string[] = [];
    const { model, handle } = prepared(
      ({ stepNumber, model: usual }) => {
        seen.push(typeof usual === "string" ? usual : usual.modelId);
        return stepNumber === 0 && other.calls.length === 0 ? { model: other } : {};
      },
      ["first", "second"],
    );
    expect((await handle).steps).toEqual({ s: "first", t: "second" });
    expect([other.calls.length, model.calls.length]).toEqual([1, 2]);
    expect(seen).toEqual(["own", "own", "own"]);
  });

  it("L10 chooses the tools of one call, also beyond the agent's activeTools", async () => {
    const { model, handle } = prepared(
      ({ stepNumber }) => (stepNumber === 0 ? { activeTools: ["a", "c"] } : undefined),
      [call("c"), "first", "second"],
      { activeTools: ["b"] },
    );
    expect((await handle).steps).toEqual({ s: "first", t: "second" });
    expect(model.calls.map(({ tools }) => tools)).toEqual([["a", "c"], ["b"], ["a", "c"]]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "c" }]);
  });

  it("L10 without a word about tools leaves the agent's activeTools in force", async () => {
    const { model, handle } = prepared(() => ({}), ["first", "second"], { activeTools: ["b"] });
    await handle;
    expect(model.calls.map(({ tools }) => tools)).toEqual([["b"], ["b"]]);
  });

  it("L10 changes what this loop sends, and not the conversation", async () => {
    const shortened: ModelMessage[] = [{ role: "user", content: "in short" }];
    const { model, handle } = prepared(
      ({ stepNumber }) => ({ instructions: "Be brief.", ...(stepNumber === 0 ? { messages: shortened } : {}) }),
      ["first", "second"],
    );
    const result = await handle;
    expect(model.calls[0]?.prompt).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ text: "in short" }] },
    ]);
    expect(result.messages()).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant" },
      { role: "user", content: "again" },
      { role: "assistant" },
    ]);
  });

  it("L10, L6 that throws, or gives what are no messages, fails with the place of the step", async () => {
    const error = await errorOf(
      prepared(() => {
        throw new Error("no idea");
      }, []).handle,
    );
    expect(error).toMatchObject({ name: "RunError", code: "component-failed" });
    expect(error.message).toBe('june: <Agent> > <Step id="s"> failed: no idea');
    const wrong = await errorOf(prepared(() => ({ messages: ["text" as never] }), []).handle);
    expect(wrong).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
  });
});

describe.each(modes)("contexts (stream: $stream)", ({ stream }) => {
  it("L10 reach the tools by their exposed names, and the run's context the callbacks", async () => {
    const prepared: unknown[] = [];
    const given: Record<string, unknown> = {};
    const whoami = tool({
      inputSchema: nothing,
      contextSchema: z.object({ user: z.string() }),
      execute: (_input, { context }) => void (given["whoami"] = context),
    });
    const plain = tool({ inputSchema: nothing, execute: (_input, { context }) => void (given["plain"] = context) });
    const toolsContext = { whoami: { user: "ann" } };
    await run(
      <Agent
        model={scriptedModel([{ calls: [{ name: "whoami" }, { name: "plain" }] }, "done"])}
        toolsContext={toolsContext}
        prepareStep={(options) => void prepared.push([options.runtimeContext, options.toolsContext])}
      >
        <Tool name="whoami" value={whoami} />
        <Tool name="plain" value={plain} />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream, context: { tenant: 7 } },
    );
    const contexts = [{ tenant: 7 }, toolsContext];
    expect(prepared).toEqual([contexts, contexts]);
    expect(given).toEqual({ whoami: { user: "ann" }, plain: undefined });
  });

  it("L10 of the agent win over the run's", async () => {
    const seen: unknown[] = [];
    await run(
      <Agent
        model={scriptedModel(["done"])}
        runtimeContext={{ tenant: 8 }}
        prepareStep={({ runtimeContext }) => void seen.push(runtimeContext)}
      >
        <Step id="a" prompt="go" />
      </Agent>,
      { stream, context: { tenant: 7 } },
    );
    expect(seen).toEqual([{ tenant: 8 }]);
  });
});

describe.each(modes)("tools that stream (stream: $stream)", ({ stream }) => {
  async function* counting({ to }: { to: number }) {
    for (let number = 1; number <= to; number++) yield `at ${number}`;
  }
  const count = tool({ inputSchema: z.object({ to: z.number() }), execute: counting });
  const arrow = tool({ inputSchema: z.object({ to: z.number() }), execute: (input) => counting(input) });
  const script = (name: string, to: number): ScriptEntry[] => [{ calls: [{ name, input: { to } }] }, "done"];
  const counter = (model: ReturnType<typeof scriptedModel>, props: Partial<AgentProps> = {}): JuneElement => (
    <Agent model={model} {...props}>
      <Tool name="count" value={count} />
      <Tool name="arrow" value={arrow} />
      <Step id="a" prompt="go" />
    </Agent>
  );

  it.each(["count", "arrow"])("L10 give the model the last value alone (%s)", async (name) => {
    for (const [to, value] of [
      [3, { type: "text", value: "at 3" }],
      [1, { type: "text", value: "at 1" }],
      [0, { type: "json", value: null }],
    ] as const) {
      const model = scriptedModel(script(name, to));
      expect((await run(counter(model), { stream })).output).toBe("done");
      expect(resultOutputs(model, 1)).toEqual([value]);
    }
  });

  it("L10 tell what they have so far, also after an approval", async () => {
    const model = scriptedModel(script("count", 3));
    const handle = run(counter(model, { toolApproval: { count: "user-approval" } }), { stream });
    const progress: unknown[] = [];
    const reading = (async () => {
      for await (const event of handle.events) if (event.type === "tool-call-progress") progress.push(event.value);
    })();
    await openRequests(handle);
    expect(progress).toEqual([]);
    await handle.approve();
    await handle;
    await reading;
    expect(progress).toEqual(["at 1", "at 2", "at 3"]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "at 3" }]);
  });

  it("L10 that are denied never start", async () => {
    const model = scriptedModel(script("count", 3));
    const approval = { toolApproval: { count: "denied" } } as const;
    expect((await run(counter(model, approval), { stream })).output).toBe("done");
    expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied" }]);
  });
});

describe.each(modes)("toolCallConcurrency (stream: $stream)", ({ stream }) => {
  it("L10 lets so many calls run at once, and a call that waits for a person is none of them", async () => {
    let running = 0;
    let most = 0;
    const ran: string[] = [];
    const work = tool({
      inputSchema: z.object({ name: z.string(), ask: z.boolean().default(false) }),
      execute: async ({ name }) => {
        most = Math.max(most, ++running);
        await settled();
        running--;
        ran.push(name);
        return name;
      },
    });
    const question = tool({ inputSchema: nothing, outputSchema: z.string() });
    const input = (name: string, ask = false) => ({ name: "work", input: { name, ask } });
    const model = scriptedModel([
      { calls: [input("held", true), { name: "question" }, input("b"), input("c"), input("d")] },
      "done",
    ]);
    const handle = run(
      <Agent
        model={model}
        toolCallConcurrency={1}
        toolApproval={{ work: ({ ask }: { ask: boolean }) => (ask ? "user-approval" : undefined) }}
        tools={{ work, question }}
      >
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    const [held, asked] = await openRequests(handle, 2);
    for (let round = 0; round < 6; round++) await settled();
    expect(ran).toEqual(["b", "c", "d"]);
    await handle.approve(held!.id);
    await handle.answer(asked!.id, "yes");
    expect((await handle).output).toBe("done");
    expect([most, ran]).toEqual([1, ["b", "c", "d", "held"]]);
    expect(resultOutputs(model, 1).map((output) => (output as { value: unknown }).value)).toEqual([
      "held",
      "yes",
      "b",
      "c",
      "d",
    ]);
  });
});

describe.each(modes)("callbacks (stream: $stream)", ({ stream }) => {
  const names = [
    "onStart",
    "onStepStart",
    "onLanguageModelCallStart",
    "onLanguageModelCallEnd",
    "onToolExecutionStart",
    "onToolExecutionEnd",
    "onStepEnd",
    "onEnd",
  ] as const;

  it("L10 are called in the SDK's order, once for each thing that happens", async () => {
    const seen: string[] = [];
    const callbacks = Object.fromEntries(names.map((name) => [name, () => void seen.push(name)]));
    await run(
      <Agent model={scriptedModel([callEcho(), "done"])} tools={{ echo }} {...callbacks}>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    const count = (name: string) => seen.filter((other) => other === name).length;
    expect(names.map(count)).toEqual([1, 2, 2, 2, 1, 1, 2, 1]);
    expect([seen[0], seen.at(-1)]).toEqual(["onStart", "onEnd"]);
    expect(seen.indexOf("onToolExecutionEnd")).toBeLessThan(seen.indexOf("onStepEnd"));
  });

  it("L10 that throw change nothing", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    const callbacks = Object.fromEntries(names.map((name) => [name, broken]));
    const { output } = await run(
      <Agent model={scriptedModel([callEcho(), "done"])} tools={{ echo }} {...callbacks}>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    expect(output).toBe("done");
  });

  it("L10 of telemetry are called for the agent that has them, else for those of the run", async () => {
    const heard: string[] = [];
    const listener = (name: string) => ({ integrations: [{ onStart: () => void heard.push(name) }] });
    await run(
      <>
        <Agent model={scriptedModel(["one"])} telemetry={listener("agent")}>
          one
        </Agent>
        <Agent model={scriptedModel(["two"])}>two</Agent>
      </>,
      { stream, telemetry: listener("run") },
    );
    expect(heard).toEqual(["agent", "run"]);
  });
});

describe("callbacks of streams", () => {
  it("L10 hear of errors and aborts, and change neither", async () => {
    const heard: unknown[] = [];
    const down = new Error("down");
    const error = await errorOf(
      run(
        <Agent model={scriptedModel([down])} onError={(event) => void heard.push((event as { error: Error }).error)}>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream: true },
      ),
    );
    expect(error).toMatchObject({ code: "model-failed", cause: down });
    expect(heard).toHaveLength(1);
    const abort = new AbortController();
    const reason = new Error("enough");
    const aborted = run(
      <Agent
        model={scriptedModel([{ ...callEcho(), waitFor: new Promise(() => {}) }])}
        tools={{ echo }}
        onAbort={() => void heard.push("abort")}
      >
        <Step id="a" prompt="go" />
      </Agent>,
      { stream: true, signal: abort.signal },
    );
    await settled();
    abort.abort(reason);
    expect(await errorOf(aborted)).toBe(reason);
    expect(heard).toHaveLength(2);
  });
});
