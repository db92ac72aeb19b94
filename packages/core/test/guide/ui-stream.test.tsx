/** A run as the AI SDK's UI message stream: chunk by chunk, and as the SDK's own chat client sees it. Long because it is a list of what a page may meet. */

import { tool, type UIMessageChunk } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  run,
  type RunEvent,
  type RunHandle,
} from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { Chat, collectChunks } from "../support/chat.js";
import { deferred, settled } from "../support/deferred.js";
import { buildWorkflow, workflowPlan } from "../support/random-workflow.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { provided } from "../support/tools.js";
import { untilEvent } from "../support/watch-run.js";

const pay = tool({
  inputSchema: z.object({ cents: z.number() }),
  execute: ({ cents }) => `paid ${cents}`,
});
const note = tool({
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ noted: text }),
});

/** An agent with a held and a free tool. */
function Desk({ script }: { script: readonly ScriptEntry[] }) {
  return (
    <Agent model={scriptedModel(script)}>
      <RequireApproval reason="moves money">
        <Tool name="pay" value={pay} />
      </RequireApproval>
      <Tool name="note" value={note} />
      <Step id="desk" prompt="Go." />
    </Agent>
  );
}

const payCall = (cents = 5) => ({ name: "pay", input: { cents } });
const noteCall = (text: string) => ({ name: "note", input: { text } });
const startDesk = (script: readonly ScriptEntry[], stream = true): RunHandle =>
  run(<Desk script={script} />, { stream });

const anyId = expect.any(String) as string;

/** Chunks without what other tests look at. */
const types = (chunks: readonly UIMessageChunk[]): string[] => chunks.map(({ type }) => type);

