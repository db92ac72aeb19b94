/** Names the placeholders of a random tree, so that most of what it asks for is there and a smaller tree still makes sense. */

import type { AgentPlan, ApprovalPlan, NodePlan, SettingsPlan } from "./plan.js";
import { exposedNames } from "./reference-model.js";

/** Stands for a name of its own; `#n` stands for the nth name that is there to be named. */
export const freshName = "?";

/** Gives every placeholder of a tree a name: fresh ones count up, `#n` becomes the nth name that is there at that place. */
export function nameEverything(plan: AgentPlan): AgentPlan {
  let count = 0;
  const fresh = (name: string): string => (name === freshName ? `t${count++}` : name);
  const nth = (name: string, names: readonly string[]): string =>
    name.startsWith("#") ? names[Number(name.slice(1)) % names.length]! : name;
  const isKnown = (name: string, names: readonly string[] | undefined): boolean =>
    name.startsWith("#") && names !== undefined && names.length > 0;

  const nameTools = <T extends { readonly name: string }>(tools: readonly T[]): T[] => {
    const named = tools.map((entry) => ({ ...entry, name: fresh(entry.name) }));
    return named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index);
  };
  /** Mostly names that are there; without any, nothing is left of it unless it was to be wrong. */
  const nameInherit = (wantedNames: readonly string[], parentNames: readonly string[] | undefined): NodePlan => {
    const unique = [...new Set(wantedNames)];
    const isRepeated = unique.length < wantedNames.length;
    const names = [
      ...new Set(
        unique.flatMap((name) =>
          isKnown(name, parentNames) ? [nth(name, parentNames!)] : name === "unknown" ? [name] : [],
        ),
      ),
    ];
    if (names.length === 0 && parentNames === undefined) return { type: "nothing", form: "null" };
    return { type: "inherit", names: isRepeated ? [...names, ...names] : names };
  };
  const nameNodes = (nodes: readonly NodePlan[], parentNames: readonly string[] | undefined): NodePlan[] =>
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
          return nameInherit(node.names, parentNames);
        case "namespace":
        case "approval":
        case "bundle":
        case "group":
        case "component":
          return { ...node, children: nameNodes(node.children, parentNames) };
        default:
          return node;
      }
    });
  const nameSettings = (own: SettingsPlan, names: readonly string[]): SettingsPlan => ({
    ...(own.maxTools === undefined ? {} : { maxTools: own.maxTools }),
    ...(own.toolApproval === undefined ? {} : { toolApproval: nameRules(own.toolApproval, names) }),
  });
  const nameRules = ({ form: shape, rules }: ApprovalPlan, names: readonly string[]): ApprovalPlan => {
    const named = rules
      .filter(({ name }) => name === "unknown" || isKnown(name, names))
      .map((rule) => Object.assign({}, rule, { name: nth(rule.name, names) }));
    const unique = named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index);
    return { form: shape, rules: unique } as ApprovalPlan;
  };
  const nameInside = (nodes: readonly NodePlan[], names: readonly string[]): NodePlan[] =>
    nodes.map((node): NodePlan => {
      switch (node.type) {
        case "agent":
          return nameAgent(node, names);
        case "composite":
          return { ...node, body: nameAgent(node.body, names) };
        case "callable": {
          const capabilities = nameNodes(node.capabilities, names);
          const own = exposedNames({ children: capabilities }, names);
          const { toolApproval: _approval, maxTools: _maxTools, ...rest } = node;
          return { ...rest, ...nameSettings(node, own), capabilities: nameInside(capabilities, own) };
        }
        case "namespace":
        case "approval":
        case "bundle":
        case "group":
          return { ...node, children: nameInside(node.children, names) };
        default:
          return node;
      }
    });
  const nameAgent = (given: AgentPlan, parentNames: readonly string[] | undefined): AgentPlan => {
    const tools = given.tools === undefined ? undefined : nameTools(given.tools);
    const children = nameNodes(given.children, parentNames);
    const names = exposedNames({ children, ...(tools === undefined ? {} : { tools }) }, parentNames);
    return {
      type: "agent",
      ...nameSettings(given, names),
      ...(tools === undefined ? {} : { tools }),
      children: nameInside(children, names),
    };
  };
  return nameAgent(plan, undefined);
}
