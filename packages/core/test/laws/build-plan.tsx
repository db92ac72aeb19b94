/** Turns the description of a tree into the elements an author would write. Everything given to June is frozen, so that a change to it fails. */

import { dynamicTool, tool, type Tool as SdkTool, type ToolApprovalStatus } from "ai";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineCapabilities,
  defineTool,
  defineToolset,
  type AgentProps,
  type JuneElement,
  type JuneNode,
  type ToolsetDefinition,
} from "@june/core";
import type { AgentPlan, NodePlan, SettingsPlan, ToolPlan } from "./plan.js";

/** How many runs deep the tools of a tree are called: what a step is told, and every call passes on, less one. */
export const callDepth = 2;

const inputSchema = z.object({ depth: z.number() });
const madeTools = new Map<string, SdkTool>();

/**
 * The elements of `plan`. Nothing is shared between two builds but the tools themselves.
 * With `turns`, every toolset of an agent has to be opened first, which takes that many turns of the event loop, one number after the other.
 */
export function buildAgent(plan: AgentPlan, turns?: readonly number[]): JuneElement {
  return new Builder(callDepth, turns === undefined ? undefined : { turns, opened: 0 }).agent(plan);
}

type Bundle = (props: object) => JuneElement;

class Builder {
  private steps = 0;

  constructor(
    private readonly depth: number,
    private readonly waiting: { readonly turns: readonly number[]; opened: number } | undefined,
  ) {}

  agent(plan: AgentPlan): JuneElement {
    const tools =
      plan.tools === undefined ? {} : { tools: Object.freeze(toolsOf(plan.tools)) as Record<string, SdkTool> };
    return (
      <Agent {...settingsOf(plan)} {...tools}>
        {this.nodes(plan.children, [])}
      </Agent>
    );
  }

  nodes(plans: readonly NodePlan[], bundles: readonly Bundle[]): JuneNode {
    return Object.freeze(plans.map((plan) => this.node(plan, bundles)));
  }

  private node(plan: NodePlan, bundles: readonly Bundle[]): JuneNode {
    switch (plan.type) {
      case "agent":
        return this.agent(plan);
      case "tool":
        return <Tool name={plan.name} value={toolOf(plan.tool)} />;
      case "use": {
        const { needsApproval } = plan.tool;
        const callable = defineTool({
          name: plan.name,
          description: "A callable tool",
          input: inputSchema,
          execute: () => "ok",
          ...(needsApproval === undefined ? {} : { needsApproval: ruleOf(needsApproval) }),
        });
        return plan.as === undefined ? <Tool use={callable} /> : <Tool use={callable} as={plan.as} />;
      }
      case "composite":
        return (
          <Tool name={plan.name} description="A workflow" input={inputSchema}>
            {({ depth }) => new Builder(depth, this.waiting).agent(plan.body)}
          </Tool>
        );
      case "callable": {
        const Callable = defineAgent({
          ...settingsOf(plan),
          name: plan.name,
          description: "An agent",
          input: inputSchema,
          prompt: ({ depth }) => `${depth}`,
          // A mistake in what a callable agent has to open shows only when it is called.
          capabilities: () => new Builder(this.depth, undefined).nodes(plan.capabilities, []),
        });
        return plan.as === undefined ? <Callable /> : <Callable name={plan.as} />;
      }
      case "toolset": {
        const Toolset = defineToolset(this.toolset(plan.name, toolsOf(plan.tools)));
        return <Toolset />;
      }
      case "inherit":
        return <Inherit capabilities={Object.freeze([...plan.names])} />;
      case "namespace":
        return <Namespace name={plan.name}>{this.nodes(plan.children, bundles)}</Namespace>;
      case "approval":
        return (
          <RequireApproval {...(plan.reason === undefined ? {} : { reason: plan.reason })}>
            {this.nodes(plan.children, bundles)}
          </RequireApproval>
        );
      case "bundle": {
        const Made: Bundle = defineCapabilities(() => this.nodes(plan.children, [...bundles, Made]), {
          name: plan.name,
        });
        return <Made />;
      }
      case "bundle-again": {
        const [Outermost] = bundles;
        return Outermost === undefined ? null : <Outermost />;
      }
      case "async-bundle": {
        const Late = defineCapabilities(async () => null, { name: plan.name });
        return <Late />;
      }
      case "group": {
        const children = this.nodes(plan.children, bundles);
        if (plan.form === "fragment") return <>{children}</>;
        if (plan.form === "iterable") return new Set(children as readonly JuneNode[]);
        return plan.form === "condition" ? plan.children.length > 0 && children : children;
      }
      case "component": {
        const children = this.nodes(plan.children, bundles);
        const Component = () => children;
        return <Component />;
      }
      case "step":
        return <Step id={`s${this.steps++}`} prompt={`${this.depth}`} />;
      case "text":
        return "text";
      case "nothing":
        return nothings[plan.form];
    }
  }

  private toolset(name: string, tools: Record<string, SdkTool>): ToolsetDefinition<object> {
    const { waiting } = this;
    if (waiting === undefined) return { name, tools: () => tools };
    const turns = waiting.turns[waiting.opened++ % waiting.turns.length]!;
    return { name, key: () => "the only one", open: () => pass(turns).then(() => ({ tools })) };
  }
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const nothings = { false: false, true: true, null: null, undefined, space: " \n " };

function toolsOf(plans: readonly { readonly name: string; readonly tool: ToolPlan }[]): Record<string, SdkTool> {
  return Object.fromEntries(plans.map(({ name, tool: plan }) => [name, toolOf(plan)]));
}

/** One tool object for each way a tool can be, used under any name and in any tree. */
function toolOf(plan: ToolPlan): SdkTool {
  const id = `${plan.kind} ${plan.needsApproval}`;
  const made = madeTools.get(id) ?? (Object.freeze(makeTool(plan)) as SdkTool);
  madeTools.set(id, made);
  return made;
}

function makeTool({ kind, needsApproval }: ToolPlan): SdkTool {
  if (kind === "provider")
    return { type: "provider", isProviderExecuted: true, id: "test.provided", args: {}, inputSchema } as SdkTool;
  const parts = {
    description: "A tool",
    inputSchema,
    execute: () => "ok",
    ...(needsApproval === undefined ? {} : { needsApproval: ruleOf(needsApproval) }),
  };
  return (kind === "dynamic" ? dynamicTool(parts) : tool(parts)) as SdkTool;
}

function ruleOf(needsApproval: NonNullable<ToolPlan["needsApproval"]>): boolean | (() => boolean) {
  if (typeof needsApproval === "boolean") return needsApproval;
  return () => {
    if (needsApproval === "throws") throw new Error("policy down");
    return needsApproval === "asks";
  };
}

function settingsOf({ toolApproval, maxTools }: SettingsPlan): Pick<AgentProps, "toolApproval" | "maxTools"> {
  return {
    ...(maxTools === undefined ? {} : { maxTools }),
    ...(toolApproval === undefined ? {} : { toolApproval: Object.freeze(approvalOf(toolApproval)) }),
  };
}

function approvalOf(plan: NonNullable<SettingsPlan["toolApproval"]>): NonNullable<AgentProps["toolApproval"]> {
  if (plan.form === "function") {
    const byName = new Map(plan.rules.map(({ name, status }) => [name, status]));
    return ({ toolCall }) => byName.get(toolCall.toolName);
  }
  return Object.fromEntries(
    plan.rules.map(({ name, status, isFunction }): [string, ToolApprovalStatus | (() => ToolApprovalStatus)] => [
      name,
      isFunction ? () => status : status,
    ]),
  );
}
