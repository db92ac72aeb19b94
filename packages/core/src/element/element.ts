/** The element: what JSX compiles to, a frozen plain record. Made by the JSX runtimes, read by every later stage. */

/** Anything JSX may hold. Booleans, null and undefined render nothing; numbers are text. */
export type ResolvedNode = JuneElement | string | number | boolean | null | undefined | Iterable<JuneNode>;

/** A node, or a promise of one. */
export type JuneNode = ResolvedNode | Promise<ResolvedNode>;

/** A component: a function of its props, run once per appearance. */
export type Component<P = any> = (props: P) => JuneNode | Promise<JuneNode>;

/** One frozen record of JSX. `source` is `file:line`, kept by the development JSX runtime only. */
export interface JuneElement<P = any> {
  readonly type: unknown;
  readonly props: Readonly<P>;
  readonly key: string | null;
  readonly source?: string;
}

/** The major version of core that elements and tags carry, so that two copies can tell whether they fit together. */
export const coreMajor = 0;

const elementBrand: unique symbol = Symbol.for("june.element") as never;

interface BrandedElement extends JuneElement {
  readonly [elementBrand]: number;
}

/** Makes an element. `children` that are promises get a handler, so that one that rejects before its turn is not reported as unhandled. */
export function createElementRecord(
  type: unknown,
  props: object,
  key: unknown,
  source: string | undefined,
): JuneElement {
  const children = (props as { children?: unknown }).children;
  if (typeof children === "object" && children !== null) handlePromises(children, 0);
  Object.freeze(props);
  const record = {
    [elementBrand]: coreMajor,
    type,
    props,
    key: key === undefined || key === null ? null : String(key),
    ...(source === undefined ? undefined : { source }),
  };
  return Object.freeze(record) as BrandedElement;
}

/** The core major an element was made with, or undefined when `value` is no element of June. */
export function elementMajor(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const major = (value as Partial<BrandedElement>)[elementBrand];
  return typeof major === "number" ? major : undefined;
}

/** Whether `value` is an element of this major version of core. */
export function isElement(value: unknown): value is JuneElement {
  return elementMajor(value) === coreMajor;
}

/** Whether `value` is a promise or another thenable. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Whether `value` is an object of named values: no array, promise, map or other collection. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(Symbol.iterator in value) && !isPromiseLike(value);
}

// The depth is bounded because an array may contain itself; the render walk reports that as an error.
function handlePromises(children: object, depth: number): void {
  if (Array.isArray(children)) {
    if (depth > 8) return;
    for (const child of children) if (typeof child === "object" && child !== null) handlePromises(child, depth + 1);
  } else if (isPromiseLike(children)) {
    children.then(undefined, () => {});
  }
}
