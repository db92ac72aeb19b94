/** What `<Inherit>` brings into a nested agent: C30 to C33. Long because whole trees and whole messages stand in it. */

import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  createElement,
  defineAgent,
  defineCapabilities,
  run,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { failureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { agentNodes, toolNames } from "../support/scopes.js";
import { echo, guarded, provided, saying } from "../support/tools.js";

const here = marksIn(import.meta.url);

describe("what a grant brings", () => {
  it("C30 the enclosing agent's tools of the listed names, in the listed order, and nothing else", async () => {
    const inner = echoModel();
    await run(
      <Agent model={echoModel()} tools={{ prop: echo }}>
        <Tool name="a" value={echo} />
        <Tool name="b" value={echo} />
        <Tool name="c" value={echo} />
        <Agent model={inner}>
          <Tool name="own" value={echo} />
          <Inherit capabilities={["c", "prop", "a"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(inner.calls.map(({ tools }) => tools)).toEqual([["own", "c", "prop", "a"]]);
  });

  it("C30 goes by exposed names: the parent's namespaces are in them", async () => {
    const parent = (nested: JuneNode): JuneNode => (
      <Agent>
        <Namespace name="web">
          <Tool name="search" value={echo} />
        </Namespace>
        <Agent>{nested}</Agent>
      </Agent>
    );
    const names = await toolNames(<>{parent(<Inherit capabilities={["web_search"]} />)}</>);
    expect(names[1]).toEqual(["web_search"]);
    expect(await failureOf(<>{parent(<Inherit capabilities={["search"]} />)}</>)).toMatchObject({
      code: "inherit-unknown",
    });
  });

  it("C30 the enclosing agent is the one directly around, through components, parallels, steps and bundles", async () => {
    const Bundle = defineCapabilities(() => <Inherit capabilities={["tool"]} />, { name: "Bundle" });
    const Nested = async (): Promise<JuneNode> => (
      <Agent name="nested">
        <Bundle />
      </Agent>
    );
    const agents = await agentNodes(
      <Agent>
        <Tool name="tool" value={echo} />
        <Parallel>
          <Nested />
        </Parallel>
        <Step id="a" prompt="go">
          {() => <Nested />}
        </Step>
      </Agent>,
    );
    expect(agents.slice(1).map(({ capabilities }) => capabilities)).toEqual(
      Array.from({ length: 2 }, () => [
        {
          name: "tool",
          source: '<Inherit capabilities={["tool"]}> in <Bundle>',
          granted: '<Tool name="tool"> in the enclosing <Agent>',
        },
      ]),
    );
  });

  it("C30 two levels take two <Inherit>s", async () => {
    const innermost = (
      <Agent name="innermost">
        <Inherit capabilities={["tool"]} />
      </Agent>
    );
    const around = (middle: JuneNode): JuneNode => (
      <Agent name="outer">
        <Tool name="tool" value={echo} />
        <Agent /* middle */ name="middle">
          {middle}
          {innermost}
        </Agent>
      </Agent>
    );
    const failure = await failureOf(<>{around(null)}</>);
    expect(failure.code).toBe("inherit-unknown");
    expect(failure.lines.slice(1)).toEqual([
      "It has no tools.",
      'The enclosing agent <Agent name="outer"> declares "tool" by <Tool name="tool">, and it is not inherited here.',
      "Declare the tool in the enclosing agent, or inherit it there first.",
    ]);
    const agents = await agentNodes(<>{around(<Inherit capabilities={["tool"]} />)}</>);
    expect(agents[2]?.capabilities).toEqual([
      {
        name: "tool",
        source: '<Inherit capabilities={["tool"]}>',
        granted: '<Inherit capabilities={["tool"]}> in the enclosing <Agent>',
      },
    ]);
  });

  it("C30 never a sibling's tool", async () => {
    const failure = await failureOf(
      <Agent>
        <Agent>
          <Tool name="tool" value={echo} />
        </Agent>
        <Agent>
          <Inherit capabilities={["tool"]} />
        </Agent>
      </Agent>,
    );
    expect(failure.code).toBe("inherit-unknown");
  });

  it("C30 for a composite and a callable agent it is the agent that declared it, also after a grant", async () => {
    const Helper = defineAgent({
      name: "helper",
      description: "Help",
      input: z.object({}),
      prompt: () => "go",
      model: scriptedModel([{ calls: [{ name: "say" }] }, { text: "done", expect: { results: ["outer"] } }]),
      capabilities: () => <Inherit capabilities={["say"]} />,
    });
    const inner = scriptedModel([{ calls: [{ name: "say" }] }, { text: "done", expect: { results: ["outer"] } }]);
    const model = scriptedModel([
      { calls: [{ name: "helper" }, { name: "work" }] },
      { text: "all", expect: { results: ["done", "done"] } },
    ]);
    const { output } = await run(
      <Agent>
        <Tool name="say" value={saying("outer")} />
        <Helper />
        <Tool name="work" description="Work" input={z.object({})}>
          {() => (
            <Agent model={inner}>
              <Inherit capabilities={["say"]} />
              <Step id="work" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Agent model={model}>
          <Tool name="say" value={saying("inner")} />
          <Inherit capabilities={["helper", "work"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
      { model },
    );
    expect(output).toBe("all");
  });

  it("C30 inside a workflow the nearest agent counts again, not the one that declared the tool", async () => {
    const inner = scriptedModel([{ calls: [{ name: "say" }] }, { text: "done", expect: { results: ["workflow"] } }]);
    const model = scriptedModel([{ calls: [{ name: "work" }] }, { text: "all", expect: { results: ["done"] } }]);
    const { output } = await run(
      <Agent model={model}>
        <Tool name="say" value={saying("declarer")} />
        <Tool name="work" description="Work" input={z.object({})}>
          {() => (
            <Agent>
              <Tool name="say" value={saying("workflow")} />
              <Agent model={inner}>
                <Inherit capabilities={["say"]} />
                <Step id="work" prompt="go" />
              </Agent>
            </Agent>
          )}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
      { model },
    );
    expect(output).toBe("all");
  });
});

describe("a grant that cannot be", () => {
  it("C31 a name the parent lacks: what it has is listed, the closest spelling first, then sorted", async () => {
    const failure = await failureOf(
      <Agent /* parent */ name="outer">
        <Tool name="zip" value={echo} />
        <Tool name="write_file" value={echo} />
        <Tool name="read_file" value={echo} />
        <Tool name="apply" value={echo} />
        <Agent>
          <Inherit /* lacks */ capabilities={["zip", "read_fil"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(failure).toEqual({
      name: "DeclarationError",
      code: "inherit-unknown",
      lines: [
        `june: <Inherit capabilities={["zip", "read_fil"]}> (${here("lacks")}) asks for "read_fil", which the enclosing <Agent name="outer"> (${here("parent")}) does not have`,
        'It has "read_file", "apply", "write_file", "zip".',
        'A tool with a similar name is "read_file".',
        "Declare the tool in the enclosing agent, or inherit it there first.",
      ],
      modelCalls: 0,
    });
  });

  it("C31 a name that is near to nothing: the list is sorted", async () => {
    const failure = await failureOf(
      <Agent>
        <Tool name="zebra" value={echo} />
        <Tool name="apple" value={echo} />
        <Agent>
          <Inherit capabilities={["something-else"]} />
        </Agent>
      </Agent>,
    );
    expect(failure.lines.slice(1)).toEqual([
      'It has "apple", "zebra".',
      "Declare the tool in the enclosing agent, or inherit it there first.",
    ]);
  });

  it("C31 a name twice", async () => {
    const failure = await failureOf(
      <Agent>
        <Tool name="a" value={echo} />
        <Agent>
          <Inherit /* twice */ capabilities={["a", "b", "a"]} />
        </Agent>
      </Agent>,
    );
    expect(failure).toEqual({
      name: "DeclarationError",
      code: "inherit-duplicate",
      lines: [
        `june: <Inherit capabilities={["a", "b", "a"]}> (${here("twice")}) lists "a" twice`,
        "List each name once.",
      ],
      modelCalls: 0,
    });
  });

  it("C31 no agent around, also for an empty list", async () => {
    for (const inherit of [
      <Inherit /* alone */ key="1" capabilities={["a"]} />,
      createElement(Inherit, { capabilities: [] }),
    ]) {
      const failure = await failureOf(<Agent /* outermost */>{inherit}</Agent>);
      expect(failure.code).toBe("inherit-without-parent");
      expect(failure.lines[0]).toMatch(
        /^june: <Inherit capabilities=\{\[.*stands in <Agent> \(.*\), which has no agent around it to inherit from$/,
      );
      expect(failure.lines[1]).toBe("Nest the agent in the one whose tools it should get, or declare the tools here.");
    }
    const failure = await failureOf(
      <Agent /* outermost one */>
        <Inherit /* alone one */ capabilities={["a"]} />
      </Agent>,
    );
    expect(failure.lines[0]).toBe(
      `june: <Inherit capabilities={["a"]}> (${here("alone one")}) stands in <Agent> (${here("outermost one")}), which has no agent around it to inherit from`,
    );
  });

  it("C31 an empty list is legal and brings nothing", async () => {
    expect(
      await toolNames(
        <Agent>
          <Tool name="a" value={echo} />
          <Agent>
            <Inherit capabilities={[]} />
          </Agent>
        </Agent>,
      ),
    ).toEqual([["a"], undefined]);
  });

  it("C31 what is no list of names is refused where it stands", async () => {
    for (const [capabilities, found] of [
      ["a", "text"],
      [[1], "an array"],
      [null, "null"],
    ] as const) {
      const failure = await failureOf(
        <Agent>
          <Agent>{createElement(Inherit, { capabilities })}</Agent>
        </Agent>,
      );
      expect(failure).toMatchObject({ code: "invalid-props" });
      expect(failure.lines).toEqual([
        `june: ${Array.isArray(capabilities) ? "<Inherit capabilities={[1]}>" : "<Inherit>"} got ${found} as capabilities`,
        "capabilities is an array of tool names.",
      ]);
    }
    const missing = await failureOf(
      <Agent>
        <Agent>{createElement(Inherit)}</Agent>
      </Agent>,
    );
    expect(missing.lines[0]).toBe("june: <Inherit> needs the prop capabilities");
  });
});

describe("a tool as the parent sees it", () => {
  it("C32 crosses with its wrappers and composite runner, and can be tightened and renamed on the way", async () => {
    const agents = await agentNodes(
      <Agent>
        <RequireApproval reason="policy">
          <Tool name="held" value={echo} />
        </RequireApproval>
        <Tool name="free" value={echo} />
        <Tool name="work" description="Work" input={z.object({})}>
          {() => "worked"}
        </Tool>
        <Agent>
          <Namespace name="n">
            <RequireApproval>
              <Inherit capabilities={["free", "work"]} />
            </RequireApproval>
            <Inherit capabilities={["held"]} />
          </Namespace>
        </Agent>
      </Agent>,
    );
    const inherit = '<Inherit capabilities={["free", "work"]}> in <Namespace name="n"> > <RequireApproval>';
    expect(agents[1]?.capabilities).toEqual([
      { name: "n_free", source: inherit, granted: '<Tool name="free"> in the enclosing <Agent>' },
      { name: "n_work", source: inherit, granted: '<Tool name="work"> in the enclosing <Agent>', composite: true },
      {
        name: "n_held",
        source: '<Inherit capabilities={["held"]}> in <Namespace name="n">',
        granted: '<Tool name="held"> in <RequireApproval> in the enclosing <Agent>',
      },
    ]);
    expect(agents[1]?.waits?.map(({ name }) => name)).toEqual(["n_free", "n_work", "n_held"]);
    expect(agents[0]?.waits?.map(({ name }) => name)).toEqual(["held"]);
  });

  it("C32 nothing in the nested agent loosens it", async () => {
    const asked: string[] = [];
    const model = scriptedModel([
      { calls: [{ name: "own" }, { name: "wrapped" }, { name: "ruled" }] },
      { text: "done", expect: { results: ["done", "wrapped", "denied: "] } },
    ]);
    await run(
      <Agent toolApproval={{ ruled: "denied" }}>
        <Tool name="own" value={guarded} />
        <RequireApproval>
          <Tool name="wrapped" value={saying("wrapped")} />
        </RequireApproval>
        <Tool name="ruled" value={saying("ruled")} />
        <Agent model={model} toolApproval={{ own: "approved", wrapped: "approved", ruled: "approved" }}>
          <Inherit capabilities={["own", "wrapped", "ruled"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
      {
        model,
        onRequest: (request) => {
          asked.push(request.tool);
          return { approved: true };
        },
      },
    );
    expect(asked).toEqual(["own", "wrapped"]);
  });

  it("C32 a wrapper around the grant governs the nested agent only", async () => {
    const asked: string[] = [];
    const outer = scriptedModel([{ calls: [{ name: "say" }] }, "done"]);
    const inner = scriptedModel([{ calls: [{ name: "say" }] }, "done"]);
    await run(
      <Agent model={outer}>
        <Tool name="say" value={saying("hi")} />
        <Agent model={inner}>
          <RequireApproval>
            <Inherit capabilities={["say"]} />
          </RequireApproval>
          <Step id="inner" prompt="go" />
        </Agent>
        <Step id="outer" prompt="go" />
      </Agent>,
      {
        onRequest: ({ step }) => {
          asked.push(step);
          return { approved: true };
        },
      },
    );
    expect(asked).toEqual(["inner"]);
  });

  it("C32, C37 an approval around a grant of a provider's tool is refused like any other", async () => {
    const failure = await failureOf(
      <Agent tools={{ provided }}>
        <Agent>
          <RequireApproval>
            <Inherit /* provider */ capabilities={["provided"]} />
          </RequireApproval>
        </Agent>
      </Agent>,
    );
    expect(failure.lines).toEqual([
      'june: <RequireApproval> cannot hold the tool "provided": the provider runs it itself, before June sees the call',
      `  <Inherit capabilities={["provided"]}> in <RequireApproval>      ${here("provider")}`,
      "Take the rule away, or use a tool that runs in your process.",
    ]);
  });

  it("C32 a provider's tool crosses from a parent whose toolApproval is one function over every tool", async () => {
    expect(
      await toolNames(
        <Agent tools={{ provided }} toolApproval={() => "user-approval"}>
          <Agent>
            <Inherit capabilities={["provided"]} />
          </Agent>
        </Agent>,
      ),
    ).toEqual([undefined, ["provided"]]);
  });
});

describe("a granted tool is a declaration", () => {
  it("C33 a collision names the <Inherit> that brought it", async () => {
    const failure = await failureOf(
      <Agent>
        <Tool name="a" value={echo} />
        <Agent /* nested */>
          <Tool /* own */ name="a" value={echo} />
          <Inherit /* grant */ capabilities={["a"]} />
        </Agent>
      </Agent>,
    );
    expect(failure.lines).toEqual([
      `june: two capabilities expose the tool "a" in <Agent> (${here("nested")})`,
      `  <Tool name="a">                     ${here("own")}`,
      `  <Inherit capabilities={["a"]}>      ${here("grant")}`,
      'Rename one, or put one inside <Namespace name="…">.',
    ]);
    const twice = await failureOf(
      <Agent>
        <Tool name="a" value={echo} />
        <Agent>
          <Inherit capabilities={["a"]} />
          <Inherit capabilities={["a"]} />
        </Agent>
      </Agent>,
    );
    expect(twice.code).toBe("tool-name-collision");
  });

  it("C33 only tools cross: no model, instructions, conversation or setting", async () => {
    const failure = await failureOf(
      <Agent model={echoModel()}>
        <Tool name="a" value={echo} />
        <Agent>
          <Inherit capabilities={["a"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
      { model: undefined as never },
    );
    expect(failure.code).toBe("no-model");
    const inner = echoModel();
    await run(
      <Agent model={echoModel()} instructions="Outer instructions" temperature={0.7} toolChoice="required">
        <Tool name="a" value={echo} />
        <Agent model={inner}>
          <Inherit capabilities={["a"]} />
          <Step id="inner" prompt="inner prompt" />
        </Agent>
      </Agent>,
    );
    const { prompt, options } = inner.calls[0]!;
    expect(prompt.map(({ role }) => role)).toEqual(["user"]);
    expect(options.temperature).toBeUndefined();
    expect(options.toolChoice).not.toMatchObject({ type: "required" });
  });

  it("C33 its context crosses with it, and no context of another tool", async () => {
    const contexts: Record<string, unknown> = {};
    const secret = tool({
      description: "Uses a key",
      inputSchema: z.object({}),
      contextSchema: z.object({ key: z.string() }),
      execute: (_, { context }) => {
        contexts["secret"] = context;
        return "ok";
      },
    });
    const plain = tool({
      description: "Uses none",
      inputSchema: z.object({}),
      execute: (_, { context }) => {
        contexts["plain"] = context;
        return "ok";
      },
    });
    const model = scriptedModel([{ calls: [{ name: "n_secret" }, { name: "other" }] }, "done"]);
    await run(
      <Agent model={model} toolsContext={{ secret: { key: "parent" }, other: { key: "not for the child" } }}>
        <Tool name="secret" value={secret} />
        <Tool name="other" value={secret} />
        <Agent model={model}>
          <Namespace name="n">
            <Inherit capabilities={["secret"]} />
          </Namespace>
          <Tool name="other" value={plain} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(contexts).toEqual({ secret: { key: "parent" }, plain: undefined });
  });

  it("C33 a context the parent gave cannot be replaced; one it did not give can be given", async () => {
    const nested = (toolsContext: Record<string, unknown>): JuneNode => (
      <Agent /* replacing */ toolsContext={toolsContext}>
        <Inherit capabilities={["a", "b"]} />
      </Agent>
    );
    const parent = (inner: JuneNode): JuneNode => (
      <Agent toolsContext={{ a: { key: 1 } }}>
        <Tool name="a" value={echo} />
        <Tool name="b" value={echo} />
        {inner}
      </Agent>
    );
    expect(await failureOf(<>{parent(nested({ a: { key: 2 } }))}</>)).toEqual({
      name: "DeclarationError",
      code: "granted-tools-context",
      lines: [
        `june: toolsContext of <Agent> (${here("replacing")}) gives a context to "a", which was inherited together with the parent's context`,
        "Take the entry out: an inherited tool keeps the context its parent gave it.",
      ],
      modelCalls: 0,
    });
    expect((await toolNames(<>{parent(nested({ b: { key: 2 } }))}</>))[1]).toEqual(["a", "b"]);
  });

  it("C33 the parent's rule for the tool crosses with it, under the parent's name, and no rule for another", async () => {
    const asked: (readonly [string, string])[] = [];
    const seenByRule: string[] = [];
    const model = scriptedModel([{ calls: [{ name: "n_a" }, { name: "b" }] }, "done"]);
    const rules = (toolApproval: "map" | "function") =>
      toolApproval === "map"
        ? ({ a: "user-approval", b: "user-approval" } as const)
        : ({ toolCall }: { toolCall: { toolName: string } }) => {
            seenByRule.push(toolCall.toolName);
            return toolCall.toolName === "a" ? ("user-approval" as const) : undefined;
          };
    for (const form of ["map", "function"] as const) {
      await run(
        <Agent toolApproval={rules(form)}>
          <Tool name="a" value={saying("a")} />
          <Tool name="b" value={saying("b")} />
          <Agent model={form === "map" ? model : scriptedModel([{ calls: [{ name: "n_a" }, { name: "b" }] }, "done"])}>
            <Namespace name="n">
              <Inherit capabilities={["a"]} />
            </Namespace>
            <Tool name="b" value={saying("own b")} />
            <Step id="s" prompt="go" />
          </Agent>
        </Agent>,
        {
          model,
          onRequest: (request) => {
            asked.push([form, request.tool]);
            return { approved: true };
          },
        },
      );
    }
    expect(asked).toEqual([
      ["map", "n_a"],
      ["function", "n_a"],
    ]);
    expect(seenByRule).toEqual(["a"]);
  });
});
