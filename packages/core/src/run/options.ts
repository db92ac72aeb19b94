/** The options of a run, checked before anything renders. */

import type { LanguageModel, ToolLoopAgentSettings, ToolSet } from "ai";
import { describeValue, didYouMean, listNames } from "../errors/compose.js";
import { invalidOption } from "../errors/declaration-errors.js";
import type { Capture } from "../trace/trace.js";
import type { Answer, Request } from "./request.js";

/** Bounds over the whole tree of a run. */
export interface Limits {
  /** How deep runs may nest through composite tools and callable agents; 32 unless set. */
  depth?: number;
  /** Model calls of the whole tree; 1,000 unless set. */
  modelCalls?: number;
  /** Tokens of the whole tree, checked before each model call: calls in flight may overshoot. No bound unless set. */
  tokens?: number;
  /** Model calls at once; more wait. No bound unless set. */
  concurrency?: number;
  /** Milliseconds to wait for cleanup after an abort; 10,000 unless set. */
  cleanupMs?: number;
  /** Milliseconds after which an unanswered request is denied. No bound unless set. */
  requestMs?: number;
}

/** The options of `run`. */
export interface RunOptions {
  /** For agents without a model of their own. A list is tried in order. */
  model?: LanguageModel | readonly LanguageModel[];
  /** Aborts the run. */
  signal?: AbortSignal;
  /** Answers requests in code; undefined leaves one open. If it throws, the call is denied with that reason. */
  onRequest?: (request: Request, options: { signal: AbortSignal }) => Answer | undefined | Promise<Answer | undefined>;
  /** The exact names of tools that may be declared anywhere in the run. */
  allowedTools?: readonly string[];
  limits?: Limits;
  /** The AI SDK's `runtimeContext`. */
  context?: Record<string, unknown>;
  /** Whether models stream, so that `text-delta` events appear; false unless set. */
  stream?: boolean;
  /**
   * For tests: what stands in for a tool's execute, by the call's label: `research:findings/search`, or the name alone
   * for a callable tool that a component outside any step calls. Everything around the execute stays: validation,
   * approval, trace.
   */
  stubs?: Readonly<Record<string, (input: any) => unknown>>;
  /** The AI SDK's telemetry settings. */
  telemetry?: ToolLoopAgentSettings<never, ToolSet>["telemetry"];
  /** `capture`: `"full"` keeps prompts, answers, tool inputs and outputs in the trace; `"shape"` (the default) keeps none. */
  trace?: { capture?: Capture };
}

/** The limits with their defaults. */
export type ResolvedLimits = Required<Limits>;

const known = [
  "model",
  "signal",
  "onRequest",
  "allowedTools",
  "limits",
  "context",
  "stream",
  "stubs",
  "telemetry",
  "trace",
] as const satisfies readonly (keyof RunOptions)[];

/** The limits of a run that sets none. */
export const defaultLimits: ResolvedLimits = {
  depth: 32,
  modelCalls: 1_000,
  tokens: Infinity,
  concurrency: Infinity,
  cleanupMs: 10_000,
  requestMs: Infinity,
};

/**
 * Checks the options and fills in the limits.
 * @throws {DeclarationError} `invalid-option` naming the option, what was given and what is expected.
 */
export function checkOptions(options: RunOptions, call = "run()"): ResolvedLimits {
  const { expect, expectObject, refuseUnknown } = checksFor(call);
  expectObject("the options", options);
  refuseUnknown("", Object.keys(options), known);
  expect(
    options.signal === undefined || typeof options.signal.addEventListener === "function",
    "signal",
    options.signal,
    "an AbortSignal",
  );
  expect(
    options.onRequest === undefined || typeof options.onRequest === "function",
    "onRequest",
    options.onRequest,
    "a function",
  );
  expect(
    options.allowedTools === undefined ||
      (Array.isArray(options.allowedTools) && options.allowedTools.every((name) => typeof name === "string")),
    "allowedTools",
    options.allowedTools,
    "an array of tool names",
  );
  expect(
    options.stream === undefined || typeof options.stream === "boolean",
    "stream",
    options.stream,
    "true or false",
  );
  if (options.context !== undefined) expectObject("context", options.context);
  if (options.stubs !== undefined) {
    expectObject("stubs", options.stubs);
    for (const [label, stub] of Object.entries(options.stubs))
      expect(typeof stub === "function", `stubs[${JSON.stringify(label)}]`, stub, "a function of the tool's input");
  }
  expectObject("trace", options.trace ?? {});
  const { capture } = options.trace ?? {};
  refuseUnknown("trace.", Object.keys(options.trace ?? {}), ["capture"]);
  expect(
    capture === undefined || capture === "full" || capture === "shape",
    "trace.capture",
    capture,
    '"full" or "shape"',
  );
  const limits: Limits = options.limits ?? {};
  expectObject("limits", limits);
  refuseUnknown("limits.", Object.keys(limits), Object.keys(defaultLimits));
  for (const [name, value] of Object.entries(limits)) {
    const isWhole =
      value === undefined ||
      value === Infinity ||
      (Number.isInteger(value) && value >= (name === "cleanupMs" || name === "tokens" || name === "requestMs" ? 0 : 1));
    expect(
      isWhole,
      `limits.${name}`,
      value,
      name === "cleanupMs" || name === "tokens" || name === "requestMs"
        ? "a whole number from 0 on"
        : "a whole number from 1 on",
    );
  }
  return { ...defaultLimits, ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) };
}

/** Checks of the options of `call`, which errors name. */
export function checksFor(call: string): {
  refuseUnknown(prefix: string, given: readonly string[], names: readonly string[]): void;
  expectObject(name: string, value: unknown): void;
  expect(holds: boolean, name: string, value: unknown, expected: string): void;
} {
  const expect = (holds: boolean, name: string, value: unknown, expected: string): void => {
    if (!holds) throw invalidOption(call, `${name} is ${describeValue(value)}`, `${name} is ${expected}.`);
  };
  return {
    expect,
    expectObject: (name, value) =>
      expect(typeof value === "object" && value !== null && !Array.isArray(value), name, value, "an object"),
    refuseUnknown: (prefix, given, names) => {
      const unknown = given.find((name) => !names.includes(name));
      if (unknown !== undefined)
        throw invalidOption(
          call,
          `there is no option ${prefix}${unknown}`,
          `The options are ${listNames(names.map((name) => `${prefix}${name}`))}.${didYouMean(unknown, names)}`,
        );
    },
  };
}
