/** Makes declarations: an AI SDK tool, where it was declared, and what holds it. Fed by the fold and by opened toolsets. */

import type { ToolSet } from "ai";
import { describeValue } from "../errors/compose.js";
import { toolSetValue, toolValue } from "../errors/declaration-errors.js";
import type { CallableDefinition } from "../components/callable-tool.js";
import { isRecord } from "../element/element.js";
import { ownRule } from "./approval.js";
import { involvedOf, type Composite, type Declaration, type Enclosure } from "./declaration.js";

interface Place {
  readonly label: string;
  readonly place: string | undefined;
  readonly enclosure: Enclosure | undefined;
}

/**
 * The declaration of one tool.
 * @throws {DeclarationError} `tool-value` when the value is no AI SDK tool.
 */
export function toDeclaration(
  part: Place & {
    originalName: string;
    tool: Declaration["tool"];
    composite?: Composite;
    callable?: CallableDefinition;
    isFromSet?: boolean;
  },
): Declaration {
  const { label, place, enclosure, originalName, tool, composite, callable, isFromSet = false } = part;
  const name = enclosure === undefined ? originalName : `${enclosure.prefix}${originalName}`;
  const wrappers = enclosure?.rules ?? [];
  const partial: Declaration = {
    name,
    originalName,
    tool,
    composite,
    callable,
    label,
    isFromSet,
    place,
    enclosure,
    rules: wrappers,
    granted: undefined,
  };
  if (!isTool(tool)) throw toolValue(involvedOf(partial), originalName, describeValue(tool));
  const own = ownRule(tool);
  return { ...partial, tool: snapshotOf(tool), rules: own === undefined ? wrappers : [own, ...wrappers] };
}

/** A frozen copy, so that what happens to the author's object later changes nothing. `execute` keeps its `this`. */
function snapshotOf(tool: Declaration["tool"]): Declaration["tool"] {
  const { execute } = tool;
  const copy: object = Object.create(Object.getPrototypeOf(tool) as object | null);
  return Object.freeze(
    Object.assign(copy, tool, execute === undefined ? {} : { execute: execute.bind(tool) }),
  ) as Declaration["tool"];
}

/** The declarations of a whole set, in its order. */
export function toDeclarations(tools: ToolSet, place: Place): Declaration[] {
  if (!isRecord(tools)) throw toolSetValue({ label: place.label, source: place.place }, describeValue(tools));
  return Object.keys(tools).map((originalName) =>
    toDeclaration({ ...place, originalName, tool: tools[originalName] as Declaration["tool"], isFromSet: true }),
  );
}

function isTool(value: unknown): value is Declaration["tool"] {
  if (typeof value !== "object" || value === null) return false;
  const { type, execute } = value as { type?: unknown; execute?: unknown };
  if (execute !== undefined && typeof execute !== "function") return false;
  return type === "provider" || "inputSchema" in value;
}
