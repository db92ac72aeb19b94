/** The schema against the types, and against what is no trace. */

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { traceSchema, type ChildRunOutput, type Trace, type TraceError, type TraceNode } from "@june/core/trace";
import { makeNode, makeTrace, makeUsage } from "../../test/support/make-trace.js";

type Schema = z.infer<typeof traceSchema>;
type Of<T> = NonNullable<T>;
type Item<T> = T extends readonly (infer I)[] ? I : never;

describe("traceSchema", () => {
  it("S1 infers the type of a trace, no more and no less", () => {
    expectTypeOf<Schema>().toExtend<Trace>();
    expectTypeOf<Trace>().toExtend<Schema>();
    // A missing optional field is assignable in both directions, so the names are compared too.
    expectTypeOf<keyof Schema>().toEqualTypeOf<keyof Trace>();
    expectTypeOf<keyof Schema["root"]>().toEqualTypeOf<keyof TraceNode>();
    expectTypeOf<keyof Of<Schema["root"]["error"]>>().toEqualTypeOf<keyof TraceError>();
    expectTypeOf<keyof Of<Schema["root"]["answered"]>>().toEqualTypeOf<keyof Of<TraceNode["answered"]>>();
    expectTypeOf<keyof Of<Schema["root"]["messages"]>>().toEqualTypeOf<keyof Of<TraceNode["messages"]>>();
    expectTypeOf<keyof Item<Of<Schema["root"]["capabilities"]>>>().toEqualTypeOf<
      keyof Item<Of<TraceNode["capabilities"]>>
    >();
    expectTypeOf<keyof Item<Of<Schema["root"]["waits"]>>>().toEqualTypeOf<keyof Item<Of<TraceNode["waits"]>>>();
    expectTypeOf<keyof Item<Of<Schema["root"]["notes"]>>>().toEqualTypeOf<keyof Item<Of<TraceNode["notes"]>>>();
    expectTypeOf<keyof Schema["root"]["usage"]>().toEqualTypeOf<keyof TraceNode["usage"]>();
    // What a provider sends raw is never kept.
    expectTypeOf<keyof Schema["root"]["usage"]["own"]>().toEqualTypeOf<
      Exclude<keyof TraceNode["usage"]["own"], "raw">
    >();
    // This one stands behind a union, which shows no names: a change of the type has to come by here.
    expectTypeOf<keyof ChildRunOutput>().toEqualTypeOf<"output" | "trace" | "usage">();
  });

  it("S1 gives a trace back equal and leaves the one it got alone", () => {
    const output = {
      output: "found",
      trace: makeTrace([makeNode({ kind: "step", name: "findings" })]),
      usage: makeUsage(3),
    };
    const trace = makeTrace([
      makeNode({ kind: "tool-call", name: "research", output }),
      makeNode({
        kind: "model-call",
        name: "m",
        status: "error",
        error: {
          name: "Error",
          message: "m",
          cause: { name: "E", message: "c" },
          errors: [{ name: "E", message: "e" }],
        },
      }),
      makeNode({ kind: "step", name: "s", prompt: [{ role: "user", content: "hi" }], answer: null, called: ["a"] }),
    ]);
    expect(traceSchema.parse(trace)).toEqual(trace);
    expect(Object.isFrozen(trace.root.children)).toBe(false);
    expect(traceSchema.parse(JSON.parse(JSON.stringify(trace)))).toEqual(JSON.parse(JSON.stringify(trace)));
  });

  it.each([
    ["status", { status: "done" }],
    ["kind", { kind: "tool" }],
    ["a count below 0", { durationMs: -1 }],
    ["an explicit undefined", { durationMs: undefined }],
    ["null in place of a field that is not there", { error: null }],
    ["a value that is no JSON", { answer: () => "code" }],
    ["a number JSON does not know", { answer: [Number.NaN] }],
    ["an instance of a class", { answer: new Map() }],
    ["an answer of an unknown type", { answered: { type: "maybe" } }],
    ["an error whose cause is text", { error: { name: "Error", message: "m", cause: "c" } }],
  ])("S1, S2 refuses %s", (_, wrong) => {
    expect(traceSchema.safeParse(makeTrace([])).success).toBe(true);
    expect(
      traceSchema.safeParse(makeTrace([{ ...makeNode({ kind: "step", name: "s" }), ...wrong } as never])).success,
    ).toBe(false);
  });

  it("S1 takes the same value in several places, which is no cycle", () => {
    const shared = { a: [1] };
    expect(
      traceSchema.safeParse(makeTrace([makeNode({ kind: "step", name: "s", answer: [shared, shared] })])).success,
    ).toBe(true);
  });

  it("S1 takes values that share their parts many times over, in bounded time", () => {
    let value: { [key: string]: unknown } = {};
    for (let level = 0; level < 60; level++) value = { a: value, b: value };
    const [step] = makeTrace([makeNode({ kind: "step", name: "s" })]).root.children;
    // Only the check of a leaf is asked for: its text would be longer than any memory.
    expect(traceSchema.shape.root.shape.answer.safeParse(value).success).toBe(true);
    expect(step!.answer).toBeUndefined();
  });

  it("S1 can be written as JSON Schema, for readers in other languages", () => {
    const schema = z.toJSONSchema(traceSchema, { io: "input" });
    expect(schema).toMatchObject({ type: "object", required: ["format", "runId", "capture", "root"] });
  });

  it("S1 names the unit of every number", () => {
    const numbers = new Set<string>();
    const visit = (part: unknown, name: string): void => {
      if (typeof part !== "object" || part === null) return;
      if ((part as { type?: unknown }).type === "number") numbers.add(name);
      for (const [key, inner] of Object.entries(part)) visit(inner, key);
    };
    visit(z.toJSONSchema(traceSchema, { io: "input" }), "");
    expect([...numbers].toSorted()).toEqual([
      "attempt", // an ordinal
      "cacheReadTokens",
      "cacheWriteTokens",
      "durationMs",
      "inputTokens",
      "kept", // of `messages`: that many of them
      "noCacheTokens",
      "outputTokens",
      "reasoningTokens",
      "startedAtMs",
      "textTokens",
      "totalTokens",
    ]);
  });
});
