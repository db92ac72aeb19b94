/** What becomes of every setting of the SDK's agent in `<Agent>`. A setting that a new SDK brings, or drops, is a compile error here. */

import type { ToolLoopAgentSettings, ToolSet } from "ai";

/**
 * `same`: `<Agent>` takes it under its own name. `own`: `<Agent>` has it in a form of its own. `left-out`: `<Agent>` does not take it.
 */
export const sdkSettings = {
  instructions: "same",
  allowSystemInMessages: "same",
  toolChoice: "same",
  stopWhen: "same",
  telemetry: "same",
  activeTools: "same",
  toolOrder: "same",
  toolCallConcurrency: "same",
  runtimeContext: "same",
  toolApproval: "same",
  experimental_toolCallers: "same",
  prepareStep: "same",
  repairToolCall: "same",
  experimental_refineToolInput: "same",
  experimental_download: "same",
  include: "same",
  timeout: "same",
  maxRetries: "same",
  headers: "same",
  providerOptions: "same",
  maxOutputTokens: "same",
  temperature: "same",
  topP: "same",
  topK: "same",
  presencePenalty: "same",
  frequencyPenalty: "same",
  stopSequences: "same",
  seed: "same",
  reasoning: "same",
  onStart: "same",
  onStepStart: "same",
  onLanguageModelCallStart: "same",
  onLanguageModelCallEnd: "same",
  onToolExecutionStart: "same",
  onToolExecutionEnd: "same",
  onStepEnd: "same",
  onStepError: "same",
  onError: "same",
  onAbort: "same",
  onEnd: "same",
  // A list of models is taken too, and every tool joins the scope.
  model: "own",
  tools: "own",
  output: "own",
  toolsContext: "own",
  // The name of an agent is `name`, and a call of it is a step: there is nothing to prepare.
  id: "left-out",
  callOptionsSchema: "left-out",
  prepareCall: "left-out",
  // Approvals are June's own, and signed by nobody.
  experimental_toolApprovalSecret: "left-out",
  // Older names of settings above.
  experimental_telemetry: "left-out",
  experimental_onStart: "left-out",
  experimental_onStepStart: "left-out",
  experimental_repairToolCall: "left-out",
  onStepFinish: "left-out",
  onFinish: "left-out",
  _internal: "left-out",
} as const satisfies Record<keyof ToolLoopAgentSettings<never, ToolSet>, "same" | "own" | "left-out">;

/** The names of the settings with one of these fates. */
export type SdkSetting<Fate extends "same" | "own" | "left-out"> = {
  [K in keyof typeof sdkSettings]: (typeof sdkSettings)[K] extends Fate ? K : never;
}[keyof typeof sdkSettings];
