/** What a trace keeps of the words of a run, in full and as a shape, and what it never keeps. */

import { Output, tool } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, RequireApproval, Step, Tool, defineAgent, run, type JuneElement, type RunOptions } from "@june/core";
import { walkTrace, type ChildRunOutput, type Trace, type TraceNode } from "@june/core/trace";
import { scriptedModel } from "@june/core/testing";

/** Words that only the prompts, answers, inputs and outputs of the workflow below hold. */
const words = {
  instructions: "instructionword",
  prompt: "promptword",
  answer: "answerword",
  reasoning: "reasoningword",
  input: "inputword",
  output: "outputword",
  edited: "editedword",
  given: "givenword",
  wrongInput: "wronginputword",
  brokenInput: "brokeninputword",
  childInput: "childinputword",
  childPrompt: "childpromptword",
  childAnswer: "childanswerword",
  childOutput: "childoutputword",
  agentPrompt: "agentpromptword",
  agentAnswer: "agentanswerword",
};

/** Words of props, environment, headers and code, which no trace holds. */
const never = { prop: "propword", environment: "environmentword", header: "headerword", code: "codeword" };

const Lawyer = defineAgent({
  name: "lawyer",
  description: "Answers",
  input: z.object({}),
  prompt: () => words.agentPrompt,
  model: scriptedModel(() => words.agentAnswer),
});

function Page({ title }: { title: string }) {
  if (title === "") return null;
  const model = scriptedModel([
    {
      reasoning: words.reasoning,
      calls: [
        { name: "search", input: { query: words.input } },
        { name: "search", input: { query: 5, words: words.wrongInput } },
        { name: "edit", input: { text: "before" } },
        { name: "ask", input: {} },
        { name: "research", input: { topic: words.childInput } },
        { name: "lawyer", input: {} },
      ],
      content: [
        { type: "tool-call", toolCallId: "broken", toolName: "search", input: `{"query": "${words.brokenInput}` },
      ],
    },
    words.answer,
  ]);
  const search = tool({
    inputSchema: z.object({ query: z.string() }),
    execute: () => {
      const secret = "codeword".length > 0 ? process.env["TRACE_TEST_VALUE"] : undefined;
      return { found: words.output, of: secret === never.environment };
    },
  });
  return (
    <Agent model={model} instructions={words.instructions} headers={{ "x-test": never.header }}>
      <Tool name="search" value={search} />
      <RequireApproval reason="policy">
        <Tool name="edit" value={tool({ inputSchema: z.object({ text: z.string() }), execute: () => "edited" })} />
      </RequireApproval>
      <Tool name="ask" value={tool({ inputSchema: z.object({}), outputSchema: z.string() })} />
      <Tool name="research" description="R" input={z.object({ topic: z.string() })} output={() => words.childOutput}>
        {() => (
          <Agent model={scriptedModel(() => words.childAnswer)}>
            <Step id="findings" prompt={words.childPrompt} />
          </Agent>
        )}
      </Tool>
      <Lawyer />
      <Step id="a" prompt={words.prompt} />
    </Agent>
  );
}

const onRequest: NonNullable<RunOptions["onRequest"]> = ({ kind }) =>
  kind === "input" ? { answer: words.given } : { approved: true, by: "ada", input: { text: words.edited } };

async function traceOf(element: JuneElement, options: RunOptions): Promise<Trace> {
  const handle = run(element, { onRequest, ...options });
  await handle.catch(() => {});
  return handle.trace;
}

function found(trace: Trace, list: Record<string, string>): string[] {
  const text = JSON.stringify(trace);
  return Object.values(list).filter((word) => text.includes(word));
}

function nodeOf(trace: Trace, kind: TraceNode["kind"], name: string): TraceNode {
  return [...walkTrace(trace)].find(({ node }) => node.kind === kind && node.name === name)!.node;
}

