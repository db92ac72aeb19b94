/** The built command, started as people start it, on the runtime that runs this file. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../june/dist/main.js", import.meta.url));
const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

function june(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    cwd: fixtures,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

const help = june("--help");
assert.equal(help.status, 0, help.stderr);

const run = june("run", "sum.tsx", "--approve", "all");
assert.equal(run.status, 0, run.stderr);
assert.match(run.stdout, /"value":3.*"value":42/);
assert.match(run.stderr, /^ {2}double in sum: approved by --approve all$/m);

const inspect = june("inspect", "team.tsx");
assert.equal(inspect.status, 0, inspect.stderr);
assert.match(inspect.stdout, /^ {2}<Agent name="lead"> {2}team\.tsx:\d+$/m, "elements know their place");

const wrong = june("run", "absent.tsx");
assert.deepEqual(wrong, { status: 2, stdout: "", stderr: "june: there is no file absent.tsx.\n" });
