/** Runs a `<Step>`: adds its prompt to the agent's conversation and hands model, tools and messages to the SDK's loop. Long because it is where every setting of the loop is decided. */

import {
  NoObjectGeneratedError,
  generateText,
  isStepCount,
  streamText,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from "ai";
import { passedSettings, streamSettings } from "../components/agent.js";
import { checkProps } from "../components/check-props.js";
import { stepRules, type Prompt, type StepProps } from "../components/step.js";
import type { JuneElement, JuneNode } from "../element/element.js";
import { labelOf } from "../element/label.js";
import type { Involved } from "../errors/compose.js";
import { invalidProps, stepInParallel, stepWithoutAgent, textBesideSteps } from "../errors/declaration-errors.js";
import { JuneError } from "../errors/june-error.js";
import {
  answerCut,
  answerFiltered,
  emptyAnswer,
  modelFailed,
  outputInvalid,
  stepLimit,
  timedOut,
} from "../errors/run-errors.js";
import { nextPath, withFrame, type RenderContext } from "../render/context.js";
import { renderNode } from "../render/render.js";
import { settle, settleActive } from "../render/settle.js";
import { TimeLimit } from "../render/time-limit.js";
import type { ChildRunOutput } from "../trace/trace.js";
import { checkMessages, toolsContextOf } from "./agent.js";
import { boundModel, modelList } from "./model.js";
import { DeniedOutput } from "./model-output.js";
import { offeredTools } from "./offered-tools.js";
import { recordUnrunCalls } from "./unrun-calls.js";
import type { RunInstance, RunningAgent, StepState } from "./run-state.js";
import { isTelemetryHeard } from "./telemetry.js";

const defaultModelCalls = 20;

/** @throws every error of the step; the reason of an abort as it is. */
export async function renderStep(instance: RunInstance, element: JuneElement, context: RenderContext): Promise<void> {
  const involved: Involved = { label: labelOf(element), source: element.source };
  checkProps(element, stepRules);
  const { id, prompt, output, children } = element.props as StepProps<unknown>;
  const agent = context.agent as RunningAgent | undefined;
  if (agent === undefined) throw stepWithoutAgent(involved, instance.depth > 0);
  if (context.parallelAgent === agent) throw stepInParallel(involved, agent.involved);
  if (agent.settings["output"] !== undefined && output === undefined) {
    throw invalidProps(
      agent.involved.label,
      agent.involved.source,
      "has an output and steps",
      "Move output to the <Step>: the one of an <Agent> is for an agent whose prompt is its text.",
    );
  }
  const [text] = context.text.parts;
  if (text !== undefined) throw textBesideSteps(context.text.owner, text);
  context.text.hasSteps = true;
  context.layer.claim(id, involved);
  const inner = withFrame(context, involved.label, element.source, false);
  const { recorder } = instance.shared;
  const path = nextPath(context, "step", id);
  const label = `${instance.labelPrefix}${id}`;
  const promptMessages = toMessages(
    await settle(() => (typeof prompt === "function" ? prompt(context.layer.results()) : prompt), inner),
    involved,
  );
  const node = recorder.start({
    type: "step-start",
    name: id,
    path,
    label,
    parentId: context.node.id,
    ...offeredTools(agent),
    ...(recorder.capture === "full" ? { prompt: promptMessages } : {}),
  });
  try {
    const stepContext: RenderContext = { ...inner, node, path, siblings: { counts: new Map() } };
    const answer = await runLoop(agent, id, [...agent.conversation, ...promptMessages], output, stepContext);
    agent.conversation = [...agent.conversation, ...promptMessages, ...answer.messages];
    context.layer.setResult(id, answer.value);
    if (children !== undefined)
      await renderNode((await settleActive(() => children(answer.value), stepContext)) as JuneNode, stepContext);
    recorder.end(node, { type: "step-end", answer: answer.value });
  } catch (error) {
    recorder.fail(node, { type: "step-end" }, error, context.abort.isReason(error));
    throw error;
  }
}

interface LoopResult {
  readonly value: unknown;
  readonly messages: readonly ModelMessage[];
}

async function runLoop(
  agent: RunningAgent,
  id: string,
  messages: readonly ModelMessage[],
  output: StepProps<unknown>["output"],
  context: RenderContext,
): Promise<LoopResult> {
  const { shared } = agent.instance;
  const { totalMs, stepMs, firstChunkMs, chunkMs } = timeoutsOf(agent);
  const abort = context.abort.inner();
  const limit =
    totalMs === undefined
      ? undefined
      : new TimeLimit(
          totalMs,
          shared.environment.now,
          () => abort.abort(timedOut(`the step ${JSON.stringify(context.node.label)}`, totalMs)),
          context.timeLimits,
        );
  const step: StepState = {
    agent,
    id,
    context,
    node: context.node,
    abort,
    timeLimits: limit ?? context.timeLimits,
    turnLimit: undefined,
    turn: undefined,
    modelCalls: 0,
    inFlight: new Set(),
    modelOutputs: new Map(),
    lastTools: [],
    streamError: undefined,
  };
  agent.step = step;
  try {
    const callSettings = {
      maxRetries: (agent.settings["maxRetries"] as number | undefined) ?? 2,
      stepTimeoutMs: stepMs,
      firstChunkTimeoutMs: firstChunkMs,
      chunkTimeoutMs: chunkMs,
      memory: shared.recorder.capture === "full" ? { messages: [] } : undefined,
    };
    const bind = (model: LanguageModel | readonly LanguageModel[]) => boundModel(modelList(model), step, callSettings);
    const options = sdkOptions(agent, step, messages, output, bind);
    const result = shared.options.stream === true ? await stream(options, step) : await generateText(options as never);
    abort.throwIfAborted();
    return await readResult(result as LoopOutcome, step, output);
  } catch (error) {
    throw abort.isAborted ? abort.reason : JuneError.isInstance(error) ? error : loopFailure(step, error);
  } finally {
    limit?.stop();
    step.turnLimit?.stop();
    // A stream ends at once on an abort; its tools are waited for here. Each bounds its own wait.
    if (step.inFlight.size > 0) await Promise.allSettled(step.inFlight);
    step.turn?.fork?.close();
    abort.dispose();
    agent.step = undefined;
  }
}

/** An error of the SDK's loop itself: an answer that is not the output asked for, or a call that could not be made. */
function loopFailure(step: StepState, error: unknown): Error {
  if (NoObjectGeneratedError.isInstance(error)) return outputInvalid(step.node.label, error);
  return modelFailed(step.node.label, step.turn?.modelId ?? modelList(step.agent.settings["model"])[0]!.modelId, error);
}

/** What June reads of an SDK result, streamed or not. */
interface LoopOutcome {
  readonly steps: readonly {
    readonly text: string;
    readonly finishReason: string;
    readonly toolResults: readonly { readonly toolCallId: string; readonly output: unknown }[];
    readonly toolCalls: readonly LoopCall[];
  }[];
  readonly responseMessages: readonly ModelMessage[];
  readonly output: unknown;
}

interface LoopCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly providerExecuted?: boolean;
  readonly invalid?: boolean;
}

