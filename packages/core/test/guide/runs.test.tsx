/** What `run` takes and gives back, and that two runs share nothing. Long because each sentence of its rules has a test. */

import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Namespace, Parallel, Step, Tool, defineAgent, run, type RunHandle, type RunOptions } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { withoutPlaces } from "../support/places.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { startScript } from "../support/run-script.js";

const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });

describe("the handle", () => {
  it("L40 is a promise of the result", async () => {
    const handle = run(
      <Agent model={echoModel()}>
        <Step id="greet" prompt="hello" />
      </Agent>,
    );
    expect(handle).toBeInstanceOf(Promise);
    expect(await handle.then(({ output }) => output)).toBe("hello");
    expect((await handle).output).toBe("hello");
    let isDone = false;
    await handle.finally(() => (isDone = true));
    expect(isDone).toBe(true);
  });

  it("L40 has an id of its own, known at once", async () => {
    const handles = [run(<>one</>), run(<>two</>)];
    expect(handles[0]!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(handles[0]!.id).not.toBe(handles[1]!.id);
    const results = await Promise.all(handles);
    expect(results[0]!.trace.runId).toBe(handles[0]!.id);
  });

  it("L40 gives a snapshot of the trace at any time", async () => {
    let during: ReturnType<typeof statusOf> | undefined;
    const statusOf = (handle: RunHandle) => {
      const { root } = handle.trace;
      return { run: root.status, agent: root.children[0]?.status, durationMs: root.durationMs };
    };
    const handle: RunHandle = run(
      <Agent
        model={scriptedModel(() => {
          during = statusOf(handle);
          return "done";
        })}
      >
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await handle;
    expect(during).toEqual({ run: "running", agent: "running", durationMs: undefined });
    expect(handle.trace.root.status).toBe("ok");
    expect(handle.trace).toEqual((await handle).trace);
    expect(JSON.parse(JSON.stringify(handle.trace))).toMatchObject({ format: "june.trace/1", capture: "shape" });
  });

  it("L40 rejects with what failed, also when nobody awaits it before it is asked", async () => {
    const handle = run(
      <Agent model={scriptedModel([new Error("offline")])}>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(await errorOf(handle)).toMatchObject({ code: "model-failed", name: "RunError" });
    expect(handle.trace.root).toMatchObject({ status: "error", error: { code: "model-failed" } });
  });
});

describe("the result", () => {
  it("L41 is the only step's result, and the record of all when there are several", async () => {
    const one = await run(
      <Agent model={echoModel()}>
        <Step id="only" prompt="1" />
      </Agent>,
    );
    expect(one.output).toBe("1");
    expect(one.steps).toEqual({ only: "1" });
    const two = await run(
      <Agent model={echoModel()}>
        <Step id="b" prompt="first" />
        <Step id="a" prompt="second" />
      </Agent>,
    );
    expect(two.output).toEqual({ b: "first", a: "second" });
    expect(Object.keys(two.steps)).toEqual(["b", "a"]);
  });

  it("L41 maps ids to results without a prototype, in authored order whatever ends first", async () => {
    const slow = scriptedModel([{ text: "slow", waitFor: new Promise((resolve) => setTimeout(resolve, 20)) }]);
    const { steps, output } = await run(
      <Parallel>
        <Agent model={slow}>
          <Step id="constructor" prompt="x" />
        </Agent>
        <Agent model={scriptedModel(["fast"])}>
          <Step id="toString" prompt="x" />
        </Agent>
      </Parallel>,
    );
    expect(Object.getPrototypeOf(steps)).toBeNull();
    expect(Object.entries(steps)).toEqual([
      ["constructor", "slow"],
      ["toString", "fast"],
    ]);
    expect(Object.getPrototypeOf(output)).toBeNull();
    expect((steps as Record<string, unknown>)["hasOwnProperty"]).toBeUndefined();
  });

  it("L41 is the text the tree rendered when no step ran, else undefined", async () => {
    const Greeting = ({ name }: { name: string }) => ["Hello, ", name, 1, false, null];
    expect((await run(<Greeting name="world" />)).output).toBe("Hello, world1");
    expect((await run(<></>)).output).toBeUndefined();
    expect((await run(<> </>)).output).toBeUndefined();
    expect((await run(<Agent model={echoModel()}></Agent>)).output).toBeUndefined();
  });

  it("L41 refuses text beside steps outside any agent, before or after them", async () => {
    const agent = (
      <Agent model={echoModel()}>
        <Step id="a" prompt="go" />
      </Agent>
    );
    for (const tree of [<>{["early", agent]}</>, <>{[agent, "late"]}</>]) {
      expect(await errorOf(run(tree))).toMatchObject({ code: "text-beside-steps", name: "DeclarationError" });
    }
  });

  it("L41 gives a conversation that an agent goes on with", async () => {
    const first = await run(
      <Agent name="guide" model={scriptedModel(["It is Oslo."])}>
        <Step id="capital" prompt="The capital of Norway?" />
      </Agent>,
    );
    expect(first.messages()).toEqual(first.messages("guide"));
    const model = scriptedModel(["About 700,000."]);
    await run(
      <Agent model={model} messages={first.messages("guide")}>
        <Step id="people" prompt="How many people live there?" />
      </Agent>,
    );
    expect(model.calls[0]!.prompt.map(({ role, content }) => [role, (content as { text: string }[])[0]!.text])).toEqual(
      [
        ["user", "The capital of Norway?"],
        ["assistant", "It is Oslo."],
        ["user", "How many people live there?"],
      ],
    );
  });

  it("L41 needs a name when several agents spoke, and says which there are", async () => {
    const result = await run(
      <>
        <Agent name="one" model={echoModel()}>
          <Step id="a" prompt="A" />
        </Agent>
        <Agent name="two" model={echoModel()}>
          <Step id="b" prompt="B" />
        </Agent>
      </>,
    );
    expect(result.messages("two")[0]).toEqual({ role: "user", content: "B" });
    expect(() => result.messages()).toThrowError(
      'june: 2 agents ran, so messages() needs a name\nAgents of this run: "one", "two".',
    );
    expect(() => result.messages("three")).toThrowError(
      'june: no agent named "three" ran\nAgents of this run: "one", "two".',
    );
    expect(() => result.messages("three")).toThrowError(expect.objectContaining({ code: "agent-unknown" }));
  });
});

describe("the options", () => {
  it("L42 gives a default model to agents that have none", async () => {
    const model = scriptedModel(["default", "own wins not"]);
    const own = scriptedModel(["own"]);
    const { steps } = await run(
      <>
        <Agent>
          <Step id="a" prompt="x" />
        </Agent>
        <Agent model={own}>
          <Step id="b" prompt="x" />
        </Agent>
      </>,
      { model },
    );
    expect(steps).toEqual({ a: "default", b: "own" });
  });

  it("L42 passes context to tools as the SDK's runtimeContext", async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([{ calls: [{ name: "ping" }] }, "done"]);
    await run(
      <Agent
        model={model}
        toolApproval={({ runtimeContext }) => {
          seen.push(runtimeContext);
          return undefined;
        }}
      >
        <Tool name="ping" value={ping} />
        <Step id="a" prompt="go" />
      </Agent>,
      { context: { tenant: "acme" } },
    );
    expect(seen).toEqual([{ tenant: "acme" }]);
  });

  it("L42 streams only when asked to", async () => {
    for (const [options, isStream] of [
      [{}, false],
      [{ stream: false }, false],
      [{ stream: true }, true],
    ] as const) {
      const model = scriptedModel(["hello"]);
      const handle = run(
        <Agent model={model}>
          <Step id="a" prompt="go" />
        </Agent>,
        options,
      );
      let deltas = "";
      for await (const event of handle.events) if (event.type === "text-delta") deltas += event.text;
      await handle;
      expect([model.calls[0]!.isStream, deltas]).toEqual([isStream, isStream ? "hello" : ""]);
    }
  });

  it("L42 passes telemetry to the SDK", async () => {
    const heard: string[] = [];
    await run(
      <Agent model={echoModel()}>
        <Step id="a" prompt="go" />
      </Agent>,
      {
        telemetry: {
          functionId: "f",
          integrations: [{ onStart: () => void heard.push("start"), onEnd: () => void heard.push("end") }],
        },
      },
    );
    expect(heard).toEqual(["start", "end"]);
  });

  it("L42 keeps prompts and outputs in the trace only when the capture is full", async () => {
    for (const capture of ["full", "shape"] as const) {
      const { trace } = await run(
        <Agent model={scriptedModel([{ calls: [{ name: "ping" }] }, "the answer"])}>
          <Tool name="ping" value={ping} />
          <Step id="a" prompt="the prompt" />
        </Agent>,
        { trace: { capture } },
      );
      const text = JSON.stringify(trace);
      for (const secret of ["the prompt", "pong", "the answer"]) expect(text.includes(secret)).toBe(capture === "full");
    }
  });

  it("L42 refuses an option it does not know, and one of the wrong kind, before anything starts", async () => {
    const model = scriptedModel([]);
    const tree = (
      <Agent model={model}>
        <Step id="a" prompt="go" />
      </Agent>
    );
    const messages: Record<string, string> = {};
    const wrong: Record<string, object> = {
      modle: { modle: 1 },
      signal: { signal: 5 },
      onRequest: { onRequest: true },
      allowedTools: { allowedTools: ["a", 1] },
      stream: { stream: "yes" },
      context: { context: "tenant" },
      "trace.capture": { trace: { capture: "all" } },
      "trace.redact": { trace: { redact: 1 } },
      "limits.depth": { limits: { depth: 0 } },
      "limits.tokens": { limits: { tokens: 1.5 } },
      "limits.modelCall": { limits: { modelCall: 1 } },
    };
    for (const [name, options] of Object.entries(wrong)) {
      const error = await errorOf(run(tree, options as RunOptions));
      expect(error).toMatchObject({ code: "invalid-option", name: "DeclarationError" });
      messages[name] = error.message;
    }
    expect(messages).toEqual({
      modle:
        'june: run(): there is no option modle\nThe options are "model", "signal", "onRequest", "allowedTools", "limits", "context", "stream", "stubs", "telemetry", "trace". Did you mean "model"?',
      signal: "june: run(): signal is the number 5\nsignal is an AbortSignal.",
      onRequest: "june: run(): onRequest is true\nonRequest is a function.",
      allowedTools: "june: run(): allowedTools is an array\nallowedTools is an array of tool names.",
      stream: "june: run(): stream is text\nstream is true or false.",
      context: "june: run(): context is text\ncontext is an object.",
      "trace.capture": 'june: run(): trace.capture is text\ntrace.capture is "full" or "shape".',
      "trace.redact": 'june: run(): there is no option trace.redact\nThe options are "trace.capture".',
      "limits.depth": "june: run(): limits.depth is the number 0\nlimits.depth is a whole number from 1 on.",
      "limits.tokens": "june: run(): limits.tokens is the number 1.5\nlimits.tokens is a whole number from 0 on.",
      "limits.modelCall":
        'june: run(): there is no option limits.modelCall\nThe options are "limits.depth", "limits.modelCalls", "limits.tokens", "limits.concurrency", "limits.cleanupMs", "limits.requestMs". Did you mean "modelCalls"?',
    });
    expect(model.calls).toHaveLength(0);
  });

  it("L42 rejects the handle for options that are no object, rather than throwing", async () => {
    for (const options of [null, "fast", 5]) {
      const handle = run(<>text</>, options as never);
      expect(await errorOf(handle)).toMatchObject({ code: "invalid-option" });
      expect(handle.trace.root.status).toBe("error");
    }
  });
});

describe("allowedTools", () => {
  it("L43 holds a run to exactly these names", async () => {
    const result = await run(
      <Agent model={scriptedModel([{ calls: [{ name: "net_ping" }] }, "done"])}>
        <Namespace name="net">
          <Tool name="ping" value={ping} />
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
      { allowedTools: ["net_ping"] },
    );
    expect(result.output).toBe("done");
  });

  it("L43 fails before any model call of the agent that declares another, naming the declaration", async () => {
    const model = scriptedModel([]);
    for (const [allowedTools, line] of [
      [["ping"], 'allowedTools has "ping".'],
      [[], "allowedTools has no name."],
    ] as const) {
      const error = await errorOf(
        run(
          <Agent name="ops" model={model}>
            <Namespace name="net">
              <Tool name="ping" value={ping} />
            </Namespace>
            <Step id="a" prompt="go" />
          </Agent>,
          { allowedTools },
        ),
      );
      expect(withoutPlaces(error.message)).toBe(
        `june: the tool "net_ping" in <Agent name="ops"> (HERE) is not among the run's allowedTools\n  <Tool name="ping"> in <Namespace name="net">      HERE\n${line}\nAdd the name to allowedTools, or take the declaration out.`,
      );
      expect(error).toMatchObject({ code: "tool-not-allowed", name: "DeclarationError" });
    }
    expect(model.calls).toHaveLength(0);
  });

  it("L43 holds nested agents and callable agents as well, the latter before the outer model is called", async () => {
    const outer = scriptedModel(["unused"]);
    const inner = scriptedModel([]);
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({}),
      prompt: () => "help",
      model: inner,
      capabilities: () => <Tool name="ping" value={ping} />,
    });
    const callable = await errorOf(
      run(
        <Agent model={outer}>
          <Helper />
          <Step id="a" prompt="go" />
        </Agent>,
        { allowedTools: ["helper"] },
      ),
    );
    expect(callable).toMatchObject({ code: "tool-not-allowed" });
    expect(callable.message).toContain('the tool "ping" in <helper>');
    const nested = await errorOf(
      run(
        <Agent model={outer}>
          <Agent model={inner}>
            <Tool name="ping" value={ping} />
            <Step id="b" prompt="go" />
          </Agent>
        </Agent>,
        { allowedTools: [] },
      ),
    );
    expect(nested).toMatchObject({ code: "tool-not-allowed" });
    expect([outer.calls.length, inner.calls.length]).toEqual([0, 0]);
  });

  it("L43 holds the agents of a composite's child run", async () => {
    const inner = scriptedModel([]);
    const outer = scriptedModel([{ calls: [{ name: "research", input: {} }] }, "gave up"]);
    const { output } = await run(
      <Agent model={outer}>
        <Tool name="research" description="Research" input={z.object({})}>
          {() => (
            <Agent model={inner}>
              <Tool name="ping" value={ping} />
              <Step id="b" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
      { allowedTools: ["research"] },
    );
    expect(output).toBe("gave up");
    expect(JSON.stringify(outer.calls[1]!.prompt)).toContain("is not among the run's allowedTools");
    expect(inner.calls).toHaveLength(0);
  });
});

describe("two runs", () => {
  it("L49 share nothing: one element runs many times at once", async () => {
    const Notes = ({ list }: { list: string[] }) => {
      list.push("ran");
      return null;
    };
    const list: string[] = [];
    const model = scriptedModel(({ index }) => ({
      text: `answer ${index}`,
      waitFor: new Promise((resolve) => setTimeout(resolve, index % 3)),
    }));
    const tree = (
      <Agent name="guide" model={model}>
        <Notes list={list} />
        <Step id="a" prompt="go" />
        <Step id="b" prompt={({ a }) => `after ${String(a)}`} />
      </Agent>
    );
    const results = await Promise.all(Array.from({ length: 20 }, () => run(tree)));
    expect(list).toHaveLength(20);
    expect(new Set(results.flatMap(({ steps }) => Object.values(steps))).size).toBe(40);
    for (const result of results) {
      expect(result.messages()).toHaveLength(4);
      expect(result.messages()[2]).toEqual({ role: "user", content: `after ${String(result.steps["a"])}` });
      expect(result.usage.total).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    }
  });

  it("L49 share no failure: one fails, the other of the same tree goes on", async () => {
    let count = 0;
    const Flaky = () => {
      if (count++ === 0) throw new Error("only once");
      return "fine";
    };
    const tree = <Flaky />;
    const [first, second] = await Promise.allSettled([run(tree), run(tree)]);
    expect([first!.status, second!.status]).toEqual(["rejected", "fulfilled"]);
    const aborted = run(tree);
    aborted.abort("stop");
    expect(await rejectionOf(aborted)).toBe("stop");
    expect((await run(tree)).output).toBe("fine");
  });

  it("L49 leave the heap where it was: 2,000 runs in a process of their own", async () => {
    const { ended } = startScript("many-runs.ts", { nodeFlags: ["--expose-gc"], args: ["2000"] });
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, ""]);
    const { grownBytes, runs } = JSON.parse(stdout) as { grownBytes: number; runs: number };
    expect(runs).toBe(2_000);
    // A trace that stayed behind takes about 20 KB a run.
    expect(grownBytes / runs).toBeLessThan(1_000);
  }, 60_000);
});
