/** Holds the documentation to the code: each tsx fence of README.md and docs/ is type-checked as a module of its own with the root's options, and each relative link leads to a file. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/docs-fences");

interface Fence {
  /** Path of the page from the root, with the line of the opening fence: what a failure is called. */
  readonly place: string;
  readonly page: string;
  /** Line of the page that the fence's first line of code stands on, counted from 1. */
  readonly firstLine: number;
  readonly code: string;
  readonly file: string;
}

const pages = [
  ...["README.md"].filter((page) => existsSync(join(root, page))),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
    .toSorted(),
];
const fences = pages.flatMap((page) => readFences(page, readFileSync(join(root, page), "utf8")));

function readFences(page: string, text: string): Fence[] {
  const found: Fence[] = [];
  let open: { lines: string[]; line: number; checked: boolean } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined) {
      const info = /^```(\w*)/.exec(line);
      if (info) open = { lines: [], line: index + 1, checked: info[1] === "tsx" };
    } else if (line.startsWith("```")) {
      if (open.checked) {
        const file = join(cache, `${page.replaceAll(/[\\/]/g, "-").replace(/\.md$/, "")}-${open.line}.tsx`);
        found.push({
          place: `${page}:${open.line}`,
          page,
          firstLine: open.line + 1,
          code: `${open.lines.join("\n")}\n`,
          file,
        });
      }
      open = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`${page}:${open.line} opens a fence that is never closed`);
  return found;
}

function readOptions(): ts.CompilerOptions {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, "tsconfig.json"),
    { noEmit: true, customConditions: ["@june/source"], jsx: ts.JsxEmit.ReactJSX, jsxImportSource: "june" },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(textOf(problem));
      },
    },
  );
  if (config === undefined) throw new Error("tsconfig.json could not be read");
  return config.options;
}

function textOf(problem: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(problem.messageText, "\n");
}

/** The problems of one fence as `page:line message`, in lines of the page rather than of the extracted file. */
function describeProblems(program: ts.Program, fence: Fence): string[] {
  const source = program.getSourceFile(fence.file);
  if (source === undefined) return [`${fence.place} did not become part of the program`];
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((problem) => {
    const line = source.getLineAndCharacterOfPosition(problem.start ?? 0).line;
    return `${fence.page}:${fence.firstLine + line} TS${problem.code} ${textOf(problem)}`;
  });
}

describe("code fences", () => {
  let program: ts.Program;

  beforeAll(() => {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    // Without a package of its own the folder's module kind would depend on what lies around it.
    writeFileSync(join(cache, "package.json"), JSON.stringify({ type: "module" }));
    for (const fence of fences) writeFileSync(fence.file, fence.code);
    program = ts.createProgram(
      fences.map((fence) => fence.file),
      readOptions(),
    );
  }, 120_000);

  it("are found on the pages", () => expect(fences.length).toBeGreaterThan(20));

  it("resolve with the root's options", () => {
    expect(program.getOptionsDiagnostics().map(textOf)).toEqual([]);
  });

  it.each(fences)("type-check: $place", (fence) => {
    expect(describeProblems(program, fence)).toEqual([]);
  });
});

describe("links", () => {
  it.each(pages)("of %s lead to files", (page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[^]*?^```/gm, "");
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
    const missing = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => resolve(root, dirname(page), target))
      .filter((target) => !existsSync(target));
    expect(missing.map((target) => relative(root, target))).toEqual([]);
  });
});
