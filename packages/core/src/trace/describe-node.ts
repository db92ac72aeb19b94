/** The line of one node in a printed trace: what it is, how it stands, how long it took and what it cost. */

import type { Piece, Style } from "./styled-line.js";
import type { Trace, TraceNode } from "./trace.js";
import { showCount, showDuration, showJson } from "./show-value.js";

const statuses: Readonly<Record<TraceNode["status"], { readonly text: string; readonly style: Style }>> = {
  ok: { text: "✓", style: "green" },
  error: { text: "✗ error", style: "red" },
  aborted: { text: "■ aborted", style: "yellow" },
  waiting: { text: "? waiting", style: "yellow" },
  running: { text: "… running", style: "yellow" },
};

const kinds: Readonly<Record<TraceNode["kind"], string>> = {
  run: "run",
  component: "component",
  agent: "agent",
  step: "step",
  "model-call": "model",
  "tool-call": "tool",
  request: "request",
  toolset: "toolset",
  attempt: "",
};

/** The pieces of a node's line; what matters least comes last, where a narrow line is cut. */
export function describeNode(node: TraceNode, trace: Trace): Piece[] {
  const kind = node.kind === "request" ? (node.requestKind ?? "request") : kinds[node.kind];
  const joint = node.kind === "request" ? " for " : kind === "" ? "" : " ";
  return [
    { text: `${kind}${joint}`, style: "dim" },
    { text: nameOf(node, trace).slice(0, 200), style: "plain" },
    { text: " ", style: "plain" },
    statuses[node.status],
    { text: answerOf(node), style: "plain" },
    { text: node.durationMs === undefined ? "" : `  ${showDuration(node.durationMs)}`, style: "dim" },
    { text: tokensOf(node), style: "dim" },
    { text: remarkOf(node), style: "dim" },
    { text: node.input === undefined ? "" : `  ${showJson(node.input, 500)}`, style: "dim" },
  ];
}

function nameOf(node: TraceNode, trace: Trace): string {
  if (node.kind === "run") return trace.runId;
  return node.kind === "model-call" ? (node.model ?? node.name) : node.name;
}

function answerOf({ answered }: TraceNode): string {
  if (answered === undefined) return "";
  return ` ${answered.type}${answered.by === undefined ? "" : ` by ${answered.by.slice(0, 100)}`}`;
}

function tokensOf({ usage: { own, total } }: TraceNode): string {
  const all = sum(total);
  if (all === 0) return "";
  return `  ${showCount(all)} tokens${sum(own) === all ? "" : ` (own ${showCount(sum(own))})`}`;
}

function sum({ totalTokens, inputTokens, outputTokens }: TraceNode["usage"]["own"]): number {
  return totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0);
}

function remarkOf({ phase, invocation, finishReason }: TraceNode): string {
  if (phase !== undefined) return `  ${phase}`;
  if (invocation === "application") return "  called by code";
  if (invocation === "provider") return "  run by the provider";
  const isUsual = finishReason === undefined || finishReason === "stop" || finishReason === "tool-calls";
  return isUsual ? "" : `  finish reason ${finishReason.slice(0, 40)}`;
}
