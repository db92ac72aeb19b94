/** Tries a law on random trees. A failure shows the smallest tree found, as JSX. */

import * as fc from "fast-check";
import { printPlan } from "./print-plan.js";
import type { NodePlan } from "./plan.js";

/** How many times more trees than usual: `LAWS_RUNS=10 npm test`. */
const factor = Number(process.env["LAWS_RUNS"] ?? 1);
/** The same trees every time, unless another seed, or `random`, is asked for. */
const wantedSeed = process.env["LAWS_SEED"] ?? "20261201";
export const seed = wantedSeed === "random" ? Date.now() % 0x7fffffff : Number(wantedSeed);

/**
 * Tries `law` on `trees` random values.
 * @throws {Error} with the smallest counter-example, the seed, and what was expected.
 */
export async function checkLaw<T>(
  trees: number,
  values: fc.Arbitrary<T>,
  law: (value: T) => Promise<void> | void,
): Promise<void> {
  const numRuns = Math.ceil(trees * factor);
  const details = await fc.check(
    fc.asyncProperty(values, async (value) => void (await law(value))),
    { seed, numRuns, maxSkipsPerRun: 1_000 },
  );
  if (!details.failed) return;
  const [value] = details.counterexample ?? [];
  const cause = details.errorInstance as { message?: string; actual?: unknown; expected?: unknown } | null;
  const error = new Error(
    `after ${details.numRuns} trees and ${details.numShrinks} shrinks (LAWS_SEED=${seed}):\n${show(value)}\n${cause?.message ?? "no tree was suitable"}`,
    { cause },
  );
  throw Object.assign(error, { actual: cause?.actual, expected: cause?.expected });
}

/** The trees in a value as JSX, the rest as JSON. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join("\n");
  return isPlan(value) ? printPlan(value) : JSON.stringify(value);
}

function isPlan(value: unknown): value is NodePlan {
  return typeof value === "object" && value !== null && "type" in value;
}
