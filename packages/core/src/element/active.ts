/** Which component or tool is active: the one AsyncLocalStorage of June, so that a callable tool knows the run it is called in. */

import { AsyncLocalStorage } from "node:async_hooks";

/** A region of the author's code in which callable tools may be called: a component, a child function, a tool's execute. */
export interface ActiveRegion {
  /** False once the region has settled: what still runs from it may start no more calls. */
  readonly isActive: boolean;
  /** Starts a call of what `defineTool` made. */
  call(definition: object, input: unknown): Promise<unknown>;
}

const storage = new AsyncLocalStorage<ActiveRegion | undefined>();

/** Runs `work` with `region` as the active one, or with none. */
export function runActive<T>(region: ActiveRegion | undefined, work: () => T): T {
  return storage.run(region, work);
}

/** The active region, if its code may still start calls. */
export function activeRegion(): ActiveRegion | undefined {
  const region = storage.getStore();
  return region?.isActive === true ? region : undefined;
}
