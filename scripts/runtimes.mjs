/** The runtimes June is tried on, each as the command that starts it. All three come with the install. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

// Node 22 is an optional dependency on the registry package that holds its Linux x64 binary: installed with the rest, so it also works
// offline. On other platforms npx fetches it, as a second `node` package would take `.bin/node` away from Node 24.
const installedNode22 = join(root, "node_modules/node-22/bin/node");
const node22Version = manifest.optionalDependencies["node-22"].split("@").at(-1);
export const node22 = existsSync(installedNode22) ? [installedNode22] : ["npx", "-y", `node@${node22Version}`];

/** `pnpm run` puts node_modules/.bin first, so these are the pinned ones. */
export const node24 = [process.execPath];
export const bun = [join(root, "node_modules/.bin/bun")];

if (!process.version.startsWith("v24.")) {
  console.error(`This is Node ${process.version}, not the workspace's own Node 24: start this script through pnpm.`);
  process.exit(1);
}
