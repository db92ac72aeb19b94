/** The one path of every tool call: recorded, held where a rule says so, run within its limits, and given back as the SDK and the model need it. Long because it is one path: a second would be a way around an approval. */

import type { ToolExecutionOptions } from "@ai-sdk/provider-utils";
import { asSchema, type FlexibleSchema } from "ai";
import { cloneData, evaluateRules, type ApprovalRule } from "../capability/approval.js";
import { sourceOf, type Declaration } from "../capability/declaration.js";
import { checkSchema } from "../capability/schema.js";
import { isPromiseLike } from "../element/element.js";
import { serializationFault } from "../element/json.js";
import { JuneError } from "../errors/june-error.js";
import { reasonOf, toolFailed, toolInput, toolOutput, toolRevoked } from "../errors/run-errors.js";
import type { AbortScope } from "../render/abort-scope.js";
import { CallRegion, checkOutput } from "../render/call-tool.js";
import { escapeLabel } from "../render/context.js";
import { TimeLimit } from "../render/time-limit.js";
import type { NodeHandle } from "../trace/recorder.js";
import { boundText } from "./bound-output.js";
import { DeniedOutput, toModelOutput, defaultMaxToolOutputBytes } from "./model-output.js";
import type { Decision, Request } from "./request.js";
import type { RunningAgent, StepState, Turn } from "./run-state.js";

/** What a tool's `execute` gets besides its input. */
export type ExecuteOptions = ToolExecutionOptions<any>;

/** A tool of an agent, ready to be called. */
export interface CallableDeclaration {
  readonly agent: RunningAgent;
  readonly declaration: Declaration;
  readonly rules: readonly ApprovalRule[];
  readonly timeoutMs: number | undefined;
}

interface Call extends CallableDeclaration {
  readonly step: StepState;
  /** The strands of the turn, of which this call is one. */
  readonly fork: Turn["fork"];
  readonly node: NodeHandle;
  readonly input: unknown;
  readonly options: ExecuteOptions;
  /** The step's scope, or the call's own while its time limit counts. */
  readonly abort: AbortScope;
  readonly timeLimits: TimeLimit | undefined;
  /** In which the tool's execute may call callable tools. */
  readonly region: CallRegion;
}

/** A tool's failure as the model sees it: exactly the message. The SDK shows the model what an error's toString gives. */
export class ToolFailure extends Error {
  override toString(): string {
    return this.message;
  }
}

/** A call that a person or a rule refused, for the trace. */
class Denied extends Error {
  override readonly name = "Denied";
}

/** The `execute` the SDK gets: a promise, or a stream of preliminary outputs where the tool gives one. */
export function executeOf(callable: CallableDeclaration): (input: unknown, options: ExecuteOptions) => unknown {
  const isGenerator = isGeneratorFunction(callable.declaration.tool.execute);
  return (input, options) => {
    if (isGenerator && !isStubbed(callable)) return streamCall(callable, input, options);
    const call = startCall(callable, input, options);
    const work = runCall(call);
    call.step.inFlight.add(work);
    const settle = (): void => {
      call.step.inFlight.delete(work);
      call.fork?.end(options.toolCallId);
    };
    work.then(settle, settle);
    return work;
  };
}

function isStubbed({ agent, declaration }: CallableDeclaration): boolean {
  return Object.hasOwn(agent.instance.stubs, `${agent.step?.node.label}/${declaration.name}`);
}

