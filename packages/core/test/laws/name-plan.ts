/** Names the placeholders of a random tree, so that most of what it asks for is there and a smaller tree still makes sense. */

import type { AgentPlan, ApprovalPlan, NodePlan, SettingsPlan } from "./plan.js";
import { exposedNames } from "./reference-model.js";

/** Stands for a name of its own. Of names that are there, `#n` stands for the nth, `^n` for the nth further out, `~n` for the nth without its namespaces. */
export const freshName = "?";

/** The names of the tools of the agents around, the nearest first. */
type Around = readonly (readonly string[])[];

/** Gives every placeholder of a tree a name; fresh ones count up. */
export function nameEverything(plan: AgentPlan): AgentPlan {
  let count = 0;
  const fresh = (name: string): string => (name === freshName ? `t${count++}` : name);
  /** What a placeholder stands for among these names and those further out; undefined where nothing is there. */
  const stands = (wanted: string, names: readonly string[], outer: readonly string[]): string | undefined => {
    const pick = (from: readonly string[]): string | undefined => from[Number(wanted.slice(1)) % from.length];
    if (wanted.startsWith("#")) return pick(names);
    if (wanted.startsWith("^")) return pick(outer) ?? "unknown";
    if (wanted.startsWith("~")) return pick(names)?.replace(/^.*_/, "") ?? "unknown";
    return wanted;
  };

  const nameTools = <T extends { readonly name: string }>(tools: readonly T[]): T[] => {
    const named = tools.map((entry) => ({ ...entry, name: fresh(entry.name) }));
    return named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index);
  };
  /** Names that are there are named once, unless a name is to be repeated; without any, nothing is left. */
  const nameInherit = (wanted: readonly string[], [parent = [], ...outer]: Around): NodePlan => {
    const found = wanted.flatMap((name) => stands(name, parent, outer.flat()) ?? []);
    if (found.length === 0 && wanted.length > 0) return { type: "nothing", form: "null" };
    const isRepeated = new Set(wanted).size < wanted.length;
    return { type: "inherit", names: isRepeated ? found : [...new Set(found)] };
  };
  const nameNodes = (nodes: readonly NodePlan[], around: Around): NodePlan[] =>
    nodes.map((node): NodePlan => {
      switch (node.type) {
        case "tool":
        case "composite":
          return { ...node, name: fresh(node.name) };
        case "use":
        case "callable":
          return { ...node, name: fresh(node.name), ...(node.as === undefined ? {} : { as: fresh(node.as) }) };
        case "toolset":
          return { ...node, tools: nameTools(node.tools) };
        case "inherit":
          return nameInherit(node.names, around);
        case "namespace":
        case "approval":
        case "bundle":
        case "group":
        case "component":
          return { ...node, children: nameNodes(node.children, around) };
        default:
          return node;
      }
    });
  const nameSettings = (own: SettingsPlan, names: readonly string[]): SettingsPlan => ({
    ...(own.maxTools === undefined ? {} : { maxTools: own.maxTools }),
    ...(own.toolApproval === undefined ? {} : { toolApproval: nameRules(own.toolApproval, names) }),
  });
  const nameRules = ({ form: shape, rules }: ApprovalPlan, names: readonly string[]): ApprovalPlan => {
    const named = rules.flatMap((rule) => {
      const name = stands(rule.name, names, []);
      return name === undefined ? [] : [{ ...rule, name }];
    });
    const unique = named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index);
    return { form: shape, rules: unique } as ApprovalPlan;
  };
  const nameInside = (nodes: readonly NodePlan[], around: Around): NodePlan[] =>
    nodes.map((node): NodePlan => {
      switch (node.type) {
        case "agent":
          return nameAgent(node, around);
        case "composite":
          return { ...node, body: nameAgent(node.body, around) };
        case "callable": {
          const capabilities = nameNodes(node.capabilities, around);
          const own = exposedNames({ children: capabilities }, around[0]);
          const { toolApproval: _approval, maxTools: _maxTools, ...rest } = node;
          return { ...rest, ...nameSettings(node, own), capabilities: nameInside(capabilities, [own, ...around]) };
        }
        case "namespace":
        case "approval":
        case "bundle":
        case "group":
          return { ...node, children: nameInside(node.children, around) };
        default:
          return node;
      }
    });
  const nameAgent = (given: AgentPlan, around: Around): AgentPlan => {
    const tools = given.tools === undefined ? undefined : nameTools(given.tools);
    const children = nameNodes(given.children, around);
    const names = exposedNames({ children, ...(tools === undefined ? {} : { tools }) }, around[0]);
    return {
      type: "agent",
      ...nameSettings(given, names),
      ...(tools === undefined ? {} : { tools }),
      children: nameInside(children, [names, ...around]),
    };
  };
  return nameAgent(plan, []);
}
