/** Which tools a step's model is given, for the trace: names always, schema texts by hash when everything is captured. */

import { asSchema } from "ai";
import { isPromiseLike } from "../element/element.js";
import type { RunningAgent } from "./run-state.js";

/** The facts of a `step-start` event about the tools on offer. */
export interface Offered {
  readonly offered: readonly string[];
  readonly offeredSchemas?: Readonly<Record<string, string>>;
  readonly schemas?: Readonly<Record<string, string>>;
}

const texts = new WeakMap<object, { readonly hash: string; readonly text: string } | null>();

/** The names the model of this agent's steps is given, in scope order. */
export function offeredTools(agent: RunningAgent): Offered {
  const active = agent.settings["activeTools"] as readonly string[] | undefined;
  const names = agent.scope.declarations.map(({ name }) => name);
  const offered = active === undefined ? names : names.filter((name) => active.includes(name));
  if (agent.instance.shared.recorder.capture !== "full") return { offered };
  const offeredSchemas: Record<string, string> = {};
  const schemas: Record<string, string> = {};
  for (const name of offered) {
    const known = schemaText((agent.tools as Record<string, { inputSchema?: unknown }>)[name]?.inputSchema);
    if (known === null) continue;
    offeredSchemas[name] = known.hash;
    schemas[known.hash] = known.text;
  }
  return { offered, offeredSchemas, schemas };
}

function schemaText(schema: unknown): { readonly hash: string; readonly text: string } | null {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return null;
  const known = texts.get(schema);
  if (known !== undefined) return known;
  const { jsonSchema } = asSchema(schema as Parameters<typeof asSchema>[0]);
  const text = isPromiseLike(jsonSchema) ? undefined : JSON.stringify(jsonSchema);
  const result = text === undefined ? null : { hash: hashText(text), text };
  texts.set(schema, result);
  return result;
}

/** Two rounds of FNV-1a: tells the schemas of one run apart; nothing is trusted because of it. */
function hashText(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
  }
  return `${(first >>> 0).toString(16).padStart(8, "0")}${(second >>> 0).toString(16).padStart(8, "0")}`;
}
