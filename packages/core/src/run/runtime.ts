/** `createRuntime`: runs with the options an application has in common. */

import type { JuneElement } from "../element/element.js";
import { checkOptions, type RunOptions } from "./options.js";
import { run } from "./run.js";
import type { RunHandle } from "./run-handle.js";

/** Runs with default options. */
export interface Runtime {
  /**
   * `run`, with `options` over the defaults: one by one, and `limits` and `trace` one level deeper. An option that is undefined
   * leaves the default in place.
   */
  run(element: JuneElement, options?: RunOptions): RunHandle<unknown>;
  /** Runs to the end and gives the output as text: JSON where it is not text, and nothing as "". Rejects as the run does. */
  evaluate(element: JuneElement, options?: RunOptions): Promise<string>;
}

/**
 * Makes a runtime. The defaults are read once, here.
 * @throws {DeclarationError} `invalid-option` at once, naming the option, what was given and what is expected.
 * @see docs/guide/app-you-have.md
 */
export function createRuntime(defaults: RunOptions): Runtime {
  checkOptions(defaults, "createRuntime()");
  const base = { ...merge({}, defaults), limits: { ...defaults.limits }, trace: { ...defaults.trace } };
  const start = (element: JuneElement, options: RunOptions = {}): RunHandle<unknown> =>
    run(element, isRecord(options) ? withDefaults(base, options) : options);
  return Object.freeze({
    run: start,
    evaluate: async (element: JuneElement, options?: RunOptions): Promise<string> => {
      const { output } = await start(element, options);
      return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
    },
  });
}

function withDefaults(base: RunOptions, options: RunOptions): RunOptions {
  const merged = merge(base, options);
  for (const name of ["limits", "trace"] as const)
    // What is no object is left for run to refuse.
    if (isRecord(options[name])) Object.assign(merged, { [name]: merge(base[name] ?? {}, options[name]) });
  return merged;
}

function merge<T extends object>(base: T, over: T): T {
  return { ...base, ...Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)) };
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
