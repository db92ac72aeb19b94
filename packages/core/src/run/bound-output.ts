/** Bounds what a model sees of one tool result: head and tail are kept, and a line between them says how much is missing. */

import type { ToolResultOutput } from "@ai-sdk/provider-utils";

type ContentPart = Extract<ToolResultOutput, { type: "content" }>["value"][number];

/** `output` with at most about `maxBytes` bytes of text. JSON that is too long goes on as text; files stay whole. */
export function boundOutput(output: ToolResultOutput, maxBytes: number): ToolResultOutput {
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
      return { ...output, value: boundParts(output.value, maxBytes) };
    default:
      return output;
  }
}

/** `text` in at most about `maxBytes` bytes of UTF-8. */
export function boundText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  return boundTexts([text], maxBytes)[0] as string;
}

/** The texts of several parts share one bound; a part of which nothing is left goes. */
function boundParts(parts: readonly ContentPart[], maxBytes: number): ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const bounded = boundTexts(texts, maxBytes);
  let position = 0;
  const result: ContentPart[] = [];
  for (const part of parts) {
    const text = part.type === "text" ? bounded[position++] : "";
    if (text !== undefined) result.push(part.type === "text" ? { ...part, text } : part);
  }
  return result;
}

/** `texts`, one after the other, with the middle left out; undefined for one of which nothing is left. */
function boundTexts(texts: readonly string[], maxBytes: number): (string | undefined)[] {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const total = encoded.reduce((sum, { length }) => sum + length, 0);
  if (total <= maxBytes) return [...texts];
  const half = Math.max(1, Math.floor(maxBytes / 2));
  let begin = 0;
  let kept = 0;
  const pieces = encoded.map((bytes, index) => {
    const end = begin + bytes.length;
    const isWhole = end <= half || begin >= total - half;
    const headEnd = isWhole ? bytes.length : startOfCharacter(bytes, half - begin);
    const tailStart = isWhole ? bytes.length : startOfCharacter(bytes, total - half - begin);
    begin = end;
    kept += headEnd + bytes.length - tailStart;
    const head = isWhole ? texts[index]! : decode(bytes.subarray(0, headEnd));
    return { isWhole, head, tail: decode(bytes.subarray(tailStart)) };
  });
  const gap = `\n[… ${total - kept} of ${total} bytes left out …]\n`;
  const first = pieces.findIndex(({ isWhole }) => !isWhole);
  return pieces.map(({ isWhole, head, tail }, index) => {
    if (isWhole) return head;
    return index === first ? head + gap + tail : tail === "" ? undefined : tail;
  });
}

/** The nearest place at or before `index` where no character is cut. */
function startOfCharacter(bytes: Uint8Array, index: number): number {
  let start = Math.min(Math.max(index, 0), bytes.length);
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
