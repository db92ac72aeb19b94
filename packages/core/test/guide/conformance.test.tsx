import { jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Namespace,
  RequireApproval,
  Tool,
  defineAgent,
  defineCapabilities,
  defineToolset,
  type JuneElement,
} from "@june/core";
import { checkCapabilities, echoModel, type CheckOptions } from "@june/core/testing";

const good = tool({
  description: "Add",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** The problems found in one tool. */
async function problemsOf(value: Parameters<typeof Tool>[0]["value"], options?: CheckOptions) {
  return (await checkCapabilities(<Tool name="x" value={value!} />, options)).problems;
}

/** A tool with this JSON Schema as its input. */
function withSchema(schema: object) {
  return tool({ description: "d", inputSchema: jsonSchema(schema as never), execute: () => 1 });
}

describe("checkCapabilities", () => {
  it("P1 a package that holds is told so, with what was left unchecked", async () => {
    const Sums = defineCapabilities(() => (
      <Namespace name="sum">
        <Tool name="add" value={good} />
        <RequireApproval>
          <Tool name="held" value={good} />
        </RequireApproval>
      </Namespace>
    ));
    const report = await checkCapabilities(<Sums />, { samples: { sum_add: [{ a: 1, b: 2 }] } });
    expect(report.problems).toEqual([]);
    expect(report.ok).toBe(true);
    expect(String(report)).toBe(
      "✓ 2 tools hold\n· not checked: json and abort of sum_held: give samples\n· not checked: secret: give the secrets that were put in",
    );
  });

  it("P1 a callable agent is checked as the tool it is", async () => {
    const Asker = defineAgent({
      name: "asker",
      description: "Asks",
      input: z.object({ question: z.string() }),
      model: echoModel(),
      prompt: ({ question }) => question,
    });
    const report = await checkCapabilities(<Asker />, { samples: { asker: [{ question: "why?" }] } });
    expect([report.ok, report.tools]).toEqual([true, ["asker"]]);
  });

  it("P1 names: what does not resolve is a problem with its code", async () => {
    const Twice = defineCapabilities(() => (
      <>
        <Tool name="a" value={good} />
        <Tool name="a" value={good} />
      </>
    ));
    const { ok, problems } = await checkCapabilities(<Twice />);
    expect(ok).toBe(false);
    expect(problems).toMatchObject([{ check: "names", cure: "See tool-name-collision in docs/errors.md." }]);
    expect(await problemsOf(good, { samples: { other: [{}] } })).toMatchObject([{ check: "names", tool: "other" }]);
  });

  it.each<[string, JuneElement, string]>([
    [
      "no description",
      <Tool name="x" value={tool({ inputSchema: z.object({}), execute: () => 1 })} />,
      "it has no description",
    ],
    [
      "a choice at the root",
      <Tool name="x" value={withSchema({ type: "object", properties: {}, anyOf: [{ required: ["a"] }] })} />,
      "the root of its input schema has anyOf",
    ],
    [
      "a field name with a space",
      <Tool
        name="x"
        value={tool({
          description: "d",
          inputSchema: z.object({ list: z.array(z.object({ "a b": z.string() })) }),
          execute: () => 1,
        })}
      />,
      'the field "a b" of list[] has a name some provider refuses',
    ],
    [
      "a reference",
      <Tool
        name="x"
        value={withSchema({
          type: "object",
          properties: { a: { $ref: "#/$defs/a" } },
          $defs: { a: { type: "string" } },
        })}
      />,
      "a uses $ref, which some provider does not take",
    ],
    [
      "a pattern of keys",
      <Tool
        name="x"
        value={withSchema({ type: "object", properties: { a: { type: "object", patternProperties: {} } } })}
      />,
      "a uses patternProperties, which some provider does not take",
    ],
  ])("P1 schema: %s", async (_what, element, problem) => {
    const { problems } = await checkCapabilities(element);
    expect(problems).toMatchObject([{ check: "schema", tool: "x", problem }]);
    expect(problems[0]?.source).toMatch(/^https:/);
  });

  it("P1 schema: an ordinary record, union and optional field are portable", async () => {
    const value = tool({
      description: "d",
      inputSchema: z.object({
        labels: z.record(z.string(), z.string()),
        kind: z.union([z.literal("a"), z.number()]),
        note: z.string().optional(),
      }),
      execute: () => 1,
    });
    expect(await problemsOf(value)).toEqual([]);
  });

  it("P1 schema: eleven objects deep is too deep", async () => {
    let schema: z.ZodType = z.string();
    for (let level = 0; level < 11; level++) schema = z.object({ deeper: schema });
    expect(
      await problemsOf(tool({ description: "d", inputSchema: schema as z.ZodObject, execute: () => 1 })),
    ).toMatchObject([{ check: "schema", problem: "its input schema is 11 objects deep" }]);
  });

  it("P1 pure: two evaluations have to be equal", async () => {
    let count = 0;
    const Counting = defineCapabilities(() => <Tool name={`tool${count++}`} value={good} />);
    expect((await checkCapabilities(<Counting />)).problems).toMatchObject([
      { check: "pure", problem: "two evaluations declare different tools" },
    ]);
  });

  it("P1 json: an output that JSON cannot hold", async () => {
    const value = tool({ description: "d", inputSchema: z.object({}), execute: () => ({ id: 10n }) });
    expect(await problemsOf(value, { samples: { x: [{}] } })).toMatchObject([
      { check: "json", tool: "x", problem: 'the output of the tool "x" is not JSON: output.id is a bigint' },
    ]);
  });

  it("P1 abort: a tool that ignores it is told, one that honours it is not", async () => {
    const deaf = tool({
      description: "d",
      inputSchema: z.object({ turns: z.number() }),
      execute: ({ turns }) => new Promise((resolve) => setTimeout(resolve, turns)),
    });
    const hearing = tool({
      description: "d",
      inputSchema: z.object({ turns: z.number() }),
      execute: ({ turns }, { abortSignal }) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, turns);
          abortSignal?.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve("ended");
          });
        }),
    });
    expect(await problemsOf(deaf, { samples: { x: [{ turns: 400 }] }, abortWithinMs: 20 })).toMatchObject([
      { check: "abort", problem: "it did not end within 20 ms of an abort" },
    ]);
    expect(await problemsOf(hearing, { samples: { x: [{ turns: 400 }] }, abortWithinMs: 300 })).toEqual([]);
  });

  it("P1 secret: one that shows up in an output or an error is told", async () => {
    const Leaky = defineToolset<{ token: string }>({
      name: "Leaky",
      tools: ({ token }) => ({
        leak: tool({
          description: "d",
          inputSchema: z.object({ how: z.string() }),
          execute: ({ how }) => {
            if (how === "error") throw new Error(`401 for ${token}`);
            return how === "output" ? { token } : "fine";
          },
        }),
      }),
    });
    const check = (how: string) =>
      checkCapabilities(<Leaky token="s3cr3t-1" />, { samples: { leak: [{ how }] }, secrets: ["s3cr3t-1"] });
    expect((await check("output")).problems).toMatchObject([{ check: "secret", tool: "leak" }]);
    expect((await check("error")).problems).toMatchObject([{ check: "secret", tool: "leak" }]);
    expect((await check("neither")).problems).toEqual([]);
  });

  it("P1 the report reads as a list of what to do", async () => {
    const report = await checkCapabilities(
      <Tool name="x" value={tool({ inputSchema: z.object({}), execute: () => 1n })} />,
      { samples: { x: [{}] } },
    );
    expect(String(report)).toBe(
      [
        "2 problems in 1 tools",
        "✗ schema · x: it has no description",
        "  Say in a sentence what it does and when to use it: one provider demands it, and every model chooses by it.",
        "  https://ai.google.dev/api/caching#Schema",
        '✗ json · x: the output of the tool "x" is not JSON: output is a bigint',
        "  Return plain data.",
        "· not checked: secret: give the secrets that were put in",
      ].join("\n"),
    );
  });
});
