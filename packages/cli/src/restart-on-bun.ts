/** `bunx june` means Bun, but bunx starts a command in Node when its first line says so: the command starts itself again in Bun. */

import { spawn } from "node:child_process";
import { basename, dirname, join } from "node:path";

/**
 * Starts `script` in Bun when bunx has started it in Node.
 * @returns its exit code, or undefined when this is not the case
 */
export function restartOnBun(script: string, words: readonly string[]): Promise<number> | undefined {
  const bun = findBun();
  if (bun === undefined) return undefined;
  const conditions = process.execArgv.filter((word) => word.startsWith("--conditions="));
  const child = spawn(bun, ["--no-env-file", ...conditions, script, ...words], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both; this process only waits. What is sent to it alone is handed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

/** The Bun that started this process through bunx, which is Bun under another name or its subcommand `x`. */
function findBun(): string | undefined {
  const { npm_lifecycle_event: event, npm_lifecycle_script: command, npm_execpath: path } = process.env;
  if (process.versions["bun"] !== undefined || path === undefined) return undefined;
  if (event === "bunx" && command === "june") return path;
  const isBunx = event === undefined && /^bunx(?:\.exe)?$/.test(basename(path));
  return isBunx ? join(dirname(path), basename(path).replace("bunx", "bun")) : undefined;
}
