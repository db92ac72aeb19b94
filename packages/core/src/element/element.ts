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
  if (typeof children === "object" && children !== null) handlePromises(children);
  Object.freeze(props);
  const record = {
    type,
    props,
    key: key === undefined || key === null ? null : String(key),
    ...(source === undefined ? undefined : { source }),
  };
  // Not enumerable, so that the record is what it looks like.
  Object.defineProperty(record, elementBrand, { value: coreMajor });
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

/** Gives the promises in `node` a handler: one that rejects before its turn is an error of the run then, not of the process now. */
export function handlePromises(node: object): void {
  if (!isCollection(node)) return handlePromise(node);
  // An array may contain itself.
  const seen = new Set<object>([node]);
  const open: Iterable<unknown>[] = [node];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const child of part) {
      if (typeof child !== "object" || child === null || seen.has(child)) continue;
      if (!isCollection(child)) handlePromise(child);
      else {
        seen.add(child);
        open.push(child);
      }
    }
  }
}

/** Whether `node` can be read more than once; other iterables only the walk may read. */
export function isCollection(node: object): node is readonly unknown[] | ReadonlySet<unknown> {
  return Array.isArray(node) || node instanceof Set;
}

const handled = new WeakSet<object>();

// Only the language's own promises report rejections; another thenable may do its work anew for each `then`.
function handlePromise(node: object): void {
  if (!isPromiseLike(node) || Object.prototype.toString.call(node) !== "[object Promise]" || handled.has(node)) return;
  handled.add(node);
  node.then(
    (value) => {
      if (typeof value === "object" && value !== null) handlePromises(value);
    },
    () => {},
  );
}
