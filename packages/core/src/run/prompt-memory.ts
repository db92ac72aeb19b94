/** Remembers what a step's last model call was sent, so that the trace keeps of each call only what is new. */

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** The messages of the last model call, as text. */
export interface PromptMemory {
  messages: readonly string[];
}

/** How many messages of the last call come first again, and what follows them. */
export function addedMessages(memory: PromptMemory, prompt: LanguageModelV4Prompt): { kept: number; added: unknown } {
  const messages = prompt.map((message) => JSON.stringify(message));
  let kept = 0;
  while (kept < messages.length && kept < memory.messages.length && messages[kept] === memory.messages[kept]) kept++;
  memory.messages = messages;
  return { kept, added: prompt.slice(kept) };
}
