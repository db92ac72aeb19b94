/** How an element reads in errors and traces: its tag and the names that may be shown, never other props. */

import { isElement, type JuneElement } from "./element.js";
import { describeValue } from "../errors/compose.js";
import { tagInfo } from "./kind.js";

/** `<Step id="a">`, `<Agent>`, `<Release>`, `<div>`. */
export function labelOf(element: JuneElement): string {
  const { type, props } = element as JuneElement<Record<string, unknown>>;
  const info = tagInfo(type);
  if (info === undefined) return `<${componentName(type)}>`;
  switch (info.kind) {
    case "agent":
    case "tool":
    case "namespace":
      return typeof props["name"] === "string"
        ? `<${info.name} name=${JSON.stringify(props["name"])}>`
        : `<${info.name}>`;
    case "step":
      return typeof props["id"] === "string" ? `<Step id=${JSON.stringify(props["id"])}>` : "<Step>";
    case "inherit":
      return inheritLabel(props["capabilities"]);
    case "fragment":
      return "<>";
    default:
      return `<${info.name}>`;
  }
}

/** `<Inherit capabilities={["a", "b"]}>`: an inherit is always printed whole. */
export function inheritLabel(names: unknown): string {
  if (!Array.isArray(names)) return "<Inherit>";
  return `<Inherit capabilities={[${names.map((name) => JSON.stringify(name)).join(", ")}]}>`;
}

/** The name of a component of the author's own, or of a lower-case tag. */
export function componentName(type: unknown): string {
  if (typeof type === "string") return type;
  if (typeof type === "function") return type.name === "" ? "Component" : type.name;
  return "Component";
}

/** What stands where another node was expected, for a message: text is shown, bounded, as it is there to be read. */
export function describeNode(value: unknown): string {
  if (typeof value !== "string") return describeProp(value);
  return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
}

/** What a prop was, for a message: an element as it reads, anything else by its kind. */
export function describeProp(value: unknown): string {
  return isElement(value) ? labelOf(value) : describeValue(value);
}
