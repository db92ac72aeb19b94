/** Walks what stands between two tags, in order, flattening arrays, iterables and fragments. Depth is bounded by memory, not by the JS stack. */

import { isElement, isPromiseLike, type JuneElement, type JuneNode } from "./element.js";
import { tagInfo } from "./kind.js";

/** What a walk meets: text, an element that is no fragment, a promise, or something that has no place among nodes. */
export type Leaf =
  | { readonly kind: "text"; readonly text: string; readonly value: string | number }
  | { readonly kind: "element"; readonly element: JuneElement }
  | { readonly kind: "promise"; readonly promise: PromiseLike<unknown> }
  | { readonly kind: "invalid"; readonly value: unknown }
  | { readonly kind: "cycle" };

/**
 * The leaves of `node` in authored order. White space alone, booleans, null and undefined are left out.
 * `keepFragments` leaves the fragments among the leaves, as `<Parallel>` wants them.
 */
export function* leavesOf(node: JuneNode, options: { keepFragments?: boolean } = {}): Generator<Leaf, void, undefined> {
  const open: { iterator: Iterator<unknown>; owner: object }[] = [];
  const owners = new Set<object>();
  let current: unknown = node;
  for (;;) {
    let entered: { iterator: Iterator<unknown>; owner: object } | undefined;
    if (typeof current === "string" || typeof current === "number") {
      const text = String(current);
      if (text.trim() !== "") yield { kind: "text", text, value: current };
    } else if (typeof current === "object" && current !== null) {
      if (isElement(current)) {
        if (tagInfo(current.type)?.kind === "fragment" && options.keepFragments !== true) {
          entered = {
            iterator: [(current.props as { children?: unknown }).children][Symbol.iterator](),
            owner: current,
          };
        } else yield { kind: "element", element: current };
      } else if (isPromiseLike(current)) yield { kind: "promise", promise: current };
      else if (typeof (current as { [Symbol.iterator]?: unknown })[Symbol.iterator] === "function") {
        entered = { iterator: (current as Iterable<unknown>)[Symbol.iterator](), owner: current };
      } else yield { kind: "invalid", value: current };
    } else if (typeof current === "function" || typeof current === "symbol" || typeof current === "bigint") {
      yield { kind: "invalid", value: current };
    }
    if (entered !== undefined) {
      if (owners.has(entered.owner)) yield { kind: "cycle" };
      else {
        owners.add(entered.owner);
        open.push(entered);
      }
    }
    for (;;) {
      const top = open[open.length - 1];
      if (top === undefined) return;
      const next = top.iterator.next();
      if (next.done !== true) {
        current = next.value;
        break;
      }
      owners.delete(top.owner);
      open.pop();
    }
  }
}
