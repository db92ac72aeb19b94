/**
 * Prepares Bun for a workflow. Bun runs TypeScript and respects `paths` by itself, but takes the JSX runtime from the nearest tsconfig
 * and gives elements no place; so JSX is compiled here, and positions in stacks are mapped back.
 */

import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import { transform } from "esbuild";
import { findJsxSource } from "./jsx-source.js";

const maps = new Map<string, SourceMap>();

/** Registers the compiler of JSX. */
export function prepareBun(file: string): void {
  const jsxImportSource = findJsxSource(file);
  Bun.plugin({
    name: "june-jsx",
    setup(build) {
      build.onLoad({ filter: /^(?!.*[\\/]node_modules[\\/]).*\.[jt]sx$/ }, async ({ path }) => {
        const { code, map } = await transform(await readFile(path, "utf8"), {
          loader: "tsx",
          sourcefile: path,
          sourcemap: "external",
          format: "esm",
          target: "esnext",
          tsconfigRaw: { compilerOptions: { jsx: "react-jsxdev", jsxImportSource } },
        });
        maps.set(path, new SourceMap(JSON.parse(map) as SourceMapPayload));
        return { contents: code, loader: "js" };
      });
    },
  });
}

/** The line of the source where the compiled file has this position; the line as it is for a file not compiled here. */
export function originalLine(path: string, line: number, column: number): number {
  const entry = maps.get(path)?.findEntry(line - 1, column - 1);
  return entry !== undefined && "originalLine" in entry ? entry.originalLine + 1 : line;
}
