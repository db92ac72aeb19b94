/** @jsxRuntime automatic */
/** @jsxImportSource june */
/** The endpoint behind the page: a workflow of June's for each conversation, on scripted models whose streams can be held. */

import { createUIMessageStreamResponse, isToolUIPart, tool, wrapLanguageModel, type UIMessage } from "ai";
import { Agent, RequireApproval, Step, Tool, createRuntime, defineAgent, type RunHandle } from "june";
import { scriptedModel } from "june/testing";
import { z } from "zod";

/** What the tools did, for the test to look at. */
export const refunded: string[] = [];

/** Held before the second piece of the first text, until the test has seen the first. */
export const gate = Promise.withResolvers<void>();

const lookUp = tool({
  description: "Look an order up",
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => ({ order, euros: 12 }),
});
const refund = tool({
  description: "Refund an order",
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => {
    refunded.push(order);
    return `refunded ${order}`;
  },
});

const capabilities = () => (
  <>
    <Tool name="lookUp" value={lookUp} />
    <RequireApproval reason="It moves money.">
      <Tool name="refund" value={refund} />
    </RequireApproval>
  </>
);

/** Looks the order up, refunds it, and says how that went. */
const desk = (order: string, opening: string) =>
  scriptedModel([
    { text: opening, calls: [{ name: "lookUp", input: { order } }], chunkSize: 12 },
    { calls: [{ name: "refund", input: { order } }] },
    ({ prompt }) => {
      const { content } = prompt.at(-1)!;
      return JSON.stringify(content).includes("execution-denied")
        ? `Not refunded: ${/"reason":"([^"]*)"/.exec(JSON.stringify(content))?.[1]}.`
        : `Order ${order} is refunded.`;
    },
  ]);

/** A model whose stream stops before its second piece of text until `go` settles. */
function held(model: ReturnType<typeof desk>, go: Promise<void>) {
  let pieces = 0;
  return wrapLanguageModel({
    model,
    middleware: {
      wrapStream: async ({ doStream }) => {
        const { stream, ...rest } = await doStream();
        const pause = new TransformStream({
          async transform(part, controller) {
            if (part.type === "text-delta" && ++pieces === 2) await go;
            controller.enqueue(part);
          },
        });
        return { ...rest, stream: stream.pipeThrough(pause) };
      },
    },
  });
}

const Clerk = defineAgent({
  name: "clerk",
  description: "Handles an order",
  input: z.object({ order: z.string() }),
  prompt: ({ order }) => `Refund order ${order}.`,
  model: desk("9", "Inside."),
  capabilities,
});

const workflows: Record<string, () => ReturnType<typeof Agent>> = {
  "Refund order 7.": () => (
    <Agent model={held(desk("7", "Let me look that order up first."), gate.promise)}>
      {capabilities()}
      <Step id="desk" prompt="Refund order 7." />
    </Agent>
  ),
  "Refund order 8.": () => (
    <Agent model={desk("8", "One moment.")}>
      {capabilities()}
      <Step id="desk" prompt="Refund order 8." />
    </Agent>
  ),
  "Ask the clerk.": () => (
    <Agent model={scriptedModel([{ calls: [{ name: "clerk", input: { order: "9" } }] }, "The clerk is done."])}>
      <Clerk />
      <Step id="desk" prompt="Ask the clerk." />
    </Agent>
  ),
};

const june = createRuntime({ stream: true });
const runs = new Map<string, RunHandle>();

export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] };
  const last = messages.at(-1)!;
  let handle = runs.get(last.id);
  if (handle !== undefined) await sendAnswers(handle, last);
  else if (last.role === "user") handle = start(last);
  else return new Response("this run is over", { status: 410 });
  return createUIMessageStreamResponse({ stream: handle.toUIMessageStream() });
}

function start(message: UIMessage): RunHandle {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const handle = june.run(workflows[text]!());
  runs.set(handle.id, handle);
  const forget = () => runs.delete(handle.id);
  handle.then(forget, forget);
  return handle;
}

async function sendAnswers(handle: RunHandle, message: UIMessage): Promise<void> {
  for (const part of message.parts) {
    if (!isToolUIPart(part)) continue;
    const request = handle.requests.find(({ id }) => id === part.toolMetadata?.["requestId"]);
    if (request === undefined) continue;
    if (part.state === "output-available") await handle.answer(request.id, part.output);
    else if (part.state === "approval-responded") {
      const { approved, reason } = part.approval;
      await handle[approved ? "approve" : "deny"](request.id, reason === undefined ? {} : { reason });
    }
  }
}
