/** The trace of a real run: its nodes and their facts, child runs, and that readers take it. */

import { tool } from "ai";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineToolset,
  run,
  type JuneNode,
  type RunEvent,
} from "@june/core";
import {
  diffTraces,
  foldEvents,
  printTrace,
  readTrace,
  traceSchema,
  walkTrace,
  type ChildRunOutput,
  type NodeKind,
  type Trace,
  type TraceNode,
} from "@june/core/trace";
import { echoModel, scriptedModel } from "@june/core/testing";
import { buildWorkflow, workflowPlan } from "../support/random-workflow.js";
import { collectEvents, openRequests } from "../support/watch-run.js";

const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });

const Files = defineToolset({
  name: "Files",
  key: () => "one",
  open: async () => ({ tools: { read: ping }, close: () => {} }),
});

const Researcher = defineAgent({
  name: "researcher",
  description: "Researches",
  input: z.object({ topic: z.string() }),
  prompt: ({ topic }) => topic,
  model: echoModel(),
});

function Section({ children }: { children?: JuneNode }) {
  return <>{children}</>;
}

/** Every kind of node, of every way to end but an abort. */
function workflow(attempts: { count: number }) {
  const model = scriptedModel([
    {
      calls: [
        { name: "research", input: { topic: "June" } },
        { name: "researcher", input: { topic: "July" } },
        { name: "deploy", input: {} },
        { name: "broken", input: {} },
      ],
      usage: { inputTokens: 100, outputTokens: 20 },
    },
    { text: "planned", usage: { inputTokens: 200, outputTokens: 30 } },
  ]);
  const Flaky = () => {
    if (attempts.count++ === 0) throw new Error("not yet");
    return null;
  };
  const broken = tool({
    inputSchema: z.object({}),
    execute: (): string => {
      throw new Error("disk full", { cause: new Error("no space left") });
    },
  });
  return (
    <Section>
      <Agent name="guide" model={model}>
        <Files />
        <Tool name="research" description="Research" input={z.object({ topic: z.string() })}>
          {({ topic }) => (
            <Agent name="reader" model={echoModel()}>
              <Step id="findings" prompt={topic} />
            </Agent>
          )}
        </Tool>
        <Researcher />
        <RequireApproval reason="it goes live">
          <Tool name="deploy" value={ping} />
        </RequireApproval>
        <Tool name="broken" value={broken} />
        <Step id="plan" prompt="plan it" />
      </Agent>
      <Catch retries={1}>
        <Flaky />
      </Catch>
    </Section>
  );
}

