/** The laws of scope on random trees: a real run and an inspection against the reference model, and each law by itself. */

import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { ErrorCode } from "@june/core";
import { buildAgent } from "./build-plan.js";
import {
  changeNodes,
  changeSiblings,
  expandBundles,
  holdNth,
  inGroup,
  onlyCapabilities,
  reorder,
} from "./change-plan.js";
import { checkLaw, seed } from "./check-law.js";
import { observeInspection, observeRun, seenInInspection, seenInRun, type Seen, type SeenRun } from "./observe.js";
import type { AgentPlan, NodePlan } from "./plan.js";
import { nameEverything } from "./name-plan.js";
import { randomAgent, randomCapabilities } from "./random-plan.js";
import { expectRun } from "./reference-model.js";

const minute = 60_000;

describe("laws", { timeout: 10 * minute }, () => {
  beforeAll(() => console.log(`laws: LAWS_SEED=${seed}, LAWS_RUNS=${process.env["LAWS_RUNS"] ?? 1}`));

  it("C38 for every tree, run, inspection and reference model give the same scopes or fail with the same code", async () => {
    const faults = new Map<ErrorCode | "none", number>();
    await checkLaw(10_000, randomAgent, async (plan) => {
      const expected = expectRun(plan);
      for (const code of expected.codes.size === 0 ? ["none" as const] : expected.codes)
        faults.set(code, (faults.get(code) ?? 0) + 1);
      expect(await observeRun(buildAgent(plan))).toEqual(seenInRun(expected));
      expect(await observeInspection(buildAgent(plan))).toEqual(seenInInspection(expected));
    });
    const rare = wantedFaults.filter((code) => (faults.get(code) ?? 0) < 10);
    expect(rare, `the random trees hardly ever have a fault: ${[...faults].join(" ")}`).toEqual([]);
  });

  it("C38 both fail with the same code when a tree has one fault", async () => {
    const faulty = randomAgent.filter((plan) => expectRun(plan).codes.size === 1);
    await checkLaw(500, faulty, async (plan) => {
      const [code] = expectRun(plan).codes;
      expect((await observeRun(buildAgent(plan))).code).toBe(code);
      expect((await observeInspection(buildAgent(plan))).code).toBe(code);
    });
  });

  it("C38 a fragment, an array, an iterable or a condition changes nothing", async () => {
    const form = fc.constantFrom("fragment" as const, "array" as const, "iterable" as const, "condition" as const);
    await checkLaw(500, fc.tuple(randomAgent, form), async ([plan, wanted]) => {
      expect(await see(changeSiblings(plan, inGroup(wanted)))).toEqual(await see(plan));
    });
  });

  it("C38 namespaces compose: one around another puts both names in front, the outer first", async () => {
    await checkLaw(500, randomCapabilities, async (capabilities) => {
      const wrapped: NodePlan = {
        type: "namespace",
        name: "a",
        children: [{ type: "namespace", name: "b", children: capabilities }],
      };
      const inner = await seeAlone(capabilities);
      const outer = await seeAlone([wrapped]);
      // A name that is illegal alone may be legal with something in front.
      if (inner.code === "tool-name-invalid") return;
      if (inner.code !== undefined) expect(outer.code).toBeDefined();
      else if (namesOf(inner).some((name) => `a_b_${name}`.length > 64)) expect(outer.code).toBe("tool-name-invalid");
      else {
        expect(outer.code).toBeUndefined();
        expect(namesOf(outer)).toEqual(namesOf(inner).map((name) => `a_b_${name}`));
        expect(waitsOf(outer)).toEqual(waitsOf(inner).map((name) => `a_b_${name}`));
      }
    });
  });

  it("C38 a namespace around two capabilities equals one around each", async () => {
    await checkLaw(500, fc.tuple(randomCapabilities, randomCapabilities), async ([first, second]) => {
      const around = (children: readonly NodePlan[]): NodePlan => ({ type: "namespace", name: "n", children });
      expect(await seeAlone([around(first), around(second)])).toEqual(await seeAlone([around([...first, ...second])]));
    });
  });

  it("C38 approval is idempotent: a second <RequireApproval> changes nothing but the source", async () => {
    await checkLaw(500, randomCapabilities, async (capabilities) => {
      const held = (children: readonly NodePlan[]): NodePlan => ({ type: "approval", children });
      const once = await seeAlone([held(capabilities)]);
      const twice = await seeAlone([held([held(capabilities)])]);
      expect(withoutSources(twice)).toEqual(withoutSources(once));
      if (once.code === undefined) expect(waitsOf(once)).toEqual(namesOf(once));
    });
  });

  it("C38 approval is never lost: one more <RequireApproval> anywhere leaves every tool that waited waiting", async () => {
    // A tool of the provider's cannot be held anywhere, which is another law.
    const holdable = randomAgent.filter(
      (plan) => expectRun(plan).codes.size === 0 && !JSON.stringify(plan).includes('"provider"'),
    );
    await checkLaw(500, fc.tuple(holdable, fc.nat({ max: 6 })), async ([plan, index]) => {
      const before = await see(plan);
      const after = await see(changeSiblings(plan, holdNth(index)));
      expect(after.code).toBeUndefined();
      const agentsBefore = agentsOf(before);
      const agentsAfter = agentsOf(after);
      expect(agentsAfter.map(capabilityNames)).toEqual(agentsBefore.map(capabilityNames));
      agentsBefore.forEach((agent, position) =>
        expect(agentsAfter[position]!.waits).toEqual(expect.arrayContaining([...agent.waits])),
      );
      expect(askedIn(after)).toEqual(expect.arrayContaining(askedIn(before)));
    });
  });

  it("C38 the order of siblings changes only order", async () => {
    const keys = fc.array(fc.nat(), { minLength: 1, maxLength: 8 });
    await checkLaw(500, fc.tuple(randomAgent, keys), async ([plan, wanted]) => {
      const before = await see(plan);
      const after = await see(changeSiblings(plan, reorder(wanted)));
      if (before.code === undefined) expect(inAnyOrder(after)).toEqual(inAnyOrder(before));
      else expect(after.code).toBeDefined();
    });
  });

  it("C38 a bundle equals what it expands to, but for the sources that name it", async () => {
    const clean = randomAgent.map((plan) => changeSiblings(plan, onlyCapabilities));
    await checkLaw(500, clean, async (plan) => {
      const expanded = await see(changeSiblings(plan, expandBundles));
      expect(expanded).toEqual(withoutBundles(await see(plan)));
    });
  });

  it("C38 resolving is deterministic and mutates nothing: one frozen tree gives the same twice", async () => {
    await checkLaw(500, randomAgent, async (plan) => {
      const element = buildAgent(plan);
      expect(await observeRun(element)).toEqual(await observeRun(element));
      expect(await observeInspection(element)).toEqual(await observeInspection(element));
    });
  });

  it("C9, C38 what waits, and for how long, changes nothing", async () => {
    const delays = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 });
    const withToolsets = randomAgent.filter((plan) => JSON.stringify(plan).includes('"toolset"'));
    await checkLaw(500, fc.tuple(withToolsets, delays), async ([plan, turns]) => {
      expect(await observeRun(buildAgent(plan, turns))).toEqual(seenInRun(expectRun(plan)));
    });
  });
});

