/** Reads a trace from JSON text or a value. Fed by files and by other programs, so nothing is taken on trust. */

import type { z } from "zod";
import { describeValue, listNames } from "../errors/compose.js";
import { traceInvalid } from "../errors/run-errors.js";
import { childRunOf, compositesOf } from "./child-run.js";
import { findJsonFault } from "./json-fault.js";
import { records, type TraceRecord } from "./schema.js";
import { cutText, escapeText } from "./terminal-text.js";
import { traceFormat, type ChildRunOutput, type Trace, type TraceError, type TraceNode } from "./trace.js";

/** A record to check, and where it stands in the document. */
interface Visit {
  readonly record: TraceRecord;
  readonly value: unknown;
  readonly path: string;
  /** The composites of the agent around. */
  readonly composites: ReadonlySet<string>;
}

/**
 * The trace in a JSON text, or `value` itself once it has proved to be a trace. Fields it does not know stay in it.
 * @throws {RunError} `trace-invalid` naming the line and column when a text is not JSON, the version when it is another
 * format's, and the path of the first field that is wrong or missing
 * @see docs/trace.md
 */
export function readTrace(textOrValue: unknown): Trace {
  const value = typeof textOrValue === "string" ? parse(textOrValue) : textOrValue;
  const stack: Visit[] = [{ record: "trace", value, path: "", composites: new Set() }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    check(visit);
    for (const next of inside(visit).toReversed()) stack.push(next);
  }
  return value as Trace;
}

function parse(text: string): unknown {
  const withoutMark = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return JSON.parse(withoutMark);
  } catch {
    const fault = findJsonFault(withoutMark);
    const place = fault === undefined ? "" : ` at line ${fault.line}, column ${fault.column}`;
    const found = fault?.found === undefined ? "the text ends" : escapeText(JSON.stringify(fault.found));
    throw traceInvalid(
      `it is not JSON${place}${fault === undefined ? "" : ` (${found})`}`,
      "Give the whole text of one trace, as june run --trace-out writes it.",
      fault === undefined ? {} : { line: fault.line, column: fault.column },
    );
  }
}

function check({ record, value, path }: Visit): void {
  if (record === "trace" && typeof value === "object" && value !== null && "format" in value) {
    const { format } = value;
    if (typeof format === "string" && format !== traceFormat)
      throw traceInvalid(
        `${path === "" ? "its format" : `the format of ${bound(path)}`} is ${quote(format)}`,
        `This version of June reads ${JSON.stringify(traceFormat)}. Read it with the version that wrote it.`,
        { format: format.slice(0, 80) },
      );
  }
  const result = records[record].safeParse(value);
  if (result.success) return;
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  const where = bound(escapeText([path, ...issue.path.map((key) => step(key))].join("").replace(/^\./, "")));
  const found = issue.path.reduce((part, key) => (part as Record<PropertyKey, unknown> | undefined)?.[key], value);
  throw traceInvalid(
    `${where === "" ? "it" : where} is ${found === undefined ? "missing" : describe(found, issue)}`,
    `It has to be ${expectedBy(issue)}.`,
    { path: where },
  );
}

/** The records in a record. */
function inside({ record, value, path, composites }: Visit): readonly Visit[] {
  const at = (next: TraceRecord, part: unknown, key: string, around = composites): Visit => ({
    record: next,
    value: part,
    path: `${path}${key}`,
    composites: around,
  });
  switch (record) {
    case "trace":
      return [at("node", (value as Trace).root, path === "" ? "root" : ".root")];
    case "childRun":
      return [at("trace", (value as ChildRunOutput).trace, ".trace")];
    case "error": {
      const { cause, errors = [] } = value as TraceError;
      return [
        ...(cause === undefined ? [] : [at("error", cause, ".cause")]),
        ...errors.map((inner, index) => at("error", inner, `.errors[${index}]`)),
      ];
    }
    case "node": {
      const node = value as TraceNode;
      const { error, children, output } = node;
      const scope = node.kind === "agent" ? compositesOf(node) : composites;
      const isChildRun = childRunOf(node, composites) !== undefined;
      return [
        ...(error === undefined ? [] : [at("error", error, ".error")]),
        ...children.map((child, index) => at("node", child, `.children[${index}]`, scope)),
        ...(output === undefined ? [] : [at(isChildRun ? "childRun" : "json", output, ".output")]),
      ];
    }
    case "json":
      return [];
  }
}

/** One of a few words is shown, for it is a misspelling or of another version; any other text may be anybody's. */
function describe(found: unknown, issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_value" && typeof found === "string"
    ? `the text ${quote(found)}`
    : escapeText(describeValue(found));
}

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return expectedTypes[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${listNames(issue.values.map(String))}`;
    case "too_small":
      return "a number from 0 on";
    default:
      return "JSON: text, finite numbers, booleans, null, arrays and plain objects";
  }
}

const expectedTypes: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  array: "an array",
  object: "an object",
  record: "an object",
};

function step(key: PropertyKey): string {
  if (typeof key === "number") return `[${key}]`;
  const name = String(key);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function quote(text: string): string {
  return escapeText(JSON.stringify(cutText(text.slice(0, 80), 40)));
}

function bound(path: string): string {
  return path.length > 240 ? `${path.slice(0, 100)}…${path.slice(-120)}` : path;
}
