/** @jsxImportSource june */
/** Smoke: every subpath of the built package loads, and a workflow written against june runs and answers its approval. */

import { deepStrictEqual, strictEqual } from "node:assert";
import { Agent, Bash, Step, run } from "june";
import { bashTool as wholePackageTool } from "june/bash";
import { createAnthropic } from "june/sdk/anthropic";
import { createGoogle } from "june/sdk/google";
import { createOpenAI } from "june/sdk/openai";
import { scriptedModel } from "june/testing";
import { bashTool } from "june/tools";
import { traceFormat } from "june/trace";

strictEqual(bashTool, wholePackageTool);
strictEqual(createOpenAI({ apiKey: "none" })("gpt-5-mini").provider, "openai.responses");
strictEqual(createAnthropic({ apiKey: "none" })("claude-sonnet-4-5").provider, "anthropic.messages");
strictEqual(createGoogle({ apiKey: "none" })("gemini-2.5-flash").provider, "google.generative-ai");

const model = scriptedModel([
  { calls: [{ name: "bash", input: { command: "printf june" } }] },
  { text: "It printed june.", expect: { tools: ["bash"], results: [/"stdout":"june"/] } },
]);
const asked: string[] = [];
const result = await run(
  <Agent model={model}>
    <Bash />
    <Step id="ask" prompt="Print june." />
  </Agent>,
  {
    onRequest: ({ tool, source }) => {
      asked.push(`${tool} of ${source}`);
      return { approved: true };
    },
  },
);
strictEqual(result.output, "It printed june.");
strictEqual(result.trace.format, traceFormat);
deepStrictEqual(asked, ["bash of <Bash>"]);
