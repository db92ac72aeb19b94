/** What an agent can call, and when that is worked out: C1 to C4, C8 and C9. Long because whole trees and whole messages stand in it. */

import { describe, expect, it } from "vitest";
import {
  Agent,
  Catch,
  Inherit,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineCapabilities,
  defineToolset,
  run,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { tool as defineSdkTool, type Tool as SdkTool } from "ai";
import { z } from "zod";
import { deferred } from "../support/deferred.js";
import { agreedFailureOf, failureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { agentNodes, toolNames } from "../support/scopes.js";
import { echo, saying } from "../support/tools.js";

const here = marksIn(import.meta.url);
const Files = defineCapabilities(() => <Tool name="read" value={echo} />, { name: "Files" });

describe("what an agent has", () => {
  it("C1 takes the capabilities among its own children: direct, in fragments, arrays, iterables, conditions, bundles and wrappers", async () => {
    const isWritable = Math.abs(1) === 1;
    function* more(): Generator<JuneElement> {
      yield <Tool name="e" value={echo} />;
    }
    const tree = (
      <Agent>
        <Tool name="a" value={echo} />
        <>
          <Tool name="b" value={echo} />
          <>{[<Tool key="c" name="c" value={echo} />, [[<Tool key="d" name="d" value={echo} />]]]}</>
        </>
        {more()}
        {new Set([<Tool key="f" name="f" value={echo} />])}
        {isWritable && <Tool name="write" value={echo} />}
        {!isWritable && <Tool name="hidden" value={echo} />}
        {isWritable ? null : undefined}
        <Files />
        <Namespace name="n">
          <RequireApproval>
            <Files />
          </RequireApproval>
        </Namespace>
      </Agent>
    );
    expect(await toolNames(tree)).toEqual([["a", "b", "c", "d", "e", "f", "write", "read", "n_read"]]);
  });

  it("C1 a promise among the children belongs to the body and declares nothing", async () => {
    const late = Promise.resolve(<Tool /* late */ name="late" value={echo} />);
    expect(await failureOf(<Agent>{late}</Agent>)).toEqual({
      name: "DeclarationError",
      code: "misplaced-capability",
      lines: [
        `june: the capability <Tool name="late"> (${here("late")}) stands inside <Agent>, where no <Agent> can see it`,
        "Put it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.",
      ],
      modelCalls: 0,
    });
    const step = Promise.resolve(<Step id="later" prompt="hi" />);
    expect((await run(<Agent model={echoModel()}>{step}</Agent>)).output).toBe("hi");
  });

  it("C1 10,000 nested fragments around a tool resolve", async () => {
    let nested: JuneNode = <Tool name="deep" value={echo} />;
    for (let depth = 0; depth < 10_000; depth++) nested = <>{nested}</>;
    expect(await toolNames(<Agent>{nested}</Agent>)).toEqual([["deep"]]);
    let array: JuneNode = <Tool name="deep" value={echo} />;
    for (let depth = 0; depth < 10_000; depth++) array = [array];
    expect(await toolNames(<Agent>{array}</Agent>)).toEqual([["deep"]]);
  });

  it("case 91 what a condition leaves behind declares nothing, and text is never dropped silently", async () => {
    const leftovers: JuneNode[] = ["", "  \n ", false, true, null, undefined, [[null], []], <></>];
    expect(
      await toolNames(
        <Agent>
          {leftovers}
          <>
            <>{leftovers}</>
          </>
          <Tool name="a" value={echo} />
          <RequireApproval>{leftovers}</RequireApproval>
        </Agent>,
      ),
    ).toEqual([["a"]]);
    const Empty = defineCapabilities(() => leftovers, { name: "Empty" });
    expect(
      await toolNames(
        <Agent>
          <Empty />
        </Agent>,
      ),
    ).toEqual([undefined]);
    for (const [stray, shown] of [
      [0, '"0"'],
      [Number.NaN, '"NaN"'],
      ["hello", '"hello"'],
    ] as const) {
      const failure = await failureOf(
        <Agent /* stray */>
          {stray}
          <Step id="a" prompt="go" />
        </Agent>,
      );
      expect(failure.code).toBe("text-beside-steps");
      expect(failure.lines[0]).toBe(
        `june: the text ${shown} stands beside steps in <Agent> (${here("stray")}), where it has no place`,
      );
      expect(failure.lines[1]).toBe(
        stray === 0
          ? "A number is text: write {list.length > 0 && …} instead of {list.length && …}."
          : "Put the text into a step's prompt, or take the steps out and let the text be the prompt.",
      );
    }
    expect((await run(<Agent model={echoModel()}>hello</Agent>)).output).toBe("hello");
  });
});

describe("when it is worked out", () => {
  it("C2 gathers before anything else renders, wherever the declarations stand", async () => {
    const order: string[] = [];
    const Body = (): JuneNode => {
      order.push("body");
      return null;
    };
    const Tools = defineCapabilities(() => {
      order.push("bundle");
      return <Tool name="late" value={echo} />;
    });
    const model = echoModel();
    await run(
      <Agent model={model}>
        <Body />
        <Step id="a" prompt="go" />
        <Body />
        <Tools />
      </Agent>,
    );
    expect(order).toEqual(["bundle", "body", "body"]);
    expect(model.calls.map(({ tools }) => tools)).toEqual([["late"]]);
  });

  it("C2 renders nothing of an agent whose scope is wrong, also when the mistake stands last", async () => {
    let rendered = 0;
    const Body = (): JuneNode => {
      rendered++;
      return null;
    };
    const failure = await failureOf(
      <Agent>
        <Body />
        <Step id="a" prompt="go" />
        <Tool name="a" value={echo} />
        <Tool name="a" value={echo} />
      </Agent>,
    );
    expect(failure).toMatchObject({ code: "tool-name-collision", modelCalls: 0 });
    expect(rendered).toBe(0);
  });

  it("C2 resolves once for each appearance of an agent, whatever its steps", async () => {
    let resolved = 0;
    const Counted = defineCapabilities(() => {
      resolved++;
      return <Tool name="a" value={echo} />;
    });
    const Twice = (): JuneNode => (
      <>
        {["first", "second"].map((id) => (
          <Agent key={id}>
            <Counted />
            <Step id={`${id}-1`} prompt="go" />
            <Step id={`${id}-2`} prompt="on" />
          </Agent>
        ))}
      </>
    );
    await run(<Twice />, { model: echoModel() });
    expect(resolved).toBe(2);
  });

  it("C2 an agent that a step brings in resolves then", async () => {
    const order: string[] = [];
    const Inner = defineCapabilities(({ name }: { name: string }) => {
      order.push(`resolve ${name}`);
      return <Tool name={name} value={echo} />;
    });
    const model = scriptedModel((call) => {
      order.push(`call ${call.index}: ${call.tools.join()}`);
      return call.index === 0 ? "chosen" : "done";
    });
    await run(
      <Agent model={model}>
        <Step id="choose" prompt="Choose a tool">
          {(choice) => (
            <Agent model={model}>
              <Inner name={choice} />
              <Step id="use" prompt="Use it" />
            </Agent>
          )}
        </Step>
      </Agent>,
    );
    expect(order).toEqual(["call 0: ", "resolve chosen", "call 1: chosen"]);
  });

  it("C2 what was resolved is frozen: a tool object that changes afterwards changes nothing", async () => {
    const shifty = defineSdkTool({ description: "Before", inputSchema: z.object({}), execute: (): string => "before" });
    const model = scriptedModel([
      () => {
        Object.assign(shifty, { description: "After", needsApproval: true, inputSchema: z.object({ x: z.string() }) });
        shifty.execute = () => "after";
        return { calls: [{ name: "shifty" }] };
      },
      { text: "done", expect: { results: ["before"], tools: ["shifty"] } },
    ]);
    await run(
      <Agent model={model}>
        <Tool name="shifty" value={shifty} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const descriptions = model.calls.map(({ options }) =>
      options.tools?.map((given) => "description" in given && given.description),
    );
    expect(descriptions).toEqual([["Before"], ["Before"]]);
  });

  it.each([undefined, ["own"]])(
    "C2, C7 no callback can put a tool into the set, change one or take one out (activeTools %s)",
    async (active) => {
      const prototypes: Record<string, unknown> = {};
      const meddle = (where: string, given: unknown): void => {
        const tools = given as Record<string, SdkTool>;
        prototypes[where] = Object.getPrototypeOf(tools);
        for (const attempt of [
          () => Object.assign(tools, { extra: saying("extra") }),
          () => Object.assign(tools, { own: saying("another") }),
          () => Object.assign(tools["own"]!, { execute: () => "another" }),
          () => delete tools["own"],
        ]) {
          try {
            attempt();
          } catch {
            // A frozen set refuses, a copy does not care.
          }
        }
      };
      const model = scriptedModel([
        { calls: [{ name: "own" }] },
        { calls: [{ name: "own" }], expect: { results: ["own"] } },
        { text: "done", expect: { results: ["own"] } },
      ]);
      await run(
        <Agent
          model={model}
          {...(active === undefined ? {} : { activeTools: active })}
          toolApproval={({ tools }) => {
            meddle("toolApproval", tools);
            return undefined;
          }}
          onStart={({ tools }) => meddle("onStart", tools)}
          onStepStart={({ tools }) => meddle("onStepStart", tools)}
        >
          <Tool name="own" value={saying("own")} />
          <Step id="a" prompt="go" />
        </Agent>,
      );
      expect(prototypes).toEqual({ onStart: null, onStepStart: null, toolApproval: null });
      expect(model.calls.map(({ tools }) => tools)).toEqual([["own"], ["own"], ["own"]]);
    },
  );

  it("C2 a rule that an agent was given is the one its nested agents inherit, whatever becomes of the object", async () => {
    const toolApproval: Record<string, "user-approval" | "approved"> = { own: "user-approval" };
    const agents = await agentNodes(
      <Agent toolApproval={toolApproval}>
        <Tool name="own" value={saying("own")} />
        <Step id="a" prompt="go">
          {() => {
            toolApproval["own"] = "approved";
            return (
              <Agent>
                <Inherit capabilities={["own"]} />
              </Agent>
            );
          }}
        </Step>
      </Agent>,
    );
    expect(agents.map(({ waits }) => waits)).toEqual([
      [{ name: "own", because: "toolApproval" }],
      [{ name: "own", because: "toolApproval" }],
    ]);
  });
});

describe("nested agents", () => {
  it("C3 begin with nothing: no tool of a parent, grandparent or sibling", async () => {
    const outer = echoModel();
    const inner = echoModel();
    await run(
      <Agent model={outer}>
        <Tool name="outer" value={echo} />
        <Agent model={inner}>
          <Tool name="middle" value={echo} />
          <Agent model={inner}>
            <Step id="innermost" prompt="go" />
          </Agent>
          <Step id="middle" prompt="go" />
        </Agent>
        <Agent model={inner} tools={{ sibling: echo }}>
          <Step id="sibling" prompt="go" />
        </Agent>
        <Step id="outer" prompt="go" />
      </Agent>,
    );
    expect(inner.calls.map(({ tools }) => tools)).toEqual([[], ["middle"], ["sibling"]]);
    expect(outer.calls.map(({ tools }) => tools)).toEqual([["outer"]]);
  });

  it("C3 may use the names of the agents around them", async () => {
    const model = scriptedModel([{ calls: [{ name: "say" }] }, { text: "done", expect: { results: ["inner"] } }]);
    const { output } = await run(
      <Agent model={echoModel()}>
        <Tool name="say" value={saying("outer")} />
        <Agent model={model}>
          <Tool name="say" value={saying("inner")} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(output).toBe("done");
  });
});

describe("a capability where no agent takes it", () => {
  const cure =
    "Put it directly among the children of an <Agent>, or in a bundle made with defineCapabilities() that stands there.";
  const misplaced = (found: string, where: string): object => ({
    name: "DeclarationError",
    code: "misplaced-capability",
    lines: [`june: the capability ${found} stands ${where}`, cure],
  });

  it("C4 in a component of the author's own", async () => {
    const Tools = (): JuneNode => <Tool /* own */ name="own" value={echo} />;
    const tree = (
      <Agent>
        <Tools />
        <Step id="a" prompt="go" />
      </Agent>
    );
    const expected = misplaced(
      `<Tool name="own"> (${here("own")})`,
      "inside the component <Tools>, where no <Agent> can see it",
    );
    expect(await agreedFailureOf(tree)).toMatchObject(expected);
  });

  it("C4 in a component in a component, which names the one around it", async () => {
    const Inner = (): JuneNode => (
      <>
        <Namespace /* deep */ name="n">
          <Tool name="a" value={echo} />
        </Namespace>
      </>
    );
    const Outer = async (): Promise<JuneNode> => <Inner />;
    const where = "inside the component <Inner>, where no <Agent> can see it";
    const expected = misplaced(`<Namespace name="n"> (${here("deep")})`, where);
    expect(await agreedFailureOf(<Agent>{[<Outer key="outer" />]}</Agent>)).toMatchObject(expected);
    expect(await agreedFailureOf(<Outer />)).toMatchObject(expected);
  });

  it("C4 outside every agent", async () => {
    const tool = <Tool /* outside */ name="a" value={echo} />;
    const expected = misplaced(`<Tool name="a"> (${here("outside")})`, "outside any <Agent>");
    expect(await agreedFailureOf(tool)).toMatchObject(expected);
    expect(await agreedFailureOf(<>{[tool]}</>)).toMatchObject(expected);
    expect(await agreedFailureOf(<Catch>{tool}</Catch>)).toMatchObject(expected);
  });

  it("C4 in a step's child function", async () => {
    const failure = await failureOf(
      <Agent>
        <Step id="a" prompt="go">
          {() => <Inherit /* in step */ capabilities={["a"]} />}
        </Step>
      </Agent>,
    );
    const where = 'inside <Step id="a">, where no <Agent> can see it';
    expect(failure).toMatchObject(misplaced(`<Inherit capabilities={["a"]}> (${here("in step")})`, where));
  });

  it("C4 in a <Catch> or a <Parallel>", async () => {
    const tool = <Tool /* group */ name="a" value={echo} />;
    const inside = (tag: string): object =>
      misplaced(`<Tool name="a"> (${here("group")})`, `inside ${tag}, where no <Agent> can see it`);
    expect(await agreedFailureOf(<Agent>{<Catch>{tool}</Catch>}</Agent>)).toMatchObject(inside("<Catch>"));
    expect(await agreedFailureOf(<Agent>{<Parallel>{tool}</Parallel>}</Agent>)).toMatchObject(inside("<Parallel>"));
    const Own = (): JuneNode => <Catch>{tool}</Catch>;
    expect(await agreedFailureOf(<Agent>{<Own />}</Agent>)).toMatchObject(inside("<Catch>"));
  });

  it("C4 every kind of capability is recognised", async () => {
    const Shell = defineToolset({ name: "Shell", tools: () => ({}) });
    const Researcher = defineAgent({
      name: "researcher",
      description: "Research",
      input: z.object({}),
      prompt: () => "go",
    });
    for (const [capability, label] of [
      [<Files />, "<Files>"],
      [<Shell />, "<Shell>"],
      [<Researcher />, "<researcher>"],
      [<RequireApproval />, "<RequireApproval>"],
    ] as const) {
      const failure = await failureOf(capability);
      expect(failure.code).toBe("misplaced-capability");
      expect(failure.lines[0]).toContain(`the capability ${label} (`);
    }
  });
});

describe("the tools prop", () => {
  it("C8 joins the scope, before the children", async () => {
    const model = echoModel();
    const agents = await agentNodes(
      <Agent model={model} tools={{ first: echo, "sec-ond": echo }}>
        <Tool name="third" value={echo} />
        <Step id="a" prompt="go" />
        <Agent>
          <Inherit capabilities={["first", "sec-ond"]} />
        </Agent>
      </Agent>,
    );
    expect(model.calls[0]?.tools).toEqual(["first", "sec-ond", "third"]);
    expect(agents[0]?.capabilities).toEqual([
      { name: "first", source: "tools={{ first }}" },
      { name: "sec-ond", source: 'tools={{ "sec-ond" }}' },
      { name: "third", source: '<Tool name="third">' },
    ]);
    expect(agents[1]?.capabilities?.map(({ granted }) => granted)).toEqual([
      "tools={{ first }} in the enclosing <Agent>",
      'tools={{ "sec-ond" }} in the enclosing <Agent>',
    ]);
  });

  it("C8 an agent that uses only the prop records no capabilities, but what waits", async () => {
    const [agent] = await agentNodes(<Agent tools={{ a: echo, b: echo }} toolApproval={{ b: "user-approval" }} />);
    expect(agent).not.toHaveProperty("capabilities");
    expect(agent?.waits).toEqual([{ name: "b", because: "toolApproval" }]);
    const [withChild] = await agentNodes(
      <Agent tools={{ a: echo }}>
        <Tool name="b" value={echo} />
      </Agent>,
    );
    expect(withChild?.capabilities).toHaveLength(2);
  });
});

describe("resolving is pure", () => {
  it("C9 gives the order of the source, whichever toolset opens first", async () => {
    const gates = { slow: deferred(), fast: deferred() };
    const Remote = defineToolset({
      name: "Remote",
      key: ({ gate }: { gate: keyof typeof gates }) => gate,
      open: async ({ gate }) => {
        await gates[gate].promise;
        return { tools: { [`${gate}_1`]: echo, [`${gate}_2`]: echo } };
      },
    });
    const handle = run(
      <Agent model={echoModel()}>
        <Tool name="first" value={echo} />
        <Remote gate="slow" />
        <Tool name="middle" value={echo} />
        <Remote gate="fast" />
        <Tool name="last" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    gates.fast.resolve();
    await gates.fast.promise;
    gates.slow.resolve();
    const { trace } = await handle;
    const order = trace.root.children[0]?.capabilities?.map(({ name }) => name);
    expect(order).toEqual(["first", "slow_1", "slow_2", "middle", "fast_1", "fast_2", "last"]);
  });

  it("C9 changes no declaration: one frozen tree gives the same scope again, also at the same time", async () => {
    const tools = Object.freeze({ held: Object.freeze(saying("held")) });
    const tree = (
      <Agent tools={tools}>
        <RequireApproval>
          <Tool name="asked" value={tools.held} />
        </RequireApproval>
        <Namespace name="n">
          <Tool name="free" value={tools.held} />
          <Tool name="work" description="Work" input={z.object({})}>
            {() => (
              <Agent>
                <Inherit capabilities={["n_free"]} />
              </Agent>
            )}
          </Tool>
        </Namespace>
        <Agent>
          <Namespace name="inner">
            <Inherit capabilities={["asked", "n_work"]} />
          </Namespace>
        </Agent>
      </Agent>
    );
    const once = (await agentNodes(tree)).map(({ capabilities, waits }) => ({ capabilities, waits }));
    const again = await Promise.all([1, 2, 3].map(() => agentNodes(tree)));
    for (const agents of again)
      expect(agents.map(({ capabilities, waits }) => ({ capabilities, waits }))).toEqual(once);
    expect(tools.held.needsApproval).toBeUndefined();
    expect(once[1]?.waits).toEqual([{ name: "inner_asked", because: "<RequireApproval>" }]);
  });

  it("C9 a wrapper gives back new declarations: a tool outside it is as before", async () => {
    const shared = <Tool name="a" value={echo} />;
    const [agent] = await agentNodes(
      <Agent>
        {shared}
        <Namespace name="n">
          <RequireApproval>{shared}</RequireApproval>
        </Namespace>
      </Agent>,
    );
    expect(agent?.waits).toEqual([{ name: "n_a", because: "<RequireApproval>" }]);
    expect(agent?.capabilities?.map(({ name }) => name)).toEqual(["a", "n_a"]);
  });
});
