/** Makes the instance of a run: the outermost, and the child run of each composite call. */

import type { Scope } from "../capability/scope.js";
import { renderAgent } from "./agent.js";
import { runChild } from "./composite.js";
import type { RunInstance, SharedRun } from "./run-state.js";
import { renderStep } from "./step.js";

/** One instance over the parts that the whole tree shares. */
export function createInstance(
  shared: SharedRun,
  part: { depth: number; labelPrefix: string; parentScope: Scope | undefined; isLookedAhead: boolean },
): RunInstance {
  const instance: RunInstance = {
    ...part,
    shared,
    runId: shared.id,
    stubs: shared.options.stubs ?? {},
    recorder: shared.recorder,
    strands: shared.strands,
    renderAgent: (element, context) => renderAgent(instance, element, context),
    renderStep: (element, context) => renderStep(instance, element, context),
    runChild: (call) => runChild(instance, call, (child) => createInstance(shared, child)),
  };
  return instance;
}
