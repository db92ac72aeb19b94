/** What two traces of the same workflow say differently. Times and ids differ in every run, so they count for nothing. */

import type { NodeKind, NodeStatus, Trace, TraceCapability, TraceError, TraceNode } from "./trace.js";
import type { Usage } from "./usage.js";
import { walkTrace, type WalkedNode } from "./walk.js";

/** The node a difference is about: there is one of a kind at a path. */
interface Place {
  readonly path: string;
  readonly kind: NodeKind;
  readonly name: string;
}

/** What the nodes of two traces are compared by; a part that a node does not have is undefined, and left out in JSON. */
interface Compared {
  readonly status: NodeStatus;
  readonly called: readonly string[] | undefined;
  readonly capabilities: readonly TraceCapability[] | undefined;
  readonly usage: Usage;
  readonly error: TraceError | undefined;
}

/** One difference. `removed` and `added` nodes stand for everything inside them too. */
export type TraceDifference =
  | (Place & { readonly change: "removed" | "added" })
  | {
      [K in keyof Compared]: Place & { readonly change: K; readonly before: Compared[K]; readonly after: Compared[K] };
    }[keyof Compared];

const compared: readonly (keyof Compared)[] = ["status", "called", "capabilities", "usage", "error"];

/**
 * The differences between two traces, child runs included: in the order of `before`, then the nodes only `after` has.
 * Equal traces give none, however long they took. Plain data.
 */
export function diffTraces(before: Trace, after: Trace): readonly TraceDifference[] {
  const old = keyNodes(before);
  const young = keyNodes(after);
  const differences: TraceDifference[] = [];
  for (const [key, { node, parentKey }] of old) {
    const other = young.get(key);
    if (other !== undefined) differences.push(...compareNodes(node, other.node));
    else if (parentKey === undefined || young.has(parentKey)) differences.push({ ...placeOf(node), change: "removed" });
  }
  for (const [key, { node, parentKey }] of young) {
    if (!old.has(key) && (parentKey === undefined || old.has(parentKey)))
      differences.push({ ...placeOf(node), change: "added" });
  }
  return differences;
}

interface Keyed {
  readonly node: TraceNode;
  readonly parentKey: string | undefined;
}

/** The nodes by kind and path. A child run has the path of its tool call. */
function keyNodes(trace: Trace): ReadonlyMap<string, Keyed> {
  const byKey = new Map<string, Keyed>();
  const keys = new Map<WalkedNode, string>();
  const counts = new Map<string, number>();
  for (const walked of walkTrace(trace)) {
    const { node, parent } = walked;
    const place = `${node.kind} ${node.path}`;
    // A document from elsewhere may name a place twice; its nodes then pair up in order.
    const repeat = counts.get(place) ?? 0;
    counts.set(place, repeat + 1);
    const key = `${repeat} ${place}`;
    keys.set(walked, key);
    byKey.set(key, { node, parentKey: parent === undefined ? undefined : keys.get(parent) });
  }
  return byKey;
}

function compareNodes(before: TraceNode, after: TraceNode): TraceDifference[] {
  const differences: TraceDifference[] = [];
  for (const change of compared) {
    const parts = { before: before[change], after: after[change] };
    if (!isEqual(parts.before, parts.after))
      differences.push({ ...placeOf(before), change, ...parts } as TraceDifference);
  }
  return differences;
}

function placeOf({ path, kind, name }: TraceNode): Place {
  return { path, kind, name };
}

/** Equality of JSON, where an undefined property is one that is not there. A loop: causes may nest deeply. */
function isEqual(a: unknown, b: unknown): boolean {
  const stack: [unknown, unknown][] = [[a, b]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [left, right] = pair;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
      if (left !== right) return false;
    } else {
      if (Array.isArray(left) !== Array.isArray(right)) return false;
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        stack.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]]);
    }
  }
  return true;
}