function sdkOptions(
  agent: RunningAgent,
  step: StepState,
  messages: readonly ModelMessage[],
  output: unknown,
  bind: (model: LanguageModel | readonly LanguageModel[]) => LanguageModel,
): Record<string, unknown> {
  const { settings, instance, scope } = agent;
  const { options } = instance.shared;
  const passed = pick(settings, passedSettings);
  const toolsContext = toolsContextOf(scope);
  const telemetry =
    settings["telemetry"] ?? options.telemetry ?? (isTelemetryHeard() ? undefined : { isEnabled: false });
  const runtimeContext = settings["runtimeContext"] ?? options.context;
  const onCallEnd = settings["onLanguageModelCallEnd"] as ((event: unknown) => unknown) | undefined;
  return {
    ...passed,
    ...(options.stream === true ? pick(settings, streamSettings) : {}),
    model: bind(settings["model"] as LanguageModel),
    messages,
    ...toolsOf(agent),
    abortSignal: step.abort.signal,
    stopWhen: stopConditionsOf(step),
    // June retries inside the model call, so that every stage counts one call once.
    maxRetries: 0,
    // June holds calls inside execute; without this the SDK would hold them a second time.
    toolApproval: () => undefined,
    onLanguageModelCallEnd: async (event: { content: readonly unknown[] }) => {
      recordUnrunCalls(step, event.content as never);
      await onCallEnd?.(event);
    },
    ...(settings["prepareStep"] === undefined ? {} : { prepareStep: prepareStepOf(step, toolsContext, bind) }),
    ...(output === undefined ? {} : { output }),
    ...(toolsContext === undefined ? {} : { toolsContext }),
    ...(runtimeContext === undefined ? {} : { runtimeContext }),
    ...(telemetry === undefined ? {} : { telemetry }),
  };
}

