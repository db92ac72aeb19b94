/** Remembers what a step's last model call was sent, so that the trace keeps of each call only what is new. */

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** The messages of the last model call, as text. */
export interface PromptMemory {
  messages: readonly string[];
}

/** How many messages of the last call come first again, and what follows them. */
export function addedMessages(memory: PromptMemory, prompt: LanguageModelV4Prompt): { kept: number; added: unknown } {
  const messages = prompt.map(fingerprint);
  let kept = 0;
  while (kept < messages.length && kept < memory.messages.length && messages[kept] === memory.messages[kept]) kept++;
  memory.messages = messages;
  return { kept, added: prompt.slice(kept) };
}

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Text that is the same for the same message. What cannot be text is taken for new: that costs place, not truth. */
function fingerprint(message: unknown): string {
  try {
    return JSON.stringify(message, function (this: Record<string, unknown>, key, value: unknown) {
      // The bytes of a file would be far longer than themselves, and are the same object in each call.
      const given = this[key];
      if (ArrayBuffer.isView(given)) return `bytes ${idOf(given)}`;
      return typeof value === "bigint" ? `${value}n` : value;
    });
  } catch {
    return `message ${idOf({})}`;
  }
}

function idOf(value: object): number {
  const known = ids.get(value) ?? ++lastId;
  ids.set(value, known);
  return known;
}
