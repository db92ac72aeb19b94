/**
 * The rules of scope a second time, written from docs/rules alone and as plainly as possible, to be compared with what June does.
 * It is the longest file of the laws because every rule is in it once.
 */

import type { ErrorCode } from "@june/core";
import type { AgentPlan, NodePlan, SettingsPlan, Status, ToolPlan } from "./plan.js";

/** What the rules say of one tool of an agent. */
export interface ExpectedTool {
  readonly name: string;
  readonly source: string;
  readonly granted?: string;
  readonly composite?: true;
  /** What happens to a call: the strictest of everything that governs the tool. */
  readonly verdict: Verdict;
  /** Whether some rule may hold a call, and none always refuses it. */
  readonly waits: boolean;
}

/** What happens to a call. */
export type Verdict = "runs" | "asks" | "denied";

/** What the rules say of one agent and of everything that renders inside it. */
export interface ExpectedAgent {
  readonly tools: readonly ExpectedTool[];
  /** Whether the trace lists capabilities at all. */
  readonly isRecorded: boolean;
  readonly hasLookalikes: boolean;
  readonly steps: number;
  /** The scopes of its callable agents, seen when it resolves. */
  readonly callable: readonly ExpectedAgent[];
  readonly inside: readonly ExpectedAgent[];
  /** What a call of a composite tool or callable agent, by exposed name, does. */
  call(name: string): Outcome;
  /** Whether the provider runs the tool. */
  isProvided(name: string): boolean;
}

/** What a tree, or a call, comes to: the agents that resolved, in order, and if it fails the codes that are right. */
export interface Outcome {
  readonly agents: readonly ExpectedAgent[];
  readonly codes: ReadonlySet<ErrorCode>;
}

interface Frame {
  readonly kind: "namespace" | "approval" | "bundle";
  readonly label: string;
  readonly prefix: string;
}

interface Rule {
  readonly verdict: Verdict;
  readonly mayAsk: boolean;
  readonly alwaysDenies: boolean;
}

interface Entry {
  readonly name: string;
  readonly source: string;
  readonly granted?: string;
  readonly fromProp: boolean;
  readonly isProvider: boolean;
  readonly rules: readonly Rule[];
  readonly open?: Opening;
}

/** A composite tool or callable agent and the scope it was declared in; what its `<Inherit>` sees. */
interface Opening {
  readonly node: Extract<NodePlan, { type: "composite" | "callable" }>;
  declarer: Scope | undefined;
}

type Scope = ReadonlyMap<string, Entry>;

const legalName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const legalNamespace = /^[A-Za-z][A-Za-z0-9-]*$/;

/** What a run of `plan` comes to. */
export function expectRun(plan: AgentPlan): Outcome {
  return renderAgent(plan, undefined);
}

/** The exposed names of an agent's tools, in scope order, whatever else is wrong with it. */
export function exposedNames(
  settings: SettingsPlan & Pick<AgentPlan, "tools" | "children">,
  parentNames: readonly string[] | undefined,
): string[] {
  const parent =
    parentNames === undefined
      ? undefined
      : new Map(
          parentNames.map((name): [string, Entry] => [
            name,
            { name, source: "", fromProp: false, isProvider: false, rules: [] },
          ]),
        );
  return collect(settings, parent).entries.map(({ name }) => name);
}

function renderAgent(plan: AgentPlan, parent: Scope | undefined): Outcome {
  const { expected, codes, scope } = resolve(plan, plan.children, parent);
  if (codes.size > 0) return { agents: [], codes };
  const inside: ExpectedAgent[] = [];
  let steps = 0;
  const done = (stop: ReadonlySet<ErrorCode>): Outcome => ({ agents: [{ ...expected, steps, inside }], codes: stop });
  for (const node of flatten(plan.children)) {
    if (node.type === "step") steps++;
    else if (node.type === "agent") {
      const outcome = renderAgent(node, scope);
      inside.push(...outcome.agents);
      if (outcome.codes.size > 0) return done(outcome.codes);
    } else if (node.type === "component") {
      // C4: a component of the author's own renders with the body, where a capability comes too late.
      const found = flatten(node.children).some((child) => child.type !== "nothing");
      if (found) return done(new Set(["misplaced-capability"]));
    }
  }
  return done(new Set());
}

