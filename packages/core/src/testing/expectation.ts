/** What a scripted turn expects of the conversation, and the difference when it is another. */

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { isDeepEqualData } from "ai";

/** Each part is checked only when it is given. */
export interface Expectation {
  /** The text of the last user message: exactly, or by a pattern. */
  readonly user?: string | RegExp;
  /** The instructions: exactly, or by a pattern. */
  readonly instructions?: string | RegExp;
  /** The names of the tools on offer, in order. */
  readonly tools?: readonly string[];
  /** What the last message gives back of each tool call, in order: the text or JSON the model sees, or a pattern over its text. */
  readonly results?: readonly unknown[];
}

/** The lines that differ, `-` expected and `+` found, or undefined when all holds. */
export function matchPrompt(
  expectation: Expectation,
  { prompt, tools }: { readonly prompt: LanguageModelV4Prompt; readonly tools: readonly string[] },
): string | undefined {
  const differences: string[] = [];
  const compare = (what: string, expected: unknown, found: unknown): void => {
    if (isMatch(expected, found)) return;
    differences.push(`  ${what}`, `  - ${show(expected)}`, `  + ${show(found)}`);
  };
  if (expectation.user !== undefined)
    compare("user", expectation.user, textOf(prompt.findLast(({ role }) => role === "user")));
  if (expectation.instructions !== undefined)
    compare("instructions", expectation.instructions, textOf(prompt.find(({ role }) => role === "system")));
  if (expectation.tools !== undefined) compare("tools", expectation.tools, tools);
  if (expectation.results !== undefined) {
    const found = resultsOf(prompt);
    if (found.length !== expectation.results.length)
      compare("number of results", expectation.results.length, found.length);
    expectation.results.forEach((expected, index) => compare(`result ${index}`, expected, found[index]));
  }
  return differences.length === 0 ? undefined : differences.join("\n");
}

function isMatch(expected: unknown, found: unknown): boolean {
  if (expected instanceof RegExp)
    return expected.test(typeof found === "string" ? found : (JSON.stringify(found) ?? ""));
  return isDeepEqualData(expected, found);
}

function show(value: unknown): string {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > 1_000 ? `${text.slice(0, 1_000)}… (${text.length} characters)` : text;
}

function textOf(message: LanguageModelV4Prompt[number] | undefined): string | undefined {
  if (message === undefined) return undefined;
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** What the tool messages after the last assistant message hold: text, JSON, or a denial's reason. */
function resultsOf(prompt: LanguageModelV4Prompt): unknown[] {
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  return prompt.slice(last + 1).flatMap((message) => {
    if (message.role !== "tool") return [];
    return message.content.flatMap((part) => {
      if (part.type !== "tool-result") return [];
      const { output } = part;
      return ["value" in output ? output.value : `denied: ${output.reason ?? ""}`];
    });
  });
}
