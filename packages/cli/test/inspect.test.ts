/** `june inspect`: what every agent can do, and why. */

import { describe, expect, it } from "vitest";
import { errorOf, inProject, june } from "./support/june.js";

describe.each(["node", "bun"] as const)("on %s", (runtime) => {
  it.concurrent("R5, C61 shows agents, tools, sources, what waits and what may be inherited", async () => {
    const finished = await june(["inspect", "team.tsx"], { runtime });
    expect(finished).toEqual({
      code: 0,
      stderr: "",
      stdout: `<Team>
  <Agent name="lead">  team.tsx:39
    read      <Tool name="read"> in <Files>
    write     <Tool name="write"> in <Files> > <RequireApproval>  waits: <RequireApproval>
    research  <research>  runs a workflow
    …  tools of <Remote>, which a run opens
    <research>  team.tsx:42
      read  <Inherit capabilities={["read"]}>  from <Tool name="read"> in <Files> in the enclosing <Agent>
      may inherit: write, research
    … after <Step id="plan">
    <Agent name="helper">  team.tsx:46
      read  <Inherit capabilities={["read"]}>  from <Tool name="read"> in <Files> in the enclosing <Agent>
      note  <Tool name="note">
      may inherit: write, research
`,
    });
  });
});

it.concurrent("R5, C62 explains one name for each agent with --why", async () => {
  const { code, stdout } = await june(["inspect", "team.tsx", "--why", "write"]);
  expect(code).toBe(0);
  const declared = `The enclosing agent <Agent name="lead"> declares "write" by <Tool name="write"> in <Files> > <RequireApproval>, and it is not inherited here.`;
  expect(stdout).toBe(`<Agent name="lead">  team.tsx:39
  "write" is declared here by <Tool name="write"> in <Files> > <RequireApproval>.
  It waits for approval because of <RequireApproval>.
<research>  team.tsx:42
  <research> has no tool "write".
  ${declared}
<Agent name="helper">  team.tsx:46
  <Agent name="helper"> has no tool "write".
  ${declared}
`);
});

it.concurrent("R5 prints one document with --json", async () => {
  const { code, stdout } = await june(["inspect", "team.tsx", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    nodes: [
      {
        kind: "component",
        label: "<Team>",
        inside: [
          {
            kind: "agent",
            label: '<Agent name="lead">',
            source: "team.tsx:39",
            capabilities: [{ name: "read" }, { name: "write" }, { name: "research", composite: true }],
            waits: [{ name: "write" }],
            unopened: ["<Remote>"],
            inside: [
              { kind: "agent", label: "<research>", inheritable: ["write", "research"] },
              { kind: "unknown", label: '… after <Step id="plan">' },
              { kind: "agent", label: '<Agent name="helper">' },
            ],
          },
        ],
      },
    ],
  });
  const why = await june(["inspect", "team.tsx", "--why", "note", "--json"]);
  expect(JSON.parse(why.stdout)).toMatchObject({
    ok: true,
    agents: [
      {
        label: '<Agent name="lead">',
        source: "team.tsx:39",
        why: ['<Agent name="lead"> has no tool "note".', "<Remote> is not open, so its tools are not known."],
      },
      { label: "<research>" },
      {
        label: '<Agent name="helper">',
        why: [
          '"note" is declared here by <Tool name="note">.',
          "The model is not offered it: activeTools leaves it out.",
        ],
      },
    ],
  });
});

it.concurrent("R5 gives props, an export and no model; mistakes of scope are errors with exit code 2", async () => {
  const text = `import { Agent, Inherit } from "june";
export function Bad({ name }: { name: string }) {
  return (
    <Agent>
      <Agent>
        <Inherit capabilities={[name]} />
      </Agent>
    </Agent>
  );
}
`;
  await inProject({ "bad.tsx": text }, async (cwd) => {
    const words = ["inspect", "bad.tsx", "--export", "Bad", "--prop", "name=serach"];
    const finished = await june(words, { cwd });
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(finished)).toBe(
      `june: <Inherit capabilities={["serach"]}> (bad.tsx:6) asks for "serach", which the enclosing <Agent> (bad.tsx:4) does not have
It has no tools.
Declare the tool in the enclosing agent, or inherit it there first.`,
    );
    const json = await june([...words, "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, exitCode: 2, error: { code: "inherit-unknown" } });
  });
  expect(await june(["inspect", "absent.tsx"])).toMatchObject({
    code: 2,
    stderr: "june: there is no file absent.tsx.\n",
  });
});

it.concurrent("R5 says when there is nothing to show", async () => {
  await inProject({ "text.tsx": "export default () => <>just text</>;\n" }, async (cwd) => {
    const { code, stdout } = await june(["inspect", "text.tsx"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "no agent that can be known without a run\n" });
  });
});
