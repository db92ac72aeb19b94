/**
 * Fails when a package's sources changed and no changeset says so. What counts as changed is everything since the later of the last
 * release (the commit that last wrote the changelogs) and the point where this branch left the main branch; before a first release,
 * everything. Uncommitted work counts. `pnpm check:changeset` runs it; `pnpm changeset` writes what it asks for.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const { baseBranch } = JSON.parse(readFileSync(".changeset/config.json", "utf8"));

const base = findBase();
const changedFiles = listChangedFiles(base);
const changedPackages = new Map();
for (const file of changedFiles) {
  const folder = /^(packages\/[^/]+)\/src\//.exec(file)?.[1];
  if (folder === undefined || /\.test(-d)?\.tsx?$/.test(file)) continue;
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) continue;
  const { name, private: isPrivate } = JSON.parse(readFileSync(manifest, "utf8"));
  if (isPrivate !== true) changedPackages.set(name, [...(changedPackages.get(name) ?? []), file]);
}

const named = new Set(changedFiles.filter(isChangeset).flatMap((file) => readPackageNames(readFileSync(file, "utf8"))));
const missing = [...changedPackages].filter(([name]) => !named.has(name));
for (const [name, files] of missing) {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  console.error(`${name} changed (${files[0]}${more}) and no changeset names it: run  pnpm changeset`);
}
const since = base === emptyTree ? "the beginning" : base.slice(0, 10);
console.log(
  `check:changeset: ${changedPackages.size} packages changed since ${since}, ${missing.length} without a changeset`,
);
process.exit(missing.length === 0 ? 0 : 1);

function findBase() {
  const release = git("log", "-1", "--format=%H", "--", "packages/*/CHANGELOG.md");
  const fork = [`origin/${baseBranch}`, baseBranch].map((branch) => tryGit("merge-base", "HEAD", branch)).find(Boolean);
  const head = git("rev-parse", "HEAD");
  const candidates = [release, fork === head ? "" : fork].filter(Boolean);
  const [first, second] = candidates;
  if (first === undefined) return emptyTree;
  return second !== undefined && tryGit("merge-base", first, second) === first ? second : first;
}

function listChangedFiles(from) {
  const tracked = git("diff", "--name-only", "--no-renames", from).split("\n");
  const untracked = git("ls-files", "--others", "--exclude-standard").split("\n");
  return [...new Set([...tracked, ...untracked])].filter(Boolean);
}

function isChangeset(file) {
  return /^\.changeset\/[^/]+\.md$/.test(file) && !file.endsWith("README.md") && existsSync(file);
}

/** The front matter has one line per package: `"@june/core": minor`. */
function readPackageNames(text) {
  const frontMatter = /^---\n(.*?)\n---/s.exec(text)?.[1] ?? "";
  return [...frontMatter.matchAll(/^["']?([^"'\s:]+)["']?\s*:\s*(?:major|minor|patch)\s*$/gm)].map(([, name]) => name);
}

function git(...gitArguments) {
  return execFileSync("git", gitArguments, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).trim();
}

function tryGit(...gitArguments) {
  try {
    return execFileSync("git", gitArguments, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