describe("what is shown", () => {
  it("L40 toUIMessageStream gives steps, text as it comes, calls and outputs", async () => {
    const handle = startDesk([{ text: "A note first.", calls: [noteCall("a")], chunkSize: 8 }, "Done."]);
    expect(await collectChunks(handle.toUIMessageStream())).toEqual([
      { type: "start", messageId: handle.id },
      { type: "start-step" },
      { type: "text-start", id: anyId },
      { type: "text-delta", id: anyId, delta: "A note f" },
      { type: "text-delta", id: anyId, delta: "irst." },
      { type: "text-end", id: anyId },
      { type: "tool-input-available", toolCallId: "call-0-0", toolName: "note", input: { text: "a" } },
      { type: "tool-output-available", toolCallId: "call-0-0", output: { noted: "a" } },
      { type: "finish-step" },
      { type: "start-step" },
      { type: "text-start", id: anyId },
      { type: "text-delta", id: anyId, delta: "Done." },
      { type: "text-end", id: anyId },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop" },
    ]);
  });

  it("L40 toUIMessageStream gives the text of each call whole where models do not stream", async () => {
    const script = [{ text: "A note first.", calls: [noteCall("a")] }, "Done."];
    const chat = new Chat(() => startDesk(script, false));
    await chat.sendMessage({ text: "Hi" });
    expect(chat.text).toBe("A note first. Done.");
    expect(chat.tools).toEqual(["note output-available"]);
  });

  it("L40 a late stream gives everything from the beginning, deltas joined", async () => {
    const handle = startDesk([{ text: "One two three.", chunkSize: 1 }]);
    await handle;
    const chunks = await collectChunks(handle.toUIMessageStream());
    expect(chunks.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", id: anyId, delta: "One two three." },
    ]);
  });

  it("L40 shows what a generator yields on its way, and what it ends with", async () => {
    const model = scriptedModel([{ calls: [{ name: "count", input: {} }] }, "Done."]);
    const go = deferred();
    const count = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 1;
        await go.promise;
        yield 2;
      },
    });
    const handle = run(
      <Agent model={model}>
        <Tool name="count" value={count} />
        <Step id="s" prompt="Go." />
      </Agent>,
      { stream: true },
    );
    const outputs: UIMessageChunk[] = [];
    for await (const chunk of handle.toUIMessageStream()) {
      if (chunk.type === "tool-output-available") outputs.push(chunk);
      if (outputs.length === 1) go.resolve();
    }
    expect(outputs).toEqual([
      { type: "tool-output-available", toolCallId: "call-0-0", output: 1, preliminary: true },
      { type: "tool-output-available", toolCallId: "call-0-0", output: 2, preliminary: true },
      { type: "tool-output-available", toolCallId: "call-0-0", output: 2 },
    ]);
  });

  it("L40 shows a failed tool with its message, or what onError makes of it", async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error("no paper");
      },
    });
    const start = (): RunHandle =>
      run(
        <Agent model={scriptedModel([{ calls: [{ name: "print", input: {} }] }, "Done."])}>
          <Tool name="print" value={broken} />
          <Step id="s" prompt="Go." />
        </Agent>,
      );
    const failed = async (options?: Parameters<RunHandle["toUIMessageStream"]>[0]) =>
      (await collectChunks(start().toUIMessageStream(options))).find(({ type }) => type === "tool-output-error");
    expect(await failed()).toEqual({ type: "tool-output-error", toolCallId: "call-0-0", errorText: "no paper" });
    expect(await failed({ onError: ({ name, message }) => `${name}/${message.length}` })).toMatchObject({
      errorText: "Error/8",
    });
  });

  it("L40 tells of a failed run that it failed, and why only through onError", async () => {
    const start = () => startDesk([new Error("the key sk-123 is wrong")]);
    const last = async (handle: RunHandle, options?: Parameters<RunHandle["toUIMessageStream"]>[0]) =>
      (await collectChunks(handle.toUIMessageStream(options))).at(-1);
    expect(await last(start())).toEqual({ type: "error", errorText: "An error occurred." });
    expect(await last(start(), { onError: ({ code }) => `code ${code}` })).toEqual({
      type: "error",
      errorText: "code model-failed",
    });
  });

  it("L40 ends an aborted run with an abort chunk", async () => {
    const handle = run(
      <Agent model={scriptedModel([{ text: "never", waitFor: new Promise(() => {}) }])}>
        <Step id="s" prompt="Go." />
      </Agent>,
      { stream: true },
    );
    const chunks = collectChunks(handle.toUIMessageStream());
    await untilEvent(handle, ({ type }) => type === "model-call-start");
    handle.abort(new Error("enough"));
    expect(await chunks).toEqual([{ type: "start", messageId: handle.id }, { type: "abort" }]);
    expect(await rejectionOf(handle)).toMatchObject({ message: "enough" });
  });

  it("L40 tells calls apart whose models gave them one id", async () => {
    const model = () => scriptedModel([{ calls: [{ ...noteCall("a"), id: "call_0" }] }, "Done."]);
    const chat = new Chat(() =>
      run(
        <>
          {["one", "two"].map((name) => (
            <Agent key={name} name={name} model={model()}>
              <Tool name="note" value={note} />
              <Step id={name} prompt="Go." />
            </Agent>
          ))}
        </>,
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    const ids = chat.lastMessage!.parts.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []));
    expect(ids).toEqual(["call_0", "call_0-2"]);
    expect(chat.tools).toEqual(["note output-available", "note output-available"]);
  });

  it("L40 marks what the provider ran", async () => {
    const model = scriptedModel([
      {
        content: [
          {
            type: "tool-call",
            toolCallId: "p1",
            toolName: "search",
            input: "{}",
            providerExecuted: true,
          },
          { type: "tool-result", toolCallId: "p1", toolName: "search", result: ["a page"] },
        ],
        text: "Found.",
      },
    ]);
    const handle = run(
      <Agent model={model}>
        <Tool name="search" value={provided} />
        <Step id="s" prompt="Go." />
      </Agent>,
    );
    expect((await collectChunks(handle.toUIMessageStream())).filter(({ type }) => type.startsWith("tool-"))).toEqual([
      { type: "tool-input-available", toolCallId: "p1", toolName: "search", input: {}, providerExecuted: true },
      { type: "tool-output-available", toolCallId: "p1", output: ["a page"], providerExecuted: true },
    ]);
  });

  it("L40 survives outputs that JSON cannot hold", async () => {
    const big = tool({
      inputSchema: z.object({}),
      execute: () => ({ rows: 10n }),
      toModelOutput: () => ({ type: "text" as const, value: "ten rows" }),
    });
    const chat = new Chat(() =>
      run(
        <Agent model={scriptedModel([{ calls: [{ name: "big", input: {} }] }, "Done."])}>
          <Tool name="big" value={big} />
          <Step id="s" prompt="Go." />
        </Agent>,
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.status).toBe("ready");
    expect(chat.lastMessage!.parts).toContainEqual(expect.objectContaining({ output: { rows: "10n" } }));
  });

  it("L40 shows nothing of a child run but its tool's state and what it asks", async () => {
    const inner = scriptedModel([{ text: "inner text", calls: [noteCall("inside")] }, "inner answer"]);
    const outer = scriptedModel([{ calls: [{ name: "research", input: { topic: "x" } }] }, "Done."]);
    const chat = new Chat(() =>
      run(
        <Agent model={outer}>
          <Tool name="research" description="Research" input={z.object({ topic: z.string() })}>
            {() => (
              <Agent model={inner}>
                <Tool name="note" value={note} />
                <Step id="findings" prompt="Find." />
              </Agent>
            )}
          </Tool>
          <Step id="s" prompt="Go." />
        </Agent>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["research output-available"]);
    expect(chat.lastMessage!.parts).toContainEqual(expect.objectContaining({ output: "inner answer" }));
    expect(JSON.stringify(chat.messages)).not.toMatch(/inner text|june\.trace/);
  });

  it("L40 refuses options it does not know", async () => {
    const handle = startDesk(["Done."]);
    expect(() => handle.toUIMessageStream({ originalMessages: [] } as never)).toThrowError(
      'june: toUIMessageStream(): there is no option originalMessages\nThe option is "onError". The SDK\'s createUIMessageStream() takes the others around it.',
    );
    expect(() => handle.toUIMessageStream({ onError: "no" } as never)).toThrowError(
      /onError is text\nonError is a function\.$/,
    );
    await handle;
  });
});

