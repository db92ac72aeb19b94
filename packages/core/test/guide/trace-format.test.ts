/** The page that describes the trace format, against the schema; and what @june/core/trace needs to be loaded. */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { printTrace, readTrace, traceSchema, type RunEvent } from "@june/core/trace";

const page = readFileSync(new URL("../../../../docs/trace.md", import.meta.url), "utf8");
const prose = page.replaceAll(/^```[^]*?^```/gm, "");
const code = new Set([...prose.matchAll(/`([^`]+)`/g)].flatMap(([, text]) => text!.match(/[\w-]+/g) ?? []));

/** The first fence of a language, after a text. */
function fenceAfter(text: string, language: string): string {
  const rest = page.slice(page.indexOf(text));
  return new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, "m").exec(rest)![1]!;
}

describe("docs/trace.md", () => {
  const fields = new Set<string>();
  const values = new Set<string>();
  const collect = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { properties = {}, enum: words = [] } = part as { properties?: object; enum?: string[] };
    for (const name of Object.keys(properties)) fields.add(name);
    for (const word of words) values.add(word);
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(z.toJSONSchema(traceSchema, { io: "input" }));

  it("S1 names every field of the schema, and every value of a field that has a few", () => {
    expect(fields.size).toBeGreaterThan(50);
    expect([...fields].filter((field) => !code.has(field))).toEqual([]);
    expect(values).toContain("aborted");
    expect([...values].filter((value) => !code.has(value))).toEqual([]);
  });

  it("S5 names every event", () => {
    // A record, so that an event that is missing here does not compile.
    const events: Record<RunEvent["type"], true> = {
      "run-start": true,
      "run-end": true,
      "component-start": true,
      "component-end": true,
      "agent-start": true,
      "agent-resolved": true,
      "agent-end": true,
      "step-start": true,
      "step-end": true,
      "model-call-start": true,
      "model-call-end": true,
      "text-delta": true,
      "tool-call-start": true,
      "tool-call-progress": true,
      "tool-call-end": true,
      "request-open": true,
      "request-answered": true,
      "toolset-start": true,
      "toolset-end": true,
      "attempt-start": true,
      "attempt-end": true,
      "note-added": true,
    };
    expect(Object.keys(events).filter((event) => !code.has(event))).toEqual([]);
  });

  it("S1 has an example that is a trace, printed as it says", () => {
    const trace = readTrace(fenceAfter("## Example", "json"));
    expect(traceSchema.parse(trace)).toEqual(trace);
    expect(printTrace(trace)).toBe(fenceAfter("`printTrace` shows it as", "text"));
  });
});

describe("loading", () => {
  const sources = fileURLToPath(new URL("../../src/", import.meta.url));

  /** Every file an entry loads at run time, and every package. */
  function reachableFrom(entry: string): { files: Map<string, ts.SourceFile>; packages: Set<string> } {
    const files = new Map<string, ts.SourceFile>();
    const packages = new Set<string>();
    const stack = [resolve(sources, entry)];
    for (let file = stack.pop(); file !== undefined; file = stack.pop()) {
      if (files.has(file)) continue;
      const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
      files.set(file, source);
      for (const statement of source.statements) {
        const name = loadedBy(statement);
        if (name?.startsWith(".")) stack.push(resolve(dirname(file), name.replace(/\.js$/, ".ts")));
        else if (name !== undefined) packages.add(name);
      }
    }
    return { files, packages };
  }

  /** What a statement loads; `import type` loads nothing. */
  function loadedBy(statement: ts.Statement): string | undefined {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
    const isType = ts.isExportDeclaration(statement)
      ? statement.isTypeOnly
      : statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const { moduleSpecifier } = statement;
    return isType || moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)
      ? undefined
      : moduleSpecifier.text;
  }

  it("S1 @june/core/trace needs zod, no model code, nothing of Node and nothing of running", () => {
    const { files, packages } = reachableFrom("trace.ts");
    expect([...packages]).toEqual(["zod"]);
    const stages = [...files.keys()].map((file) => file.slice(sources.length).split("/").slice(0, -1).join("/"));
    expect([...new Set(stages)].toSorted()).toEqual(["", "errors", "trace"]);
    const hostNames = new Set(["process", "Buffer", "require", "window", "document", "global"]);
    const used: string[] = [];
    for (const [file, source] of files) {
      const visit = (node: ts.Node): void => {
        const isProperty = ts.isPropertyAccessExpression(node.parent ?? node) && node.parent.getChildAt(2) === node;
        if (ts.isIdentifier(node) && hostNames.has(node.text) && !isProperty) used.push(`${file}: ${node.text}`);
        ts.forEachChild(node, visit);
      };
      ts.forEachChild(source, visit);
    }
    expect(used).toEqual([]);
  });

  it.each(["index.ts", "jsx-runtime.ts", "jsx-dev-runtime.ts", "testing.ts"])(
    "S1 %s leaves the schema of the trace, and zod with it, alone",
    (entry) => {
      const { files, packages } = reachableFrom(entry);
      expect(files.size).toBeGreaterThan(1);
      expect([...files.keys()].filter((file) => /\/trace\/(schema|read)\.ts$/.test(file))).toEqual([]);
      expect([...packages].filter((name) => /^zod(\/|$)/.test(name))).toEqual([]);
    },
  );
});
