/** What goes to the standard output: the answer, or with `--json` one document. */

import type { RunHandle, RunResult } from "@june/core";
import type { ExitCode } from "../errors/exit-code.js";
import { answerUnprintable } from "../errors/messages.js";

interface ErrorDocument {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: ErrorDocument;
  readonly errors?: readonly ErrorDocument[];
}

/** What a run gave. @throws {CommandError} when the output is nothing JSON can hold */
export function resultDocument(handle: RunHandle, { output, steps, usage, trace }: RunResult): string {
  try {
    return JSON.stringify(
      {
        ok: true,
        runId: handle.id,
        output: output ?? null,
        steps: { ...steps },
        usage,
        durationMs: trace.root.durationMs,
      },
      undefined,
      2,
    );
  } catch {
    throw answerUnprintable();
  }
}

/** The output of a run as the answer: text as it is, else JSON; undefined when there is none. */
export function textOf(output: unknown): string | undefined {
  if (output === undefined || typeof output === "string") return output;
  try {
    return JSON.stringify(output, undefined, 2);
  } catch {
    throw answerUnprintable();
  }
}

/** Why there is no result. `handle` is undefined when no run began. */
export function errorDocument(error: unknown, exitCode: ExitCode, handle: RunHandle | undefined): string {
  const run =
    handle === undefined
      ? {}
      : { runId: handle.id, usage: handle.trace.root.usage, durationMs: handle.trace.root.durationMs };
  return JSON.stringify({ ok: false, exitCode, error: toDocument(error), ...run }, undefined, 2);
}

const maxDepth = 8;

function toDocument(error: unknown, depth = 0): ErrorDocument {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, cause } = error;
  const { code, details } = error as { code?: unknown; details?: ErrorDocument["details"] };
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const isDeep = depth === maxDepth;
  return {
    name,
    message,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof details === "object" ? { details } : {}),
    ...(cause === undefined || cause === null || isDeep ? {} : { cause: toDocument(cause, depth + 1) }),
    ...(inner.length === 0 || isDeep ? {} : { errors: inner.map((part) => toDocument(part, depth + 1)) }),
  };
}
