/** Checks the props of a tag when a run first meets it: unknown names, missing ones and wrong kinds, each with its cure. */

import { didYouMean, listNames } from "../errors/compose.js";
import { invalidProps } from "../errors/declaration-errors.js";
import type { JuneElement } from "../element/element.js";
import { labelOf, describeProp } from "../element/label.js";

/** What a prop may be: says what is wrong with a value, or nothing. */
export interface PropRule {
  readonly expects: string;
  readonly accepts: (value: unknown) => boolean;
  readonly required?: boolean;
}

/** The rules of one tag by prop name. */
export type PropRules = Readonly<Record<string, PropRule>>;

/** A rule for any value. */
export const anything: PropRule = { expects: "a value", accepts: () => true };

/** A rule for text that is not empty. */
export const nonEmptyText: PropRule = {
  expects: "text that is not empty",
  accepts: (value) => typeof value === "string" && value.trim() !== "",
};

/** A rule for text. */
export const textProp: PropRule = { expects: "text", accepts: (value) => typeof value === "string" };

/** A rule for a function. */
export const functionProp: PropRule = { expects: "a function", accepts: (value) => typeof value === "function" };

/** A rule for a whole number from `minimum` on. */
export function wholeNumber(minimum: number): PropRule {
  return {
    expects: `a whole number from ${minimum} on`,
    accepts: (value) => Number.isInteger(value) && (value as number) >= minimum,
  };
}

/** The same rule for a prop that must be there. */
export function required(rule: PropRule): PropRule {
  return { ...rule, required: true };
}

interface CompiledRules {
  readonly byName: ReadonlyMap<string, PropRule>;
  readonly required: readonly (readonly [string, PropRule])[];
}

const compiled = new WeakMap<PropRules, CompiledRules>();

function compile(rules: PropRules): CompiledRules {
  let known = compiled.get(rules);
  if (known === undefined) {
    const entries = Object.entries(rules);
    known = { byName: new Map(entries), required: entries.filter(([, rule]) => rule.required === true) };
    compiled.set(rules, known);
  }
  return known;
}

/**
 * Throws when a prop of `element` breaks `rules`.
 * @throws {DeclarationError} `invalid-props` naming the tag, its place and the prop.
 */
export function checkProps(element: JuneElement, rules: PropRules): void {
  const props = element.props as Record<string, unknown>;
  const { byName, required: needed } = compile(rules);
  for (const name in props) {
    const rule = byName.get(name);
    if (rule === undefined) throw unknownProp(element, name, rules);
    const value = props[name];
    if (value !== undefined && !rule.accepts(value)) {
      throw invalidProps(
        labelOf(element),
        element.source,
        `got ${describeProp(value)} as ${name}`,
        `${name} is ${rule.expects}.`,
      );
    }
  }
  for (const [name, rule] of needed) {
    if (props[name] === undefined) {
      throw invalidProps(labelOf(element), element.source, `needs the prop ${name}`, `${name} is ${rule.expects}.`);
    }
  }
}

function unknownProp(element: JuneElement, name: string, rules: PropRules): Error {
  const known = Object.keys(rules).toSorted();
  const shown = known.length > 12 ? `See the props of <${tagName(element)}>.` : `It has ${listNames(known)}.`;
  return invalidProps(
    labelOf(element),
    element.source,
    `has no prop ${JSON.stringify(name)}`,
    `${shown}${didYouMean(name, known)}`,
  );
}

function tagName(element: JuneElement): string {
  return typeof element.type === "function" ? element.type.name : String(element.type);
}