describe("every node", () => {
  let trace: Trace;
  let nodes: TraceNode[];
  const only = (kind: NodeKind, name: string): TraceNode => {
    const found = nodes.filter((node) => node.kind === kind && node.name === name);
    expect(found, `${kind} ${name}`).toHaveLength(1);
    return found[0]!;
  };

  beforeAll(async () => {
    const handle = run(workflow({ count: 0 }), {
      trace: { capture: "full" },
      onRequest: () => ({ approved: false, by: "ada", reason: "not on a Friday" }),
    });
    ({ trace } = await handle);
    nodes = [...walkTrace(trace)].map(({ node }) => node);
  });

  it("S2 is of one of nine kinds, and a run may have them all", () => {
    expect([...new Set(nodes.map(({ kind }) => kind))].toSorted()).toEqual(
      ["agent", "attempt", "component", "model-call", "request", "run", "step", "tool-call", "toolset"].toSorted(),
    );
  });

  it("S2 has an id of its own, a name, a path, a status, times and usage", () => {
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    for (const node of nodes) {
      expect(node.name).not.toBe("");
      expect(node.path === "" || node.path.startsWith("/")).toBe(true);
      expect(["ok", "error"]).toContain(node.status);
      expect(node.startedAtMs).toBeGreaterThan(1_600_000_000_000);
      expect(node.durationMs).toBeGreaterThanOrEqual(0);
      expect(node.usage.total.totalTokens!).toBeGreaterThanOrEqual(node.usage.own.totalTokens!);
    }
  });

  it("S2 says of an agent what it can do and what waits", () => {
    expect(only("agent", "guide")).toMatchObject({
      capabilities: [
        { name: "read", source: "<Files>" },
        { name: "research", source: '<Tool name="research">', composite: true },
        { name: "researcher", source: "<researcher>", composite: true },
        { name: "deploy", source: '<Tool name="deploy"> in <RequireApproval>' },
        { name: "broken", source: '<Tool name="broken">' },
      ],
      waits: [{ name: "deploy", because: "<RequireApproval>" }],
    });
  });

  it("S2 says of a step what it offered and what was called, with each schema's text once in the run", () => {
    const step = only("step", "plan");
    expect(step.offered).toEqual(["read", "research", "researcher", "deploy", "broken"]);
    expect(step.called!.toSorted()).toEqual(["broken", "deploy", "research", "researcher"]);
    const hashes = Object.values(step.offeredSchemas!);
    expect(hashes).toHaveLength(5);
    // Three of the tools take the same empty object, two the same topic.
    expect(new Set(hashes).size).toBe(2);
    expect(Object.keys(trace.schemas!).toSorted()).toEqual([...new Set(hashes)].toSorted());
    expect(JSON.parse(trace.schemas![step.offeredSchemas!["research"]!]!)).toMatchObject({ required: ["topic"] });
  });

  it("S2 says of a request what it asks and how it was answered, and of an error what caused it", () => {
    expect(only("request", "deploy")).toMatchObject({
      requestKind: "approval",
      reason: "it goes live",
      source: '<Tool name="deploy"> in <RequireApproval>',
      answered: { type: "denied", by: "ada", reason: "not on a Friday" },
    });
    expect(only("tool-call", "broken")).toMatchObject({
      status: "error",
      error: { name: "Error", message: "disk full", cause: { name: "Error", message: "no space left" } },
    });
  });

  it("S2 says of toolsets and attempts which one it is", () => {
    const toolsets = nodes.filter(({ kind }) => kind === "toolset");
    expect(toolsets.map(({ name, phase }) => ({ name, phase }))).toEqual([
      { name: "<Files>", phase: "opening" },
      { name: "<Files>", phase: "closing" },
    ]);
    const attempts = nodes.filter(({ kind }) => kind === "attempt");
    expect(attempts.map(({ attempt, status }) => ({ attempt, status }))).toEqual([
      { attempt: 0, status: "error" },
      { attempt: 1, status: "ok" },
    ]);
  });

  it("S2 counts its own tokens, and in total those of child runs below it", () => {
    const tokens = ({ usage }: TraceNode) => [usage.own.totalTokens, usage.total.totalTokens];
    const children = nodes.filter(({ kind }) => kind === "run").slice(1);
    const below = children.reduce((sum, child) => sum + child.usage.total.totalTokens!, 0);
    expect(below).toBeGreaterThan(0);
    for (const node of [trace.root, only("agent", "guide"), only("step", "plan")])
      expect(tokens(node)).toEqual([350, 350 + below]);
    expect(tokens(only("tool-call", "research"))[0]).toBe(0);
    expect(tokens(only("tool-call", "broken"))).toEqual([0, 0]);
  });

  it("S3 keeps the run of a composite and of a callable agent in the output of its call, and nowhere else", () => {
    for (const [name, step, answer] of [
      ["research", "findings", "June"],
      ["researcher", "answer", "July"],
    ] as const) {
      const call = only("tool-call", name);
      const output = call.output as ChildRunOutput;
      expect(output.output).toBe(answer);
      expect(output.usage).toEqual(output.trace.root.usage);
      expect(output.trace).toMatchObject({ format: "june.trace/1", runId: trace.runId, capture: "full" });
      expect(output.trace.root).toMatchObject({ kind: "run", name, path: call.path });
      expect(call.children).toEqual([]);
      expect(only("step", step).label).toBe(`${name}:${step}`);
      expect(JSON.stringify(trace).split(`"label":"${name}:${step}","status"`).length - 1).toBe(2); // the step, its model call
    }
  });

  it("S1 is read back from its text, printed, and equal to another run of the same workflow", async () => {
    const text = JSON.stringify(trace);
    const back = readTrace(text);
    expect(JSON.stringify(back)).toBe(text);
    expect(traceSchema.safeParse(back).error).toBeUndefined();
    const printed = printTrace(back, { capabilities: true });
    for (const { node } of walkTrace(trace))
      if (node.kind !== "run") expect(printed).toContain(node.model ?? node.name);
    expect(printed).toContain("approval for deploy ✓ denied by ada");
    expect(printed).toContain("caused by Error: no space left");
    const again = run(workflow({ count: 0 }), {
      onRequest: () => ({ approved: false, by: "eve", reason: "not on a Friday" }),
    });
    expect(diffTraces(back, (await again).trace)).toEqual([]);
    const approved = run(workflow({ count: 0 }), { onRequest: () => ({ approved: true }) });
    expect(diffTraces(back, (await approved).trace).map(({ name, change }) => `${name} ${change}`)).toEqual([
      "deploy status",
      "deploy error",
    ]);
  });
});

