/** Reading what a scripted model was sent. */

import type { ScriptedModel } from "@june/core/testing";

type ModelPrompt = ScriptedModel["calls"][number]["prompt"];
type ToolResult = Extract<Extract<ModelPrompt[number], { role: "tool" }>["content"][number], { type: "tool-result" }>;

/** The tool results of one model call's prompt, in order. */
export function toolResults(model: ScriptedModel, call: number): ToolResult[] {
  const { prompt } = model.calls[call]!;
  return prompt.flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : [],
  );
}

/** What the model was given of each tool result of a call's prompt: the text or JSON, or the denial. */
export function resultOutputs(model: ScriptedModel, call: number): unknown[] {
  return toolResults(model, call).map(({ output }) => output);
}

/** Everything a model was ever sent, as text. */
export function everythingSent(model: ScriptedModel): string {
  return JSON.stringify(model.calls.map(({ prompt }) => prompt));
}