describe("what is asked", () => {
  it("L40, L46 ends with the open request, and goes on with the same message once it was answered", async () => {
    const handle = startDesk([{ text: "I will pay.", calls: [payCall()] }, "Paid."]);
    const first = await collectChunks(handle.toUIMessageStream());
    const [request] = handle.requests;
    expect(first.slice(5)).toEqual([
      {
        type: "tool-input-available",
        toolCallId: "call-0-0",
        toolName: "pay",
        input: { cents: 5 },
        toolMetadata: { requestId: request!.id, step: "desk" },
      },
      { type: "tool-approval-request", approvalId: request!.id, toolCallId: "call-0-0", reason: "moves money" },
      { type: "finish-step" },
      { type: "finish", finishReason: "tool-calls" },
    ]);
    await handle.approve(request!.id, { reason: "small" });
    const second = await collectChunks(handle.toUIMessageStream());
    expect(second).toEqual([
      { type: "start", messageId: handle.id },
      { type: "tool-approval-response", approvalId: request!.id, approved: true, reason: "small" },
      { type: "tool-output-available", toolCallId: "call-0-0", output: "paid 5" },
      { type: "start-step" },
      { type: "text-start", id: anyId },
      { type: "text-delta", id: anyId, delta: "Paid." },
      { type: "text-end", id: anyId },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop" },
    ]);
  });

  it("L40 the SDK's chat client approves", async () => {
    const chat = new Chat(() => startDesk([{ text: "I will pay.", calls: [payCall()] }, "Paid."]));
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["pay approval-requested"]);
    expect(chat.lastMessage!.parts).toContainEqual(
      expect.objectContaining({ approval: expect.objectContaining({ requestReason: "moves money" }) }),
    );
    await chat.addToolApprovalResponse({ id: chat.questions[0]!.id, approved: true });
    await chat.idle();
    expect(chat.tools).toEqual(["pay output-available"]);
    expect(chat.text).toMatch(/I will pay\..*Paid\.$/);
    expect(chat.messages).toHaveLength(2);
    expect(chat.requests).toHaveLength(2);
  });

  it("L40 the SDK's chat client denies, and the model is told why", async () => {
    const chat = new Chat(() =>
      startDesk([
        { calls: [payCall()] },
        ({ prompt }) => `Not paid: ${JSON.stringify(prompt.at(-1)).includes("too much")}.`,
      ]),
    );
    await chat.sendMessage({ text: "Hi" });
    await chat.addToolApprovalResponse({ id: chat.questions[0]!.id, approved: false, reason: "too much" });
    await chat.idle();
    expect(chat.tools).toEqual(["pay output-denied"]);
    expect(chat.text).toMatch(/Not paid: true\.$/);
  });

  it("L40 waits with its end for whatever else of the turn still runs", async () => {
    const go = deferred();
    const slow = tool({ inputSchema: z.object({}), execute: () => go.promise.then(() => "slow") });
    const model = scriptedModel([{ calls: [payCall(), { name: "slow", input: {} }, noteCall("n")] }, "Done."]);
    const handle = run(
      <Agent model={model}>
        <RequireApproval>
          <Tool name="pay" value={pay} />
        </RequireApproval>
        <Tool name="slow" value={slow} />
        <Tool name="note" value={note} />
        <Step id="s" prompt="Go." />
      </Agent>,
      { stream: true },
    );
    const chunks: UIMessageChunk[] = [];
    let isOver = false;
    const reading = (async () => {
      for await (const chunk of handle.toUIMessageStream()) chunks.push(chunk);
      isOver = true;
    })();
    await settled();
    expect(isOver).toBe(false);
    go.resolve();
    await reading;
    expect(types(chunks).slice(2)).toEqual([
      "tool-input-available",
      "tool-input-available",
      "tool-output-available",
      "tool-output-available",
      "tool-input-available",
      "tool-approval-request",
      "finish-step",
      "finish",
    ]);
    await handle.approve();
    await collectChunks(handle.toUIMessageStream());
    await handle;
  });

  it("L40 waits for the rest of a branch, also where nothing of it is an event", async () => {
    const pause = deferred();
    const handle = run(
      <Parallel>
        <>
          <Agent model={scriptedModel(["first"])}>
            <Step id="first" prompt="Go." />
          </Agent>
          {pause.promise.then(() => null)}
          <Agent model={scriptedModel(["second"])}>
            <Step id="second" prompt="Go." />
          </Agent>
        </>
        <Desk script={[{ calls: [payCall()] }, "Paid."]} />
      </Parallel>,
      { stream: true },
    );
    const chunks: UIMessageChunk[] = [];
    let isOver = false;
    const reading = (async () => {
      for await (const chunk of handle.toUIMessageStream()) chunks.push(chunk);
      isOver = true;
    })();
    await settled();
    expect(chunks).toContainEqual({ type: "text-delta", id: anyId, delta: "first" });
    expect(isOver).toBe(false);
    pause.resolve();
    await reading;
    expect(chunks).toContainEqual({ type: "text-delta", id: anyId, delta: "second" });
    expect(types(chunks).slice(-4)).toEqual(["tool-input-available", "tool-approval-request", "finish-step", "finish"]);
    await handle.approve();
    await handle;
  });

  it("L40 a request of a child run is asked in a step of its own, so that the SDK's client sends the answer", async () => {
    const inner = scriptedModel([{ calls: [payCall(7)] }, "inner answer"]);
    const Researcher = defineAgent({
      name: "researcher",
      description: "Researches",
      input: z.object({ topic: z.string() }),
      prompt: ({ topic }) => topic,
      model: inner,
      capabilities: () => (
        <RequireApproval>
          <Tool name="pay" value={pay} />
        </RequireApproval>
      ),
    });
    const outer = scriptedModel([{ calls: [{ name: "researcher", input: { topic: "x" } }, noteCall("n")] }, "Done."]);
    const chat = new Chat(() =>
      run(
        <Agent model={outer}>
          <Researcher />
          <Tool name="note" value={note} />
          <Step id="s" prompt="Go." />
        </Agent>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["researcher input-available", "note output-available", "pay approval-requested"]);
    expect(chat.lastMessage!.parts).toContainEqual(
      expect.objectContaining({ toolMetadata: expect.objectContaining({ step: "researcher:answer" }) }),
    );
    await chat.addToolApprovalResponse({ id: chat.questions[0]!.id, approved: true });
    await chat.idle();
    expect(chat.tools).toEqual(["researcher output-available", "note output-available", "pay output-available"]);
    expect(chat.text).toMatch(/Done\.$/);
  });

  it("L40 asks everything that is open in one step, whatever was shown before it", async () => {
    const agent = (name: string) => (
      <Agent name={name} model={scriptedModel([{ calls: [payCall()] }, { calls: [payCall(6)] }, `${name} is done`])}>
        <RequireApproval>
          <Tool name="pay" value={pay} />
        </RequireApproval>
        <Step id={name} prompt="Go." />
      </Agent>
    );
    const chat = new Chat(() =>
      run(
        <Parallel>
          {agent("one")}
          {agent("two")}
        </Parallel>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    for (let round = 0; round < 2; round++) {
      const { questions } = chat;
      expect(questions).toHaveLength(2);
      for (const { id } of questions) await chat.addToolApprovalResponse({ id, approved: true });
      await chat.idle();
    }
    expect(chat.tools).toEqual(Array(4).fill("pay output-available"));
    expect(chat.text).toContain("one is done");
    expect(chat.text).toContain("two is done");
    expect(chat.requests).toHaveLength(3);
  });

  it("L40 asks again what was answered only in part, at the end of the message", async () => {
    const agent = (name: string, script: readonly ScriptEntry[]) => (
      <Agent name={name} model={scriptedModel(script)}>
        <RequireApproval>
          <Tool name="pay" value={pay} />
        </RequireApproval>
        <Step id={name} prompt="Go." />
      </Agent>
    );
    const handle = run(
      <Parallel>
        {agent("one", [{ calls: [payCall(1)] }, "one is done"])}
        {agent("two", [{ calls: [payCall(2)] }, "two is done"])}
      </Parallel>,
    );
    const chat = new Chat(() => handle);
    await chat.sendMessage({ text: "Hi" });
    const [first] = handle.requests;
    await handle.approve(first!.id, { by: "somebody on another channel" });
    // The page learns of it with its next request, here one that brings no answer.
    await chat.sendMessage();
    expect(chat.tools).toEqual(["pay output-available", "pay approval-requested", "pay approval-requested"]);
    const open = chat.questions;
    expect(open.map(({ id }) => id)).toEqual([handle.requests[0]!.id, handle.requests[0]!.id]);
    await chat.addToolApprovalResponse({ id: open[0]!.id, approved: true });
    await chat.idle();
    expect(chat.tools).toEqual(Array(3).fill("pay output-available"));
    expect(chat.text).toContain("two is done");
    await handle;
  });

  it("L40 asks again when an answer did not arrive, rather than let the page send it forever", async () => {
    const handle = startDesk([{ calls: [payCall()] }, "Paid."]);
    await collectChunks(handle.toUIMessageStream());
    const again = await collectChunks(handle.toUIMessageStream());
    expect(types(again)).toEqual(["start", "tool-input-available", "tool-approval-request", "finish"]);
    await handle.deny();
    await handle;
  });

  it("L40 shows the input that ran where the answer edited it", async () => {
    const handle = startDesk([{ calls: [payCall(500)] }, "Paid."]);
    await collectChunks(handle.toUIMessageStream());
    await handle.approve({ input: { cents: 50 } });
    const chunks = await collectChunks(handle.toUIMessageStream());
    expect(chunks.slice(1, 4)).toEqual([
      { type: "tool-input-available", toolCallId: "call-0-0", toolName: "pay", input: { cents: 50 } },
      { type: "tool-approval-response", approvalId: expect.any(String), approved: true },
      { type: "tool-output-available", toolCallId: "call-0-0", output: "paid 50" },
    ]);
  });

  it("L40 asks for the result of a tool without execute, and takes the page's", async () => {
    const confirm = tool({ inputSchema: z.object({ question: z.string() }), outputSchema: z.string() });
    const model = scriptedModel([
      { calls: [{ name: "confirm", input: { question: "Sure?" } }] },
      ({ prompt }) => JSON.stringify(prompt.at(-1)),
    ]);
    const chat = new Chat(() =>
      run(
        <Agent model={model}>
          <Tool name="confirm" value={confirm} />
          <Step id="s" prompt="Go." />
        </Agent>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["confirm input-available"]);
    await chat.addToolOutput({ tool: "confirm", toolCallId: "call-0-0", output: "yes" });
    await chat.idle();
    expect(chat.tools).toEqual(["confirm output-available"]);
    expect(chat.text).toContain('"value":"yes"');
  });

  it("L40 a call that needs approval and then a result is asked about twice", async () => {
    const confirm = tool({ inputSchema: z.object({}), outputSchema: z.string(), needsApproval: true });
    const chat = new Chat(() =>
      run(
        <Agent model={scriptedModel([{ calls: [{ name: "confirm", input: {} }] }, "Done."])}>
          <Tool name="confirm" value={confirm} />
          <Step id="s" prompt="Go." />
        </Agent>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    await chat.addToolApprovalResponse({ id: chat.questions[0]!.id, approved: true });
    await chat.idle();
    expect(chat.tools).toEqual(["confirm input-available"]);
    await chat.addToolOutput({ tool: "confirm", toolCallId: "call-0-0", output: "yes" });
    await chat.idle();
    expect(chat.tools).toEqual(["confirm output-available"]);
    expect(chat.text).toMatch(/Done\.$/);
  });

  it("L40 asks nobody on the page what code answers", async () => {
    const chat = new Chat(() =>
      run(<Desk script={[{ calls: [payCall(5), payCall(500)] }, "Done."]} />, {
        stream: true,
        onRequest: async ({ input }) => {
          await settled();
          return (input as { cents: number }).cents < 100
            ? { approved: true }
            : { approved: false, reason: "over the limit" };
        },
      }),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["pay output-available", "pay output-denied"]);
    expect(chat.lastMessage!.parts).toContainEqual(
      expect.objectContaining({ approval: expect.objectContaining({ approved: false, reason: "over the limit" }) }),
    );
    expect(chat.requests).toHaveLength(1);
  });

  it("L40 shows what a rule denies as denied", async () => {
    const chat = new Chat(() =>
      run(
        <Agent
          model={scriptedModel([{ calls: [noteCall("n")] }, "Done."])}
          toolApproval={{ note: { type: "denied", reason: "not today" } }}
        >
          <Tool name="note" value={note} />
          <Step id="s" prompt="Go." />
        </Agent>,
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.tools).toEqual(["note output-denied"]);
    expect(JSON.stringify(chat.lastMessage)).toContain("not today");
  });
});

describe("who reads", () => {
  it("L46 a stream is somebody who can answer", async () => {
    const handle = startDesk([{ calls: [payCall()] }, "Paid."]);
    const stream = handle.toUIMessageStream();
    await settled();
    expect(handle.requests).toHaveLength(1);
    await stream.cancel();
    await handle.approve();
    expect((await handle).output).toBe("Paid.");
  });

  it("L40 a stream that is cancelled loses nothing: the next goes on from there", async () => {
    const handle = startDesk([{ text: "One two three four.", chunkSize: 4 }]);
    const seen: UIMessageChunk[] = [];
    const reader = handle.toUIMessageStream().getReader();
    for (let count = 0; count < 4; count++) seen.push((await reader.read()).value!);
    await reader.cancel();
    await handle;
    const rest = await collectChunks(handle.toUIMessageStream());
    const text = [...seen, ...rest].map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");
    expect(text).toBe("One two three four.");
    expect(types(rest)[0]).toBe("start");
    expect([...seen, ...rest].filter(({ type }) => type === "text-start")).toHaveLength(1);
  });

  it("L40 a further stream ends the one before", async () => {
    const go = deferred();
    const handle = startDesk([{ text: "Done.", waitFor: go.promise }]);
    const first = collectChunks(handle.toUIMessageStream());
    await settled();
    const second = collectChunks(handle.toUIMessageStream());
    expect(types(await first)).toEqual(["start"]);
    go.resolve();
    expect(types(await second)).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  it("L40 a stream after the end is empty but whole", async () => {
    const handle = startDesk(["Done."]);
    await collectChunks(handle.toUIMessageStream());
    expect(await collectChunks(handle.toUIMessageStream())).toEqual([
      { type: "start", messageId: handle.id },
      { type: "finish", finishReason: "stop" },
    ]);
  });

  it("L40 a failed run that only the stream saw is no unhandled rejection", async () => {
    const handle = startDesk([new Error("no")]);
    await collectChunks(handle.toUIMessageStream());
    await settled();
    expect(await errorOf(handle)).toMatchObject({ code: "model-failed" });
  });

  it("L40 a failed attempt leaves its text, and the next follows", async () => {
    const model = scriptedModel([{ text: "half", finishReason: "length" }, "whole"]);
    const chat = new Chat(() =>
      run(
        <Catch retries={1}>
          <Agent model={model}>
            <Step id="s" prompt="Go." />
          </Agent>
        </Catch>,
        { stream: true },
      ),
    );
    await chat.sendMessage({ text: "Hi" });
    expect(chat.text).toBe("half whole");
  });
});

describe("any workflow", () => {
  it("L40 ends each stream exactly when people are all that is waited for, and the client answers to the end", async () => {
    await fc.assert(
      fc.asyncProperty(workflowPlan, fc.boolean(), async (plan, stream) => {
        const handle = run(buildWorkflow(plan).tree, { stream });
        const events: RunEvent[] = [];
        void (async () => {
          for await (const event of handle.events) events.push(event);
        })();
        const chat = new Chat(() => handle);
        await chat.sendMessage({ text: "Hi" });
        await chat.idle();
        for (let questions = chat.questions; questions.length > 0; questions = chat.questions) {
          expect(chat.tools.filter((state) => state.endsWith("approval-requested"))).toHaveLength(
            handle.requests.length,
          );
          expect(workingLeaves(events)).toEqual([]);
          const before = chat.requests.length;
          for (const { id, input } of questions)
            await chat.addToolApprovalResponse({ id, approved: (input as { approved: boolean }).approved });
          await chat.idle();
          expect(chat.requests).toHaveLength(before + 1);
        }
        const error = await handle.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(chat.status).toBe(error === undefined ? "ready" : "error");
        expect(chat.tools.filter((state) => !/output-(available|error|denied)$/.test(state))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

/** The nodes of a run that work without anything inside that does, but open requests. */
function workingLeaves(events: readonly RunEvent[]): string[] {
  const running = new Map<string, { kind: string; path: string }>();
  const parents = new Map<string, string | undefined>();
  for (const event of events) {
    if ("kind" in event) {
      running.set(event.id, event);
      parents.set(event.id, event.parentId);
    } else if ("status" in event) running.delete(event.id);
  }
  const around = new Set<string>();
  for (const id of running.keys())
    for (let outer = parents.get(id); outer !== undefined; outer = parents.get(outer)) around.add(outer);
  return [...running].flatMap(([id, { kind, path }]) => (around.has(id) || kind === "request" ? [] : [path]));
}
