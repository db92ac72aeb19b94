/**
 * The one command behind `npm start` and `npm test`: installs the workspace when the lockfile is new, then runs one of its scripts.
 * It has no dependencies and works on Node 20 with npm alone; pnpm comes through npx, Node 24 and Bun with the install.
 *
 *     node scripts/run.mjs [script] [arguments of the script …]
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = new URL("../node_modules/.setup-stamp", import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const [majorVersion] = process.versions.node.split(".");
if (Number(majorVersion) < 20)
  fail(`june: Node 20 or newer is needed to set up this repository, this is ${process.version}.`);

// Not process.version: after the first install `npm run` finds the workspace's own Node, and every second run would install again.
const stamp = createHash("sha256")
  .update(readFileSync(new URL("../pnpm-lock.yaml", import.meta.url)))
  .update(`${process.platform} ${process.arch}`)
  .digest("hex");

if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) {
  console.log("june: installing the workspace with its own Node and Bun (once, about half a minute) …");
  // Errors only: the host's Node may be older than the packages want, and commands are linked before they are built.
  runPnpm(["install", "--frozen-lockfile", "--prefer-offline", "--loglevel=error"]);
  writeFileSync(stampFile, stamp);
}

const [script, ...scriptArguments] = process.argv.slice(2);
if (script !== undefined) runPnpm(["--silent", "run", script, ...scriptArguments]);

function runPnpm(pnpmArguments) {
  const result = spawnSync("npx", ["-y", packageManager.split("+")[0], ...pnpmArguments], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32", // npx is a .cmd file there, which only a shell starts
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  });
  if (result.error)
    fail(`june: npx could not be started (${result.error.message}). It comes with npm: install npm and run again.`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
