/** From the children of an agent to its scope and its body. Read this file first: it is what June is about. */

import type { ToolSet } from "ai";
import type { ToolsetDefinition } from "../components/define-toolset.js";
import type { JuneElement, JuneNode } from "../element/element.js";
import { inheritLabel } from "../element/label.js";
import { closestNames, type Involved } from "../errors/compose.js";
import {
  grantedToolsContext,
  inheritDuplicate,
  inheritUnknown,
  inheritWithoutParent,
  noModel,
} from "../errors/declaration-errors.js";
import type { AgentPolicy } from "./approval.js";
import { toDeclarations } from "./declare.js";
import type { Declaration, Enclosure } from "./declaration.js";
import { explainAbsence } from "./explain.js";
import { foldChildren, type Entry } from "./fold.js";
import { checkMentionedNames, makeScope, rulesOf, type Scope } from "./scope.js";

/** The settings of an agent that resolving looks at; the rest passes through untouched. */
export type ResolvedSettings = Readonly<Record<string, unknown>> & {
  readonly tools?: ToolSet;
  readonly maxTools?: number;
  readonly toolApproval?: unknown;
  readonly toolsContext?: Readonly<Record<string, unknown>>;
};

/** What resolving needs to know of the run, which it otherwise knows nothing of. */
export interface ResolveContext {
  readonly parent: Scope | undefined;
  readonly allowedTools: ReadonlySet<string> | undefined;
  readonly runtimeContext: unknown;
  /** Whether a model is given for agents that have none of their own. */
  readonly hasDefaultModel: boolean;
  /** Opens a waiting toolset. Left out, nothing is opened and the scope says what is missing. */
  readonly open?: (definition: ToolsetDefinition, element: JuneElement, label: string) => Promise<ToolSet>;
  /** The component path of the agent, for errors. */
  readonly path: string;
  /** Whether the children are a callable agent's capabilities, which leave no body. */
  readonly isCallable?: boolean;
}

/** A resolved agent: its scope, and what is left to render. */
export interface Resolved {
  readonly scope: Scope;
  readonly body: readonly JuneNode[];
}

/**
 * Resolves one appearance of an agent. Answers at once unless a toolset has to be opened.
 * @throws {DeclarationError} every mistake of scope, before any model call of that agent.
 */
export function resolveAgent(
  agent: Involved,
  settings: ResolvedSettings,
  children: JuneNode,
  context: ResolveContext,
): Resolved | Promise<Resolved> {
  const policy = policyOf(settings, context.runtimeContext);
  const { entries, body } = foldChildren(children, context.path, context.isCallable === true ? agent : undefined);
  const finish = (opened: ReadonlyMap<Entry, ToolSet>): Resolved => {
    const declarations: Declaration[] = [];
    if (settings.tools !== undefined) declarations.push(...declareToolsProp(settings.tools, agent));
    for (const entry of entries) appendEntry(entry, declarations, agent, context, opened);
    const unopened = entries.flatMap((entry) => (entry.kind === "waiting" && !opened.has(entry) ? [entry.label] : []));
    const scope = makeScope(
      { agent, policy, declarations, unopened, parent: context.parent },
      { maxTools: settings.maxTools, allowedTools: context.allowedTools },
    );
    for (const { composite, granted } of declarations)
      if (composite !== undefined && granted === undefined) composite.parent = scope;
    checkMentionedNames(scope, settings);
    checkGrantedContexts(scope);
    return { scope, body };
  };
  const { open } = context;
  const waiting = open === undefined ? [] : entries.filter((entry) => entry.kind === "waiting");
  if (open === undefined || waiting.length === 0) return finish(new Map());
  // All are awaited even when one fails, so that none is left opening behind a failure.
  return Promise.allSettled(waiting.map((entry) => open(entry.definition, entry.element, entry.label))).then(
    (results) => {
      const opened = new Map<Entry, ToolSet>();
      results.forEach((result, index) => {
        if (result.status === "rejected") throw result.reason;
        opened.set(waiting[index]!, result.value);
      });
      return finish(opened);
    },
  );
}

/**
 * Resolves the callable agents of a scope inwards without opening or running anything, so that their mistakes show before any model call.
 * Stops at a definition that is in the chain already.
 * @throws {DeclarationError} what resolving the callable agent itself would throw, and `no-model`.
 */
