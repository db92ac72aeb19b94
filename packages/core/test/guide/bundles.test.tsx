/** What `defineCapabilities` makes: C20 to C22, and bundles from another copy of core. Long because every wrong content stands in it. */

import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  Agent,
  Namespace,
  RequireApproval,
  Step,
  Tool,
  createElement,
  defineAgent,
  defineCapabilities,
  defineToolset,
  inspect,
  run,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { failureOf, type Failure } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { sources, toolNames } from "../support/scopes.js";
import { echo, saying } from "../support/tools.js";

type Bundle = (props: object) => JuneElement;

const here = marksIn(import.meta.url);
const Read = defineCapabilities(() => <Tool name="read" value={echo} />, { name: "Read" });

describe("a bundle is see-through", () => {
  it("C20 what it returns joins the agent, through bundles, wrappers, props and conditions", async () => {
    const Files = defineCapabilities(
      ({ writable = false }: { writable?: boolean }) => (
        <>
          <Read />
          {writable && <Tool name="write" value={echo} />}
        </>
      ),
      { name: "Files" },
    );
    const Project = defineCapabilities(
      ({ children }: { children?: JuneNode }) => [
        <Namespace key="a" name="a">
          <Files writable />
        </Namespace>,
        <Namespace key="b" name="b">
          <Files />
        </Namespace>,
        children,
      ],
      { name: "Project" },
    );
    expect(
      await sources(
        <Agent>
          <Project>
            <Tool name="extra" value={echo} />
          </Project>
        </Agent>,
      ),
    ).toEqual({
      a_read: '<Tool name="read"> in <Project> > <Namespace name="a"> > <Files> > <Read>',
      a_write: '<Tool name="write"> in <Project> > <Namespace name="a"> > <Files>',
      b_read: '<Tool name="read"> in <Project> > <Namespace name="b"> > <Files> > <Read>',
      extra: '<Tool name="extra"> in <Project>',
    });
  });

  it("C20 holds every kind of capability", async () => {
    const Shell = defineToolset({ name: "Shell", tools: () => ({ run: echo }) });
    const Finder = defineAgent({ name: "find", description: "Find", input: z.object({}), prompt: () => "go" });
    const All = defineCapabilities(
      () => (
        <>
          <Tool name="a" value={echo} />
          <Tool name="work" description="Work" input={z.object({})}>
            {() => null}
          </Tool>
          <Shell />
          <Finder />
          <RequireApproval>
            <Read />
          </RequireApproval>
        </>
      ),
      { name: "All" },
    );
    expect(
      await toolNames(
        <Agent>
          <All />
        </Agent>,
      ),
    ).toEqual([["a", "work", "run", "find", "read"]]);
  });

  it("C20 is called by its name, else by its function's, else Capabilities", async () => {
    function Named(): JuneNode {
      return <Tool name="a" value={echo} />;
    }
    const One = defineCapabilities(Named, { name: "Given" });
    const Two = defineCapabilities(Named);
    const Three = defineCapabilities(() => <Tool name="a" value={echo} />);
    const sourceOf = async (bundle: JuneElement): Promise<string | undefined> =>
      (await sources(<Agent>{bundle}</Agent>))["a"];
    expect(await sourceOf(<One />)).toBe('<Tool name="a"> in <Given>');
    expect(await sourceOf(<Two />)).toBe('<Tool name="a"> in <Named>');
    expect(await sourceOf(<Three />)).toBe('<Tool name="a"> in <Capabilities>');
  });

  it("C20 is no boundary: its tools collide with others of the agent", async () => {
    const failure = await failureOf(
      <Agent>
        <Read />
        <Tool name="read" value={echo} />
      </Agent>,
    );
    expect(failure.code).toBe("tool-name-collision");
  });

  it("C20 is made of a function, and says so when it is not", () => {
    expect(() => defineCapabilities("Read" as never)).toThrow(
      "june: defineCapabilities(): got text\nGive a function of props that returns capabilities.",
    );
  });
});

