/** A declaration: the resolved record of one tool in a scope, with where it came from and what holds it. Made by resolve, read by scope, tool set and trace. */

import type { Tool as SdkTool } from "ai";
import type { JuneNode } from "../element/element.js";
import type { Involved } from "../errors/compose.js";
import type { CallableDefinition } from "../components/callable-tool.js";
import type { CompositeResult } from "../components/tool.js";
import type { ApprovalRule } from "./approval.js";
import type { Scope } from "./scope.js";

/** One bundle or wrapper around a declaration; a linked list from the inside out. What all its tools share is worked out once. */
export interface Enclosure {
  readonly label: string;
  readonly source: string | undefined;
  readonly outer: Enclosure | undefined;
  /** Labels outermost first, joined by ` > `. */
  readonly text: string;
  /** What the namespaces put in front of a name. */
  readonly prefix: string;
  /** The rules that the wrappers add. */
  readonly rules: readonly ApprovalRule[];
  /** The bundle's definition, for the check that it does not contain itself. */
  readonly definition: unknown;
}

/** A workflow behind a tool: a call renders it as a child run. */
export interface Composite {
  readonly kind: "tool" | "agent";
  readonly name: string;
  /** The workflow of one call; gets the validated input. */
  readonly render: (input: unknown) => JuneNode | Promise<JuneNode>;
  /** Picks what the model gets. */
  readonly output: ((result: CompositeResult) => unknown) | undefined;
  /** A callable agent's definition and its capabilities, for the look ahead before any model call. */
  readonly agent:
    | {
        readonly definition: object;
        readonly capabilities: () => JuneNode;
        readonly settings: Readonly<Record<string, unknown>>;
      }
    | undefined;
  /** The scope whose tools `<Inherit>` finds inside: the declaring agent's. Set when that scope is complete. */
  parent: Scope | undefined;
}

/** One tool of a scope. */
export interface Declaration {
  /** The exposed name. */
  readonly name: string;
  /** The name before any namespace. */
  readonly originalName: string;
  readonly tool: SdkTool<any, any, any>;
  readonly composite: Composite | undefined;
  /** What `defineTool` made, when the declaration is a `<Tool use>`. */
  readonly callable: CallableDefinition | undefined;
  /** How the declaration itself reads: `<Tool name="search">`, `<Bash>`, `<researcher>`. */
  readonly label: string;
  /** Whether the label leaves the tool's own name open, as a toolset's does. */
  readonly isFromSet: boolean;
  readonly place: string | undefined;
  readonly enclosure: Enclosure | undefined;
  /** Everything that may hold a call: wrappers, the tool's own, and what a grant brought. */
  readonly rules: readonly ApprovalRule[];
  /** The parent's declaration, when an `<Inherit>` brought it, and the scope it was taken from. */
  readonly granted: { readonly declaration: Declaration; readonly scope: Scope } | undefined;
}

/** The declaration, followed by the bundles and wrappers it came through. */
export function sourceOf(declaration: Declaration): string {
  return declaration.enclosure === undefined
    ? declaration.label
    : `${declaration.label} in ${declaration.enclosure.text}`;
}

/** The declaration as an error names it: with its own name where the label leaves it open, and its place. */
export function involvedOf(declaration: Declaration): Involved {
  const own = declaration.isFromSet ? ` (its tool ${JSON.stringify(declaration.originalName)})` : "";
  return { label: `${sourceOf(declaration)}${own}`, source: declaration.place };
}

/** Puts one more bundle or wrapper around what is inside. */
export function enclose(part: {
  label: string;
  source: string | undefined;
  outer: Enclosure | undefined;
  prefix?: string;
  rule?: ApprovalRule;
  definition?: unknown;
}): Enclosure {
  const { label, source, outer, definition } = part;
  return {
    label,
    source,
    outer,
    definition,
    text: outer === undefined ? label : `${outer.text} > ${label}`,
    prefix: `${outer?.prefix ?? ""}${part.prefix ?? ""}`,
    rules: addRule(outer?.rules ?? [], part.rule),
  };
}

/** The same rule twice is one: approval is idempotent. */
function addRule(rules: readonly ApprovalRule[], added: ApprovalRule | undefined): readonly ApprovalRule[] {
  const isThere = ({ because, fixed }: ApprovalRule): boolean =>
    because === added?.because && fixed?.reason === added.fixed?.reason;
  return added === undefined || rules.some(isThere) ? rules : [...rules, added];
}
