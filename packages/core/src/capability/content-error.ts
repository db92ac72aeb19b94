/** What to say about something that stands where only capabilities can: in a bundle, a wrapper, or a callable agent's capabilities. Used by the fold. */

import type { Leaf } from "../element/children.js";
import { elementMajor } from "../element/element.js";
import { invalidNodeError, invalidTypeError } from "../element/invalid.js";
import type { TagInfo } from "../element/kind.js";
import { describeNode, labelOf } from "../element/label.js";
import type { Involved } from "../errors/compose.js";
import { capabilityContent } from "../errors/declaration-errors.js";
import { componentFailed } from "../errors/run-errors.js";
import type { Enclosure } from "./declaration.js";

/** The error for what stands in a bundle or wrapper without being a capability; a mistake that is one anywhere is told as such. */
export function contentError(
  leaf: Leaf,
  info: TagInfo | undefined,
  enclosure: Enclosure | Involved,
  path: string,
): Error {
  const invalid = leaf.kind === "element" ? invalidTypeError(leaf.element, path) : undefined;
  if (invalid !== undefined) return invalid;
  if (leaf.kind === "invalid" && isForeignElement(leaf.value))
    return invalidNodeError(leaf.value, path, enclosure.source);
  const isBundle = "definition" in enclosure && enclosure.definition !== undefined;
  switch (leaf.kind) {
    case "text": {
      const cure =
        typeof leaf.value === "number"
          ? "A number is text: write {list.length > 0 && …} instead of {list.length && …}."
          : "Put text into a step's prompt.";
      return capabilityContent(enclosure, describeNode(leaf.value), undefined, cure);
    }
    case "element": {
      const own = info === undefined;
      const cure = own
        ? `Put it among the <Agent>'s children, or make it a bundle with defineCapabilities() if it declares capabilities.`
        : `Put it among the <Agent>'s children${isBundle ? ", beside the bundle" : ""}.`;
      return capabilityContent(
        enclosure,
        own ? `the component ${labelOf(leaf.element)}` : labelOf(leaf.element),
        leaf.element.source,
        cure,
      );
    }
    case "promise":
      return capabilityContent(
        enclosure,
        "a promise",
        undefined,
        "What has to wait belongs in defineToolset({ key, open }).",
      );
    case "cycle":
      return capabilityContent(enclosure, "an array that contains itself", undefined, "Build a new array.");
    case "failed":
      return componentFailed(path, leaf.error);
    case "invalid":
      return capabilityContent(
        enclosure,
        describeNode(leaf.value),
        undefined,
        "Return <Tool>, bundles, wrappers, toolsets, callable agents and <Inherit> only.",
      );
  }
}

/** Whether a value is an element of another JSX runtime, or of a core too far from this one. */
function isForeignElement(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("$$typeof" in value || elementMajor(value) !== undefined);
}
