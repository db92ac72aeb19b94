/** A tree as JSX text, for a person who reads a counter-example. */

import type { AgentPlan, ApprovalPlan, NodePlan, SettingsPlan, ToolPlan } from "./plan.js";

/** The tree as JSX. */
export function printPlan(plan: NodePlan): string {
  return lines(plan).join("\n");
}

function lines(node: NodePlan): string[] {
  switch (node.type) {
    case "agent":
      return tag("Agent", `${settings(node)}${tools(node.tools)}`, node.children);
    case "tool":
      return [`<Tool name="${node.name}" value={${value(node.tool)}} />`];
    case "use":
      return [
        `<Tool use={${node.name} /* ${value(node.tool)} */}${node.as === undefined ? "" : ` as="${node.as}"`} />`,
      ];
    case "composite":
      return [`<Tool name="${node.name}" description input>{() => (`, ...indent(lines(node.body)), ")}</Tool>"];
    case "callable":
      return [
        `<${node.name}${node.as === undefined ? "" : ` name="${node.as}"`} />   // defineAgent({${settings(node)} capabilities: <>`,
        ...indent(node.capabilities.flatMap(lines)),
        "</> })",
      ];
    case "toolset":
      return [`<${node.name}${tools(node.tools)} />`];
    case "inherit":
      return [`<Inherit capabilities={${JSON.stringify(node.names)}} />`];
    case "namespace":
      return tag("Namespace", ` name="${node.name}"`, node.children);
    case "approval":
      return tag("RequireApproval", node.reason === undefined ? "" : ` reason="${node.reason}"`, node.children);
    case "bundle":
      return tag(`${node.name}`, " /* bundle */", node.children);
    case "bundle-again":
      return ["{/* the outermost bundle around, again */}"];
    case "async-bundle":
      return [`<${node.name} /* async bundle */ />`];
    case "group":
      return node.form === "fragment"
        ? ["<>", ...indent(node.children.flatMap(lines)), "</>"]
        : [`{${node.form} [`, ...indent(node.children.flatMap(lines)), "]}"];
    case "component":
      return tag("Component", "", node.children);
    case "step":
      return ["<Step />"];
    case "text":
      return ["text"];
    case "nothing":
      return [node.form === "space" ? '{" "}' : `{${node.form}}`];
  }
}

function tag(name: string, props: string, children: readonly NodePlan[]): string[] {
  return children.length === 0
    ? [`<${name}${props} />`]
    : [`<${name}${props}>`, ...indent(children.flatMap(lines)), `</${name}>`];
}

function indent(text: readonly string[]): string[] {
  return text.map((line) => `  ${line}`);
}

function value({ kind, needsApproval }: ToolPlan): string {
  return needsApproval === undefined ? kind : `${kind}, needsApproval: ${needsApproval}`;
}

function tools(given: AgentPlan["tools"]): string {
  return given === undefined
    ? ""
    : ` tools={{ ${given.map(({ name, tool }) => `${name}: ${value(tool)}`).join("; ")} }}`;
}

function settings({ toolApproval, maxTools }: SettingsPlan): string {
  return `${maxTools === undefined ? "" : ` maxTools={${maxTools}}`}${toolApproval === undefined ? "" : ` toolApproval={${rules(toolApproval)}}`}`;
}

function rules(approval: ApprovalPlan): string {
  const shown = approval.rules.map(
    (rule) => `${rule.name}: ${"isFunction" in rule && rule.isFunction ? "() => " : ""}${rule.status}`,
  );
  return approval.form === "map" ? `{ ${shown.join(", ")} }` : `by name (${shown.join(", ")})`;
}