describe("a bundle is a pure function of its props", () => {
  it("C21 June calls it while the agent renders, and at no other time", async () => {
    const calls: unknown[] = [];
    const Counted = defineCapabilities(
      (props: { tag: string }) => {
        calls.push(props);
        return <Tool name={props.tag} value={echo} />;
      },
      { name: "Counted" },
    );
    const element = <Counted key="k" tag="a" />;
    const model = scriptedModel([{ calls: [{ name: "a", input: { text: "x" } }] }, "one", "two"]);
    const tree = (
      <Agent model={model}>
        {element}
        <Step id="a" prompt="go" />
        <Step id="b" prompt="go" />
      </Agent>
    );
    expect(calls).toEqual([]);
    await run(tree);
    expect(calls).toEqual([{ tag: "a" }]);
    expect(Object.isFrozen(calls[0])).toBe(true);
    await inspect(tree);
    expect(calls).toHaveLength(2);
  });

  describe("what it may not return", () => {
    const Own = (): JuneNode => null;
    class Klass {
      readonly element = <Read />;
    }
    const cycle: JuneNode[] = [];
    cycle.push(cycle);
    const beside = "Put it among the <Agent>'s children, beside the bundle.";
    const only = "Return <Tool>, bundles, wrappers, toolsets, callable agents and <Inherit> only.";
    const number = "A number is text: write {list.length > 0 && …} instead of {list.length && …}.";
    const waits = "What has to wait belongs in defineToolset({ key, open }).";
    it.each<[string, () => unknown, string, string]>([
      ["a step", () => <Step /* step */ id="a" prompt="go" />, '<Step id="a">@step', beside],
      ["an agent", () => <Agent /* agent */ name="x" />, '<Agent name="x">@agent', beside],
      [
        "a component",
        () => <Own /* component */ />,
        "the component <Own>@component",
        "Put it among the <Agent>'s children, or make it a bundle with defineCapabilities() if it declares capabilities.",
      ],
      ["text", () => "hello", 'the text "hello"', "Put text into a step's prompt."],
      ["a number", () => 0, "the number 0", number],
      ["no number", () => Number.NaN, "the number NaN", number],
      ["a promise", () => [Promise.resolve(null)], "a promise", waits],
      ["a function", () => [() => <Read />], "a function", only],
      ["an object", () => ({ name: "a", value: echo }), "an object", only],
      ["a cycle", () => cycle, "an array that contains itself", "Build a new array."],
    ])("C21 %s", async (_, render, found, cure) => {
      const Wrong = defineCapabilities(render as () => JuneNode, { name: "Wrong" });
      const [what = "", mark] = found.split("@");
      expect(
        await failureOf(
          <Agent>
            <Wrong /* wrong */ />
            <Step id="never" prompt="go" />
          </Agent>,
        ),
      ).toEqual({
        name: "DeclarationError",
        code: "capability-content",
        lines: [
          `june: <Wrong> (${here("wrong")}) holds ${what}${mark === undefined ? "" : ` (${here(mark)})`}, but only capabilities can stand there`,
          cure,
        ],
        modelCalls: 0,
      });
    });

    it.each<[string, unknown, string]>([
      ["a lower-case tag", "div", "the lower-case tag <div>"],
      ["a class", Klass, "the class Klass"],
      ["nothing as a tag", undefined, "a tag that is undefined"],
    ])("C21 %s, which is a mistake anywhere", async (_, type, found) => {
      const Wrong = defineCapabilities(() => createElement(type), { name: "Wrong" });
      const failure = await failureOf(
        <Agent>
          <Wrong />
        </Agent>,
      );
      expect(failure.code).toBe("invalid-node");
      expect(failure.lines[0]).toContain(`june: ${found} cannot be rendered in <Agent> > <Wrong>`);
    });

    it("C21 also inside a wrapper in it, which is what the message names", async () => {
      const Wrong = defineCapabilities(
        () => (
          <Namespace /* wrapper */ name="n">
            <Step /* wrapped */ id="a" prompt="go" />
          </Namespace>
        ),
        { name: "Wrong" },
      );
      const failure = await failureOf(
        <Agent>
          <Wrong />
        </Agent>,
      );
      expect(failure.lines).toEqual([
        `june: <Namespace name="n"> (${here("wrapper")}) holds <Step id="a"> (${here("wrapped")}), but only capabilities can stand there`,
        "Put it among the <Agent>'s children.",
      ]);
    });
  });

  it("C21 it cannot be async, and one that rejects leaves nothing unhandled", async () => {
    const Late = defineCapabilities(async () => <Read />, { name: "Late" });
    const Failing = defineCapabilities(() => Promise.reject(new Error("too late")), { name: "Late" });
    for (const bundle of [<Late /* async */ key="1" />, <Failing key="2" />]) {
      const failure = await failureOf(<Agent>{bundle}</Agent>);
      expect(failure).toMatchObject({ name: "DeclarationError", code: "capability-content" });
      expect(failure.lines[0]).toContain("holds a promise, but only capabilities can stand there");
      expect(failure.lines[1]).toBe(
        "A bundle is a pure, synchronous function. What has to wait belongs in defineToolset({ key, open }).",
      );
    }
    expect(
      (
        await failureOf(
          <Agent>
            <Late /* async */ />
          </Agent>,
        )
      ).lines[0],
    ).toContain("june: <Late> (");
  });

  it("C21 one that throws fails the run with its path and its error", async () => {
    const broken = new TypeError("no config");
    const Inner = defineCapabilities(
      () => {
        throw broken;
      },
      { name: "Inner" },
    );
    const Outer = defineCapabilities(() => <Inner />, { name: "Outer" });
    const tree = (
      <Agent name="a">
        <Outer />
      </Agent>
    );
    await expect(run(tree, { model: echoModel() })).rejects.toMatchObject({
      code: "component-failed",
      message: 'june: <Agent name="a"> > <Outer> > <Inner> failed: no config',
      cause: broken,
    });
  });
});