describe("a run that goes on", () => {
  it("S2 has nodes that run and wait, without a duration", async () => {
    const handle = run(workflow({ count: 0 }));
    await openRequests(handle);
    const waiting = [...walkTrace(handle.trace)]
      .map(({ node }) => node)
      .filter(({ durationMs }) => durationMs === undefined);
    expect(waiting.map(({ kind, status }) => `${kind} ${status}`)).toEqual(
      expect.arrayContaining(["run running", "agent running", "step running", "tool-call waiting", "request waiting"]),
    );
    expect(() => readTrace(JSON.stringify(handle.trace))).not.toThrow();
    expect(printTrace(handle.trace)).toContain("approval for deploy ? waiting");
    await handle.approve();
    await handle;
  });

  it("S2 has nodes that were aborted, once it was aborted", async () => {
    const handle = run(workflow({ count: 0 }));
    await openRequests(handle);
    handle.abort("enough");
    await handle.catch(() => {});
    const statuses = new Map([...walkTrace(handle.trace)].map(({ node }) => [node.kind, node.status]));
    expect(statuses.get("request")).toBe("aborted");
    expect(handle.trace.root.status).toBe("aborted");
  });
});

describe("any run", () => {
  it("S1, S5 gives a trace that its readers take, which its events make even after a journey as JSON", async () => {
    const settings = fc.record({
      plan: workflowPlan,
      capture: fc.constantFrom("full" as const, "shape" as const),
      abortAfter: fc.option(fc.nat({ max: 40 }), { freq: 3, nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(settings, async ({ plan, capture, abortAfter }) => {
        const handle = run(buildWorkflow(plan).tree, {
          trace: { capture },
          limits: { cleanupMs: 2 },
          onRequest: ({ input }) => ({ approved: (input as { approved: boolean }).approved }),
        });
        let seen = 0;
        const lines: string[] = [];
        for await (const event of handle.events) {
          lines.push(JSON.stringify(event));
          if (seen++ === abortAfter) handle.abort("stopped by the test");
        }
        await handle.catch(() => {});
        const text = JSON.stringify(handle.trace);
        const back = readTrace(text);
        expect(traceSchema.safeParse(handle.trace).error).toBeUndefined();
        expect(diffTraces(handle.trace, back)).toEqual([]);
        expect(printTrace(back)).toBe(printTrace(handle.trace));
        expect(
          JSON.stringify(
            foldEvents(
              lines.map((line) => JSON.parse(line) as RunEvent),
              capture,
            ),
          ),
        ).toBe(text);
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it("S5 names its events by a noun and a verb, each with path and label", async () => {
    const handle = run(workflow({ count: 0 }), { stream: true, onRequest: () => ({ approved: true }) });
    const events = await collectEvents(handle);
    await handle;
    expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual([
      "agent-end",
      "agent-resolved",
      "agent-start",
      "attempt-end",
      "attempt-start",
      "component-end",
      "component-start",
      "model-call-end",
      "model-call-start",
      "request-answered",
      "request-open",
      "run-end",
      "run-start",
      "step-end",
      "step-start",
      "text-delta",
      "tool-call-end",
      "tool-call-start",
      "toolset-end",
      "toolset-start",
    ]);
    const nodes = new Map([...walkTrace(handle.trace)].map(({ node }) => [node.id, node]));
    for (const { id, path, label } of events) expect(nodes.get(id)).toMatchObject({ path, label });
  });
});
