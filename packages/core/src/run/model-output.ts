/** What a model sees of a tool's output: the tool's own form or the SDK's, bounded in size with head and tail kept. */

import type { ToolResultOutput } from "@ai-sdk/provider-utils";
import type { Declaration } from "../capability/declaration.js";
import type { ChildRunOutput } from "../trace/trace.js";

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

function boundOutput(output: ToolResultOutput, maxBytes: number): ToolResultOutput {
  switch (output.type) {
    case "text":
    case "error-text":
      return { ...output, value: boundText(output.value, maxBytes) };
    case "json":
    case "error-json": {
      const text = JSON.stringify(output.value);
      const bounded = boundText(text, maxBytes);
      return bounded === text ? output : { type: output.type === "json" ? "text" : "error-text", value: bounded };
    }
    case "content":
      return {
        ...output,
        value: output.value.map((part) =>
          part.type === "text" ? { ...part, text: boundText(part.text, maxBytes) } : part,
        ),
      };
    default:
      return output;
  }
}

/** `text` in at most about `maxBytes` bytes of UTF-8; longer ones keep head and tail and say what is missing. */
export function boundText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.max(1, Math.floor(maxBytes / 2));
  const head = decodeWhole(bytes.subarray(0, startOfCharacter(bytes, half)));
  const tailStart = startOfCharacter(bytes, bytes.length - half);
  const tail = decodeWhole(bytes.subarray(tailStart));
  return `${head}\n[… ${bytes.length - new TextEncoder().encode(head).length - (bytes.length - tailStart)} of ${bytes.length} bytes left out …]\n${tail}`;
}

function startOfCharacter(bytes: Uint8Array, index: number): number {
  let start = index;
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

function decodeWhole(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
