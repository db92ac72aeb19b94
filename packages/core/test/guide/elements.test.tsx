/** Elements and rendering, L1 to L7. Long because each kind of node, and each way one can fail, has a test. */

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
import { jsx, jsxs } from "@june/core/jsx-runtime";
import { echoModel, scriptedModel } from "@june/core/testing";
import { deferred, settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { marksIn } from "../support/marks.js";
import { withoutPlaces } from "../support/places.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";

const here = marksIn(import.meta.url);

/** Runs a tree and gives what it rendered as text. */
async function textOf(element: JuneElement): Promise<unknown> {
  return (await run(element)).output;
}

/** A component that takes some turns of the event loop. */
async function Slow(): Promise<JuneNode> {
  await settled();
  return null;
}

const boom = new Error("boom");
function Throwing(): never {
  throw boom;
}

describe("elements", () => {
  const Thing = ({ children }: { label?: string; children?: JuneNode }): JuneNode => children;

  it("L1 are frozen plain records of type, props and key, and where they stand", () => {
    const element = <Thing label="x" key={7} children="text" />; /* record */
    expect(element).toEqual({
      type: Thing,
      props: { label: "x", children: "text" },
      key: "7",
      source: here("record"),
    });
    expect(Object.isFrozen(element) && Object.isFrozen(element.props)).toBe(true);
    expect(() => Object.assign(element, { key: "8" })).toThrow(TypeError);
    expect(() => Object.assign(element.props, { label: "y" })).toThrow(TypeError);
  });

  it("L1 have no source from the production runtime, nor do the errors that name them", async () => {
    for (const element of [
      jsx(Thing, { label: "x" }),
      jsxs(Thing, { label: "x" }),
      createElement(Thing, { label: "x" }),
    ]) {
      expect(element).toEqual({ type: Thing, props: { label: "x" }, key: null });
      expect(Object.isFrozen(element) && Object.isFrozen(element.props)).toBe(true);
    }
    expect((await errorOf(run(jsx(Step, { id: "a", prompt: "go" })))).message).toBe(
      'june: <Step id="a"> has no <Agent> around it\nPut it inside an <Agent>.',
    );
    expect((await errorOf(run(<Step id="a" prompt="go" /> /* source */))).message).toBe(
      `june: <Step id="a"> (${here("source")}) has no <Agent> around it\nPut it inside an <Agent>.`,
    );
  });

  it("L1 call no component before run()", async () => {
    let calls = 0;
    function Counting() {
      return String(++calls);
    }
    const element = (
      <>
        <Counting />
      </>
    );
    await settled();
    expect(calls).toBe(0);
    await run(element);
    expect(calls).toBe(1);
  });
});

describe("components", () => {
  it("L2 sync and async ones are called once for each appearance, with their props", async () => {
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

  it("L2 an element that appears twice, or in two runs, is called each time", async () => {
    let calls = 0;
    function Counting() {
      return String(++calls);
    }
    const element = <Counting />;
    expect(await textOf(<>{[element, element]}</>)).toBe("12");
    expect([await textOf(element), await textOf(element)]).toEqual(["3", "4"]);
  });
});

describe("nodes", () => {
  it.each<[string, JuneNode, unknown]>([
    ["numbers are text", [0, 1.5, -0, Number.NaN], "01.50NaN"],
    ["text keeps its own white space", [" a", "b ", "\n"], " ab "],
    ["booleans, null and undefined are nothing", [true, false, null, undefined, [null, [undefined]]], undefined],
    ["empty text and white space are nothing", ["", "  \n\t", "\u00a0"], undefined],
    ["fragments in fragments are what they hold", <>{[<>{"a"}</>, <>{[<>{"b"}</>]}</>]}</>, "ab"],
    ["sets and maps are iterables", [new Set(["a", "b"]), new Map([["c", "d"]])], "abcd"],
    ["promises are what they resolve to", Promise.resolve([Promise.resolve("a"), <>{"b"}</>]), "ab"],
  ])("L3, case 91 %s", async (_what, node, expected) => {
    expect(await textOf(<>{node}</>)).toBe(expected);
    const Page = (): JuneNode => node;
    expect(await textOf(<Page />)).toBe(expected);
  });

  it("L3 generators are read as they are rendered, and once", async () => {
    const log: string[] = [];
    function Note({ name }: { name: string }) {
      log.push(`renders ${name}`);
      return name;
    }
    function* notes(): Generator<JuneNode> {
      for (const name of ["a", "b"]) {
        log.push(`yields ${name}`);
        yield <Note name={name} />;
      }
    }
    expect(await textOf(<>{notes()}</>)).toBe("ab");
    expect(log).toEqual(["yields a", "renders a", "yields b", "renders b"]);
    const Notes = notes as () => Iterable<JuneNode>;
    expect(await textOf(<Notes />)).toBe("ab");
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

  it("L3 a generator is closed when what it gave fails", async () => {
    let isClosed = false;
    function* notes(): Generator<JuneNode> {
      try {
        yield "a";
        yield [<Throwing />];
        yield "c";
      } finally {
        isClosed = true;
      }
    }
    expect(await errorOf(run(<>{notes()}</>))).toMatchObject({ code: "component-failed", cause: boom });
    expect(isClosed).toBe(true);
  });

  it("L3 a thenable that works when it is awaited works once", async () => {
    let starts = 0;
    // oxlint-disable-next-line unicorn/no-thenable
    const query = { then: (resolve: (value: string) => void) => resolve(`query ${++starts}`) };
    expect(await textOf(<>{query as never}</>)).toBe("query 1");
    const Page = (): JuneNode => [query as never];
    expect(await textOf(<Page />)).toBe("query 2");
  });

  it("L3 100,000 nodes side by side render", async () => {
    const text = await textOf(<>{Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? "x" : null))}</>);
    expect(text).toBe("x".repeat(50_000));
  });

  it("L4 children render strictly in order, each to its end, however long it takes", async () => {
    const log: string[] = [];
    async function Work({ name, turns }: { name: string; turns: number }): Promise<JuneNode> {
      log.push(`${name} starts`);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      log.push(`${name} ends`);
      return <After name={name} />;
    }
    function After({ name }: { name: string }) {
      log.push(`after ${name}`);
      return null;
    }
    const early = deferred<JuneElement>();
    early.resolve(<After name="the promise" />);
    await run(
      <>
        <Work name="a" turns={20} />
        {early.promise}
        <Work name="b" turns={1} />
      </>,
    );
    expect(log).toEqual(["a starts", "a ends", "after a", "after the promise", "b starts", "b ends", "after b"]);
  });

  class Classy {
    render(): JuneNode {
      return null;
    }
  }
  async function* asyncNodes() {
    yield "a";
  }
  const nodeCure =
    "A node is an element, text, a number, an array of nodes, a promise of one, or nothing (true, false, null, undefined).";
  const tagCure = "June has no built-in tags: import a component, and write its name with a capital letter.";
  const importCure = "Check the import: a component is a function.";

  it.each<[string, () => unknown, string]>([
    [
      "a lower-case tag",
      () => createElement("div"),
      `the lower-case tag <div> cannot be rendered in <Page>\n${tagCure}`,
    ],
    [
      "a class as a tag",
      () => createElement(Classy),
      "the class Classy cannot be rendered in <Page>\nA component is a function of its props.",
    ],
    ["a class", () => Classy, `the function Classy cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["a plain object", () => ({ a: 1 }), `an object cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["a date", () => new Date(0), `an object cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["a function", () => function later() {}, `the function later cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["an async generator", () => asyncNodes(), `an object cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["a symbol", () => Symbol("s"), `a symbol cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    ["a bigint", () => 1n, `a bigint cannot be rendered in <Page> (HERE)\n${nodeCure}`],
    [
      "a missing import",
      () => createElement(undefined),
      `a tag that is undefined cannot be rendered in <Page>\n${importCure}`,
    ],
    [
      "an object as a tag",
      () => createElement({ default: Classy }),
      `a tag that is an object cannot be rendered in <Page>\n${importCure}`,
    ],
  ])("L5 %s is refused where it stands, alone, in a list and in a promise", async (_what, make, message) => {
    const wraps = [(node: unknown) => node, (node: unknown) => ["a", [node]], async (node: unknown) => [node]];
    for (const wrap of wraps) {
      function Page() {
        return wrap(make()) as JuneNode;
      }
      const error = await errorOf(run(<Page />));
      expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-node" });
      expect(withoutPlaces(error.message)).toBe(`june: ${message}`);
    }
  });

  it("L5 is seen before any model call of the agent that holds it", async () => {
    const model = scriptedModel([]);
    const error = await errorOf(
      run(
        <Agent model={model} name="writer">
          <Step id="a" prompt="go" />
          {{ a: 1 } as never}
        </Agent>,
      ),
    );
    expect(error.message).toBe(`june: an object cannot be rendered in <Agent name="writer">\n${nodeCure}`);
    expect(model.calls).toHaveLength(0);
  });
});

describe("failures", () => {
  const cycle: unknown[] = ["a"];
  cycle.push([cycle]);
  async function Rejecting(): Promise<JuneNode> {
    await Promise.resolve();
    throw boom;
  }
  function* Yielding(): Generator<JuneNode> {
    yield "a";
    throw boom;
  }
  const unreadable = {
    [Symbol.iterator]: () => {
      throw boom;
    },
  };

  it.each<[string, () => JuneNode, string, string]>([
    ["a component throws", () => <Throwing />, "<Page> > <Throwing>", "boom"],
    ["an async component rejects", () => <Rejecting />, "<Page> > <Rejecting>", "boom"],
    ["a promise rejects", () => Promise.reject(boom), "<Page>", "boom"],
    ["a promise in a promise rejects", () => Promise.resolve([Promise.reject(boom)]), "<Page>", "boom"],
    ["a generator throws", () => Yielding(), "<Page>", "boom"],
    ["a component that is a generator throws", () => createElement(Yielding), "<Page> > <Yielding>", "boom"],
    ["an iterable cannot be read", () => unreadable, "<Page>", "boom"],
    ["an array contains itself", () => cycle as never, "<Page>", "an array contains itself"],
    ["an agent's children throw", () => <Agent model={echoModel()}>{Yielding()}</Agent>, "<Page> > <Agent>", "boom"],
    [
      "an agent's children contain themselves",
      () => <Agent model={echoModel()}>{cycle as never}</Agent>,
      "<Page> > <Agent>",
      "an array contains itself",
    ],
  ])("L6 when %s, the run and a <Catch> see component-failed with the path", async (_what, node, path, reason) => {
    function Page() {
      return node();
    }
    const error = await errorOf(run(<Page />));
    expect(error).toMatchObject({ name: "RunError", code: "component-failed", details: { path } });
    expect(error.message).toBe(`june: ${path} failed: ${reason}`);
    if (reason === "boom") expect(error.cause).toBe(boom);
    else expect(error.cause).toEqual(new TypeError(reason));
    const caught: unknown[] = [];
    const report = await watchProcess(() =>
      run(
        <Catch fallback={(seen) => void caught.push(seen)}>
          <Page />
        </Catch>,
      ),
    );
    expect(caught).toMatchObject([{ code: "component-failed", details: { path: `<Catch> > ${path}` } }]);
    expect(report.rejections).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["plain text", "plain text"],
    ["", "an empty message"],
    [undefined, "undefined was thrown"],
    [null, "null was thrown"],
    [{ status: 404 }, '{"status":404}'],
    [new TypeError(""), "TypeError"],
  ])("L6 whatever was thrown is the cause: %o", async (thrown, reason) => {
    function Odd(): never {
      throw thrown;
    }
    const error = await errorOf(run(<Odd />));
    expect(error).toMatchObject({ code: "component-failed", message: `june: <Odd> failed: ${reason}` });
    expect("cause" in error && error.cause).toBe(thrown);
  });

  it("L6 the path goes through agents, steps and branches", async () => {
    function Release() {
      return (
        <Agent model={echoModel()}>
          <Step id="a" prompt="go">
            {() => (
              <Parallel>
                <>
                  <Throwing />
                </>
              </Parallel>
            )}
          </Step>
        </Agent>
      );
    }
    const error = await errorOf(run(<Release />));
    const path = '<Release> > <Agent> > <Step id="a"> > <Parallel> > <Throwing>';
    expect(error).toMatchObject({ code: "component-failed", details: { path } });
    expect(error.message).toBe(`june: ${path} failed: boom`);
  });

  it("L6 an abort's reason passes as it is", async () => {
    for (const reason of [{ why: "enough" }, "enough", new Error("enough")]) {
      const abort = new AbortController();
      async function Aborting(): Promise<JuneNode> {
        abort.abort(reason);
        throw reason;
      }
      expect(await rejectionOf(run(<Aborting />, { signal: abort.signal }))).toBe(reason);
    }
  });

  // A promise that rejects while something before it still renders.
  const waiting: Record<string, (late: Promise<never>) => JuneNode> = {
    "a child": (late) => (
      <>
        <Slow />
        {late}
      </>
    ),
    "deep in arrays": (late) => (
      <>
        <Slow />
        {Array.from({ length: 20 }).reduce<JuneNode>((node) => [node], late)}
      </>
    ),
    "in a set": (late) => [<Slow />, new Set([late])],
    "in what a component gives": (late) => {
      const Page = (): JuneNode => [<Slow />, late];
      return <Page />;
    },
    "in what a promise gives": (late) => Promise.resolve([<Slow />, late]),
    "in what a promise gives, before its turn": (late) => [<Slow />, Promise.resolve([late])],
    "in what a generator yields": (late) => {
      function* nodes(): Generator<JuneNode> {
        yield [<Slow />, [late]];
      }
      return nodes();
    },
    "in an agent's body": (late) => (
      <Agent model={echoModel()}>
        <Step id="a" prompt="go" />
        {late}
      </Agent>
    ),
    "in what a child function gives": (late) => (
      <Agent model={echoModel()}>
        <Step id="a" prompt="go">
          {() => [<Slow />, late]}
        </Step>
      </Agent>
    ),
    "in a branch that has not begun": (late) => (
      <Parallel limit={1}>
        <Slow />
        {late}
      </Parallel>
    ),
    "in a fallback": (late) => (
      <Catch fallback={() => [<Slow />, late]}>
        <Throwing />
      </Catch>
    ),
  };

  it.each(Object.keys(waiting))(
    "L6, case 94 a promise that rejects before its turn is no unhandled rejection: %s",
    async (where) => {
      const report = await watchProcess(async () => {
        const error = await errorOf(run(<>{waiting[where]!(Promise.reject(boom))}</>));
        expect(error).toMatchObject({ code: "component-failed", cause: boom });
      });
      expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
    },
  );

  it("L6, case 94 neither is one that the run never comes to", async () => {
    const late = deferred<never>();
    const abort = new AbortController();
    const report = await watchProcess(async () => {
      await rejectionOf(
        run(
          <>
            <Throwing />
            {late.promise.then((value) => value)}
          </>,
        ),
      );
      const aborted = run(
        <>
          <Slow />
          {late.promise.then((value) => value)}
        </>,
        { signal: abort.signal },
      );
      abort.abort(new Error("enough"));
      await rejectionOf(aborted);
      late.reject(boom);
    });
    expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
  });

  it("L6, case 94 of two branches that fail, both are told, and nothing is left over", async () => {
    const second = deferred<string>();
    async function First(): Promise<JuneNode> {
      queueMicrotask(() => second.reject(new Error("later")));
      throw boom;
    }
    const report = await watchProcess(async () => {
      const error = await errorOf(
        run(
          <Parallel>
            <First />
            {second.promise}
            <Slow />
          </Parallel>,
        ),
      );
      expect(error).toMatchObject({
        code: "parallel-failed",
        cause: { errors: [{ cause: boom }, { cause: { message: "later" } }] },
      });
    });
    expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
  });
});

describe("depth", () => {
  const levels = 10_000;
  function Nested({ level }: { level: number }): JuneNode {
    return level === 0 ? "deep" : <Nested level={level - 1} />;
  }
  async function NestedLater({ level }: { level: number }): Promise<JuneNode> {
    return level === 0 ? "deep" : <>{[<NestedLater level={level - 1} />]}</>;
  }
  const wraps: Record<string, (node: JuneNode) => JuneNode> = {
    fragments: (node) => <>{node}</>,
    "fragments with a neighbour": (node) => <Fragment>{[null, node]}</Fragment>,
    arrays: (node) => [node],
    sets: (node) => new Set([node]),
    promises: (node) => Promise.resolve<readonly JuneNode[]>([node]),
    generators: (node) =>
      (function* () {
        yield node;
      })(),
  };

  it.each(Object.keys(wraps))("L7 10,000 nested %s render", async (what) => {
    const build = (): JuneNode => {
      let node: JuneNode = "deep";
      for (let level = 0; level < levels; level++) node = wraps[what]!(node);
      return node;
    };
    expect(await textOf(<>{build()}</>)).toBe("deep");
    const result = await run(
      <Agent name="a" model={echoModel()}>
        {what === "promises" ? null : build()}
      </Agent>,
    );
    expect(result.output).toBe(what === "promises" ? undefined : "deep");
  });

  it("L7 10,000 nested components render, and the trace has them all", async () => {
    const result = await run(<Nested level={levels - 1} />);
    expect(result.output).toBe("deep");
    let depth = 0;
    for (let node = result.trace.root.children[0]; node !== undefined; node = node.children[0]) depth++;
    expect(depth).toBe(levels);
  });

  it("L7 10,000 nested async components render, the innermost failing with a path that stays readable", async () => {
    expect(await textOf(<NestedLater level={levels - 1} />)).toBe("deep");
    function Deep({ level }: { level: number }): JuneNode {
      return level === 0 ? <Throwing /> : <Deep level={level - 1} />;
    }
    const error = await errorOf(run(<Deep level={levels - 1} />));
    const deep = Array.from({ length: 12 }, () => "<Deep>");
    expect(error.message).toBe(
      `june: ${[...deep, `… ${levels + 1 - 24} more …`, ...deep.slice(1), "<Throwing>"].join(" > ")} failed: boom`,
    );
  });
});
