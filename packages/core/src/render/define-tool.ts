/** `defineTool`: one typed function that application code calls and a model can be granted. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FlexibleSchema, Schema, Tool as SdkTool } from "ai";
import { convertCallableSchema } from "../capability/callable-schema.js";
import {
  registerCallable,
  type CallableDefinition,
  type CallableTool,
  type CallOptions,
} from "../components/callable-tool.js";
import { activeRegion } from "../element/active.js";
import { describeValue, didYouMean, listNames } from "../errors/compose.js";
import { invalidOption, toolInactive, toolNameInvalid } from "../errors/declaration-errors.js";
import { executeCallable } from "./call-tool.js";

type InputOf<S> = S extends StandardSchemaV1<infer I, any> ? I : S extends FlexibleSchema<infer O> ? O : never;
type OutputOf<S> = S extends StandardSchemaV1<any, infer O> ? O : S extends FlexibleSchema<infer O> ? O : never;

/** What `defineTool` takes besides `execute` and `output`. */
export interface ToolDefinition<S extends FlexibleSchema<any>> {
  /** 1 to 64 letters, digits, `_` and `-`, starting with a letter. */
  name: string;
  /** What a model reads about it. */
  description: string;
  /** What a caller must give: zod, valibot, arktype or another Standard Schema with JSON Schema, or the SDK's `jsonSchema()`. */
  input: S;
  /** Whether a model's call waits for a person: the SDK's own option. */
  needsApproval?: SdkTool<any, any, any>["needsApproval"];
  /** Whether a call may be repeated without harm. */
  idempotent?: boolean;
}

/**
 * Makes a callable tool. Its options are read once, here.
 * @throws {DeclarationError} `invalid-option` or `tool-name-invalid` at once, naming the option, what was given and what is expected.
 * @see docs/guide/callable-tools.md
 */
export function defineTool<S extends FlexibleSchema<any>, R extends StandardSchemaV1<any, any>>(
  definition: ToolDefinition<S> & {
    output: R;
    execute: (input: OutputOf<S>, options: CallOptions) => InputOf<R> | Promise<InputOf<R>> | AsyncIterable<InputOf<R>>;
  },
): CallableTool<InputOf<S>, OutputOf<R>>;
export function defineTool<S extends FlexibleSchema<any>, O>(
  definition: ToolDefinition<S> & {
    output?: undefined;
    execute: (input: OutputOf<S>, options: CallOptions) => O | Promise<O> | AsyncIterable<O>;
  },
): CallableTool<InputOf<S>, O>;
export function defineTool(given: object): CallableTool<never, unknown> {
  const definition = readDefinition(given);
  const callable = (input: unknown): Promise<unknown> => {
    const region = activeRegion();
    if (region === undefined) throw toolInactive(definition.name);
    return region.call(definition, input);
  };
  Object.defineProperties(callable, {
    name: { value: definition.name, enumerable: true },
    description: { value: definition.description, enumerable: true },
    execute: {
      value: (input: unknown, options: Partial<CallOptions> = {}) =>
        executeCallable(definition, input, outsideOptions(definition, options)),
      enumerable: true,
    },
  });
  registerCallable(callable, definition);
  return Object.freeze(callable) as unknown as CallableTool<never, unknown>;
}

function outsideOptions(definition: CallableDefinition, options: Partial<CallOptions>): CallOptions {
  const toolCallId = options.toolCallId ?? `${definition.name}-${crypto.randomUUID()}`;
  return { messages: [], ...options, toolCallId, idempotencyKey: options.idempotencyKey ?? toolCallId } as CallOptions;
}

const known = ["name", "description", "input", "output", "execute", "needsApproval", "idempotent"];

function readDefinition(given: object): CallableDefinition {
  if (typeof given !== "object" || given === null)
    throw invalidOption("defineTool()", `got ${describeValue(given)}`, "Give { name, description, input, execute }.");
  const options = { ...given } as Record<string, unknown>;
  const expect = (holds: boolean, option: string, expected: string): void => {
    if (!holds)
      throw invalidOption(
        "defineTool()",
        `${option} is ${describeValue(options[option])}`,
        `${option} is ${expected}.`,
      );
  };
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined)
    throw invalidOption(
      "defineTool()",
      `there is no option ${unknown}`,
      `The options are ${listNames(known)}.${didYouMean(unknown, known)}`,
    );
  const { name, description, input, output, execute, needsApproval, idempotent } = options;
  expect(
    typeof name === "string" && name !== "",
    "name",
    "text: 1 to 64 letters, digits, _ and -, starting with a letter",
  );
  expect(
    typeof description === "string" && description.trim() !== "",
    "description",
    "text that is not empty, for the model",
  );
  expect(typeof execute === "function", "execute", "a function of the input");
  expect(
    needsApproval === undefined || typeof needsApproval === "boolean" || typeof needsApproval === "function",
    "needsApproval",
    "true, false or a function",
  );
  expect(idempotent === undefined || typeof idempotent === "boolean", "idempotent", "true or false");
  expect(output === undefined || isStandardSchema(output), "output", "a Standard Schema, such as z.object({ … })");
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name as string))
    throw toolNameInvalid(
      name as string,
      { label: "defineTool()" },
      { label: `defineTool({ name: ${JSON.stringify(name)} })` },
      [],
    );
  const checked = convertCallableSchema(name as string, input);
  if (checked.problem !== undefined)
    throw invalidOption(
      "defineTool()",
      `input of ${JSON.stringify(name)} cannot be given to a model: ${checked.problem}`,
      "Use an object at the root and parts that JSON Schema can express.",
    );
  return Object.freeze({
    name: name as string,
    description: description as string,
    input: checked.schema as Schema<unknown>,
    output: output as StandardSchemaV1 | undefined,
    execute: execute as CallableDefinition["execute"],
    needsApproval,
    idempotent: idempotent === true,
  });
}

function isStandardSchema(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}
