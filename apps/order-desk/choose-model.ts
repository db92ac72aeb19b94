/** Picks the model of the desk: a provider's when its key is set, else a scripted one that drives the same tools. */

import type { LanguageModel } from "ai";
import { scriptedDesk } from "./scripted-desk.js";

export async function chooseModel(): Promise<LanguageModel> {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY } = process.env;
  if (OPENAI_API_KEY) return (await import("june/sdk/openai")).openai("gpt-5-mini");
  if (ANTHROPIC_API_KEY) return (await import("june/sdk/anthropic")).anthropic("claude-sonnet-4-5");
  return scriptedDesk();
}