function startCall(callable: CallableDeclaration, input: unknown, options: ExecuteOptions): Call {
  const { agent, declaration } = callable;
  const { step } = agent;
  const turn = step?.turn;
  if (step === undefined || turn === undefined) throw revoke(callable);
  const position = turn.positions.get(options.toolCallId) ?? turn.positions.size;
  const node = agent.instance.shared.recorder.start({
    type: "tool-call-start",
    name: declaration.name,
    path: `${turn.node.path}/tool[${position}:${escapeLabel(declaration.name)}]`,
    label: `${step.node.label}/${declaration.name}`,
    parentId: turn.node.id,
    toolCallId: options.toolCallId,
    invocation: "model",
    source: sourceOf(declaration),
    // A reader that changes the event must not change what runs.
    input: cloneData(input),
  });
  const { abort } = step;
  const region = new CallRegion(() => ({
    ...step.context,
    node,
    path: node.path,
    siblings: { counts: new Map() },
    abort,
  }));
  return {
    ...callable,
    step,
    fork: turn.fork,
    node,
    // The SDK shares its object with callbacks, readers and messages: what was shown must be what runs.
    input: cloneData(input),
    options,
    abort,
    timeLimits: step.turnLimit ?? step.timeLimits,
    region,
  };
}

/** A call after the agent's step: whoever kept the tool has no grant any more. */
function revoke({ agent, declaration }: CallableDeclaration): Error {
  const error = toolRevoked(declaration.name);
  agent.instance.shared.recorder.note(agent.node, { code: "tool-revoked", text: reasonOf(error).split("\n", 1)[0]! });
  return error;
}

async function runCall(call: Call): Promise<unknown> {
  try {
    const admitted = call.rules.length === 0 ? call.input : await admit(call);
    const output = admitted instanceof DeniedOutput ? admitted : await perform(call, admitted);
    return await finish({ ...call, input: admitted }, output);
  } catch (error) {
    throw failCall(call, error);
  }
}

/** A generator tool: the same path, with each value it yields passed on as a preliminary output. It starts when the SDK asks for the first value, which an aborted stream never does. */
async function* streamCall(
  callable: CallableDeclaration,
  input: unknown,
  options: ExecuteOptions,
): AsyncGenerator<unknown, void, undefined> {
  const call = startCall(callable, input, options);
  let done!: () => void;
  const work = new Promise<void>((resolve) => (done = resolve));
  call.step.inFlight.add(work);
  let hasEnded = false;
  const end = async (output: unknown, ranWith = call.input): Promise<unknown> => {
    const finished = await finish({ ...call, input: ranWith }, output);
    hasEnded = true;
    return finished;
  };
  try {
    const admitted = call.rules.length === 0 ? call.input : await admit(call);
    if (admitted instanceof DeniedOutput) {
      yield await end(admitted);
      return;
    }
    let last: unknown;
    let isEmpty = true;
    const { limited, stop } = await begin(call);
    try {
      const values = call.declaration.tool.execute!(admitted, executeOptions(limited)) as AsyncIterable<unknown>;
      for await (const value of iterate(values, limited)) {
        if (!isEmpty) yield last;
        last = value;
        isEmpty = false;
      }
      await limited.region.end(undefined);
      limited.abort.throwIfAborted();
    } finally {
      stop();
    }
    // The SDK takes the last yield as the output, so it is held back until it has been checked.
    yield await end(last, admitted);
  } catch (error) {
    hasEnded = true;
    throw failCall(call, error);
  } finally {
    // An aborted stream of the SDK's stops asking in the middle.
    if (!hasEnded) failCall(call, call.step.abort.reason ?? new Error("the output was not read to its end"));
    call.step.inFlight.delete(work);
    call.fork?.end(options.toolCallId);
    done();
  }
}

/** Asks every rule, and the person if one says so. Gives the input that runs, or the denial. */
async function admit(call: Call): Promise<unknown> {
  const { rules, input, options, step, agent } = call;
  const evaluated = evaluateRules(rules, {
    toolCallId: options.toolCallId,
    input,
    messages: options.messages,
    context: options.context as unknown,
  });
  const verdict = isPromiseLike(evaluated) ? await step.abort.race(evaluated) : evaluated;
  step.abort.throwIfAborted();
  if (verdict.type === "none") return input;
  if (verdict.type === "denied") return new DeniedOutput(verdict.reason);
  const decision = await ask(call, "approval", input, verdict.reason, (value) =>
    validateInput(call.declaration, value),
  );
  agent.instance.shared.abort.throwIfAborted();
  if (decision.type === "denied") return new DeniedOutput(decision.reason);
  return decision.type === "approved" && decision.input !== undefined ? decision.input.value : input;
}

