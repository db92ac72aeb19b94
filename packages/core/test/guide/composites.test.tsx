/** Composite tools: a call is a run of its own, and its model gets the output alone. Long because it is the whole of one guide page. */

import { jsonSchema, tool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  run,
  type CompositeResult,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel, type ScriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { everythingSent, resultOutputs } from "../support/prompts.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { allNodes, childTrace, nodeOf, nodesOf } from "../support/trace-nodes.js";
import { collectEvents, openRequests, untilEvent } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const topic = z.object({ topic: z.string() });
const callResearch = (...topics: string[]) => ({
  calls: topics.map((name) => ({ name: "research", input: { topic: name } })),
});

/** An agent whose only tool is the composite `research`. */
function researching(
  model: ScriptedModel,
  children: (input: { topic: string }) => JuneNode | Promise<JuneNode>,
  output?: (result: CompositeResult) => unknown,
) {
  return (
    <Agent model={model}>
      <Tool name="research" description="Researches" input={topic} {...(output === undefined ? {} : { output })}>
        {children}
      </Tool>
      <Step id="report" prompt="go" />
    </Agent>
  );
}

/** What the calling model gets of a child run that gives `children`, picked by `output`. */
async function modelGets(children: JuneNode, output?: (result: CompositeResult) => unknown): Promise<unknown> {
  const model = scriptedModel([callResearch("x"), "done"]);
  await run(researching(model, () => children, output));
  return resultOutputs(model, 1)[0];
}

const failure = (message: string) => ({ type: "error-text", value: `june: the tool "research" failed: ${message}` });

describe("a call", () => {
  it.each(modes)("C40 renders fn(input) as a run of its own (stream: $stream)", async ({ stream }) => {
    const model = scriptedModel([callResearch("tides"), "reported"]);
    const inner = scriptedModel([{ text: "The moon.", expect: { user: "What causes tides?" } }]);
    const result = await run(
      researching(model, async ({ topic: name }) => (
        <Agent model={inner}>
          <Step id="findings" prompt={`What causes ${name}?`} />
        </Agent>
      )),
      { stream },
    );
    expect(result.output).toBe("reported");
    // Its steps are its own: the outer run does not have them.
    expect(Object.keys(result.steps)).toEqual(["report"]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "The moon." }]);
    expect(inner.calls[0]!.isStream).toBe(stream);
  });

  it("C40 shares nothing of the caller: no conversation, no tools, no model, no results", async () => {
    const model = scriptedModel([callResearch("x"), "reported"]);
    const inner = scriptedModel(["found"]);
    const seen: unknown[] = [];
    const secret = tool({ inputSchema: z.object({}), execute: () => "x" });
    await run(
      <Agent model={model} instructions="outer instructions">
        <Tool name="secret" value={secret} />
        <Tool name="research" description="Researches" input={topic}>
          {() => (
            <Agent model={inner}>
              <Step
                id="findings"
                prompt={(results) => {
                  seen.push({ ...results });
                  return "go";
                }}
              />
            </Agent>
          )}
        </Tool>
        <Step id="report" prompt="outer prompt" />
      </Agent>,
    );
    expect(inner.calls[0]!.tools).toEqual([]);
    expect(everythingSent(inner)).not.toContain("outer");
    expect(seen).toEqual([{}]);
    const withoutModel = scriptedModel([callResearch("x"), "done"]);
    await run(
      researching(withoutModel, () => (
        <Agent>
          <Step id="findings" prompt="go" />
        </Agent>
      )),
    );
    expect(resultOutputs(withoutModel, 1)).toEqual([
      { type: "error-text", value: expect.stringContaining("has no model") },
    ]);
  });

  it("C40 takes the default model of the run", async () => {
    const model = scriptedModel([callResearch("x"), "found", "done"]);
    await run(
      <Agent>
        <Tool name="research" description="Researches" input={topic}>
          {() => (
            <Agent>
              <Step id="findings" prompt="inner" />
            </Agent>
          )}
        </Tool>
        <Step id="report" prompt="go" />
      </Agent>,
      { model },
    );
    expect(model.calls).toHaveLength(3);
  });

  it("C40 its steps need an agent of their own", async () => {
    const result = await modelGets(<Step id="findings" prompt="go" />);
    expect(result).toMatchObject({ type: "error-text" });
    expect((result as { value: string }).value).toContain(
      "A composite tool runs on its own: put an <Agent> around the step inside the tool's function.",
    );
  });

  it("C40 may use an id of the outer run, and one id in each of two calls", async () => {
    const model = scriptedModel([callResearch("a", "b"), "done"]);
    const { output } = await run(
      researching(model, ({ topic: name }) => (
        <Agent model={echoModel()}>
          <Step id="report" prompt={name} />
        </Agent>
      )),
    );
    expect(output).toBe("done");
    expect(resultOutputs(model, 1)).toEqual([
      { type: "text", value: "a" },
      { type: "text", value: "b" },
    ]);
  });

  it("C40 the declaring agent is the parent scope for <Inherit>", async () => {
    const ping = tool({ inputSchema: z.object({}), execute: () => "pong" });
    const inner = scriptedModel([{ calls: [{ name: "net_ping" }], expect: { tools: ["net_ping"] } }, "found"]);
    const { output } = await run(
      <Agent model={scriptedModel([callResearch("x"), "done"])}>
        <Namespace name="net">
          <Tool name="ping" value={ping} />
        </Namespace>
        <Tool name="research" description="Researches" input={topic}>
          {() => (
            <Agent model={inner}>
              <Inherit capabilities={["net_ping"]} />
              <Step id="findings" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Step id="report" prompt="go" />
      </Agent>,
    );
    expect(output).toBe("done");
    expect(inner.calls).toHaveLength(2);
  });

  it("C40 a granted composite keeps its declarer's scope, not the caller's", async () => {
    const inner = scriptedModel([{ text: "found", expect: { tools: ["ping"] } }]);
    const ping = (answer: string) => tool({ description: answer, inputSchema: z.object({}), execute: () => answer });
    const caller = scriptedModel([callResearch("x"), "done"]);
    await run(
      <Agent model={scriptedModel([])}>
        <Tool name="ping" value={ping("the declarer's")} />
        <Tool name="research" description="Researches" input={topic}>
          {() => (
            <Agent model={inner}>
              <Inherit capabilities={["ping"]} />
              <Step id="findings" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Agent model={caller}>
          <Tool name="ping" value={ping("the caller's")} />
          <Inherit capabilities={["research"]} />
          <Step id="report" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(inner.calls[0]!.options.tools).toMatchObject([{ name: "ping", description: "the declarer's" }]);
    expect(resultOutputs(caller, 1)).toEqual([{ type: "text", value: "found" }]);
  });

  it("C40 validates the input before fn is called, with any Standard Schema that has a JSON Schema form", async () => {
    const rendered: unknown[] = [];
    const inputs = {
      zod: topic,
      "JSON Schema": jsonSchema<{ topic: string }>(
        { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
        {
          validate: (value) =>
            typeof (value as { topic?: unknown }).topic === "string"
              ? { success: true, value: value as { topic: string } }
              : { success: false, error: new Error("topic must be text") },
        },
      ),
    };
    for (const input of Object.values(inputs)) {
      rendered.length = 0;
      const model = scriptedModel([{ calls: [{ name: "research", input: { topic: 5 } }] }, callResearch("x"), "done"]);
      await run(
        <Agent model={model}>
          <Tool name="research" description="Researches" input={input}>
            {(value: { topic: string }) => {
              rendered.push(value);
              return "found";
            }}
          </Tool>
          <Step id="report" prompt="go" />
        </Agent>,
      );
      expect(rendered).toEqual([{ topic: "x" }]);
      expect(resultOutputs(model, 1)[0]).toMatchObject({ type: "error-text", value: expect.stringContaining("topic") });
    }
  });
});

describe("what the model gets", () => {
  const steps = (...ids: string[]) => (
    <Agent model={echoModel()}>
      {ids.map((id) => (
        <Step key={id} id={id} prompt={`about ${id}`} />
      ))}
    </Agent>
  );

  it("C41 is the only step's result, an object of every step's, or the text when there is none", async () => {
    expect(await modelGets(steps("one"))).toEqual({ type: "text", value: "about one" });
    expect(await modelGets(steps("one", "two"))).toEqual({
      type: "json",
      value: { one: "about one", two: "about two" },
    });
    expect(await modelGets(["found ", 3, " papers"])).toEqual({ type: "text", value: "found 3 papers" });
    expect(await modelGets(null)).toEqual({ type: "json", value: null });
  });

  it("C41 is what output picks: text as text, anything else as JSON, undefined as null", async () => {
    for (const [picked, expected] of [
      ["text", { type: "text", value: "text" }],
      ["", { type: "text", value: "" }],
      [
        { n: 1, list: [true, null] },
        { type: "json", value: { n: 1, list: [true, null] } },
      ],
      [5, { type: "json", value: 5 }],
      [undefined, { type: "json", value: null }],
      [
        { kept: 1, dropped: undefined },
        { type: "json", value: { kept: 1 } },
      ],
    ] as const) {
      expect(await modelGets(steps("one"), () => picked)).toEqual(expected);
      expect(await modelGets(steps("one"), async () => picked)).toEqual(expected);
    }
    const given: unknown[] = [];
    await modelGets(steps("one", "two"), (result) =>
      given.push(structuredClone({ ...result, steps: { ...result.steps } })),
    );
    expect(given).toEqual([
      { output: { one: "about one", two: "about two" }, steps: { one: "about one", two: "about two" } },
    ]);
  });

  it("C41 a throw of output is the tool error of C44", async () => {
    const broken = () => {
      throw new Error("nothing to pick");
    };
    expect(await modelGets("text", broken)).toEqual(failure("nothing to pick"));
    expect(await modelGets("text", () => Promise.reject(new Error("nothing to pick")))).toEqual(
      failure("nothing to pick"),
    );
  });

  it("C41, L63 is strict JSON: what JSON cannot hold is a tool error with its path", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = { again: cycle };
    for (const [value, path, found] of [
      [{ rows: [{ id: 1n }] }, "output.rows[0].id", "a bigint"],
      [{ at: new Date(0) }, "output.at", "a Date"],
      [{ m: new Map([["k", 1]]) }, "output.m", "a Map"],
      [new Set([1]), "output", "a Set"],
      [[1, Number.NaN], "output[1]", "NaN"],
      [{ size: Infinity }, "output.size", "Infinity"],
      [[undefined], "output[0]", "undefined"],
      [{ call: () => 1 }, "output.call", "a function"],
      [{ "a b": Symbol("s") }, 'output["a b"]', "a symbol"],
      [new Error("e"), "output", "a Error"],
      [cycle, "output.self.again", "a cycle"],
    ] as const) {
      expect(await modelGets("text", () => value)).toEqual(
        failure(
          `the output of the tool "research" is not JSON: ${path} is ${found}\nReturn plain data: objects, arrays, text, finite numbers, booleans and null.`,
        ),
      );
    }
  });

  it("C42 the call's output is { output, trace, usage }, a JSON value, for code that watches", async () => {
    const outputs: unknown[] = [];
    const model = scriptedModel([callResearch("x"), "done"]);
    await run(
      <Agent
        model={model}
        onToolExecutionEnd={({ toolOutput }) => void outputs.push((toolOutput as { output: unknown }).output)}
      >
        <Tool name="research" description="Researches" input={topic}>
          {() => steps("one")}
        </Tool>
        <Step id="report" prompt="go" />
      </Agent>,
    );
    const [output] = outputs as [{ output: unknown; trace: { root: { children: unknown[] } }; usage: unknown }];
    expect(Object.keys(output)).toEqual(["output", "trace", "usage"]);
    expect(output).toMatchObject({
      output: "about one",
      trace: { format: "june.trace/1", root: { kind: "run", status: "ok" } },
      usage: { own: { inputTokens: 10, outputTokens: 5 }, total: { inputTokens: 10, outputTokens: 5 } },
    });
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
  });

  it.each(modes)(
    "C42 the model never sees trace or usage, in this turn, a later one, a later step or conversation (stream: $stream)",
    async ({ stream }) => {
      const model = scriptedModel([callResearch("x"), callResearch("y"), "first", "second", "third"]);
      const result = await run(
        <Agent name="guide" model={model}>
          <Tool name="research" description="Researches" input={topic}>
            {() => (
              <Agent name="inner-agent" model={echoModel()}>
                <Step id="inner-step" prompt="found" />
              </Agent>
            )}
          </Tool>
          <Step id="report" prompt="go" />
          <Step id="again" prompt="go on" />
        </Agent>,
        { stream, trace: { capture: "full" } },
      );
      await run(
        <Agent model={model} messages={result.messages("guide")}>
          <Step id="later" prompt="go on" />
        </Agent>,
        { stream },
      );
      expect(model.calls).toHaveLength(5);
      for (const inside of ["inner-agent", "inner-step", "june.trace", "inputTokens", "durationMs"]) {
        expect(everythingSent(model)).not.toContain(inside);
        expect(JSON.stringify(result.messages("guide"))).not.toContain(inside);
      }
      expect(resultOutputs(model, 4)).toEqual([
        { type: "text", value: "found" },
        { type: "text", value: "found" },
      ]);
    },
  );

  it("C42 the trace has one root, and each node of the child run once, inside its tool call", async () => {
    const { trace } = await run(
      researching(scriptedModel([callResearch("a", "b"), "done"]), ({ topic: name }) => steps(`${name}-step`)),
    );
    const calls = nodesOf(trace, "tool-call");
    expect(calls.map(({ path }) => path)).toEqual([
      "/agent[0]/step[report]/model[0]/tool[0:research]",
      "/agent[0]/step[report]/model[0]/tool[1:research]",
    ]);
    for (const [index, call] of calls.entries()) {
      expect(call.children).toEqual([]);
      expect(allNodes(childTrace(call)!).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        "run research",
        "agent agent",
        `step ${["a-step", "b-step"][index]}`,
        "model-call echo",
      ]);
    }
    const ids = allNodes(trace).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("a failure inside", () => {
  const Broken = () => {
    throw new Error("disk full", { cause: new Error("no space") });
  };

  it.each(modes)("C44 is a tool error the model reads, and the run goes on (stream: $stream)", async ({ stream }) => {
    for (const [children, message] of [
      [<Broken />, "disk full"],
      [
        <Agent model={scriptedModel([new Error("the provider is down")])}>
          <Step id="findings" prompt="go" />
        </Agent>,
        "the provider is down",
      ],
      [
        <Agent model={scriptedModel([{ text: "cut", finishReason: "length" }])}>
          <Step id="findings" prompt="go" />
        </Agent>,
        'the answer of the step "research:findings" was cut off at the model\'s output limit',
      ],
    ] as const) {
      const model = scriptedModel([callResearch("x"), "went on"]);
      const { output } = await run(
        researching(model, () => children),
        { stream },
      );
      expect(output).toBe("went on");
      const [given] = resultOutputs(model, 1) as [{ type: string; value: string }];
      expect(given.type).toBe("error-text");
      expect(given.value.split("\n", 1)[0]).toBe(`june: the tool "research" failed: ${message}`);
    }
  });

  it("C44 also a DeclarationError", async () => {
    const model = scriptedModel([callResearch("x"), "went on"]);
    const { output } = await run(
      researching(model, () => (
        <Agent model={echoModel()}>
          <Step id="same" prompt="a" />
          <Step id="same" prompt="b" />
        </Agent>
      )),
    );
    expect(output).toBe("went on");
    expect((resultOutputs(model, 1)[0] as { value: string }).value).toContain(
      'june: the tool "research" failed: two steps of this run have the id "same"',
    );
  });

  it("C44, L63 the trace keeps the whole chain, at every level", async () => {
    const outer = scriptedModel([callResearch("x"), "went on"]);
    const inner = scriptedModel([{ calls: [{ name: "dig", input: {} }] }, "gave up"]);
    const { trace } = await run(
      researching(outer, () => (
        <Agent model={inner}>
          <Tool name="dig" description="Digs" input={z.object({})}>
            {() => <Broken />}
          </Tool>
          <Step id="findings" prompt="go" />
        </Agent>
      )),
    );
    expect(resultOutputs(inner, 1)).toEqual([{ type: "error-text", value: 'june: the tool "dig" failed: disk full' }]);
    const dig = nodeOf(trace, "tool-call", "dig");
    expect(dig).toMatchObject({
      status: "error",
      error: { code: "component-failed", cause: { message: "disk full", cause: { message: "no space" } } },
    });
    expect(childTrace(dig)!.root).toMatchObject({ status: "error" });
    expect(nodeOf(trace, "tool-call", "research").status).toBe("ok");
  });

  it("C44 a limit of the whole tree fails the outermost run instead", async () => {
    const inner = scriptedModel(() => "found");
    const outer = scriptedModel([callResearch("x")]);
    const error = await errorOf(
      run(
        researching(outer, () => (
          <Agent model={inner}>
            <Step id="a" prompt="go" />
            <Step id="b" prompt="go" />
          </Agent>
        )),
        { limits: { modelCalls: 2 } },
      ),
    );
    expect(error).toMatchObject({ code: "limit-reached", details: { limit: "modelCalls" } });
    expect([outer.calls.length, inner.calls.length]).toEqual([1, 1]);
  });
});

describe("an abort", () => {
  it.each(modes)(
    "C44 of the run ends the child run, waits for its cleanup and is no tool error (stream: $stream)",
    async ({ stream }) => {
      const log: string[] = [];
      const slow = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise((_resolve, reject) => {
            log.push("started");
            abortSignal!.addEventListener("abort", async () => {
              await settled();
              log.push("cleaned up");
              reject(abortSignal!.reason as Error);
            });
          }),
      });
      const outer = scriptedModel([callResearch("x")]);
      const inner = scriptedModel([{ calls: [{ name: "slow" }] }]);
      const reason = { why: "enough" };
      const report = await watchProcess(async () => {
        const handle = run(
          researching(outer, () => (
            <Agent model={inner}>
              <Tool name="slow" value={slow} />
              <Step id="findings" prompt="go" />
            </Agent>
          )),
          { stream },
        );
        await untilEvent(handle, (event) => event.type === "tool-call-start" && event.name === "slow");
        await settled();
        handle.abort(reason);
        expect(await rejectionOf(handle)).toBe(reason);
        log.push("rejected");
        expect(allNodes(handle.trace).every(({ status }) => status !== "running")).toBe(true);
        for (const node of nodesOf(handle.trace, "tool-call"))
          expect(node).toMatchObject({ status: "aborted", error: { message: '{"why":"enough"}' } });
      });
      expect(log).toEqual(["started", "cleaned up", "rejected"]);
      expect([outer.calls.length, inner.calls.length]).toEqual([1, 1]);
      expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
    },
  );

  it.each(modes)(
    "C44 of the call, by its time limit, ends the child run after its cleanup and is a tool error (stream: $stream)",
    async ({ stream }) => {
      const log: string[] = [];
      const outer = scriptedModel([callResearch("x"), "went on"]);
      const slow = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise((_resolve, reject) => {
            abortSignal!.addEventListener("abort", async () => {
              await settled();
              log.push("cleaned up");
              reject(abortSignal!.reason as Error);
            });
          }),
      });
      const handle = run(
        <Agent model={outer} timeout={{ toolMs: 20 }}>
          <Tool name="research" description="Researches" input={topic}>
            {() => (
              <Agent model={scriptedModel([{ calls: [{ name: "slow" }] }, "unreached"])}>
                <Tool name="slow" value={slow} />
                <Step id="findings" prompt="go" />
              </Agent>
            )}
          </Tool>
          <Step id="report" prompt="go" />
        </Agent>,
        { stream },
      );
      expect((await handle).output).toBe("went on");
      expect(log).toEqual(["cleaned up"]);
      expect(resultOutputs(outer, 1)).toEqual([failure('the tool "research" took longer than 20 ms')]);
      expect(nodeOf(handle.trace, "tool-call", "research").status).toBe("error");
      expect(nodeOf(handle.trace, "tool-call", "slow").status).toBe("aborted");
    },
  );
});

describe("calls at once", () => {
  it.each(modes)(
    "C46 run side by side and keep ids, results, requests and traces apart (stream: $stream)",
    async ({ stream }) => {
      const both = deferred();
      let inside = 0;
      const save = tool({ inputSchema: topic, execute: ({ topic: name }) => `saved ${name}` });
      const model = scriptedModel([callResearch("a", "b", "c"), "done"]);
      const handle = run(
        researching(model, async ({ topic: name }) => {
          // Each waits until all are inside: one after the other would never get on.
          if (++inside === 3) both.resolve();
          await both.promise;
          return (
            <Agent
              name={`agent-${name}`}
              model={scriptedModel([
                { calls: [{ id: "same", name: "save", input: { topic: name } }] },
                `found ${name}`,
              ])}
            >
              <RequireApproval>
                <Tool name="save" value={save} />
              </RequireApproval>
              <Step id="findings" prompt="go" />
            </Agent>
          );
        }),
        { stream },
      );
      const open = await openRequests(handle, 3);
      expect(new Set(open.map(({ id }) => id)).size).toBe(3);
      expect(open.map(({ step, tool: name }) => `${step} ${name}`)).toEqual(Array(3).fill("research:findings save"));
      expect(open.map(({ input, agent }) => `${(input as { topic: string }).topic} ${agent}`).toSorted()).toEqual([
        "a agent-a",
        "b agent-b",
        "c agent-c",
      ]);
      for (const { id, agent } of open.toReversed())
        await (agent === "agent-b" ? handle.deny(id, { reason: "not b" }) : handle.approve(id));
      const { trace } = await handle;
      expect(resultOutputs(model, 1)).toEqual(
        ["a", "b", "c"].map((name) => ({ type: "text", value: `found ${name}` })),
      );
      const runs = nodesOf(trace, "tool-call").filter(({ name }) => name === "research");
      expect(runs.map((node) => nodesOf(childTrace(node)!, "agent").map(({ name }) => name))).toEqual([
        ["agent-a"],
        ["agent-b"],
        ["agent-c"],
      ]);
      expect(runs.map((node) => nodesOf(childTrace(node)!, "request").map(({ answered }) => answered?.type))).toEqual([
        ["approved"],
        ["denied"],
        ["approved"],
      ]);
    },
  );

  it("C46, C43 the events of child runs come on the outermost handle, under names that tell them apart", async () => {
    const handle = run(
      researching(scriptedModel([callResearch("a"), "done"]), () => (
        <Agent model={echoModel()}>
          <Step id="findings" prompt="go" />
        </Agent>
      )),
    );
    const steps = (await collectEvents(handle)).flatMap((event) =>
      event.type === "step-start" ? [`${event.label} ${event.path}`] : [],
    );
    expect(steps).toEqual([
      "report /agent[0]/step[report]",
      "research:findings /agent[0]/step[report]/model[0]/tool[0:research]/agent[0]/step[findings]",
    ]);
    await handle;
  });

  it("C46 a composite that runs itself once more is another run, not the same", async () => {
    const Counting = defineAgent({
      name: "count",
      description: "Counts down",
      input: z.object({ from: z.number() }),
      prompt: ({ from }) => String(from),
      capabilities: (): JuneNode => <Counting />,
    });
    const model = scriptedModel(({ prompt, index }) => {
      const last = prompt.at(-1)!;
      if (last.role === "tool") return `${index}`;
      const from = Number((last.content as { text: string }[])[0]!.text);
      return from === 0 ? "landed" : { calls: [{ name: "count", input: { from: from - 1 } }] };
    });
    const { output, trace } = await run(
      <Agent model={model}>
        <Counting />
        <Step id="a" prompt="3" />
      </Agent>,
      { model },
    );
    expect(output).toBe("6");
    expect(nodesOf(trace, "run").map(({ label }) => label)).toEqual([
      "run",
      "count",
      "count:count",
      "count:count:count",
    ]);
  });
});

describe("tools beside it", () => {
  it("C42 keeps toModelOutput of an ordinary tool, beside a composite in the same turn", async () => {
    const tools: ToolSet = {
      plain: tool({
        inputSchema: z.object({}),
        execute: () => ({ secret: 1, shown: 2 }),
        toModelOutput: ({ output }) => ({ type: "json", value: { shown: output.shown } }),
      }),
    };
    const model = scriptedModel([{ calls: [{ name: "plain" }, ...callResearch("x").calls] }, "done"]);
    await run(
      <Agent model={model} tools={tools}>
        <Tool name="research" description="Researches" input={topic}>
          {() => "found"}
        </Tool>
        <Step id="report" prompt="go" />
      </Agent>,
    );
    expect(resultOutputs(model, 1)).toEqual([
      { type: "json", value: { shown: 2 } },
      { type: "text", value: "found" },
    ]);
  });
});
