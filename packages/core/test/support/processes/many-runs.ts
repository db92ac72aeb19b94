/** Runs a small workflow many times, one after the other, and writes how much heap stayed behind. */

import { tool } from "ai";
import { z } from "zod";
import { Agent, Catch, RequireApproval, Step, Tool, createElement, defineAgent, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";

const count = Number(process.argv[2]);
const collect = (globalThis as { gc?: () => void }).gc!;
const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });
const Helper = defineAgent({
  name: "helper",
  description: "Helps",
  input: z.object({}),
  prompt: () => "help",
});

async function once(index: number): Promise<void> {
  const signal = new AbortController().signal;
  const handle = run(
    createElement(
      Agent,
      { model: scriptedModel([{ calls: [{ name: "ping" }, { name: "helper", input: {} }] }, "done"]) },
      createElement(RequireApproval, null, createElement(Tool, { name: "ping", value: ping })),
      createElement(Helper, { model: scriptedModel(["helped"]) }),
      createElement(Catch, { retries: 1, fallback: () => null }, index % 5 === 0 ? createElement(fail, null) : null),
      createElement(Step, { id: "a", prompt: "go" }),
    ),
    { signal, stream: index % 2 === 0, onRequest: () => ({ approved: true }) },
  );
  for await (const event of handle.events) if (event.type === "step-start") break;
  await handle;
}

function fail(): never {
  throw new Error("on purpose");
}

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

for (let index = 0; index < 300; index++) await once(index);
const before = await heap();
for (let index = 0; index < count; index++) await once(index);
const after = await heap();
process.stdout.write(JSON.stringify({ runs: count, grownBytes: after - before }));
