/** The model as the SDK's loop gets it: one call is counted, limited, retried, tried on the next model of a list, and recorded. Long because a streamed call needs each of these as well. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { retryWithExponentialBackoff } from "@ai-sdk/provider-utils";
import {
  UnsupportedModelVersionError,
  gateway,
  wrapLanguageModel,
  type LanguageModel,
  type LanguageModelUsage,
} from "ai";
import { JuneError } from "../errors/june-error.js";
import { modelFailed, reasonOf, streamCut, timedOut } from "../errors/run-errors.js";
import { TimeLimit } from "../render/time-limit.js";
import { addedMessages, type PromptMemory } from "./prompt-memory.js";
import type { StepState } from "./run-state.js";
import type { NodeHandle } from "../trace/recorder.js";

/** A model of the SDK's version 4 interface; text becomes one the way the SDK does it. */
function resolveModel(model: LanguageModel): LanguageModelV4 {
  if (typeof model === "string") {
    const provider =
      (globalThis as { AI_SDK_DEFAULT_PROVIDER?: { languageModel(id: string): LanguageModel } })
        .AI_SDK_DEFAULT_PROVIDER ?? gateway;
    return resolveModel(provider.languageModel(model));
  }
  if (model.specificationVersion === "v4") return model;
  const { specificationVersion: version, provider, modelId } = model;
  if (version !== "v3" && version !== "v2") throw new UnsupportedModelVersionError({ version, provider, modelId });
  return wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]["model"], middleware: {} });
}

/** The models of an agent's setting, in the order they are tried. */
export function modelList(model: LanguageModel | readonly LanguageModel[]): readonly LanguageModelV4[] {
  return (Array.isArray(model) ? (model as readonly LanguageModel[]) : [model as LanguageModel]).map((entry) => {
    try {
      return resolveModel(entry);
    } catch (error) {
      return missingModel(entry, error);
    }
  });
}

/** A model that could not be had, such as an id its provider does not know: fails as one does, when its turn comes. */
function missingModel(model: LanguageModel, error: unknown): LanguageModelV4 {
  const fail = (): Promise<never> => Promise.reject(error);
  const modelId = typeof model === "string" ? model : model.modelId;
  const provider = typeof model === "string" ? "unknown" : model.provider;
  return { specificationVersion: "v4", provider, modelId, supportedUrls: {}, doGenerate: fail, doStream: fail };
}

/** How the calls of one step are made. */
export interface CallSettings {
  readonly maxRetries: number;
  readonly stepTimeoutMs: number | undefined;
  readonly firstChunkTimeoutMs: number | undefined;
  readonly chunkTimeoutMs: number | undefined;
  readonly memory: PromptMemory | undefined;
}

/** `models` as one model for the SDK, bound to a step. */
export function boundModel(
  models: readonly LanguageModelV4[],
  step: StepState,
  settings: CallSettings,
): LanguageModelV4 {
  const [first] = models as readonly [LanguageModelV4, ...LanguageModelV4[]];
  return {
    specificationVersion: "v4",
    provider: first.provider,
    modelId: first.modelId,
    supportedUrls: first.supportedUrls,
    doGenerate: async (parameters) => {
      const call = await ModelCall.start(models, step, settings, parameters);
      return call.run(async (model) => {
        const result = await call.attempt(() => step.abort.wait(model.doGenerate(parameters), call.onIgnored), model);
        const content = renameCalls(result.content, step);
        call.finish(result.finishReason, result.usage, content);
        if (result.finishReason.unified === "interrupted") throw streamCut(model.modelId);
        return content === result.content ? result : { ...result, content };
      });
    },
    doStream: async (parameters) => {
      const call = await ModelCall.start(models, step, settings, parameters);
      const opening = call.run(async (model) => {
        const { stream, ...rest } = await call.attempt(
          () => openStream(model, parameters, step, call, settings),
          model,
        );
        return { ...rest, stream: recordStream(stream, step, call, settings, model.modelId) };
      }, true);
      return keepInFlight(step, opening);
    },
  };
}

