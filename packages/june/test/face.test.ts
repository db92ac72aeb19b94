/** Holds the face to what it shows: every public name of the packages behind it, and no code of its own. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import * as core from "@june/core";
import * as coreDevelopmentRuntime from "@june/core/jsx-dev-runtime";
import * as coreRuntime from "@june/core/jsx-runtime";
import * as face from "june";
import * as faceDevelopmentRuntime from "june/jsx-dev-runtime";
import * as faceRuntime from "june/jsx-runtime";
import manifest from "../package.json" with { type: "json" };

const folder = fileURLToPath(new URL("..", import.meta.url));

/** Entry → the modules it shows whole, and the names it takes from others besides. */
const entries: Record<string, { readonly whole: readonly string[]; readonly besides?: readonly string[] }> = {
  index: { whole: ["@june/core"], besides: ["Bash"] },
  "jsx-runtime": { whole: ["@june/core/jsx-runtime"] },
  "jsx-dev-runtime": { whole: ["@june/core/jsx-dev-runtime"] },
  testing: { whole: ["@june/core/testing"] },
  trace: { whole: ["@june/core/trace"] },
  tools: { whole: [], besides: ["BashInput", "BashOptions", "BashResult", "BashTool", "bashTool"] },
  bash: { whole: ["@june/bash"] },
  "sdk/openai": { whole: ["@ai-sdk/openai"] },
  "sdk/anthropic": { whole: ["@ai-sdk/anthropic"] },
  "sdk/google": { whole: ["@ai-sdk/google"] },
};

let program: ts.Program;
let checker: ts.TypeChecker;

beforeAll(() => {
  const { config } = ts.readConfigFile(`${folder}tsconfig.json`, ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  program = ts.createProgram({ rootNames: Object.keys(entries).map(pathOf), options });
  checker = program.getTypeChecker();
});

function pathOf(entry: string): string {
  return `${folder}src/${entry}.ts`;
}

function exportsOf(symbol: ts.Symbol | undefined): string[] {
  if (symbol === undefined) throw new Error("the module could not be read");
  return checker.getExportsOfModule(symbol).map(({ name }) => name);
}

/** The module behind an `export … from "name"` of an entry. */
function moduleOf(source: ts.SourceFile, name: string): ts.Symbol | undefined {
  const [specifier] = source.statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.moduleSpecifier?.getText(source) === JSON.stringify(name)
      ? [statement.moduleSpecifier]
      : [],
  );
  return specifier && checker.getSymbolAtLocation(specifier);
}

describe.each(Object.entries(entries))("june: %s", (entry, { whole, besides = [] }) => {
  it("shows every name of what is behind it, and no other", () => {
    const source = program.getSourceFile(pathOf(entry))!;
    const expected = whole.flatMap((name) => exportsOf(moduleOf(source, name)));
    expect(exportsOf(checker.getSymbolAtLocation(source)).toSorted()).toEqual([...expected, ...besides].toSorted());
  });

  it("has no code of its own", () => {
    const source = program.getSourceFile(pathOf(entry))!;
    const own = source.statements.filter(
      (statement) => !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined,
    );
    expect(own.map((statement) => statement.getText(source))).toEqual([]);
  });

  it("is a subpath of the package", () => {
    const subpath = entry === "index" ? "." : `./${entry}`;
    expect(manifest.exports[subpath as "."]).toEqual({
      "@june/source": `./src/${entry}.ts`,
      types: `./dist/${entry}.d.ts`,
      default: `./dist/${entry}.js`,
    });
  });
});

it("has no other file than its entries and the command's", () => {
  const files = globSync("**/*", { cwd: `${folder}src`, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => `${file.parentPath}/${file.name}`.slice(`${folder}src/`.length));
  const known = Object.keys(entries).map((entry) => `${entry}.ts`);
  expect(files.toSorted()).toEqual([...known, ...(existsSync(pathOf("main")) ? ["main.ts"] : [])].toSorted());
});

it("loads no provider, command or compiler with its root", () => {
  const text = readFileSync(pathOf("index"), "utf8");
  expect([...text.matchAll(/from "([^"]+)"/g)].map(([, name]) => name)).toEqual(["@june/core", "@june/bash"]);
});

it("is core itself, so that elements and errors of both are the same", () => {
  expect(face.Agent).toBe(core.Agent);
  expect(face.RunError).toBe(core.RunError);
  expect(faceRuntime.jsx).toBe(coreRuntime.jsx);
  expect(faceDevelopmentRuntime.jsxDEV).toBe(coreDevelopmentRuntime.jsxDEV);
});
