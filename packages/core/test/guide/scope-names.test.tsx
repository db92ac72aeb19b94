/** The names of a scope: unique, legal and not too many, C5 to C7. Long because whole trees and whole messages stand in it. */

import type { Tool as SdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
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
import { failureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { agentNodes, reports, toolNames } from "../support/scopes.js";
import { echo, saying } from "../support/tools.js";

const here = marksIn(import.meta.url);
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `t${String(index + 1).padStart(3, "0")}`);

describe("names are unique", () => {
  const cure = 'Rename one, or put one inside <Namespace name="…">.';
  const search = saying("search");
  const Web = defineCapabilities(() => <Tool /* in web */ name="search" value={search} />, { name: "Web" });
  const Shell = defineToolset({
    name: "Shell",
    label: ({ at }: { at: string; secret?: string }) => ({ at }),
    tools: () => ({ search }),
  });
  const Finder = defineAgent({
    name: "search",
    description: "Find things",
    input: z.object({}),
    prompt: () => "find",
  });

  it("C5 names both declarations, each with its bundles and wrappers, its original name and its place", async () => {
    const failure = await failureOf(
      <Agent /* colliding */ name="triage">
        <Tool /* first */ name="web_search" value={search} />
        <Namespace name="web">
          <RequireApproval reason="secret reason">
            <Web />
          </RequireApproval>
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(failure).toEqual({
      name: "DeclarationError",
      code: "tool-name-collision",
      lines: [
        `june: two capabilities expose the tool "web_search" in <Agent name="triage"> (${here("colliding")})`,
        `  <Tool name="web_search">                                                        ${here("first")}`,
        `  <Tool name="search"> in <Namespace name="web"> > <RequireApproval> > <Web>      ${here("in web")}`,
        cure,
      ],
      modelCalls: 0,
    });
  });

  it("C5 whatever brought them: every pair of a tool, bundle, toolset, wrapper, grant, callable agent and prop", async () => {
    const ways: Record<string, JuneNode> = {
      '<Tool name="search">': <Tool name="search" value={search} />,
      '<Tool name="search"> in <Web>': <Web />,
      '<Shell at="home"> (its tool "search")': <Shell at="home" secret="s3cr3t" />,
      '<Tool name="search"> in <RequireApproval>': (
        <RequireApproval>
          <Tool name="search" value={search} />
        </RequireApproval>
      ),
      '<Inherit capabilities={["search"]}>': <Inherit capabilities={["search"]} />,
      "<search>": <Finder />,
      "a composite": (
        <Tool name="search" description="Search" input={z.object({})}>
          {() => null}
        </Tool>
      ),
    };
    for (const [first, one] of Object.entries(ways))
      for (const [second, other] of Object.entries(ways)) {
        const failure = await failureOf(
          <Agent>
            <Tool name="search" value={search} />
            <Agent>
              {one}
              {other}
            </Agent>
          </Agent>,
        );
        expect(failure).toMatchObject({ code: "tool-name-collision", modelCalls: 0 });
        const shown = [first, second].map((label) => (label === "a composite" ? '<Tool name="search">' : label));
        expect(failure.lines.slice(1, 3).map((line) => line.trim().replace(/ +\S+:\d+$/, ""))).toEqual(shown);
        expect(failure.lines.join()).not.toContain("s3cr3t");
      }
  });

  it("case 4 a tool beside a bundle or a prop of the same name, in either order", async () => {
    const direct = <Tool name="search" value={search} />;
    const labels = async (agent: JuneElement): Promise<string[]> => {
      const failure = await failureOf(agent);
      expect(failure).toMatchObject({ code: "tool-name-collision", modelCalls: 0 });
      return failure.lines.slice(1, 3).map((line) => line.trim().replace(/ +\S+:\d+$/, ""));
    };
    const step = <Step id="a" prompt="go" />;
    expect(await labels(<Agent>{[direct, <Web key="w" />, step]}</Agent>)).toEqual([
      '<Tool name="search">',
      '<Tool name="search"> in <Web>',
    ]);
    expect(await labels(<Agent>{[<Web key="w" />, direct, step]}</Agent>)).toEqual([
      '<Tool name="search"> in <Web>',
      '<Tool name="search">',
    ]);
    const fromProp = ["tools={{ search }}", '<Tool name="search">'];
    expect(await labels(<Agent tools={{ search }}>{[direct, step]}</Agent>)).toEqual(fromProp);
    expect(await labels(<Agent tools={{ search }}>{[step, direct]}</Agent>)).toEqual(fromProp);
    expect(await labels(<Agent tools={{ search }}>{[<Web key="w" />, step]}</Agent>)).toEqual([
      "tools={{ search }}",
      '<Tool name="search"> in <Web>',
    ]);
  });

  it("C5 compares the exposed names: a namespace makes room, and can also take it", async () => {
    expect(
      await toolNames(
        <Agent>
          <Web />
          <Namespace name="a">
            <Web />
          </Namespace>
        </Agent>,
      ),
    ).toEqual([["search", "a_search"]]);
    const failure = await failureOf(
      <Agent>
        <Namespace name="a">
          <Tool name="b_c" value={search} />
          <Namespace name="b">
            <Tool name="c" value={search} />
          </Namespace>
        </Namespace>
      </Agent>,
    );
    expect(failure.code).toBe("tool-name-collision");
    expect(failure.lines[0]).toContain('expose the tool "a_b_c"');
  });

  it("C5 leaves the agents before it their calls: the collision of a nested agent fails when that agent comes", async () => {
    const failure = await failureOf(
      <Agent>
        <Step id="before" prompt="go" />
        <Agent>
          <Web />
          <Web />
          <Step id="never" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(failure).toMatchObject({ code: "tool-name-collision", modelCalls: 1 });
  });

  it("C5 names that differ in case only are allowed, and reported in the trace and by an inspection", async () => {
    const tree = (
      <Agent>
        <Tool name="readFile" value={echo} />
        <Tool name="readfile" value={echo} />
        <Tool name="READFILE" value={echo} />
        <Tool name="read-file" value={echo} />
      </Agent>
    );
    const [agent] = await agentNodes(tree);
    expect(agent?.notes).toEqual([
      { code: "tool-name-lookalike", text: '"readFile" and "readfile" differ in case only' },
      { code: "tool-name-lookalike", text: '"readFile" and "READFILE" differ in case only' },
    ]);
    const [report] = await reports(tree);
    expect(report?.warnings).toEqual([
      'tool-name-lookalike: "readFile" and "readfile" differ in case only',
      'tool-name-lookalike: "readFile" and "READFILE" differ in case only',
    ]);
    const [quiet] = await agentNodes(<Agent tools={{ a: echo, b: echo }} />);
    expect(quiet?.notes).toBeUndefined();
  });
});

describe("legal names", () => {
  const limits =
    "A name is 1 to 64 letters, digits, _ and -, and starts with a letter. Rename the tool or shorten a namespace.";

  it("C6 a letter, then letters, digits, _ and -, 64 characters in all", async () => {
    const longest = `a${"b".repeat(63)}`;
    expect(
      await toolNames(
        <Agent>
          {["a", "Z", "a-b_c9", longest].map((name) => (
            <Tool key={name} name={name} value={echo} />
          ))}
        </Agent>,
      ),
    ).toEqual([["a", "Z", "a-b_c9", longest]]);
  });

  it("C6 anything else is refused with the name, its length, the limit and the source", async () => {
    const illegal = [
      "1a",
      "_a",
      "-a",
      "a.b",
      "a/b",
      "a b",
      "a\n",
      "é",
      "a:b",
      "äb",
      "ａ",
      "a\u0000",
      `a${"b".repeat(64)}`,
    ];
    for (const name of illegal) {
      expect(
        await failureOf(
          <Agent /* illegal */>
            <Tool /* name */ name={name} value={echo} />
          </Agent>,
        ),
      ).toEqual({
        name: "DeclarationError",
        code: "tool-name-invalid",
        lines: [
          `june: ${JSON.stringify(name)} in <Agent> (${here("illegal")}) is no legal tool name (${name.length} characters)`,
          `  <Tool name=${JSON.stringify(name)}>      ${here("name")}`,
          limits,
        ],
        modelCalls: 0,
      });
    }
  });

  it("case 1 names that a server may give but a provider refuses never reach a model", async () => {
    const Notes = defineToolset({
      name: "Notes",
      key: () => "notes",
      open: async () => ({ tools: { "notes.read": echo, "notes/list": echo, ok: echo } }),
    });
    const failure = await failureOf(
      <Agent>
        <Notes /* server */ />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(failure).toMatchObject({ code: "tool-name-invalid", modelCalls: 0 });
    expect(failure.lines[1]).toBe(`  <Notes> (its tool "notes.read")      ${here("server")}`);
  });

  it("case 2 C6 a namespace that makes a name too long is told with the parts, and exactly 64 characters work", async () => {
    const long = "get_reserved_instance_utilization_by_region";
    const around = (name: string): JuneElement => (
      <Agent /* billing */>
        <Namespace name={name}>
          <Tool /* reserved */ name={long} value={echo} />
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>
    );
    expect(await failureOf(around("billing-cost-management"))).toEqual({
      name: "DeclarationError",
      code: "tool-name-invalid",
      lines: [
        `june: "billing-cost-management_${long}" in <Agent> (${here("billing")}) is no legal tool name (67 characters)`,
        `  <Tool name="${long}"> in <Namespace name="billing-cost-management">      ${here("reserved")}`,
        `It is made of "billing-cost-management_" of <Namespace name="billing-cost-management"> + "${long}" of <Tool name="${long}">.`,
        limits,
      ],
      modelCalls: 0,
    });
    const exact = `billing-cost-managem_${long}`;
    expect(exact).toHaveLength(64);
    const model = echoModel();
    await run(around("billing-cost-managem"), { model });
    expect(model.calls[0]?.tools).toEqual([exact]);
  });

  it("case 5 C6 128 tools are taken, 129 fail with the count for each source", async () => {
    const Many = defineCapabilities(
      ({ count }: { count: number }) => (
        <>
          {names(count).map((name) => (
            <Tool key={name} name={name} value={echo} />
          ))}
        </>
      ),
      { name: "Many" },
    );
    const model = echoModel();
    await run(
      <Agent model={model}>
        <Many count={128} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(model.calls[0]?.tools).toEqual(names(128));
    const Shell = defineToolset({ name: "Shell", tools: () => ({ a: echo, b: echo }) });
    expect(
      await failureOf(
        <Agent /* crowded */ tools={{ own: echo }}>
          <Many count={124} />
          <Tool name="x" value={echo} />
          <Tool name="y" value={echo} />
          <Namespace name="n">
            <Shell />
          </Namespace>
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    ).toEqual({
      name: "DeclarationError",
      code: "too-many-tools",
      lines: [
        `june: <Agent> (${here("crowded")}) declares 129 tools, more than 128`,
        "  124 from <Many>",
        "  3 from the agent's own children",
        '  2 from <Shell> in <Namespace name="n">',
        "Declare fewer, split the agent, or set maxTools on the <Agent> if its model takes more.",
      ],
      modelCalls: 0,
    });
  });

  it("C6 maxTools moves the limit, both ways", async () => {
    const tools = Object.fromEntries(names(129).map((name) => [name, echo]));
    expect(await toolNames(<Agent tools={tools} maxTools={129} />)).toEqual([undefined]);
    const failure = await failureOf(<Agent tools={{ a: echo, b: echo }} maxTools={1} />);
    expect(failure.code).toBe("too-many-tools");
    expect(failure.lines[0]).toMatch(/declares 2 tools, more than 1$/);
  });

  it("C7 constructor, toString and hasOwnProperty are names like any other", async () => {
    const special = ["constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
    const model = scriptedModel([
      { calls: special.map((name) => ({ name })) },
      { text: "done", expect: { results: special, tools: special } },
      { text: "done", expect: { tools: ["toString"] } },
    ]);
    const agents = await agentNodes(
      <Agent model={model}>
        {special.map((name) => (
          <Tool key={name} name={name} value={saying(name)} />
        ))}
        <Step id="a" prompt="go" />
        <Agent model={model}>
          <Inherit capabilities={["toString"]} />
          <Step id="b" prompt="go" />
        </Agent>
      </Agent>,
    );
    expect(agents[1]?.capabilities).toEqual([
      {
        name: "toString",
        source: '<Inherit capabilities={["toString"]}>',
        granted: '<Tool name="toString"> in the enclosing <Agent>',
      },
    ]);
  });

  it("C7 none of them is there unless it is declared", async () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      const failure = await failureOf(
        <Agent>
          <Agent>
            <Inherit capabilities={[name]} />
          </Agent>
        </Agent>,
      );
      expect(failure.code).toBe("inherit-unknown");
    }
    const failure = await failureOf(<Agent toolApproval={JSON.parse('{ "constructor": "user-approval" }')} />);
    expect(failure.code).toBe("unknown-tool-name");
  });

  it("C7 __proto__ falls to C6, from a tag and from a set", async () => {
    const tools = JSON.parse('{ "__proto__": 1 }') as Record<string, SdkTool>;
    Object.defineProperty(tools, "__proto__", { value: echo, enumerable: true });
    for (const tree of [
      <Agent>
        <Tool name="__proto__" value={echo} />
      </Agent>,
      <Agent tools={tools} />,
    ])
      expect(await failureOf(tree)).toMatchObject({ code: "tool-name-invalid", modelCalls: 0 });
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});
