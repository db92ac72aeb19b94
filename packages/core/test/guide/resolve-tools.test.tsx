/** Capabilities in loops that are not June's: the SDK's generateText, streamText and ToolLoopAgent. Long because it is a list of what they may do. */

import {
  ToolLoopAgent,
  generateText,
  isStepCount,
  streamText,
  tool,
  type ModelMessage,
  type ToolApprovalRequestOutput,
  type ToolSet,
} from "ai";
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
  defineCapabilities,
  defineTool,
  defineToolset,
  resolveTools,
  type JuneElement,
  type Request,
} from "@june/core";
import { scriptedModel, type ScriptEntry, type ScriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { echo, provided, saying } from "../support/tools.js";

const stopWhen = isStepCount(5);
const call = (name: string, input: unknown = {}, id?: string) => ({ calls: [{ name, input, ...(id && { id }) }] });

/** The SDK's three ways to run a loop, as one. */
interface Loop {
  (
    model: ScriptedModel,
    given: { tools: ToolSet; toolApproval?: any },
    messages: ModelMessage[],
  ): Promise<{
    text: string;
    messages: ModelMessage[];
    requests: ToolApprovalRequestOutput<ToolSet>[];
    results: unknown[];
  }>;
}
const requestsIn = (content: readonly { type: string }[]) =>
  content.filter((part) => part.type === "tool-approval-request") as ToolApprovalRequestOutput<ToolSet>[];
const loops: Record<string, Loop> = {
  generateText: async (model, given, messages) => {
    const result = await generateText({ model, messages, stopWhen, ...given });
    return {
      text: result.text,
      messages: result.responseMessages,
      requests: requestsIn(result.content),
      results: result.toolResults.map(({ output }) => output as unknown),
    };
  },
  streamText: async (model, given, messages) => {
    const result = streamText({ model, messages, stopWhen, ...given });
    await result.consumeStream();
    return {
      text: await result.text,
      messages: await result.responseMessages,
      requests: requestsIn(await result.content),
      results: (await result.toolResults).map(({ output }) => output as unknown),
    };
  },
  ToolLoopAgent: async (model, given, messages) => {
    const result = await new ToolLoopAgent({ model, ...given }).generate({ messages });
    return {
      text: result.text,
      messages: result.responseMessages,
      requests: requestsIn(result.content),
      results: result.toolResults.map(({ output }) => output as unknown),
    };
  },
};
const everyLoop = Object.entries(loops).map(([name, loop]) => ({ name, loop }));
const { generateText: generate } = loops as { generateText: Loop };
const go: ModelMessage[] = [{ role: "user", content: "Go." }];

/** The conversation with answers to every request. */
function answered(
  before: ModelMessage[],
  { messages, requests }: Awaited<ReturnType<Loop>>,
  answer: { approved: boolean; reason?: string },
): ModelMessage[] {
  return JSON.parse(
    JSON.stringify([
      ...before,
      ...messages,
      {
        role: "tool",
        content: requests.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, ...answer })),
      },
    ]),
  ) as ModelMessage[];
}

/** A tool that notes what it was run with. */
function noting(): { pay: ToolSet[string]; ran: unknown[] } {
  const ran: unknown[] = [];
  const pay = tool({
    description: "Pay",
    inputSchema: z.object({ cents: z.number(), note: z.string().default("none") }),
    execute: (input) => {
      ran.push(input);
      return `paid ${input.cents}`;
    },
  });
  return { pay, ran };
}

const Held = ({ pay }: { pay: ToolSet[string] }): JuneElement => (
  <RequireApproval reason="moves money">
    <Tool name="pay" value={pay} />
  </RequireApproval>
);
const held = (pay: ToolSet[string]): JuneElement => Held({ pay });

