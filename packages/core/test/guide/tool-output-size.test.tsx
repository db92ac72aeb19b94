/** How much of one tool result a model sees: `maxToolOutputBytes`, L10. */

import { tool, type Tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Step, Tool as ToolTag, run, type AgentProps } from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";

const nothing = z.object({});
const size = (text: string): number => new TextEncoder().encode(text).length;
const gap = /\n\[… (\d+) of (\d+) bytes left out …\]\n/;

/** What the model gets of the tool's result. */
async function seen(subject: Tool, maxToolOutputBytes?: number, props: Partial<AgentProps> = {}, stream = false) {
  const model = scriptedModel([{ calls: [{ name: "subject" }] }, "done"]);
  const bound = maxToolOutputBytes === undefined ? {} : { maxToolOutputBytes };
  const result = await run(
    <Agent model={model} tools={{ subject }} {...bound} {...props}>
      <Step id="a" prompt="go" />
    </Agent>,
    { stream, onRequest: () => ({ answer: "x".repeat(50) }) },
  );
  expect(result.output).toBe("done");
  return resultOutputs(model, 1)[0];
}

/** A tool that gives this. */
const giving = (output: unknown): Tool => tool({ inputSchema: nothing, execute: () => output });

describe("maxToolOutputBytes", () => {
  it.each([false, true])("L10 keeps head and tail of a text and says what is missing (stream: %s)", async (stream) => {
    const text = `${"a".repeat(100)}${"b".repeat(100)}${"c".repeat(100)}`;
    expect(await seen(giving(text), 20, {}, stream)).toEqual({
      type: "text",
      value: "aaaaaaaaaa\n[… 280 of 300 bytes left out …]\ncccccccccc",
    });
    expect(await seen(giving(text), 300, {}, stream)).toEqual({ type: "text", value: text });
    expect(await seen(giving(text), 299, {}, stream)).toMatchObject({ value: expect.stringMatching(gap) });
  });

  it("L10 is 256 KiB unless set", async () => {
    const whole = "x".repeat(262_144);
    expect(await seen(giving(whole))).toEqual({ type: "text", value: whole });
    const half = "x".repeat(131_072);
    expect(await seen(giving(`${half}y${half}`))).toEqual({
      type: "text",
      value: `${half}\n[… 1 of 262145 bytes left out …]\n${half}`,
    });
  });

  it("L10 counts bytes and never cuts a character in two", async () => {
    const text = "aé€😀\ufeffz".repeat(4);
    for (let maxBytes = 1; maxBytes <= size(text) + 1; maxBytes++) {
      const { value } = (await seen(giving(text), maxBytes)) as { value: string };
      if (maxBytes >= size(text)) {
        expect(value).toBe(text);
        continue;
      }
      const [head, left, total, tail] = value.split(gap) as [string, string, string, string];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(Number(total)).toBe(size(text));
      expect(size(head) + Number(left) + size(tail)).toBe(size(text));
      // Each half may go over by the rest of one character at most, and only the tail does.
      expect(size(head)).toBeLessThanOrEqual(Math.max(1, maxBytes / 2));
      expect(size(tail)).toBeLessThanOrEqual(Math.max(1, maxBytes / 2) + 3);
    }
  });

  it("L10 gives JSON that is too long as text", async () => {
    const rows = { rows: Array.from({ length: 20 }, (_, index) => index) };
    expect(await seen(giving(rows), 1_000)).toEqual({ type: "json", value: rows });
    expect(await seen(giving(rows), 16)).toEqual({
      type: "text",
      value: `{"rows":\n[… ${JSON.stringify(rows).length - 16} of ${JSON.stringify(rows).length} bytes left out …]\n,18,19]}`,
    });
  });

  it("L10 is one bound for all the texts of a result, and leaves files whole", async () => {
    const file = {
      type: "file" as const,
      mediaType: "image/png",
      data: { type: "data" as const, data: "A".repeat(400) },
    };
    const parts = (texts: readonly string[]) =>
      tool({
        inputSchema: nothing,
        execute: () => "raw",
        toModelOutput: () => ({
          type: "content",
          value: [file, ...texts.map((text) => ({ type: "text" as const, text })), file],
        }),
      });
    const texts = async (given: readonly string[], maxBytes: number) => {
      const output = (await seen(parts(given), maxBytes)) as {
        value: { type: string; text?: string; data?: unknown }[];
      };
      expect([output.value[0], output.value.at(-1)]).toMatchObject([{ type: "file" }, { type: "file" }]);
      expect(JSON.stringify(output).split("A".repeat(400))).toHaveLength(3);
      return output.value.slice(1, -1).map(({ text }) => text);
    };
    const ten = "0123456789";
    expect(await texts([ten, ten], 20)).toEqual([ten, ten]);
    expect(await texts([ten, ten], 18)).toEqual(["012345678\n[… 2 of 20 bytes left out …]\n", "123456789"]);
    expect(await texts([ten, ten, ten], 20)).toEqual([ten, "\n[… 10 of 30 bytes left out …]\n", ten]);
    expect(
      await texts(
        Array.from({ length: 1_000 }, () => ten),
        26,
      ),
    ).toEqual([ten, "012\n[… 9974 of 10000 bytes left out …]\n", "789", ten]);
  });

  it.each([false, true])("L10 bounds errors, answers of people and workflows alike (stream: %s)", async (stream) => {
    const failing = tool({
      inputSchema: nothing,
      execute: (): Promise<string> => Promise.reject(new Error(`${"a".repeat(100)}${"z".repeat(100)}`)),
    });
    expect(await seen(failing, 6, {}, stream)).toEqual({
      type: "error-text",
      value: "aaa\n[… 194 of 200 bytes left out …]\nzzz",
    });
    const question = tool({ inputSchema: nothing, outputSchema: z.string() }) as Tool;
    expect(await seen(question, 6, {}, stream)).toEqual({
      type: "text",
      value: "xxx\n[… 44 of 50 bytes left out …]\nxxx",
    });
    const streaming = tool({
      inputSchema: nothing,
      async *execute() {
        yield "x";
        yield "y".repeat(50);
      },
    });
    expect(await seen(streaming as Tool, 6, {}, stream)).toEqual({
      type: "text",
      value: "yyy\n[… 44 of 50 bytes left out …]\nyyy",
    });
    const model = scriptedModel([{ calls: [{ name: "work" }] }, "done"]);
    await run(
      <Agent model={model} maxToolOutputBytes={6}>
        <ToolTag name="work" description="Work" input={nothing}>
          {() => "w".repeat(50)}
        </ToolTag>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "www\n[… 44 of 50 bytes left out …]\nwww" }]);
  });

  it("L10 bounds what the model sees, and neither the trace nor the result", async () => {
    const text = "x".repeat(1_000);
    const ended: unknown[] = [];
    const handle = run(
      <Agent
        model={scriptedModel([{ calls: [{ name: "subject" }] }])}
        tools={{ subject: giving(text) }}
        maxToolOutputBytes={10}
        stopWhen={() => true}
      >
        <Step id="a" prompt="go" />
      </Agent>,
      { trace: { capture: "full" } },
    );
    for await (const event of handle.events) if (event.type === "tool-call-end") ended.push(event.output);
    expect((await handle).output).toBe(text);
    expect(ended).toEqual([text]);
  });

  it("L10 of no size is refused", async () => {
    for (const [value, shown] of [
      [0, "the number 0"],
      [-1, "the number -1"],
      [1.5, "the number 1.5"],
      ["10", "text"],
    ] as const) {
      const error = await errorOf(
        run(<Agent model={scriptedModel([])} maxToolOutputBytes={value as number} children="go" />),
      );
      expect(error).toMatchObject({ code: "invalid-props" });
      expect(error.message).toContain(
        `got ${shown} as maxToolOutputBytes\nmaxToolOutputBytes is a whole number from 1 on.`,
      );
    }
  });
});
