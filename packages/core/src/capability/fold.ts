/** Takes the children of an agent apart: capabilities become entries in source order, the rest is the body. An explicit stack carries the bundles and wrappers around. Long because each kind of capability is taken here. */

import type { ToolSet } from "ai";
import type { BundleDefinition } from "../components/define-capabilities.js";
import type { ToolsetDefinition } from "../components/define-toolset.js";
import { checkProps } from "../components/check-props.js";
import { inheritRules } from "../components/inherit.js";
import { namespaceRules } from "../components/namespace.js";
import { requireApprovalRules } from "../components/require-approval.js";
import { registeredCallable } from "../components/callable-tool.js";
import { checkToolProps, type CompositeResult } from "../components/tool.js";
import { leavesOf, type Leaf } from "../element/children.js";
import { coreMajor, isPromiseLike, type JuneElement, type JuneNode } from "../element/element.js";
import { invalidNodeError, invalidTypeError } from "../element/invalid.js";
import { isCapabilityKind, tagInfo, type TagInfo } from "../element/kind.js";
import { describeProp, labelOf } from "../element/label.js";
import type { Involved } from "../errors/compose.js";
import { bundleCycle, capabilityContent, duplicateCore, invalidProps, toolUse } from "../errors/declaration-errors.js";
import { componentFailed, toolsetFailed } from "../errors/run-errors.js";
import { wrapperRule } from "./approval.js";
import { contentError } from "./content-error.js";
import { enclose, type Composite, type Declaration, type Enclosure } from "./declaration.js";
import { toDeclarations, toDeclaration } from "./declare.js";

/** A capability in source order: declared already, to be granted by the parent, or to be opened first. */
export type Entry =
  | { readonly kind: "declared"; readonly declaration: Declaration }
  | {
      readonly kind: "inherit";
      readonly element: JuneElement<{ capabilities: readonly string[] }>;
      readonly enclosure: Enclosure | undefined;
    }
  | {
      readonly kind: "waiting";
      readonly element: JuneElement;
      readonly label: string;
      readonly definition: ToolsetDefinition;
      readonly enclosure: Enclosure | undefined;
    };

/** What the children of an agent are. */
export interface Folded {
  readonly entries: Entry[];
  readonly body: JuneNode[];
}

/** A callable agent's tag turns an element into its declaration; the definition brings the function, so that `capability/` knows no run. */
export interface AgentTagDefinition {
  readonly declare: (props: Record<string, unknown>) => {
    readonly name: string;
    readonly composite: Composite;
    readonly tool: Declaration["tool"];
  };
}

interface Open {
  readonly leaves: Iterator<Leaf>;
  readonly enclosure: Enclosure | undefined;
}

/**
 * @param path the component path of the agent, for errors of the author's functions.
 * @param container what these children are the content of, when it holds capabilities only and has no body.
 * @throws {DeclarationError} `invalid-props`, `capability-content`, `bundle-cycle`, `invalid-node`, `duplicate-core`
 * @throws {RunError} `component-failed` when a bundle throws
 */
export function foldChildren(children: JuneNode, path: string, container?: Involved): Folded {
  const folded: Folded = { entries: [], body: [] };
  const open: Open[] = [{ leaves: leavesOf(children), enclosure: undefined }];
  for (let top = open[open.length - 1]; top !== undefined; top = open[open.length - 1]) {
    const next = top.leaves.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const leaf = next.value;
    const { enclosure } = top;
    const info = leaf.kind === "element" ? tagInfo(leaf.element.type) : undefined;
    if (leaf.kind === "element" && info !== undefined && isCapabilityKind(info.kind)) {
      const inner = takeCapability(leaf.element, info, enclosure, folded, path);
      if (inner !== undefined) open.push(inner);
    } else if (enclosure !== undefined) throw contentError(leaf, info, enclosure, `${path} > ${enclosure.text}`);
    else if (container !== undefined) throw contentError(leaf, info, container, path);
    else folded.body.push(toNode(leaf, path));
  }
  return folded;
}

function takeCapability(
  element: JuneElement,
  info: TagInfo,
  enclosure: Enclosure | undefined,
  folded: Folded,
  path: string,
): Open | undefined {
  const invalid = invalidTypeError(element, path);
  if (invalid !== undefined) throw invalid;
  const label = labelOf(element);
  const around = { label, source: element.source, outer: enclosure };
  const props = element.props as Record<string, unknown>;
  switch (info.kind) {
    case "namespace":
      checkProps(element, namespaceRules);
      return {
        leaves: leavesOf(props["children"] as JuneNode),
        enclosure: enclose({ ...around, prefix: `${String(props["name"])}_` }),
      };
    case "require-approval":
      checkProps(element, requireApprovalRules);
      return {
        leaves: leavesOf(props["children"] as JuneNode),
        enclosure: enclose({ ...around, rule: wrapperRule(props["reason"] as string | undefined) }),
      };
    case "bundle": {
      const definition = info.definition as BundleDefinition;
      const inner = enclose({ ...around, definition });
      checkCycle(definition, inner);
      return { leaves: leavesOf(renderBundle(definition, element, inner, path)), enclosure: inner };
    }
    case "inherit":
      checkProps(element, inheritRules);
      folded.entries.push({
        kind: "inherit",
        element: element as JuneElement<{ capabilities: readonly string[] }>,
        enclosure,
      });
      return undefined;
    case "toolset":
      takeToolset(element, info.definition as ToolsetDefinition, enclosure, folded);
      return undefined;
    case "callable-agent": {
      const { name, composite, tool } = (info.definition as AgentTagDefinition).declare(props);
      if (typeof name !== "string")
        throw invalidProps(label, element.source, `got ${describeProp(name)} as name`, "name is text.");
      const around2 = { label: `<${composite.name}>`, place: element.source, enclosure };
      folded.entries.push({
        kind: "declared",
        declaration: toDeclaration({ ...around2, originalName: name, tool, composite }),
      });
      return undefined;
    }
    default:
      folded.entries.push({ kind: "declared", declaration: declareTool(element, label, enclosure) });
      return undefined;
  }
}

