/** Runs what stands behind a tool in a loop of the application's own: a workflow as a run of its own, or a question to `onRequest`. */

import { cloneData } from "../capability/approval.js";
import { sourceOf, type Declaration } from "../capability/declaration.js";
import { JuneError } from "../errors/june-error.js";
import { requestUnanswered, toolFailed, toolUnapproved } from "../errors/run-errors.js";
import type { AbortScope } from "../render/abort-scope.js";
import { escapeLabel } from "../render/context.js";
import type { NodeHandle } from "../trace/recorder.js";
import { createInstance } from "./instance.js";
import { ToolFailure, validateInput, type ExecuteOptions } from "./invoke-tool.js";
import { defaultLimits, type RunOptions } from "./options.js";
import type { SharedRun } from "./run-state.js";
import { defaultEnvironment, openRun } from "./shared-run.js";

const answerCure = "Give resolveTools() an onRequest that answers: outside run() there is no handle to answer on.";

/** The calls of one `resolveTools`. */
export class OutsideCalls {
  readonly #options: RunOptions;
  readonly #root: AbortScope;
  readonly #inFlight = new Set<Promise<unknown>>();

  /** @param root when it aborts, so does every call. */
  constructor(options: RunOptions, root: AbortScope) {
    this.#options = options;
    this.#root = root;
  }

  /**
   * One call of a composite: its whole child run, as C42 has it.
   * @throws {ToolFailure} with the text for the model; the reason of an abort as it is.
   */
  runComposite(declaration: Declaration, input: unknown, options: ExecuteOptions): Promise<unknown> {
    const { composite, name } = declaration;
    return this.#within(options, async (shared, node) => {
      try {
        return await createInstance(shared, {
          depth: 0,
          labelPrefix: "",
          parentScope: undefined,
          isLookedAhead: true,
        }).runChild({
          composite: composite!,
          tool: name,
          input,
          node,
          abort: shared.abort,
          frame: undefined,
          timeLimits: undefined,
        });
      } catch (error) {
        throw failureOf(name, error, shared);
      }
    });
  }

  /**
   * Asks `onRequest` about a held call that nobody approved. Gives the input that runs.
   * @throws {ToolFailure} when it says no, or there is none.
   */
  async ask(
    declaration: Declaration,
    given: unknown,
    reason: string | undefined,
    options: ExecuteOptions,
  ): Promise<unknown> {
    const { name } = declaration;
    // The caller may change its object while a person is asked.
    const input = cloneData(given);
    if (this.#options.onRequest === undefined)
      throw new ToolFailure(toolUnapproved(name).message, { cause: toolUnapproved(name) });
    return this.#within(options, async (shared, node) => {
      try {
        const decision = await shared.requests.open({
          kind: "approval",
          path: `/tool[0:${escapeLabel(name)}]`,
          step: name,
          tool: name,
          input,
          reason,
          source: sourceOf(declaration),
          agent: "resolveTools()",
          node,
          abort: shared.abort,
          timeLimits: undefined,
          validate: (value) => validateInput(declaration, value),
        });
        if (decision.type === "approved") return decision.input === undefined ? input : decision.input.value;
        const why = decision.type === "denied" ? decision.reason : undefined;
        throw new ToolFailure(`the call was denied${why === undefined ? "" : `: ${why}`}`);
      } catch (error) {
        throw error instanceof ToolFailure ? error : failureOf(name, error, shared);
      }
    });
  }

  /** Waits for the calls that still run, or clean up after an abort. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  #within<T>({ abortSignal }: ExecuteOptions, work: (shared: SharedRun, node: NodeHandle) => Promise<T>): Promise<T> {
    const running = (async () => {
      const { shared, node } = openRun(this.#options, defaultLimits, defaultEnvironment);
      const leave = [this.#root.signal, abortSignal].map((signal) => followSignal(signal, shared.abort));
      try {
        shared.abort.throwIfAborted();
        return await work(shared, node);
      } catch (error) {
        shared.abort.abort(error);
        throw error;
      } finally {
        await shared.toolsets.close(node);
        for (const stop of leave) stop();
      }
    })();
    this.#inFlight.add(running);
    const forget = (): void => void this.#inFlight.delete(running);
    running.then(forget, forget);
    return running;
  }
}

/** Passes an abort of `signal` on; call the result to stop. */
export function followSignal(signal: AbortSignal | undefined, abort: AbortScope): () => void {
  const onAbort = (): void => abort.abort(signal!.reason);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return () => signal?.removeEventListener("abort", onAbort);
}

/** An abort as it is, anything else as the text the model sees. */
function failureOf(name: string, error: unknown, { abort, failures }: SharedRun): unknown {
  if (abort.isAborted && !failures.includes(abort.reason)) return abort.reason;
  const cause = abort.isAborted ? abort.reason : error;
  const shown =
    JuneError.isInstance(cause) && cause.code === "request-unanswered"
      ? requestUnanswered(cause.details as never, answerCure)
      : cause;
  return new ToolFailure(toolFailed(name, shown).message, { cause: shown });
}
