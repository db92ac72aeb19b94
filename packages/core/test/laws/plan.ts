/** The plain description of a tree that the laws are tried on. Generated at random, built into elements, and judged by the reference model. */

/** What a function says when it is asked about a call. */
export type Status = "approved" | "denied" | "user-approval" | "not-applicable" | undefined;

/** An AI SDK tool: who runs it, and what it says about approval itself (`asks`, `passes` and `throws` are functions). */
export interface ToolPlan {
  readonly kind: "function" | "dynamic" | "provider";
  readonly needsApproval?: boolean | "asks" | "passes" | "throws";
}

/** The `toolApproval` of an agent: a map by exposed name, whose values may be functions, or one function for every tool. */
export type ApprovalPlan =
  | {
      readonly form: "map";
      readonly rules: readonly { readonly name: string; readonly status: Status; readonly isFunction: boolean }[];
    }
  | { readonly form: "function"; readonly rules: readonly { readonly name: string; readonly status: Status }[] };

/** The settings that bear on a scope. */
export interface SettingsPlan {
  readonly toolApproval?: ApprovalPlan;
  readonly maxTools?: number;
}

/** An agent of the tree, or the one inside a composite tool. */
export interface AgentPlan extends SettingsPlan {
  readonly type: "agent";
  readonly tools?: readonly { readonly name: string; readonly tool: ToolPlan }[];
  readonly children: readonly NodePlan[];
}

/** Anything that stands among the children of an agent, a wrapper or a bundle. */
export type NodePlan =
  | AgentPlan
  | { readonly type: "tool"; readonly name: string; readonly tool: ToolPlan }
  /** A callable tool: `<Tool use as>`. */
  | { readonly type: "use"; readonly name: string; readonly as?: string; readonly tool: ToolPlan }
  | { readonly type: "composite"; readonly name: string; readonly body: AgentPlan }
  | CallablePlan
  | {
      readonly type: "toolset";
      readonly name: string;
      readonly tools: readonly { readonly name: string; readonly tool: ToolPlan }[];
    }
  | { readonly type: "inherit"; readonly names: readonly string[] }
  | { readonly type: "namespace"; readonly name: string; readonly children: readonly NodePlan[] }
  | { readonly type: "approval"; readonly reason?: string; readonly children: readonly NodePlan[] }
  | { readonly type: "bundle"; readonly name: string; readonly children: readonly NodePlan[] }
  /** The outermost bundle around it, once more. */
  | { readonly type: "bundle-again" }
  | { readonly type: "async-bundle"; readonly name: string }
  | {
      readonly type: "group";
      readonly form: "fragment" | "array" | "iterable" | "condition";
      readonly children: readonly NodePlan[];
    }
  /** `{false && …}`, `{null}`, white space: nothing is there. */
  | { readonly type: "nothing"; readonly form: "false" | "null" | "undefined" | "true" | "space" }
  | { readonly type: "step" }
  | { readonly type: "text" }
  /** A component of the author's own around these nodes. */
  | { readonly type: "component"; readonly children: readonly NodePlan[] };

/** A callable agent with its private capabilities. */
export interface CallablePlan extends SettingsPlan {
  readonly type: "callable";
  readonly name: string;
  /** The prop `name`, which renames the tool. */
  readonly as?: string;
  readonly capabilities: readonly NodePlan[];
}
