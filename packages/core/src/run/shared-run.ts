/** Makes the parts that an outermost run shares with all its child runs, before anything of it renders. */

import { AbortScope } from "../render/abort-scope.js";
import { Strands } from "../render/strands.js";
import { Recorder, type NodeHandle } from "../trace/recorder.js";
import { Spending } from "./limits.js";
import type { ResolvedLimits, RunOptions } from "./options.js";
import { Requests } from "./requests.js";
import type { Environment, SharedRun } from "./run-state.js";
import { Toolsets } from "./toolsets.js";

/** The clock and ids of runs whose caller fixes none. */
export const defaultEnvironment: Environment = { now: Date.now, generateRunId: () => crypto.randomUUID() };

/** The shared parts of a run, and the node everything of it stands under. `options` and `limits` are checked already. */
export function openRun(
  options: RunOptions,
  limits: ResolvedLimits,
  environment: Environment,
): { readonly shared: SharedRun; readonly node: NodeHandle } {
  const id = environment.generateRunId();
  const recorder = new Recorder(options.trace?.capture ?? "shape", environment.now);
  const node = recorder.start({ type: "run-start", name: "run", path: "", label: "run", runId: id });
  const abort = new AbortScope(limits);
  const strands = new Strands();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    abort.abort(error);
  };
  const shared: SharedRun = {
    id,
    options,
    environment,
    recorder,
    abort,
    strands,
    requests: new Requests(recorder, options, limits.requestMs, strands, fail),
    toolsets: new Toolsets(abort, recorder, limits.cleanupMs),
    spending: new Spending(limits),
    allowedTools: options.allowedTools === undefined ? undefined : new Set(options.allowedTools),
    fail,
    failures,
  };
  return { shared, node };
}
