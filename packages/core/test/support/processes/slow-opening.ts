/** Opens a toolset over nothing that keeps a process alive by itself. */

import { tool } from "ai";
import { z } from "zod";
import { Agent, Step, createElement, defineToolset, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";

const Live = defineToolset({
  name: "Live",
  key: () => "k",
  open: async () => {
    await new Promise((resolve) => setTimeout(resolve, 200).unref());
    return { tools: { ping: tool({ inputSchema: z.object({}), execute: () => "pong" }) } };
  },
});
const { output } = await run(
  createElement(
    Agent,
    { model: scriptedModel([{ calls: [{ name: "ping" }] }, "opened and used"]) },
    createElement(Live, null),
    createElement(Step, { id: "a", prompt: "go" }),
  ),
);
process.stdout.write(`${String(output)}\n`);
