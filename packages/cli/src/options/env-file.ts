/** `--env-file`: the only way a `.env` reaches a workflow. What the environment has already wins. */

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { optionFileUnusable } from "../errors/messages.js";
import { systemProblem } from "../errors/system-problem.js";

/** @throws {CommandError} when the file cannot be read */
export function loadEnvFile(path: string): void {
  for (const [name, value] of Object.entries(read(path))) process.env[name] ??= value;
}

/**
 * Takes back what Bun put into the environment by itself from the `.env` files of the working directory.
 * A variable that had the same value before goes too: the two cannot be told apart.
 */
export function forgetBunsEnvFiles(): void {
  if (process.versions["bun"] === undefined || process.execArgv.includes("--no-env-file")) return;
  const mode = process.env["NODE_ENV"] ?? "development";
  for (const path of [`.env.${mode}.local`, ".env.local", `.env.${mode}`, ".env"]) {
    let values: Record<string, string | undefined>;
    try {
      values = parseEnv(readFileSync(path, "utf8")) as Record<string, string | undefined>;
    } catch {
      continue;
    }
    for (const [name, value] of Object.entries(values)) {
      const isExpanded = value?.includes("$") === true;
      if (isExpanded || process.env[name] === value) delete process.env[name];
    }
  }
}

function read(path: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, "utf8")) as Record<string, string | undefined>;
  } catch (error) {
    throw optionFileUnusable("--env-file", path, systemProblem(error));
  }
}
