/** Compiles a piece of TSX as authors' tools do, and runs it: the same source must give the same elements whatever compiled it. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import * as core from "@june/core";
import * as developmentRuntime from "@june/core/jsx-dev-runtime";
import * as runtime from "@june/core/jsx-runtime";

const importSource = "@june/core";
const modules: Readonly<Record<string, unknown>> = {
  [importSource]: core,
  [`${importSource}/jsx-runtime`]: runtime,
  [`${importSource}/jsx-dev-runtime`]: developmentRuntime,
};

/** The ways to compile JSX: TypeScript and Bun, for production and development. */
export const compilers: Readonly<Record<string, (source: string) => string>> = {
  "TypeScript, production": (source) => transpile(source, ts.JsxEmit.ReactJSX),
  "TypeScript, development": (source) => transpile(source, ts.JsxEmit.ReactJSXDev),
  "TypeScript, classic": (source) => transpile(source, ts.JsxEmit.React),
  "Bun, production": (source) => bunTranspile(source, "react-jsx"),
  "Bun, development": (source) => bunTranspile(source, "react-jsxdev"),
};

/** Compiles `source`, a module, and gives what it exports; it may import core and its runtimes. */
export function evaluate(source: string, compile: (source: string) => string): Record<string, unknown> {
  const code = transpile(compile(source), ts.JsxEmit.Preserve, ts.ModuleKind.CommonJS);
  const exports: Record<string, unknown> = {};
  const load = (name: string): unknown => {
    if (modules[name] === undefined) throw new Error(`The compiled module imports ${name}`);
    return modules[name];
  };
  // oxlint-disable-next-line no-new-func
  new Function("require", "exports", code)(load, exports);
  return exports;
}

function transpile(source: string, jsx: ts.JsxEmit, module = ts.ModuleKind.ESNext): string {
  return ts.transpileModule(source, {
    fileName: "authored.tsx",
    compilerOptions: {
      jsx,
      ...(jsx === ts.JsxEmit.React
        ? { jsxFactory: "createElement", jsxFragmentFactory: "Fragment" }
        : { jsxImportSource: importSource }),
      module,
      target: ts.ScriptTarget.ES2022,
    },
  }).outputText;
}

function bunTranspile(source: string, jsx: string): string {
  const root = dirname(createRequire(import.meta.url).resolve("../../../../package.json"));
  const directory = mkdtempSync(join(tmpdir(), "june-jsx-"));
  try {
    writeFileSync(
      join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { jsx, jsxImportSource: importSource } }),
    );
    writeFileSync(join(directory, "authored.tsx"), source);
    const bun = join(root, "node_modules/.bin/bun");
    // Its warning about a key after a spread is of no interest here.
    return execFileSync(bun, ["build", "--no-bundle", "authored.tsx"], {
      cwd: directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
