/** Errors: their classes, their list, and what a model is told when a tool fails or gives what JSON cannot hold. Long because each sentence of its rules has a test. */

import { readFileSync } from "node:fs";
import { tool, type ToolSet } from "ai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Agent, Catch, DeclarationError, JuneError, RunError, Step, Tool, errorCodes, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { watchProcess } from "../support/leftovers.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { nodeOf } from "../support/trace-nodes.js";

const modes = [{ stream: false }, { stream: true }];
const empty = z.object({});

/** Runs one tool call and gives what the model got of it and the node of the call. */
async function callTool(value: ToolSet[string], stream: boolean, capture: "full" | "shape" = "shape") {
  const model = scriptedModel([{ calls: [{ name: "probe" }] }, "went on"]);
  const { output, trace } = await run(
    <Agent model={model}>
      <Tool name="probe" value={value} />
      <Step id="a" prompt="go" />
    </Agent>,
    { stream, trace: { capture } },
  );
  expect(output).toBe("went on");
  return { given: resultOutputs(model, 1)[0], node: nodeOf(trace, "tool-call", "probe") };
}

describe("the classes", () => {
  it("L60 one base, two blames: the author's JSX, and the run", async () => {
    const declaration = await errorOf(run(<Step id="a" prompt="go" />));
    const failure = await errorOf(
      run(
        <Agent model={scriptedModel([new Error("down")])}>
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    for (const [error, own, other] of [
      [declaration, DeclarationError, RunError],
      [failure, RunError, DeclarationError],
    ] as const) {
      expect(error).toBeInstanceOf(JuneError);
      expect(error).toBeInstanceOf(own);
      expect(error).not.toBeInstanceOf(other);
      expect(error.name).toBe(own.name);
      expect(JuneError.isInstance(error)).toBe(true);
      expect(errorCodes).toContain(error.code);
      expect(Object.isFrozen((error as JuneError).details)).toBe(true);
    }
    expect(failure.cause).toMatchObject({ message: "down" });
    expect("cause" in declaration).toBe(false);
  });

  it("L60 isInstance knows the errors of a second copy of the package, where instanceof does not", async () => {
    vi.resetModules();
    const copy = await import("@june/core");
    expect(copy.JuneError).not.toBe(JuneError);
    const foreign = await errorOf(copy.run(5 as never));
    expect(foreign instanceof JuneError).toBe(false);
    expect(JuneError.isInstance(foreign)).toBe(true);
    expect(copy.JuneError.isInstance(await errorOf(run(5 as never)))).toBe(true);
    for (const value of [
      null,
      undefined,
      5,
      "june",
      {},
      new Error("x"),
      { code: "no-model", name: "DeclarationError" },
    ])
      expect(JuneError.isInstance(value)).toBe(false);
  });

  it("L60 a DeclarationError is never retried and reaches no fallback, a RunError does", async () => {
    let renders = 0;
    const Part = ({ isWrong }: { isWrong: boolean }) => {
      renders++;
      if (!isWrong) throw new Error("down");
      return <Step id="a" prompt="go" />;
    };
    const attempt = (isWrong: boolean) =>
      run(
        <Catch retries={2} fallback={() => "fell back"}>
          <Part isWrong={isWrong} />
        </Catch>,
      );
    expect(await errorOf(attempt(true))).toMatchObject({ code: "step-without-agent" });
    expect(renders).toBe(1);
    expect((await attempt(false)).output).toBe("fell back");
    expect(renders).toBe(4);
  });

  it("L60 a failed run keeps the code and every cause in its trace", async () => {
    const Broken = () => {
      throw new Error("disk full", { cause: new Error("no space", { cause: "quota" }) });
    };
    const handle = run(<Broken />);
    await errorOf(handle);
    expect(handle.trace.root.error).toEqual({
      name: "RunError",
      code: "component-failed",
      message: "june: <Broken> failed: disk full",
      cause: {
        name: "Error",
        message: "disk full",
        cause: { name: "Error", message: "no space", cause: { name: "Error", message: "quota" } },
      },
    });
  });
});

describe("docs/errors.md", () => {
  const lines = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8").split("\n");
  const rows = lines.flatMap((line) => {
    const cells = /^\| `([^`]+)` \| (.+) \| (.+) \|$/.exec(line);
    return cells === null ? [] : [{ code: cells[1]!, meaning: cells[2]!, cure: cells[3]! }];
  });

  it("L62 has one line for each code, and no other", () => {
    expect(rows.map(({ code }) => code).toSorted()).toEqual([...errorCodes].toSorted());
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
  });

  it("L62 says in each what it means and what to do, in sentences", () => {
    for (const { meaning, cure } of rows) {
      expect(meaning).toMatch(/^[A-Z`].{20,}\.$/);
      expect(cure).toMatch(/^[A-Z`].{5,}\.$/);
    }
  });
});

describe("a tool that throws", () => {
  class QuotaError extends Error {
    override readonly name = "QuotaError";
  }
  const unshowable: { self?: unknown; n: bigint } = { n: 1n };
  unshowable.self = unshowable;
  const thrown: Record<string, [unknown, string]> = {
    "an error": [new Error("disk full"), "disk full"],
    "an error of a class of its own": [new QuotaError("too much"), "too much"],
    "several lines": [new Error("first\nsecond"), "first\nsecond"],
    text: ["just text", "just text"],
    "an error without a message": [new Error(""), "Error"],
    undefined: [undefined, "undefined was thrown"],
    null: [null, "null was thrown"],
    "a number": [5, "5"],
    "a plain object": [{ status: 404 }, '{"status":404}'],
    "an object that has no JSON form": [unshowable, "a value that cannot be shown was thrown"],
  };

  it.each(Object.keys(thrown).flatMap((name) => modes.map((mode) => ({ name, ...mode }))))(
    "L63 $name gives the model exactly the message (stream: $stream)",
    async ({ name, stream }) => {
      const [error, message] = thrown[name]!;
      const kinds: ToolSet = {
        sync: tool({
          inputSchema: empty,
          execute: (): string => {
            throw error;
          },
        }),
        async: tool({ inputSchema: empty, execute: (): Promise<string> => Promise.reject(error as Error) }),
        generator: tool({
          inputSchema: empty,
          async *execute() {
            yield "so far";
            throw error;
          },
        }),
      };
      for (const value of Object.values(kinds)) {
        const report = await watchProcess(async () => {
          const { given, node } = await callTool(value, stream);
          expect(given).toEqual({ type: "error-text", value: message });
          expect(node.status).toBe("error");
        });
        expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
      }
    },
  );

  it("L63 leaves the error and its causes in the trace", async () => {
    const { node } = await callTool(
      tool({
        inputSchema: empty,
        execute: (): string => {
          throw new QuotaError("too much", { cause: new Error("no space") });
        },
      }),
      false,
    );
    expect(node.error).toEqual({
      name: "QuotaError",
      message: "too much",
      cause: { name: "Error", message: "no space" },
    });
  });

  it("L63 with many causes, or itself among them, ends up bounded in the trace", async () => {
    const loop = new Error("loop");
    loop.cause = new AggregateError([loop, new Error("other")], "several", { cause: loop });
    const { given, node } = await callTool(
      tool({
        inputSchema: empty,
        execute: (): string => {
          throw loop;
        },
      }),
      false,
    );
    expect(given).toEqual({ type: "error-text", value: "loop" });
    expect(JSON.stringify(node.error).length).toBeLessThan(1_000_000);
  });

  it.each(modes)("L63 and one that gets wrong arguments do not end the run (stream: $stream)", async ({ stream }) => {
    const ran: unknown[] = [];
    const model = scriptedModel([
      { calls: [{ name: "close", input: { number: "12" } }] },
      { calls: [{ name: "close", input: "{ not json" }] },
      { calls: [{ name: "clsoe", input: { number: 12 } }] },
      { calls: [{ name: "close", input: { number: 12 } }] },
      "closed",
    ]);
    const { output } = await run(
      <Agent model={model}>
        <Tool
          name="close"
          value={tool({ inputSchema: z.object({ number: z.number() }), execute: (input) => void ran.push(input) })}
        />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    expect(output).toBe("closed");
    expect(ran).toEqual([{ number: 12 }]);
    const results = resultOutputs(model, 4) as { type: string; value: unknown }[];
    expect(results.map(({ type }) => type)).toEqual(["error-text", "error-text", "error-text", "json"]);
    expect(results[0]!.value).toContain("number");
    expect(results[2]!.value).toContain("clsoe");
  });
});

describe("an output", () => {
  const giving = (output: unknown) => tool({ inputSchema: empty, execute: () => output });
  const yielding = (output: unknown) =>
    tool({
      inputSchema: empty,
      async *execute() {
        yield 1n;
        yield output;
      },
    });
  const cycle: { list: unknown[] } = { list: [] };
  cycle.list.push({ back: cycle });
  const impossible: Record<string, [unknown, string]> = {
    "a BigInt": [10n, "output is a bigint"],
    "a BigInt inside": [{ rows: [{ id: 1 }, { id: 10n }] }, "output.rows[1].id is a bigint"],
    "a cycle": [cycle, "output.list[0].back is a cycle"],
    "a toJSON that throws": [
      {
        part: {
          toJSON: () => {
            throw new Error("not now");
          },
        },
      },
      "output.part is an object whose toJSON throws (not now)",
    ],
  };

  it.each(Object.keys(impossible).flatMap((name) => modes.map((mode) => ({ name, ...mode }))))(
    "L63 that JSON cannot hold is a tool error with the path, not the end of the run: $name (stream: $stream)",
    async ({ name, stream }) => {
      const [output, fault] = impossible[name]!;
      for (const value of [giving(output), yielding(output)])
        for (const capture of ["full", "shape"] as const) {
          const { given, node } = await callTool(value, stream, capture);
          expect(given).toEqual({
            type: "error-text",
            value: `june: the output of the tool "probe" is not JSON: ${fault}\nReturn plain data: objects, arrays, text, finite numbers, booleans and null.`,
          });
          expect(node).toMatchObject({ status: "error", error: { code: "tool-output" } });
        }
    },
  );

  it.each(modes)("L63 of an ordinary tool otherwise keeps the SDK's form (stream: $stream)", async ({ stream }) => {
    const at = new Date(0);
    for (const [output, expected] of [
      ["text", { type: "text", value: "text" }],
      [undefined, { type: "json", value: null }],
      [null, { type: "json", value: null }],
      [
        { at, note: undefined, m: new Map([["k", 1]]), n: Number.NaN },
        { type: "json", value: { at: at.toISOString(), m: {}, n: null } },
      ],
      [[undefined, () => 1], { type: "json", value: [null, null] }],
      [() => 1, { type: "json", value: null }],
    ] as const)
      expect((await callTool(giving(output), stream)).given).toEqual(expected);
  });

  it.each(modes)("L63 of a generator that yields nothing is null (stream: $stream)", async ({ stream }) => {
    const silent = tool({
      inputSchema: empty,
      async *execute(): AsyncGenerator<string> {
        yield* [];
      },
    });
    expect((await callTool(silent, stream)).given).toEqual({ type: "json", value: null });
  });

  it.each(modes)(
    "L63 with a form of its own goes by that form, and a form that throws is a tool error (stream: $stream)",
    async ({ stream }) => {
      const formed = tool({
        inputSchema: empty,
        execute: () => ({ id: 10n }),
        toModelOutput: ({ output }) => ({ type: "text", value: `id ${output.id}` }),
      });
      expect((await callTool(formed, stream, "full")).given).toEqual({ type: "text", value: "id 10" });
      const broken = tool({
        inputSchema: empty,
        execute: () => "x",
        toModelOutput: () => {
          throw new Error("no form");
        },
      });
      expect((await callTool(broken, stream)).given).toEqual({ type: "error-text", value: "no form" });
      const impossibleForm = tool({
        inputSchema: empty,
        execute: () => "x",
        toModelOutput: () => ({ type: "json", value: { id: 10n } as never }),
      });
      expect((await callTool(impossibleForm, stream)).given).toMatchObject({ type: "error-text" });
    },
  );
});
