/** `pnpm check:changeset` and the release plan, tried with real git repositories in a temp folder. */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { beforeEach, afterEach, expect, it } from "vitest";

const script = resolve("scripts/check-changeset.mjs");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "june-changesets-"));
  git("init", "--quiet", "--initial-branch=main");
  write(".changeset/config.json", readFileSync(".changeset/config.json", "utf8"));
  write("packages/core/package.json", '{ "name": "@june/core", "version": "0.1.0" }');
  write("packages/core/src/index.ts", "export const one = 1;\n");
  write(".changeset/first.md", changesetFor("@june/core"));
  commit("begin");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...words: string[]): void {
  execFileSync("git", ["-c", "user.name=June", "-c", "user.email=june@example.invalid", ...words], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

/** What `changeset version` leaves: the changelog written, the changesets gone. */
function release(): void {
  rmSync(join(folder, ".changeset/first.md"), { force: true });
  write("packages/core/CHANGELOG.md", "# @june/core\n");
  commit("release");
}

function changesetFor(name: string): string {
  return `---\n"${name}": minor\n---\n\nSomething a reader can now do.\n`;
}

function check(): { code: number | null; printed: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: "utf8" });
  return { code: status, printed: stderr + stdout };
}

it("B4 before the first release everything needs a changeset", () => {
  expect(check()).toEqual({
    code: 0,
    printed: "check:changeset: 1 packages changed since the beginning, 0 without a changeset\n",
  });
  write("packages/bash/package.json", '{ "name": "@june/bash", "version": "0.1.0" }');
  write("packages/bash/src/index.ts", "export {};\n");
  write("packages/bash/src/bash.ts", "export {};\n");
  expect(check()).toEqual({
    code: 1,
    printed:
      "@june/bash changed (packages/bash/src/bash.ts and 1 more) and no changeset names it: run  pnpm changeset\n" +
      "check:changeset: 2 packages changed since the beginning, 1 without a changeset\n",
  });
});

it("B4 a change after a release fails until a changeset names its package", () => {
  release();
  expect(check().code).toBe(0);
  write("packages/core/src/index.ts", "export const one = 2;\n");
  commit("change");
  expect(check().code).toBe(1);
  write(".changeset/other.md", changesetFor("@june/bash"));
  expect(check().code).toBe(1);
  write(".changeset/second.md", changesetFor("@june/core"));
  expect(check().code).toBe(0);
});

it("B4 a branch brings its own changeset, whatever lies unreleased on main", () => {
  git("checkout", "--quiet", "-b", "feature");
  write("packages/core/src/index.ts", "export const one = 3;\n");
  commit("change");
  expect(check().code).toBe(1);
  write(".changeset/second.md", changesetFor("@june/core"));
  commit("describe");
  expect(check().code).toBe(0);
});

it("B4 tests, private packages and the apps need none", () => {
  release();
  write("packages/core/src/index.test.ts", "export {};\n");
  write("packages/core/src/index.test-d.tsx", "export {};\n");
  write("packages/inner/package.json", '{ "name": "inner", "private": true }');
  write("packages/inner/src/index.ts", "export {};\n");
  write("apps/release/workflow.tsx", "export {};\n");
  expect(check().code).toBe(0);
});

it("B4 the release plan moves every package together and leaves the apps out", () => {
  for (const path of [
    "package.json",
    "pnpm-workspace.yaml",
    "pnpm-lock.yaml",
    ...globSync("{packages,apps}/*/package.json"),
  ]) {
    cpSync(path, join(folder, path));
  }
  commit("the workspace");
  const plan = join(folder, "plan.json");
  execFileSync(resolve("node_modules/.bin/changeset"), ["status", `--output=plan.json`], { cwd: folder });
  const { releases } = JSON.parse(readFileSync(plan, "utf8")) as { releases: { name: string; type: string }[] };
  const published = globSync("packages/*/package.json").map(
    (path) => (JSON.parse(readFileSync(path, "utf8")) as { name: string }).name,
  );
  expect(
    releases
      .filter(({ type }) => type !== "none")
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(published.toSorted());
});
