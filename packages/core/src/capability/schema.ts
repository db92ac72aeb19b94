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

/** What is wrong with the root of a JSON Schema for a tool's input, if anything. */
export function rootProblem(jsonSchema: Record<string, unknown>): string | undefined {
  if (jsonSchema["type"] === "object") return undefined;
  if (jsonSchema["type"] !== undefined)
    return `its root is of type ${JSON.stringify(jsonSchema["type"])}, not "object"`;
  const combinator = ["oneOf", "anyOf", "allOf", "not", "enum", "const", "$ref"].find((key) => key in jsonSchema);
  return combinator === undefined ? undefined : `its root is a ${JSON.stringify(combinator)}, not an object`;
}

/** The innermost part of a zod schema that has no JSON form, so that the error can name the field. */
export function unrepresentablePart(schema: unknown): string | undefined {
  let part = schema;
  let path = "";
  // A schema may contain itself.
  for (let depth = 0; depth < 20; depth++) {
    const definition = definitionOf(part);
    if (definition === undefined)
      return path === "" ? undefined : `${path} was made by another version of the schema library`;
    const inner = partsOf(definition).find(([, candidate]) => !isRepresentable(candidate));
    if (inner === undefined) return `${path === "" ? "the root" : path} is a ${definition.type}`;
    path = `${path}${inner[0]}`.replace(/^\./, "");
    part = inner[1];
  }
  return undefined;
}

/** What zod keeps of a schema; which parts there are depends on its type. */
interface ZodDefinition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly catchall?: unknown;
  readonly element?: unknown;
  readonly items?: readonly unknown[];
  readonly rest?: unknown;
  readonly valueType?: unknown;
  readonly options?: readonly unknown[];
  readonly innerType?: unknown;
  readonly left?: unknown;
  readonly right?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
  readonly getter?: () => unknown;
}

function definitionOf(schema: unknown): ZodDefinition | undefined {
  return typeof schema === "object" && schema !== null ? (schema as { def?: ZodDefinition }).def : undefined;
}

/** The schemas a schema is made of, each with what it adds to the path. */
function partsOf(definition: ZodDefinition): (readonly [string, unknown])[] {
  const {
    shape = {},
    catchall,
    element,
    items = [],
    rest,
    valueType,
    options = [],
    innerType,
    left,
    right,
  } = definition;
  const parts: (readonly [string, unknown])[] = [
    ...Object.entries(shape).map(([key, field]) => [`.${key}`, field] as const),
    [".*", catchall],
    ["[]", element],
    ...items.map((item, index) => [`[${index}]`, item] as const),
    ["[]", rest],
    [".*", valueType],
    ...[...options, innerType, left, right, definition.in, definition.out, definition.getter?.()].map(
      (same) => ["", same] as const,
    ),
  ];
  // A transform alone has no JSON form, but what it stands in takes what it takes.
  return parts.filter(([, part]) => part !== undefined && part !== null && definitionOf(part)?.type !== "transform");
}

function isRepresentable(schema: unknown): boolean {
  if (definitionOf(schema) === undefined) return false;
  try {
    return (asSchema(schema as FlexibleSchema<unknown>) as Schema<unknown>).jsonSchema !== undefined;
  } catch {
    return false;
  }
}
