/** What a run came to: per agent its tools with their sources, what waited and how it was answered, tokens and time. Made from the trace. */

import type { Trace, TraceNode } from "@june/core";
import { showDuration } from "../options/duration.js";
import { count, showLine } from "../output/safe-text.js";
import type { Style } from "../output/streams.js";
import { showAnswer } from "./event-lines.js";

/** The lines of the summary. */
export function summarize(trace: Trace, bold: Style): string[] {
  const nodes = [...walk(trace.root)];
  const agents = countEqual(nodes.filter(({ kind }) => kind === "agent").map((agent) => agentLines(agent, bold)));
  const requests = nodes.filter(({ kind }) => kind === "request");
  return [
    "",
    ...agents,
    ...(requests.length === 0 ? [] : [bold("requests"), ...requests.map(requestLine)]),
    totalLine(trace, nodes),
  ];
}

/** Every node, those of child runs too, which stand in the output of their tool call. */
function* walk(root: TraceNode): Generator<TraceNode> {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    const child = childRunOf(node);
    stack.push(...node.children.toReversed(), ...(child === undefined ? [] : [child]));
  }
}

function childRunOf({ kind, output }: TraceNode): TraceNode | undefined {
  if (kind !== "tool-call" || typeof output !== "object" || output === null || !("trace" in output)) return undefined;
  const { trace } = output;
  return typeof trace === "object" && trace !== null && "root" in trace && "runId" in trace
    ? (trace as unknown as Trace).root
    : undefined;
}

function agentLines(agent: TraceNode, bold: Style): string[] {
  const capabilities = agent.capabilities ?? [];
  const waits = new Map(agent.waits?.map(({ name, because }) => [name, because]));
  const names = capabilities.map(({ name }) => showLine(name, 64));
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = capabilities.map(({ name, source, granted }, index) => {
    const because = waits.get(name);
    return [
      `  ${names[index]!.padEnd(width)}  ${showLine(source, 300)}`,
      ...(granted === undefined ? [] : [`  from ${showLine(granted, 300)}`]),
      ...(because === undefined ? [] : [`  waits: ${showLine(because, 300)}`]),
    ].join("");
  });
  const offered = [...new Set(agent.children.flatMap((node) => node.offered ?? []))];
  const others = offered.filter((name) => !capabilities.some((capability) => capability.name === name));
  const title = agent.name === "agent" ? "agent" : `agent ${showLine(agent.name, 120)}`;
  if (lines.length === 0 && others.length === 0) return [`${bold(title)}  no tools`];
  return [bold(title), ...lines, ...(others.length === 0 ? [] : [`  ${showLine(others.join(", "), 300)}  tools={…}`])];
}

/** Equal blocks once, with their number. */
function countEqual(blocks: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const lines of blocks) {
    const block = lines.join("\n");
    counts.set(block, (counts.get(block) ?? 0) + 1);
  }
  return [...counts].map(([block, times]) => (times === 1 ? block : block.replace(/(?=\n|$)/, `  × ${times}`)));
}

function requestLine({ name, label, answered, status }: TraceNode): string {
  return `  ${showLine(name, 64)} in ${showLine(label, 120)}: ${answered === undefined ? `not answered (${status})` : showAnswer(answered)}`;
}

function totalLine({ root }: Trace, nodes: readonly TraceNode[]): string {
  const { inputTokens, outputTokens } = root.usage.total;
  const calls = nodes.filter(({ kind }) => kind === "model-call").length;
  const time = root.durationMs === undefined ? "" : ` in ${showDuration(root.durationMs)}`;
  const outcome = root.status === "ok" ? "done" : root.status === "aborted" ? "aborted" : "failed";
  return `${outcome}${time}: ${count(calls)} model ${calls === 1 ? "call" : "calls"}, ${count(inputTokens ?? 0)} tokens in, ${count(outputTokens ?? 0)} out`;
}