/** C2: everything about an agent's own declarations, before anything else of it renders. */
function resolve(
  settings: SettingsPlan & Pick<AgentPlan, "tools">,
  children: readonly NodePlan[],
  parent: Scope | undefined,
): { expected: ExpectedAgent; codes: Set<ErrorCode>; scope: Scope } {
  const { entries: found, codes } = collect({ ...settings, children }, parent);
  const governed = (entry: Entry): Entry => ({ ...entry, rules: [...entry.rules, ...settingRules(settings, entry)] });
  const entries = found.map(governed);
  const names = entries.map(({ name }) => name);
  if (names.some((name) => !legalName.test(name))) codes.add("tool-name-invalid"); // C6
  if (new Set(names).size < names.length) codes.add("tool-name-collision"); // C5
  if (entries.length > (settings.maxTools ?? 128)) codes.add("too-many-tools"); // C6
  if (settings.toolApproval?.form === "map" && settings.toolApproval.rules.some(({ name }) => !names.includes(name)))
    codes.add("unknown-tool-name"); // L10
  if (entries.some(({ isProvider, name }) => isProvider && mayHold(settings, name)))
    codes.add("provider-tool-approval");
  const scope: Scope = new Map(entries.map((entry) => [entry.name, entry]));
  const callable: ExpectedAgent[] = [];
  for (const { open, granted } of entries) {
    if (open === undefined || granted !== undefined) continue;
    open.declarer = scope;
    if (open.node.type !== "callable" || codes.size > 0) continue;
    // C45: folded as soon as the calling agent resolves.
    const inner = resolve(open.node, open.node.capabilities, scope);
    if (inner.codes.size > 0) return { expected: inner.expected, codes: inner.codes, scope };
    callable.push(inner.expected);
  }
  const folded = names.map((name) => name.toLowerCase());
  const expected: ExpectedAgent = {
    tools: entries.map(describe),
    isRecorded: entries.some(({ fromProp }) => !fromProp), // C8, C60
    hasLookalikes: new Set(folded).size < new Set(names).size, // C5
    steps: 0,
    callable,
    inside: [],
    call: (name) => call(scope.get(name)!),
    isProvided: (name) => scope.get(name)!.isProvider,
  };
  return { expected, codes, scope };
}

function describe({ name, source, granted, open, rules, isProvider }: Entry): ExpectedTool {
  const verdict = rules.some((rule) => rule.verdict === "denied")
    ? "denied"
    : rules.some((rule) => rule.verdict === "asks")
      ? "asks"
      : "runs";
  return {
    name,
    source,
    ...(open === undefined ? {} : { composite: true as const }),
    ...(granted === undefined ? {} : { granted }),
    verdict, // C36
    waits: !isProvider && rules.some(({ mayAsk }) => mayAsk) && !rules.some(({ alwaysDenies }) => alwaysDenies),
  };
}

/** C40, C45: a run of its own whose parent is the declaring agent, also after a grant. */
function call({ open }: Entry): Outcome {
  const { node, declarer } = open!;
  if (node.type === "composite") return renderAgent(node.body, declarer);
  const { expected, codes } = resolve(node, node.capabilities, declarer);
  return { agents: codes.size > 0 ? [] : [{ ...expected, steps: 1 }], codes };
}

