/** What the strictest of the providers takes of a tool: its name, its description and its schema. The one place these rules stand, each with where it comes from. */

import type { Json } from "../element/json.js";

/** A rule that a tool breaks. */
export interface Breach {
  readonly problem: string;
  readonly cure: string;
  /** Where the rule is written down. */
  readonly source: string;
}

/** A tool as a provider gets it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: Json;
}

const anthropic = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview";
const openai = "https://platform.openai.com/docs/guides/function-calling";
const google = "https://ai.google.dev/api/caching#Schema";

type Rule = (tool: OfferedTool) => readonly Breach[];

const rules: readonly Rule[] = [
  ({ name }) =>
    /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name)
      ? []
      : [
          {
            problem: `the name has ${name.length} characters or a character some provider refuses`,
            cure: "Use 1 to 63 letters, digits, _ and -, starting with a letter.",
            source: google,
          },
        ],
  ({ description }) =>
    description === undefined || description.trim() === ""
      ? [
          {
            problem: "it has no description",
            cure: "Say in a sentence what it does and when to use it: one provider demands it, and every model chooses by it.",
            source: google,
          },
        ]
      : [],
  ({ description }) =>
    description !== undefined && description.length > 1_024
      ? [
          {
            problem: `its description has ${description.length} characters`,
            cure: "Keep it to 1,024; put details into the descriptions of the fields.",
            source: openai,
          },
        ]
      : [],
  ({ schema }) =>
    (schema as { type?: unknown }).type === "object"
      ? []
      : [
          {
            problem: "the root of its input schema is no object",
            cure: "Wrap the input in an object.",
            source: anthropic,
          },
        ],
  ({ schema }) => {
    const found = ["oneOf", "anyOf", "allOf"].filter((key) => key in (schema as object));
    return found.length === 0
      ? []
      : [
          {
            problem: `the root of its input schema has ${found.join(", ")}`,
            cure: "Move the choice into a field.",
            source: anthropic,
          },
        ];
  },
  ({ schema }) =>
    partsOf(schema).flatMap(({ part, path }) =>
      Object.keys(part["properties"] ?? {})
        .filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
        .map((key) => ({
          problem: `the field ${JSON.stringify(key)}${at(path)} has a name some provider refuses`,
          cure: "Use 1 to 64 letters, digits, _, . and -.",
          source: anthropic,
        })),
    ),
  ({ schema }) =>
    partsOf(schema).flatMap(({ part, path }) =>
      ["$ref", "patternProperties", "propertyNames", "if", "not", "dependentSchemas", "unevaluatedProperties"]
        .filter((key) => key in part && !(key === "propertyNames" && isAnyText(part[key])))
        .map((key) => ({
          problem: `${path === "" ? "its input schema" : path} uses ${key}, which some provider does not take`,
          cure: "Write the part out with properties, items, enum and anyOf.",
          source: google,
        })),
    ),
  ({ schema }) => {
    const depth = Math.max(0, ...partsOf(schema).map(({ depth: own }) => own));
    return depth > 10
      ? [{ problem: `its input schema is ${depth} objects deep`, cure: "Keep to 10 levels.", source: openai }]
      : [];
  },
  ({ schema }) => {
    const count = partsOf(schema).reduce((sum, { part }) => sum + Object.keys(part["properties"] ?? {}).length, 0);
    return count > 5_000
      ? [{ problem: `its input schema has ${count} fields`, cure: "Keep to 5,000 in all.", source: openai }]
      : [];
  },
];

/** Every rule `tool` breaks. */
export function providerBreaches(tool: OfferedTool): readonly Breach[] {
  return rules.flatMap((rule) => rule(tool));
}

interface SchemaPart {
  readonly part: Readonly<Record<string, Json>>;
  readonly path: string;
  /** How many objects it stands in. */
  readonly depth: number;
}

/** Every schema inside a schema, with the path of the field it describes. */
function partsOf(schema: Json): readonly SchemaPart[] {
  const parts: SchemaPart[] = [];
  const pending: { value: Json | undefined; path: string; depth: number }[] = [{ value: schema, path: "", depth: 0 }];
  for (let next = pending.pop(); next !== undefined && parts.length < 20_000; next = pending.pop()) {
    const { value, path, depth } = next;
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    const part = value as Readonly<Record<string, Json>>;
    parts.push({ part, path, depth });
    for (const [key, field] of Object.entries(part["properties"] ?? {}))
      pending.push({ value: field as Json, path: path === "" ? key : `${path}.${key}`, depth: depth + 1 });
    pending.push({ value: part["items"], path: `${path}[]`, depth });
    pending.push({ value: part["additionalProperties"], path: `${path}{}`, depth: depth + 1 });
    for (const key of ["anyOf", "oneOf", "allOf"])
      for (const choice of (part[key] as readonly Json[] | undefined) ?? [])
        pending.push({ value: choice, path, depth });
  }
  return parts;
}

function at(path: string): string {
  return path === "" ? "" : ` of ${path}`;
}

/** `{ type: "string" }` says nothing about a key; converters write it for every record. */
function isAnyText(schema: Json | undefined): boolean {
  return (
    typeof schema === "object" &&
    schema !== null &&
    Object.keys(schema).length === 1 &&
    (schema as { type?: unknown }).type === "string"
  );
}
