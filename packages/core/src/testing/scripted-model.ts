/** A language model for tests: answers from a script and fails loudly when the conversation is not what the script expects. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { matchPrompt, type Expectation } from "./expectation.js";

/** A tool call of a scripted turn. */
export interface ScriptedCall {
  readonly name: string;
  readonly input?: unknown;
  /** The call's id; `call-<n>` unless given. */
  readonly id?: string;
}

/** One turn of a scripted model. Text alone may be written as a string, an error as an Error. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** `tool-calls` when there are calls, else `stop`. */
  readonly finishReason?: LanguageModelV4FinishReason["unified"];
  /** Tokens; 10 in and 5 out unless given. */
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
  /** Parts of the SDK's own, given as they are, after text and calls. */
  readonly content?: readonly LanguageModelV4Content[];
  /** What the conversation must be when this turn is asked for. */
  readonly expect?: Expectation;
  /** Awaited before the turn is given; the model's abort signal ends the wait. */
  readonly waitFor?: PromiseLike<unknown>;
  /** How many characters a streamed piece of text has; 16 unless given. */
  readonly chunkSize?: number;
}

/** What a script may hold. */
export type ScriptEntry =
  | string
  | Error
  | ScriptedTurn
  | ((call: ModelCallRecord) => string | Error | ScriptedTurn | Promise<string | Error | ScriptedTurn>);

/** One call the model got. */
export interface ModelCallRecord {
  /** Counts from 0. */
  readonly index: number;
  readonly prompt: LanguageModelV4Prompt;
  /** The names of the tools on offer, in order. */
  readonly tools: readonly string[];
  readonly options: LanguageModelV4CallOptions;
  readonly isStream: boolean;
}

/** A scripted model: a model of the SDK that records its calls. */
export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: readonly ModelCallRecord[];
}

/**
 * Makes a model that answers from `script`: its entries in order, or one function for every call.
 * Asked for more than the script has, or with another conversation than a turn expects, it throws an error that no retry hides.
 * @see docs/guide/testing.md
 */
export function scriptedModel(
  script: readonly ScriptEntry[] | Exclude<ScriptEntry, string | Error | ScriptedTurn>,
  options: { readonly modelId?: string } = {},
): ScriptedModel {
  const { modelId = "scripted" } = options;
  const calls: ModelCallRecord[] = [];
  const next = async (parameters: LanguageModelV4CallOptions, isStream: boolean): Promise<ScriptedTurn> => {
    const record: ModelCallRecord = {
      index: calls.length,
      prompt: parameters.prompt,
      tools: (parameters.tools ?? []).map(({ name }) => name),
      options: parameters,
      isStream,
    };
    calls.push(record);
    const entry = typeof script === "function" ? script : script[record.index];
    if (entry === undefined)
      throw new Error(
        `${JSON.stringify(modelId)} was called ${record.index + 1} times, but its script has ${script.length} turns. The call was:\n${describePrompt(record)}`,
      );
    const given = typeof entry === "function" ? await entry(record) : entry;
    if (given instanceof Error) throw given;
    const turn = typeof given === "string" ? { text: given } : given;
    const mismatch = turn.expect === undefined ? undefined : matchPrompt(turn.expect, record);
    if (mismatch !== undefined)
      throw new Error(
        `turn ${record.index} of ${JSON.stringify(modelId)} expected another conversation:\n${mismatch}\nThe call was:\n${describePrompt(record)}`,
      );
    if (turn.waitFor !== undefined) await untilAborted(turn.waitFor, parameters.abortSignal);
    return turn;
  };
  return {
    specificationVersion: "v4",
    provider: "june.testing",
    modelId,
    supportedUrls: {},
    calls,
    doGenerate: async (parameters) => {
      const turn = await next(parameters, false);
      const index = calls.length - 1;
      return { content: contentOf(turn, index), finishReason: finishOf(turn), usage: usageOf(turn), warnings: [] };
    },
    doStream: async (parameters) => {
      const turn = await next(parameters, true);
      return { stream: streamOf(partsOf(turn, calls.length - 1)) };
    },
  };
}

function contentOf(turn: ScriptedTurn, index: number): LanguageModelV4Content[] {
  return [
    ...(turn.reasoning === undefined ? [] : [{ type: "reasoning" as const, text: turn.reasoning }]),
    ...(turn.text === undefined ? [] : [{ type: "text" as const, text: turn.text }]),
    ...(turn.calls ?? []).map((call, position) => ({
      type: "tool-call" as const,
      toolCallId: call.id ?? `call-${index}-${position}`,
      toolName: call.name,
      input: typeof call.input === "string" ? call.input : JSON.stringify(call.input ?? {}),
    })),
    ...(turn.content ?? []),
  ];
}

function finishOf(turn: ScriptedTurn): LanguageModelV4FinishReason {
  const hasCalls =
    (turn.calls ?? []).length > 0 ||
    (turn.content ?? []).some((part) => part.type === "tool-call" && part.providerExecuted !== true);
  return { unified: turn.finishReason ?? (hasCalls ? "tool-calls" : "stop"), raw: undefined };
}

function usageOf({ usage }: ScriptedTurn): LanguageModelV4Usage {
  return {
    inputTokens: { total: usage?.inputTokens ?? 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: usage?.outputTokens ?? 5, text: undefined, reasoning: undefined },
  };
}

function* partsOf(turn: ScriptedTurn, index: number): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [position, part] of contentOf(turn, index).entries()) {
    const id = `part-${position}`;
    if (part.type === "text" || part.type === "reasoning") {
      yield { type: `${part.type}-start`, id };
      const size = turn.chunkSize ?? 16;
      for (let start = 0; start < part.text.length; start += size)
        yield { type: `${part.type}-delta`, id, delta: part.text.slice(start, start + size) };
      yield { type: `${part.type}-end`, id };
    } else if (part.type === "tool-call") {
      yield { type: "tool-input-start", id: part.toolCallId, toolName: part.toolName };
      yield { type: "tool-input-delta", id: part.toolCallId, delta: part.input };
      yield { type: "tool-input-end", id: part.toolCallId };
      yield part;
    } else yield part as LanguageModelV4StreamPart;
  }
  yield { type: "finish", finishReason: finishOf(turn), usage: usageOf(turn) };
}

function streamOf(parts: Generator<LanguageModelV4StreamPart>): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    pull(controller) {
      const next = parts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

function untilAborted(work: PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (): void => signal.removeEventListener("abort", onAbort);
    work.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

/** The conversation of a call, a line for each part. */
export function describePrompt({ prompt, tools }: Pick<ModelCallRecord, "prompt" | "tools">): string {
  const lines = prompt.map(
    (message) =>
      `  ${message.role}: ${shorten(typeof message.content === "string" ? message.content : message.content.map((part) => JSON.stringify(part)).join(" "))}`,
  );
  return [...lines, `  tools: ${tools.join(", ") || "none"}`].join("\n");
}

function shorten(text: string): string {
  return text.length > 1_000 ? `${text.slice(0, 1_000)}… (${text.length} characters)` : text;
}
