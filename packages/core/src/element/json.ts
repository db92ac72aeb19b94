/** JSON, strictly and as the SDK takes it: what may cross to a model, and which part of a value may not. */

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A part of a value that JSON cannot hold: where it stands and what it is. */
export interface JsonFault {
  readonly path: string;
  readonly found: string;
}

/** A frozen copy of `value` as JSON, or the first part of it that JSON cannot hold. `undefined` at the top is null; an undefined property is left out. */
export function snapshotJson(
  value: unknown,
  root = "output",
): { readonly value: Json } | { readonly fault: JsonFault } {
  const fault = strictFault(value, root);
  if (fault !== undefined) return { fault };
  return { value: copyJson(value === undefined ? null : value) };
}

/** The part of `value` at which `JSON.stringify` would throw, or undefined when it would not. */
export function serializationFault(value: unknown, root = "output"): JsonFault | undefined {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return undefined;
  try {
    JSON.stringify(value);
    return undefined;
  } catch {
    return looseFault(value, root) ?? { path: root, found: "a value that fails to become JSON" };
  }
}

/** A walk over plain data with an explicit stack, so that depth is not bounded by the JS stack. */
interface Visit {
  readonly value: unknown;
  readonly path: string;
  readonly inArray: boolean;
  readonly ancestors: Ancestors | undefined;
}

interface Ancestors {
  readonly value: object;
  readonly depth: number;
  readonly outer: Ancestors | undefined;
}

/** Deeper data overflows the stack of JSON.stringify on some runtimes; nobody means to send it to a model. */
const maxDepth = 1_000;

function isWithin(value: object, ancestors: Ancestors | undefined): boolean {
  for (let entry = ancestors; entry !== undefined; entry = entry.outer) if (entry.value === value) return true;
  return false;
}

function findFault(value: unknown, root: string, check: (visit: Visit) => string | undefined): JsonFault | undefined {
  const stack: Visit[] = [{ value, path: root, inArray: false, ancestors: undefined }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const found = check(visit);
    if (found !== undefined) return { path: boundPath(visit.path), found };
    const part = visit.value;
    if (typeof part !== "object" || part === null) continue;
    const depth = (visit.ancestors?.depth ?? 0) + 1;
    if (depth > maxDepth) return { path: boundPath(visit.path), found: `nesting deeper than ${maxDepth} levels` };
    const ancestors: Ancestors = { value: part, depth, outer: visit.ancestors };
    if (Array.isArray(part)) {
      for (let index = part.length - 1; index >= 0; index--)
        stack.push({ value: part[index], path: `${visit.path}[${index}]`, inArray: true, ancestors });
    } else {
      for (const key of Object.keys(part).toReversed()) {
        stack.push({
          value: (part as Record<string, unknown>)[key],
          path: `${visit.path}${propertyPath(key)}`,
          inArray: false,
          ancestors,
        });
      }
    }
  }
  return undefined;
}

function strictFault(value: unknown, root: string): JsonFault | undefined {
  return findFault(value, root, ({ value: part, inArray, ancestors }) => {
    switch (typeof part) {
      case "string":
      case "boolean":
        return undefined;
      case "number":
        return Number.isFinite(part) ? undefined : String(part);
      case "undefined":
        return inArray ? "undefined" : undefined;
      case "object": {
        if (part === null) return undefined;
        if (isWithin(part, ancestors)) return "a cycle";
        const prototype: unknown = Object.getPrototypeOf(part);
        if (Array.isArray(part) || prototype === null || prototype === Object.prototype) return undefined;
        return `a ${(part.constructor as { name?: string } | undefined)?.name ?? "class instance"}`;
      }
      default:
        return `a ${typeof part}`;
    }
  });
}

function looseFault(value: unknown, root: string): JsonFault | undefined {
  return findFault(value, root, ({ value: part, ancestors }) => {
    if (typeof part === "bigint") return "a bigint";
    if (typeof part !== "object" || part === null) return undefined;
    if (isWithin(part, ancestors)) return "a cycle";
    const toJson = (part as { toJSON?: unknown }).toJSON;
    if (typeof toJson !== "function") return undefined;
    try {
      JSON.stringify(part);
      return undefined;
    } catch (error) {
      return `an object whose toJSON throws (${error instanceof Error ? error.message : String(error)})`;
    }
  });
}

function boundPath(path: string): string {
  return path.length > 200 ? `${path.slice(0, 100)}…${path.slice(-60)}` : path;
}

function propertyPath(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function copyJson(value: unknown): Json {
  // JSON.parse defines `__proto__` as an own property, which an assignment would not.
  return typeof value === "object" && value !== null
    ? deepFreeze(JSON.parse(JSON.stringify(value)) as Json)
    : (value as Json);
}

/** Freezes `value` and everything in it. */
export function deepFreeze<T>(value: T): T {
  const stack: unknown[] = [value];
  for (let part = stack.pop(); part !== undefined || stack.length > 0; part = stack.pop()) {
    if (typeof part !== "object" || part === null || Object.isFrozen(part)) continue;
    if (ArrayBuffer.isView(part)) continue;
    Object.freeze(part);
    for (const key of Object.keys(part)) stack.push((part as Record<string, unknown>)[key]);
  }
  return value;
}
