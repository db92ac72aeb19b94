#!/usr/bin/env node
/** The `june` command: what @june/cli does, with the providers that come along. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main, restartOnBun } from "@june/cli";

const words = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const exitCode =
  (await restartOnBun(fileURLToPath(import.meta.url), words)) ??
  (await main(words, {
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
  }));
// A workflow may have left something open, such as a connection; its run is over.
process.exit(exitCode);
