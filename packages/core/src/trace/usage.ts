/** Token counts: how they add up, and what is a node's own and what its child runs spent. */

import type { LanguageModelUsage } from "ai";

/** Tokens of one node. `own` is spent in the node's own run, `total` includes child runs below it. */
export interface Usage {
  readonly own: LanguageModelUsage;
  readonly total: LanguageModelUsage;
}

/** A usage of nothing: every count is 0. */
export function zeroUsage(): LanguageModelUsage {
  return {
    inputTokens: 0,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokens: 0,
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
    totalTokens: 0,
  };
}

/** The sum of two usages; a count that neither has stays unknown. */
export function addUsage(a: LanguageModelUsage | undefined, b: LanguageModelUsage): LanguageModelUsage {
  if (a === undefined) return b;
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    inputTokenDetails: {
      noCacheTokens: add(a.inputTokenDetails.noCacheTokens, b.inputTokenDetails.noCacheTokens),
      cacheReadTokens: add(a.inputTokenDetails.cacheReadTokens, b.inputTokenDetails.cacheReadTokens),
      cacheWriteTokens: add(a.inputTokenDetails.cacheWriteTokens, b.inputTokenDetails.cacheWriteTokens),
    },
    outputTokens: add(a.outputTokens, b.outputTokens),
    outputTokenDetails: {
      textTokens: add(a.outputTokenDetails.textTokens, b.outputTokenDetails.textTokens),
      reasoningTokens: add(a.outputTokenDetails.reasoningTokens, b.outputTokenDetails.reasoningTokens),
    },
    totalTokens: add(a.totalTokens, b.totalTokens),
  };
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b;
}