describe("the words of a run", () => {
  beforeEach(() => {
    process.env["TRACE_TEST_VALUE"] = never.environment;
  });
  afterEach(() => {
    delete process.env["TRACE_TEST_VALUE"];
  });

  for (const stream of [false, true]) {
    const way = stream ? "streamed" : "at once";

    it(`S4 are all in a full trace, ${way}, and none of props, environment, headers and code`, async () => {
      const trace = await traceOf(<Page title={never.prop} />, { stream, trace: { capture: "full" } });
      expect(trace.root.status).toBe("ok");
      expect(found(trace, words)).toEqual(Object.values(words));
      expect(found(trace, never)).toEqual([]);
    });

    it(`S4 are none in a shape, ${way}, which is what a plain run gives`, async () => {
      const trace = await traceOf(<Page title={never.prop} />, { stream });
      expect(trace.capture).toBe("shape");
      expect(trace.root.status).toBe("ok");
      expect(found(trace, words)).toEqual([]);
      expect(found(trace, never)).toEqual([]);
      for (const { node } of walkTrace(trace)) {
        for (const key of ["prompt", "answer", "messages", "content", "input"] as const)
          expect(node).not.toHaveProperty(key);
        expect(node).not.toHaveProperty("offeredSchemas");
        expect(node.answered ?? {}).not.toHaveProperty("input");
        expect(node.answered ?? {}).not.toHaveProperty("value");
      }
      expect(trace).not.toHaveProperty("schemas");
    });
  }

  it("S4 are none in a shape, where of a child run trace and usage are left", async () => {
    const trace = await traceOf(<Page title={never.prop} />, {});
    for (const name of ["research", "lawyer"]) {
      const output = nodeOf(trace, "tool-call", name).output as ChildRunOutput;
      expect(Object.keys(output).toSorted()).toEqual(["trace", "usage"]);
      expect(output.trace.capture).toBe("shape");
    }
    expect(nodeOf(trace, "tool-call", "search")).not.toHaveProperty("output");
  });

  it("S4 are not in the errors of a shape that quote an answer", async () => {
    const answering = (text: string): JuneElement => (
      <Agent model={scriptedModel([text])}>
        <Step id="a" prompt="go" output={Output.object({ schema: z.object({ city: z.string() }) })} />
      </Agent>
    );
    for (const text of [`{"city": 5, "word": "${words.answer}"}`, words.answer]) {
      const shape = await traceOf(answering(text), {});
      expect(shape.root.error).toMatchObject({ code: "output-invalid" });
      expect(found(shape, words)).toEqual([]);
      const full = await traceOf(answering(text), { trace: { capture: "full" } });
      expect(found({ ...full, root: { ...full.root, children: [] } }, words)).toEqual([words.answer]);
    }
  });
});

describe("the bound on a value", () => {
  const long = `start ${"x".repeat(300_000)} end`;
  const echo = tool({ inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });
  const calls = [
    { name: "research", input: { topic: "June" } },
    { name: "echo", input: { text: long } },
  ];
  const workflow = () => (
    <Agent model={scriptedModel([{ calls }, long])}>
      <Tool name="echo" value={echo} />
      <Tool name="research" description="R" input={z.object({ topic: z.string() })}>
        {() => (
          <Agent model={scriptedModel([{ calls: [calls[1]!] }, long])}>
            <Tool name="echo" value={echo} />
            <Step id="findings" prompt={long} />
          </Agent>
        )}
      </Tool>
      <Step id="a" prompt={long} />
    </Agent>
  );

  it("S4 is 64 KiB: beyond it head, tail and size are left", async () => {
    const trace = await traceOf(workflow(), { trace: { capture: "full" } });
    expect(trace.root.status).toBe("ok");
    for (const { node } of walkTrace(trace)) {
      const values = [node.prompt, node.answer, node.messages?.added, node.content, node.input];
      if (node.name === "echo") values.push(node.output as string);
      for (const value of values) expect(JSON.stringify(value ?? null).length).toBeLessThan(70_000);
    }
    expect(nodeOf(trace, "step", "a").answer).toMatch(/^start x+… \[300010 bytes\] …x+ end$/);
    expect(nodeOf(trace, "tool-call", "echo").input).toMatch(/^\{"text":"start x+… \[300021 bytes\] …x+ end"\}$/);
    expect(nodeOf(trace, "tool-call", "echo").output).toMatch(/^start x+… \[300010 bytes\] …x+ end$/);
  });

  it("S3, S4 is one on leaves: the child run in an output stays whole, however long it is", async () => {
    const trace = await traceOf(workflow(), { trace: { capture: "full" } });
    const output = nodeOf(trace, "tool-call", "research").output as ChildRunOutput;
    expect(JSON.stringify(output).length).toBeGreaterThan(300_000);
    expect(output.output).toMatch(/^start x+… \[300010 bytes\] …x+ end$/);
    expect(output.trace.root.kind).toBe("run");
    expect(nodeOf(output.trace, "tool-call", "echo").status).toBe("ok");
  });
});
