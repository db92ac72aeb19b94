/** `<Tool>`: one capability. Either an AI SDK tool under a name, or a workflow of its own behind a name (a composite). */

import type { FlexibleSchema, Tool as SdkTool, ToolSet } from "ai";
import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { labelOf } from "../element/label.js";
import { invalidProps } from "../errors/declaration-errors.js";
import type { CallableTool } from "./callable-tool.js";
import { checkProps, functionProp, nonEmptyText, required, type PropRules } from "./check-props.js";

type Without<K extends string> = { [key in K]?: never };

/** The shape of a finished child run, as `output` of a composite gets it. */
export interface CompositeResult {
  /** The only step's result, the record of all when there are several, else the text. */
  readonly output: unknown;
  /** Every step's result by id. */
  readonly steps: Readonly<Record<string, unknown>>;
}

/** What `<Tool>` takes: an AI SDK tool, a callable tool, or the parts of a composite; never a mixture. */
export type ToolProps<I> =
  | ({ name: string; value: SdkTool<any, any, any> | ToolSet[string] } & Without<
      "use" | "as" | "description" | "input" | "output" | "children"
    >)
  | ({
      /** Exactly what `defineTool` returned. */
      use: CallableTool<any, any>;
      /** Another name for it in this agent. */
      as?: string;
    } & Without<"name" | "value" | "description" | "input" | "output" | "children">)
  | ({
      name: string;
      description: string;
      input: FlexibleSchema<I>;
      /** Picks what the model gets; the child run's output when left out. */
      output?: (result: CompositeResult) => unknown;
      /** Renders the workflow of one call. */
      children: (input: I) => JuneNode | Promise<JuneNode>;
    } & Without<"use" | "as" | "value">);

/**
 * Declares one tool of the agent it stands in.
 * @throws {DeclarationError} `invalid-props` for a mixture, a missing part or an unknown prop.
 * @see docs/guide/tools.md
 */
export const Tool: <I>(props: ToolProps<I>) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Tool, { ...props }, null, undefined),
  "tool",
  "Tool",
);

const schema = {
  expects: "a schema, such as z.object({ … })",
  accepts: (value: unknown) => (typeof value === "object" && value !== null) || typeof value === "function",
};
const valueRules: PropRules = {
  name: required(nonEmptyText),
  value: required({ expects: "an AI SDK tool", accepts: () => true }),
};
const useRules: PropRules = {
  use: required({ expects: "a tool made by defineTool()", accepts: () => true }),
  as: nonEmptyText,
};
const compositeRules: PropRules = {
  name: required(nonEmptyText),
  description: required(nonEmptyText),
  input: required(schema),
  output: functionProp,
  children: required(functionProp),
};

const forms =
  "Give name and value; or use, and as for another name; or name, description, input and a function as the child.";

/**
 * Tells the three forms apart and checks the one at hand.
 * @throws {DeclarationError} `invalid-props`
 */
export function checkToolProps(element: JuneElement): "value" | "use" | "composite" {
  const props = element.props as Record<string, unknown>;
  const given = {
    value: ["value"].filter((name) => name in props),
    use: ["use", "as"].filter((name) => name in props),
    composite: ["description", "input", "output", "children"].filter((name) => props[name] !== undefined),
  };
  const [form, other] = (["value", "use", "composite"] as const).filter((name) => given[name].length > 0);
  if (form === undefined) {
    const rest = Object.keys(props).filter((name) => name !== "name");
    if (rest.length > 0) checkProps(element, valueRules);
    throw invalidProps(labelOf(element), element.source, "has no value", forms);
  }
  if (other !== undefined) {
    const mixed = [...given[form], ...given[other]].join(", ");
    throw invalidProps(labelOf(element), element.source, `mixes ${mixed}`, forms);
  }
  checkProps(element, form === "value" ? valueRules : form === "use" ? useRules : compositeRules);
  return form;
}
