/**
 * Runs every file of packages/<name>/test/smoke against the built dist on Node 22, Node 24 and Bun, and stops at the first that fails.
 * A smoke file is a plain program: it throws, or exits with another code than 0, when something is wrong. `pnpm smoke` builds first.
 */

import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { bun, node22, node24 } from "./runtimes.mjs";

const timeoutMs = 120_000;
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const runtimes = [
  { name: "Node 22", version: /^v22\./, command: node22, options: ["--import", tsx] },
  { name: "Node 24", version: /^v24\./, command: node24, options: ["--import", tsx] },
  { name: "Bun", version: /^\d/, command: bun, options: [] },
];

const files = globSync("packages/*/test/smoke/*.{mjs,ts,tsx}").toSorted();
if (files.length === 0) fail("no file in packages/*/test/smoke: nothing was tried");

for (const { name, version, command, options } of runtimes) {
  const printed = start([...command, "--version"], "pipe").stdout?.trim() ?? "";
  if (!version.test(printed)) fail(`${name}: ${command.join(" ")} --version printed ${JSON.stringify(printed)}`);

  for (const file of files) {
    const folder = file.split(sep).slice(0, 2).join(sep);
    if (!existsSync(join(folder, "dist"))) fail(`${folder}/dist is missing: run  pnpm build`);
    console.log(`smoke: ${file} on ${name} (${printed})`);
    // In the package's folder, where its tsconfig.json tells the JSX runtime.
    const result = start([...command, ...options, relative(folder, file)], "inherit", folder);
    if (result.error) fail(`${file} on ${name}: ${result.error.message}`);
    if (result.status !== 0) fail(`${file} on ${name}: ended with ${result.signal ?? `exit code ${result.status}`}`);
  }
}
console.log(`smoke: ${files.length * runtimes.length} runs passed`);

function start([program, ...programArguments], output, folder = ".") {
  return spawnSync(program, programArguments, {
    cwd: folder,
    stdio: ["ignore", output, "inherit"],
    encoding: "utf8",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
}

function fail(message) {
  console.error(`smoke: ${message}`);
  process.exit(1);
}
