/** What a callable tool is: a function made by `defineTool`, known by identity to every copy of one major of core. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FlexibleSchema, Schema, ToolExecutionOptions } from "ai";
import { coreMajor } from "../element/element.js";

/** Where a call stands, for logs of one's own. */
export interface CallTrace {
  readonly runId: string;
  readonly path: string;
}

/** What a callable tool's `execute` gets besides its input: the SDK's options, and two of June's. */
export interface CallOptions extends Pick<ToolExecutionOptions<any>, "toolCallId" | "messages" | "abortSignal"> {
  readonly context?: unknown;
  /** The same for every try of one call, so that a service can tell a repeat. */
  readonly idempotencyKey: string;
  /** Absent outside a run. */
  readonly trace?: CallTrace;
}

/** A typed function that code calls and models can be granted. Frozen. */
export interface CallableTool<I, O> {
  /**
   * Calls the tool from a component, a child function or another tool's execute.
   * @throws {DeclarationError} `tool-inactive`, synchronously, anywhere else.
   */
  (input: I): Promise<O>;
  readonly name: string;
  readonly description: string;
  /** Validates, runs and checks outside any run. */
  execute(input: I, options?: Partial<CallOptions>): Promise<O>;
}

/** What `defineTool` made of its options. Plain data and functions, read once. */
export interface CallableDefinition {
  readonly name: string;
  readonly description: string;
  /** The SDK's form of the input schema, converted at definition. */
  readonly input: Schema<unknown>;
  readonly output: StandardSchemaV1 | FlexibleSchema<unknown> | undefined;
  readonly execute: (input: never, options: never) => unknown;
  readonly needsApproval: unknown;
  readonly idempotent: boolean;
}

interface Registered {
  readonly major: number;
  readonly definition: CallableDefinition;
}

/** One registry for every copy of core: identity can't be copied by a spread, a proxy or a look-alike. */
const registryKey = Symbol.for("june.callable-tools");

function registry(): WeakMap<object, Registered> {
  const holder = globalThis as { [registryKey]?: WeakMap<object, Registered> };
  return (holder[registryKey] ??= new WeakMap());
}

/** Makes `callable` known as a callable tool. */
export function registerCallable(callable: object, definition: CallableDefinition): void {
  registry().set(callable, { major: coreMajor, definition });
}

/** The definition behind an exact callable tool; the major of the core that made it tells whether it fits. */
export function registeredCallable(value: unknown): Registered | undefined {
  return typeof value === "function" ? registry().get(value) : undefined;
}
