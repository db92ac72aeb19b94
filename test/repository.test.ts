/** The rules of the repository itself, read from its own files. What only a built or packed package shows is tried by `pnpm check:pack` and `pnpm smoke`. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, matchesGlob } from "node:path";
import { expect, it } from "vitest";

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  type?: string;
  license?: string;
  sideEffects?: boolean;
  packageManager?: string;
  engines?: Record<string, string>;
  files?: string[];
  exports?: Record<string, string | Record<string, string>>;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const root = readJson<Manifest>("package.json");
const manifests = (pattern: string) =>
  globSync(pattern).map((path) => ({ folder: dirname(path), manifest: readJson<Manifest>(path) }));
const published = manifests("packages/*/package.json").filter(({ manifest }) => manifest.private !== true);
const apps = manifests("apps/*/package.json");

/** What a file imports, types left out as they are gone at run time. */
function listImports(path: string): string[] {
  const statements = readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s(?!type\b)(?:[^"';]*?\sfrom\s)?\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm,
  );
  return [...statements].map(([, statically, dynamically]) => (statically ?? dynamically) as string);
}

it("B1 the top level holds the workspace, its packages and its documents", () => {
  const expected = [
    "package.json",
    "turbo.json",
    "pnpm-workspace.yaml",
    "packages",
    "apps",
    ".changeset",
    "README.md",
    "docs",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "LICENSE",
  ];
  expect(expected.filter((path) => !existsSync(path))).toEqual([]);
  expect(readFileSync("LICENSE", "utf8")).toMatch(/^MIT License\n/);
  expect(root.packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+$/);
  expect(Object.keys(root.devDependencies ?? {})).toEqual(
    expect.arrayContaining(["turbo", "@changesets/cli", "tsup", "vitest"]),
  );
  for (const { folder, manifest } of published) {
    expect(manifest.scripts?.["build"], folder).toBe("tsup");
    expect(existsSync(join(folder, "tsup.config.ts")), folder).toBe(true);
  }
});

it("B1 every outside dependency is pinned to one version", () => {
  const ranges = [{ folder: ".", manifest: root }, ...published, ...apps].flatMap(({ folder, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter(([, range]) => !/^(\d+\.\d+\.\d+$|workspace:)/.test(range))
      .map(([name, range]) => `${folder}: ${name} ${range}`),
  );
  expect(ranges).toEqual([]);
});

it("B2 npm start and npm test go through one script without dependencies, and Node 24 and Bun come with the install", () => {
  expect(root.scripts?.["start"]).toBe("node scripts/run.mjs start:inner");
  expect(root.scripts?.["test"]).toBe("node scripts/run.mjs test:inner");
  const imports = listImports("scripts/run.mjs");
  expect(imports).toContain("node:child_process");
  expect(imports.filter((name) => !name.startsWith("node:"))).toEqual([]);
  expect(root.devDependencies?.["node"]).toMatch(/^24\./);
  expect(root.devDependencies?.["bun"]).toBeDefined();
  expect(process.versions.node).toBe(root.devDependencies?.["node"]);
});

it.each(published)(
  "B3 $manifest.name is an ES module for Node 22 and later, with its peers",
  ({ folder, manifest }) => {
    expect(manifest).toMatchObject({
      type: "module",
      license: "MIT",
      sideEffects: false,
      engines: { node: ">=22" },
      files: ["dist", "README.md"],
    });
    expect(manifest.peerDependencies).toMatchObject({ ai: "^7.0.0", zod: "^4.0.0" });
    for (const [entry, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === "string") continue;
      expect(Object.keys(target), entry).toEqual(["@june/source", "types", "default"]);
      expect(existsSync(join(folder, target["@june/source"] ?? "")), `${manifest.name} ${entry}`).toBe(true);
    }
    // The face and the command bring core along; every other package must share the one its user has.
    if (!["@june/core", "@june/cli", "june"].includes(manifest.name)) {
      expect(manifest.peerDependencies?.["@june/core"]).toBe("workspace:^");
      expect(manifest.dependencies?.["@june/core"]).toBeUndefined();
    }
  },
);

it("B3 core imports no Node built-in but AsyncLocalStorage", () => {
  const isBuiltin = (name: string) => name.startsWith("node:") || builtinModules.includes(name);
  const found = globSync("packages/core/src/**/*.{ts,tsx}")
    .filter((path) => !/\.test(-d)?\.tsx?$/.test(path))
    .flatMap((path) =>
      listImports(path)
        .filter(isBuiltin)
        .map((name) => `${path}: ${name}`),
    );
  expect(found).toEqual(["packages/core/src/element/active.ts: node:async_hooks"]);
});

it("B4 the packages are released together and the apps never", () => {
  const config = readJson<{ fixed: string[][]; ignore: string[] }>(".changeset/config.json");
  expect(config.fixed).toEqual([["june", "@june/*"]]);
  for (const { manifest } of published) {
    expect(
      ["june", "@june/*"].some((pattern) => matchesGlob(manifest.name, pattern)),
      manifest.name,
    ).toBe(true);
  }
  expect(apps.length).toBeGreaterThan(0);
  for (const { manifest } of apps) {
    expect(manifest.private, manifest.name).toBe(true);
    expect(
      config.ignore.some((pattern) => matchesGlob(manifest.name, pattern)),
      manifest.name,
    ).toBe(true);
  }
  expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1);
});