export function lookAhead(
  scope: Scope,
  context: Omit<ResolveContext, "open" | "parent">,
  chain: readonly object[] = [],
): void {
  for (const { composite, granted, place } of scope.declarations) {
    const callable = composite?.agent;
    if (
      composite === undefined ||
      callable === undefined ||
      granted !== undefined ||
      chain.includes(callable.definition)
    )
      continue;
    const agent: Involved = { label: `<${composite.name}>`, source: place };
    if (callable.settings["model"] === undefined && !context.hasDefaultModel) throw noModel(agent);
    const { scope: inner } = resolveAgent(agent, callable.settings, callable.capabilities(), {
      ...context,
      parent: scope,
      isCallable: true,
    }) as Resolved;
    lookAhead(inner, context, [...chain, callable.definition]);
  }
}

function policyOf(settings: ResolvedSettings, runtimeContext: unknown): AgentPolicy {
  const { toolApproval, toolsContext } = settings;
  // Copies, because a grant asks them later: an object that changes meanwhile must not loosen anything.
  return {
    toolApproval: typeof toolApproval === "object" ? { ...toolApproval } : toolApproval,
    toolsContext: { ...toolsContext },
    runtimeContext,
  };
}

function declareToolsProp(tools: ToolSet, agent: Involved): Declaration[] {
  return Object.keys(tools).flatMap((name) => {
    const [declaration] = toDeclarations(
      { [name]: tools[name]! },
      {
        label: `tools={{ ${isIdentifier(name) ? name : JSON.stringify(name)} }}`,
        place: agent.source,
        enclosure: undefined,
      },
    );
    return declaration === undefined ? [] : [{ ...declaration, isFromSet: false }];
  });
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function appendEntry(
  entry: Entry,
  declarations: Declaration[],
  agent: Involved,
  context: ResolveContext,
  opened: ReadonlyMap<Entry, ToolSet>,
): void {
  switch (entry.kind) {
    case "declared":
      declarations.push(entry.declaration);
      return;
    case "inherit":
      declarations.push(...grant(entry.element, entry.enclosure, agent, context.parent));
      return;
    case "waiting": {
      const tools = opened.get(entry);
      if (tools !== undefined)
        declarations.push(
          ...toDeclarations(tools, {
            label: entry.label,
            place: entry.element.source,
            enclosure: entry.enclosure,
          }),
        );
    }
  }
}

/** The parent's tools an `<Inherit>` names, with every rule that governs them there. */
function grant(
  element: JuneElement<{ capabilities: readonly string[] }>,
  enclosure: Enclosure | undefined,
  agent: Involved,
  parent: Scope | undefined,
): Declaration[] {
  const names = element.props.capabilities;
  const inherit: Involved = { label: inheritLabel(names), source: element.source };
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw inheritDuplicate(inherit, duplicate);
  if (parent === undefined) throw inheritWithoutParent(inherit, agent);
  return names.flatMap((originalName): Declaration[] => {
    const declaration = parent.byName.get(originalName);
    if (declaration === undefined) {
      if (parent.unopened.length > 0) return [];
      throw inheritUnknown(
        inherit,
        originalName,
        parent.agent,
        orderBySpelling(originalName, [...parent.byName.keys()]),
        explainAbsence(originalName, parent),
      );
    }
    return [
      {
        name: `${enclosure?.prefix ?? ""}${originalName}`,
        originalName,
        tool: declaration.tool,
        composite: declaration.composite,
        callable: declaration.callable,
        label: inherit.label,
        isFromSet: false,
        place: element.source,
        enclosure,
        rules: [...rulesOf(declaration, parent), ...(enclosure?.rules ?? [])],
        granted: { declaration, scope: parent },
      },
    ];
  });
}

/** The closest spelling first, then the rest sorted. */
function orderBySpelling(wanted: string, names: readonly string[]): string[] {
  const [closest] = closestNames(wanted, names);
  const sorted = [...names].toSorted();
  return closest === undefined ? sorted : [closest, ...sorted.filter((name) => name !== closest)];
}

function checkGrantedContexts(scope: Scope): void {
  for (const declaration of scope.declarations) {
    const { granted, name } = declaration;
    if (
      granted !== undefined &&
      Object.hasOwn(scope.policy.toolsContext, name) &&
      contextOf(granted.declaration, granted.scope) !== undefined
    )
      throw grantedToolsContext(scope.agent, name);
  }
}

/** The context a tool runs with: its parent's, when it was granted with one, else what its agent's `toolsContext` gives. */
export function contextOf(declaration: Declaration, scope: Scope): unknown {
  const { granted, name } = declaration;
  const brought = granted === undefined ? undefined : contextOf(granted.declaration, granted.scope);
  return brought ?? (Object.hasOwn(scope.policy.toolsContext, name) ? scope.policy.toolsContext[name] : undefined);
}
