import { describe, expect, it } from "vitest";
import {
  Agent,
  Catch,
  Fragment,
  Parallel,
  Step,
  createElement,
  run,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { errorOf, rejectionOf } from "../support/rejection-of.js";

/** Runs a tree and gives what it rendered as text. */
async function textOf(element: JuneElement): Promise<unknown> {
  return (await run(element)).output;
}

/** The unhandled rejections while `work` goes on, and two turns after. */
async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (error: unknown): void => void seen.push(error);
  process.on("unhandledRejection", note);
  await work();
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  return seen;
}

describe("components", () => {
  it("L2 sync and async ones run once for each appearance, with their props", async () => {
    const calls: string[] = [];
    function Plain({ name }: { name: string }) {
      calls.push(name);
      return name;
    }
    async function Later({ name }: { name: string }): Promise<JuneNode> {
      calls.push(name);
      await Promise.resolve();
      return <Plain name={`${name}!`} />;
    }
    const tree = (
      <>
        <Plain name="a" />
        <Later name="b" />
        <Plain name="a" />
      </>
    );
    expect(await textOf(tree)).toBe("ab!a");
    expect(calls).toEqual(["a", "b", "b!", "a"]);
  });

  it("L2 an element in two runs is run in each", async () => {
    let calls = 0;
    function Counting() {
      return String(++calls);
    }
    const element = <Counting />;
    expect([await textOf(element), await textOf(element)]).toEqual(["1", "2"]);
  });
});

describe("nodes", () => {
  it("L3 numbers are text; booleans, null, undefined and white space render nothing", async () => {
    expect(await textOf(<>{[0, 1.5, "x", true, false, null, undefined, "  \n", Number.NaN]}</>)).toBe("01.5xNaN");
    expect(await textOf(<>{[true, null, "   "]}</>)).toBeUndefined();
  });

  it("L3 arrays, iterables, generators and promises of nodes are nodes", async () => {
    function* counting(): Generator<JuneNode> {
      yield "1";
      yield ["2", new Set(["3"])];
    }
    expect(await textOf(<>{[counting(), Promise.resolve(["4", <>{"5"}</>])]}</>)).toBe("12345");
  });

  it("L3 a generator among an agent's children is read once", async () => {
    const model = scriptedModel(["a", "b"]);
    function* steps(): Generator<JuneNode> {
      yield <Step id="one" prompt="go" />;
      yield <Step id="two" prompt="go" />;
    }
    const result = await run(<Agent model={model}>{steps()}</Agent>);
    expect(result.steps).toEqual({ one: "a", two: "b" });
  });

  it("L4 children render strictly in order, each to its end", async () => {
    const log: string[] = [];
    async function Slow({ name, turns }: { name: string; turns: number }): Promise<JuneNode> {
      log.push(`${name} starts`);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      log.push(`${name} ends`);
      return <After name={name} />;
    }
    function After({ name }: { name: string }) {
      log.push(`after ${name}`);
      return null;
    }
    await run(
      <>
        <Slow name="a" turns={20} />
        <Slow name="b" turns={1} />
      </>,
    );
    expect(log).toEqual(["a starts", "a ends", "after a", "b starts", "b ends", "after b"]);
  });

  it.each<[string, () => JuneElement, RegExp]>([
    ["a lower-case tag", () => createElement("div"), /^june: the lower-case tag <div> cannot be rendered in /],
    ["a class", () => createElement(Map), /^june: the class Map cannot be rendered in /],
    ["a plain object", () => <>{{ a: 1 } as never}</>, /^june: an object cannot be rendered in /],
    ["a function", () => <>{(() => "x") as never}</>, /^june: the function children cannot be rendered in /],
    ["a symbol", () => <>{Symbol("s") as never}</>, /^june: a symbol cannot be rendered in /],
    ["a missing import", () => createElement(undefined), /^june: a tag that is undefined cannot be rendered in /],
  ])("L5 %s is refused where it stands", async (_what, element, message) => {
    function Page() {
      return <>{element()}</>;
    }
    const error = await errorOf(run(<Page />));
    expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-node" });
    expect(error.message).toMatch(message);
    expect(error.message).toContain("<Page>");
  });
});

