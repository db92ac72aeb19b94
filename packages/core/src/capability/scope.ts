/** A scope: the tools of one agent under unique, legal names, or one error. Made by resolve, frozen, handed to the steps. */

import type { ToolSet } from "ai";
import { isDenial, settingRule, type AgentPolicy, type ApprovalRule } from "./approval.js";
import { involvedOf, sourceOf, type Declaration } from "./declaration.js";
import { checkSchema } from "./schema.js";
import type { Involved } from "../errors/compose.js";
import {
  providerToolApproval,
  tooManyTools,
  toolNameCollision,
  toolNameInvalid,
  toolNotAllowed,
  toolSchema,
  unknownToolName,
} from "../errors/declaration-errors.js";

/** One tool of an agent as the trace lists it. */
export interface Capability {
  readonly name: string;
  readonly source: string;
  readonly composite?: true;
  readonly granted?: string;
}

/** Why a tool waits for approval. */
export interface Wait {
  readonly name: string;
  readonly because: string;
}

/** The tools of one agent. */
export interface Scope {
  /** The agent as errors name it. */
  readonly agent: Involved;
  readonly policy: AgentPolicy;
  readonly declarations: readonly Declaration[];
  readonly byName: ReadonlyMap<string, Declaration>;
  /** What is true but worth knowing, such as names that differ in case only. */
  readonly warnings: readonly string[];
  /** Labels of toolsets that were not opened, when the scope was resolved without running anything. */
  readonly unopened: readonly string[];
  /** The scope of the agent around. */
  readonly parent: Scope | undefined;
}

/** What bounds a scope besides its declarations. */
export interface ScopeBounds {
  readonly maxTools: number | undefined;
  readonly allowedTools: ReadonlySet<string> | undefined;
}

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const defaultMaxTools = 128;

/**
 * Checks names, number, schemas and rules of the declarations and makes the scope.
 * @throws {DeclarationError} `tool-name-invalid`, `tool-name-collision`, `too-many-tools`, `tool-not-allowed`, `tool-schema`, `provider-tool-approval`.
 */
export function makeScope(parts: Omit<Scope, "byName" | "warnings">, bounds: ScopeBounds): Scope {
  const { agent, declarations } = parts;
  const byName = new Map<string, Declaration>();
  for (const declaration of declarations) {
    const { name } = declaration;
    if (!namePattern.test(name)) throw toolNameInvalid(name, agent, involvedOf(declaration), nameParts(declaration));
    const other = byName.get(name);
    if (other !== undefined) throw toolNameCollision(name, agent, involvedOf(other), involvedOf(declaration));
    byName.set(name, declaration);
  }
  const limit = bounds.maxTools ?? defaultMaxTools;
  if (declarations.length > limit) throw tooManyTools(agent, declarations.length, limit, countPerSource(declarations));
  const scope: Scope = { ...parts, byName, warnings: lookalikes(declarations) };
  for (const declaration of declarations) {
    if (bounds.allowedTools !== undefined && !bounds.allowedTools.has(declaration.name))
      throw toolNotAllowed(declaration.name, agent, involvedOf(declaration), [...bounds.allowedTools]);
    if (isProviderExecuted(declaration)) {
      // A function over every tool is not asked about calls that have run already; a rule for this very tool is a mistake.
      const rule = rulesOf(declaration, scope).find(({ isGeneral }) => isGeneral !== true);
      if (rule !== undefined) throw providerToolApproval(declaration.name, involvedOf(declaration), rule.because);
      continue;
    }
    if (declaration.tool.type === "provider") continue;
    const { problem, cause } = checkSchema(declaration.tool.inputSchema) as { problem?: string; cause?: unknown };
    if (problem !== undefined) throw toolSchema(involvedOf(declaration), declaration.originalName, problem, cause);
  }
  return Object.freeze(scope);
}

/** Whether the provider runs the tool itself, so that June never sees the call before it ran. */
export function isProviderExecuted({ tool }: Declaration): boolean {
  return tool.type === "provider" && (tool as { isProviderExecuted?: boolean }).isProviderExecuted === true;
}

/** Every rule that governs a tool in this scope: its own, its wrappers', what a grant brought, and the agent's `toolApproval`. */
export function rulesOf(declaration: Declaration, scope: Scope): readonly ApprovalRule[] {
  const setting =
    scope.policy.toolApproval === undefined
      ? undefined
      : settingRule(scope.policy, declaration.name, () => plainToolSet(scope));
  return setting === undefined ? declaration.rules : [...declaration.rules, setting];
}

