/** Calls what the author wrote (components, prompts, fallbacks, outputs) in one way: awaited within the abort, and failing with the component path. */

import { isPromiseLike } from "../element/element.js";
import { componentFailed } from "../errors/run-errors.js";
import { CallRegion } from "./call-tool.js";
import { framePath, type RenderContext } from "./context.js";

/** `settle` for functions in which callable tools may be called; what they started is joined first. */
export function settleActive<T>(work: () => T | PromiseLike<T>, context: RenderContext): T | Promise<T> {
  return settle(() => new CallRegion(() => context).run(work), context);
}

/**
 * Calls a function of the author's and waits for it, if it answers with a promise.
 * @throws {RunError} `component-failed` with the component path, unless what was thrown is the reason of an abort.
 */
export function settle<T>(work: () => T | PromiseLike<T>, context: RenderContext): T | Promise<T> {
  const fail = (error: unknown): never => {
    throw context.abort.isReason(error) ? error : componentFailed(framePath(context.frame), error);
  };
  try {
    const value = work();
    if (!isPromiseLike(value)) return value as T;
    const onIgnored = (): void =>
      context.run.recorder.note(context.node, {
        code: "ignored-abort",
        text: `${framePath(context.frame)} ignored the abort`,
      });
    return context.abort.wait(value as PromiseLike<T>, onIgnored).then((settled) => {
      context.abort.throwIfAborted();
      return settled;
    }, fail);
  } catch (error) {
    return fail(error);
  }
}
