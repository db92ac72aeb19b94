/** `<Catch>`: tries its children again after a failure, then falls back. */

import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import type { JuneError } from "../errors/june-error.js";
import { anything, functionProp, wholeNumber, type PropRules } from "./check-props.js";

/** What `<Catch>` takes. */
export interface CatchProps {
  /** How often to render the children again; 0 unless set. */
  retries?: number;
  /** Milliseconds to wait before a retry, or a function of the attempt that failed (from 1). */
  delayMs?: number | ((attempt: number) => number);
  /** Which errors this one sees; all of them unless set. */
  when?: (error: JuneError) => boolean;
  /** What to render when every attempt failed. Without it the last error goes on. */
  fallback?: (error: JuneError) => JuneNode | Promise<JuneNode>;
  children?: JuneNode;
}

/**
 * Renders its children; a failure inside renders them again, up to `retries` times, then renders `fallback`.
 * A failed attempt leaves no result, step id or message behind. Aborts, reached limits and declaration errors pass through.
 * @see docs/guide/control.md
 */
export const Catch: (props: CatchProps) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Catch, { ...props }, null, undefined),
  "catch",
  "Catch",
);

/** The rules of the props of `<Catch>`. */
export const catchRules: PropRules = {
  retries: wholeNumber(0),
  delayMs: {
    expects: "a number of milliseconds from 0 on, or a function of the attempt",
    accepts: (value) => typeof value === "function" || (typeof value === "number" && value >= 0),
  },
  when: functionProp,
  fallback: functionProp,
  children: anything,
};
