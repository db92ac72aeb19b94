/** `june --help` and `june --version`: where they go, and that they load nothing they do not need. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { june } from "./support/june.js";

it.concurrent.each(["node", "bun"] as const)("R1 tells its options with examples, on %s", async (runtime) => {
  const general = await june(["--help"], { runtime });
  expect(general).toMatchObject({ code: 0, stderr: "" });
  expect(general.stdout).toMatch(/^Usage: june COMMAND \[options\]\n/);
  expect(general.stdout).toContain("  june run release.tsx --prop repo=../shop --model openai:gpt-5-mini\n");
  const run = await june(["run", "--help"], { runtime });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  for (const option of [
    "export",
    "props",
    "prop",
    "model",
    "approve",
    "json",
    "trace-out",
    "timeout",
    "env-file",
    "verbose",
  ])
    expect(run.stdout).toContain(`\n  --${option}`);
  const inspect = await june(["inspect", "--help"], { runtime });
  expect(inspect.stdout).toContain("\n  --why <name>");
});

it.concurrent("R1 --version prints the version of june", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../june/package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(await june(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

it.concurrent("R3 a command that does not exist is wrong usage, with the nearest spelling", async () => {
  expect(await june(["rnu", "x.tsx"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "june: unknown command 'rnu'\n(Did you mean run?)\n",
  });
  const none = await june([]);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toMatch(/^Usage: june COMMAND/);
});
