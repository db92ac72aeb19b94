/** Opens waiting toolsets: once per definition and key in an outermost run, shared by all who declare them, closed in reverse order at its end. */

import type { ToolSet } from "ai";
import type { OpenToolset, WaitingToolset } from "../components/define-toolset.js";
import type { JuneElement } from "../element/element.js";
import { toolsetFailed } from "../errors/run-errors.js";
import { type AbortScope } from "../render/abort-scope.js";
import { startTimer } from "../render/timer.js";
import type { NodeHandle, Recorder } from "../trace/recorder.js";
import { keepAlive } from "./keep-alive.js";

interface Opened {
  readonly label: string;
  readonly resource: OpenToolset;
}

interface OpeningState {
  readonly scope: AbortScope;
  readonly resource: Promise<OpenToolset>;
  waiting: number;
  isSettled: boolean;
}

/** Thrown into an opening nobody waits for any more. */
class NobodyWaits extends DOMException {
  constructor() {
    super("nobody waits for this toolset any more", "AbortError");
  }
}

/** The opened toolsets of one outermost run. */
export class Toolsets {
  readonly #openings = new Map<object, Map<string, OpeningState>>();
  readonly #opened: Opened[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #root: AbortScope;
  readonly #recorder: Recorder;
  readonly #cleanupMs: number;
  #isClosed = false;

  constructor(root: AbortScope, recorder: Recorder, cleanupMs: number) {
    this.#root = root;
    this.#recorder = recorder;
    this.#cleanupMs = cleanupMs;
  }

  /**
   * The tools of a declaration, from the opening it shares.
   * @param abort the waiting agent's scope: when it aborts, this one waits no more.
   * @throws {RunError} `toolset-failed`, or the reason of an abort as it is.
   */
  async open(
    definition: WaitingToolset<never>,
    element: JuneElement,
    label: string,
    abort: AbortScope,
    agent: NodeHandle,
    path: string,
  ): Promise<ToolSet> {
    abort.throwIfAborted();
    const node = this.#recorder.start({
      type: "toolset-start",
      name: label,
      path,
      label: agent.label,
      parentId: agent.id,
      phase: "opening",
    });
    try {
      const state = this.#share(definition, element, label);
      const letGo = keepAlive();
      state.waiting++;
      try {
        const { tools } = await abort.race(state.resource);
        this.#recorder.end(node, { type: "toolset-end" });
        return tools;
      } finally {
        letGo();
        state.waiting--;
        if (state.waiting === 0 && !state.isSettled) state.scope.abort(new NobodyWaits());
      }
    } catch (error) {
      const isAbort = abort.isReason(error);
      this.#recorder.fail(node, { type: "toolset-end" }, error, isAbort);
      throw isAbort ? error : toolsetFailed(label, element.source, error);
    }
  }

  /** Waits for openings that were aborted, then closes everything, the last opened first. What goes wrong is noted on `node`. */
  async close(node: NodeHandle): Promise<void> {
    this.#isClosed = true;
    const pending = [...this.#inFlight];
    if (pending.length > 0)
      await withinMs(Promise.allSettled(pending), this.#cleanupMs, () =>
        this.#recorder.note(node, { code: "ignored-abort", text: "a toolset ignored the abort while opening" }),
      );
    for (const [index, opened] of [...this.#opened.entries()].toReversed()) await this.#closeOne(opened, node, index);
  }

  #share(definition: WaitingToolset<never>, element: JuneElement, label: string): OpeningState {
    const key = definition.key(element.props as never);
    if (typeof key !== "string") throw new TypeError("key(props) must give text");
    const byKey = this.#openings.get(definition) ?? new Map<string, OpeningState>();
    this.#openings.set(definition, byKey);
    const known = byKey.get(key);
    // An opening whose last waiter left is aborting; whoever comes now opens anew.
    if (known !== undefined && !known.scope.isAborted) return known;
    const scope = this.#root.inner();
    const resource = (async () => definition.open(element.props as never, { signal: scope.signal }))().then((opened) =>
      this.#keep(opened, label, scope),
    );
    const state: OpeningState = { scope, resource, waiting: 0, isSettled: false };
    byKey.set(key, state);
    const settled = resource.then(
      () => {
        state.isSettled = true;
      },
      () => {
        state.isSettled = true;
        if (byKey.get(key) === state) byKey.delete(key);
      },
    );
    this.#inFlight.add(settled);
    void settled.then(() => this.#inFlight.delete(settled));
    return state;
  }

  async #keep(resource: OpenToolset, label: string, scope: AbortScope): Promise<OpenToolset> {
    if (typeof resource?.tools !== "object" || resource.tools === null) {
      await resource?.close?.();
      throw new TypeError("open() must give { tools, close? }");
    }
    if (!scope.isAborted && !this.#isClosed) {
      this.#opened.push({ label, resource });
      return resource;
    }
    await resource.close?.();
    throw scope.isAborted ? scope.reason : new NobodyWaits();
  }

  async #closeOne({ label, resource }: Opened, parent: NodeHandle, index: number): Promise<void> {
    if (resource.close === undefined) return;
    const node = this.#recorder.start({
      type: "toolset-start",
      name: label,
      path: `${parent.path}/close[${index}]`,
      label: parent.label,
      parentId: parent.id,
      phase: "closing",
    });
    try {
      const isInTime = await withinMs((async () => resource.close?.())(), this.#cleanupMs, () =>
        this.#recorder.note(node, { code: "close-cut", text: `${label} did not close within ${this.#cleanupMs} ms` }),
      );
      if (isInTime) this.#recorder.end(node, { type: "toolset-end" });
      else
        this.#recorder.fail(
          node,
          { type: "toolset-end" },
          new Error(`${label} did not close within ${this.#cleanupMs} ms`),
          false,
        );
    } catch (error) {
      this.#recorder.note(node, {
        code: "close-failed",
        text: `${label} failed to close: ${error instanceof Error ? error.message : String(error)}`,
      });
      this.#recorder.fail(node, { type: "toolset-end" }, error, false);
    }
  }
}

async function withinMs(work: Promise<unknown>, limitMs: number, onCut: () => void): Promise<boolean> {
  let stop: (() => void) | undefined;
  const cut = new Promise<false>((resolve) => (stop = startTimer(limitMs, () => resolve(false))));
  try {
    const isInTime = await Promise.race([work.then(() => true), cut]);
    if (!isInTime) onCut();
    work.catch(() => {});
    return isInTime;
  } finally {
    stop?.();
  }
}
