/** What counts as a difference between two traces. */

import { describe, expect, it } from "vitest";
import { diffTraces, type Trace, type TraceNode } from "@june/core/trace";
import { makeDeepTrace, makeNestedTrace, makeNode, makeTrace, makeUsage } from "../../test/support/make-trace.js";

const step = makeNode({
  kind: "step",
  name: "a",
  called: ["search"],
  children: [makeNode({ kind: "model-call", name: "m" })],
});

function traceOf(...children: TraceNode[]): Trace {
  return makeTrace(children);
}

describe("diffTraces", () => {
  it("S1 finds nothing in equal traces, whatever their times and ids", () => {
    const later = { ...step, id: "n77", startedAtMs: 9_000, durationMs: 77, toolCallId: "other" };
    expect(diffTraces(traceOf(step), { ...traceOf(later), runId: "run-2" })).toEqual([]);
    const fromFile = JSON.parse(JSON.stringify(traceOf(step))) as Trace;
    expect(diffTraces(traceOf(step), fromFile)).toEqual([]);
  });

  it("S1 names what only one has, once for everything inside it", () => {
    const other = makeNode({ kind: "step", name: "b" });
    expect(diffTraces(traceOf(step), traceOf(other))).toEqual([
      { path: "/step[a]", kind: "step", name: "a", change: "removed" },
      { path: "/step[b]", kind: "step", name: "b", change: "added" },
    ]);
  });

  it.each([
    ["status", { status: "aborted" }, "ok", "aborted"],
    ["called", { called: ["search", "read"] }, ["search"], ["search", "read"]],
    [
      "capabilities",
      { capabilities: [{ name: "a", source: '<Tool name="a">' }] },
      undefined,
      [{ name: "a", source: '<Tool name="a">' }],
    ],
    ["usage", { usage: makeUsage(1, 2) }, makeUsage(0), makeUsage(1, 2)],
    ["error", { error: { name: "Error", message: "m" } }, undefined, { name: "Error", message: "m" }],
  ])("S1, S2 compares %s", (change, changed, before, after) => {
    expect(diffTraces(traceOf(step), traceOf({ ...step, ...changed } as TraceNode))).toEqual([
      { path: "/step[a]", kind: "step", name: "a", change, before, after },
    ]);
  });

  it("S1 tells errors apart by their causes, and tools by their order", () => {
    const failing = (message: string): TraceNode => ({
      ...step,
      error: { name: "Error", message: "outer", cause: { name: "Error", message } },
    });
    expect(diffTraces(traceOf(failing("a")), traceOf(failing("a")))).toEqual([]);
    expect(diffTraces(traceOf(failing("a")), traceOf(failing("b")))).toHaveLength(1);
    const calling = (...called: string[]): Trace => traceOf({ ...step, called });
    expect(diffTraces(calling("a", "b"), calling("b", "a"))).toHaveLength(1);
    expect(diffTraces(calling("a"), calling("a", "a"))).toHaveLength(1);
  });

  it("S3 looks into child runs", () => {
    const calling = (status: TraceNode["status"]): Trace => {
      const trace = makeTrace([makeNode({ kind: "step", name: "findings", path: "/inside", status })]);
      return traceOf(
        makeNode({
          kind: "agent",
          name: "guide",
          capabilities: [{ name: "research", source: '<Tool name="research">', composite: true }],
          children: [makeNode({ kind: "tool-call", name: "research", output: { trace, usage: trace.root.usage } })],
        }),
      );
    };
    expect(diffTraces(calling("ok"), calling("error"))).toEqual([
      { path: "/inside", kind: "step", name: "findings", change: "status", before: "ok", after: "error" },
    ]);
  });

  it("S1 pairs nodes that share a place in their order", () => {
    expect(diffTraces(traceOf(step, step), traceOf(step, { ...step, status: "error" }))).toMatchObject([
      { path: "/step[a]", change: "status" },
    ]);
    expect(diffTraces(traceOf(step, step), traceOf(step))).toMatchObject([{ path: "/step[a]", change: "removed" }]);
  });

  it("S1 is plain data", () => {
    const differences = diffTraces(traceOf(step), traceOf({ ...step, status: "error" }));
    expect(JSON.parse(JSON.stringify(differences))).toEqual(differences);
  });

  it("S1, S3 compares what is 10,000 deep", () => {
    expect(diffTraces(makeDeepTrace(10_000), makeDeepTrace(9_999))).toHaveLength(1);
    expect(diffTraces(makeNestedTrace(10_000), makeNestedTrace(10_000))).toEqual([]);
  });
});
