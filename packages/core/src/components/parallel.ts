/** `<Parallel>`: the only place where things run at once. */

import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { anything, wholeNumber, type PropRules } from "./check-props.js";

/**
 * Runs each child as a branch, at most `limit` at a time. Results keep authored order.
 * @throws {RunError} `parallel-failed` when several branches fail; one failure is rethrown as it is.
 * @see docs/guide/control.md
 */
export const Parallel: (props: { limit?: number; children?: JuneNode }) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Parallel, { ...props }, null, undefined),
  "parallel",
  "Parallel",
);

/** The rules of the props of `<Parallel>`. */
export const parallelRules: PropRules = { limit: wholeNumber(1), children: anything };