function declareTool(element: JuneElement, label: string, enclosure: Enclosure | undefined): Declaration {
  const form = checkToolProps(element);
  if (form === "use") return declareCallable(element, enclosure);
  const props = element.props as {
    name: string;
    value: Declaration["tool"];
    description: string;
    input: unknown;
    output?: (result: CompositeResult) => unknown;
    children: (input: unknown) => JuneNode;
  };
  const common = { label, place: element.source, enclosure, originalName: props.name };
  if (form === "value") return toDeclaration({ ...common, tool: props.value });
  const composite: Composite = {
    kind: "tool",
    name: props.name,
    render: props.children,
    output: props.output,
    agent: undefined,
    parent: undefined,
  };
  return toDeclaration({
    ...common,
    tool: { description: props.description, inputSchema: props.input } as Declaration["tool"],
    composite,
  });
}

function declareCallable(element: JuneElement, enclosure: Enclosure | undefined): Declaration {
  const { use, as } = element.props as { use: unknown; as?: string };
  const registered = registeredCallable(use);
  if (registered === undefined) throw toolUse({ label: "<Tool>", source: element.source }, describeProp(use));
  if (registered.major !== coreMajor) throw duplicateCore("a tool of defineTool()", registered.major, coreMajor);
  const { definition } = registered;
  const { name, description, input, execute, needsApproval } = definition;
  const tool = { description, inputSchema: input, execute, ...(needsApproval === undefined ? {} : { needsApproval }) };
  return toDeclaration({
    label: `<Tool use={${name}}>`,
    place: element.source,
    enclosure,
    originalName: as ?? name,
    tool: tool as unknown as Declaration["tool"],
    callable: definition,
  });
}

function takeToolset(
  element: JuneElement,
  definition: ToolsetDefinition,
  enclosure: Enclosure | undefined,
  folded: Folded,
): void {
  const label = toolsetLabel(definition, element);
  if (definition.tools === undefined) {
    folded.entries.push({ kind: "waiting", element, label, definition, enclosure });
    return;
  }
  let tools: ToolSet;
  try {
    tools = definition.tools(element.props as never);
  } catch (error) {
    throw toolsetFailed(label, element.source, error);
  }
  for (const declaration of toDeclarations(tools, { label, place: element.source, enclosure }))
    folded.entries.push({ kind: "declared", declaration });
}

function toolsetLabel(definition: ToolsetDefinition, element: JuneElement): string {
  if (definition.label === undefined) return `<${definition.name}>`;
  let shown: Record<string, string>;
  try {
    shown = definition.label(element.props as never);
    if (typeof shown !== "object" || shown === null)
      throw new TypeError(`label() gave ${describeProp(shown)}, not an object of text`);
  } catch (error) {
    throw toolsetFailed(`<${definition.name}>`, element.source, error);
  }
  return `<${[definition.name, ...Object.entries(shown).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(" ")}>`;
}

function checkCycle(definition: BundleDefinition, inner: Enclosure): void {
  let same = inner.outer;
  while (same !== undefined && same.definition !== definition) same = same.outer;
  if (same === undefined) return;
  const chain: string[] = [];
  for (let part: Enclosure | undefined = inner; part !== same.outer; part = part?.outer)
    if (part?.definition !== undefined) chain.push(part.label);
  throw bundleCycle(chain.toReversed(), inner.source);
}

function renderBundle(definition: BundleDefinition, element: JuneElement, inner: Enclosure, path: string): JuneNode {
  let content: JuneNode;
  try {
    content = definition.render(element.props as never);
  } catch (error) {
    throw componentFailed(`${path} > ${inner.text}`, error);
  }
  if (!isPromiseLike(content)) return content;
  content.then(undefined, () => {});
  throw capabilityContent(
    inner,
    "a promise",
    undefined,
    "A bundle is a pure, synchronous function. What has to wait belongs in defineToolset({ key, open }).",
  );
}

function toNode(leaf: Leaf, path: string): JuneNode {
  switch (leaf.kind) {
    case "text":
      return leaf.value;
    case "element":
      return leaf.element;
    case "promise":
      return leaf.promise as JuneNode;
    case "cycle":
      throw componentFailed(path, new TypeError("an array contains itself"));
    case "failed":
      throw componentFailed(path, leaf.error);
    case "invalid":
      throw invalidNodeError(leaf.value, path, undefined);
  }
}