/** The author's prepareStep, with what it may not change put back: models stay wrapped and granted tools keep the context they came with. */
function prepareStepOf(
  step: StepState,
  toolsContext: Record<string, unknown> | undefined,
  bind: (model: LanguageModel | readonly LanguageModel[]) => LanguageModel,
): (options: unknown) => Promise<unknown> {
  const { agent, context } = step;
  const prepare = agent.settings["prepareStep"] as (options: unknown) => unknown;
  const granted = agent.scope.declarations
    .filter((declaration) => declaration.granted !== undefined)
    .map(({ name }) => name);
  return async (options) => {
    const prepared = (await settle(() => prepare(options), context)) as
      | { model?: LanguageModel; toolsContext?: Record<string, unknown>; messages?: ModelMessage[] }
      | undefined;
    if (prepared === undefined || prepared === null) return undefined;
    if (prepared.messages !== undefined) checkMessages(prepared.messages, agent.involved);
    const contexts =
      prepared.toolsContext === undefined
        ? {}
        : {
            toolsContext: {
              ...prepared.toolsContext,
              ...Object.fromEntries(granted.map((name) => [name, toolsContext?.[name]])),
            },
          };
    return { ...prepared, ...(prepared.model === undefined ? {} : { model: bind(prepared.model) }), ...contexts };
  };
}

/** When the loop ends without a final answer: as the author says, else at the default. */
function stopConditionsOf({ agent, context }: StepState): unknown {
  const own = agent.settings["stopWhen"] as StopCondition | readonly StopCondition[] | undefined;
  if (own === undefined) return isStepCount(defaultModelCalls);
  const conditions = Array.isArray(own) ? (own as readonly StopCondition[]) : [own as StopCondition];
  return conditions.map((condition) => async (options: unknown) => settle(() => condition(options), context));
}

type StopCondition = (options: unknown) => boolean | PromiseLike<boolean>;

/** The tools the model is offered: all, or those of `activeTools`. A smaller set is cheaper for the SDK than a filter on a large one, but `prepareStep` may choose others. */
function toolsOf({ settings, tools }: RunningAgent): { tools: ToolSet; activeTools?: readonly string[] } {
  const active = settings["activeTools"] as readonly string[] | undefined;
  if (active === undefined) return { tools };
  if (settings["prepareStep"] !== undefined) return { tools, activeTools: active };
  const offered = Object.entries(tools).filter(([name]) => active.includes(name));
  return { tools: Object.freeze(Object.setPrototypeOf(Object.fromEntries(offered), null) as ToolSet) };
}

