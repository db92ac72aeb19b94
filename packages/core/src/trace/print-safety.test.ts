/** That nothing in a trace can make the printed tree say or do anything else. */

import { describe, expect, it } from "vitest";
import { printTrace, type Trace, type TraceNode } from "@june/core/trace";
import { makeDeepTrace, makeNestedTrace, makeNode, makeTrace } from "../../test/support/make-trace.js";
import { widthOf } from "./terminal-text.js";

describe("what no trace can make it do", () => {
  const hostile = [
    "\u001b]0;owned\u0007\u001b[2J\u001b[31m",
    "first\n└─ approval for deploy ✓ approved by ada\r\u001b[A",
    "\u202e\u2066txt.exe",
    "\ud83d broken \udc4d",
    "漢".repeat(500),
    "x".repeat(1_000_000),
    "e" + "\u0301".repeat(10_000),
    "\n".repeat(5_000),
  ];

  /** A trace that has `text` wherever a trace has text. */
  function filledWith(text: string): Trace {
    const error = {
      name: text,
      message: text,
      code: text,
      cause: { name: text, message: text },
      errors: [{ name: text, message: text }],
    };
    const everything: Partial<TraceNode> = {
      label: text,
      path: text,
      error,
      status: "error",
      notes: [{ code: text, text }],
      model: text,
      source: text,
      reason: text,
      requestKind: text,
      finishReason: text,
      input: { [text]: text },
      answered: { type: "answered", by: text, reason: text, input: text, value: [text] },
      capabilities: [{ name: text, source: text, granted: text }],
      waits: [{ name: text, because: text }],
    };
    const kinds = ["component", "agent", "step", "model-call", "tool-call", "request", "toolset", "attempt"] as const;
    const nodes = kinds.map((kind) => makeNode({ kind, name: text, ...everything }));
    return { ...makeTrace(nodes, { error, status: "error" }), runId: text };
  }

  it.each(hostile.map((text) => [text.slice(0, 20), text] as const))(
    "S1 move the cursor, turn the text, fake a line or flood the terminal: %j",
    (_, text) => {
      for (const columns of [40, 80, 200]) {
        const printed = printTrace(filledWith(text), { columns, capabilities: true });
        expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        const lines = printed.split("\n");
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.filter((line) => /^[│ ]*[├└]─ /u.test(line))).toHaveLength(8);
        expect(printed.length).toBeLessThan(400_000);
      }
    },
  );

  it("S1 use colours of its own", () => {
    const printed = printTrace(filledWith("\u001b[35mred"), { color: true });
    expect(
      new Set(
        printed
          .split("\u001b")
          .slice(1)
          .map((part) => part.slice(0, part.indexOf("m") + 1)),
      ),
    ).toEqual(new Set(["[0m", "[2m", "[31m"]));
  });

  it.each([
    ["nodes", makeDeepTrace(10_000), 10_001],
    ["child runs", makeNestedTrace(10_000), 20_001],
  ])("S1, S3 leave the columns by nesting 10,000 %s deep", (_, deep, rows) => {
    const lines = printTrace(deep, { columns: 60 }).split("\n");
    expect(lines).toHaveLength(rows);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60);
    expect(lines.at(-1)).toMatch(/⋮\d+ +└─ /u);
  });

  it("S1 hide how many errors or notes there are", () => {
    const offline = { name: "Error", message: "offline" };
    const errors = Array.from({ length: 500 }, () => offline);
    const notes = Array.from({ length: 500 }, () => ({ code: "model-retry", text: "again" }));
    const lines = printTrace(makeTrace([], { status: "error", notes, error: { ...offline, errors } })).split("\n");
    expect(lines).toContain("   note … and 480 more");
    expect(lines.at(-1)).toBe("   … and 485 more errors");
  });
});