class ModelCall {
  readonly #models: readonly LanguageModelV4[];
  readonly #step: StepState;
  readonly #settings: CallSettings;
  readonly #release: (() => void) | undefined;
  readonly node: NodeHandle;
  #hasEnded = false;

  static async start(
    models: readonly LanguageModelV4[],
    step: StepState,
    settings: CallSettings,
    parameters: LanguageModelV4CallOptions,
  ): Promise<ModelCall> {
    const { shared } = step.agent.instance;
    const path = `${step.node.path}/model[${step.modelCalls++}]`;
    try {
      shared.spending.startModelCall(path);
    } catch (error) {
      shared.fail(error);
      throw error;
    }
    const places = shared.spending.places;
    return new ModelCall(
      models,
      step,
      settings,
      parameters,
      path,
      places === undefined ? undefined : await places.take(step.abort),
    );
  }

  private constructor(
    models: readonly LanguageModelV4[],
    step: StepState,
    settings: CallSettings,
    parameters: LanguageModelV4CallOptions,
    path: string,
    release: (() => void) | undefined,
  ) {
    this.#models = models;
    this.#step = step;
    this.#settings = settings;
    this.#release = release;
    const [first] = models as readonly [LanguageModelV4, ...LanguageModelV4[]];
    this.node = step.agent.instance.shared.recorder.start({
      type: "model-call-start",
      name: first.modelId,
      model: `${first.provider}:${first.modelId}`,
      path,
      label: step.node.label,
      parentId: step.node.id,
      ...(settings.memory === undefined ? {} : { messages: addedMessages(settings.memory, parameters.prompt) }),
    });
    step.turn = { node: this.node, modelId: first.modelId, positions: new Map(), fork: undefined };
    if (settings.stepTimeoutMs !== undefined) this.#limitStep(settings.stepTimeoutMs);
  }

