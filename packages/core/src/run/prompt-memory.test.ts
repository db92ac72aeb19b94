import { describe, expect, it } from "vitest";
import { addedMessages, type PromptMemory } from "./prompt-memory.js";

type Prompt = Parameters<typeof addedMessages>[1];

const say = (text: string, options?: unknown): Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text }],
  ...(options === undefined ? {} : { providerOptions: { test: options as never } }),
});
const send = (data: Uint8Array): Prompt[number] => ({
  role: "user",
  content: [{ type: "file", mediaType: "application/pdf", data: { type: "data", data } }],
});

describe("what a model call adds to the last one", () => {
  it("S4 is what does not come first again, whatever copies of it are sent", () => {
    const memory: PromptMemory = { messages: [] };
    expect(addedMessages(memory, [say("a")])).toEqual({ kept: 0, added: [say("a")] });
    expect(addedMessages(memory, [say("a"), say("b")])).toEqual({ kept: 1, added: [say("b")] });
    expect(addedMessages(memory, [say("a"), say("c"), say("b")])).toEqual({ kept: 1, added: [say("c"), say("b")] });
    expect(addedMessages(memory, [say("b")])).toEqual({ kept: 0, added: [say("b")] });
  });

  it("S4 knows a file by its bytes being the same ones, and spells none of them", () => {
    const memory: PromptMemory = { messages: [] };
    const file = new Uint8Array(1_000_000);
    addedMessages(memory, [send(file), send(Buffer.alloc(1_000))]);
    expect(memory.messages.every((message) => message.length < 200)).toBe(true);
    expect(addedMessages(memory, [send(file)]).kept).toBe(1);
    expect(addedMessages(memory, [send(new Uint8Array(1_000_000))]).kept).toBe(0);
  });

  it("S4 takes what cannot be text for new, and fails no call because of it", () => {
    const memory: PromptMemory = { messages: [] };
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const prompt = [say("a", { big: 1n }), say("b", cycle)];
    addedMessages(memory, prompt);
    expect(addedMessages(memory, prompt)).toEqual({ kept: 1, added: [prompt[1]] });
  });
});
