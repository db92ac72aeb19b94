/** `defineToolset`: a named set of tools, given at once or by a resource that has to be opened. */

import type { ToolSet } from "ai";
import { createElementRecord, type JuneElement } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { describeValue } from "../errors/compose.js";
import { invalidOption } from "../errors/declaration-errors.js";

/** What an opened resource gives: its tools, and how to close it. */
export interface OpenToolset {
  tools: ToolSet;
  close?: () => void | Promise<void>;
}

interface ToolsetBase<P> {
  /** How errors and traces show it: `<Name>`. */
  name: string;
  /** The only props that may be shown: `<Mcp name="linear">`. */
  label?: (props: P) => Record<string, string>;
}

/** A toolset whose tools are there at once. */
export interface ReadyToolset<P> extends ToolsetBase<P> {
  tools: (props: P) => ToolSet;
  key?: undefined;
  open?: undefined;
}

/** A toolset backed by a resource that is opened, shared within a run and closed at its end. */
export interface WaitingToolset<P> extends ToolsetBase<P> {
  /** Tells which declarations share one opening. Must include whose credentials are used; never leaves memory. */
  key: (props: P) => string;
  /** Opens the resource. `signal` aborts with the run and when nobody waits any more. */
  open: (props: P, options: { signal: AbortSignal }) => Promise<OpenToolset>;
  tools?: undefined;
}

/** What a toolset's tag carries. */
export type ToolsetDefinition<P = never> = ReadyToolset<P> | WaitingToolset<P>;

/**
 * Makes a tag that declares a named set of tools.
 * @throws {DeclarationError} `invalid-option` when a part is missing or both forms are mixed.
 * @see docs/guide/toolsets.md
 */
export function defineToolset<P extends object = {}>(definition: ToolsetDefinition<P>): (props: P) => JuneElement<P> {
  const { name, label, tools, key, open } = definition as Partial<ReadyToolset<P> & WaitingToolset<P>>;
  const cure = "Give { name, tools } or { name, key, open }.";
  if (typeof name !== "string" || name === "")
    throw invalidOption(
      "defineToolset()",
      `name is ${describeValue(name)}`,
      'Give the name that errors and traces show, such as "Mcp".',
    );
  if (tools !== undefined && (key !== undefined || open !== undefined))
    throw invalidOption("defineToolset()", `<${name}> has both tools and ${open === undefined ? "key" : "open"}`, cure);
  if (tools === undefined ? typeof key !== "function" || typeof open !== "function" : typeof tools !== "function")
    throw invalidOption(
      "defineToolset()",
      `<${name}> lacks ${tools === undefined ? (typeof open !== "function" ? "open" : "key") : "tools"} as a function`,
      cure,
    );
  if (label !== undefined && typeof label !== "function")
    throw invalidOption(
      "defineToolset()",
      `label of <${name}> is ${describeValue(label)}`,
      "Give a function of props that returns an object of text.",
    );
  const tag: (props: P) => JuneElement<P> = markTag(
    (props: P) => createElementRecord(tag, { ...props }, null, undefined) as JuneElement<P>,
    "toolset",
    name,
    Object.freeze({ ...definition }),
  );
  return tag;
}