  readonly onIgnored = (): void =>
    this.#step.agent.instance.shared.recorder.note(this.node, {
      code: "ignored-abort",
      text: `the model ${JSON.stringify(this.#models[0]!.modelId)} ignored the abort`,
    });

  /** Tries each model of the list in turn. A stream ends its node itself. */
  async run<T>(work: (model: LanguageModelV4) => Promise<T>, isStream = false): Promise<T> {
    for (let index = 0; ; index++) {
      const model = this.#models[index]!;
      try {
        const result = await work(model);
        if (!isStream) this.end();
        return result;
      } catch (error) {
        const isAbort = this.#step.abort.isAborted;
        const next = this.#models[index + 1];
        // A stream that broke off before it gave anything is as good as a call that failed.
        const isGone = !JuneError.isInstance(error) || (error.code === "stream-cut" && this.#result === undefined);
        if (!isAbort && next !== undefined && isGone) {
          const { recorder } = this.#step.agent.instance.shared;
          recorder.note(this.node, {
            code: "model-fallback",
            text: `${JSON.stringify(model.modelId)} failed (${reasonOf(error).split("\n", 1)[0]}); trying ${JSON.stringify(next.modelId)}`,
          });
          continue;
        }
        const failure = isAbort
          ? this.#step.abort.reason
          : JuneError.isInstance(error)
            ? error
            : modelFailed(this.#step.node.label, model.modelId, error);
        this.fail(failure);
        throw failure;
      }
    }
  }

  /** One model, with the SDK's retries: errors that say so, waiting as long as the provider asks. */
  async attempt<T>(work: () => Promise<T>, model: LanguageModelV4): Promise<T> {
    const { maxRetries } = this.#settings;
    if (maxRetries === 0) return work();
    return retryWithExponentialBackoff({
      maxRetries,
      abortSignal: this.#step.abort.signal,
      shouldRetry: (error) => {
        const isRetryable =
          error instanceof Error &&
          (error as { isRetryable?: unknown }).isRetryable === true &&
          !this.#step.abort.isAborted;
        if (isRetryable)
          this.#step.agent.instance.shared.recorder.note(this.node, {
            code: "model-retry",
            text: `${JSON.stringify(model.modelId)} failed: ${error.message}`,
          });
        return isRetryable;
      },
      getDelayInMs: ({ error, exponentialBackoffDelay }) => retryDelayMs(error, exponentialBackoffDelay),
      // The last failure itself says more than a wrapper around it.
      createRetryError: ({ errors }) => errors[errors.length - 1] as Error,
    })(work);
  }

  /** Notes what the model gave: where each call stands in the turn, and what it cost. */
  finish(
    finishReason: LanguageModelV4FinishReason,
    usage: LanguageModelV4Usage,
    content: readonly LanguageModelV4Content[] | undefined,
  ): void {
    const { positions } = this.#step.turn!;
    const names: string[] = [];
    for (const part of content ?? []) {
      if (part.type !== "tool-call") continue;
      positions.set(part.toolCallId, positions.size);
      names.push(part.toolName);
    }
    if (content !== undefined) this.#step.lastTools = names;
    this.#result = { finishReason: finishReason.unified, usage: toUsage(usage), content };
    this.#step.agent.instance.shared.spending.addTokens(this.#result.usage);
  }

  #result:
    | { finishReason: string; usage: LanguageModelUsage; content: readonly LanguageModelV4Content[] | undefined }
    | undefined;

  end(): void {
    if (this.#close())
      this.#step.agent.instance.shared.recorder.end(this.node, { type: "model-call-end", ...this.#facts() });
  }

  fail(error: unknown): void {
    if (this.#close())
      this.#step.agent.instance.shared.recorder.fail(
        this.node,
        { type: "model-call-end", ...this.#facts() },
        error,
        this.#step.abort.isReason(error),
      );
  }

  #facts(): { finishReason?: string; usage?: LanguageModelUsage; text?: string; content?: unknown } {
    if (this.#result === undefined) return {};
    const { finishReason, usage, content } = this.#result;
    const text = this.#step.agent.instance.shared.options.stream === true ? "" : textOf(content);
    return {
      finishReason,
      usage,
      ...(text === "" ? {} : { text }),
      ...(content === undefined || this.#settings.memory === undefined ? {} : { content }),
    };
  }

  #close(): boolean {
    this.#release?.();
    const isFirst = !this.#hasEnded;
    this.#hasEnded = true;
    return isFirst;
  }

  // The SDK's stepMs covers one model call and the tools it leads to: it ends when the next call starts or the step ends.
  #limitStep(stepTimeoutMs: number): void {
    const { shared } = this.#step.agent.instance;
    const step = this.#step;
    const what = `a model call of the step ${JSON.stringify(step.node.label)}, with its tools,`;
    step.turnLimit?.stop();
    step.turnLimit = new TimeLimit(
      stepTimeoutMs,
      shared.environment.now,
      () => step.abort.abort(timedOut(what, stepTimeoutMs)),
      step.timeLimits,
    );
  }
}