describe("what it gives", () => {
  const Web = defineCapabilities(() => <Tool name="search" value={echo} />, { name: "Web" });

  it("C63 an ordinary ToolSet in source order without a prototype, and the listing", async () => {
    const { tools, capabilities } = await resolveTools(
      <>
        <Namespace name="site">
          <Web />
        </Namespace>
        <RequireApproval>
          <Tool name="constructor" value={saying("built")} />
        </RequireApproval>
      </>,
    );
    expect(Object.getPrototypeOf(tools)).toBe(null);
    expect(Object.keys(tools)).toEqual(["site_search", "constructor"]);
    expect(tools["site_search"]).toMatchObject({ description: "Echo", execute: expect.any(Function) });
    expect(tools["site_search"]!.needsApproval).toBe(undefined);
    expect(tools["constructor"]!.needsApproval).toBe(true);
    expect(capabilities).toEqual([
      { name: "site_search", source: '<Tool name="search"> in <Namespace name="site"> > <Web>' },
      { name: "constructor", source: '<Tool name="constructor"> in <RequireApproval>' },
    ]);
    expect(Object.isFrozen(tools) && Object.isFrozen(tools["constructor"])).toBe(true);
  });

  it.each(everyLoop)("C63 $name calls them", async ({ loop }) => {
    const { tools, toolApproval } = await resolveTools(
      <Namespace name="site">
        <Web />
      </Namespace>,
    );
    const model = scriptedModel([call("site_search", { text: "boats" }), "Found."]);
    const { text } = await loop(model, { tools, toolApproval }, go);
    expect(model.calls[0]!.tools).toEqual(["site_search"]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "boats" }]);
    expect(text).toContain("Found.");
  });

  it("C63 leaves a generator a generator", async () => {
    const count = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 1;
        yield 2;
      },
    });
    const { tools } = await resolveTools(<Tool name="count" value={count} />);
    const model = scriptedModel([call("count"), "Done."]);
    const seen: unknown[] = [];
    for await (const part of streamText({ model, prompt: "Go.", tools, stopWhen }).stream)
      if (part.type === "tool-result") seen.push([part.output, part.preliminary ?? false]);
    expect(seen).toEqual([
      [1, true],
      [2, true],
      [2, false],
    ]);
  });

  it("C63 passes a provider's tool through as it is, and leaves one without execute to the application", async () => {
    const confirm = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    const { tools, toolApproval } = await resolveTools(
      <>
        <Tool name="search" value={provided} />
        <Tool name="confirm" value={confirm} />
      </>,
    );
    expect(tools["search"]).toMatchObject({ type: "provider", id: "test.search" });
    expect("execute" in tools["confirm"]!).toBe(false);
    const model = scriptedModel([
      {
        content: [
          { type: "tool-call", toolCallId: "p1", toolName: "search", input: "{}", providerExecuted: true },
          { type: "tool-result", toolCallId: "p1", toolName: "search", result: ["a page"] },
        ],
        calls: [{ name: "confirm", input: {} }],
      },
    ]);
    const result = await generateText({ model, prompt: "Go.", tools, toolApproval, stopWhen });
    expect(result.finishReason).toBe("tool-calls");
    expect(result.toolResults).toHaveLength(1);
    expect(requestsIn(result.content)).toEqual([]);
  });

  it("C63 a callable tool gives validated JSON, and fails in its own words", async () => {
    const lookUp = defineTool({
      name: "look_up",
      description: "Looks an order up",
      input: z.object({ id: z.string() }),
      output: z.object({ id: z.string(), cents: z.number() }),
      execute: ({ id }, { idempotencyKey }) => ({ id, cents: id === "bad" ? ("?" as never) : idempotencyKey.length }),
    });
    const { tools } = await resolveTools(<Tool use={lookUp} />);
    const model = scriptedModel([call("look_up", { id: "a1" }, "key-7"), call("look_up", { id: "bad" }), "Done."]);
    await generate(model, { tools }, go);
    expect(resultOutputs(model, 2)).toEqual([
      { type: "json", value: { id: "a1", cents: 5 } },
      { type: "error-text", value: expect.stringMatching(/^june: the output of the tool "look_up" is not JSON/) },
    ]);
  });

  const mistakes: Record<string, [() => JuneElement, string | RegExp]> = {
    "two tools of one name": [
      () => (
        <>
          <Tool name="a" value={echo} />
          <Web />
          <Tool name="search" value={echo} />
        </>
      ),
      /^june: two capabilities expose the tool "search" in resolveTools\(\)\n  <Tool name="search"> in <Web> .*\n  <Tool name="search"> /,
    ],
    "names that collide through a namespace": [
      () => (
        <>
          <Tool name="site_search" value={echo} />
          <Namespace name="site">
            <Web />
          </Namespace>
        </>
      ),
      /two capabilities expose the tool "site_search" in resolveTools\(\)/,
    ],
    "an illegal name": [() => <Tool name="a b" value={echo} />, /"a b" in resolveTools\(\) is no legal tool name/],
    "an approval that nothing could enforce": [
      () => (
        <RequireApproval>
          <Tool name="search" value={provided} />
        </RequireApproval>
      ),
      /cannot hold the tool "search"/,
    ],
    "a schema no model can be given": [
      () => <Tool name="when" value={tool({ inputSchema: z.object({ day: z.date() }) })} />,
      /day is a date/,
    ],
    "an <Inherit> with nobody to inherit from": [
      () => <Inherit capabilities={["a"]} />,
      /stands in resolveTools\(\), which has no agent around it/,
    ],
    "a step": [
      () => <Step id="s" prompt="Go." />,
      /^june: resolveTools\(\) holds <Step id="s"> \(.+\), but only capabilities can stand there\nGive capabilities only/,
    ],
    "text beside a tool": [
      () => (
        <>
          <Web />
          hello
        </>
      ),
      /resolveTools\(\) holds the text "hello"/,
    ],
    "no element": [() => ({ search: echo }) as never, /an object cannot be rendered in resolveTools\(\)/],
    "an agent behind a tool without a model": [
      () => {
        const Nobody = defineAgent({ name: "nobody", description: "?", input: z.object({}), prompt: () => "?" });
        return <Nobody />;
      },
      /<nobody>.* has no model/,
    ],
  };
  it.each(Object.keys(mistakes))("C63 refuses %s, as an agent does", async (name) => {
    const [make, message] = mistakes[name]!;
    const error = await errorOf(resolveTools(make()));
    expect(error.name).toBe("DeclarationError");
    expect(error.message).toMatch(message);
  });

  it("C63 refuses options it does not know", async () => {
    await expect(resolveTools(<Web />, { stream: true } as never)).rejects.toThrowError(
      'june: resolveTools(): there is no option stream\nThe options are "signal", "context", "model", "onRequest".',
    );
    await expect(resolveTools(<Web />, { onRequest: "yes" } as never)).rejects.toThrowError(
      /^june: resolveTools\(\): onRequest is /,
    );
  });
});

