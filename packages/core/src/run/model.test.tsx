/** What becomes of an answer that a model's connection did not live to finish. */

import { tool, type LanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Step, Tool, run, type JuneElement } from "@june/core";
import { scriptedModel } from "@june/core/testing";

const cutMessage = `june: the stream of the model "scripted" ended before the answer was finished
The connection was probably lost: try again.`;

let ran = 0;
const count = tool({ description: "Counts", inputSchema: z.object({}), execute: () => ++ran });

function Counting({ model }: { model: LanguageModel }): JuneElement {
  return (
    <Agent model={model}>
      <Tool name="count" value={count} />
      <Step id="ask" prompt="Count." />
    </Agent>
  );
}

describe.each([true, false])("an answer the provider calls interrupted, stream: %s", (stream) => {
  it("L25 is no answer, and its tokens count", async () => {
    const model = scriptedModel([
      { text: "So far", finishReason: "interrupted", usage: { inputTokens: 3, outputTokens: 2 } },
    ]);
    const handle = run(<Counting model={model} />, { stream });

    await expect(handle).rejects.toMatchObject({ code: "stream-cut", message: cutMessage });
    expect(handle.trace.root.usage.total).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  it("L25 runs none of its tool calls", async () => {
    ran = 0;
    const model = scriptedModel([{ calls: [{ name: "count" }], finishReason: "interrupted" }]);

    await expect(run(<Counting model={model} />, { stream })).rejects.toMatchObject({ code: "stream-cut" });
    expect(ran).toBe(0);
  });
});

it("L25 names what broke a stream as its cause", async () => {
  const lost = new TypeError("terminated");
  const model = {
    ...scriptedModel([]),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "text-start", id: "0" });
          controller.enqueue({ type: "text-delta", id: "0", delta: "So far" });
        },
        pull: (controller) => controller.error(lost),
      }),
    }),
  };
  await expect(run(<Counting model={model} />, { stream: true })).rejects.toMatchObject({
    code: "stream-cut",
    message: cutMessage,
    cause: lost,
  });
});