function textOf(content: readonly LanguageModelV4Content[] | undefined): string {
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: LanguageModelV4StreamPart | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

async function openStream(
  model: LanguageModelV4,
  parameters: LanguageModelV4CallOptions,
  step: StepState,
  call: ModelCall,
  { firstChunkTimeoutMs }: CallSettings,
) {
  const limit = limitParts(firstChunkTimeoutMs, "first", step, model.modelId);
  try {
    const result = await step.abort.wait(model.doStream(parameters), call.onIgnored);
    const reader = result.stream.getReader();
    try {
      return { ...result, stream: { head: await readHead(reader, step, call, model.modelId), reader } };
    } catch (error) {
      reader.cancel(error).catch(() => {});
      throw error;
    }
  } finally {
    limit?.stop();
  }
}

/** The parts up to the first of the answer. Providers report an overload as the first part of the stream: seen here, it can still be retried. */
async function readHead(
  reader: PartReader,
  step: StepState,
  call: ModelCall,
  modelId: string,
): Promise<LanguageModelV4StreamPart[]> {
  const head: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { value } = await step.abort.wait(reader.read(), call.onIgnored);
    if (value === undefined) throw streamCut(modelId);
    if (value.type === "error")
      throw value.error instanceof Error
        ? value.error
        : new Error(typeof value.error === "string" ? value.error : JSON.stringify(value.error));
    head.push(value);
    if (value.type !== "stream-start" && value.type !== "response-metadata" && value.type !== "raw") return head;
  }
}

/** Ends the step when the next part of its stream does not come in time. */
function limitParts(
  timeoutMs: number | undefined,
  which: "first" | "next",
  step: StepState,
  modelId: string,
): TimeLimit | undefined {
  if (timeoutMs === undefined) return undefined;
  const what = `the ${which} part of the stream of ${JSON.stringify(modelId)}`;
  const { now } = step.agent.instance.shared.environment;
  return new TimeLimit(timeoutMs, now, () => step.abort.abort(timedOut(what, timeoutMs)), undefined);
}

/** An aborted stream of the SDK's ends at once: what a step must not leave behind is waited for at its end. */
function keepInFlight<T>({ inFlight }: StepState, work: Promise<T>): Promise<T> {
  const settle = (): void => void inFlight.delete(work);
  inFlight.add(work);
  work.then(settle, settle);
  return work;
}

function recordStream(
  { head, reader }: { head: LanguageModelV4StreamPart[]; reader: PartReader },
  step: StepState,
  call: ModelCall,
  settings: CallSettings,
  modelId: string,
): ReadableStream<LanguageModelV4StreamPart> {
  const { recorder } = step.agent.instance.shared;
  const rename = callRenamer(step);
  const content: LanguageModelV4Content[] = [];
  let text = "";
  let reasoning = "";
  let isFinished = false;
  let limit: TimeLimit | undefined;
  const { signal } = step.abort;
  const settle = (): void => {
    limit?.stop();
    signal.removeEventListener("abort", close);
  };
  const close = (): void => {
    limit?.stop();
    call.fail(step.abort.reason);
    void keepInFlight(step, step.abort.wait(reader.cancel(step.abort.reason), call.onIgnored));
  };
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  // What the provider reported before says more than what followed from it.
  const fail = (error: unknown): unknown => {
    settle();
    step.streamError ??= error;
    const first = step.abort.isAborted ? error : step.streamError;
    call.fail(first);
    return first;
  };
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      try {
        const raw = head.shift() ?? (await reader.read()).value;
        // The call has ended for the trace: what comes now is nobody's.
        step.abort.throwIfAborted();
        if (raw === undefined) {
          settle();
          if (isFinished) controller.close();
          else controller.error(fail(step.abort.isAborted ? step.abort.reason : streamCut(modelId)));
          return;
        }
        const part = rename(raw);
        switch (part.type) {
          case "text-delta":
            text += part.delta;
            recorder.delta(call.node, part.delta);
            break;
          case "reasoning-delta":
            reasoning += part.delta;
            break;
          case "tool-call":
          case "tool-result":
          case "file":
          case "source":
            content.push(part);
            break;
          case "finish":
            if (text !== "") content.unshift({ type: "text", text });
            if (reasoning !== "") content.unshift({ type: "reasoning", text: reasoning });
            call.finish(part.finishReason, part.usage, content);
            if (part.finishReason.unified === "interrupted") throw streamCut(modelId);
            isFinished = true;
            settle();
            if (step.streamError === undefined) call.end();
            else call.fail(step.streamError);
            break;
          case "error":
            // The tokens may still come with the finish: the node ends with the stream.
            step.streamError ??= modelFailed(step.node.label, modelId, part.error);
            break;
          default:
        }
        if (!isFinished && part.type !== "stream-start") {
          limit?.stop();
          limit = limitParts(settings.chunkTimeoutMs, "next", step, modelId);
        }
        controller.enqueue(part);
      } catch (error) {
        const failure = step.abort.isAborted
          ? step.abort.reason
          : JuneError.isInstance(error)
            ? error
            : streamCut(modelId, error);
        controller.error(fail(failure));
      }
    },
    async cancel(reason) {
      settle();
      call.fail(step.abort.isAborted ? step.abort.reason : (reason ?? streamCut(modelId)));
      await reader.cancel(reason);
    },
  });
}

