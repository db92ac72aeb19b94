/**
 * What a stranger gets: packs every package, lints the tarballs, installs them with npm into an empty folder, and there type-checks and
 * runs the first `tsx` example of README.md on Node 24 and Bun. What it prints must hold the lines of the `text` block that follows
 * the example, in order; in that block `…` stands for anything. `pnpm check:pack` builds first.
 */

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { bun, node24 } from "./runtimes.mjs";

const require = createRequire(import.meta.url);
const bin = (name) => resolve("node_modules/.bin", name);
const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const packages = globSync("packages/*/package.json")
  .toSorted()
  .map((path) => ({ folder: resolve(dirname(path)), manifest: JSON.parse(readFileSync(path, "utf8")) }))
  .filter(({ manifest }) => manifest.private !== true);

const temporaryFolder = mkdtempSync(join(tmpdir(), "june-pack-"));
try {
  const tarballs = packages.map(packPackage);
  const consumer = installConsumer(tarballs);
  runExample(consumer);
  console.log(`check:pack: ${packages.map(({ manifest }) => manifest.name).join(", ")} packed, installed and run`);
} catch (error) {
  console.error(`check:pack: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true });
}

function packPackage({ folder, manifest }) {
  const { stdout } = run("pnpm", ["pack", "--json", "--pack-destination", temporaryFolder], folder);
  const tarball = resolve(temporaryFolder, JSON.parse(stdout).filename);
  const files = run("tar", ["-tzf", tarball]) // not pnpm's own list, which leaves out the root's LICENSE
    .stdout.trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  checkContents(manifest, folder, files);
  run(bin("publint"), ["run", "--strict", tarball]);
  run(bin("attw"), ["--profile", "esm-only", "--no-color", tarball]);
  console.log(`check:pack: ${manifest.name} ${manifest.version}, ${files.length} files`);
  return tarball;
}

function checkContents({ name }, folder, files) {
  const missing = ["package.json", "README.md", "LICENSE"].filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`${name}: the tarball has no ${missing.join(", ")}`);
  const strays = files.filter((file) => !/^(package\.json|README\.md|LICENSE|dist\/.+)$/.test(file));
  if (strays.length > 0) throw new Error(`${name}: the tarball also has ${strays.join(", ")}`);
  const modules = files.filter((file) => file.endsWith(".js"));
  const withoutMap = modules.filter((file) => !files.includes(`${file}.map`));
  if (withoutMap.length > 0) throw new Error(`${name}: no source map for ${withoutMap.join(", ")}`);
  if (name !== "@june/core") return;
  for (const file of modules) {
    const builtins =
      readFileSync(join(folder, file), "utf8").match(/(?<=\b(?:from|import)\s*\(?\s*["'])node:[^"']+/g) ?? [];
    const refused = builtins.filter((builtin) => builtin !== "node:async_hooks");
    if (refused.length > 0)
      throw new Error(`${name}: ${file} imports ${refused.join(", ")}, so it cannot run in a Worker`);
  }
}

function installConsumer(tarballs) {
  const consumer = join(temporaryFolder, "consumer");
  mkdirSync(consumer);
  const example = readExample();
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: "react-jsx",
    jsxImportSource: "june",
  };
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["example.tsx"] }));
  writeFileSync(join(consumer, "example.tsx"), example.code);
  const peers = ["ai", "zod", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
  run("npm", ["install", "--no-audit", "--no-fund", ...tarballs, ...peers], consumer);
  return { folder: consumer, ...example };
}

function readExample() {
  const text = readFileSync("README.md", "utf8");
  const code = /^```tsx\n(.*?)^```/ms.exec(text);
  if (code === null) throw new Error("README.md has no tsx example");
  const shown = /^```text\n(.*?)^```/ms.exec(text.slice(code.index + code[0].length));
  if (shown === null) throw new Error("README.md shows no text block with what its example prints");
  return {
    code: code[1],
    expectedLines: shown[1]
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && line !== "…"),
  };
}

function runExample({ folder, code, expectedLines }) {
  run(node24[0], [require.resolve("typescript/bin/tsc"), "-p", folder], folder);
  const isWorkflow = /^export default\b/m.test(code);
  const command = isWorkflow
    ? ["node_modules/june/dist/main.js", "run", "example.tsx", "--approve", "all"]
    : ["example.tsx"];
  const runtimes = { "Node 24": isWorkflow ? node24 : [...node24, "--import", "tsx"], Bun: bun };
  for (const [name, [program, ...options]] of Object.entries(runtimes)) {
    const { stdout, stderr } = run(program, [...options, ...command], folder, withoutKeys(process.env));
    checkPrinted(name, stderr + stdout, expectedLines); // the answer comes last, as on a terminal
    console.log(`check:pack: the README's example ran on ${name}`);
  }
}

function checkPrinted(runtime, printed, expectedLines) {
  const pattern = (line) =>
    new RegExp(
      line
        .split("…")
        .map((part) => RegExp.escape(part))
        .join(".*"),
    );
  const lines = printed.split("\n");
  let next = 0;
  for (const expected of expectedLines) {
    const found = lines.findIndex((line, index) => index >= next && pattern(expected).test(line));
    if (found < 0)
      throw new Error(`README.md promises the line\n  ${expected}\nbut on ${runtime} its example printed\n${printed}`);
    next = found + 1;
  }
}

function withoutKeys(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith("_API_KEY")));
}

/** Throws with all it printed when the program fails. */
function run(program, programArguments, folder = ".", environment = process.env) {
  const result = spawnSync(program, programArguments, {
    cwd: folder,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 240_000,
    killSignal: "SIGKILL",
    shell: process.platform === "win32",
  });
  if (result.error) throw new Error(`${program} ${programArguments.join(" ")}: ${result.error.message}`);
  if (result.status !== 0) {
    throw new Error(`${program} ${programArguments.join(" ")} failed:\n${result.stdout}${result.stderr}`);
  }
  return result;
}