/** The listing of the trace: what the agent can do and where each tool came from, in scope order. */
export function listCapabilities(scope: Scope): readonly Capability[] {
  return scope.declarations.map((declaration) => ({
    name: declaration.name,
    source: sourceOf(declaration),
    ...(declaration.composite === undefined ? {} : { composite: true as const }),
    ...(declaration.granted === undefined
      ? {}
      : { granted: `${sourceOf(declaration.granted.declaration)} in the enclosing <Agent>` }),
  }));
}

/** Which tools wait for a person, and because of which rules. */
export function listWaits(scope: Scope): readonly Wait[] {
  return scope.declarations.flatMap((declaration) => {
    const rules = isProviderExecuted(declaration) ? [] : rulesOf(declaration, scope);
    // What is always denied never comes to a person.
    if (rules.length === 0 || rules.some(isDenial)) return [];
    return [{ name: declaration.name, because: [...new Set(rules.map(({ because }) => because))].join(", ") }];
  });
}

/**
 * Checks that the names an agent's settings mention are tools of its scope. Skipped where part of the scope is not known yet.
 * @throws {DeclarationError} `unknown-tool-name`
 */
export function checkMentionedNames(scope: Scope, settings: Readonly<Record<string, unknown>>): void {
  if (scope.unopened.length > 0) return;
  const check = (setting: string, name: string, suffix = ""): void => {
    const known = name.endsWith(suffix) && scope.byName.has(name.slice(0, name.length - suffix.length));
    if (!known)
      throw unknownToolName(
        scope.agent,
        setting,
        name,
        [...scope.byName.keys()].map((existing) => `${existing}${suffix}`),
      );
  };
  const { toolApproval, activeTools, toolChoice, toolsContext, timeout, toolOrder } = settings as Record<string, any>;
  if (typeof toolApproval === "object" && toolApproval !== null)
    for (const name of Object.keys(toolApproval)) check("toolApproval", name);
  if (Array.isArray(activeTools)) for (const name of activeTools) check("activeTools", String(name));
  if (Array.isArray(toolOrder)) for (const name of toolOrder) check("toolOrder", String(name));
  if (typeof toolChoice === "object" && toolChoice !== null && typeof toolChoice.toolName === "string")
    check("toolChoice", toolChoice.toolName);
  if (typeof toolsContext === "object" && toolsContext !== null)
    for (const name of Object.keys(toolsContext)) check("toolsContext", name);
  if (typeof timeout === "object" && timeout !== null) {
    for (const name of Object.keys(timeout.tools ?? {})) check("timeout.tools", name, "Ms");
  }
}

/** The tools of a scope as they were declared, by exposed name; without a prototype, so that no name is special. */
export function plainToolSet(scope: Scope): ToolSet {
  return withoutPrototype(scope.declarations.map((declaration) => [declaration.name, declaration.tool]));
}

/** An object of these entries without a prototype. Built this way round because V8 keeps it in fast mode. */
export function withoutPrototype<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as Record<string, T>;
}

function nameParts(declaration: Declaration): string[] {
  const parts = [`${JSON.stringify(declaration.originalName)} of ${declaration.label}`];
  for (let enclosure = declaration.enclosure; enclosure !== undefined; enclosure = enclosure.outer) {
    const added = enclosure.prefix.slice(enclosure.outer?.prefix.length ?? 0);
    if (added !== "") parts.unshift(`${JSON.stringify(added)} of ${enclosure.label}`);
  }
  return parts;
}

function countPerSource(declarations: readonly Declaration[]): { source: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const declaration of declarations) {
    const source =
      declaration.enclosure === undefined
        ? declaration.isFromSet
          ? declaration.label
          : "the agent's own children"
        : declaration.isFromSet
          ? sourceOf(declaration)
          : declaration.enclosure.text;
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return [...counts].map(([source, count]) => ({ source, count })).toSorted((a, b) => b.count - a.count);
}

function lookalikes(declarations: readonly Declaration[]): string[] {
  const folded = new Map<string, string>();
  const warnings: string[] = [];
  for (const { name } of declarations) {
    const other = folded.get(name.toLowerCase());
    if (other === undefined) folded.set(name.toLowerCase(), name);
    else warnings.push(`tool-name-lookalike: ${JSON.stringify(other)} and ${JSON.stringify(name)} differ in case only`);
  }
  return warnings;
}