function ask(
  call: Call,
  kind: Request["kind"],
  input: unknown,
  reason: string | undefined,
  validate: (value: unknown) => Promise<unknown>,
): Promise<Decision> {
  const { agent, declaration, step, node } = call;
  return agent.instance.shared.requests.open({
    kind,
    path: node.path,
    step: step.node.label,
    tool: declaration.name,
    input,
    reason,
    source: sourceOf(declaration),
    agent: agent.name ?? agent.involved.label,
    node,
    abort: step.abort,
    timeLimits: call.timeLimits,
    validate,
  });
}

async function perform(call: Call, input: unknown): Promise<unknown> {
  const { declaration } = call;
  if (declaration.composite === undefined && declaration.tool.execute === undefined) {
    const decision = await ask(call, "input", input, undefined, (value) => validateOutput(declaration, value));
    return decision.type === "answered" ? decision.value : new DeniedOutput(decision.reason);
  }
  const { limited, stop } = await begin(call);
  try {
    const output = await callThrough(limited, input);
    // A tool that went on past its limit is not a success.
    limited.abort.throwIfAborted();
    return output;
  } finally {
    stop();
  }
}

/** Takes a place under `toolCallConcurrency` and starts the call's time limit: both count only from here, after any approval. */
async function begin(call: Call): Promise<{ limited: Call; stop: () => void }> {
  const { agent, declaration, timeoutMs, step } = call;
  const release = agent.places === undefined ? undefined : await agent.places.take(step.abort);
  if (timeoutMs === undefined) return { limited: call, stop: () => release?.() };
  const abort = step.abort.inner();
  const message = `the tool ${JSON.stringify(declaration.name)} took longer than ${timeoutMs} ms`;
  const limit = new TimeLimit(
    timeoutMs,
    agent.instance.shared.environment.now,
    () => abort.abort(new DOMException(message, "TimeoutError")),
    call.timeLimits,
  );
  const stop = (): void => {
    limit.stop();
    abort.dispose();
    release?.();
  };
  return { limited: { ...call, abort, timeLimits: limit }, stop };
}

async function callThrough(call: Call, input: unknown): Promise<unknown> {
  const { agent, declaration, node, abort, step, timeLimits } = call;
  const { tool, composite, name } = declaration;
  const { stubs } = agent.instance;
  if (Object.hasOwn(stubs, node.label)) {
    const output: unknown = await abort.wait(Promise.resolve(stubs[node.label]!(input)), () => noteIgnored(call));
    return composite === undefined ? output : { output };
  }
  if (composite !== undefined)
    return agent.instance.runChild({
      composite,
      tool: name,
      input,
      node,
      abort,
      frame: step.context.frame,
      timeLimits,
    });
  const value = call.region.run((): unknown => {
    const given: unknown = tool.execute!(input, executeOptions(call));
    return isAsyncIterable(given) ? lastOf(given, call) : given;
  });
  return isPromiseLike(value) ? abort.wait(value, () => noteIgnored(call)) : value;
}

async function lastOf(values: AsyncIterable<unknown>, call: Call): Promise<unknown> {
  let last: unknown;
  for await (const value of iterate(values, call)) last = value;
  return last;
}

/** Checks the output, works out what the model gets of it, and ends the call's node. */
async function finish(call: Call, output: unknown): Promise<unknown> {
  const { agent, declaration, node, options, input, step } = call;
  const { recorder } = agent.instance.shared;
  step.abort.throwIfAborted();
  if (output instanceof DeniedOutput) {
    step.modelOutputs.set(
      options.toolCallId,
      await toModelOutput(declaration, { toolCallId: options.toolCallId, input, output }, defaultMaxToolOutputBytes),
    );
    recorder.fail(node, { type: "tool-call-end" }, new Denied(output.reason ?? "denied"), false);
    return output;
  }
  const checked = declaration.callable === undefined ? output : await checkOutput(declaration.callable, output);
  const isPlain = declaration.composite === undefined && declaration.callable === undefined;
  const fault = isPlain && declaration.tool.toModelOutput === undefined ? serializationFault(output) : undefined;
  if (fault !== undefined) throw toolOutput(declaration.name, fault.path, fault.found);
  step.modelOutputs.set(
    options.toolCallId,
    await toModelOutput(
      declaration,
      { toolCallId: options.toolCallId, input, output: checked },
      maxOutputBytesOf(agent),
    ),
  );
  recorder.end(node, {
    type: "tool-call-end",
    output: declaration.composite === undefined ? checked : (checked as { output: unknown }).output,
  });
  return checked;
}