/** Renames tool call ids that this conversation has used before: two results of one id could not be told apart. */
function callRenamer(step: StepState): <T extends object>(part: T) => T {
  const { usedCallIds } = step.agent;
  // An input that streams brings the id before the call does.
  const started = new Map<string, string>();
  const latest = new Map<string, string>();
  const unique = (id: string): string => {
    let result = id;
    for (let repeat = 2; usedCallIds.has(result); repeat++) result = `${id}-${repeat}`;
    usedCallIds.add(result);
    latest.set(id, result);
    return result;
  };
  return (part) => {
    const { type, toolCallId = "", id = "" } = part as { type?: string; toolCallId?: string; id?: string };
    switch (type) {
      case "tool-input-start": {
        const name = unique(id);
        started.set(id, name);
        return withId(part, "id", name, id);
      }
      case "tool-input-delta":
      case "tool-input-end":
        return withId(part, "id", latest.get(id) ?? id, id);
      case "tool-call": {
        const name = started.get(toolCallId) ?? unique(toolCallId);
        started.delete(toolCallId);
        return withId(part, "toolCallId", name, toolCallId);
      }
      case "tool-result":
        return withId(part, "toolCallId", latest.get(toolCallId) ?? toolCallId, toolCallId);
      default:
        return part;
    }
  };
}

function withId<T extends object>(part: T, key: string, id: string, before: string): T {
  return id === before ? part : { ...part, [key]: id };
}

function renameCalls(content: LanguageModelV4Content[], step: StepState): LanguageModelV4Content[] {
  if (!content.some((part) => part.type === "tool-call")) return content;
  const rename = callRenamer(step);
  return content.map((part) => rename(part));
}

function retryDelayMs(error: unknown, fallbackMs: number): number {
  const holder = error as {
    responseHeaders?: Record<string, string>;
    cause?: { responseHeaders?: Record<string, string> };
  };
  const headers = holder.responseHeaders ?? holder.cause?.responseHeaders;
  const milliseconds = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  const after = headers?.["retry-after"] ?? "";
  const seconds = Number.parseFloat(after);
  const asked = Number.isNaN(milliseconds)
    ? Number.isNaN(seconds)
      ? Date.parse(after) - Date.now()
      : seconds * 1_000
    : milliseconds;
  return asked >= 0 && (asked < 60_000 || asked < fallbackMs) ? asked : fallbackMs;
}

/** The SDK's form of a usage; what a provider leaves out, or gives that is no count, is unknown. */
function toUsage(usage: Partial<LanguageModelV4Usage> | undefined): LanguageModelUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  const [input, output] = [countOf(inputTokens?.total), countOf(outputTokens?.total)];
  return {
    inputTokens: input,
    inputTokenDetails: {
      noCacheTokens: countOf(inputTokens?.noCache),
      cacheReadTokens: countOf(inputTokens?.cacheRead),
      cacheWriteTokens: countOf(inputTokens?.cacheWrite),
    },
    outputTokens: output,
    outputTokenDetails: { textTokens: countOf(outputTokens?.text), reasoningTokens: countOf(outputTokens?.reasoning) },
    totalTokens: input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0),
  };
}

function countOf(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}
