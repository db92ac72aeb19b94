/** Walks what stands between two tags, in order, flattening arrays, iterables and fragments. Depth is bounded by memory, not by the JS stack. */

import { handlePromises, isCollection, isElement, isPromiseLike, type JuneElement, type JuneNode } from "./element.js";
import { tagInfo } from "./kind.js";

/** What a walk meets: text, an element that is no fragment, a promise, something that has no place among nodes, or what an iterable threw. */
export type Leaf =
  | { readonly kind: "text"; readonly text: string; readonly value: string | number }
  | { readonly kind: "element"; readonly element: JuneElement }
  | { readonly kind: "promise"; readonly promise: PromiseLike<unknown> }
  | { readonly kind: "invalid"; readonly value: unknown }
  | { readonly kind: "cycle" }
  | { readonly kind: "failed"; readonly error: unknown };

/** An array, iterable or fragment that is being walked. */
interface Opened {
  readonly iterator: Iterator<unknown>;
  readonly owner: object;
}

/**
 * The leaves of `node` in authored order. White space alone, booleans, null and undefined are left out.
 * `keepFragments` leaves the fragments among the leaves, as `<Parallel>` wants them.
 * Promises have a handler from the start, so that one that rejects before its turn is not reported; iterators are closed when the walk is given up.
 */
export function* leavesOf(node: JuneNode, options: { keepFragments?: boolean } = {}): Generator<Leaf, void, undefined> {
  if (typeof node === "object" && node !== null) handlePromises(node);
  const open: Opened[] = [];
  const owners = new Set<object>();
  let current: unknown = node;
  try {
    for (;;) {
      if (typeof current === "string" || typeof current === "number") {
        const text = String(current);
        if (text.trim() !== "") yield { kind: "text", text, value: current };
      } else if (typeof current === "object" && current !== null) {
        if (isGroup(current, options.keepFragments === true)) {
          if (owners.has(current)) yield { kind: "cycle" };
          else {
            try {
              open.push({ iterator: iteratorOf(current), owner: current });
              owners.add(current);
            } catch (error) {
              yield { kind: "failed", error };
            }
          }
        } else if (isElement(current)) yield { kind: "element", element: current };
        else if (isPromiseLike(current)) yield { kind: "promise", promise: current };
        else yield { kind: "invalid", value: current };
      } else if (typeof current === "function" || typeof current === "symbol" || typeof current === "bigint") {
        yield { kind: "invalid", value: current };
      }
      for (;;) {
        const top = open[open.length - 1];
        if (top === undefined) return;
        const next = advance(top.iterator);
        if (next.kind === "value") {
          current = next.value;
          // What a collection holds was seen to before.
          if (typeof current === "object" && current !== null && !isCollection(top.owner)) handlePromises(current);
          break;
        }
        owners.delete(top.owner);
        open.pop();
        if (next.kind === "failed") yield next;
      }
    }
  } finally {
    for (const { iterator } of open.toReversed()) close(iterator);
  }
}

/** Whether `node` only holds other nodes. */
function isGroup(node: object, keepFragments: boolean): node is JuneElement | Iterable<unknown> {
  if (isElement(node)) return !keepFragments && tagInfo(node.type)?.kind === "fragment";
  return !isPromiseLike(node) && typeof (node as { [Symbol.iterator]?: unknown })[Symbol.iterator] === "function";
}

function iteratorOf(group: JuneElement | Iterable<unknown>): Iterator<unknown> {
  return (isElement(group) ? [(group.props as { children?: unknown }).children] : group)[Symbol.iterator]();
}

function advance(
  iterator: Iterator<unknown>,
): { kind: "value"; value: unknown } | { kind: "end" } | { kind: "failed"; error: unknown } {
  try {
    const next = iterator.next();
    return next.done === true ? { kind: "end" } : { kind: "value", value: next.value };
  } catch (error) {
    return { kind: "failed", error };
  }
}

/** What ended the walk says more than a cleanup that fails after it. */
function close(iterator: Iterator<unknown>): void {
  try {
    iterator.return?.();
  } catch {}
}
