/** Opens a request and has nothing else to do; SIGUSR2 answers it. */

import { tool } from "ai";
import { z } from "zod";
import { Agent, Step, Tool, createElement, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";

const confirm = tool({ inputSchema: z.object({}) });
const handle = run(
  createElement(
    Agent,
    {
      model: scriptedModel([
        { calls: [{ name: "confirm" }] },
        ({ prompt }) => `done after ${JSON.stringify(prompt.at(-1)).includes('"yes"') ? "yes" : "something else"}`,
      ]),
    },
    createElement(Tool, { name: "confirm", value: confirm }),
    createElement(Step, { id: "a", prompt: "go" }),
  ),
);
// A listener for a signal does not keep a process alive.
process.on("SIGUSR2", () => void handle.answer("yes"));
for await (const event of handle.events) if (event.type === "request-open") process.stdout.write("waiting\n");
process.stdout.write(`${String((await handle).output)}\n`);