/** Ends the call's node and gives the error the SDK passes on: an abort as it is, anything else as the text the model sees. */
function failCall(call: Call, error: unknown): unknown {
  const { agent, declaration, node, step } = call;
  const isAbort = step.abort.isAborted;
  agent.instance.shared.recorder.fail(node, { type: "tool-call-end" }, error, isAbort);
  if (isAbort) return step.abort.reason;
  const own = declaration.composite === undefined ? error : toolFailed(declaration.name, error);
  const message = JuneError.isInstance(own) ? own.message : reasonOf(own);
  return new ToolFailure(boundText(message, maxOutputBytesOf(agent)), { cause: error });
}

function maxOutputBytesOf({ settings }: RunningAgent): number {
  return (settings["maxToolOutputBytes"] as number | undefined) ?? defaultMaxToolOutputBytes;
}

function noteIgnored({ agent, declaration, node }: Call): void {
  agent.instance.shared.recorder.note(node, {
    code: "ignored-abort",
    text: `the tool ${JSON.stringify(declaration.name)} ignored the abort`,
  });
}

function executeOptions({ options, abort, agent, node }: Call): ExecuteOptions {
  return {
    ...options,
    abortSignal: abort.signal,
    idempotencyKey: `${agent.instance.shared.id}${node.path}`,
    trace: { runId: agent.instance.shared.id, path: node.path },
  } as ExecuteOptions;
}

/** An input that somebody gave in place of the model's, as it will run. @throws {RunError} `tool-input` */
export async function validateInput(declaration: Declaration, value: unknown): Promise<unknown> {
  const { schema } = checkSchema(declaration.tool.inputSchema);
  const result = await schema?.validate?.(value);
  if (result === undefined) return value;
  if (!result.success) throw toolInput(declaration.name, result.error);
  return result.value;
}

async function validateOutput(declaration: Declaration, value: unknown): Promise<unknown> {
  const { outputSchema } = declaration.tool as { outputSchema?: unknown };
  if (outputSchema === undefined) return value;
  const result = await asSchema(outputSchema as FlexibleSchema<unknown>).validate?.(value);
  if (result === undefined || result.success) return result === undefined ? value : result.value;
  throw toolInput(declaration.name, result.error);
}

/** The values of a generator tool; an abort ends the wait for the next one. Whatever ends the reading, the generator's own cleanup is waited for. */
async function* iterate(values: AsyncIterable<unknown>, call: Call): AsyncGenerator<unknown, void, undefined> {
  const iterator = values[Symbol.asyncIterator]();
  let isSuspended = false;
  try {
    for (;;) {
      const next = await call.abort.wait(
        call.region.enter(() => iterator.next()),
        () => noteIgnored(call),
      );
      if (next.done === true) return;
      isSuspended = true;
      call.agent.instance.shared.recorder.progress(call.node, cloneData(next.value));
      yield next.value;
      call.abort.throwIfAborted();
      isSuspended = false;
    }
  } finally {
    // One that was asked for a value has ended, failed, or been given up on.
    if (isSuspended && iterator.return !== undefined)
      await call.abort.wait(iterator.return(), () => noteIgnored(call)).catch(() => {});
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === "function"
  );
}

function isGeneratorFunction(value: unknown): boolean {
  return typeof value === "function" && Object.prototype.toString.call(value) === "[object AsyncGeneratorFunction]";
}
