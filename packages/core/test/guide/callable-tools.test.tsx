import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema, tool } from "ai";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Namespace, Step, Tool, defineTool, run, type CallableTool } from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";

const order = z.object({ id: z.string(), limit: z.number().default(20) });
const lookUp = defineTool({
  name: "lookUp",
  description: "Look an order up",
  input: order,
  output: z.object({ id: z.string(), limit: z.number() }),
  execute: async ({ id, limit }) => ({ id, limit }),
});

/** Runs a component and gives its text. */
async function textOf(component: () => Promise<string> | string): Promise<unknown> {
  const Workflow = component;
  return (await run(<Workflow />)).output;
}

/** A tool whose execute is `execute` and whose input may be anything. */
function toolOf<O>(execute: () => O | Promise<O>, name = "probe"): CallableTool<Record<string, never>, O> {
  return defineTool({ name, description: "A probe", input: z.object({}), execute });
}

/** Runs one agent granted `granted`, whose model follows `script`. */
function runGranted(granted: CallableTool<any, any>, script: readonly ScriptEntry[]) {
  return run(
    <Agent model={scriptedModel(script)}>
      <Tool use={granted} />
      <Step id="a" prompt="go" />
    </Agent>,
    { trace: { capture: "full" } },
  );
}

async function failureOf(work: PromiseLike<unknown>): Promise<Error & { code?: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

function thrownBy(work: () => unknown): Error & { code?: string } {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not throw");
}

describe("defineTool", () => {
  it("T1 gives a frozen function that carries its name and description", () => {
    expect(typeof lookUp).toBe("function");
    expect(Object.isFrozen(lookUp)).toBe(true);
    expect([lookUp.name, lookUp.description]).toEqual(["lookUp", "Look an order up"]);
  });

  it("T2 reads its options once", async () => {
    const options = { name: "once", description: "d", input: z.object({}), execute: () => "first" };
    const once = defineTool(options);
    options.name = "other";
    options.execute = () => "second";
    expect([once.name, await once.execute({})]).toEqual(["once", "first"]);
  });

  it.each([
    [
      "no name",
      { name: "" },
      "june: defineTool(): name is empty text\nname is text: 1 to 64 letters, digits, _ and -, starting with a letter.",
    ],
    [
      "an empty description",
      { description: " " },
      "june: defineTool(): description is empty text\ndescription is text that is not empty, for the model.",
    ],
    [
      "no execute",
      { execute: undefined },
      "june: defineTool(): execute is undefined\nexecute is a function of the input.",
    ],
    [
      "an output that is no schema",
      { output: { type: "object" } },
      "june: defineTool(): output is an object\noutput is a Standard Schema, such as z.object({ … }).",
    ],
    [
      "an unknown option",
      { inputSchema: z.object({}) },
      'june: defineTool(): there is no option inputSchema\nThe options are "name", "description", "input", "output", "execute", "needsApproval", "idempotent".',
    ],
  ])("T2 refuses %s at once", (_what, wrong, message) => {
    const options = { name: "x", description: "d", input: z.object({}), execute: () => 1, ...wrong };
    expect(thrownBy(() => defineTool(options as never)).message).toBe(message);
  });

  it("T2 refuses a name that providers do not accept", () => {
    const error = thrownBy(() => defineTool({ name: "a b", description: "d", input: z.object({}), execute: () => 1 }));
    expect(error).toMatchObject({ code: "tool-name-invalid" });
  });

  it("T2 passes needsApproval on to the model's calls only", async () => {
    const guarded = defineTool({
      name: "guarded",
      description: "d",
      input: z.object({}),
      needsApproval: true,
      execute: () => "ran",
    });
    const model = scriptedModel([
      { calls: [{ name: "guarded" }] },
      { text: "ok", expect: { results: ["denied: no"] } },
    ]);
    const asked: string[] = [];
    async function Workflow() {
      return (
        <Agent model={model} name={await guarded({})}>
          <Tool use={guarded} />
          <Step id="a" prompt="go" />
        </Agent>
      );
    }
    await run(<Workflow />, {
      onRequest: ({ tool: asking }) => {
        asked.push(asking);
        return { approved: false, reason: "no" };
      },
    });
    expect(asked).toEqual(["guarded"]);
  });
});

describe("schemas", () => {
  const libraries = {
    zod: order,
    valibot: toStandardJsonSchema(v.object({ id: v.string(), limit: v.optional(v.number(), 20) })),
    arktype: type({ id: "string", limit: "number = 20" }),
    "jsonSchema()": jsonSchema<{ id: string; limit: number }>(
      { type: "object", properties: { id: { type: "string" }, limit: { type: "number" } }, required: ["id"] },
      { validate: (value) => ({ success: true, value: { limit: 20, ...(value as { id: string }) } as never }) },
    ),
  };

  it.each(Object.entries(libraries))("T3 takes a schema of %s, for the model and for code", async (_library, input) => {
    const read: CallableTool<any, any> = defineTool<any, unknown>({
      name: "read",
      description: "d",
      input: input as never,
      execute: (value) => value,
    });
    expect(await read.execute({ id: "a" })).toEqual({ id: "a", limit: 20 });
    const model = scriptedModel([
      { calls: [{ name: "read", input: { id: "b" } }] },
      { text: "ok", expect: { results: [{ id: "b", limit: 20 }] } },
    ]);
    await run(
      <Agent model={model}>
        <Tool use={read} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const [offered] = model.calls[0]?.options.tools ?? [];
    expect(offered).toMatchObject({
      inputSchema: {
        type: "object",
        properties: { id: { type: "string" }, limit: { type: "number" } },
        required: ["id"],
      },
    });
  });

  it("T3 makes JSON Schema of draft 2020-12, once", () => {
    let conversions = 0;
    const counted = {
      "~standard": {
        version: 1 as const,
        vendor: "counted",
        validate: (value: unknown) => ({ value: value as object }),
        jsonSchema: {
          input: ({ target }: { target: string }) => {
            conversions++;
            expect(target).toBe("draft-2020-12");
            return { type: "object", properties: {} };
          },
          output: () => ({}),
        },
      },
    };
    defineTool({ name: "counted", description: "d", input: counted as never, execute: () => 1 });
    expect(conversions).toBe(1);
  });

  it.each([
    ["a date of zod", z.object({ from: z.date() }), /from is a date/],
    ["a bigint of zod", z.object({ deep: z.object({ big: z.bigint() }) }), /deep\.big is a bigint/],
    ["a date of arktype", type({ from: "Date" }), /from cannot be expressed in JSON Schema/],
    ["a root that is no object", z.string(), /its root is of type "string"/],
    [
      "a union at the root",
      z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]),
      /its root is a "oneOf"/,
    ],
    [
      "valibot without its converter",
      v.object({ a: v.string() }),
      /toStandardJsonSchema\(\) of @valibot\/to-json-schema/,
    ],
    ["a plain object", { a: 1 }, /it is no Standard Schema/],
    ["nothing", undefined, /it is no schema/],
  ])("T3 refuses %s at definition", (_what, input, message) => {
    const error = thrownBy(() => defineTool({ name: "x", description: "d", input: input as never, execute: () => 1 }));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toMatch(message);
  });
});

