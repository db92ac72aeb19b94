#!/usr/bin/env node
/** The `june` command: what @june/cli does, with the providers that come along. */

import { readFileSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { main, restartOnBun } from "@june/cli";

// Halves the time to the first event from the second start on. Bun and early Node 22 do without.
(module as Partial<typeof module>).enableCompileCache?.();

const words = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

async function start(): Promise<number> {
  const restarted = await restartOnBun(fileURLToPath(import.meta.url), words);
  if (restarted !== undefined) return restarted;
  return main(words, {
    version,
    providers: {
      openai: () => import("@ai-sdk/openai"),
      anthropic: () => import("@ai-sdk/anthropic"),
      google: () => import("@ai-sdk/google"),
    },
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    exit: (code) => process.exit(code),
  });
}

// Not awaited at the top level, which would keep a process alive that has nothing left to do.
// At the end it leaves: a workflow may have left something open, such as a connection, but its run is over.
void start().then((code) => process.exit(code));
