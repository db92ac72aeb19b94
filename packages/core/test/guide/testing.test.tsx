import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Inherit, RequireApproval, Step, Tool, defineAgent, defineTool, run } from "@june/core";
import { echoModel, recordScript, scopeOf, scriptedModel } from "@june/core/testing";

const search = tool({
  description: "Search",
  inputSchema: z.object({ query: z.string() }),
  execute: ({ query }) => `found ${query}`,
});

/** Runs one agent with `search` on `script`. */
function runOn(script: Parameters<typeof scriptedModel>[0], stubs?: Record<string, (input: any) => unknown>) {
  return run(
    <Agent model={scriptedModel(script)}>
      <Tool name="search" value={search} />
      <Step id="find" prompt="Find apples" />
    </Agent>,
    { trace: { capture: "full" }, ...(stubs === undefined ? {} : { stubs }) },
  );
}

async function messageOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it did not fail");
}

describe("scriptedModel", () => {
  it("T12 answers from a list, and from a function of the call", async () => {
    const script = [{ calls: [{ name: "search", input: { query: "apples" } }] }, "Here they are."];
    expect((await runOn(script)).output).toBe("Here they are.");
    expect((await runOn(({ index }) => script[index]!)).output).toBe("Here they are.");
  });

  it("T12 says what was expected and what came, as a difference, and where in the tree", async () => {
    const message = await messageOf(runOn([{ text: "x", expect: { user: "Find pears", tools: ["search", "open"] } }]));
    expect(message).toBe(
      [
        'june: the model "scripted" failed in the step "find": turn 0 of "scripted" expected another conversation:',
        "  user",
        '  - "Find pears"',
        '  + "Find apples"',
        "  tools",
        '  - ["search","open"]',
        '  + ["search"]',
        "The call was:",
        '  user: {"type":"text","text":"Find apples"}',
        "  tools: search",
      ].join("\n"),
    );
  });

  it("T12 says so when the script is over", async () => {
    const message = await messageOf(runOn([{ calls: [{ name: "search", input: { query: "a" } }] }]));
    expect(message).toContain('"scripted" was called 2 times, but its script has 1 turns.');
  });

  it("T12 compares results of tools, whatever the order of their keys", async () => {
    const order = tool({ description: "d", inputSchema: z.object({}), execute: () => ({ b: 2, a: 1 }) });
    const model = scriptedModel([
      { calls: [{ name: "order" }] },
      { text: "ok", expect: { results: [{ a: 1, b: 2 }] } },
    ]);
    const result = await run(
      <Agent model={model}>
        <Tool name="order" value={order} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("ok");
  });

  it("T12 echoModel gives back what the user said", async () => {
    const result = await run(
      <Agent model={echoModel()}>
        <Step id="a" prompt="Hello" />
      </Agent>,
    );
    expect(result.output).toBe("Hello");
  });
});

describe("stubs", () => {
  it("T12 a stub stands in for an execute, by the label of the call", async () => {
    const asked: unknown[] = [];
    const result = await runOn(
      [{ calls: [{ name: "search", input: { query: "apples" } }] }, { text: "ok", expect: { results: ["stubbed"] } }],
      {
        "find/search": (input) => {
          asked.push(input);
          return "stubbed";
        },
      },
    );
    expect([result.output, asked]).toEqual(["ok", [{ query: "apples" }]]);
  });

  it("T12 reaches into callable agents, stands in for whole ones, and leaves approvals in place", async () => {
    const inner = scriptedModel([
      { calls: [{ name: "search", input: { query: "x" } }] },
      { text: "found", expect: { results: ["inner stub"] } },
    ]);
    const Research = defineAgent({
      name: "research",
      description: "d",
      input: z.object({}),
      model: inner,
      prompt: () => "go",
      capabilities: () => (
        <RequireApproval>
          <Tool name="search" value={search} />
        </RequireApproval>
      ),
    });
    const tree = (model: ReturnType<typeof scriptedModel>) => (
      <Agent model={model}>
        <Research />
        <Step id="write" prompt="go" />
      </Agent>
    );
    const asked: string[] = [];
    const onRequest = ({ step }: { step: string }) => {
      asked.push(step);
      return { approved: true };
    };
    const script = (expected: string) =>
      scriptedModel([{ calls: [{ name: "research" }] }, { text: "ok", expect: { results: [expected] } }]);
    await run(tree(script("found")), { onRequest, stubs: { "research:answer/search": () => "inner stub" } });
    await run(tree(script("whole")), { onRequest, stubs: { "write/research": () => "whole" } });
    expect(asked).toEqual(["research:answer"]);
    expect(inner.calls).toHaveLength(2);
  });

  it("T12 stands in for a callable tool that a component calls", async () => {
    const lookUp = defineTool({ name: "lookUp", description: "d", input: z.object({}), execute: () => "real" });
    async function Workflow() {
      return lookUp({});
    }
    expect((await run(<Workflow />, { stubs: { lookUp: () => "stub" } })).output).toBe("stub");
  });

  it("L42 a stub that is no function is refused", async () => {
    expect(await messageOf(runOn(["x"], { "find/search": "text" as never }))).toBe(
      'june: run(): stubs["find/search"] is text\nstubs["find/search"] is a function of the tool\'s input.',
    );
  });
});

describe("recordScript", () => {
  it("T12 turns a finished run's trace into a script that replays it", async () => {
    const script = [
      {
        text: "Looking.",
        calls: [{ name: "search", input: { query: "apples" } }],
        usage: { inputTokens: 7, outputTokens: 3 },
      },
      "Here they are.",
    ];
    for (const stream of [false, true]) {
      const first = await run(
        <Agent model={scriptedModel(script)}>
          <Tool name="search" value={search} />
          <Step id="find" prompt="Find apples" />
        </Agent>,
        { stream, trace: { capture: "full" } },
      );
      const recorded = recordScript(first.trace);
      const again = await runOn(recorded);
      expect([again.output, again.usage.total.totalTokens]).toEqual([first.output, first.usage.total.totalTokens]);
      expect(recordScript(first.trace, { step: "find" })).toEqual(recorded);
    }
  });

  it("T12 refuses a trace without answers, and a step it does not have", async () => {
    const full = await runOn(["ok"]);
    expect(() => recordScript({ ...full.trace, capture: "shape" })).toThrow(
      'run it with { trace: { capture: "full" } }',
    );
    expect(() => recordScript(full.trace, { step: "other" })).toThrow('The trace has no step "other"; it has "find".');
  });
});

describe("scopeOf", () => {
  it("T12 gives names, sources and explanations without running a model", async () => {
    const model = scriptedModel([]);
    const scopes = await scopeOf(
      <Agent model={model} name="outer">
        <Tool name="search" value={search} />
        <Tool name="open" value={search} />
        <Agent model={model} name="inner">
          <Inherit capabilities={["search"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(scopes.map(({ agent, names }) => [agent, names])).toEqual([
      ['<Agent name="outer">', ["search", "open"]],
      ['<Agent name="inner">', ["search"]],
    ]);
    expect(scopes[1]?.tools[0]).toEqual({
      name: "search",
      source: '<Inherit capabilities={["search"]}>',
      granted: '<Tool name="search"> in the enclosing <Agent>',
    });
    expect(scopes[1]?.explain("open").join(" ")).toContain('declares "open"');
    expect(model.calls).toEqual([]);
  });
});
