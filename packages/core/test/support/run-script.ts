/** Runs a file of `processes/` in a real Node process of its own, from source. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const tsx = join(dirname(createRequire(import.meta.url).resolve("tsx/package.json")), "dist/loader.mjs");

/** How a process ended. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface RunningScript {
  readonly process: ChildProcess;
  readonly ended: Promise<ScriptEnd>;
  /** Waits until the process has written `text`; fails when it ends before. */
  readonly output: (text: string) => Promise<void>;
}

/** Starts `name` of `processes/`. Whoever starts one sees to its end. */
export function startScript(
  name: string,
  options: { nodeFlags?: readonly string[]; args?: readonly string[] } = {},
): RunningScript {
  const { nodeFlags = [], args = [] } = options;
  const file = fileURLToPath(new URL(`./processes/${name}`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, "--conditions=@june/source", "--import", tsx, file, ...args], {
    cwd: root,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const watcher of watchers) watcher();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }));
  const output = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watcher = (): void => {
        if (!stdout.includes(text)) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
      void ended.then((end) =>
        reject(
          new Error(
            `The process ended (${end.code}) before it wrote ${JSON.stringify(text)}:\n${end.stdout}\n${end.stderr}`,
          ),
        ),
      );
    });
  return { process: child, ended, output };
}
