/** @jsxImportSource @june/core */
/** The built package on each runtime: a tree with all its parts runs, streaming and not, and answers what it should. */

import assert from "node:assert/strict";
import { tool } from "ai";
import { z } from "zod";
import {
  Agent,
  Catch,
  Inherit,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineCapabilities,
  defineTool,
  defineToolset,
  run,
} from "@june/core";
import { foldEvents, printTrace, readTrace } from "@june/core/trace";
import { checkCapabilities, echoModel, scriptedModel } from "@june/core/testing";

const echo = tool({
  description: "Give text back",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const counting = tool({
  description: "Count",
  inputSchema: z.object({ to: z.number() }),
  async *execute({ to }) {
    for (let number = 1; number <= to; number++) yield number;
  },
});
const Files = defineCapabilities(() => <Tool name="echo" value={echo} />, { name: "Files" });
const Clock = defineToolset<{ zone: string }>({
  name: "Clock",
  label: ({ zone }) => ({ zone }),
  key: ({ zone }) => zone,
  open: async ({ zone }) => ({
    tools: { now: tool({ description: "Now", inputSchema: z.object({}), execute: () => `noon in ${zone}` }) },
  }),
});
const lookUp = defineTool({ name: "lookUp", description: "d", input: z.object({}), execute: async () => "A-17" });

function tree() {
  const Researcher = defineAgent({
    name: "researcher",
    description: "Researches",
    input: z.object({ question: z.string() }),
    model: scriptedModel([{ calls: [{ name: "files_echo", input: { text: "found" } }] }, "found it"]),
    prompt: ({ question }) => question,
    capabilities: () => (
      <Namespace name="files">
        <RequireApproval reason="it is a test">
          <Files />
        </RequireApproval>
      </Namespace>
    ),
  });
  const model = scriptedModel([
    {
      calls: [
        { name: "researcher", input: { question: "why?" } },
        { name: "counting", input: { to: 3 } },
        { name: "now", input: {} },
      ],
    },
    { text: "written", expect: { results: ["found it", 3, "noon in Oslo"] } },
  ]);
  async function Workflow() {
    const order = await lookUp({});
    return (
      <Agent model={model} name="writer">
        <Researcher />
        <Tool name="counting" value={counting} />
        <Clock zone="Oslo" />
        <Step id="write" prompt={`Write about ${order}.`} />
        <Parallel>
          <Agent model={echoModel()}>
            <Inherit capabilities={["counting"]} />
            <Step id="left" prompt="left" />
          </Agent>
          <Catch retries={1}>
            <Agent model={echoModel()}>right</Agent>
          </Catch>
        </Parallel>
      </Agent>
    );
  }
  return <Workflow />;
}

for (const stream of [false, true]) {
  const handle = run(tree(), { stream, trace: { capture: "full" } });
  const events = [];
  for await (const event of handle.events) {
    events.push(event);
    if (event.type === "request-open") await handle.approve({ by: "smoke" });
  }
  const { output, usage, trace } = await handle;
  assert.deepEqual({ ...(output as object) }, { write: "written", left: "left", "answer-b1": "right" });
  assert.deepEqual([usage.own.totalTokens, usage.total.totalTokens], [60, 90]);
  assert.deepEqual(JSON.parse(JSON.stringify(foldEvents(events, "full"))), JSON.parse(JSON.stringify(trace)));
  assert.match(printTrace(readTrace(JSON.stringify(trace))), /researcher/);
}

const abort = new AbortController();
const reason = new Error("enough");
const waiting = scriptedModel([{ text: "late", waitFor: new Promise(() => {}) }]);
const aborted = run(<Agent model={waiting}>hello</Agent>, { signal: abort.signal });
setTimeout(() => abort.abort(reason), 5);
await assert.rejects(aborted, (error) => error === reason);

assert.equal((await checkCapabilities(<Files />, { samples: { echo: [{ text: "hi" }] } })).ok, true);
console.log("smoke: core holds");
