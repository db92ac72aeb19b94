/** From a file to an element: the module is loaded by the runtime's own loader, its export is checked, props are given. */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createElement, type JuneElement } from "@june/core";
import { exportMissing, exportUnsuitable, fileMissing, fileUnsuitable, propsForElement } from "../errors/messages.js";
import { explainLoadError } from "./explain-load-error.js";

const extensions = [".tsx", ".ts", ".jsx", ".mjs", ".mts", ".js"];

/** What the command line says about the workflow. */
export interface WorkflowOptions {
  /** As it was typed. */
  readonly file: string;
  /** `default` unless given. */
  readonly exportName: string;
  readonly props: Readonly<Record<string, unknown>> | undefined;
  /** The subcommand, for messages that say how to start again. */
  readonly command: string;
}

/**
 * Loads the file and makes the element.
 * @param remark told what is worth knowing but stops nothing
 * @throws {CommandError} for everything the person can put right
 */
export async function loadWorkflow(options: WorkflowOptions, remark: (text: string) => void): Promise<JuneElement> {
  const { file, exportName, props, command } = options;
  const path = checkFile(file);
  let loaded: Readonly<Record<string, unknown>>;
  try {
    await prepareRuntime(path, remark);
    loaded = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw await explainLoadError(error, { file, path, command });
  }
  return toElement(exportsOf(loaded), { file, exportName, props });
}

function checkFile(file: string): string {
  const path = resolve(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw fileMissing(file, listWorkflows(dirname(path)));
  if (!stats.isFile() || !extensions.includes(extname(path))) throw fileUnsuitable(file, extensions.slice(0, 4));
  return path;
}

function listWorkflows(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => extensions.includes(extname(name)))
      .map((name) => basename(name));
  } catch {
    return [];
  }
}

async function prepareRuntime(path: string, remark: (text: string) => void): Promise<void> {
  if (process.versions["bun"] !== undefined) {
    const { prepareBun } = await import("./bun-loader.js");
    prepareBun(path);
    return;
  }
  const { prepareNode } = await import("./node-loader.js");
  const text = await prepareNode(path);
  if (text !== undefined) remark(text);
}

/** The exports, also of a CommonJS file, whose exports are the default export of its namespace. */
function exportsOf(loaded: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const inner = loaded["default"];
  const isCommonJs = typeof inner === "object" && inner !== null && "__esModule" in inner;
  return isCommonJs ? (inner as Readonly<Record<string, unknown>>) : loaded;
}

function toElement(
  loaded: Readonly<Record<string, unknown>>,
  { file, exportName, props }: Pick<WorkflowOptions, "file" | "exportName" | "props">,
): JuneElement {
  if (!Object.hasOwn(loaded, exportName)) throw exportMissing(file, exportName, Object.keys(loaded));
  const value = loaded[exportName];
  if (typeof value === "function") return createElement(value, { ...props });
  if (!isElementLike(value)) throw exportUnsuitable(file, exportName, describe(value));
  if (props !== undefined) throw propsForElement(file);
  return value;
}

/** Whether it is meant as an element; core tells those of another version apart. */
function isElementLike(value: unknown): value is JuneElement {
  return typeof value === "object" && value !== null && "type" in value && "props" in value && "key" in value;
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "string")
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  if (typeof value === "number") return `the number ${value}`;
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? ("then" in value ? "a promise" : "an object") : `a ${typeof value}`;
}
