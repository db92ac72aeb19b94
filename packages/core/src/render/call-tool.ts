/** Runs a callable tool: input validated, execute called, output validated and snapshotted as JSON. And the region in which code may call one. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { CallableDefinition, CallOptions } from "../components/callable-tool.js";
import { runActive, type ActiveRegion } from "../element/active.js";
import { isPromiseLike } from "../element/element.js";
import { snapshotJson, type Json } from "../element/json.js";
import { JuneError } from "../errors/june-error.js";
import { toolInput, toolOutput } from "../errors/run-errors.js";
import { escapeLabel, type RenderContext } from "./context.js";

/**
 * One call, outside or inside a run. `onValue` gets what a generator yields on its way.
 * @throws {RunError} `tool-input`, `tool-output`, or what execute throws.
 */
export async function executeCallable(
  definition: CallableDefinition,
  input: unknown,
  options: CallOptions,
  onValue?: (value: unknown) => void,
): Promise<Json> {
  const value = await validate(definition, input);
  return checkOutput(definition, await lastValue(definition.execute(value as never, options as never), onValue));
}

/** The output of a callable tool as it crosses to a caller or a model: validated, then frozen JSON. */
export async function checkOutput(definition: CallableDefinition, output: unknown): Promise<Json> {
  let checked = output;
  if (definition.output !== undefined) {
    const { validate: check } = (definition.output as StandardSchemaV1)["~standard"];
    const result = (await check(output)) as StandardSchemaV1.Result<unknown> | undefined;
    if (typeof result !== "object" || result === null)
      throw toolOutput(definition.name, "output", "refused by a schema whose validator gave nothing");
    if (result.issues !== undefined)
      throw toolOutput(
        definition.name,
        "output",
        `not what the output schema allows (${result.issues.map(({ message }) => message).join("; ")})`,
      );
    checked = result.value;
  }
  const snapshot = snapshotJson(checked);
  if ("fault" in snapshot) throw toolOutput(definition.name, snapshot.fault.path, snapshot.fault.found);
  return snapshot.value;
}

async function validate(definition: CallableDefinition, input: unknown): Promise<unknown> {
  const result = await definition.input.validate?.(input);
  if (result === undefined) return input;
  if (!result.success)
    throw JuneError.isInstance(result.error) ? result.error : toolInput(definition.name, result.error);
  return result.value;
}

/** What an output comes to: awaited, and of a generator the last value it yields. */
export async function lastValue(output: unknown, onValue: ((value: unknown) => void) | undefined): Promise<unknown> {
  const value = isPromiseLike(output) ? await output : output;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const part of value as AsyncIterable<unknown>) {
    last = part;
    onValue?.(part);
  }
  return last;
}

/** A promise that knows whether somebody looks at its result. */
class CallPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  isHandled = false;

  // oxlint-disable-next-line unicorn/no-thenable -- a promise has a then; this one notes who looks
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isHandled = true;
    return super.then(onFulfilled, onRejected);
  }

  /** Its end, without counting as somebody who looks. */
  settled(): Promise<unknown> {
    return super.then(
      () => undefined,
      () => undefined,
    );
  }
}

