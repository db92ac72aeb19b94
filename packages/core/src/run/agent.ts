/** Runs an `<Agent>`: resolves its scope, wraps its tools, then renders its body. */

import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import { checkProps } from "../components/check-props.js";
import { agentRules } from "../components/agent.js";
import { Step, stepIdPattern } from "../components/step.js";
import type { ToolsetDefinition, WaitingToolset } from "../components/define-toolset.js";
import { contextOf, lookAhead, resolveAgent, type ResolveContext, type Resolved } from "../capability/resolve.js";
import {
  isProviderExecuted,
  listCapabilities,
  listWaits,
  rulesOf,
  withoutPrototype,
  type Scope,
} from "../capability/scope.js";
import { checkSchema } from "../capability/schema.js";
import { createElementRecord, isPromiseLike, isRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { labelOf } from "../element/label.js";
import type { Involved } from "../errors/compose.js";
import { invalidProps, messagesWithApprovals, noModel, textBesideSteps } from "../errors/declaration-errors.js";
import { framePath, nextPath, withFrame, type RenderContext, type TextSink } from "../render/context.js";
import { renderNode } from "../render/render.js";
import { executeOf } from "./invoke-tool.js";
import { Places } from "./limits.js";
import { defaultMaxToolOutputBytes, toModelOutput } from "./model-output.js";
import type { RunInstance, RunningAgent } from "./run-state.js";

/** @throws every error of its scope and of what it renders; the reason of an abort as it is. */
export async function renderAgent(instance: RunInstance, element: JuneElement, context: RenderContext): Promise<void> {
  const { recorder } = instance.shared;
  const props = element.props as Readonly<Record<string, any>>;
  const involved: Involved = { label: labelOf(element), source: element.source };
  const inner = withFrame(context, involved.label, element.source, false);
  const name = typeof props["name"] === "string" ? (props["name"] as string) : undefined;
  const path = nextPath(context, "agent", name ?? element.key);
  const node = recorder.start({
    type: "agent-start",
    name: name ?? "agent",
    path,
    label: name ?? context.node.label,
    parentId: context.node.id,
  });
  try {
    checkProps(element, agentRules);
    checkText(context);
    const resolved = resolve(instance, element, involved, { ...inner, path, siblings: { counts: new Map() } }, node);
    const { scope, body } = isPromiseLike(resolved) ? await resolved : resolved;
    context.abort.throwIfAborted();
    const model = (props["model"] ?? instance.shared.options.model) as
      | LanguageModel
      | readonly LanguageModel[]
      | undefined;
    if (model === undefined) throw noModel(involved);
    if (!instance.isLookedAhead)
      lookAhead(scope, {
        ...resolveContext(instance, framePath(inner.frame)),
        hasDefaultModel: instance.shared.options.model !== undefined,
      });
    const isListed = scope.declarations.length > Object.keys((props["tools"] as ToolSet | undefined) ?? {}).length;
    const waits = listWaits(scope);
    recorder.resolved(node, {
      ...(isListed ? { capabilities: listCapabilities(scope) } : {}),
      ...(waits.length === 0 ? {} : { waits }),
    });
    for (const warning of scope.warnings)
      recorder.note(node, { code: "tool-name-lookalike", text: warning.slice("tool-name-lookalike: ".length) });
    const agent = startAgent(instance, { ...props, model }, involved, name, scope, node);
    const text: TextSink = { parts: [], hasSteps: false, owner: involved };
    const bodyContext: RenderContext = { ...inner, agent, node, path, siblings: { counts: new Map() }, text };
    context.layer.addAgent(agent);
    await renderNode(body as JuneNode, bodyContext);
    if (text.parts.length > 0) await renderImplicitStep(instance, element, text.parts.join(""), bodyContext);
    recorder.end(node, { type: "agent-end" });
  } catch (error) {
    recorder.fail(node, { type: "agent-end" }, error, context.abort.isReason(error));
    throw error;
  }
}

/** What resolving needs to know of this run, in and outside of an agent. */
export function resolveContext(instance: RunInstance, path: string): Omit<ResolveContext, "open" | "parent"> {
  const { options, allowedTools } = instance.shared;
  return { allowedTools, runtimeContext: options.context, hasDefaultModel: options.model !== undefined, path };
}

function resolve(
  instance: RunInstance,
  element: JuneElement,
  involved: Involved,
  context: RenderContext,
  node: RunningAgent["node"],
): Resolved | Promise<Resolved> {
  const props = element.props as Readonly<Record<string, any>>;
  const open = (definition: ToolsetDefinition, toolset: JuneElement, label: string): Promise<ToolSet> =>
    instance.shared.toolsets.open(
      definition as WaitingToolset<never>,
      toolset,
      label,
      context.abort,
      node,
      nextPath(context, "toolset", label),
    );
  return resolveAgent(involved, props, props["children"] as JuneNode, {
    ...resolveContext(instance, framePath(context.frame)),
    ...(props["runtimeContext"] === undefined ? {} : { runtimeContext: props["runtimeContext"] as unknown }),
    parent: context.agent?.scope ?? instance.parentScope,
    open,
  });
}

/** An agent beside text of the agent around: the text has no place. */
function checkText(context: RenderContext): void {
  if (context.agent === undefined) return;
  const [text] = context.text.parts;
  if (text !== undefined) throw textBesideSteps(context.text.owner, text);
  context.text.hasSteps = true;
}

function startAgent(
  instance: RunInstance,
  settings: Readonly<Record<string, any>>,
  involved: Involved,
  name: string | undefined,
  scope: Scope,
  node: RunningAgent["node"],
): RunningAgent {
  const messages = (settings["messages"] as readonly ModelMessage[] | undefined) ?? [];
  checkMessages(messages, involved);
  const concurrency = settings["toolCallConcurrency"] as number | undefined;
  const agent: RunningAgent = {
    instance,
    settings,
    involved,
    name,
    scope,
    node,
    tools: Object.create(null) as ToolSet,
    places: concurrency === undefined ? undefined : new Places(concurrency),
    usedCallIds: callIdsIn(messages),
    conversation: [...messages],
    step: undefined,
  };
  return Object.assign(agent, { tools: wrapTools(agent) });
}

/** The ToolSet of the SDK: every tool as it was declared, with June's way of calling it around. */
function wrapTools(agent: RunningAgent): ToolSet {
  const { scope, settings } = agent;
  const maxBytes = (settings["maxToolOutputBytes"] as number | undefined) ?? defaultMaxToolOutputBytes;
  const tools = withoutPrototype(
    scope.declarations.map((declaration) => {
      const { tool, name } = declaration;
      if (isProviderExecuted(declaration)) return [name, tool] as const;
      const execute = executeOf({
        agent,
        declaration,
        rules: rulesOf(declaration, scope),
        timeoutMs: toolTimeoutMs(settings, name),
      });
      const wrapped = {
        ...tool,
        // One rule for all: June holds calls itself, inside execute.
        needsApproval: undefined,
        inputSchema: checkSchema(tool.inputSchema).schema ?? tool.inputSchema,
        execute,
        toModelOutput: (part: { toolCallId: string; input: unknown; output: unknown }) =>
          agent.step?.modelOutputs.get(part.toolCallId) ?? toModelOutput(declaration, part, maxBytes),
      };
      return [name, Object.freeze(wrapped) as unknown as typeof tool] as const;
    }),
  ) as ToolSet;
  // The SDK hands this very object to the agent's callbacks.
  return Object.freeze(tools);
}

/** The context of each tool by exposed name, as the SDK wants it. */
export function toolsContextOf(scope: Scope): Record<string, unknown> | undefined {
  const entries = scope.declarations.flatMap((declaration) => {
    const context = contextOf(declaration, scope);
    return context === undefined ? [] : [[declaration.name, context] as const];
  });
  return entries.length === 0 ? undefined : withoutPrototype(entries);
}

function toolTimeoutMs(settings: Readonly<Record<string, any>>, name: string): number | undefined {
  const { timeout } = settings as { timeout?: number | { toolMs?: number; tools?: Record<string, number> } };
  if (typeof timeout !== "object") return undefined;
  return timeout.tools?.[`${name}Ms`] ?? timeout.toolMs;
}

/**
 * Refuses what is no message, and approval parts: the SDK would run the tool calls they name.
 * @throws {DeclarationError} `invalid-props`, `messages-with-approvals`
 */
export function checkMessages(messages: readonly ModelMessage[], owner: Involved): void {
  for (const message of messages) {
    if (!isMessage(message))
      throw invalidProps(
        owner.label,
        owner.source,
        "got something among its messages that is no message",
        "A message of the AI SDK is { role, content }; its content is text or an array of parts.",
      );
    if (typeof message.content === "string") continue;
    for (const { type } of message.content)
      if (type === "tool-approval-response" || type === "tool-approval-request") throw messagesWithApprovals(owner);
  }
}

function isMessage(value: unknown): value is ModelMessage {
  if (!isRecord(value) || typeof value["role"] !== "string") return false;
  const { content } = value;
  return typeof content === "string" || (Array.isArray(content) && content.every(isRecord));
}

function callIdsIn(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content) if (part.type === "tool-call") ids.add(part.toolCallId);
  }
  return ids;
}

/** The text of an agent without steps is the prompt of one. */
async function renderImplicitStep(
  instance: RunInstance,
  element: JuneElement,
  prompt: string,
  context: RenderContext,
): Promise<void> {
  const { name, output } = element.props as { name?: string; output?: unknown };
  const id = name !== undefined && stepIdPattern.test(name) ? name : context.layer.nextImplicitId(context.branchSuffix);
  const step = createElementRecord(
    Step,
    { id, prompt, ...(output === undefined ? {} : { output }) },
    null,
    element.source,
  );
  await instance.renderStep(step, { ...context, text: { parts: [], hasSteps: false, owner: context.text.owner } });
}
