/** How a tag is told from a component of the author's own: a record on the function itself, the same in every copy of one major of core. */

import { coreMajor } from "./element.js";

/** What a tag of June is. */
export type Kind =
  | "fragment"
  | "agent"
  | "step"
  | "parallel"
  | "catch"
  | "tool"
  | "inherit"
  | "require-approval"
  | "namespace"
  | "bundle"
  | "toolset"
  | "callable-agent";

/** What a tag's function carries. `definition` is what `defineCapabilities`, `defineToolset` or `defineAgent` was given. */
export interface TagInfo {
  readonly kind: Kind;
  readonly name: string;
  readonly major: number;
  readonly definition?: unknown;
}

const tagBrand: unique symbol = Symbol.for("june.tag") as never;

/** Marks `tag` as one of June's and returns it. */
export function markTag<T extends object>(tag: T, kind: Kind, name: string, definition?: unknown): T {
  const info: TagInfo = Object.freeze({ kind, name, major: coreMajor, definition });
  Object.defineProperty(tag, tagBrand, { value: info });
  Object.defineProperty(tag, "name", { value: name });
  return tag;
}

/** The tag record of an element's type, or undefined for a component of the author's own. */
export function tagInfo(type: unknown): TagInfo | undefined {
  return typeof type === "function" ? (type as { [tagBrand]?: TagInfo })[tagBrand] : undefined;
}

const capabilityKinds: ReadonlySet<Kind> = new Set<Kind>([
  "tool",
  "inherit",
  "require-approval",
  "namespace",
  "bundle",
  "toolset",
  "callable-agent",
]);

/** Whether an element of this kind declares capabilities. */
export function isCapabilityKind(kind: Kind | undefined): boolean {
  return kind !== undefined && capabilityKinds.has(kind);
}