async function stream(options: Record<string, unknown>, step: StepState): Promise<LoopOutcome> {
  const { onError } = options as { onError?: (event: unknown) => unknown };
  const result = streamText({ ...options, onError: onError ?? (() => {}) } as never);
  let failure: unknown;
  for await (const part of result.stream) if (part.type === "error") failure ??= part.error;
  step.abort.throwIfAborted();
  if (step.streamError !== undefined) throw step.streamError;
  if (failure !== undefined) throw failure;
  const [steps, responseMessages] = await Promise.all([result.steps, result.responseMessages]);
  return {
    steps: steps as LoopOutcome["steps"],
    responseMessages: responseMessages as readonly ModelMessage[],
    get output() {
      return result.output;
    },
  };
}

/** The step's answer, or the error that says why there is none. */
async function readResult(result: LoopOutcome, step: StepState, output: unknown): Promise<LoopResult> {
  const label = step.node.label;
  const messages = result.responseMessages;
  const last = result.steps[result.steps.length - 1]!;
  switch (last.finishReason) {
    case "length":
      throw answerCut(label);
    case "content-filter":
      throw answerFiltered(label);
    case "error":
      throw modelFailed(label, step.turn!.modelId, new Error("the provider reported an error as the finish reason"));
    default:
  }
  const calls = last.toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
  const isRunnable = last.finishReason === "tool-calls" || last.finishReason === "stop";
  if (!isRunnable && calls.some(({ invalid }) => invalid !== true))
    throw modelFailed(
      label,
      step.turn!.modelId,
      new Error(`it called tools and finished with ${JSON.stringify(last.finishReason)}, so that they were not run`),
    );
  if (calls.length > 0) return { value: stoppedValue(result, step), messages };
  if (output !== undefined) {
    let value: unknown;
    try {
      value = await result.output;
    } catch (error) {
      throw outputInvalid(label, error);
    }
    if (typeof value !== "string" || last.text.trim() !== "") return { value, messages };
  }
  if (last.text.trim() === "") throw emptyAnswer(label, last.finishReason);
  return { value: last.text, messages };
}

/** What a loop that was stopped between its turns leaves: the text so far, else the last output of a tool. */
function stoppedValue({ steps }: LoopOutcome, { agent, node, lastTools }: StepState): unknown {
  if (agent.settings["stopWhen"] === undefined) throw stepLimit(node.label, steps.length, lastTools);
  const texts = steps.map(({ text }) => text).filter((text) => text.trim() !== "");
  if (texts.length > 0) return texts.join("\n");
  for (const { toolCalls, toolResults } of steps.toReversed()) {
    // In the model's order: a stream lists results as they come.
    for (const { toolCallId, toolName } of toolCalls.toReversed()) {
      const result = toolResults.findLast((part) => part.toolCallId === toolCallId);
      if (result === undefined || result.output instanceof DeniedOutput) continue;
      const declaration = agent.scope.declarations.find(({ name }) => name === toolName);
      const value = declaration?.composite === undefined ? result.output : (result.output as ChildRunOutput).output;
      return value ?? null;
    }
  }
  throw emptyAnswer(node.label, "tool-calls");
}

function toMessages(prompt: Prompt, step: Involved): ModelMessage[] {
  if (typeof prompt === "string" && prompt.trim() !== "") return [{ role: "user", content: prompt }];
  if (!Array.isArray(prompt) || prompt.length === 0)
    throw invalidProps(step.label, step.source, "has an empty prompt", "Give text that is not empty, or messages.");
  checkMessages(prompt as readonly ModelMessage[], step);
  return [...(prompt as readonly ModelMessage[])];
}

function timeoutsOf(agent: RunningAgent): {
  totalMs?: number;
  stepMs?: number;
  firstChunkMs?: number;
  chunkMs?: number;
} {
  const timeout = agent.settings["timeout"] as
    | number
    | { totalMs?: number; stepMs?: number; firstChunkMs?: number; chunkMs?: number }
    | undefined;
  return typeof timeout === "number" ? { totalMs: timeout } : (timeout ?? {});
}

function pick(settings: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (settings[name] !== undefined) picked[name] = settings[name];
  return picked;
}
