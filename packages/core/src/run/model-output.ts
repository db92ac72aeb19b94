/** What a model sees of a tool's output: the tool's own form or the SDK's, bounded in size with head and tail kept. */

import type { ToolResultOutput } from "@ai-sdk/provider-utils";
import type { Declaration } from "../capability/declaration.js";
import type { ChildRunOutput } from "../trace/trace.js";
import { boundOutput } from "./bound-output.js";

/** What a held call gives when it is refused: told to the model as a denial, not as an error. */
export class DeniedOutput {
  readonly denied = true;
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    this.reason = reason;
  }
}

/** The bound in bytes unless an agent sets `maxToolOutputBytes`. */
export const defaultMaxToolOutputBytes = 256 * 1024;

/** The model's form of what a call gave. Of a composite's child run it sees the output alone, never the trace. */
export async function toModelOutput(
  { tool, composite }: Declaration,
  part: { toolCallId: string; input: unknown; output: unknown },
  maxBytes: number,
): Promise<ToolResultOutput> {
  const { output } = part;
  if (output instanceof DeniedOutput)
    return { type: "execution-denied", ...(output.reason === undefined ? {} : { reason: output.reason }) };
  if (composite !== undefined) return boundOutput(plainOutput((output as ChildRunOutput).output), maxBytes);
  return boundOutput(
    tool.toModelOutput === undefined ? plainOutput(output) : await tool.toModelOutput(part as never),
    maxBytes,
  );
}

/** The SDK's form of an output without a form of its own: text as text, anything else as JSON. */
export function plainOutput(output: unknown): ToolResultOutput {
  if (typeof output === "string") return { type: "text", value: output };
  const text: string | undefined = output === undefined ? undefined : JSON.stringify(output);
  return { type: "json", value: text === undefined ? null : (JSON.parse(text) as never) };
}
