/** What every agent of a tree can do, without calling a model: components and bundles run; models, tools and toolsets do not. */

import type { CallableDefinition } from "../components/callable-tool.js";
import { checkProps } from "../components/check-props.js";
import { agentRules } from "../components/agent.js";
import { listCapabilities, listWaits, type Capability, type Scope, type Wait } from "../capability/scope.js";
import { explainTool } from "../capability/explain.js";
import { lookAhead, resolveAgent, type Resolved } from "../capability/resolve.js";
import { runActive, type ActiveRegion } from "../element/active.js";
import { leavesOf, type Leaf } from "../element/children.js";
import { isPromiseLike, type Component, type JuneElement, type JuneNode } from "../element/element.js";
import { invalidNodeError, invalidTypeError } from "../element/invalid.js";
import { isCapabilityKind, tagInfo } from "../element/kind.js";
import { componentName, labelOf } from "../element/label.js";
import type { Involved } from "../errors/compose.js";
import { misplacedCapability } from "../errors/declaration-errors.js";
import { componentFailed } from "../errors/run-errors.js";

/** One agent of a tree. */
export interface AgentReport {
  /** How it reads, and its place. */
  readonly label: string;
  readonly source?: string;
  readonly capabilities: readonly Capability[];
  readonly waits: readonly Wait[];
  readonly warnings: readonly string[];
  /** Toolsets whose tools are not known without opening them. */
  readonly unopened: readonly string[];
  /** The tools of the agent around that an `<Inherit>` could bring. */
  readonly inheritable: readonly string[];
  /** Agents inside: nested ones, callable ones among its tools, and `…` where only a run can tell. */
  readonly inside: readonly InspectedNode[];
  /** Why the agent has or lacks a tool, one sentence for each fact. */
  explain(name: string): readonly string[];
}

/** A part of a tree: an agent, a component around agents, or what only a run can tell. */
export type InspectedNode =
  | { readonly kind: "agent"; readonly agent: AgentReport }
  | { readonly kind: "component"; readonly label: string; readonly inside: readonly InspectedNode[] }
  | { readonly kind: "unknown"; readonly label: string };

/** The settings of an inspection. */
export interface InspectOptions {
  readonly allowedTools?: readonly string[];
}

interface Place {
  readonly path: readonly string[];
  /** The nearest component of the author's own, and whether nothing stands between. */
  readonly component: { readonly label: string; readonly isNearest: boolean } | undefined;
  readonly scope: Scope | undefined;
  readonly chain: readonly object[];
  readonly allowedTools: ReadonlySet<string> | undefined;
}

/**
 * Reports every agent that can be known without running anything.
 * @throws {DeclarationError} the mistakes of scope a run would find.
 */
export async function inspect(element: JuneElement, options: InspectOptions = {}): Promise<readonly InspectedNode[]> {
  return inspectNode(element, {
    path: [],
    component: undefined,
    scope: undefined,
    chain: [],
    allowedTools: options.allowedTools === undefined ? undefined : new Set(options.allowedTools),
  });
}

async function inspectNode(node: JuneNode, place: Place): Promise<InspectedNode[]> {
  const found: InspectedNode[] = [];
  for (const leaf of leavesOf(node)) {
    if (leaf.kind === "promise") found.push(...(await inspectNode((await leaf.promise) as JuneNode, place)));
    else if (leaf.kind === "element") found.push(...(await inspectElement(leaf.element, place)));
    else if (leaf.kind !== "text") throw leafError(leaf, place.path.join(" > ") || "the tree");
  }
  return found;
}

function leafError(leaf: Extract<Leaf, { kind: "cycle" | "failed" | "invalid" }>, path: string): Error {
  if (leaf.kind === "invalid") return invalidNodeError(leaf.value, path, undefined);
  return componentFailed(path, leaf.kind === "failed" ? leaf.error : new TypeError("an array contains itself"));
}

async function inspectElement(element: JuneElement, place: Place): Promise<InspectedNode[]> {
  const invalid = invalidTypeError(element, place.path.join(" > ") || "the tree");
  if (invalid !== undefined) throw invalid;
  const kind = tagInfo(element.type)?.kind;
  const props = element.props as Readonly<Record<string, any>>;
  const label = labelOf(element);
  const component =
    kind === undefined
      ? { label, isNearest: true }
      : place.component && { label: place.component.label, isNearest: false };
  const inner: Place = { ...place, path: [...place.path, label], component };
  switch (kind) {
    case undefined: {
      const rendered = await renderComponent(element, inner);
      if ("needs" in rendered) return [{ kind: "unknown", label: `… in ${label}, which calls ${rendered.needs}()` }];
      const inside = await inspectNode(rendered.content, inner);
      return inside.length === 0 ? [] : [{ kind: "component", label: `<${componentName(element.type)}>`, inside }];
    }
    case "agent":
      return [{ kind: "agent", agent: await inspectAgent(element, inner) }];
    case "step":
      return props["children"] === undefined ? [] : [{ kind: "unknown", label: `… after ${labelOf(element)}` }];
    case "catch":
      return [
        ...(await inspectNode(props["children"] as JuneNode, inner)),
        ...(props["fallback"] === undefined ? [] : [{ kind: "unknown" as const, label: "… fallback of <Catch>" }]),
      ];
    case "parallel":
    case "fragment":
      return inspectNode(props["children"] as JuneNode, inner);
    default:
      if (isCapabilityKind(kind)) throw misplacedCapability({ label, source: element.source }, whereIn(place));
      return [];
  }
}

