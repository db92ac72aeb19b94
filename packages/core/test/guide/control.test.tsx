/** Doing things at once (L30), and plain JavaScript for the rest (L32). Long because branches fail in many orders. */

import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, Step, Tool, createElement, run, type JuneElement, type JuneNode } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { marksIn } from "../support/marks.js";
import { withoutPlaces } from "../support/places.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { allNodes, nodesOf } from "../support/trace-nodes.js";

const here = marksIn(import.meta.url);
const modes = [{ stream: false }, { stream: true }];

function Say({ id, text = id }: { id: string; text?: string }): JuneElement {
  return (
    <Agent model={echoModel()}>
      <Step id={id} prompt={text} />
    </Agent>
  );
}

/** A component that fails once `after` is done. */
async function Failing({ name, after }: { name: string; after?: PromiseLike<unknown> }): Promise<JuneNode> {
  await after;
  throw new Error(`${name} failed`);
}

/** An agent whose tool works until it is aborted, and then takes some turns to clean up. */
function working(id: string) {
  const started = deferred();
  const log: string[] = [];
  const work = tool({
    description: "Works until it is stopped",
    inputSchema: z.object({}),
    execute: async (_input, { abortSignal }) => {
      started.resolve();
      await new Promise((resolve) => abortSignal!.addEventListener("abort", resolve, { once: true }));
      log.push((abortSignal!.reason as Error).name);
      await settled();
      log.push("cleaned up");
      return "late";
    },
  });
  const model = scriptedModel([{ calls: [{ name: "work" }] }]);
  const element = (
    <Agent model={model}>
      <Tool name="work" value={work} />
      <Step id={id} prompt="go" />
    </Agent>
  );
  return { element, model, log, started: started.promise };
}

