/** What a failure means for the person at the command line, and the exit code it gives. */

import { JuneError } from "@june/core";
import { explainMissingBun } from "../load/explain-load-error.js";
import { Interrupted } from "../run/interrupted.js";
import { CommandError } from "./command-error.js";
import type { ExitCode } from "./exit-code.js";
import { keyMissing } from "./messages.js";

const keyErrors = new Set(["AI_LoadAPIKeyError", "AI_LoadSettingError", "GatewayAuthenticationError"]);

/** The error as it is, or the message of the command that says it better. */
export function explainFailure(
  error: unknown,
  started: { readonly file: string; readonly command: string; readonly hasDefaultModel: boolean },
): unknown {
  if (error instanceof CommandError || error instanceof Interrupted) return error;
  for (const cause of chainOf(error)) {
    if (keyErrors.has(cause.name)) return keyMissing(cause.message, started.hasDefaultModel);
    const needsBun = explainMissingBun(cause, started);
    if (needsBun !== undefined) return needsBun;
  }
  return error;
}

/** 2 for what the author or the caller got wrong before anything ran, 1 for a run that failed. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof Interrupted) return 130;
  return chainOf(error).some((cause) => JuneError.isInstance(cause) && cause.name === "DeclarationError") ? 2 : 1;
}

/** The error and everything underneath it. */
function chainOf(error: unknown): Error[] {
  const found = new Set<Error>();
  const pending = [error];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!(next instanceof Error) || found.has(next)) continue;
    found.add(next);
    pending.push(next.cause, ...(next instanceof AggregateError ? (next.errors as unknown[]) : []));
  }
  return [...found];
}
