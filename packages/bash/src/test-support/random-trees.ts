/** Random commands that start trees of shells, sessions, groups, traps and pipes around a sleep, and the law that all of them obey. */

import * as fc from "fast-check";
import { expect } from "vitest";
import { runCommand, type CommandRequest } from "../run-command.js";
import { sleepersOf, uniqueSleep } from "./processes.js";

/** How many times more trees than usual: `LAWS_RUNS=10 npm test`. */
const factor = Number(process.env["LAWS_RUNS"] ?? 1);

const wrappers = [
  (inner: string) => `(${inner})`,
  (inner: string) => `{ ${inner}\n} &`,
  (inner: string) => `{ ${inner}\n} | cat &`,
  (inner: string) => `{ ${inner}\n} & kill -STOP $!`,
  (inner: string) => `set -m; { ${inner}\n} & set +m`,
  (inner: string) => `exec 3>&1; ${inner}\n:`,
  (inner: string) => `setsid bash -c ${quote(inner)} &`,
  (inner: string) => `setsid -w bash -c ${quote(inner)}`,
  (inner: string) => `setsid bash -c ${quote(`exec setsid bash -c ${quote(`${inner}\n:`)}`)}`,
  (inner: string) => `nohup bash -c ${quote(inner)} > /dev/null 2>&1 & disown`,
  (inner: string) => `bash -c ${quote(`trap '' TERM HUP INT; ${inner}`)}`,
  (inner: string) => `env -i bash -c ${quote(inner)} &`,
];
const endings = ["", "; exit 3", "; kill -9 $$", "; wait", "; exec sleep 1000"];

const trees = fc.record({
  wraps: fc.array(fc.constantFrom(...wrappers), { maxLength: 4 }),
  ending: fc.constantFrom(...endings),
  isAborted: fc.boolean(),
});

/**
 * Runs random trees and expects that each call ends in time and leaves nothing.
 * @param start the program around a command.
 * @param isExcluded which commands may leave something.
 */
export async function checkTrees(
  count: number,
  start: (command: string) => Pick<CommandRequest, "file" | "args" | "cwd" | "isSandbox">,
  isExcluded: (command: string) => boolean,
): Promise<void> {
  const used: string[] = [];
  const property = fc.asyncProperty(trees, async ({ wraps, ending, isAborted }) => {
    const seconds = uniqueSleep();
    used.push(seconds);
    const command = `echo begin; ${wraps.reduce((inner, wrap) => wrap(inner), `sleep ${seconds}`)}\n:${ending}`;
    fc.pre(!isExcluded(command));
    const abortSignal = isAborted ? AbortSignal.timeout(150) : undefined;
    const startedAt = performance.now();
    const result = await runCommand({
      ...start(command),
      env: { PATH: process.env["PATH"]! },
      timeoutMs: isAborted ? 60_000 : 150,
      graceMs: 100,
      maxOutputBytes: 1000,
      abortSignal,
    }).catch((error: unknown) => void expect(error).toBe(abortSignal?.reason));
    const tookMs = performance.now() - startedAt;
    const left = sleepersOf(seconds);
    for (const pid of left) process.kill(pid, "SIGKILL");
    expect(left).toEqual([]);
    expect(tookMs).toBeLessThan(3000);
    if (result !== undefined) expect(result.stdout).toBe("begin\n");
  });
  await fc.assert(property, { numRuns: Math.ceil(count * factor) });
  // A shell that got away may take a moment to its sleep.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(used.flatMap(sleepersOf)).toEqual([]);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