describe("approval in the SDK's own flow", () => {
  it.each(everyLoop)(
    "C63, C36 $name asks, and the approved call runs once with the approved input",
    async ({ loop }) => {
      const { pay, ran } = noting();
      const given = await resolveTools(held(pay));
      const model = scriptedModel([call("pay", { cents: 5 }), "Paid."]);
      const first = await loop(model, given, go);
      expect(first.requests).toMatchObject([
        { reason: "moves money", toolCall: { input: { cents: 5, note: "none" } } },
      ]);
      expect(ran).toEqual([]);
      const second = await loop(model, given, answered(go, first, { approved: true }));
      expect(ran).toEqual([{ cents: 5, note: "none" }]);
      expect(second.text).toContain("Paid.");
      expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "paid 5" }]);
    },
  );

  it.each(everyLoop)("C63, C36 $name tells the model of a denial, and nothing runs", async ({ loop }) => {
    const { pay, ran } = noting();
    const given = await resolveTools(held(pay));
    const model = scriptedModel([call("pay", { cents: 5 }), "Not paid."]);
    const first = await loop(model, given, go);
    await loop(model, given, answered(go, first, { approved: false, reason: "too much" }));
    expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "too much" }]);
    expect(ran).toEqual([]);
  });

  it("C63, C36 the tool asks by itself where toolApproval was not passed, and by a set made anew for the answer", async () => {
    const { pay, ran } = noting();
    const model = scriptedModel([call("pay", { cents: 5 }), "Paid."]);
    const { tools } = await resolveTools(held(pay));
    const first = await generate(model, { tools }, go);
    expect(first.requests).toHaveLength(1);
    const again = await resolveTools(held(pay));
    await generate(model, { tools: again.tools }, answered(go, first, { approved: true }));
    expect(ran).toHaveLength(1);
  });

  it.each([
    ["a map that approves", { pay: "approved" as const }],
    ["a map that waves through", { pay: "not-applicable" as const }],
    ["a function that approves", () => "approved" as const],
    ["a function that says nothing", () => undefined],
  ])("C63, C36 an approval setting of the loop cannot loosen it: %s", async (_name, toolApproval) => {
    const { pay, ran } = noting();
    const { tools } = await resolveTools(held(pay));
    const model = scriptedModel([call("pay", { cents: 5 }), "Hm."]);
    await generateText({ model, prompt: "Go.", tools, toolApproval: toolApproval as never, stopWhen });
    expect(ran).toEqual([]);
    expect(resultOutputs(model, 1)).toEqual([
      {
        type: "error-text",
        value:
          'june: the tool "pay" waits for approval and nobody approved this call\nPass the toolApproval of resolveTools() to the loop beside its tools, or give resolveTools() an onRequest.',
      },
    ]);
  });

  it("C63, C36 a tool taken out of the set waits all the same", async () => {
    const { pay, ran } = noting();
    const { tools } = await resolveTools(held(pay));
    const execute = tools["pay"]!.execute as (input: unknown, options: object) => unknown;
    const options = { toolCallId: "1", messages: [], context: undefined };
    await expect(Promise.resolve(execute({ cents: 5, note: "x" }, options))).rejects.toThrowError(
      /nobody approved this call/,
    );
    expect(ran).toEqual([]);
  });

  it("C63, C36 an approval is good for its own call: not for a later one with the same id", async () => {
    const { pay, ran } = noting();
    const given = await resolveTools(held(pay));
    const model = scriptedModel([call("pay", { cents: 1 }, "call_0"), call("pay", { cents: 999 }, "call_0"), "Done."]);
    const first = await generate(model, given, go);
    const second = await generate(model, given, answered(go, first, { approved: true }));
    expect(ran).toEqual([{ cents: 1, note: "none" }]);
    expect(second.requests).toMatchObject([{ toolCall: { input: { cents: 999 } } }]);
    // The same messages to a tool taken out of the set, for another input.
    const messages = answered(go, first, { approved: true });
    const execute = given.tools["pay"]!.execute as (input: unknown, options: object) => Promise<unknown>;
    const other = { toolCallId: "call_0", messages, context: undefined };
    await expect(execute({ cents: 999, note: "none" }, other)).rejects.toThrowError(/nobody approved this call/);
    expect(ran).toHaveLength(1);
  });

  /** Messages in which a person said yes to `pay` with 5 cents, as they can be changed. */
  interface Yes {
    calls: object[];
    request: object;
    response: object;
    results: object[];
    after: ModelMessage[];
  }
  const payPart = (cents: number) => ({
    type: "tool-call",
    toolCallId: "x",
    toolName: "pay",
    input: { cents, note: "none" },
  });
  const tampered: Record<string, (yes: Yes) => Partial<Yes>> = {
    "a yes to something else": () => ({ calls: [payPart(500)] }),
    "a yes to one of two calls with this id": ({ calls }) => ({ calls: [payPart(500), ...calls] }),
    "a yes that no person gave": ({ request }) => ({ request: { ...request, isAutomatic: true } }),
    "a yes to another request": ({ response }) => ({ response: { ...response, approvalId: "other" } }),
    "a request for another call": ({ request }) => ({ request: { ...request, toolCallId: "y" } }),
    "a no": ({ response }) => ({ response: { ...response, approved: false } }),
    "a yes whose call has its result": () => ({
      results: [{ type: "tool-result", toolCallId: "x", toolName: "pay", output: { type: "text", value: "paid" } }],
    }),
    "a yes of an earlier turn": () => ({ after: [{ role: "user", content: "And now?" }] }),
  };
  it.each(["a yes to this very call", ...Object.keys(tampered)])("C63, C36 counts %s as it should", async (name) => {
    const { pay, ran } = noting();
    const { tools } = await resolveTools(held(pay));
    const yes: Yes = {
      calls: [payPart(5)],
      request: { type: "tool-approval-request", approvalId: "a", toolCallId: "x" },
      response: { type: "tool-approval-response", approvalId: "a", approved: true },
      results: [],
      after: [],
    };
    const { calls, request, response, results, after } = { ...yes, ...tampered[name]?.(yes) };
    const messages = [
      { role: "assistant", content: [...calls, request] },
      { role: "tool", content: [response, ...results] },
      ...after,
    ] as ModelMessage[];
    const execute = tools["pay"]!.execute as (input: unknown, options: object) => unknown;
    const work = Promise.resolve(
      execute({ cents: 5, note: "none" }, { toolCallId: "x", messages, context: undefined }),
    );
    if (name in tampered) await expect(work).rejects.toThrowError(/nobody approved this call/);
    else expect(await work).toBe("paid 5");
    expect(ran).toHaveLength(name in tampered ? 0 : 1);
  });

  it("C63, C36 two calls of one turn with one id are not run for the one that was shown", async () => {
    const { pay, ran } = noting();
    const given = await resolveTools(held(pay));
    const model = scriptedModel([
      {
        calls: [
          { name: "pay", input: { cents: 999 }, id: "x" },
          { name: "pay", input: { cents: 1 }, id: "x" },
        ],
      },
      "Done.",
    ]);
    const first = await generate(model, given, go);
    await generate(model, given, answered(go, first, { approved: true }));
    expect(ran).toEqual([]);
  });

  it("C63, C36 a rule is asked once per call, also for the answer, and its throw asks with the message", async () => {
    const asked: unknown[] = [];
    const { pay, ran } = noting();
    const ruled = {
      ...pay,
      needsApproval: (input: { cents: number }) => {
        asked.push(input.cents);
        if (input.cents === 13) throw new Error("thirteen is odd");
        return input.cents > 100;
      },
    } as ToolSet[string];
    const given = await resolveTools(<Tool name="pay" value={ruled} />);
    const model = scriptedModel([{ calls: [5, 500, 13].map((cents) => ({ name: "pay", input: { cents } })) }, "Done."]);
    const first = await generate(model, given, go);
    expect(asked).toEqual([5, 500, 13]);
    expect(ran).toEqual([{ cents: 5, note: "none" }]);
    expect(first.requests.map(({ reason }) => reason)).toEqual([undefined, "thirteen is odd"]);
    await generate(model, given, answered(go, first, { approved: true }));
    expect(asked).toEqual([5, 500, 13]);
    expect(ran.map((input) => (input as { cents: number }).cents)).toEqual([5, 500, 13]);
  });

  it("C63, C36 a rule is asked even where only the tool itself is left to ask it", async () => {
    const { pay, ran } = noting();
    const rule = async (input: { cents: number }) => input.cents > 100;
    const given = await resolveTools(<Tool name="pay" value={{ ...pay, needsApproval: rule } as ToolSet[string]} />);
    const model = scriptedModel([{ calls: [5, 500].map((cents) => ({ name: "pay", input: { cents } })) }, "Done."]);
    await generateText({ model, prompt: "Go.", tools: given.tools, toolApproval: () => undefined, stopWhen });
    expect(ran).toEqual([{ cents: 5, note: "none" }]);
  });

  it("C63, C36 the strictest wins, and tools of others in the same set keep their own rule", async () => {
    const { pay, ran } = noting();
    const given = await resolveTools(
      <RequireApproval reason="outer">
        <RequireApproval reason="inner">
          <Tool name="pay" value={{ ...pay, needsApproval: () => false } as ToolSet[string]} />
        </RequireApproval>
      </RequireApproval>,
    );
    const own = noting();
    const model = scriptedModel([
      {
        calls: [
          { name: "pay", input: { cents: 1 } },
          { name: "own", input: { cents: 2 } },
        ],
      },
      "Done.",
    ]);
    const tools = { ...given.tools, own: { ...own.pay, needsApproval: true } as ToolSet[string] };
    const { requests } = await generate(model, { tools, toolApproval: given.toolApproval }, go);
    expect(requests.map(({ toolCall, reason }) => [toolCall.toolName, reason])).toEqual([
      ["pay", "outer; inner"],
      ["own", undefined],
    ]);
    expect([...ran, ...own.ran]).toEqual([]);
  });

  it("C63 onRequest answers held calls in loops that know no approval", async () => {
    const { pay, ran } = noting();
    const requests: Request[] = [];
    const { tools } = await resolveTools(held(pay), {
      onRequest: (request) => {
        requests.push(request);
        const { cents } = request.input as { cents: number };
        if (cents > 100) return { approved: false, reason: "too much" };
        return cents === 7 ? { approved: true, input: { cents: 8 } } : { approved: true };
      },
    });
    const execute = (cents: number): Promise<unknown> =>
      Promise.resolve(
        (tools["pay"]!.execute as (input: unknown, options: object) => unknown)(
          { cents, note: "none" },
          { toolCallId: `c${cents}`, messages: [], context: undefined },
        ),
      );
    expect(await execute(5)).toBe("paid 5");
    expect(await execute(7)).toBe("paid 8");
    await expect(execute(500)).rejects.toThrowError("the call was denied: too much");
    expect(ran).toEqual([
      { cents: 5, note: "none" },
      { cents: 8, note: "none" },
    ]);
    expect(requests[0]).toMatchObject({
      kind: "approval",
      tool: "pay",
      step: "pay",
      input: { cents: 5, note: "none" },
      reason: "moves money",
      source: '<Tool name="pay"> in <RequireApproval>',
    });
  });
});

