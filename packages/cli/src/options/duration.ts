/** `--timeout 90s` in milliseconds. */

import { timeoutInvalid } from "../errors/messages.js";

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const maxMs = 24 * 24 * 3_600_000;

/** @throws {CommandError} when it is no duration, or one no timer can hold */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const durationMs = Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs]);
  if (!(durationMs > 0 && durationMs <= maxMs)) throw timeoutInvalid(text);
  return durationMs;
}

/** A duration for people: `850 ms`, `1.2 s`, `3 min 5 s`. */
export function showDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1_000).toFixed(1)} s`;
  return `${Math.floor(durationMs / 60_000)} min ${Math.floor((durationMs % 60_000) / 1_000)} s`;
}
