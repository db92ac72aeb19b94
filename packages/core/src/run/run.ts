/** `run`: renders an element to its end and gives a handle to watch and steer it. */

import { isElement, type JuneElement } from "../element/element.js";
import { invalidNodeError } from "../element/invalid.js";
import type { RenderContext } from "../render/context.js";
import { Layer } from "../render/layer.js";
import { renderNode } from "../render/render.js";
import type { NodeHandle } from "../trace/recorder.js";
import { createInstance } from "./instance.js";
import { checkOptions, defaultLimits, type RunOptions } from "./options.js";
import { conversationOf, outputOf, type RunResult } from "./result.js";
import { createHandle, type RunHandle } from "./run-handle.js";
import type { Environment, SharedRun } from "./run-state.js";
import { defaultEnvironment, openRun } from "./shared-run.js";

/**
 * Runs a tree. The handle is a promise of the result; it rejects with the run's error, or with the reason of an abort as it is.
 * @throws nothing: wrong options and wrong JSX reject the handle with a DeclarationError, a failure with a RunError.
 * @see docs/guide/runs.md
 */
export function run(element: JuneElement, options: RunOptions = {}): RunHandle<unknown> {
  return startRun(element, options, defaultEnvironment);
}

/** `run` with its clock and ids given. */
export function startRun(element: JuneElement, given: RunOptions, environment: Environment): RunHandle<unknown> {
  let failEarly: { readonly error: unknown } | undefined;
  let limits = defaultLimits;
  try {
    limits = checkOptions(given);
    if (!isElement(element)) throw invalidNodeError(element, "run()", undefined);
  } catch (error) {
    failEarly = { error };
  }
  const options = failEarly === undefined ? given : {};
  const { shared, node } = openRun(options, limits, environment);
  const result = failEarly === undefined ? execute(element, shared, node) : reject(failEarly.error, shared, node);
  return createHandle(result, shared);
}

async function execute(element: JuneElement, shared: SharedRun, node: NodeHandle): Promise<RunResult> {
  const { abort, recorder, toolsets, options } = shared;
  const onAbort = (): void => abort.abort(options.signal!.reason);
  if (options.signal?.aborted === true) onAbort();
  else options.signal?.addEventListener("abort", onAbort, { once: true });
  const instance = createInstance(shared, { depth: 0, labelPrefix: "", parentScope: undefined, isLookedAhead: false });
  const context: RenderContext = {
    run: instance,
    agent: undefined,
    frame: undefined,
    node,
    path: "",
    siblings: { counts: new Map() },
    abort,
    layer: new Layer(),
    text: { parts: [], hasSteps: false, owner: { label: "the run" } },
    timeLimits: undefined,
    parallelAgent: undefined,
    branchSuffix: "",
  };
  let output: unknown;
  let failure: { readonly error: unknown; readonly isAbort: boolean } | undefined;
  try {
    abort.throwIfAborted();
    await renderNode(element, context);
    abort.throwIfAborted();
    output = outputOf(context);
  } catch (error) {
    // The reason of an abort says more than what it made fail, and ends whatever is left.
    failure = abort.isAborted
      ? { error: abort.reason, isAbort: !shared.failures.includes(abort.reason) }
      : { error, isAbort: false };
    abort.abort(error);
  }
  await toolsets.close(node);
  options.signal?.removeEventListener("abort", onAbort);
  if (failure !== undefined) {
    recorder.fail(node, { type: "run-end" }, failure.error, failure.isAbort);
    recorder.log.end();
    throw failure.error;
  }
  recorder.end(node, { type: "run-end" });
  recorder.log.end();
  const { agents } = context.layer;
  return {
    output,
    steps: context.layer.results(),
    usage: recorder.fold.usageOf(node.id),
    get trace() {
      return recorder.fold.traceOf();
    },
    messages: (agentName) => conversationOf(agents, agentName),
  };
}

async function reject(error: unknown, { recorder }: SharedRun, node: NodeHandle): Promise<never> {
  recorder.fail(node, { type: "run-end" }, error, false);
  recorder.log.end();
  throw error;
}
