/** The input schema of a callable tool: JSON Schema of draft 2020-12, made once, by whatever library the author uses. */

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { jsonSchema, type JSONSchema7, type Schema } from "ai";
import { toolInput } from "../errors/run-errors.js";
import { checkSchema, rootProblem, unrepresentablePart, type CheckedSchema } from "./schema.js";

type Standard = StandardSchemaV1 & { readonly "~standard": { readonly jsonSchema?: StandardJSONSchemaV1.Converter } };

/** `input` in the SDK's form, or what is wrong with it. Only a Standard Schema and the SDK's own schemas are taken. */
export function convertCallableSchema(name: string, input: unknown): CheckedSchema {
  if ((typeof input !== "object" && typeof input !== "function") || input === null)
    return { problem: "it is no schema" };
  if (!("~standard" in input))
    return "jsonSchema" in input ? checkSchema(input) : { problem: "it is no Standard Schema" };
  const standard = (input as Standard)["~standard"];
  if (standard.jsonSchema === undefined) {
    if (standard.vendor === "zod") return checkSchema(input);
    const cure = standard.vendor === "valibot" ? ": wrap it in toStandardJsonSchema() of @valibot/to-json-schema" : "";
    return { problem: `${JSON.stringify(standard.vendor)} gives no JSON Schema for it${cure}` };
  }
  try {
    const converted = standard.jsonSchema.input({ target: "draft-2020-12" });
    const problem = rootProblem(converted) ?? droppedPart(input, converted);
    if (problem !== undefined) return { problem };
    return {
      schema: jsonSchema(closeObjects(converted) as JSONSchema7, {
        validate: (value) => validate(name, standard, value),
      }) as Schema<unknown>,
    };
  } catch (error) {
    const where = unrepresentablePart(input);
    const message = error instanceof Error ? error.message : String(error);
    return { problem: where === undefined ? message : `${where} (${message})`, cause: error };
  }
}

/** Some libraries leave empty what JSON Schema cannot express, and say so only when asked in their own way. */
function droppedPart(input: object, converted: unknown): string | undefined {
  const { toJsonSchema } = input as { toJsonSchema?: () => unknown };
  if (typeof toJsonSchema !== "function") return undefined;
  try {
    toJsonSchema.call(input);
    return undefined;
  } catch (error) {
    const path = emptyPart(converted, "") ?? "a part of it";
    return `${path} cannot be expressed in JSON Schema (${error instanceof Error ? error.name : "no reason given"})`;
  }
}

function emptyPart(schema: unknown, path: string): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  const { properties, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  if (Object.keys(schema).length === 0) return path;
  for (const [key, value] of Object.entries(properties ?? {})) {
    const found = emptyPart(value, path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return emptyPart(items, `${path}[]`);
}

async function validate(
  name: string,
  standard: Standard["~standard"],
  value: unknown,
): Promise<{ success: true; value: unknown } | { success: false; error: Error }> {
  const result = (await standard.validate(value)) as StandardSchemaV1.Result<unknown> | undefined;
  if (typeof result !== "object" || result === null)
    return { success: false, error: toolInput(name, "the schema's validator gave nothing") };
  if (result.issues === undefined) return { success: true, value: result.value };
  return {
    success: false,
    error: toolInput(name, result.issues.map(({ message, path }) => `${pathText(path)}${message}`).join("; ")),
  };
}

function pathText(path: StandardSchemaV1.Issue["path"]): string {
  if (path === undefined || path.length === 0) return "";
  return `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: `;
}

/** Providers with strict schemas want it said that an object has no other properties. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = schema as Record<string, unknown>;
  const isOpen =
    parts["type"] === "object" &&
    typeof parts["properties"] === "object" &&
    parts["additionalProperties"] === undefined;
  const closed = Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [
      key,
      key === "default" || key === "enum" || key === "const" || key === "examples" ? value : closeObjects(value),
    ]),
  );
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}
