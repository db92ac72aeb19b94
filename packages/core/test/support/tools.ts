/** Tools for tests about who has which tool, where what they do is of no matter. */

import { tool, type Tool } from "ai";
import { z } from "zod";

/** A tool that gives back the text it is given. */
export const echo = tool({
  description: "Echo",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

/** A tool that says its own name, so that a test sees which of several was called. */
export function saying(word: string): Tool {
  return tool({ description: `Say ${word}`, inputSchema: z.object({}), execute: () => word });
}

/** A tool that asks before it runs. */
export const guarded = tool({
  description: "Do something that matters",
  inputSchema: z.object({}),
  needsApproval: true,
  execute: () => "done",
});

/** A tool that the provider runs. */
export const provided = {
  type: "provider",
  isProviderExecuted: true,
  id: "test.search",
  args: {},
  inputSchema: z.object({}),
} as Tool;
