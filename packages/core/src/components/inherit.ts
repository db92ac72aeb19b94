/** `<Inherit>`: brings named tools of the enclosing agent into a nested one. */

import { createElementRecord, type JuneElement } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { required, type PropRules } from "./check-props.js";

/**
 * Takes the enclosing agent's tools of these exposed names, as that agent has them.
 * @throws {DeclarationError} `inherit-unknown`, `inherit-duplicate`, `inherit-without-parent`.
 * @see docs/guide/inherit.md
 */
export const Inherit: (props: { capabilities: readonly string[] }) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Inherit, { ...props }, null, undefined),
  "inherit",
  "Inherit",
);

/** The rules of the props of `<Inherit>`. */
export const inheritRules: PropRules = {
  capabilities: required({
    expects: "an array of tool names",
    accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  }),
};
