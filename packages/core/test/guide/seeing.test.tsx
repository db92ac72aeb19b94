/** What a trace and an inspection say about what an agent has, and why: C60 to C62. Long because whole listings stand in it. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
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
  defineTool,
  defineToolset,
  inspect,
  type InspectedNode,
  type JuneElement,
  type JuneNode,
} from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { agreedFailureOf, failureOf, inspectionFailureOf } from "../support/failure-of.js";
import { marksIn } from "../support/marks.js";
import { agentNodes, reports } from "../support/scopes.js";
import { echo, guarded, provided, saying } from "../support/tools.js";

const here = marksIn(import.meta.url);
const lookUp = defineTool({
  name: "look_up",
  description: "Look an order up",
  input: z.object({ order: z.string() }),
  execute: () => "found",
});
const Shell = defineToolset({
  name: "Shell",
  label: ({ at }: { at: string; token: string }) => ({ at }),
  tools: () => ({ run: echo }),
});
const Remote = defineToolset({
  name: "Remote",
  label: ({ name }: { name: string; token?: string; opened?: () => void }) => ({ name }),
  key: ({ name }) => name,
  open: async ({ name, opened }) => {
    opened?.();
    return { tools: { [`${name}_tool`]: echo } };
  },
});
const Researcher = defineAgent({
  name: "researcher",
  description: "Research",
  input: z.object({}),
  prompt: () => "go",
  capabilities: ({ token }: { token?: string }) => (token === "" ? null : <Inherit capabilities={["say"]} />),
});
const Kit = defineCapabilities(
  ({ token }: { token: string }) => (
    <Namespace name="kit">
      <Shell at="home" token={token} />
    </Namespace>
  ),
  { name: "Kit" },
);

/** An agent with a tool of every origin, and secrets in every prop that holds one. */
const everything = (
  <Agent
    name="outer"
    tools={{ prop: echo }}
    toolsContext={{ prop: { key: "s3cr3t-1" } }}
    toolApproval={{ say: "user-approval", prop: () => undefined, held: "user-approval" }}
    headers={{ authorization: "s3cr3t-2" }}
  >
    <Tool name="say" value={saying("s3cr3t-3")} />
    <Tool use={lookUp} />
    <Tool use={lookUp} as="find" />
    <Tool name="work" description="s3cr3t-4" input={z.object({})}>
      {() => "s3cr3t-5"}
    </Tool>
    <Kit token="s3cr3t-6" />
    <Remote name="linear" token="s3cr3t-7" />
    <Researcher name="research" token="s3cr3t-8" />
    <RequireApproval reason="s3cr3t-9">
      <Namespace name="git">
        <Tool name="push" value={guarded} />
      </Namespace>
      <Tool name="held" value={echo} />
    </RequireApproval>
    <Agent name="inner">
      <Namespace name="in">
        <Inherit capabilities={["say", "work", "kit_run", "linear_tool", "prop"]} />
      </Namespace>
    </Agent>
  </Agent>
);
const outerCapabilities = [
  { name: "prop", source: "tools={{ prop }}" },
  { name: "say", source: '<Tool name="say">' },
  { name: "look_up", source: "<Tool use={look_up}>" },
  { name: "find", source: "<Tool use={look_up}>" },
  { name: "work", source: '<Tool name="work">', composite: true },
  { name: "kit_run", source: '<Shell at="home"> in <Kit> > <Namespace name="kit">' },
  { name: "linear_tool", source: '<Remote name="linear">' },
  { name: "research", source: "<researcher>", composite: true },
  { name: "git_push", source: '<Tool name="push"> in <RequireApproval> > <Namespace name="git">' },
  { name: "held", source: '<Tool name="held"> in <RequireApproval>' },
];
const inherit = '<Inherit capabilities={["say", "work", "kit_run", "linear_tool", "prop"]}> in <Namespace name="in">';
const innerCapabilities = [
  { name: "in_say", source: inherit, granted: '<Tool name="say"> in the enclosing <Agent>' },
  { name: "in_work", source: inherit, composite: true, granted: '<Tool name="work"> in the enclosing <Agent>' },
  {
    name: "in_kit_run",
    source: inherit,
    granted: '<Shell at="home"> in <Kit> > <Namespace name="kit"> in the enclosing <Agent>',
  },
  { name: "in_linear_tool", source: inherit, granted: '<Remote name="linear"> in the enclosing <Agent>' },
  { name: "in_prop", source: inherit, granted: "tools={{ prop }} in the enclosing <Agent>" },
];