/** One run of a function of the author's in which callable tools may be called. Its calls are joined before it counts as settled. */
export class CallRegion implements ActiveRegion {
  readonly #makeContext: () => RenderContext;
  #made: RenderContext | undefined;
  readonly #started: {
    readonly call: CallPromise<unknown>;
    readonly failure: { error?: unknown; hasFailed: boolean };
  }[] = [];
  isActive = true;

  /** @param makeContext where the calls stand; asked for at the first call. */
  constructor(makeContext: () => RenderContext) {
    this.#makeContext = makeContext;
  }

  get #context(): RenderContext {
    return (this.#made ??= this.#makeContext());
  }

  call(callable: object, input: unknown): Promise<unknown> {
    const definition = callable as CallableDefinition;
    const failure: { error?: unknown; hasFailed: boolean } = { hasFailed: false };
    const work = this.#run(definition, input);
    const call = new CallPromise<unknown>((resolve, reject) => {
      work.then(resolve, (error: unknown) => {
        failure.error = error;
        failure.hasFailed = true;
        reject(error);
      });
    });
    void call.settled();
    this.#started.push({ call, failure });
    return call;
  }

  /** Runs a piece of the region's code: all of a function, or one value of a generator. */
  enter<T>(work: () => T): T {
    return runActive(this, work);
  }

  /**
   * Runs `work` as this region and waits for the calls it started.
   * @throws what `work` throws; else the failure of calls nobody looked at, several as one AggregateError.
   */
  run<T>(work: () => T | PromiseLike<T>): T | Promise<T> {
    try {
      const value = this.enter(work);
      return isPromiseLike(value) ? this.#join(value as PromiseLike<T>) : this.end(value as T);
    } catch (error) {
      this.isActive = false;
      if (this.#started.length === 0) throw error;
      return this.#join(Promise.reject(error));
    }
  }

  /** Ends a region whose code gave `value`: at once when it started no call. */
  end<T>(value: T): T | Promise<T> {
    this.isActive = false;
    return this.#started.length === 0 ? value : this.#join(Promise.resolve(value));
  }

  async #join<T>(work: PromiseLike<T>): Promise<T> {
    const outcome = await Promise.resolve(work).then(
      (value) => ({ value }) as const,
      (error: unknown) => ({ error }) as const,
    );
    this.isActive = false;
    const ignored = this.#started.filter(({ call }) => !call.isHandled);
    await Promise.all(this.#started.map(({ call }) => call.settled()));
    if ("error" in outcome) throw outcome.error;
    this.#context.abort.throwIfAborted();
    const failures = ignored.filter(({ failure }) => failure.hasFailed).map(({ failure }) => failure.error);
    if (failures.length === 0) return outcome.value;
    throw failures.length === 1
      ? failures[0]
      : new AggregateError(failures, `${failures.length} calls that nobody awaited failed`);
  }

  async #run(definition: CallableDefinition, input: unknown): Promise<unknown> {
    const context = this.#context;
    const { abort, run } = context;
    abort.throwIfAborted();
    const { recorder } = run;
    const { name } = definition;
    const counts = context.siblings.counts;
    const position = counts.get("call") ?? 0;
    counts.set("call", position + 1);
    const path = `${context.path}/tool[${position}:${escapeLabel(name)}]`;
    const label = context.node.label === "run" ? name : `${context.node.label}/${name}`;
    const stub = Object.hasOwn(run.stubs, label) ? run.stubs[label] : undefined;
    const node = recorder.start({
      type: "tool-call-start",
      name,
      path,
      label,
      parentId: context.node.id,
      toolCallId: path,
      invocation: "application",
      source: `defineTool(${name})`,
      input,
    });
    const inner = new CallRegion(() => ({ ...context, node, path, siblings: { counts: new Map() } }));
    try {
      const options = {
        toolCallId: path,
        messages: [],
        abortSignal: abort.signal,
        idempotencyKey: `${run.runId}${path}`,
        trace: { runId: run.runId, path },
      } as CallOptions;
      const work = inner.run(() =>
        executeCallable(stub === undefined ? definition : { ...definition, execute: stub }, input, options, (value) =>
          recorder.progress(node, value),
        ),
      );
      const output = await abort.wait(Promise.resolve(work), () =>
        recorder.note(node, { code: "ignored-abort", text: `the tool ${JSON.stringify(name)} ignored the abort` }),
      );
      abort.throwIfAborted();
      recorder.end(node, { type: "tool-call-end", output });
      return output;
    } catch (error) {
      recorder.fail(node, { type: "tool-call-end" }, error, abort.isReason(error));
      throw abort.isAborted ? abort.reason : error;
    }
  }
}
