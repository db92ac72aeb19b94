/** Prints a trace as a tree of text, for terminals and files. Whatever a trace holds, nothing in it reaches the terminal unescaped or unbounded. */

import { describeNode } from "./describe-node.js";
import { detailsOf, fingerprintOf } from "./node-details.js";
import { toLine, type Piece } from "./styled-line.js";
import { escapeText, widthOf, wrapText } from "./terminal-text.js";
import type { Trace, TraceNode } from "./trace.js";
import { walkTrace, type WalkedNode } from "./walk.js";

/** How a trace is printed. */
export interface PrintOptions {
  /** The width of a line; 100 unless set; from 40 to 1,000. */
  columns?: number;
  /** Whether ANSI colours are used; false unless set. */
  color?: boolean;
  /** Whether each agent lists its tools with their sources, and which of them wait; false unless set. */
  capabilities?: boolean;
}

/** A node with a line of its own. */
interface Row {
  readonly node: TraceNode;
  readonly parent: Row | undefined;
  readonly depth: number;
  /** The run behind a tool call. It says what the call says, so it has no line; its notes stand with the call's. */
  childRun: TraceNode | undefined;
  lastChild: Row | undefined;
  /** The errors of the nodes inside, which say there what went wrong. */
  readonly toldBelow: Set<string>;
}

/**
 * The tree of a trace: names, status, times, tokens (in total with child runs, and the node's own where they differ),
 * requests and their answers, errors with what caused them, notes. Lines are joined by newlines, with none at the end.
 */
export function printTrace(trace: Trace, options: PrintOptions = {}): string {
  const { color = false, capabilities = false } = options;
  const columns = Math.min(1_000, Math.max(40, Math.floor(options.columns ?? 100) || 100));
  const lines: string[] = [];
  const add = (pieces: readonly Piece[]): void => void lines.push(toLine(pieces, columns, color));
  for (const row of toRows(trace)) {
    const { node, childRun, lastChild, toldBelow } = row;
    const { own, inside } = guidesOf(row, columns);
    add([{ text: own, style: "dim" }, ...describeNode(node, trace)]);
    const indent = `${inside}${lastChild === undefined ? "   " : "│  "}`;
    for (const { head, text, style } of detailsOf(node, { childRun, toldBelow, capabilities })) {
      const width = Math.max(16, columns - widthOf(indent) - widthOf(head));
      for (const [index, line] of text.flatMap((part) => wrapText(escapeText(part), width)).entries()) {
        // Every line of a text has its mark, so that no text can pass for a line of the tree.
        const mark = index === 0 ? head : "¦".padEnd(widthOf(head));
        add([
          { text: `${indent}${mark}`, style: "dim" },
          { text: line, style },
        ]);
      }
    }
  }
  return lines.join("\n");
}

function toRows(trace: Trace): Row[] {
  const rows: Row[] = [];
  const rowOf = new Map<WalkedNode, Row>();
  for (const walked of walkTrace(trace)) {
    const { node } = walked;
    const parent = walked.parent === undefined ? undefined : rowOf.get(walked.parent);
    if (node.kind === "run" && parent !== undefined) {
      parent.childRun = node;
      rowOf.set(walked, parent);
      continue;
    }
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const row: Row = { node, parent, depth, childRun: undefined, lastChild: undefined, toldBelow: new Set() };
    rowOf.set(walked, row);
    rows.push(row);
    if (parent === undefined) continue;
    parent.lastChild = row;
    if (node.error !== undefined) parent.toldBelow.add(fingerprintOf(node.error));
  }
  return rows;
}

/** The lines of the tree left of a row, and left of what is inside it. Far down only the nearest are drawn, after the depth. */
function guidesOf(row: Row, columns: number): { own: string; inside: string } {
  if (row.parent === undefined) return { own: "", inside: "" };
  let around = "";
  let left = Math.floor(columns / 6);
  let outer = row.parent;
  for (; outer.parent !== undefined && left > 0; outer = outer.parent, left--)
    around = `${outer.parent.lastChild === outer ? "   " : "│  "}${around}`;
  if (outer.parent !== undefined) around = `⋮${row.depth} ${around}`;
  const isLast = row.parent.lastChild === row;
  return { own: `${around}${isLast ? "└─ " : "├─ "}`, inside: `${around}${isLast ? "   " : "│  "}` };
}