/** C1: the declarations among the children, in source order, the `tools` prop first. */
function collect(
  settings: Pick<AgentPlan, "tools" | "children">,
  parent: Scope | undefined,
): { entries: Entry[]; codes: Set<ErrorCode> } {
  const codes = new Set<ErrorCode>();
  const entries: Entry[] = [];
  const add = (name: string, label: string, frames: readonly Frame[], rest: Partial<Entry>): void => {
    const isProvider = rest.isProvider ?? false;
    const isHeld = frames.some(({ kind }) => kind === "approval");
    if (isProvider && isHeld) codes.add("provider-tool-approval"); // C37
    entries.push({
      fromProp: false,
      isProvider,
      ...rest,
      // C35: innermost first, so the outermost namespace stands in front.
      name: frames.map(({ prefix }) => prefix).join("") + name,
      source: label + (frames.length === 0 ? "" : ` in ${frames.map((frame) => frame.label).join(" > ")}`), // C60
      rules: [...(rest.rules ?? []), ...(isHeld ? [always("asks")] : [])],
    });
  };
  for (const { name, tool } of settings.tools ?? [])
    add(name, `tools={{ ${name} }}`, [], { fromProp: true, ...factsOf(tool) }); // C8
  const visit = (nodes: readonly NodePlan[], frames: readonly Frame[]): void => {
    for (const node of flatten(nodes)) {
      const inner = (kind: Frame["kind"], label: string, prefix = ""): Frame[] => [...frames, { kind, label, prefix }];
      switch (node.type) {
        case "tool":
          add(node.name, `<Tool name="${node.name}">`, frames, factsOf(node.tool));
          break;
        case "use":
          add(node.as ?? node.name, `<Tool use={${node.name}}>`, frames, factsOf(node.tool)); // C10, C60
          break;
        case "composite":
          add(node.name, `<Tool name="${node.name}">`, frames, { open: { node, declarer: undefined } });
          break;
        case "callable":
          add(node.as ?? node.name, `<${node.name}>`, frames, { open: { node, declarer: undefined } });
          break;
        case "toolset":
          for (const { name, tool } of node.tools) add(name, `<${node.name}>`, frames, factsOf(tool));
          break;
        case "inherit": {
          const label = `<Inherit capabilities={[${node.names.map((name) => `"${name}"`).join(", ")}]}>`;
          if (parent === undefined) codes.add("inherit-without-parent"); // C31
          if (new Set(node.names).size < node.names.length) codes.add("inherit-duplicate");
          for (const name of new Set(node.names)) {
            const given = parent?.get(name);
            if (given !== undefined) {
              // C32, C33: as the parent has it, with every rule that governs it there.
              const { isProvider, rules, open, source } = given;
              const granted = `${source} in the enclosing <Agent>`;
              add(name, label, frames, { isProvider, rules, granted, ...(open === undefined ? {} : { open }) });
            } else if (parent !== undefined) codes.add("inherit-unknown");
          }
          break;
        }
        case "namespace":
          if (!legalNamespace.test(node.name)) codes.add("invalid-props"); // C35
          visit(node.children, inner("namespace", `<Namespace name="${node.name}">`, `${node.name}_`));
          break;
        case "approval":
          visit(node.children, inner("approval", "<RequireApproval>"));
          break;
        case "bundle":
          visit(node.children, inner("bundle", `<${node.name}>`)); // C20
          break;
        case "bundle-again":
          if (frames.some(({ kind }) => kind === "bundle")) codes.add("bundle-cycle"); // C22
          break;
        case "async-bundle":
          codes.add("capability-content"); // C21
          break;
        case "step":
        case "agent":
        case "text":
        case "component":
          if (frames.length > 0) codes.add("capability-content"); // C21, C35
          break;
        default:
          break;
      }
    }
  };
  visit(settings.children, []);
  return { entries, codes };
}

/** What stands there once fragments, arrays and conditions are gone. */
function flatten(nodes: readonly NodePlan[]): NodePlan[] {
  return nodes.flatMap((node) => (node.type === "group" ? flatten(node.children) : [node]));
}

function always(verdict: Verdict): Rule {
  return { verdict, mayAsk: verdict === "asks", alwaysDenies: verdict === "denied" };
}

function factsOf({ kind, needsApproval }: ToolPlan): Pick<Entry, "isProvider" | "rules"> {
  const isFunction = typeof needsApproval === "string";
  const verdict =
    needsApproval === undefined || needsApproval === false || needsApproval === "passes" ? "runs" : "asks";
  return {
    isProvider: kind === "provider",
    rules: [{ verdict, mayAsk: isFunction || verdict === "asks", alwaysDenies: false }],
  };
}

function settingRules({ toolApproval }: SettingsPlan, { name }: Entry): Rule[] {
  if (toolApproval === undefined) return [];
  const rule = toolApproval.rules.find((candidate) => candidate.name === name);
  const isFunction =
    toolApproval.form === "function" || (rule !== undefined && "isFunction" in rule && rule.isFunction);
  const verdict = verdictOf(rule?.status);
  return [isFunction ? { verdict, mayAsk: true, alwaysDenies: false } : always(verdict)];
}

/** C37's reason holds for a setting too that names a tool of the provider's. */
function mayHold({ toolApproval }: SettingsPlan, name: string): boolean {
  if (toolApproval?.form !== "map") return false;
  return toolApproval.rules.some(
    (rule) => rule.name === name && (rule.isFunction || verdictOf(rule.status) !== "runs"),
  );
}

function verdictOf(status: Status): Verdict {
  return status === "user-approval" ? "asks" : status === "denied" ? "denied" : "runs";
}
