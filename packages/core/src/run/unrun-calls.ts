/** Records the tool calls that never reach an execute of June's: invalid ones, which the SDK gives back to the model, and those the provider ran. */

import { escapeLabel } from "../render/context.js";
import type { StepState } from "./run-state.js";

interface CallPart {
  readonly type: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly invalid?: boolean;
  readonly providerExecuted?: boolean;
}

/** Looks through what one model call gave, before its tools run: the other calls run as strands of their own. */
export function recordUnrunCalls(step: StepState, content: readonly CallPart[]): void {
  const own: string[] = [];
  for (const part of content) {
    if (part.type !== "tool-call") continue;
    if (part.invalid === true || part.providerExecuted === true) recordCall(step, part, content);
    else own.push(part.toolCallId);
  }
  step.turn!.fork = step.agent.instance.shared.strands.fork(own);
}

function recordCall(step: StepState, part: CallPart, content: readonly CallPart[]): void {
  const { recorder } = step.agent.instance.shared;
  const turn = step.turn!;
  const position = turn.positions.get(part.toolCallId) ?? turn.positions.size;
  const node = recorder.start({
    type: "tool-call-start",
    name: part.toolName,
    path: `${turn.node.path}/tool[${position}:${escapeLabel(part.toolName)}]`,
    label: `${step.node.label}/${part.toolName}`,
    parentId: turn.node.id,
    toolCallId: part.toolCallId,
    invocation: part.invalid === true ? "model" : "provider",
    input: part.input,
  });
  const result = content.find(
    (other) =>
      other !== part &&
      other.toolCallId === part.toolCallId &&
      (other.type === "tool-result" || other.type === "tool-error"),
  );
  if (part.invalid === true)
    recorder.fail(
      node,
      { type: "tool-call-end" },
      part.error ?? result?.error ?? new Error("invalid tool call"),
      false,
    );
  else if (result?.type === "tool-error") recorder.fail(node, { type: "tool-call-end" }, result.error, false);
  else recorder.end(node, { type: "tool-call-end", output: result?.output });
}
