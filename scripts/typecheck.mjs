/** Type-checks the workspace from source: the root project (packages and tests, `*.test-d.tsx` with them), then every app and every page of e2e/ by its own tsconfig. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";

const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const others = ["apps", "e2e"]
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}/tsconfig.json`))
  .filter((path) => existsSync(path));

let failed = false;
for (const project of ["tsconfig.json", ...others]) {
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  if (status !== 0) failed = true;
}
process.exit(failed ? 1 : 0);
