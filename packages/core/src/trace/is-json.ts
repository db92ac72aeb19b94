/** Whether a value is JSON, for the schema of the trace. A loop, because a recorded value may nest deeper than the stack of a recursive check. */

/** Marks on the stack where everything inside an object has been looked at. */
class Leaving {
  constructor(readonly part: object) {}
}

/** Whether `value` is JSON: text, finite numbers, booleans, null, arrays and plain objects of these, without a cycle. */
export function isJson(value: unknown): boolean {
  const around = new Set<object>();
  const known = new Set<object>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const part = stack.pop();
    if (part instanceof Leaving) {
      around.delete(part.part);
      known.add(part.part);
    } else if (typeof part === "object" && part !== null) {
      if (around.has(part)) return false;
      if (known.has(part)) continue;
      if (!Array.isArray(part) && !isPlain(part)) return false;
      around.add(part);
      stack.push(new Leaving(part));
      for (const inner of Array.isArray(part) ? (part as unknown[]) : Object.values(part)) stack.push(inner);
    } else if (typeof part === "number") {
      if (!Number.isFinite(part)) return false;
    } else if (part !== null && typeof part !== "string" && typeof part !== "boolean") return false;
  }
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm has an Object.prototype of its own: what has no prototype above it is one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
