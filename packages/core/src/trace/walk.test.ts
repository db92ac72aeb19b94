/** The order in which a trace is walked, and what it does not walk into. */

import { describe, expect, it } from "vitest";
import { walkTrace, type Trace, type WalkedNode } from "@june/core/trace";
import { makeDeepTrace, makeNestedTrace, makeNode, makeTrace } from "../../test/support/make-trace.js";

const inner = makeTrace([makeNode({ kind: "step", name: "findings", label: "research:findings" })], {
  name: "research",
  label: "research",
});
const output = { output: "found", trace: inner, usage: inner.root.usage };

/** An agent with one tool call, composite or plain, that has this output. */
function agentCalling(name: string, composite: boolean, calls: readonly ReturnType<typeof makeNode>[]): Trace {
  const capabilities = [{ name, source: `<Tool name="${name}">`, ...(composite ? { composite: true as const } : {}) }];
  return makeTrace([
    makeNode({
      kind: "agent",
      name: "guide",
      capabilities,
      children: [makeNode({ kind: "step", name: "s", children: calls })],
    }),
    makeNode({ kind: "component", name: "After" }),
  ]);
}

function show({ node, depth }: WalkedNode): string {
  return `${depth} ${node.kind} ${node.name}`;
}

describe("walkTrace", () => {
  it("S3 goes depth first, and into a child run after what else its tool call holds", () => {
    const request = makeNode({ kind: "request", name: "research" });
    const trace = agentCalling("research", true, [
      makeNode({ kind: "tool-call", name: "research", output, children: [request] }),
      makeNode({ kind: "tool-call", name: "other" }),
    ]);
    expect([...walkTrace(trace)].map(show)).toEqual([
      "0 run run",
      "1 agent guide",
      "2 step s",
      "3 tool-call research",
      "4 request research",
      "4 run research",
      "5 step findings",
      "3 tool-call other",
      "1 component After",
    ]);
  });

  it("S3 says where each node stands: its parent, its document, its breadcrumb", () => {
    const trace = agentCalling("research", true, [makeNode({ kind: "tool-call", name: "research", output })]);
    const walked = [...walkTrace(trace)];
    const findings = walked.find(({ node }) => node.name === "findings")!;
    expect(findings.label).toBe("research:findings");
    expect(findings.trace).toBe(inner);
    const around: string[] = [];
    for (let part = findings.parent; part !== undefined; part = part.parent) {
      expect(walked).toContain(part);
      around.push(part.node.kind);
    }
    expect(around).toEqual(["run", "tool-call", "step", "agent", "run"]);
    expect(walked[0]).toMatchObject({ depth: 0, parent: undefined });
    expect(walked[0]!.trace).toBe(trace);
  });

  it("S3 does not take the output of a plain tool for a child run, however it looks", () => {
    const trace = agentCalling("search", false, [makeNode({ kind: "tool-call", name: "search", output })]);
    expect([...walkTrace(trace)].map(show)).not.toContain("4 run research");
    const broken = { trace: { format: "june.trace/1", root: null } };
    const lie = agentCalling("search", false, [makeNode({ kind: "tool-call", name: "search", output: broken })]);
    expect([...walkTrace(lie)]).toHaveLength(5);
  });

  it("S3 does not let an agent's composites count in an agent below it", () => {
    const call = makeNode({ kind: "tool-call", name: "research", output });
    const nested = makeNode({ kind: "agent", name: "nested", children: [call] });
    expect(
      [...walkTrace(agentCalling("research", true, [nested]))].filter(({ node }) => node.kind === "run"),
    ).toHaveLength(1);
  });

  it.each([
    ["nodes", makeDeepTrace(10_000), 10_001],
    ["child runs", makeNestedTrace(10_000), 30_001],
  ])("S3 walks 10,000 %s deep", (_, trace, count) => {
    let last: WalkedNode | undefined;
    let seen = 0;
    for (const walked of walkTrace(trace)) {
      last = walked;
      seen++;
    }
    expect(seen).toBe(count);
    expect(last!.depth).toBe(count - 1);
  });

  it("S1 can be left early", () => {
    for (const { node } of walkTrace(makeDeepTrace(3))) {
      expect(node.kind).toBe("run");
      break;
    }
  });
});
