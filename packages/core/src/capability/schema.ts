/** A tool's input schema as the SDK and the provider need it: converted once per schema object, and refused by name when it cannot be sent. */

import { asSchema, type FlexibleSchema, type Schema } from "ai";
import { isPromiseLike } from "../element/element.js";

/** A schema that is converted already, or what is wrong with it. */
export type CheckedSchema =
  | { readonly schema: Schema<unknown>; readonly problem?: undefined }
  | { readonly schema?: undefined; readonly problem: string; readonly cause?: unknown };

const checked = new WeakMap<object, CheckedSchema>();

/** The SDK's form of `schema`, with its JSON Schema looked at: an object at the root, every part expressible. */
export function checkSchema(schema: unknown): CheckedSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null)
    return { problem: "it has no inputSchema" };
  const known = checked.get(schema);
  if (known !== undefined) return known;
  const result = convert(schema as FlexibleSchema<unknown>);
  checked.set(schema, result);
  return result;
}

function convert(flexible: FlexibleSchema<unknown>): CheckedSchema {
  try {
    const schema = asSchema(flexible) as Schema<unknown>;
    const { jsonSchema } = schema;
    if (isPromiseLike(jsonSchema)) {
      // Libraries that convert asynchronously are looked at by the SDK when it sends the schema.
      jsonSchema.then(undefined, () => {});
      return { schema };
    }
    const problem = rootProblem(jsonSchema as Record<string, unknown>);
    return problem === undefined ? { schema } : { problem };
  } catch (error) {
    const where = unrepresentablePart(flexible);
    const message = error instanceof Error ? error.message : String(error);
    return { problem: where === undefined ? message : `${where} (${message})`, cause: error };
  }
}

function rootProblem(jsonSchema: Record<string, unknown>): string | undefined {
  if (jsonSchema["type"] === "object") return undefined;
  if (jsonSchema["type"] !== undefined)
    return `its root is of type ${JSON.stringify(jsonSchema["type"])}, not "object"`;
  const combinator = ["oneOf", "anyOf", "allOf", "not", "enum", "const", "$ref"].find((key) => key in jsonSchema);
  return combinator === undefined ? undefined : `its root is a ${JSON.stringify(combinator)}, not an object`;
}

/** Walks a zod schema to the part that has no JSON form, so that the error can name the field. */
function unrepresentablePart(schema: unknown): string | undefined {
  const visit = (part: unknown, path: string, depth: number): string | undefined => {
    const definition = (
      part as {
        def?: {
          type?: string;
          shape?: object;
          element?: unknown;
          innerType?: unknown;
          options?: unknown[];
          valueType?: unknown;
        };
      } | null
    )?.def;
    if (definition === undefined)
      return path === "" ? undefined : `${path} was made by another version of the schema library`;
    if (depth > 20) return undefined;
    if (
      ["date", "bigint", "symbol", "undefined", "void", "map", "set", "function", "promise", "nan", "custom"].includes(
        definition.type ?? "",
      )
    ) {
      return `${path === "" ? "the root" : path} is a ${definition.type}`;
    }
    for (const [key, field] of Object.entries(definition.shape ?? {})) {
      const found = visit(field, path === "" ? key : `${path}.${key}`, depth + 1);
      if (found !== undefined) return found;
    }
    for (const inner of [
      definition.element,
      definition.innerType,
      definition.valueType,
      ...(definition.options ?? []),
    ]) {
      if (inner === undefined) continue;
      const found = visit(inner, inner === definition.element ? `${path}[]` : path, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return typeof schema === "object" && schema !== null && "def" in schema ? visit(schema, "", 0) : undefined;
}
