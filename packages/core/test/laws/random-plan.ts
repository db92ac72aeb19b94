/** Random trees for the laws, legal and illegal ones, as plain descriptions that fast-check can shrink. Most names are placeholders until the tree is complete. */

import * as fc from "fast-check";
import type { AgentPlan, ApprovalPlan, NodePlan, SettingsPlan, Status, ToolPlan } from "./plan.js";
import { freshName, nameEverything } from "./name-plan.js";

/** Names that go wrong, or that a careless resolver gets wrong. */
const hostileNames = [
  "constructor",
  "toString",
  "hasOwnProperty",
  "__proto__",
  "a",
  "A",
  "a_b",
  "n_a",
  "1x",
  "a.b",
  "é",
  "x".repeat(64),
  "y".repeat(62),
  "z".repeat(65),
];
/** Stands for the nth name that is there to be named. */
const nthName = fc.nat({ max: 5 }).map((index) => `#${index}`);

const mostly = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>, weight = 11): fc.Arbitrary<T | U> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };
const withoutUndefined = <T extends object>(record: T): Defined<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>;
const spreadSettings = <T extends { readonly settings: SettingsPlan }>({
  settings: own,
  ...rest
}: T): Omit<T, "settings"> & SettingsPlan => ({ ...rest, ...own });

const toolName = mostly(fc.constant(freshName), fc.constantFrom(...hostileNames), 16);
const ownTool: fc.Arbitrary<ToolPlan> = fc.record(
  {
    kind: fc.constantFrom("function" as const, "function" as const, "dynamic" as const),
    needsApproval: fc.constantFrom(true, false, "asks" as const, "passes" as const, "throws" as const),
  },
  { requiredKeys: ["kind"] },
);
const tool: fc.Arbitrary<ToolPlan> = fc.oneof(
  { weight: 12, arbitrary: ownTool },
  { weight: 1, arbitrary: fc.constant<ToolPlan>({ kind: "provider" }) },
);
const namedTools = fc.array(fc.record({ name: toolName, tool }), { minLength: 1, maxLength: 3 });
const status = fc.constantFrom<Status[]>("approved", "denied", "user-approval", "not-applicable", undefined);
/** Mostly what is there; else nothing, a name of the agent further out, or a name without its namespaces. */
const wanted = mostly(nthName, fc.constantFrom("unknown", "^0", "^1", "~0", "~1"), 20);
const toolApproval: fc.Arbitrary<ApprovalPlan> = fc.oneof(
  fc.record({
    form: fc.constant("map" as const),
    rules: fc.array(fc.record({ name: wanted, status, isFunction: fc.boolean() }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    form: fc.constant("function" as const),
    rules: fc.array(fc.record({ name: nthName, status }), { maxLength: 3 }),
  }),
);
const settings: fc.Arbitrary<SettingsPlan> = fc
  .record({
    toolApproval: mostly(fc.constant(undefined), toolApproval, 3),
    maxTools: mostly(fc.constant(undefined), fc.integer({ min: 1, max: 6 }), 20),
  })
  .map(withoutUndefined);

const inherit = fc.record({
  type: fc.constant("inherit" as const),
  names: mostly(
    fc.uniqueArray(wanted, { minLength: 1, maxLength: 3 }),
    fc.constantFrom<string[]>(["#0", "#0"], []),
    20,
  ),
});
const nothing = fc.record({
  type: fc.constant("nothing" as const),
  form: fc.constantFrom("false" as const, "null" as const, "undefined" as const, "true" as const, "space" as const),
});
const form = fc.constantFrom("fragment" as const, "array" as const, "iterable" as const, "condition" as const);

const { capability, agent } = fc.letrec<{
  capability: NodePlan;
  capabilities: NodePlan[];
  content: NodePlan[];
  inAgent: NodePlan;
  agent: AgentPlan;
}>((tie) => ({
  capability: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true, depthIdentifier: "capability" },
    { weight: 6, arbitrary: fc.record({ type: fc.constant("tool" as const), name: toolName, tool }) },
    {
      weight: 1,
      arbitrary: fc.record(
        { type: fc.constant("use" as const), name: fc.constant(freshName), as: toolName, tool: ownTool },
        { requiredKeys: ["type", "name", "tool"] },
      ),
    },
    { weight: 3, arbitrary: inherit },
    { weight: 1, arbitrary: nothing },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("toolset" as const), name: fc.constant("Shell"), tools: namedTools }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("namespace" as const),
        name: mostly(fc.constantFrom("n", "git-hub", "A"), fc.constantFrom("1n", "n_", ""), 20),
        children: tie("content"),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record(
        { type: fc.constant("approval" as const), reason: fc.constant("policy"), children: tie("content") },
        { requiredKeys: ["type", "children"] },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("bundle" as const),
        name: fc.constantFrom("Files", "Web"),
        children: tie("content"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("group" as const), form, children: tie("capabilities") }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("composite" as const), name: toolName, body: tie("agent") }),
    },
    {
      weight: 1,
      arbitrary: fc
        .record(
          {
            type: fc.constant("callable" as const),
            name: fc.constant(freshName),
            as: toolName,
            capabilities: tie("capabilities"),
            settings,
          },
          { requiredKeys: ["type", "name", "capabilities", "settings"] },
        )
        .map(spreadSettings),
    },
  ),
  capabilities: fc.array(tie("capability"), { maxLength: 4 }),
  /** What a wrapper or bundle holds: capabilities, and now and then what has no place there. */
  content: mostly(
    tie("capabilities"),
    fc
      .tuple(
        tie("capabilities"),
        fc.oneof(
          fc.constantFrom<NodePlan>(
            { type: "step" },
            { type: "text" },
            { type: "component", children: [] },
            { type: "agent", children: [] },
            { type: "async-bundle", name: "Late" },
            { type: "bundle-again" },
            { type: "bundle-again" },
          ),
        ),
      )
      .map(([nodes, misplaced]) => nodes.concat(misplaced)),
    40,
  ),
  inAgent: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true, depthIdentifier: "agent" },
    { weight: 8, arbitrary: tie("capability") },
    { weight: 3, arbitrary: fc.constant<NodePlan>({ type: "step" }) },
    { weight: 4, arbitrary: tie("agent") },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("group" as const),
        form,
        children: fc.array(tie("inAgent"), { maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: mostly(
        fc.constant<NodePlan>({ type: "component", children: [{ type: "nothing", form: "null" }] }),
        tie("capability").map((child): NodePlan => ({ type: "component", children: [child] })),
        4,
      ),
    },
  ),
  agent: fc
    .record(
      {
        type: fc.constant("agent" as const),
        children: fc.array(tie("inAgent"), { maxLength: 5 }),
        settings,
        tools: namedTools,
      },
      { requiredKeys: ["type", "children", "settings"] },
    )
    .map(spreadSettings),
}));

/** Capabilities that stand side by side, not in an agent yet. */
export const randomCapabilities: fc.Arbitrary<readonly NodePlan[]> = fc.array(capability, { maxLength: 4 });

/** A whole tree. */
export const randomAgent: fc.Arbitrary<AgentPlan> = agent.map(nameEverything);
