/** `<Step>`: one prompt to the agent around it, run by the SDK's loop to a final answer. */

import type { ModelMessage } from "ai";
import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import type { AnyOutput } from "./agent.js";
import { required, type PropRules } from "./check-props.js";

/** What the steps so far gave, by id; an object without a prototype. */
export type Results = Readonly<Record<string, unknown>>;

/** A prompt: text, or messages of the SDK. */
export type Prompt = string | readonly ModelMessage[];

/** What `<Step>` takes. */
export interface StepProps<T = string> {
  /** Unique in its run: a letter, then letters, digits, `_` and `-`. */
  id: string;
  /** Text or messages, or a function of the results so far. */
  prompt: Prompt | ((results: Results) => Prompt);
  /** What the answer must be; text when left out. */
  output?: AnyOutput<T>;
  /** Renders what follows from the answer, inside the step's agent. */
  children?: (result: T) => JuneNode | Promise<JuneNode>;
}

/**
 * Adds its prompt to the conversation of the agent around it and runs the model to a final answer, which joins the conversation.
 * @throws {DeclarationError} `duplicate-step`, `step-without-agent`, `step-in-parallel`, `invalid-props`.
 * @see docs/guide/steps.md
 */
export const Step: <T = string>(props: StepProps<T>) => JuneElement = /* @__PURE__ */ markTag(
  (props: object) => createElementRecord(Step, { ...props }, null, undefined),
  "step",
  "Step",
);

/** What a step's id looks like. */
export const stepIdPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** The rules of the props of `<Step>`. */
export const stepRules: PropRules = {
  id: required({
    expects: "a letter followed by letters, digits, _ and -",
    accepts: (value) => typeof value === "string" && stepIdPattern.test(value),
  }),
  prompt: required({
    expects: "text that is not empty, an array of messages, or a function of the results so far",
    accepts: (value) =>
      typeof value === "function" || Array.isArray(value) || (typeof value === "string" && value.trim() !== ""),
  }),
  output: {
    expects: "an output of the AI SDK, such as Output.object({ schema })",
    accepts: (value) => typeof value === "object" && value !== null && "parseCompleteOutput" in value,
  },
  children: {
    expects: "one function of the step's result: {(result) => …}",
    accepts: (value) => typeof value === "function",
  },
};