describe("what crosses", () => {
  it("T4 validates the input before execute, and applies defaults once", async () => {
    const seen: unknown[] = [];
    const count = defineTool({
      name: "count",
      description: "d",
      input: z.object({ id: z.string().transform((id) => id.length), limit: z.number().default(20) }),
      execute: (input) => void seen.push(input),
    });
    await count.execute({ id: "abc" });
    await runGranted(count, [{ calls: [{ name: "count", input: { id: "abc" } }] }, "ok"]);
    expect(seen).toEqual([
      { id: 3, limit: 20 },
      { id: 3, limit: 20 },
    ]);
    expect((await failureOf(count.execute({ id: 1 } as never))).message).toContain(
      'june: the input does not fit the tool "count"',
    );
  });

  it("T4 gives frozen JSON to the caller", async () => {
    const output = await toolOf(() => ({ list: [{ a: 1 }] })).execute({});
    expect(Object.isFrozen(output) && Object.isFrozen(output.list) && Object.isFrozen(output.list[0])).toBe(true);
  });

  it.each([
    ["a bigint", () => ({ id: 10n }), "output.id is a bigint"],
    ["a Map", () => ({ rows: [new Map()] }), "output.rows[0] is a Map"],
    ["NaN", () => [Number.NaN], "output[0] is NaN"],
    ["undefined in an array", () => [undefined], "output[0] is undefined"],
    ["a date", () => new Date(0), "output is a Date"],
    ["a function", () => ({ f: () => 1 }), "output.f is a function"],
  ])("T4 refuses %s by its path, for code and for the model", async (_what, execute, problem) => {
    const probe = toolOf(execute as () => unknown);
    const error = await failureOf(probe.execute({}));
    expect(error).toMatchObject({ code: "tool-output" });
    expect(error.message).toContain(problem);
    const result = await runGranted(probe, [
      { calls: [{ name: "probe" }] },
      { text: "ok", expect: { results: [new RegExp(problem.replaceAll(/[[\].]/g, "\\$&"))] } },
    ]);
    expect(result.output).toBe("ok");
  });

  it("T4 keeps __proto__ as data, and refuses what is nested 20,000 deep without overflowing", async () => {
    const output = await toolOf(() => JSON.parse('{"__proto__":{"polluted":true}}') as object).execute({});
    expect(Object.keys(output)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect((await failureOf(toolOf(() => deep).execute({}))).message).toContain("nesting deeper than 1000 levels");
  });

  it("T4 checks the output by its schema", async () => {
    const wrong = defineTool({
      name: "wrong",
      description: "d",
      input: z.object({}),
      output: z.object({ a: z.number() }),
      execute: () => ({ a: "1" }) as never,
    });
    expect((await failureOf(wrong.execute({}))).message).toContain('the output of the tool "wrong"');
  });

  it("T4 survives a schema that throws and a validator that answers nonsense", async () => {
    const standard = (validate: () => unknown) =>
      ({
        "~standard": {
          version: 1,
          vendor: "odd",
          validate,
          jsonSchema: { input: () => ({ type: "object" }), output: () => ({}) },
        },
      }) as never;
    const throwing = defineTool({
      name: "throwing",
      description: "d",
      input: standard(() => {
        throw new Error("schema down");
      }),
      execute: () => 1,
    });
    const nonsense = defineTool({ name: "nonsense", description: "d", input: standard(() => 7), execute: () => 1 });
    expect((await failureOf(throwing.execute({} as never))).message).toContain("schema down");
    expect((await failureOf(nonsense.execute({} as never))).message).toContain("the schema's validator gave nothing");
  });

  it("T4 gives execute the SDK's options, a key and its place", async () => {
    let given: Record<string, unknown> = {};
    const spy = defineTool({
      name: "spy",
      description: "d",
      input: z.object({}),
      execute: (_input, options) => {
        given = { ...options };
        return 1;
      },
    });
    await textOf(async () => String(await spy({})));
    expect(Object.keys(given).toSorted()).toEqual(["abortSignal", "idempotencyKey", "messages", "toolCallId", "trace"]);
    expect((given["trace"] as { path: string }).path).toBe("/tool[0:spy]");
    await runGranted(spy, [{ calls: [{ name: "spy" }] }, "ok"]);
    expect((given["trace"] as { path: string }).path).toBe("/agent[0]/step[a]/model[0]/tool[0:spy]");
    expect(given["idempotencyKey"]).toContain("/agent[0]/step[a]/model[0]/tool[0:spy]");
  });

  it("T4 a generator's yields are events and its last value the output", async () => {
    const counting = defineTool({
      name: "counting",
      description: "d",
      input: z.object({}),
      async *execute() {
        yield "one";
        yield "two";
      },
    });
    async function Workflow() {
      return String(await counting({}));
    }
    const handle = run(<Workflow />);
    const values: unknown[] = [];
    for await (const event of handle.events) if (event.type === "tool-call-progress") values.push(event.value);
    expect((await handle).output).toBe("two");
    expect(values).toContain("two");
  });
});

describe("granting", () => {
  it("T5 an agent is granted a tool under its name or another", async () => {
    const model = scriptedModel([
      { calls: [{ name: "order", input: { id: "A-17" } }], expect: { tools: ["order"] } },
      { text: "done", expect: { results: [{ id: "A-17", limit: 20 }] } },
    ]);
    const result = await run(
      <Agent model={model}>
        <Tool use={lookUp} as="order" />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.trace.root.children[0]?.capabilities).toEqual([{ name: "order", source: "<Tool use={lookUp}>" }]);
  });

  it("T5 an inline definition is fine", async () => {
    const result = await run(
      <Agent model={scriptedModel([{ text: "ok", expect: { tools: ["inline"] } }])}>
        <Tool use={defineTool({ name: "inline", description: "d", input: z.object({}), execute: () => 1 })} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("ok");
  });

  const sdkTool = tool({ description: "d", inputSchema: z.object({}), execute: () => 1 });
  it.each([
    ["an AI SDK tool", sdkTool],
    ["a spread", { ...lookUp }],
    ["a proxy", new Proxy(lookUp, {})],
    ["a look-alike", Object.assign(async () => 1, { description: "d", execute: async () => 1 })],
    ["a name", "lookUp"],
  ])("T5 refuses %s", async (_what, value) => {
    const error = await failureOf(
      run(
        <Agent model={scriptedModel([])}>
          <Tool use={value as never} />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "tool-use" });
    expect(error.message).toContain("use takes exactly what defineTool() returned");
  });

  it("T5 refuses a name or children beside use", async () => {
    const props = { use: lookUp, name: "other" } as never;
    const error = await failureOf(
      run(
        <Agent model={scriptedModel([])}>
          <Tool {...(props as object as { use: typeof lookUp })} />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "invalid-props" });
  });

  it("T6 reaches the nearest agent only, and obeys allowedTools", async () => {
    const inner = scriptedModel([{ text: "inner", expect: { tools: [] } }]);
    await run(
      <Agent model={scriptedModel([])}>
        <Tool use={lookUp} />
        <Agent model={inner}>
          <Step id="b" prompt="go" />
        </Agent>
      </Agent>,
    );
    const error = await failureOf(runWithAllowed(["other"]));
    expect(error).toMatchObject({ code: "tool-not-allowed" });
  });

  function runWithAllowed(allowedTools: string[]) {
    return run(
      <Agent model={scriptedModel(["ok"])}>
        <Namespace name="shop">
          <Tool use={lookUp} />
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
      { allowedTools },
    );
  }
});

describe("calling", () => {
  it("T7 a component calls a tool without an agent, traced under the component", async () => {
    async function Workflow() {
      const { id, limit } = await lookUp({ id: "A-17" });
      return `${id}:${limit}`;
    }
    const result = await run(<Workflow />, { trace: { capture: "full" }, allowedTools: [] });
    expect(result.output).toBe("A-17:20");
    const [component] = result.trace.root.children;
    expect(component?.children[0]).toMatchObject({
      kind: "tool-call",
      name: "lookUp",
      invocation: "application",
      status: "ok",
      output: { id: "A-17", limit: 20 },
    });
  });

  it("T8 outside a component a call throws at once, with the whole message", () => {
    const error = thrownBy(() => lookUp({ id: "x" }));
    expect(error).toMatchObject({ name: "DeclarationError", code: "tool-inactive" });
    expect(error.message).toBe(
      "june: lookUp() can only be called while a component is rendering\nOutside a run, and in code that goes on after its component, call lookUp.execute(input).",
    );
  });

  it("T8 helpers, Promise.all, child functions, composite functions and execute are active", async () => {
    const helper = (id: string) => lookUp({ id });
    const outer = defineTool({
      name: "outer",
      description: "d",
      input: z.object({}),
      execute: async () => (await helper("e")).id,
    });
    async function Workflow() {
      const both = await Promise.all([helper("a"), helper("b")]);
      const model = scriptedModel([{ calls: [{ name: "composite" }] }, "answer"]);
      return (
        <Agent model={model}>
          <Tool name="composite" description="d" input={z.object({})}>
            {async () => (await helper("c")).id}
          </Tool>
          <Step id="s" prompt={both.map(({ id }) => id).join()}>
            {async (answer) => (answer === "answer" ? <Child ids={[(await helper("d")).id, await outer({})]} /> : null)}
          </Step>
        </Agent>
      );
    }
    const seen: string[] = [];
    function Child({ ids }: { ids: string[] }) {
      seen.push(...ids);
      return null;
    }
    await run(<Workflow />);
    expect(seen).toEqual(["d", "e"]);
  });

  it("T8 a bundle is not active, nor is code that goes on after its component", async () => {
    let late: Error | undefined;
    let done!: () => void;
    const finished = new Promise<void>((resolve) => (done = resolve));
    function Workflow() {
      setTimeout(() => {
        late = thrownBy(() => lookUp({ id: "late" }));
        done();
      }, 1);
      return "text";
    }
    await run(<Workflow />);
    await finished;
    expect(late).toMatchObject({ code: "tool-inactive" });
  });

  it("T9 a hundred calls that nobody awaits are all accounted for", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    let ended = 0;
    const some = defineTool({
      name: "some",
      description: "d",
      input: z.object({ index: z.number() }),
      execute: async ({ index }) => {
        for (let turn = 0; turn < index % 7; turn++) await Promise.resolve();
        ended++;
        if (index % 10 === 0) throw new Error(`failed ${index}`);
        return index;
      },
    });
    function Workflow() {
      for (let index = 0; index < 100; index++) void some({ index });
      return "text";
    }
    const error = await failureOf(run(<Workflow />));
    process.off("unhandledRejection", note);
    expect(ended).toBe(100);
    expect(unhandled).toEqual([]);
    expect(error).toMatchObject({ code: "component-failed" });
    expect((error.cause as AggregateError).errors).toHaveLength(10);
  });

  it("T9 a failure that the component handles is its own business", async () => {
    const failing = toolOf(() => {
      throw new Error("no stock");
    }, "failing");
    const output = await textOf(async () =>
      failing({}).then(
        () => "no",
        (error: Error) => error.message,
      ),
    );
    expect(output).toBe("no stock");
  });

  it("T9 an aborted run waits for what was started and starts nothing more", async () => {
    let starts = 0;
    const abort = new AbortController();
    const slow = defineTool({
      name: "slow",
      description: "d",
      input: z.object({}),
      execute: async (_input, { abortSignal }) => {
        starts++;
        abort.abort(new Error("enough"));
        await new Promise((resolve) => abortSignal?.addEventListener("abort", resolve, { once: true }) ?? resolve(0));
        return 1;
      },
    });
    async function Workflow() {
      await slow({}).catch(() => {});
      await slow({});
      return "text";
    }
    const error = await failureOf(run(<Workflow />, { signal: abort.signal }));
    expect(error.message).toBe("enough");
    expect(starts).toBe(1);
  });

  it("T10 a handle kept past its agent refuses to run and says so in the trace", async () => {
    let kept: ((input: unknown, options: unknown) => unknown) | undefined;
    const model = scriptedModel(["ok"]);
    const handle = run(
      <Agent
        model={model}
        name="keeper"
        onStart={({ tools }) => {
          kept = (tools as Record<string, { execute: typeof kept }>)["lookUp"]?.execute;
        }}
      >
        <Tool use={lookUp} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await handle;
    const error = await failureOf(Promise.resolve().then(() => kept!({ id: "x" }, { toolCallId: "c", messages: [] })));
    expect(error).toMatchObject({ code: "tool-revoked" });
  });

  it("T11 tools call tools in both paths, and the trace nests them", async () => {
    const outer = defineTool({
      name: "outer",
      description: "d",
      input: z.object({}),
      execute: async () => (await lookUp({ id: "in" })).id,
    });
    const granted = await runGranted(outer, [
      { calls: [{ name: "outer" }] },
      { text: "ok", expect: { results: ["in"] } },
    ]);
    const call = granted.trace.root.children[0]?.children[0]?.children[0]?.children[0];
    expect(call).toMatchObject({ name: "outer", invocation: "model" });
    expect(call?.children[0]).toMatchObject({
      name: "lookUp",
      invocation: "application",
      path: `${call?.path}/tool[0:lookUp]`,
    });
    async function Workflow() {
      return outer({});
    }
    const { trace } = await run(<Workflow />);
    expect(trace.root.children[0]?.children[0]?.children[0]).toMatchObject({ name: "lookUp" });
    expect(await failureOf(outer.execute({}))).toMatchObject({ code: "tool-inactive" });
  });
});
