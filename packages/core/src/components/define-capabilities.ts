/** `defineCapabilities`: a reusable group of capabilities, transparent where it stands. */

import { createElementRecord, type JuneElement, type JuneNode } from "../element/element.js";
import { markTag } from "../element/kind.js";
import { invalidOption } from "../errors/declaration-errors.js";
import { describeValue } from "../errors/compose.js";

/** What a bundle's tag carries. */
export interface BundleDefinition {
  readonly name: string;
  readonly render: (props: never) => JuneNode;
}

/**
 * Makes a bundle: a component whose capabilities join the agent it stands in.
 * @param render a pure function of the props that returns capabilities only; it runs while an agent resolves.
 * @param options.name how errors and traces show it: the function's name unless given, else `Capabilities`.
 * @throws {DeclarationError} `invalid-option` when `render` is no function.
 * @see docs/guide/bundles.md
 */
export function defineCapabilities<P extends object = {}>(
  render: (props: P) => JuneNode,
  options: { name?: string } = {},
): (props: P) => JuneElement<P> {
  if (typeof render !== "function")
    throw invalidOption(
      "defineCapabilities()",
      `got ${describeValue(render)}`,
      "Give a function of props that returns capabilities.",
    );
  const name = options.name ?? (render.name === "" ? "Capabilities" : render.name);
  const definition: BundleDefinition = Object.freeze({ name, render: render as (props: never) => JuneNode });
  const bundle: (props: P) => JuneElement<P> = markTag(
    (props: P) => createElementRecord(bundle, { ...props }, null, undefined) as JuneElement<P>,
    "bundle",
    name,
    definition,
  );
  return bundle;
}