describe("failures", () => {
  const boom = new Error("boom");
  function Throwing(): never {
    throw boom;
  }
  async function Rejecting(): Promise<JuneNode> {
    await Promise.resolve();
    throw boom;
  }
  const cycle: unknown[] = [];
  cycle.push(cycle);

  it.each<[string, () => JuneNode, string]>([
    ["a component throws", () => <Throwing />, "<Page> > <Throwing>"],
    ["an async component rejects", () => <Rejecting />, "<Page> > <Rejecting>"],
    ["a promise child rejects", () => Promise.reject(boom), "<Page>"],
    ["an array contains itself", () => cycle as never, "<Page>"],
  ])("L6 when %s, the run and a <Catch> see component-failed with the path", async (_what, node, path) => {
    function Page() {
      return node();
    }
    const error = await errorOf(run(<Page />));
    expect(error).toMatchObject({ name: "RunError", code: "component-failed", details: { path } });
    expect((error.cause as Error).message).toMatch(/boom|an array contains itself/);
    let caught: unknown;
    await run(
      <Catch
        fallback={(seen) => {
          caught = seen;
          return null;
        }}
      >
        <Page />
      </Catch>,
    );
    expect(caught).toMatchObject({ code: "component-failed" });
  });

  it("L6 the path goes through agents and steps", async () => {
    const error = await errorOf(
      run(
        <Agent model={echoModel()}>
          <Step id="a" prompt="go">
            {() => <Throwing />}
          </Step>
        </Agent>,
      ),
    );
    expect(error).toMatchObject({
      code: "component-failed",
      details: { path: '<Agent> > <Step id="a"> > <Throwing>' },
    });
    expect(error.message).toBe('june: <Agent> > <Step id="a"> > <Throwing> failed: boom');
  });

  it("L6 an abort's reason passes as it is", async () => {
    const abort = new AbortController();
    const reason = { why: "enough" };
    async function Aborting(): Promise<JuneNode> {
      abort.abort(reason);
      throw reason;
    }
    expect(await rejectionOf(run(<Aborting />, { signal: abort.signal }))).toBe(reason);
  });

  it("L6, case 94 nothing is left unhandled: promises that reject before their turn, or after the run was given up", async () => {
    const late = (turns: number): Promise<string> =>
      (async () => {
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        throw boom;
      })();
    async function Slow(): Promise<JuneNode> {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      return "slow";
    }
    expect(
      await unhandledDuring(() =>
        rejectionOf(
          run(
            <>
              <Slow />
              <Fragment>{[late(1), [late(2)]]}</Fragment>
            </>,
          ),
        ),
      ),
    ).toEqual([]);
    const failures: unknown[] = [];
    expect(
      await unhandledDuring(async () => {
        failures.push(
          await rejectionOf(
            run(
              <Parallel>
                <Rejecting />
                {late(3)}
                <Slow />
              </Parallel>,
            ),
          ),
        );
      }),
    ).toEqual([]);
    expect(failures).toMatchObject([
      { code: "parallel-failed", cause: { errors: [{ cause: boom }, { cause: boom }] } },
    ]);
  });
});

describe("depth", () => {
  it("L7 10,000 nested fragments render", async () => {
    let node: JuneNode = "deep";
    for (let level = 0; level < 10_000; level++) node = <>{node}</>;
    expect(await textOf(<>{node}</>)).toBe("deep");
  });

  it("L7 10,000 nested components render, and the trace has them all", async () => {
    function Nested({ level }: { level: number }): JuneNode {
      return level === 0 ? "deep" : <Nested level={level - 1} />;
    }
    const result = await run(<Nested level={9_999} />);
    expect(result.output).toBe("deep");
    let depth = 0;
    for (let node = result.trace.root.children[0]; node !== undefined; node = node.children[0]) depth++;
    expect(depth).toBe(10_000);
  });
});
