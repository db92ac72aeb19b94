/** The printed tree: what it says. */

import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { printTrace } from "@june/core/trace";
import { makeNode, makeTrace, makeUsage } from "../../test/support/make-trace.js";
import { widthOf } from "./terminal-text.js";

const offline = { name: "Error", message: "offline" };
const failed = {
  name: "RunError",
  code: "model-failed",
  message: 'june: the model "m" failed in the step "research:findings": offline\nTry again.',
  cause: offline,
};

const child = makeTrace(
  [
    makeNode({
      kind: "step",
      name: "findings",
      status: "error",
      error: failed,
      children: [
        makeNode({
          kind: "model-call",
          name: "m",
          model: "lab:m",
          status: "error",
          finishReason: "length",
          usage: makeUsage(1_200),
          error: failed,
          notes: [{ code: "model-retry", text: '"m" failed: offline' }],
        }),
      ],
    }),
  ],
  {
    name: "research",
    status: "error",
    error: failed,
    notes: [{ code: "ignored-abort", text: "a component was deaf" }],
  },
);

const trace = makeTrace(
  [
    makeNode({
      kind: "agent",
      name: "guide",
      durationMs: 64_000,
      usage: makeUsage(300, 1_500),
      capabilities: [
        { name: "research", source: '<Tool name="research">', composite: true },
        {
          name: "deploy",
          source: '<Inherit capabilities={["deploy"]}>',
          granted: '<Tool name="deploy"> in the enclosing <Agent>',
        },
      ],
      waits: [{ name: "deploy", because: "<RequireApproval>" }],
      children: [
        makeNode({
          kind: "step",
          name: "plan",
          durationMs: 1_250,
          usage: makeUsage(300, 1_500),
          children: [
            makeNode({
              kind: "tool-call",
              name: "research",
              status: "error",
              input: { topic: "June" },
              usage: makeUsage(0, 1_200),
              error: failed,
              output: { trace: child, usage: child.root.usage },
            }),
            makeNode({
              kind: "tool-call",
              name: "deploy",
              invocation: "application",
              status: "error",
              error: { name: "Denied", message: "not on a Friday" },
              children: [
                makeNode({
                  kind: "request",
                  name: "deploy",
                  requestKind: "approval",
                  reason: "it goes live",
                  durationMs: 4_000_000,
                  input: { tag: "v1" },
                  answered: { type: "denied", by: "ada", reason: "not on a Friday", input: { tag: "v2" } },
                }),
              ],
            }),
          ],
        }),
        makeNode({ kind: "toolset", name: "<Files>", phase: "closing", status: "aborted" }),
      ],
    }),
    makeNode({ kind: "attempt", name: "attempt 1", status: "waiting", children: [] }),
  ],
  { status: "running", usage: makeUsage(300, 1_500) },
);

describe("what it says", () => {
  it("S1, S2, S3 names, status, times, tokens, requests and answers, errors with causes, notes, across child runs", () => {
    expect(printTrace(trace).split("\n")).toEqual([
      "run run-1 … running  5 ms  1,500 tokens (own 300)",
      "├─ agent guide ✓  1 min 4 s  1,500 tokens (own 300)",
      "│  ├─ step plan ✓  1.3 s  1,500 tokens (own 300)",
      '│  │  ├─ tool research ✗ error  5 ms  1,200 tokens (own 0)  {"topic":"June"}',
      "│  │  │  │  note ignored-abort: a component was deaf",
      "│  │  │  └─ step findings ✗ error  5 ms",
      "│  │  │     └─ model lab:m ✗ error  5 ms  1,200 tokens  finish reason length",
      '│  │  │           note model-retry: "m" failed: offline',
      '│  │  │           ✗ RunError [model-failed]: the model "m" failed in the step "research:findings":',
      "│  │  │           ¦ offline",
      "│  │  │           ¦ Try again.",
      "│  │  │           caused by Error: offline",
      "│  │  └─ tool deploy ✗ error  5 ms  called by code",
      "│  │     │  ✗ Denied: not on a Friday",
      '│  │     └─ approval for deploy ✓ denied by ada  1 h 7 min  {"tag":"v1"}',
      "│  │           asked it goes live",
      "│  │           reason not on a Friday",
      '│  │           input {"tag":"v2"}',
      "│  └─ toolset <Files> ■ aborted  5 ms  closing",
      "└─ attempt 1 ? waiting  5 ms",
    ]);
  });

  it("S2 the tools of each agent with their sources when asked", () => {
    expect(printTrace(trace, { capabilities: true, columns: 130 }).split("\n").slice(1, 5)).toEqual([
      "├─ agent guide ✓  1 min 4 s  1,500 tokens (own 300)",
      '│  │  can research  <Tool name="research">, composite',
      '│  │  can deploy  <Inherit capabilities={["deploy"]}> from <Tool name="deploy"> in the enclosing <Agent>, waits because of',
      "│  │  ¦   <RequireApproval>",
    ]);
  });

  it("S1 the part of an error that an inner node does not tell", () => {
    const outer = {
      name: "RunError",
      code: "component-failed",
      message: "june: <Plan> failed: offline",
      cause: offline,
    };
    const inner = makeNode({ kind: "step", name: "a", status: "error", error: offline });
    const around = makeNode({ kind: "component", name: "Plan", status: "error", error: outer, children: [inner] });
    expect(printTrace(makeTrace([around], { status: "error", error: outer })).split("\n")).toEqual([
      "run run-1 ✗ error  5 ms",
      "└─ component Plan ✗ error  5 ms",
      "   │  ✗ RunError [component-failed]: <Plan> failed: offline",
      "   └─ step a ✗ error  5 ms",
      "         ✗ Error: offline",
    ]);
  });

  it("S1 several errors under one, and a long cause that was said already only by name", () => {
    const long = { name: "ZodError", message: `expected ${"a very long explanation ".repeat(5)}` };
    const error = { name: "RunError", message: `2 failed: ${long.message}`, cause: long, errors: [offline, long] };
    expect(printTrace(makeTrace([], { status: "error", error }), { columns: 1_000 }).split("\n")).toEqual([
      "run run-1 ✗ error  5 ms",
      `   ✗ RunError: 2 failed: ${long.message.trimEnd()}`,
      "   caused by ZodError (said above)",
      "   one of Error: offline",
      "   one of ZodError (said above)",
    ]);
  });

  it("S1 in colour, with every line ending plain", () => {
    const lines = printTrace(trace, { color: true }).split("\n");
    expect(lines[0]).toBe(
      "\u001b[2mrun \u001b[0mrun-1 \u001b[33m… running\u001b[0m\u001b[2m  5 ms\u001b[0m\u001b[2m  1,500 tokens (own 300)\u001b[0m",
    );
    const plain = lines.map((line) => stripVTControlCharacters(line).trimEnd());
    expect(plain.join("\n")).toBe(printTrace(trace));
    for (const line of lines) expect(line.lastIndexOf("\u001b[0m")).toBe(line.lastIndexOf("\u001b["));
  });

  it.each([Number.NaN, -5, 0, Infinity])("S1 a tree of some width for %d columns", (columns) => {
    const lines = printTrace(trace, { columns }).split("\n");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(1_000);
    expect(lines.length).toBeGreaterThan(10);
  });
});
