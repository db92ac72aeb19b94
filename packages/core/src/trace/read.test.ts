/** What readTrace takes, and what it says about everything else. */

import { describe, expect, it } from "vitest";
import { RunError } from "@june/core";
import { readTrace, traceSchema, type Trace, type TraceError } from "@june/core/trace";
import { makeDeepTrace, makeNestedTrace, makeNode, makeTrace } from "../../test/support/make-trace.js";

const trace = makeTrace([
  makeNode({
    kind: "agent",
    name: "guide",
    capabilities: [{ name: "research", source: '<Tool name="research">', composite: true }],
    children: [
      makeNode({
        kind: "tool-call",
        name: "research",
        output: { trace: makeTrace([makeNode({ kind: "step", name: "findings" })]), usage: makeTrace([]).root.usage },
      }),
      makeNode({ kind: "tool-call", name: "search", output: { trace: { format: "june.trace/1", root: 5 } } }),
    ],
  }),
]);

function messageOf(textOrValue: unknown): string {
  try {
    readTrace(textOrValue);
  } catch (error) {
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ code: "trace-invalid" });
    return (error as Error).message;
  }
  throw new Error("It was read as a trace.");
}

/** `trace` with the part at a path replaced. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const copy: unknown = structuredClone(trace);
  let part = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) part = part[key] as Record<string | number, unknown>;
  if (value === undefined) delete part[path.at(-1)!];
  else part[path.at(-1)!] = value;
  return copy;
}

describe("what it reads", () => {
  it("S1 the text of a trace, with and without a byte order mark", () => {
    const text = JSON.stringify(trace, undefined, 2);
    expect(readTrace(text)).toEqual(JSON.parse(text));
    expect(readTrace(`\ufeff${text}`)).toEqual(JSON.parse(text));
  });

  it("S1 a value, which it gives back as it is, with fields it does not know", () => {
    const value = changed(["root", "mood"], "sunny") as Trace;
    expect(readTrace(value)).toBe(value);
    expect(Object.isFrozen(value.root.children)).toBe(false);
  });

  it("S1 a trace nested 10,000 deep, in nodes, in child runs and in causes", () => {
    const deep = makeDeepTrace(10_000);
    expect(readTrace(deep)).toBe(deep);
    const nested = makeNestedTrace(10_000);
    expect(readTrace(nested)).toBe(nested);
    let error: TraceError = { name: "Error", message: "first" };
    for (let level = 0; level < 10_000; level++) error = { name: "Error", message: "outer", cause: error };
    const caused = makeTrace([], { status: "error", error });
    expect(readTrace(caused)).toBe(caused);
    let output: unknown = 1;
    for (let level = 0; level < 10_000; level++) output = [output];
    const filled = makeTrace([makeNode({ kind: "tool-call", name: "search", output: output as never })]);
    expect(readTrace(filled)).toBe(filled);
    expect(traceSchema.safeParse(filled).success).toBe(true);
  });

  it("S1 a run with 200,000 siblings", () => {
    const wide = makeTrace(Array.from({ length: 200_000 }, () => trace.root.children[0]!.children[1]!));
    expect(readTrace(wide)).toBe(wide);
  });
});

describe("what it refuses", () => {
  it("S1 text that is not JSON, with the line and column", () => {
    expect(messageOf('{\n  "format": "june.trace/1",\n  "runId": "a",\n}')).toBe(
      'june: this is not a trace June can read: it is not JSON at line 4, column 1 ("}")\n' +
        "Give the whole text of one trace, as june run --trace-out writes it.",
    );
    expect(messageOf(JSON.stringify(trace).slice(0, 35))).toBe(
      "june: this is not a trace June can read: it is not JSON at line 1, column 36 (the text ends)\n" +
        "Give the whole text of one trace, as june run --trace-out writes it.",
    );
    expect(messageOf("")).toContain("it is not JSON at line 1, column 1 (the text ends)");
    expect(messageOf("\u202e")).toContain('column 1 ("\\u202e")');
  });

  it("S1 another version of the format, of the document and of a child run", () => {
    expect(messageOf(changed(["format"], "june.trace/2"))).toBe(
      'june: this is not a trace June can read: its format is "june.trace/2"\n' +
        'This version of June reads "june.trace/1". Read it with the version that wrote it.',
    );
    expect(messageOf(changed([...inResearch, "format"], "june.trace/2"))).toContain(
      'the format of root.children[0].children[0].output.trace is "june.trace/2"',
    );
    expect(messageOf(changed(["format"], "\u001b[2J\u202e"))).toContain('its format is "\\u001b[2J\\u202e"');
  });

  const inResearch = ["root", "children", 0, "children", 0, "output", "trace"];
  it.each([
    ["a number", 5, "it is the number 5\nIt has to be an object."],
    ["null", null, "it is null\nIt has to be an object."],
    ["a list", [trace], "it is an array\nIt has to be an object."],
    ["an empty object", {}, 'format is missing\nIt has to be "june.trace/1".'],
    ["no root", changed(["root"], undefined), "root is missing\nIt has to be an object."],
    [
      "an unknown status",
      changed(["root", "status"], "done"),
      'root.status is the text "done"\nIt has to be one of "running", "waiting", "ok", "error", "aborted".',
    ],
    [
      "a wrong type deep inside",
      changed(["root", "children", 0, "children", 1, "startedAtMs"], "today"),
      "root.children[0].children[1].startedAtMs is text\nIt has to be a number.",
    ],
    [
      "a wrong type inside a child run",
      changed([...inResearch, "root", "children", 0, "usage", "own", "inputTokens"], -1),
      "root.children[0].children[0].output.trace.root.children[0].usage.own.inputTokens is the number -1\nIt has to be a number from 0 on.",
    ],
    [
      "a child run that is none",
      changed(["root", "children", 0, "children", 0, "output"], "lost"),
      "root.children[0].children[0].output is text\nIt has to be an object.",
    ],
    [
      "an error that is none",
      changed(["root", "error"], { name: "Error", message: "m", cause: { name: "Error" } }),
      "root.error.cause.message is missing\nIt has to be text.",
    ],
    [
      "one of several errors that is none",
      changed(["root", "error"], { name: "Error", message: "m", errors: [{ name: "Error", message: "m" }, 5] }),
      "root.error.errors[1] is the number 5\nIt has to be an object.",
    ],
    [
      "a value JSON cannot hold",
      changed(["root", "children", 0, "children", 1, "output"], { at: new Date(0) }),
      "root.children[0].children[1].output is an object\nIt has to be JSON: text, finite numbers, booleans, null, arrays and plain objects.",
    ],
    [
      "a hash that is no text",
      changed(["schemas"], { "\u001b[31m": 5 }),
      'schemas["\\u001b[31m"] is the number 5\nIt has to be text.',
    ],
  ])("S1 %s, with the path and what belongs there", (_, value, message) => {
    expect(messageOf(value)).toBe(`june: this is not a trace June can read: ${message}`);
  });

  it("S1 a cycle, in bounded time", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(messageOf(changed(["root", "children", 0, "children", 1, "output"], cycle))).toContain("is an array");
  });

  it("S1 a fault 10,000 deep, with a path that stays short", () => {
    const deep = makeDeepTrace(10_000);
    let innermost = deep.root;
    while (innermost.children.length > 0) innermost = innermost.children[0]!;
    Object.assign(innermost, { status: "lost" });
    const message = messageOf(deep);
    expect(message).toMatch(/root\.children\[0\].*….*\.children\[0\]\.status is the text "lost"/);
    expect(message.length).toBeLessThan(600);
  });
});
