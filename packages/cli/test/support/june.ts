/** Starts the real command, from source, on Node or Bun; in a folder of its own where `june` can be imported. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const main = join(root, "packages/june/src/main.ts");
const fromSource = fileURLToPath(new URL("./from-source.mjs", import.meta.url));

/** The folder of the workflows that are files of their own. */
export const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

/** The runtimes the command runs on: the words that start it. */
export const runtimes = {
  node: [process.execPath, "--conditions=@june/source", "--import", fromSource, main],
  bun: [join(root, "node_modules/bun/bin/bun.exe"), "--conditions=@june/source", main],
} as const;

/** What a finished command left. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How it is started. */
export interface StartOptions {
  readonly cwd?: string;
  readonly runtime?: keyof typeof runtimes;
  readonly env?: Readonly<Record<string, string>>;
  /** What the standard input holds. */
  readonly input?: string;
  /** Called with everything the standard error has so far, to send a signal in time. */
  readonly watch?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs `june` with these words to its end. Nothing of the caller's keys reaches it. */
export function june(words: readonly string[], options: StartOptions = {}): Promise<Finished> {
  const [program, ...before] = runtimes[options.runtime ?? "node"];
  const child = spawn(program!, [...before, ...words], {
    cwd: options.cwd ?? fixtures,
    env: environment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {}); // a command that does not read its input may be gone first
  child.stdin.end(options.input ?? "");
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    options.watch?.(stderr, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code: code ?? (signal === null ? -1 : -2), stdout, stderr }));
  });
}

/** What a command on a terminal left. */
export interface Played {
  readonly code: number;
  /** What the terminal showed, typing included. */
  readonly terminal: string;
  readonly stdout: string;
  /** Texts that were waited for and never came. */
  readonly untyped: readonly string[];
}

/** Runs `june` on a pseudo-terminal where a person waits for texts and types. */
export function juneOnTerminal(
  words: readonly string[],
  dialog: readonly { readonly wait: string; readonly type: string }[],
  options: Omit<StartOptions, "input" | "watch"> & { readonly stdout?: "pipe" | "terminal" } = {},
): Promise<Played> {
  const spec = {
    command: [...runtimes[options.runtime ?? "node"], ...words],
    cwd: options.cwd ?? fixtures,
    env: environment({ NO_COLOR: "1", ...options.env }),
    stdout: options.stdout ?? "pipe",
    dialog,
    timeoutSeconds: 15,
  };
  const player = fileURLToPath(new URL("./terminal.py", import.meta.url));
  const child = spawn("python3", [player, JSON.stringify(spec)], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(JSON.parse(printed) as Played));
  });
}

/** Calls `work` with a new folder that holds `files`, and removes it. */
export async function inProject<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "june-cli-")));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What stderr says besides the lines of events and the summary before the error. */
export function errorOf({ stderr }: Finished): string {
  const start = stderr.lastIndexOf("\njune: ");
  return (start === -1 ? stderr : stderr.slice(start + 1)).trimEnd();
}

function environment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/_API_KEY$|^npm_|^NODE_OPTIONS$|^VITEST|^NODE_ENV$/.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...extra };
}
