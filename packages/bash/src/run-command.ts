/** Runs one program to its end, its time limit or its abort, and leaves no process behind. Fed by bash-tool with the shell's arguments. */

// node:child_process rather than execa: execa can kill a group, but it waits for pipes that a stray process holds open and knows nothing
// of sessions and marks, so everything below and in process-tree would stay and only `spawn` would go.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { onExit } from "signal-exit";
import { OutputCapture } from "./output-capture.js";
import { ProcessTree } from "./process-tree.js";

/** How long output may still come after the command has ended, such as from `> >(tee log)`. */
const drainMs = 250;

/** Carries the marks of this call and of those around it, as June may run inside a command of June. */
const markVariable = "JUNE_BASH_MARK";

export interface CommandRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** From TERM to KILL. */
  readonly graceMs: number;
  /** For each of the two streams. */
  readonly maxOutputBytes: number;
  /** The program is the sandbox's monitor, which reports the signal that ended its command as exit code 128 + n. */
  readonly isSandbox: boolean;
  readonly abortSignal?: AbortSignal | undefined;
}

/** How a command ended and what it wrote. */
export interface BashResult {
  /** The command's own, or 128 + n when signal n ended it. */
  exitCode: number;
  /** Name of the signal that ended it, such as `SIGKILL`. */
  signal?: string;
  stdout: string;
  stderr: string;
  /** Whether the middle of `stdout` or of `stderr` is missing. */
  truncated: boolean;
  durationMs: number;
  /** Whether the time limit ended it. */
  timedOut: boolean;
}

/**
 * Resolves however the command ends. Rejects with the signal's reason when aborted, once the processes are gone, and with an error
 * when the program cannot be started.
 */
export async function runCommand(request: CommandRequest): Promise<BashResult> {
  const { timeoutMs, graceMs, maxOutputBytes, isSandbox, abortSignal } = request;
  abortSignal?.throwIfAborted();
  const startedAt = performance.now();
  const mark = randomUUID();
  const child = await start(request, mark);
  const tree = new ProcessTree(child.pid!, mark, isSandbox);
  const stdout = capture(child.stdout!, maxOutputBytes);
  const stderr = capture(child.stderr!, maxOutputBytes);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const removeExitHandler = onExit(() => tree.killNow());
  let ending: Ending;
  try {
    ending = await waitForEnding(child, timeoutMs, abortSignal);
    if (ending === "exit") await within(closed, drainMs);
    await tree.end(graceMs);
    await within(closed, drainMs);
  } finally {
    removeExitHandler();
    // A process that got away may hold the pipes, and one that cannot be killed the child.
    child.stdout!.destroy();
    child.stderr!.destroy();
    child.unref();
  }
  abortSignal?.throwIfAborted();
  const [out, error] = [stdout.end(), stderr.end()];
  return {
    ...exitOf(child, isSandbox),
    stdout: out.text,
    stderr: error.text,
    truncated: out.isTruncated || error.isTruncated,
    durationMs: Math.round(performance.now() - startedAt),
    timedOut: ending === "timeout",
  };
}

async function start({ file, args, cwd, env }: CommandRequest, mark: string): Promise<ChildProcess> {
  const marks = [process.env[markVariable], mark].filter((one) => one !== undefined).join(",");
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [markVariable]: marks },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    return child;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cure = code === "E2BIG" ? ": it is longer than the system takes. Write it to a file and run that" : "";
    throw new Error(`the command could not be started (${code})${cure}`, { cause: error });
  }
}

function capture(stream: NodeJS.ReadableStream, maxBytes: number): OutputCapture {
  const output = new OutputCapture(maxBytes);
  stream.on("data", (bytes: Buffer) => output.push(bytes));
  return output;
}

type Ending = "exit" | "timeout" | "abort";

/** What comes first: the command's own end, or a reason to end it. */
function waitForEnding(child: ChildProcess, timeoutMs: number, abortSignal: AbortSignal | undefined): Promise<Ending> {
  return new Promise((resolve) => {
    const settle = (ending: Ending): void => {
      clearTimeout(timer);
      abortSignal?.removeEventListener("abort", onAbort);
      resolve(ending);
    };
    const onAbort = (): void => settle("abort");
    const timer = setTimeout(settle, timeoutMs, "timeout" satisfies Ending);
    abortSignal?.addEventListener("abort", onAbort);
    child.once("exit", () => settle("exit"));
  });
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, delay(limitMs, undefined, { signal: timer.signal })]);
  timer.abort();
}

function exitOf({ exitCode, signalCode }: ChildProcess, isSandbox: boolean): Pick<BashResult, "exitCode" | "signal"> {
  if (exitCode === null) {
    // Without either, the process did not even answer KILL.
    const signal = signalCode ?? "SIGKILL";
    return { exitCode: 128 + constants.signals[signal], signal };
  }
  const reported = isSandbox
    ? Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)
    : undefined;
  return reported === undefined ? { exitCode } : { exitCode, signal: reported[0] };
}