describe("workflows behind tools", () => {
  const research = (script: readonly ScriptEntry[], inside: JuneElement | null = null): JuneElement => (
    <Tool name="research" description="Research" input={z.object({ topic: z.string() })}>
      {({ topic }) => (
        <Agent model={scriptedModel(script)}>
          {inside}
          <Step id="findings" prompt={`Find ${topic}.`} />
        </Agent>
      )}
    </Tool>
  );
  const researchCall = call("research", { topic: "boats" });

  it.each(everyLoop)("C63, C42 $name: run as runs of their own; the model sees the output alone", async ({ loop }) => {
    const given = await resolveTools(research(["boats float"]));
    const model = scriptedModel([researchCall, "Done."]);
    const { messages } = await loop(model, given, go);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "boats float" }]);
    expect(JSON.stringify([messages, model.calls.map(({ prompt }) => prompt)])).not.toContain("june.trace");
  });

  it("C63, C42 the call's output is { output, trace, usage }", async () => {
    const given = await resolveTools(research(["boats float"]));
    const model = scriptedModel([researchCall, "Done."]);
    const { steps } = await generateText({ model, prompt: "Go.", ...given, stopWhen });
    const output = steps[0]!.toolResults[0]!.output as { output: unknown; trace: any; usage: any };
    expect(output.output).toBe("boats float");
    expect(output.trace).toMatchObject({
      format: "june.trace/1",
      root: { kind: "run", name: "research", status: "ok" },
    });
    expect(output.usage.total.totalTokens).toBe(15);
  });

  it("C63 a callable agent finds the model it lacks in the options, and a tool of the set by <Inherit>", async () => {
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({ what: z.string() }),
      prompt: ({ what }) => what,
      capabilities: () => <Inherit capabilities={["search"]} />,
    });
    const inner = scriptedModel([
      call("search", { text: "ropes" }),
      ({ prompt }) => `Found ${JSON.stringify(prompt.at(-1)!.content)}.`,
    ]);
    const given = await resolveTools(
      <>
        <Tool name="search" value={echo} />
        <Helper />
      </>,
      { model: inner },
    );
    const model = scriptedModel([call("helper", { what: "ropes" }), "Done."]);
    await generate(model, given, go);
    expect(resultOutputs(model, 1)).toEqual([
      { type: "text", value: expect.stringMatching(/^Found .*"value":"ropes"/) },
    ]);
    expect(given.capabilities[1]).toEqual({ name: "helper", source: "<helper>", composite: true });
  });

  it("C63, C44 a failure inside is an error the model reads, and the loop goes on", async () => {
    const given = await resolveTools(research([new Error("no network")]));
    const model = scriptedModel([researchCall, "Sorry."]);
    const { text } = await generate(model, given, go);
    expect(resultOutputs(model, 1)).toEqual([
      { type: "error-text", value: 'june: the tool "research" failed: no network' },
    ]);
    expect(text).toContain("Sorry.");
  });

  it("C63 what is asked inside can be answered by onRequest only, and the error says so", async () => {
    const { pay, ran } = noting();
    const given = await resolveTools(research([call("pay", { cents: 5 }), "inner"], held(pay)));
    const model = scriptedModel([researchCall, "Sorry."]);
    await generate(model, given, go);
    expect(resultOutputs(model, 1)).toEqual([
      {
        type: "error-text",
        value:
          'june: the tool "research" failed: the tool "pay" in research:findings waits for approval and nobody can give it\nGive resolveTools() an onRequest that answers: outside run() there is no handle to answer on.',
      },
    ]);
    expect(ran).toEqual([]);
  });

  it("C63, C43 onRequest is asked about what happens inside", async () => {
    const { pay, ran } = noting();
    const steps: string[] = [];
    const given = await resolveTools(research([call("pay", { cents: 5 }), "inner"], held(pay)), {
      onRequest: ({ step, tool: name, input }) => {
        steps.push(`${step} ${name} ${JSON.stringify(input)}`);
        return { approved: true };
      },
    });
    const model = scriptedModel([researchCall, "Done."]);
    await generate(model, given, go);
    expect(steps).toEqual(['research:findings pay {"cents":5,"note":"none"}']);
    expect(ran).toHaveLength(1);
  });

  it("C63, C43 approval around one gates entering it, in the SDK's flow", async () => {
    const given = await resolveTools(<RequireApproval>{research(["boats float"])}</RequireApproval>);
    const model = scriptedModel([researchCall, "Done."]);
    const first = await generate(model, given, go);
    expect(first.requests).toHaveLength(1);
    await generate(model, given, answered(go, first, { approved: true }));
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "boats float" }]);
  });

  it("C63, C44 an abort of the loop, of the signal, or close() ends what runs behind a tool, with the reason", async () => {
    const ways: Record<string, (parts: { loop: AbortController; own: AbortController; close: () => void }) => void> = {
      loop: ({ loop }) => loop.abort(new Error("stop loop")),
      own: ({ own }) => own.abort(new Error("stop own")),
      close: ({ close }) => close(),
    };
    for (const [name, stop] of Object.entries(ways)) {
      const started = deferred();
      let cleanedUp = false;
      const slow = tool({
        inputSchema: z.object({}),
        execute: async (_input, { abortSignal }) => {
          started.resolve();
          await new Promise<void>((resolve) => abortSignal!.addEventListener("abort", () => resolve()));
          await settled();
          cleanedUp = true;
          return "late";
        },
      });
      const own = new AbortController();
      const loop = new AbortController();
      const given = await resolveTools(research([call("slow"), "x"], <Tool name="slow" value={slow} />), {
        signal: own.signal,
      });
      const execute = given.tools["research"]!.execute as (input: unknown, options: object) => Promise<unknown>;
      const working = rejectionOf(
        execute({ topic: "x" }, { toolCallId: "1", messages: [], abortSignal: loop.signal, context: undefined }),
      );
      await started.promise;
      let closed: Promise<void> | undefined;
      stop({ loop, own, close: () => (closed = given.close()) });
      const error = (await working) as Error;
      expect(error.message).toBe({ loop: "stop loop", own: "stop own", close: "the tools were closed" }[name]);
      expect(cleanedUp).toBe(true);
      await closed;
    }
  });
});

