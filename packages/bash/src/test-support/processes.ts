/** Tells tests which processes are there, and calls the tool as the AI SDK does. */

import { readdirSync, readFileSync } from "node:fs";
import type { BashTool } from "../bash-tool.js";
import type { BashResult } from "../run-command.js";
import { isRunning, readStatus } from "../process-status.js";

let count = 0;

/** A number of seconds that no other sleep of this machine is started with: what a test's processes are found by. */
export function uniqueSleep(): string {
  return `3${process.pid}.${++count}`;
}

/** The running `sleep`s of that many seconds. */
export function sleepersOf(seconds: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = readStatus(pid);
      return (
        status !== undefined &&
        isRunning(status) &&
        /(?:^|\/)sleep$/.test(readArguments(pid)[0]!) &&
        readArguments(pid)[1] === seconds
      );
    });
}

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [""];
  }
}

/** Resolves once `predicate` holds; the test's own time limit ends a wait in vain. */
export async function until(predicate: () => boolean): Promise<void> {
  while (!predicate()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function call(
  tool: BashTool,
  command: string,
  { timeoutMs, ...options }: { timeoutMs?: number; abortSignal?: AbortSignal } = {},
): Promise<BashResult> {
  const result = tool.execute!({ command, timeoutMs }, { toolCallId: "call-1", messages: [], context: {}, ...options });
  return result as Promise<BashResult>;
}
