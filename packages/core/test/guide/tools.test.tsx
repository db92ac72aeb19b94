/** What `<Tool>` takes, and what becomes of input schemas: C10 and the cases about schemas. Long because every wrong form stands in it with its whole message. */

import { dynamicTool, jsonSchema, tool, type Tool as SdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  Agent,
  Fragment,
  Step,
  Tool,
  createElement,
  defineTool,
  defineToolset,
  run,
  type JuneElement,
} from "@june/core";
import { scriptedModel, type ScriptedModel } from "@june/core/testing";
import { compilers, evaluate } from "../support/compile-jsx.js";
import { failureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { toolNames } from "../support/scopes.js";
import { echo, provided } from "../support/tools.js";
import { resultOutputs } from "../support/prompts.js";

const here = marksIn(import.meta.url);
const forms =
  "Give name and value; or use, and as for another name; or name, description, input and a function as the child.";

/** The props of a `<Tool>` as plain JavaScript may give them. */
function untyped(props: object): JuneElement {
  return createElement(Tool, props);
}

describe("the forms of <Tool>", () => {
  it("C10 name and value: a function tool, a dynamic tool, a provider's tool", async () => {
    const dynamic = dynamicTool({
      description: "Dynamic",
      inputSchema: jsonSchema({ type: "object" }),
      execute: () => "dynamic",
    });
    const model = scriptedModel([
      { calls: [{ name: "plain", input: { text: "plain" } }, { name: "dynamic" }] },
      { text: "done", expect: { results: ["plain", "dynamic"], tools: ["plain", "dynamic", "provided"] } },
    ]);
    await run(
      <Agent model={model}>
        <Tool name="plain" value={echo} />
        <Tool name="dynamic" value={dynamic} />
        <Tool name="provided" value={provided} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(model.calls[0]?.options.tools?.map(({ type }) => type)).toEqual(["function", "function", "provider"]);
  });

  it("C10 name, description, input and a function: a workflow", async () => {
    const model = scriptedModel([
      { calls: [{ name: "greet", input: { who: "Ada" } }] },
      { text: "done", expect: { results: ["Hello Ada"] } },
    ]);
    await run(
      <Agent model={model}>
        <Tool name="greet" description="Greet somebody" input={z.object({ who: z.string() })}>
          {({ who }) => `Hello ${who}`}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const [greet] = model.calls[0]?.options.tools ?? [];
    expect(greet).toMatchObject({ name: "greet", description: "Greet somebody" });
  });

  it("C10 a mixture, a missing part or an unknown prop is refused, and the prop is named", async () => {
    const input = z.object({});
    const child = (): null => null;
    const wrong: [object, string, string][] = [
      [{ name: "a" }, '<Tool name="a"> has no value', forms],
      [{}, "<Tool> has no value", forms],
      [{ name: "a", value: echo, description: "d" }, '<Tool name="a"> mixes value, description', forms],
      [
        { name: "a", value: echo, input, output: child, children: child },
        '<Tool name="a"> mixes value, input, output, children',
        forms,
      ],
      [{ name: "a", value: undefined, children: child }, '<Tool name="a"> mixes value, children', forms],
      [{ value: echo }, "<Tool> needs the prop name", "name is text that is not empty."],
      [{ name: "", value: echo }, '<Tool name=""> got empty text as name', "name is text that is not empty."],
      [{ name: 7, value: echo }, "<Tool> got the number 7 as name", "name is text that is not empty."],
      [{ name: "a", value: undefined }, '<Tool name="a"> needs the prop value', "value is an AI SDK tool."],
      [
        { name: "a", value: echo, needsApproval: true },
        '<Tool name="a"> has no prop "needsApproval"',
        'It has "name", "value".',
      ],
      [
        { name: "a", vlaue: echo },
        '<Tool name="a"> has no prop "vlaue"',
        'It has "name", "value". Did you mean "value"?',
      ],
      [
        { name: "a", input, children: child },
        '<Tool name="a"> needs the prop description',
        "description is text that is not empty.",
      ],
      [
        { name: "a", description: "d", children: child },
        '<Tool name="a"> needs the prop input',
        "input is a schema, such as z.object({ … }).",
      ],
      [{ name: "a", description: "d", input }, '<Tool name="a"> needs the prop children', "children is a function."],
      [
        { name: "a", description: "d", input, children: [child, child] },
        '<Tool name="a"> got an array as children',
        "children is a function.",
      ],
      [
        { name: "a", description: "d", input, children: <Step id="a" prompt="go" /> },
        '<Tool name="a"> got <Step id="a"> as children',
        "children is a function.",
      ],
      [
        { name: "a", description: "d", input, output: "text", children: child },
        '<Tool name="a"> got text as output',
        "output is a function.",
      ],
    ];
    for (const [props, problem, cure] of wrong)
      expect(await failureOf(<Agent>{untyped(props)}</Agent>)).toEqual({
        name: "DeclarationError",
        code: "invalid-props",
        lines: [`june: ${problem}`, cure],
        modelCalls: 0,
      });
  });

  it("C10 the development runtime tells the place", async () => {
    const props = { name: "a", value: echo, extra: 1 } as unknown as { name: string; value: SdkTool };
    const failure = await failureOf(
      <Agent>
        <Tool /* extra */ {...props} />
      </Agent>,
    );
    expect(failure.lines[0]).toBe(`june: <Tool name="a"> (${here("extra")}) has no prop "extra"`);
  });

  it("C10 a value that is no tool is refused, whatever it is", async () => {
    const values: [unknown, string][] = [
      [null, "null"],
      ["bash", "text"],
      [() => "hi", "a function"],
      [[echo], "an array"],
      [{}, "an object"],
      [{ execute: () => "hi" }, "an object"],
      [Promise.resolve(echo), "a promise"],
    ];
    for (const [value, found] of values)
      expect(
        await failureOf(
          <Agent>
            <Tool /* no tool */ name="a" value={value as SdkTool} />
          </Agent>,
        ),
      ).toEqual({
        name: "DeclarationError",
        code: "tool-value",
        lines: [
          `june: the tool "a" is no AI SDK tool but ${found}`,
          `  <Tool name="a">      ${here("no tool")}`,
          'Make it with tool({ description, inputSchema, execute }) from "ai".',
        ],
        modelCalls: 0,
      });
    const tools = { a: "text" } as unknown as Record<string, SdkTool>;
    expect(await failureOf(<Agent tools={tools} />)).toMatchObject({ code: "tool-value" });
  });

  it.each(Object.entries(compilers))(
    "case 92 a key, before or after a spread, is never a prop (%s)",
    async (_, compile) => {
      const exported = evaluate(
        `import { Agent, Fragment, Tool, createElement } from "@june/core";
      export const build = (value) => {
        const props = { name: "a", value };
        return [
          <Tool key="x" name="a" value={value} />,
          <Tool key="x" {...props} />,
          <Tool {...props} key="x" />,
          createElement(Tool, { ...props, key: "x" }),
        ];
      };
      export const children = [
        <Agent />,
        <Agent {...{}} key="x">{"one"}</Agent>,
        <Agent>{"one"}</Agent>,
        <Agent>{"one"}{"two"}</Agent>,
        <Agent {...{}} key="x">{"one"}{"two"}</Agent>,
        <Agent><>{"one"}</></Agent>,
      ];`,
        compile,
      ) as { build: (value: SdkTool) => JuneElement[]; children: JuneElement[] };
      for (const { key, type, props } of exported.build(echo))
        expect({ key, type, props }).toEqual({ key: "x", type: Tool, props: { name: "a", value: echo } });
      for (const element of exported.build(echo)) expect(await toolNames(<Agent>{element}</Agent>)).toEqual([["a"]]);
      const [none, keyedOne, one, two, keyedTwo, fragment] = exported.children.map(({ props }) => props);
      expect(none).toEqual({});
      expect([one, keyedOne]).toEqual([{ children: "one" }, { children: "one" }]);
      expect([two, keyedTwo]).toEqual([{ children: ["one", "two"] }, { children: ["one", "two"] }]);
      expect(fragment).toMatchObject({ children: { type: Fragment, props: { children: "one" } } });
    },
  );
});

describe("a set of tools", () => {
  it("C50 that is none is refused, and the toolset named: a promise would otherwise bring nothing, silently", async () => {
    for (const [tools, found] of [
      [undefined, "undefined"],
      [Promise.resolve({ echo }), "a promise"],
      [[echo], "an array"],
      [new Map([["echo", echo]]), "an object"],
    ] as const) {
      const Broken = defineToolset({ name: "Broken", tools: () => tools as unknown as Record<string, SdkTool> });
      expect(await failureOf(<Agent>{<Broken /* broken */ />}</Agent>)).toEqual({
        name: "DeclarationError",
        code: "tool-value",
        lines: [
          `june: <Broken> (${here("broken")}) gives ${found} where a set of tools is expected`,
          "Give an object of AI SDK tools by name. What has to wait belongs in defineToolset({ key, open }).",
        ],
        modelCalls: 0,
      });
    }
  });

  it("C50 whose label is none fails with what label() gave", async () => {
    const Broken = defineToolset({ name: "Broken", label: (() => undefined) as never, tools: () => ({ echo }) });
    const failure = await failureOf(<Agent>{<Broken /* unlabelled */ />}</Agent>);
    expect(failure.lines).toEqual([
      `june: <Broken> (${here("unlabelled")}) could not be opened: label() gave undefined, not an object of text`,
    ]);
  });
});

describe("input schemas", () => {
  /** What is wrong with the schema of the second of three tools, after the rest of the message was looked at. */
  const problemWith = async (inputSchema: SdkTool["inputSchema"]): Promise<string> => {
    const second = tool({ description: "Second", inputSchema, execute: () => "hi" }) as SdkTool;
    const failure = await failureOf(
      <Agent>
        <Tool name="first" value={echo} />
        <Tool /* schema */ name="second" value={second} />
        <Tool name="third" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(failure).toMatchObject({ name: "DeclarationError", code: "tool-schema", modelCalls: 0 });
    const [headline = "", ...rest] = failure.lines;
    expect(rest).toEqual([
      `  <Tool name="second">      ${here("schema")}`,
      "Use an object at the root and parts that JSON Schema can express, such as an ISO date string instead of a date.",
    ]);
    const opening = 'june: the input schema of the tool "second" cannot be given to a model: ';
    expect(headline).toContain(opening);
    return headline.slice(opening.length);
  };

  it("case 28 a date or bigint field is refused while resolving, and tool and field are named", async () => {
    expect(await problemWith(z.object({ from: z.date() }))).toMatch(
      /^from is a date \(Date cannot be represented in JSON Schema\)$/,
    );
    expect(await problemWith(z.object({ id: z.bigint() }))).toMatch(/^id is a bigint \(/);
    expect(await problemWith(z.object({ filter: z.object({ days: z.array(z.date()) }) }))).toMatch(
      /^filter\.days\[\] is a date \(/,
    );
    expect(await problemWith(z.object({ until: z.date().optional() }))).toMatch(/^until is a date \(/);
    expect(await problemWith(z.object({ any: z.union([z.string(), z.date()]) }))).toMatch(/^any is a date \(/);
    expect(await problemWith(z.object({ span: z.tuple([z.string(), z.date()]) }))).toMatch(/^span\[1\] is a date \(/);
    expect(await problemWith(z.object({ by: z.record(z.string(), z.date()) }))).toMatch(/^by\.\* is a date \(/);
    expect(await problemWith(z.object({ late: z.lazy(() => z.date()) }))).toMatch(/^late is a date \(/);
    expect(await problemWith(z.object({ both: z.object({ at: z.date() }).and(z.object({})) }))).toMatch(
      /^both\.at is a date \(/,
    );
    expect(await problemWith(z.object({ day: z.date().transform((day) => day.getDay()) }))).toMatch(
      /^day is a date \(/,
    );
  });

  it("case 29 a root that is no object is refused while resolving", async () => {
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.number() }),
      z.object({ kind: z.literal("b"), y: z.number() }),
    ]);
    expect(await problemWith(union)).toBe('its root is a "oneOf", not an object');
    expect(await problemWith(z.string())).toBe('its root is of type "string", not "object"');
    expect(await problemWith(z.array(z.string()))).toBe('its root is of type "array", not "object"');
    expect(await problemWith(jsonSchema({ anyOf: [{ type: "object" }] }))).toMatch(
      /^its root is a "anyOf", not an object$/,
    );
    expect(await problemWith(undefined as never)).toBe("it has no inputSchema");
  });

  it("case 31 a record keeps its value schema, in what is sent and in what is accepted", async () => {
    const label = tool({
      description: "Label",
      inputSchema: z.object({ labels: z.record(z.string(), z.string()) }),
      execute: ({ labels }) => Object.keys(labels).join(),
    });
    const model = await callsOf(label, { labels: { a: "1" } }, { labels: { a: 1 } });
    expect(schemaIn(model)).toMatchObject({
      properties: { labels: { type: "object", additionalProperties: { type: "string" } } },
    });
    expect(outcomes(model)).toEqual(["a", expect.stringContaining("labels")]);
  });

  it("case 32 a schema of zod 3 works, and a mixture is refused with tool and field", async () => {
    const old = tool({
      description: "Old",
      inputSchema: z3.object({ name: z3.string() }),
      execute: ({ name }: { name: string }) => `hi ${name}`,
    });
    expect(outcomes(await callsOf(old as SdkTool, { name: "Ada" }))).toEqual(["hi Ada"]);
    const mixed = z.object({ good: z.string(), old: z3.string() as unknown as z.ZodString });
    expect(await problemWith(mixed)).toMatch(/^old was made by another version of the schema library \(/);
  });

  it("case 34 a tool without parameters takes an empty text or object; null and an array are tool errors", async () => {
    let runs = 0;
    const now = tool({ description: "The time", inputSchema: z.object({}), execute: () => `run ${++runs}` });
    const model = await callsOf(now, "", "{}", "null", "[]");
    expect(outcomes(model).slice(0, 2)).toEqual(["run 1", "run 2"]);
    expect(outcomes(model).slice(2)).toEqual([
      expect.stringContaining("expected object, received null"),
      expect.stringContaining("expected object, received array"),
    ]);
    expect(runs).toBe(2);
  });

  it("case 35 the schema is the input side: a default is not required, a transform takes what it takes, and both apply once", async () => {
    const seen: unknown[] = [];
    const parsed: string[] = [];
    const input = z.object({
      limit: z.number().default(20),
      id: z.string().transform((text) => {
        parsed.push(text);
        return text.length;
      }),
    });
    const count = tool({
      description: "Count",
      inputSchema: input,
      execute: (value) => {
        seen.push(value);
        return "ok";
      },
    });
    const model = await callsOf(count, { id: "abc" });
    expect(schemaIn(model)).toMatchObject({ properties: { id: { type: "string" } }, required: ["id"] });
    const callable = defineTool({
      name: "count",
      description: "Count",
      input,
      execute: (value) => {
        seen.push(value);
        return "ok";
      },
    });
    await callable.execute({ id: "abc" });
    expect(seen).toEqual([
      { limit: 20, id: 3 },
      { limit: 20, id: 3 },
    ]);
    expect(parsed).toEqual(["abc", "abc"]);
  });
});

/** Has a model call the only tool with each of these inputs, one turn after the other. */
async function callsOf(value: SdkTool, ...inputs: readonly unknown[]): Promise<ScriptedModel> {
  const model = scriptedModel([...inputs.map((input) => ({ calls: [{ name: "it", input }] })), "done"]);
  await run(
    <Agent model={model}>
      <Tool name="it" value={value} />
      <Step id="a" prompt="go" />
    </Agent>,
  );
  return model;
}

function schemaIn(model: ScriptedModel): unknown {
  const [sent] = model.calls[0]?.options.tools ?? [];
  return sent?.type === "function" ? sent.inputSchema : undefined;
}

/** What the model was given of each call: the result, or the error. */
function outcomes(model: ScriptedModel): unknown[] {
  return resultOutputs(model, model.calls.length - 1).map((output) => (output as { value?: unknown }).value);
}
