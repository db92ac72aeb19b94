/** The functions JSX compiles to. Three spellings of one thing; each gives the same record whatever the compiler chose. */

import { createElementRecord, type JuneElement } from "./element.js";

/** What the development runtime passes about the place of a tag. */
export interface JsxSource {
  readonly fileName?: string;
  readonly lineNumber?: number;
}

/** The automatic runtime: children are inside `props`. */
export function jsx(type: unknown, props: object, key?: unknown): JuneElement {
  return createKeyed(type, props, key, undefined);
}

/** The automatic development runtime: as `jsx`, with the place. */
export function jsxDEV(
  type: unknown,
  props: object,
  key?: unknown,
  _isStatic?: boolean,
  source?: JsxSource,
): JuneElement {
  return createKeyed(type, props, key, formatSource(source));
}

/** A key among the props came with a spread, which stands after the key that is given apart; it is never a prop. */
function createKeyed(type: unknown, props: object, key: unknown, source: string | undefined): JuneElement {
  if (!Object.hasOwn(props, "key")) return createElementRecord(type, { ...props }, key, source);
  const { key: spreadKey, ...rest } = props as { key?: unknown };
  return createElementRecord(type, rest, spreadKey ?? key, source);
}

/**
 * The classic form, which compilers fall back to where a `key` follows a spread, and the way to write an element without JSX.
 * No child gives no `children`, one gives it as it is, several give an array: the same shapes the automatic runtime makes.
 */
export function createElement(type: unknown, props?: object | null, ...children: readonly unknown[]): JuneElement {
  const { key, __source, __self, ...rest } = (props ?? {}) as Record<string, unknown>;
  if (children.length > 0) rest["children"] = children.length === 1 ? children[0] : children;
  return createElementRecord(type, rest, key, formatSource(__source as JsxSource | undefined));
}

function formatSource(source: JsxSource | undefined): string | undefined {
  if (source?.fileName === undefined) return undefined;
  const fileName = relativeToWorkingDirectory(source.fileName);
  return source.lineNumber === undefined ? fileName : `${fileName}:${source.lineNumber}`;
}

function relativeToWorkingDirectory(fileName: string): string {
  const path = fileName.startsWith("file://") ? decodeURIComponent(fileName.slice("file://".length)) : fileName;
  const directory = (globalThis as { process?: { cwd?: () => string } }).process?.cwd?.();
  return directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
