/** What `<Namespace>` and `<RequireApproval>` do to what stands inside them: C35 and C37. What becomes of a call that waits is tested with approvals. Long because whole trees and messages stand in it. */

import { describe, expect, it } from "vitest";
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
import { agreedFailureOf, failureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { agentNodes, sources, toolNames } from "../support/scopes.js";
import { echo, provided, saying } from "../support/tools.js";

const here = marksIn(import.meta.url);
const Shell = defineToolset({ name: "Shell", tools: () => ({ run: saying("ran") }) });
const Files = defineCapabilities(() => <Tool name="read" value={saying("read")} />, { name: "Files" });
const Helper = defineAgent({
  name: "helper",
  description: "Help",
  input: z.object({}),
  prompt: () => "help",
  model: scriptedModel(() => "helped"),
});
const everything = (
  <>
    <Tool name="say" value={saying("said")} />
    <Tool name="work" description="Work" input={z.object({})}>
      {() => "worked"}
    </Tool>
    <Shell />
    {[<Files key="files" />]}
    <Helper />
  </>
);
const names = ["say", "work", "run", "read", "helper"];

/** The tools of an agent that wait, in order. */
async function waiting(children: JuneNode): Promise<string[]> {
  const [agent] = await agentNodes(<Agent>{children}</Agent>);
  return (agent?.waits ?? []).map(({ name }) => name);
}

describe("<Namespace>", () => {
  it("C35 puts its name and _ in front of every name inside, and calls reach the tools as before", async () => {
    const called = names.map((name) => `n_${name}`);
    const model = scriptedModel([
      { calls: called.map((name) => ({ name })) },
      { text: "done", expect: { tools: called, results: ["said", "worked", "ran", "read", "helped"] } },
    ]);
    const { output } = await run(
      <Agent model={model}>
        <Namespace name="n">{everything}</Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(output).toBe("done");
  });

  it("C35 nests, innermost first: the outermost name stands in front", async () => {
    expect(
      await sources(
        <Agent>
          <Namespace name="a">
            <Namespace name="b">
              <Tool name="tool" value={echo} />
            </Namespace>
            <Tool name="tool" value={echo} />
          </Namespace>
        </Agent>,
      ),
    ).toEqual({
      a_b_tool: '<Tool name="tool"> in <Namespace name="a"> > <Namespace name="b">',
      a_tool: '<Tool name="tool"> in <Namespace name="a">',
    });
  });

  it("C35 its name is a letter, then letters, digits and hyphens", async () => {
    expect(
      await toolNames(
        <Agent>
          {["a", "A9", "git-hub", "x--"].map((name) => (
            <Namespace key={name} name={name}>
              <Tool name="t" value={echo} />
            </Namespace>
          ))}
        </Agent>,
      ),
    ).toEqual([["a_t", "A9_t", "git-hub_t", "x--_t"]]);
    for (const name of ["", "1a", "-a", "a_b", "a.b", "a b", "é", "a\n", "constructor_"])
      expect(
        await failureOf(
          <Agent>
            <Namespace /* named */ name={name}>
              <Tool name="t" value={echo} />
            </Namespace>
          </Agent>,
        ),
      ).toEqual({
        name: "DeclarationError",
        code: "invalid-props",
        lines: [
          `june: <Namespace name=${JSON.stringify(name)}> (${here("named")}) got ${name === "" ? "empty text" : "text"} as name`,
          "name is a letter followed by letters, digits and hyphens.",
        ],
        modelCalls: 0,
      });
  });

  it("C35 wrong props are named", async () => {
    const wrong: [JuneElement, string, string][] = [
      [
        createElement(Namespace, {}),
        "june: <Namespace> needs the prop name",
        "name is a letter followed by letters, digits and hyphens.",
      ],
      [
        createElement(Namespace, { name: "a", prefix: "b" }),
        'june: <Namespace name="a"> has no prop "prefix"',
        'It has "children", "name".',
      ],
      [
        createElement(RequireApproval, { reason: "" }),
        "june: <RequireApproval> got empty text as reason",
        "reason is text that is not empty.",
      ],
      [
        createElement(RequireApproval, { because: "policy" }),
        'june: <RequireApproval> has no prop "because"',
        'It has "children", "reason".',
      ],
    ];
    for (const [wrapper, headline, cure] of wrong)
      expect((await failureOf(<Agent>{wrapper}</Agent>)).lines).toEqual([headline, cure]);
  });
});

describe("<RequireApproval>", () => {
  it("C35 makes every tool inside wait, whatever it is", async () => {
    expect(await waiting(<RequireApproval>{everything}</RequireApproval>)).toEqual(names);
  });

  it("C35 the person reads every reason, in the order of the source", async () => {
    const reasons: (string | undefined)[] = [];
    await run(
      <Agent model={scriptedModel([{ calls: [{ name: "say" }] }, "done"])}>
        <RequireApproval reason="outer policy">
          <RequireApproval>
            <RequireApproval reason="inner policy">
              <Tool name="say" value={saying("hi")} />
            </RequireApproval>
          </RequireApproval>
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
      {
        onRequest: ({ reason }) => {
          reasons.push(reason);
          return { approved: true };
        },
      },
    );
    expect(reasons).toEqual(["outer policy; inner policy"]);
  });

  it("C35 governs only what it contains", async () => {
    expect(
      await waiting(
        <>
          <Tool name="before" value={echo} />
          <RequireApproval>
            <Tool name="inside" value={echo} />
          </RequireApproval>
          <Tool name="after" value={echo} />
        </>,
      ),
    ).toEqual(["inside"]);
  });
});

describe("wrappers together", () => {
  it("C35 apply from the innermost outwards, and each sees what the ones inside made", async () => {
    const [agent] = await agentNodes(
      <Agent>
        <RequireApproval>
          <Namespace name="a">
            <Files />
          </Namespace>
        </RequireApproval>
        <Namespace name="b">
          <RequireApproval>
            <Files />
          </RequireApproval>
          <Shell />
        </Namespace>
      </Agent>,
    );
    expect(agent?.capabilities).toEqual([
      { name: "a_read", source: '<Tool name="read"> in <RequireApproval> > <Namespace name="a"> > <Files>' },
      { name: "b_read", source: '<Tool name="read"> in <Namespace name="b"> > <RequireApproval> > <Files>' },
      { name: "b_run", source: '<Shell> in <Namespace name="b">' },
    ]);
    expect(agent?.waits?.map(({ name }) => name)).toEqual(["a_read", "b_read"]);
  });

  it("C35 hold only capabilities", async () => {
    const Own = (): JuneNode => <Files />;
    const own =
      "Put it among the <Agent>'s children, or make it a bundle with defineCapabilities() if it declares capabilities.";
    const step = <Step /* held */ id="a" prompt="go" />;
    const wrong: [JuneNode, string, string][] = [
      [step, `<Step id="a"> (${here("held")})`, "Put it among the <Agent>'s children."],
      [<>{[step]}</>, `<Step id="a"> (${here("held")})`, "Put it among the <Agent>'s children."],
      [<Agent /* inner */ name="x" />, `<Agent name="x"> (${here("inner")})`, "Put it among the <Agent>'s children."],
      [<Own /* own */ />, `the component <Own> (${here("own")})`, own],
      ["text", 'the text "text"', "Put text into a step's prompt."],
      [0, "the number 0", "A number is text: write {list.length > 0 && …} instead of {list.length && …}."],
      [Promise.resolve(<Files />), "a promise", "What has to wait belongs in defineToolset({ key, open })."],
    ];
    for (const [content, found, cure] of wrong) {
      const inNamespace = (
        <Agent>
          <Namespace /* namespace */ name="n">{content}</Namespace>
        </Agent>
      );
      const inApproval = (
        <Agent>
          <RequireApproval /* approval */>{content}</RequireApproval>
        </Agent>
      );
      for (const [tree, container] of [
        [inNamespace, `<Namespace name="n"> (${here("namespace")})`],
        [inApproval, `<RequireApproval> (${here("approval")})`],
      ] as const) {
        const expected = {
          name: "DeclarationError",
          code: "capability-content",
          lines: [`june: ${container} holds ${found}, but only capabilities can stand there`, cure],
          modelCalls: 0,
        };
        expect(await agreedFailureOf(tree)).toEqual(expected);
      }
    }
  });

  it("C35 may be empty", async () => {
    expect(
      await toolNames(
        <Agent>
          <Namespace name="n" />
          <RequireApproval>{null}</RequireApproval>
        </Agent>,
      ),
    ).toEqual([undefined]);
  });

  it("C35 stop at a nested agent: neither its own tools nor those of an agent behind a tool are renamed or held", async () => {
    const inner = echoModel();
    const Deep = defineAgent({
      name: "deep",
      description: "Deep",
      input: z.object({}),
      prompt: () => "go",
      model: inner,
      capabilities: () => <Files />,
    });
    const model = scriptedModel([{ calls: [{ name: "n_work" }, { name: "n_deep" }] }, "done"]);
    const { trace } = await run(
      <Agent model={model}>
        <Namespace name="n">
          <RequireApproval>
            <Deep />
            <Tool name="work" description="Work" input={z.object({})}>
              {() => (
                <Agent model={inner}>
                  <Files />
                  <Step id="a" prompt="go" />
                </Agent>
              )}
            </Tool>
          </RequireApproval>
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
      { onRequest: () => ({ approved: true }) },
    );
    expect(inner.calls.map(({ tools }) => tools)).toEqual([["read"], ["read"]]);
    expect(JSON.stringify(trace).match(/"waits":/g)).toHaveLength(1);
  });

  it("C35 an agent that has resolved already is not altered by a wrapper rendered later", async () => {
    const outer = echoModel();
    const tools = <Tool name="t" value={echo} />;
    const { trace } = await run(
      <Agent model={outer}>
        {tools}
        <Step id="a" prompt="go">
          {() => (
            <Agent model={outer}>
              <Namespace name="n">
                <RequireApproval>{tools}</RequireApproval>
              </Namespace>
            </Agent>
          )}
        </Step>
        <Step id="b" prompt="go" />
      </Agent>,
    );
    expect(outer.calls.map((call) => call.tools)).toEqual([["t"], ["t"]]);
    expect(trace.root.children[0]).not.toHaveProperty("waits");
  });

  it("C35 10,000 approvals around a tool are one question", async () => {
    let held: JuneNode = <Tool name="t" value={saying("hi")} />;
    for (let depth = 0; depth < 10_000; depth++) held = <RequireApproval>{held}</RequireApproval>;
    let asked = 0;
    await run(
      <Agent model={scriptedModel([{ calls: [{ name: "t" }] }, "done"])}>
        {held}
        <Step id="a" prompt="go" />
      </Agent>,
      {
        onRequest: () => {
          asked++;
          return { approved: true };
        },
      },
    );
    expect(asked).toBe(1);
  });
});

describe("a tool of the provider's", () => {
  it("C37 cannot be held: inside <RequireApproval> it is refused, however deep, before any model call", async () => {
    const Search = defineCapabilities(() => <Tool /* search */ name="search" value={provided} />, { name: "Search" });
    const tree = (
      <Agent>
        <RequireApproval reason="policy">
          <Namespace name="web">
            <Search />
          </Namespace>
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>
    );
    const expected = {
      name: "DeclarationError",
      code: "provider-tool-approval",
      lines: [
        'june: <RequireApproval> cannot hold the tool "web_search": the provider runs it itself, before June sees the call',
        `  <Tool name="search"> in <RequireApproval> > <Namespace name="web"> > <Search>      ${here("search")}`,
        "Take the rule away, or use a tool that runs in your process.",
      ],
      modelCalls: 0,
    };
    expect(await agreedFailureOf(tree)).toEqual(expected);
  });

  it("C37 nor by a setting that names it; one function over every tool is not asked about it", async () => {
    for (const toolApproval of [
      { search: "user-approval" },
      { search: "denied" },
      { search: () => undefined },
    ] as const)
      expect(await failureOf(<Agent tools={{ search: provided }} toolApproval={toolApproval} />)).toMatchObject({
        code: "provider-tool-approval",
      });
    const [agent] = await agentNodes(
      <Agent tools={{ search: provided, own: echo }} toolApproval={() => "user-approval"} />,
    );
    expect(agent?.waits).toEqual([{ name: "own", because: "toolApproval()" }]);
    const [approved] = await agentNodes(<Agent tools={{ search: provided }} toolApproval={{ search: "approved" }} />);
    expect(approved).not.toHaveProperty("waits");
  });

  it("C37 one that the provider only defines and this process runs can be held", async () => {
    const local = { ...provided, isProviderExecuted: false, execute: () => "ran here" } as typeof provided;
    expect(
      await waiting(
        <RequireApproval>
          <Tool name="local" value={local} />
        </RequireApproval>,
      ),
    ).toEqual(["local"]);
    expect(await inspect(<Agent tools={{ search: provided }} />)).toHaveLength(1);
  });
});
