/** The public names of @june/core. */

export { createElement } from "./element/create-element.js";
export { Fragment } from "./element/fragment.js";
export type { JuneElement, JuneNode } from "./element/element.js";
export { Agent, type AgentProps, type AgentSettings, type AnyOutput } from "./components/agent.js";
export { Step, type Prompt, type Results, type StepProps } from "./components/step.js";
export { Tool, type CompositeResult, type ToolProps } from "./components/tool.js";
export { Inherit } from "./components/inherit.js";
export { RequireApproval } from "./components/require-approval.js";
export { Namespace } from "./components/namespace.js";
export { Parallel } from "./components/parallel.js";
export { Catch, type CatchProps } from "./components/catch.js";
export { defineCapabilities } from "./components/define-capabilities.js";
export {
  defineToolset,
  type OpenToolset,
  type ReadyToolset,
  type ToolsetDefinition,
  type WaitingToolset,
} from "./components/define-toolset.js";
export { defineAgent, type AgentDefinition, type CallableAgent } from "./run/define-agent.js";
export { defineTool, type ToolDefinition } from "./render/define-tool.js";
export type { CallableTool, CallOptions, CallTrace } from "./components/callable-tool.js";
export { run } from "./run/run.js";
export { createRuntime, type Runtime } from "./run/runtime.js";
export { resolveTools, type ResolvedTools, type ResolveToolsOptions } from "./run/resolve-tools.js";
export type { AnswerOptions, RunHandle } from "./run/run-handle.js";
export type { UIStreamOptions } from "./run/ui-message-stream.js";
export type { Limits, RunOptions } from "./run/options.js";
export type { Answer, Request } from "./run/request.js";
export type { RunResult } from "./run/result.js";
export { inspect, type AgentReport, type InspectedNode, type InspectOptions } from "./run/inspect.js";
export type { Capability, Wait } from "./capability/scope.js";
export type { RunEvent } from "./trace/event.js";
export type { Trace, TraceNode } from "./trace/trace.js";
export type { Usage } from "./trace/usage.js";
export { DeclarationError, JuneError, RunError } from "./errors/june-error.js";
export { errorCodes, type ErrorCode } from "./errors/codes.js";