describe("the trace", () => {
  it("C60 lists every tool in scope order with the declaration it came from, and what waits with the rules it waits for", async () => {
    const [outer, inner] = await agentNodes(everything);
    expect(outer?.capabilities).toEqual(outerCapabilities);
    expect(outer?.waits).toEqual([
      { name: "prop", because: "toolApproval()" },
      { name: "say", because: "toolApproval" },
      { name: "git_push", because: "needsApproval, <RequireApproval>" },
      { name: "held", because: "<RequireApproval>, toolApproval" },
    ]);
    expect(inner?.capabilities).toEqual(innerCapabilities);
    expect(inner?.waits).toEqual([
      { name: "in_say", because: "toolApproval" },
      { name: "in_prop", because: "toolApproval()" },
    ]);
  });

  it("C60 is plain JSON with these keys only, and holds no other prop, tool or function", async () => {
    const nodes = await agentNodes(everything);
    const text = JSON.stringify(nodes);
    expect(text).not.toContain("s3cr3t");
    for (const { capabilities = [], waits = [] } of nodes) {
      expect(JSON.parse(JSON.stringify(capabilities))).toEqual(capabilities);
      const keys = new Set(capabilities.flatMap((capability) => Object.keys(capability)));
      expect([...keys].filter((key) => !["name", "source", "composite", "granted"].includes(key))).toEqual([]);
      for (const wait of waits) expect(Object.keys(wait)).toEqual(["name", "because"]);
    }
  });

  it("C60 a tool that is always denied does not wait, and neither does one the provider runs", async () => {
    const [agent] = await agentNodes(
      <Agent
        tools={{ provided }}
        toolApproval={({ toolCall }) => (toolCall.toolName === "never" ? "denied" : undefined)}
      >
        <Tool name="asked" value={guarded} />
      </Agent>,
    );
    expect(agent?.waits).toEqual([{ name: "asked", because: "needsApproval, toolApproval()" }]);
    const [denying] = await agentNodes(
      <Agent toolApproval={{ a: "denied", b: { type: "denied", reason: "not today" }, c: "approved" }}>
        <Tool name="a" value={guarded} />
        <RequireApproval>
          <Tool name="b" value={echo} />
        </RequireApproval>
        <Tool name="c" value={guarded} />
      </Agent>,
    );
    expect(denying?.waits).toEqual([{ name: "c", because: "needsApproval" }]);
  });

  it("C60 says nothing where there is nothing to say", async () => {
    const [agent] = await agentNodes(<Agent />);
    expect(agent).not.toHaveProperty("capabilities");
    expect(agent).not.toHaveProperty("waits");
    expect(agent).not.toHaveProperty("notes");
  });

  it("C60 names go in as JSON text, whatever they hold", async () => {
    const failure = await failureOf(
      <Agent name={'a"b'}>
        <Tool name={'x"y'} value={echo} />
      </Agent>,
    );
    expect(failure.lines.slice(0, 2).join()).toContain('<Agent name="a\\"b">');
    expect(failure.lines.slice(0, 2).join()).toContain('<Tool name="x\\"y">');
  });
});

/** The nodes of an inspection as an indented list of labels. */
function outline(nodes: readonly InspectedNode[], indent = ""): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === "unknown") return [`${indent}${node.label}`];
    const label = node.kind === "agent" ? node.agent.label : node.label;
    return [`${indent}${label}`, ...outline(node.kind === "agent" ? node.agent.inside : node.inside, `${indent}  `)];
  });
}

