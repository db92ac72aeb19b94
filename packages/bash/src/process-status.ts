/** What Linux tells of a running process under `/proc`. Read by process-tree, without waiting, as the host may be about to exit. */

import { readFileSync } from "node:fs";

export interface ProcessStatus {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  readonly flags: number;
  readonly threads: number;
  /** Clock ticks since boot: tells a process from a later one with the same number. */
  readonly startTime: number;
}

/** Undefined when the process is gone, or the system has no `/proc`. */
export function readStatus(pid: number): ProcessStatus | undefined {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The program's name stands in parentheses and may hold any character, so the fields are counted from the last parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    state: fields[0]!,
    group: Number(fields[2]),
    session: Number(fields[3]),
    flags: Number(fields[6]),
    threads: Number(fields[17]),
    startTime: Number(fields[19]),
  };
}

const kernelThread = 0x00200000;

/** A zombie has ended and waits to be collected, unless only its first thread has; a kernel thread never had a program. */
export function isRunning({ state, threads, flags }: ProcessStatus): boolean {
  if (state === "X" || (flags & kernelThread) !== 0) return false;
  return state !== "Z" || threads > 1;
}

/**
 * The environment a process was started with; of another user's process, nothing. Undefined when it cannot be told: the process has
 * ended, or is in the middle of starting a program, when it has neither arguments nor environment.
 */
export function readEnvironment(pid: number): string | undefined {
  const isStarting = readProcFile(`/proc/${pid}/cmdline`) === "";
  const environment = readProcFile(`/proc/${pid}/environ`) ?? "";
  if (environment !== "") return environment;
  const status = isStarting ? undefined : readStatus(pid);
  return status !== undefined && isRunning(status) ? "" : undefined;
}

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
