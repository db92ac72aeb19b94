/** `<Agent>`: a scope of capabilities and a conversation. Its settings are the AI SDK's own. */

import type { LanguageModel, ModelMessage, OutputInterface, ToolLoopAgentSettings, ToolSet } from "ai";
import { createElementRecord, isRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { anything, functionProp, textProp, wholeNumber, type PropRule, type PropRules } from "./check-props.js";

/** An output of the AI SDK, such as `Output.object({ schema })`. */
export type AnyOutput<T> = OutputInterface<T, any, any>;

/** The AI SDK's agent settings that June passes on or honours itself, under their own names. */
export type AgentSettings = Omit<
  ToolLoopAgentSettings<never, ToolSet>,
  | "model"
  | "id"
  | "output"
  | "callOptionsSchema"
  | "prepareCall"
  | "toolsContext"
  | "_internal"
  | "experimental_telemetry"
  | "experimental_onStart"
  | "experimental_onStepStart"
  | "experimental_repairToolCall"
  | "experimental_toolApprovalSecret"
  | "onStepFinish"
  | "onFinish"
> & {
  /** Tools held already, by name; they join the scope by the same rules as declarations. */
  tools?: ToolSet;
  /** Context for tools by exposed name. */
  toolsContext?: Record<string, unknown>;
};

/** What `<Agent>` takes. */
export type AgentProps<T = string> = AgentSettings & {
  /** For people: shown in trace and errors, and the label of the agent's path. */
  name?: string;
  /** The model, or several: the next is tried when one fails for good. Left out, the run's default is used. */
  model?: LanguageModel | readonly LanguageModel[];
  /** A conversation to continue. */
  messages?: readonly ModelMessage[];
  /** The largest number of tools in this scope; 128 unless set. */
  maxTools?: number;
  /** Bound in bytes (UTF-8) on what a model sees of one tool result; head and tail are kept. 262,144 unless set. */
  maxToolOutputBytes?: number;
  /** The output of an agent whose prompt is its text. With steps, each step has its own. */
  output?: AnyOutput<T>;
  children?: JuneNode;
};

/**
 * Declares an agent: what stands directly inside it is what it can do, the rest is what it does.
 * @throws {DeclarationError} `invalid-props` when the run meets it with a wrong prop.
 * @see docs/guide/scope.md
 */
export const Agent: <T = string>(props: AgentProps<T>) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Agent, { ...props }, null, undefined),
  "agent",
  "Agent",
);

const list: PropRule = { expects: "an array", accepts: Array.isArray };
const record: PropRule = { expects: "a plain object", accepts: isRecord };
const model: PropRule = {
  expects: "a model of the AI SDK, a model id, or a list of them",
  accepts: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isModel) : isModel(value)),
};

function isModel(value: unknown): boolean {
  return (
    (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null && "modelId" in value)
  );
}

const durations = new Set(["totalMs", "stepMs", "toolMs", "firstChunkMs", "chunkMs"]);

// A misspelt limit would be none.
const timeout: PropRule = {
  expects: `a number of milliseconds, or an object of ${[...durations].join(", ")} and tools`,
  accepts: (value) =>
    isDuration(value) ||
    (isRecord(value) &&
      Object.entries(value).every(([name, part]) =>
        name === "tools"
          ? part === undefined || (isRecord(part) && Object.values(part).every(isDuration))
          : durations.has(name) && (part === undefined || isDuration(part)),
      )),
};

function isDuration(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

/** The settings that go to the SDK's loop as they are. */
export const passedSettings = [
  "instructions",
  "allowSystemInMessages",
  "toolChoice",
  "toolOrder",
  "repairToolCall",
  "experimental_refineToolInput",
  "experimental_toolCallers",
  "experimental_download",
  "providerOptions",
  "headers",
  "include",
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
  "reasoning",
  "onStart",
  "onStepStart",
  "onLanguageModelCallStart",
  "onLanguageModelCallEnd",
  "onToolExecutionStart",
  "onToolExecutionEnd",
  "onStepEnd",
  "onStepError",
  "onEnd",
] as const satisfies readonly (keyof AgentSettings)[];

/** Settings of the SDK that only its stream takes. */
export const streamSettings = ["onError", "onAbort"] as const satisfies readonly (keyof AgentSettings)[];

/** The rules of the settings an agent has wherever it is written: `<Agent>` and `defineAgent`. */
export const settingRules: PropRules = {
  ...Object.fromEntries(
    [...passedSettings, ...streamSettings].map((name) => [
      name,
      name.startsWith("on") || name === "repairToolCall" ? functionProp : anything,
    ]),
  ),
  model,
  tools: record,
  toolApproval: {
    expects: "an object by tool name, or a function",
    accepts: (value) => typeof value === "function" || record.accepts(value),
  },
  toolsContext: record,
  activeTools: list,
  toolCallConcurrency: wholeNumber(1),
  prepareStep: functionProp,
  stopWhen: {
    expects: "a stop condition or an array of them",
    accepts: (value) => typeof value === "function" || Array.isArray(value),
  },
  maxRetries: wholeNumber(0),
  timeout,
  telemetry: record,
  runtimeContext: record,
  maxTools: wholeNumber(1),
  maxToolOutputBytes: wholeNumber(1),
  output: record,
};

/** The rules of every prop of `<Agent>`. */
export const agentRules: PropRules = { ...settingRules, name: textProp, messages: list, children: anything };