describe("toolsets that have to be opened", () => {
  interface Server {
    opened: string[];
    closed: string[];
  }
  /** As a connection to a server is: opened by name, with a signal, closed at the end. */
  function makeServer(close?: (name: string) => Promise<void> | void): {
    server: Server;
    Remote: (props: { server: string }) => JuneElement;
    gate: { promise?: Promise<void> };
  } {
    const server: Server = { opened: [], closed: [] };
    const gate: { promise?: Promise<void> } = {};
    const Remote = defineToolset<{ server: string }>({
      name: "Remote",
      label: ({ server: name }) => ({ server: name }),
      key: ({ server: name }) => name,
      open: async ({ server: name }, { signal }) => {
        server.opened.push(name);
        if (gate.promise !== undefined)
          await Promise.race([
            gate.promise,
            new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
          ]);
        return {
          tools: { list: saying(`list of ${name}`) },
          close: async () => {
            server.closed.push(name);
            await close?.(name);
          },
        };
      },
    });
    return { server, Remote, gate };
  }

  it("C63, C52 are opened once for a key, called, and closed by close() in reverse order, once", async () => {
    const { server, Remote } = makeServer();
    const given = await resolveTools(
      <>
        <Namespace name="a">
          <Remote server="one" />
        </Namespace>
        <Namespace name="b">
          <Remote server="two" />
        </Namespace>
        <Namespace name="c">
          <Remote server="one" />
        </Namespace>
      </>,
    );
    expect(server.opened).toEqual(["one", "two"]);
    expect(given.capabilities[1]).toEqual({ name: "b_list", source: '<Remote server="two"> in <Namespace name="b">' });
    const model = scriptedModel([call("b_list"), "Done."]);
    await generate(model, given, go);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "list of two" }]);
    expect(server.closed).toEqual([]);
    await Promise.all([given.close(), given.close()]);
    expect(server.closed).toEqual(["two", "one"]);
  });

  it("C63 an abort while they open rejects with its reason and leaves nothing open", async () => {
    const { server, Remote, gate } = makeServer();
    gate.promise = deferred().promise;
    const own = new AbortController();
    const resolving = rejectionOf(resolveTools(<Remote server="one" />, { signal: own.signal }));
    await settled();
    const reason = new Error("changed my mind");
    own.abort(reason);
    expect(await resolving).toBe(reason);
    expect(server).toEqual({ opened: ["one"], closed: [] });
    const aborted = AbortSignal.abort(reason);
    expect(await rejectionOf(resolveTools(<Remote server="two" />, { signal: aborted }))).toBe(reason);
    expect(server.opened).toEqual(["one"]);
  });

  it("C63 a mistake of scope found after they opened closes them", async () => {
    const { server, Remote } = makeServer();
    const error = await errorOf(
      resolveTools(
        <>
          <Remote server="one" />
          <Tool name="list" value={echo} />
        </>,
      ),
    );
    expect(error.code).toBe("tool-name-collision");
    expect(server.closed).toEqual(["one"]);
  });

  it("C63 one that does not close is named by close(), after the others were closed", async () => {
    const { server, Remote } = makeServer((name) => {
      if (name === "two") throw new Error("pipe broken");
    });
    const given = await resolveTools(
      <>
        <Remote server="one" />
        <Namespace name="b">
          <Remote server="two" />
        </Namespace>
      </>,
    );
    const error = await errorOf(given.close());
    expect(error).toMatchObject({ name: "RunError", code: "toolset-unclosed" });
    expect(error.message).toBe(
      'june: not everything could be closed\n  <Remote server="two"> failed to close: pipe broken\nEverything else is closed. What is named here may still hold a connection or a process: end it by itself.',
    );
    expect(server.closed).toEqual(["two", "one"]);
  });

  it("C63 a failed opening says which, and why", async () => {
    const Broken = defineToolset({
      name: "Broken",
      key: () => "",
      open: async () => {
        throw new Error("no route");
      },
    });
    await expect(resolveTools(<Broken />)).rejects.toThrowError(
      /^june: <Broken> \(.+\) could not be opened: no route$/,
    );
  });
});