describe("the capabilities of a callable agent", () => {
  const build = (content: () => unknown) =>
    defineAgent({
      name: "helper",
      description: "Help",
      input: z.object({}),
      prompt: () => "help",
      capabilities: content as () => JuneNode,
    });

  it("C45 are capabilities only, as in a bundle, and that shows before any model call", async () => {
    const Own = (): JuneNode => null;
    for (const [content, found] of [
      [() => <Step /* hidden */ id="a" prompt="go" />, `<Step id="a"> (${here("hidden")})`],
      [() => [<Read key="read" />, "text"], 'the text "text"'],
      [() => <Own /* hidden component */ />, `the component <Own> (${here("hidden component")})`],
      [() => Promise.resolve(<Read />), "a promise"],
    ] as const) {
      const Helper = build(content);
      const failure = await failureOf(
        <Agent>
          <Helper /* helper */ />
          <Step id="never" prompt="go" />
        </Agent>,
      );
      expect(failure).toMatchObject({ name: "DeclarationError", code: "capability-content", modelCalls: 0 });
      expect(failure.lines[0]).toBe(
        `june: <helper> (${here("helper")}) holds ${found}, but only capabilities can stand there`,
      );
      await expect(Helper.run({}, { model: echoModel() })).rejects.toMatchObject({
        cause: { code: "capability-content" },
      });
    }
  });

  it("C45 its name where it stands is text", async () => {
    const Helper = build(() => null);
    const failure = await failureOf(<Agent>{createElement(Helper, { name: ["helper"] })}</Agent>);
    expect(failure).toMatchObject({
      code: "invalid-props",
      lines: ["june: <helper> got an array as name", "name is text."],
    });
  });
});

