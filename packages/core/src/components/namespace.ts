/** `<Namespace>`: puts `name_` in front of the name of every tool inside. */

import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { anything, required, type PropRules } from "./check-props.js";

/**
 * Prefixes the tools inside with `name_`, so that tools from several sources can share an agent.
 * @see docs/guide/wrappers.md
 */
export const Namespace: (props: { name: string; children?: JuneNode }) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Namespace, { ...props }, null, undefined),
  "namespace",
  "Namespace",
);

/** The rules of the props of `<Namespace>`. */
export const namespaceRules: PropRules = {
  name: required({
    expects: "a letter followed by letters, digits and hyphens",
    accepts: (value) => typeof value === "string" && /^[A-Za-z][A-Za-z0-9-]*$/.test(value),
  }),
  children: anything,
};