/** Where a misplaced capability stands, told as a run tells it. */
function whereIn({ component, scope, path }: Place): string | undefined {
  if (component === undefined && scope === undefined) return undefined;
  return component?.isNearest === true ? `the component ${component.label}` : path[path.length - 1];
}

/** What a component renders, or the callable tool it waits for before that is known. */
async function renderComponent(element: JuneElement, place: Place): Promise<{ content: JuneNode } | { needs: string }> {
  let tell!: (found: { needs: string }) => void;
  const needed = new Promise<{ needs: string }>((resolve) => (tell = resolve));
  const region: ActiveRegion = {
    isActive: true,
    // No tool runs in an inspection: the call stays open.
    call: (definition) => {
      tell({ needs: (definition as CallableDefinition).name });
      return new Promise(() => {});
    },
  };
  try {
    const content = runActive(region, () => (element.type as Component)(element.props));
    if (!isPromiseLike(content)) return { content: content as JuneNode };
    return await Promise.race([content.then((settled) => ({ content: settled as JuneNode })), needed]);
  } catch (error) {
    throw componentFailed(place.path.join(" > "), error);
  }
}

async function inspectAgent(element: JuneElement, place: Place): Promise<AgentReport> {
  checkProps(element, agentRules);
  const props = element.props as Readonly<Record<string, any>>;
  const involved = { label: labelOf(element), source: element.source };
  const { scope, body } = resolveDry(involved, props, props["children"] as JuneNode, place);
  lookAhead(scope, {
    allowedTools: place.allowedTools,
    runtimeContext: undefined,
    hasDefaultModel: true,
    path: place.path.join(" > "),
  });
  const callable = scope.declarations.flatMap((declaration) => inspectComposite(scope, declaration, place));
  return reportOf(scope, involved, props, [...callable, ...(await inspectNode([...body], { ...place, scope }))]);
}

function inspectComposite(scope: Scope, declaration: Scope["declarations"][number], place: Place): InspectedNode[] {
  const { composite, granted, name, place: source } = declaration;
  if (composite === undefined || granted !== undefined) return [];
  const { agent } = composite;
  if (agent === undefined) return [{ kind: "unknown", label: `… in <Tool name=${JSON.stringify(name)}>` }];
  if (place.chain.includes(agent.definition)) return [{ kind: "unknown", label: `… <${composite.name}> again` }];
  const inner: Place = {
    ...place,
    scope,
    chain: [...place.chain, agent.definition],
    path: [...place.path, `<${composite.name}>`],
  };
  const involved = { label: `<${composite.name}>`, source };
  const resolved = resolveDry(involved, agent.settings, agent.capabilities(), inner);
  const inside = resolved.scope.declarations.flatMap((own) => inspectComposite(resolved.scope, own, inner));
  return [{ kind: "agent", agent: reportOf(resolved.scope, involved, agent.settings, inside) }];
}

function resolveDry(
  involved: Involved,
  settings: Readonly<Record<string, any>>,
  children: JuneNode,
  place: Place,
): Resolved {
  return resolveAgent(involved, settings, children, {
    parent: place.scope,
    allowedTools: place.allowedTools,
    runtimeContext: undefined,
    hasDefaultModel: true,
    path: place.path.join(" > "),
  }) as Resolved;
}

function reportOf(
  scope: Scope,
  { label, source }: Involved,
  settings: Readonly<Record<string, any>>,
  inside: readonly InspectedNode[],
): AgentReport {
  return {
    label,
    ...(source === undefined ? {} : { source }),
    capabilities: listCapabilities(scope),
    waits: listWaits(scope),
    warnings: scope.warnings,
    unopened: scope.unopened,
    inheritable:
      scope.parent === undefined
        ? []
        : [...scope.parent.byName.keys()].filter(
            (name) => !scope.declarations.some((own) => own.granted !== undefined && own.originalName === name),
          ),
    inside,
    explain: (name) => explainTool(name, scope, settings["activeTools"] as readonly string[] | undefined),
  };
}
