/** Changes to a tree that, by the laws, change its scopes not at all or in one way only. */

import type { AgentPlan, NodePlan } from "./plan.js";

type Change = (nodes: readonly NodePlan[]) => readonly NodePlan[];

/** `plan` with every list of siblings, from the innermost outwards, put through `change`. */
export function changeSiblings(plan: AgentPlan, change: Change): AgentPlan {
  return { ...plan, children: changeNodes(plan.children, change) };
}

/** The same for nodes that stand in no agent yet. */
export function changeNodes(nodes: readonly NodePlan[], change: Change): readonly NodePlan[] {
  return change(
    nodes.map((node): NodePlan => {
      switch (node.type) {
        case "agent":
        case "namespace":
        case "approval":
        case "bundle":
        case "group":
        case "component":
          return { ...node, children: changeNodes(node.children, change) };
        case "composite":
          return { ...node, body: changeSiblings(node.body, change) };
        case "callable":
          return { ...node, capabilities: changeNodes(node.capabilities, change) };
        default:
          return node;
      }
    }),
  );
}

/** Puts the siblings into a group, with nothing on both sides. */
export function inGroup(form: Extract<NodePlan, { type: "group" }>["form"]): Change {
  return (nodes) => [
    { type: "nothing", form: "false" },
    { type: "group", form, children: nodes },
    { type: "nothing", form: "space" },
  ];
}

/** Every bundle replaced by what it returns. */
export const expandBundles: Change = (nodes) =>
  nodes.map((node) => (node.type === "bundle" ? { type: "group", form: "fragment", children: node.children } : node));

/** Leaves out components, and what a bundle or wrapper refuses to hold but an agent would take as its body. */
export const onlyCapabilities: Change = (nodes) => nodes.filter(({ type }) => type !== "component").map(withoutRefused);

function withoutRefused(node: NodePlan): NodePlan {
  return node.type === "bundle" || node.type === "namespace" || node.type === "approval"
    ? { ...node, children: withoutContent(node.children) }
    : node;
}

function withoutContent(nodes: readonly NodePlan[]): NodePlan[] {
  const refused = new Set(["step", "text", "component", "agent", "async-bundle", "bundle-again"]);
  return nodes.flatMap((node): NodePlan[] => {
    if (refused.has(node.type)) return [];
    return node.type === "group" ? [{ ...node, children: withoutContent(node.children) }] : [node];
  });
}

/** Sorts siblings by `keys`, used up one by one and then again from the first; steps, agents and components keep their order. */
export function reorder(keys: readonly number[]): Change {
  let next = 0;
  return (nodes) => {
    const isBody = ({ type }: NodePlan): boolean =>
      type === "step" || type === "agent" || type === "component" || type === "group" || type === "text";
    const capabilities = nodes
      .filter((node) => !isBody(node))
      .map((node) => ({ node, key: keys[next++ % keys.length]! }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ node }) => node);
    return [...capabilities, ...nodes.filter(isBody)];
  };
}

/** Puts a `<RequireApproval>` around the nth tool declaration of the tree. */
export function holdNth(index: number): Change {
  let seen = 0;
  return (nodes) =>
    nodes.map((node): NodePlan => {
      const isDeclaration = ["tool", "use", "composite", "callable", "toolset", "inherit"].includes(node.type);
      return isDeclaration && seen++ === index ? { type: "approval", children: [node] } : node;
    });
}