/** What must occur among the trees for the comparison to mean something. */
const wantedFaults: readonly (ErrorCode | "none")[] = [
  "none",
  "tool-name-collision",
  "tool-name-invalid",
  "too-many-tools",
  "unknown-tool-name",
  "inherit-unknown",
  "inherit-duplicate",
  "inherit-without-parent",
  "provider-tool-approval",
  "misplaced-capability",
  "capability-content",
  "bundle-cycle",
  "invalid-props",
];

function see(plan: AgentPlan): Promise<SeenRun> {
  return observeRun(buildAgent(plan));
}

function seeAlone(capabilities: readonly NodePlan[]): Promise<SeenRun> {
  const children = [...changeNodes(capabilities, onlyCapabilities), { type: "step" } as const];
  return see(nameEverything({ type: "agent", children }));
}

type Listed = readonly { readonly name: string; readonly source: string; readonly granted?: string }[];

function capabilityNames({ capabilities }: Seen): string[] {
  return (capabilities as Listed).map(({ name }) => name);
}

function namesOf({ agents: [agent] }: SeenRun): string[] {
  return agent === undefined ? [] : capabilityNames(agent);
}

function waitsOf({ agents: [agent] }: SeenRun): readonly string[] {
  return agent?.waits ?? [];
}

/** Every agent, those of child runs too. */
function agentsOf(run: SeenRun): Seen[] {
  const inCalls = (agent: Seen): Seen[] =>
    agent.steps.flatMap(({ calls }) =>
      Object.values(calls).flatMap((call) => agentsOf((call as { run?: SeenRun }).run ?? { agents: [] })),
    );
  return run.agents.flatMap((agent) => [agent, ...inCalls(agent), ...agentsOf({ agents: agent.inside })]);
}

function askedIn(run: SeenRun): string[] {
  return agentsOf(run).flatMap((agent, index) =>
    agent.steps.flatMap(({ calls }, step) =>
      Object.entries(calls).flatMap(([name, call]) =>
        (call as { isAsked: boolean }).isAsked ? [`${name} in step ${step} of agent ${index}`] : [],
      ),
    ),
  );
}

function rewrite(run: SeenRun, change: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(run, change));
}

function withoutSources(run: SeenRun): unknown {
  return rewrite(run, (key, value) => (key === "source" || key === "granted" ? undefined : value));
}

function withoutBundles(run: SeenRun): unknown {
  const strip = (source: string): string => {
    const [declaration, chain = "", ...rest] = source.split(" in ");
    if (chain.startsWith("the enclosing")) return source;
    const kept = chain.split(" > ").filter((label) => label !== "" && label !== "<Files>" && label !== "<Web>");
    return [declaration, ...(kept.length === 0 ? [] : [kept.join(" > ")]), ...rest].join(" in ");
  };
  return rewrite(run, (key, value) =>
    (key === "source" || key === "granted") && typeof value === "string" ? strip(value) : value,
  );
}

/** Order left out of account, and with it which of several faults of a call is told. */
function inAnyOrder(run: SeenRun): unknown {
  return rewrite(run, (key, value) => {
    if (key === "code") return "some fault";
    return ["capabilities", "waits", "offered"].includes(key) && Array.isArray(value)
      ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : value;
  });
}