describe("an inspection", () => {
  it("C61 says the same as the trace, for agents one would otherwise have to run", async () => {
    const Opened = ({ children }: { children: JuneNode }): JuneNode => children;
    const tree = (
      <Opened>
        <Agent name="outer" tools={{ prop: echo }} toolApproval={{ prop: "user-approval" }}>
          <Tool name="say" value={guarded} />
          <Kit token="s3cr3t" />
          <Researcher />
          <Agent name="inner">
            <Inherit capabilities={["say", "kit_run"]} />
          </Agent>
        </Agent>
      </Opened>
    );
    const [outer, inner] = await agentNodes(tree);
    const [outerReport, researcher, innerReport] = await reports(tree);
    expect(outerReport).toMatchObject({ capabilities: outer?.capabilities, waits: outer?.waits });
    expect(innerReport).toMatchObject({ capabilities: inner?.capabilities, waits: inner?.waits });
    expect(researcher).toMatchObject({
      label: "<researcher>",
      capabilities: [
        {
          name: "say",
          source: '<Inherit capabilities={["say"]}>',
          granted: '<Tool name="say"> in the enclosing <Agent>',
        },
      ],
      waits: [{ name: "say", because: "needsApproval" }],
    });
    expect(JSON.stringify([outerReport, innerReport])).not.toContain("s3cr3t");
  });

  it("C61 tells what each agent may still inherit, and where it stands", async () => {
    const tree = (
      <Agent name="outer">
        <Tool name="a" value={echo} />
        <Tool name="b" value={echo} />
        <Agent /* inner */ name="inner">
          <Namespace name="n">
            <Inherit capabilities={["b"]} />
          </Namespace>
          <Agent name="innermost" />
        </Agent>
      </Agent>
    );
    const [outer, inner, innermost] = await reports(tree);
    expect(outer?.inheritable).toEqual([]);
    expect(inner?.inheritable).toEqual(["a"]);
    expect(innermost?.inheritable).toEqual(["n_b"]);
    expect(inner?.source).toBe(here("inner"));
  });

  it("C61 runs components and bundles, and no tool, model or toolset", async () => {
    const ran: string[] = [];
    const Bundle = defineCapabilities(() => {
      ran.push("bundle");
      return <Tool name="tool" value={{ ...echo, execute: () => ran.push("tool") } as never} />;
    });
    const Async = async ({ children }: { children: JuneNode }): Promise<JuneNode> => {
      ran.push("component");
      await Promise.resolve();
      return children;
    };
    const model = scriptedModel(() => {
      ran.push("model");
      return "done";
    });
    const [node] = await inspect(
      <Async>
        <Agent
          model={model}
          prepareStep={() => void ran.push("prepareStep")}
          toolApproval={() => void ran.push("rule")}
        >
          <Bundle />
          <Remote name="linear" opened={() => ran.push("toolset")} />
          <Tool name="work" description="Work" input={z.object({})} output={() => ran.push("output")}>
            {() => {
              ran.push("composite");
              return null;
            }}
          </Tool>
          <Step id="a" prompt={() => `${ran.push("prompt")}`}>
            {() => {
              ran.push("child function");
              return null;
            }}
          </Step>
        </Agent>
      </Async>,
    );
    expect(ran).toEqual(["component", "bundle"]);
    expect(model.calls).toEqual([]);
    expect(node).toMatchObject({ kind: "component", label: "<Async>" });
  });

  it("C61 shows … where the rest would need one of them", async () => {
    const Ordered = async (): Promise<JuneNode> => {
      const order = await lookUp({ order: "A-17" });
      return <Agent name={String(order)} />;
    };
    const Itself: (props: object) => JuneElement = defineAgent({
      name: "itself",
      description: "Calls itself",
      input: z.object({}),
      prompt: () => "go",
      capabilities: () => <Itself />,
    });
    const nodes = await inspect(
      <Agent name="outer">
        <Tool name="work" description="Work" input={z.object({})}>
          {() => null}
        </Tool>
        <Itself />
        <Remote name="linear" />
        <Step id="a" prompt="go">
          {() => null}
        </Step>
        <Step id="b" prompt="go" />
        <Parallel>
          <Catch fallback={() => null}>
            <Agent name="tried" />
          </Catch>
          <Ordered />
          {Promise.resolve(<Agent name="promised" />)}
        </Parallel>
      </Agent>,
    );
    expect(outline(nodes)).toEqual([
      '<Agent name="outer">',
      '  … in <Tool name="work">',
      "  <itself>",
      "    … <itself> again",
      '  … after <Step id="a">',
      '  <Agent name="tried">',
      "  … fallback of <Catch>",
      "  … in <Ordered>, which calls look_up()",
      '  <Agent name="promised">',
    ]);
    const [report] = nodes.flatMap((node) => (node.kind === "agent" ? [node.agent] : []));
    expect(report?.unopened).toEqual(['<Remote name="linear">']);
  });

  it("C61 leaves open what a toolset that is not opened may bring", async () => {
    const tree = (
      <Agent toolApproval={{ linear_tool: "user-approval" }} activeTools={["linear_tool"]}>
        <Remote name="linear" />
        <Tool name="known" value={echo} />
        <Agent>
          <Inherit capabilities={["linear_tool", "known"]} />
        </Agent>
      </Agent>
    );
    const [outer, inner] = await reports(tree);
    expect(outer?.capabilities).toEqual([{ name: "known", source: '<Tool name="known">' }]);
    expect(inner?.capabilities.map(({ name }) => name)).toEqual(["known"]);
    const [running, nested] = await agentNodes(tree);
    expect(running?.capabilities?.map(({ name }) => name)).toEqual(["linear_tool", "known"]);
    expect(nested?.waits).toEqual([{ name: "linear_tool", because: "toolApproval" }]);
  });

  it("C61 finds the mistakes a run would find, with the same words", async () => {
    const wrong: JuneElement[] = [
      <Agent key="1" tools={{ a: echo }}>
        <Tool name="a" value={echo} />
      </Agent>,
      <Agent key="2">
        <Agent>
          <Inherit capabilities={["a"]} />
        </Agent>
      </Agent>,
      <Agent key="3" activeTools={["a"]} />,
      <Agent key="4">
        <Researcher />
      </Agent>,
      <Agent key="5" maxTools={0} />,
    ];
    const codes: string[] = [];
    for (const tree of wrong) codes.push((await agreedFailureOf(tree)).code);
    expect(codes).toEqual([
      "tool-name-collision",
      "inherit-unknown",
      "unknown-tool-name",
      "inherit-unknown",
      "invalid-props",
    ]);
  });

  it("C61 needs no model, and can be given the names a run would allow", async () => {
    expect(
      await reports(
        <Agent>
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    ).toHaveLength(1);
    await expect(inspect(<Agent tools={{ a: echo, b: echo }} />, { allowedTools: ["a"] })).rejects.toMatchObject({
      code: "tool-not-allowed",
    });
  });

  it("C61 a component that throws fails it with the component's path", async () => {
    const Broken = (): JuneNode => {
      throw new Error("no config");
    };
    expect(
      await inspectionFailureOf(
        <Agent name="a">
          <Broken />
        </Agent>,
      ),
    ).toMatchObject({
      code: "component-failed",
      lines: ['june: <Agent name="a"> > <Broken> failed: no config'],
    });
  });
});

describe("an explanation", () => {
  const explain = async (tree: JuneElement, agent: number, name: string): Promise<readonly string[]> =>
    (await reports(tree))[agent]!.explain(name);
  const tree = (
    <Agent name="outer" activeTools={["say", "held"]} toolApproval={{ never: "denied" }}>
      <Tool name="say" value={echo} />
      <RequireApproval>
        <Tool name="held" value={echo} />
      </RequireApproval>
      <Tool name="idle" value={echo} />
      <Tool name="never" value={echo} />
      <Agent name="middle">
        <Inherit capabilities={["held"]} />
        <Namespace name="n">
          <Tool name="tool" value={echo} />
        </Namespace>
        <Agent name="innermost" />
      </Agent>
    </Agent>
  );

  it("C62 declared here", async () => {
    expect(await explain(tree, 0, "say")).toEqual(['"say" is declared here by <Tool name="say">.']);
  });

  it("C62 granted from there, and waiting", async () => {
    expect(await explain(tree, 1, "held")).toEqual([
      '"held" is granted here by <Inherit capabilities={["held"]}> from <Tool name="held"> in <RequireApproval> in the enclosing <Agent name="outer">.',
      "It waits for approval because of <RequireApproval>.",
    ]);
  });

  it("C62 outside activeTools", async () => {
    expect(await explain(tree, 0, "idle")).toEqual([
      '"idle" is declared here by <Tool name="idle">.',
      "The model is not offered it: activeTools leaves it out.",
    ]);
  });

  it("C62 denied whatever the call", async () => {
    expect(await explain(tree, 0, "never")).toEqual([
      '"never" is declared here by <Tool name="never">.',
      "Every call of it is denied because of toolApproval.",
      "The model is not offered it: activeTools leaves it out.",
    ]);
  });

  it("C62 declared further out and not inherited", async () => {
    expect(await explain(tree, 1, "say")).toEqual([
      '<Agent name="middle"> has no tool "say".',
      'The enclosing agent <Agent name="outer"> declares "say" by <Tool name="say">, and it is not inherited here.',
    ]);
    expect(await explain(tree, 2, "say")).toEqual([
      '<Agent name="innermost"> has no tool "say".',
      'The agent 2 levels out <Agent name="outer"> declares "say" by <Tool name="say">, and it is not inherited at every level between.',
    ]);
  });

  it("C62 spelled otherwise, or named otherwise by a namespace", async () => {
    expect(await explain(tree, 0, "SAYS")).toEqual([
      '<Agent name="outer"> has no tool "SAYS".',
      'A tool with a similar name is "say".',
    ]);
    expect(await explain(tree, 1, "tool")).toContain(
      '<Tool name="tool"> in <Namespace name="n"> exposes its "tool" as "n_tool".',
    );
  });

  it("C62 behind a toolset that is not open", async () => {
    expect(
      await explain(
        <Agent>
          <Remote name="linear" />
        </Agent>,
        0,
        "linear_tool",
      ),
    ).toEqual([
      '<Agent> has no tool "linear_tool".',
      '<Remote name="linear"> is not open, so its tools are not known.',
    ]);
  });

  it("C62 nowhere", async () => {
    expect(await explain(<Agent />, 0, "constructor")).toEqual(['<Agent> has no tool "constructor".']);
  });

  it("C62 the error of an unknown <Inherit> name gives the same facts", async () => {
    const facts = (await explain(tree, 1, "tool")).slice(1);
    const failure = await failureOf(
      <Agent name="outer">
        <Namespace name="n">
          <Tool name="tool" value={echo} />
        </Namespace>
        <Agent>
          <Inherit capabilities={["tool"]} />
        </Agent>
      </Agent>,
    );
    expect(failure.lines.slice(2, -1)).toEqual(facts);
  });
});
