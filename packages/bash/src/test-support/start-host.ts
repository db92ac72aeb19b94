/** Starts `host.ts` in a process of its own, for tests that end a host while its command runs. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import { uniqueSleep } from "./processes.js";

const tsx = createRequire(import.meta.url).resolve("tsx");

/** How to run a file of this folder with the node that runs the tests. */
export function hostCommand(file: string): [program: string, ...args: string[]] {
  return [process.execPath, "--conditions=@june/source", "--import", tsx, new URL(file, import.meta.url).pathname];
}

/** Resolves when the host's command runs, which is two sleeps of `seconds`. The host ends as it is told when its standard input does. */
export async function startHost(
  ending: "exit" | "throw" | "wait",
  ...sandbox: "bubblewrap"[]
): Promise<{ host: ChildProcess; seconds: string }> {
  const [node, ...args] = hostCommand("host.ts");
  const seconds = uniqueSleep();
  const host = spawn(node, [...args, seconds, ending, ...sandbox], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void host.kill("SIGKILL"));
  await once(host.stdout!, "data");
  return { host, seconds };
}