describe.each(modes)("<Parallel> (stream: $stream)", ({ stream }) => {
  it("L30 branches run at once, at most limit at a time, and results keep authored order", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    for (const [limit, atOnce] of [
      [undefined, 5],
      [9, 5],
      [2, 2],
      [1, 1],
    ] as const) {
      const gates = ids.map(() => deferred());
      const running: number[] = [];
      const counts: number[] = [];
      async function Branch({ index }: { index: number }): Promise<JuneNode> {
        counts.push(running.push(index));
        await gates[index]!.promise;
        running.splice(running.indexOf(index), 1);
        return <Say id={ids[index]!} />;
      }
      const branches = ids.map((_id, index) => <Branch index={index} />);
      const handle = run(<Parallel {...(limit === undefined ? {} : { limit })}>{branches}</Parallel>, { stream });
      await settled();
      // Of those that run, the last goes on first.
      for (let last = running.at(-1); last !== undefined; last = running.at(-1)) {
        gates[last]!.resolve();
        await settled();
      }
      const { steps } = await handle;
      expect(Object.keys(steps)).toEqual(ids);
      expect(Math.max(...counts)).toBe(atOnce);
    }
  });

  it("L30 texts keep authored order too", async () => {
    const first = deferred<string>();
    async function Later(): Promise<JuneNode> {
      first.resolve("b");
      return "c";
    }
    const { output } = await run(
      <>
        {"a"}
        <Parallel>
          {first.promise}
          <Later />
        </Parallel>
        {"d"}
      </>,
      { stream },
    );
    expect(output).toBe("abcd");
  });

  it("L30 arrays flatten, a fragment is one branch in order, and nothing is no branch", async () => {
    const log: string[] = [];
    async function Note({ name }: { name: string }): Promise<JuneNode> {
      log.push(`${name}+`);
      await settled();
      log.push(`${name}-`);
      return null;
    }
    const { trace } = await run(
      <Parallel>
        {[<Note name="a" />, [<Note name="b" />, null, false]]}
        {"  "}
        <>
          <Note name="c" />
          {[<Note name="d" />]}
        </>
      </Parallel>,
      { stream },
    );
    expect(log.slice(0, 3)).toEqual(["a+", "b+", "c+"]);
    expect(log.indexOf("d+")).toBeGreaterThan(log.indexOf("c-"));
    expect(nodesOf(trace, "component").map(({ path }) => path)).toEqual([
      "/parallel[0]/branch[0]/component[Note]",
      "/parallel[0]/branch[1]/component[Note]",
      "/parallel[0]/branch[2]/component[Note]",
      "/parallel[0]/branch[2]/component[Note]~2",
    ]);
  });

  it("L30 without a branch is nothing, and a limit that is no number from 1 on is refused", async () => {
    expect((await run(<Parallel>{[]}</Parallel>, { stream })).output).toBeUndefined();
    for (const [limit, shown] of [
      [0, "the number 0"],
      [1.5, "the number 1.5"],
      ["2", "text"],
    ] as const) {
      const error = await errorOf(run(<Parallel limit={limit as number}>text</Parallel>, { stream }));
      expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
      expect(withoutPlaces(error.message)).toBe(
        `june: <Parallel> (HERE) got ${shown} as limit\nlimit is a whole number from 1 on.`,
      );
    }
  });

  it("L30 the first failure aborts the others, waits for their cleanup, and is rethrown as it is", async () => {
    const outer = working("outer");
    const inner = working("inner");
    let began = false;
    function Never(): JuneNode {
      began = true;
      return null;
    }
    const report = await watchProcess(async () => {
      const failure = await errorOf(
        run(
          <Parallel limit={3}>
            {outer.element}
            <Parallel>{inner.element}</Parallel>
            <Failing name="third" after={Promise.all([outer.started, inner.started])} />
            <Never />
          </Parallel>,
          { stream },
        ),
      );
      expect(failure).toMatchObject({
        code: "component-failed",
        message: "june: <Parallel> > <Failing> failed: third failed",
        cause: { message: "third failed" },
      });
      expect([outer.log, inner.log]).toEqual([
        ["AbortError", "cleaned up"],
        ["AbortError", "cleaned up"],
      ]);
    });
    expect([outer.model.calls.length, inner.model.calls.length, began]).toEqual([1, 1, false]);
    expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
  });

  it("L30 a declaration error of one branch is rethrown as it is", async () => {
    const error = await errorOf(
      run(
        <Parallel>
          <Say id="a" />
          <Step id="b" prompt="go" />
        </Parallel>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "step-without-agent" });
  });

  it("L30 several failures make one error that lists each branch in source order, whatever failed first", async () => {
    const second = deferred();
    const first = deferred<string>();
    async function Second(): Promise<JuneNode> {
      queueMicrotask(() => second.resolve());
      throw new Error("second failed\nwith a line of its own");
    }
    const handle = run(
      <Parallel>
        <Failing /* one */ name="first" after={second.promise} />
        <Second /* two */ />
        {first.promise}
        <Say id="done" />
        {
          /* three */ <>
            {"text"}
            {createElement("div")}
          </>
        }
      </Parallel>,
      { stream },
    );
    first.reject(new Error("third failed"));
    const error = await errorOf(handle);
    expect(error).toMatchObject({ name: "RunError", code: "parallel-failed", details: { path: "<Parallel>" } });
    const lines = [
      `<Failing> (${here("one")}): first failed`,
      `<Second> (${here("two")}): second failed`,
      "a promise: third failed",
      `<> (${here("three")}): the lower-case tag <div> cannot be rendered in <Parallel>`,
    ];
    expect(error.message).toBe(`june: 4 branches of <Parallel> failed\n  ${lines.join("\n  ")}`);
    expect(error.cause).toMatchObject({
      errors: [
        { cause: { message: "first failed" } },
        { cause: { message: "second failed\nwith a line of its own" } },
        { cause: { message: "third failed" } },
        { code: "invalid-node" },
      ],
    });
  });

  it("L30 a branch that fails by itself while it is aborted is told as well, one that only stops is not", async () => {
    const waiting = deferred();
    const broken = tool({
      inputSchema: z.object({}),
      execute: async (_input, { abortSignal }) => {
        waiting.resolve();
        await new Promise((resolve) => abortSignal?.addEventListener("abort", resolve, { once: true }));
        return "late";
      },
    });
    async function Breaking(): Promise<JuneNode> {
      await waiting.promise;
      await settled();
      throw new Error("cleanup broke");
    }
    const error = await errorOf(
      run(
        <Parallel>
          <Failing name="first" after={waiting.promise} />
          <Breaking />
          <Agent model={scriptedModel([{ calls: [{ name: "broken" }] }])} tools={{ broken }}>
            <Step id="b" prompt="go" />
          </Agent>
        </Parallel>,
        { stream },
      ),
    );
    expect(error.message.split("\n").map(withoutPlaces)).toEqual([
      "june: 2 branches of <Parallel> failed",
      "  <Failing> (HERE): first failed",
      "  <Breaking> (HERE): cleanup broke",
    ]);
  });

  it("L30 what failed in branches of a branch is told with the rest", async () => {
    const error = await errorOf(
      run(
        <Parallel>
          <Failing name="outer" />
          <Parallel>
            <Failing name="inner one" />
            <Say id="a" />
            <Failing name="inner two" />
          </Parallel>
          <Parallel>
            <Say id="b" />
          </Parallel>
        </Parallel>,
        { stream },
      ),
    );
    expect(withoutPlaces(error.message)).toBe(
      "june: 2 branches of <Parallel> failed\n  <Failing> (HERE): outer failed\n  <Parallel> (HERE): 2 branches of <Parallel> > <Parallel> failed",
    );
    expect(error.cause).toMatchObject({ errors: [{}, { cause: { errors: [{}, {}] } }] });
  });

  it("L30 nothing of a failed one is left: no result, no id, no text", async () => {
    const { steps, output } = await run(
      <>
        <Catch fallback={() => null}>
          <Parallel>
            <Say id="a" />
            {"text"}
            <Failing name="third" after={settled()} />
          </Parallel>
        </Catch>
        <Say id="a" text="again" />
      </>,
      { stream },
    );
    expect([steps, output]).toEqual([{ a: "again" }, "again"]);
  });

  it("L30, L47 an abort of the run ends the branches, whose cleanup is waited for", async () => {
    const one = working("one");
    const two = working("two");
    const reason = new Error("enough");
    const handle = run(<Parallel>{[one.element, two.element]}</Parallel>, { stream });
    await Promise.all([one.started, two.started]);
    handle.abort(reason);
    expect(await rejectionOf(handle)).toBe(reason);
    expect([one.log, two.log]).toEqual([
      ["Error", "cleaned up"],
      ["Error", "cleaned up"],
    ]);
    expect(allNodes(handle.trace).filter(({ status }) => status === "running")).toEqual([]);
  });

  const inner = <Step id="a" prompt="go" />;
  const Page = (): JuneNode => inner;
  it.each<[string, JuneNode]>([
    ["directly", <Parallel>{inner}</Parallel>],
    [
      "in a component",
      <Parallel>
        <Page />
      </Parallel>,
    ],
    [
      "two levels down",
      <Parallel>
        <>
          <Parallel>
            <Catch>{inner}</Catch>
          </Parallel>
        </>
      </Parallel>,
    ],
    [
      "after a step",
      <Step id="first" prompt="go">
        {() => <Parallel>{inner}</Parallel>}
      </Step>,
    ],
  ])("L30 a step of an agent around it is refused: %s", async (_where, children) => {
    const error = await errorOf(
      run(
        <Agent model={echoModel()} name="outer">
          {children}
        </Agent>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "step-in-parallel" });
    expect(withoutPlaces(error.message)).toBe(
      'june: <Step id="a"> (HERE) stands in a <Parallel> but belongs to <Agent name="outer"> (HERE) around it: parallel turns of one conversation have no order\nGive each branch an <Agent> of its own.',
    );
  });

  it("L30 agents of the branches are fine inside an agent, and so are their steps", async () => {
    const model = scriptedModel(["before", "after"]);
    const { steps } = await run(
      <Agent model={model}>
        <Step id="before" prompt="go" />
        <Parallel>
          <Say id="a" />
          <Say id="b" />
        </Parallel>
        <Step id="after" prompt={({ a, b }) => `${String(a)} and ${String(b)}`} />
      </Agent>,
      { stream },
    );
    expect(Object.entries(steps)).toEqual([
      ["before", "before"],
      ["a", "a"],
      ["b", "b"],
      ["after", "after"],
    ]);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ text: "a and b" }] });
  });
});

describe.each(modes)("plain JavaScript (stream: $stream)", ({ stream }) => {
  it("L32 loops, conditions, recursion and async components are the control flow", async () => {
    async function Countdown({ from }: { from: number }): Promise<JuneNode> {
      if (from === 0) return <Say id="liftoff" />;
      return (
        <>
          <Say id={`count${from}`} />
          <Countdown from={from - 1} />
        </>
      );
    }
    const result = await run(
      <>
        {[1, 2, 3].map((number) => (number % 2 === 0 ? null : <Say id={`odd${number}`} />))}
        <Countdown from={2} />
      </>,
      { stream },
    );
    expect(Object.keys(result.steps)).toEqual(["odd1", "odd3", "count2", "count1", "liftoff"]);
  });

  it("L32 what an answer says decides what comes next", async () => {
    const model = scriptedModel(["bug", "fixed"]);
    const branches: Record<string, string> = { bug: "Fix it.", question: "Answer it." };
    const result = await run(
      <Agent model={model}>
        <Step id="kind" prompt="Which kind?">
          {(kind) => (branches[kind] === undefined ? null : <Step id={kind} prompt={branches[kind]} />)}
        </Step>
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ kind: "bug", bug: "fixed" });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ text: "Fix it." }] });
  });
});