describe("a bundle and itself", () => {
  it("C22 one that contains itself fails with the chain, wherever it starts and whatever is between", async () => {
    const A: Bundle = defineCapabilities(() => <B />, { name: "A" });
    const B: Bundle = defineCapabilities(
      () => (
        <Namespace name="n">
          <>
            <RequireApproval>{[<A /* again */ key="a" />]}</RequireApproval>
          </>
        </Namespace>
      ),
      { name: "B" },
    );
    const Outer = defineCapabilities(() => <A />, { name: "Outer" });
    const expected = (chain: string): Failure => ({
      name: "DeclarationError",
      code: "bundle-cycle",
      lines: [
        `june: a bundle contains itself: ${chain} (${here("again")})`,
        "Take the inner one out, or make the part they share a bundle of its own.",
      ],
      modelCalls: 0,
    });
    expect(
      await failureOf(
        <Agent>
          <A />
        </Agent>,
      ),
    ).toEqual(expected("<A> > <B> > <A>"));
    expect(
      await failureOf(
        <Agent>
          <Outer />
        </Agent>,
      ),
    ).toEqual(expected("<A> > <B> > <A>"));
  });

  it("C22 also one that would stop by itself", async () => {
    const Countdown: (props: { from: number }) => JuneElement = defineCapabilities(
      ({ from }: { from: number }) => (from > 0 ? <Countdown from={from - 1} /> : <Read />),
      { name: "Countdown" },
    );
    const failure = await failureOf(
      <Agent>
        <Countdown from={1} />
      </Agent>,
    );
    expect(failure.code).toBe("bundle-cycle");
    expect(failure.lines[0]).toContain("<Countdown> > <Countdown>");
    expect(
      await toolNames(
        <Agent>
          <Countdown from={0} />
        </Agent>,
      ),
    ).toEqual([["read"]]);
  });

  it("C22 two bundles of one name are no cycle", async () => {
    const Inner = defineCapabilities(() => <Tool name="a" value={echo} />, { name: "Same" });
    const Outer = defineCapabilities(() => <Inner />, { name: "Same" });
    expect(
      await sources(
        <Agent>
          <Outer />
        </Agent>,
      ),
    ).toEqual({ a: '<Tool name="a"> in <Same> > <Same>' });
  });

  it("C22 twice side by side is legal when the names differ, and two with different props stay two", async () => {
    const Shop = defineCapabilities(({ shop }: { shop: string }) => <Tool name="search" value={saying(shop)} />, {
      name: "Shop",
    });
    const model = scriptedModel([
      { calls: [{ name: "music_search" }, { name: "books_search" }] },
      { text: "done", expect: { results: ["music", "books"] } },
    ]);
    const { output } = await run(
      <Agent model={model}>
        <Namespace name="books">
          <Shop shop="books" />
        </Namespace>
        <Namespace name="music">
          <Shop shop="music" />
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(output).toBe("done");
    const twice = await failureOf(
      <Agent>
        <Shop shop="books" />
        <Shop shop="music" />
      </Agent>,
    );
    expect(twice.code).toBe("tool-name-collision");
  });

  it("C22 10,000 bundles in one another resolve", async () => {
    let Deep: Bundle = Read;
    for (let depth = 0; depth < 10_000; depth++) {
      const Inner = Deep;
      Deep = defineCapabilities(() => <Inner />, { name: "D" });
    }
    expect(
      await toolNames(
        <Agent>
          <Deep />
        </Agent>,
      ),
    ).toEqual([["read"]]);
  });
});

describe("elements from elsewhere", () => {
  let other: typeof import("@june/core");
  beforeEach(async () => {
    vi.resetModules();
    other = await import("@june/core");
  });

  it("case 95 a bundle, toolset, wrapper or agent that brings its own copy of core works", async () => {
    expect(other.Tool).not.toBe(Tool);
    const { createElement: build } = other;
    const Foreign = other.defineCapabilities(
      () =>
        build(
          other.Fragment,
          null,
          build(other.Namespace, { name: "n" }, build(other.Tool, { name: "a", value: saying("foreign") })),
          build(other.RequireApproval, null, build(other.Tool, { name: "held", value: saying("held") })),
        ),
      { name: "Foreign" },
    );
    const Shell = other.defineToolset({ name: "Shell", tools: () => ({ run: saying("ran") }) });
    const Helper = other.defineAgent({
      name: "helper",
      description: "Help",
      input: z.object({}),
      prompt: () => "help",
      model: scriptedModel([{ calls: [{ name: "n_a" }] }, { text: "helped", expect: { results: ["foreign"] } }]),
      capabilities: () => build(Foreign),
    });
    const model = scriptedModel([
      { calls: [{ name: "n_a" }, { name: "run" }, { name: "helper" }] },
      { text: "done", expect: { results: ["foreign", "ran", "helped"] } },
    ]);
    const { output, trace } = await run(
      <Agent model={model}>
        <Foreign />
        <Shell />
        <Helper />
        <Step id="a" prompt="go" />
        {build(other.Agent, { name: "nested" }, build(other.Inherit, { capabilities: ["held"] }))}
      </Agent>,
      { model },
    );
    expect(output).toBe("done");
    expect(trace.root.children[0]?.capabilities?.map(({ source }) => source)).toEqual([
      '<Tool name="a"> in <Foreign> > <Namespace name="n">',
      '<Tool name="held"> in <Foreign> > <RequireApproval>',
      "<Shell>",
      "<helper>",
    ]);
    expect(trace.root.children[0]?.waits).toEqual([{ name: "held", because: "<RequireApproval>" }]);
  });

  it("case 95 two copies find the cycle they make together", async () => {
    const A: Bundle = other.defineCapabilities(() => createElement(B), { name: "A" });
    const B: Bundle = defineCapabilities(() => other.createElement(A), { name: "B" });
    expect(
      (
        await failureOf(
          <Agent>
            <A />
          </Agent>,
        )
      ).lines[0],
    ).toMatch(/contains itself: <A> > <B> > <A>/);
  });

  it("case 95 an element of another major version says that there are two copies", async () => {
    const [brand] = Object.getOwnPropertySymbols(<Tool name="a" value={echo} />);
    const foreign = { ...(<Tool name="a" value={echo} />), [brand!]: 99 };
    const Foreign = defineCapabilities(() => foreign, { name: "Foreign" });
    for (const tree of [
      <Agent>{foreign}</Agent>,
      <Agent>
        <Foreign />
      </Agent>,
    ])
      expect(await failureOf(tree)).toEqual({
        name: "DeclarationError",
        code: "duplicate-core",
        lines: [
          "june: an element was made by another copy of @june/core, of major version 99; this one is 0",
          "Install one major version of @june/core: the packages that bring capabilities should have it as a peer dependency.",
        ],
        modelCalls: 0,
      });
  });

  it("case 95 an element of React's runtime is refused with the setting that makes it June's", async () => {
    const react = {
      $$typeof: Symbol.for("react.transitional.element"),
      type: Tool,
      key: null,
      props: { name: "a", value: echo },
    };
    const node = react as unknown as JuneNode;
    const Foreign = defineCapabilities(() => node, { name: "Foreign" });
    for (const [tree, path] of [
      [<Agent>{node}</Agent>, "<Agent>"],
      [
        <Agent>
          <RequireApproval>{node}</RequireApproval>
        </Agent>,
        "<Agent> > <RequireApproval>",
      ],
      [
        <Agent>
          <Foreign />
        </Agent>,
        "<Agent> > <Foreign>",
      ],
    ] as const) {
      const failure = await failureOf(tree);
      expect(failure).toMatchObject({ name: "DeclarationError", code: "invalid-node", modelCalls: 0 });
      expect(failure.lines[0]).toMatch(/^june: an element of another JSX runtime \(React's\) cannot be rendered in /);
      expect(failure.lines[0]).toContain(path);
      expect(failure.lines[1]).toBe(
        'Compile the file with June\'s runtime: "jsxImportSource": "june" in tsconfig.json, or /** @jsxImportSource june */ at the top of the file.',
      );
    }
  });
});
