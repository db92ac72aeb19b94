/** Why a file could not be loaded, in one message. Both runtimes and both compilers word their errors in their own way. */

import { readFile } from "node:fs/promises";
import module from "node:module";
import { dirname, extname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandError } from "../errors/command-error.js";
import {
  fileImportMissing,
  loadFailed,
  namedImportMissing,
  needsBun,
  needsModuleType,
  packageImportMissing,
  syntaxError,
} from "../errors/messages.js";

/** The file that was to be loaded: as typed, in full, and by which subcommand. */
export interface LoadedFile {
  readonly file: string;
  readonly path: string;
  readonly command: string;
}

interface BuildProblem {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | null;
}

/** The one message for it. What the file itself threw is the cause of the error. */
export async function explainLoadError(error: unknown, loaded: LoadedFile): Promise<CommandError> {
  return (
    explainMissingBun(error, loaded) ??
    explainModuleType(error, loaded) ??
    explainMissingExport(error, loaded) ??
    explainSyntax(error) ??
    explainSyntax(await compileAgain(error, loaded)) ??
    explainMissingImport(error, loaded) ??
    loadFailed(loaded.file, error)
  );
}

/** Whether the error says that Node lacks what Bun has; a CommandError then. */
export function explainMissingBun(
  error: unknown,
  { file, command }: Omit<LoadedFile, "path">,
): CommandError | undefined {
  if (process.versions["bun"] !== undefined) return undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === "ReferenceError" && /^Bun is not defined\b/.test(cause.message))
      return needsBun(file, "the global Bun", command);
    const { code, specifier } = cause as ResolveProblem;
    if (code === "ERR_UNSUPPORTED_ESM_URL_SCHEME" && /protocol 'bun:'/.test(cause.message))
      return needsBun(file, specifier === undefined ? "a module of Bun" : `the module ${specifier}`, command);
    if (isNotFound(code) && (specifier === "bun" || /'bun'/.test(cause.message)))
      return needsBun(file, "the module bun", command);
  }
  return undefined;
}

function explainSyntax(error: unknown): CommandError | undefined {
  for (const problem of problemsOf(error)) {
    const text = problem.message;
    // esbuild: "Transform failed with 1 error:\n/a/file.tsx:3:10: ERROR: Unexpected …", also inside Bun's report of a plugin.
    const [, file, line, column, message] = /^(.+?):(\d+):(\d+): ERROR: (.+)$/m.exec(text) ?? [];
    if (file !== undefined) return syntaxError(`${shortPath(file)}:${line}:${Number(column) + 1}`, message!);
    const { position } = problem;
    if ((problem as { name?: string }).name === "BuildMessage" && position !== undefined && position !== null)
      return syntaxError(`${shortPath(position.file)}:${position.line}:${position.column}`, text);
  }
  return undefined;
}

/** Node does not say where the mistake of a plain JavaScript file is; esbuild does. */
async function compileAgain(error: unknown, { path }: LoadedFile): Promise<unknown> {
  if (!(error instanceof SyntaxError) || ![".mjs", ".js"].includes(extname(path))) return undefined;
  const { transform } = await import("esbuild");
  return transform(await readFile(path, "utf8"), { loader: "js", sourcefile: path }).then(
    () => undefined,
    (again: unknown) => again,
  );
}

/** Node before 22.15 has no hook for it: TypeScript in a package that states no `type` cannot import modules there. */
function explainModuleType(error: unknown, { file }: LoadedFile): CommandError | undefined {
  const hasHooks = "registerHooks" in module;
  const isCycle = error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_REQUIRE_CYCLE_MODULE";
  return isCycle && !hasHooks ? needsModuleType(file, process.versions.node) : undefined;
}

function explainMissingExport(error: unknown, { path }: LoadedFile): CommandError | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  const [, node, name] =
    /^The requested module '(.+)' does not provide an export named '(.+)'/.exec(error.message) ?? [];
  if (node !== undefined) {
    const place = /^(file:.+:\d+)$/m.exec(error.stack ?? "")?.[1];
    return namedImportMissing(shortPath(place ?? path), name!, node);
  }
  const [, bunName, bun] = /^Export named '(.+)' not found in module '(.+)'/.exec(error.message) ?? [];
  return bun === undefined ? undefined : namedImportMissing(shortPath(path), bunName!, shortPath(bun));
}

interface ResolveProblem {
  readonly code?: string;
  /** As it stands in the importing file. Bun's errors have both; Node's are given them by the loader. */
  readonly specifier?: string;
  readonly referrer?: string;
}

function explainMissingImport(error: unknown, { path }: LoadedFile): CommandError | undefined {
  for (const problem of problemsOf(error)) {
    const { code, specifier, referrer } = problem as ResolveProblem;
    if (!isNotFound(code)) continue;
    const [, named, from] =
      /^Cannot find (?:module|package) '(.+?)'(?: imported from (.+?))?(?:\n|$)/.exec(problem.message) ?? [];
    const wanted = specifier ?? named;
    if (wanted === undefined) continue;
    const importer = referrer ?? from ?? path;
    const isPath = /^(?:[./\\]|file:|[A-Za-z]:)/.test(wanted);
    return isPath
      ? fileImportMissing(shortPath(importer), shortPath(resolve(dirname(toPath(importer)), toPath(wanted))))
      : packageImportMissing(shortPath(importer), wanted);
  }
  return undefined;
}

function isNotFound(code: string | undefined): boolean {
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

function problemsOf(error: unknown): BuildProblem[] {
  const isProblem = (value: unknown): value is BuildProblem =>
    typeof value === "object" && value !== null && typeof (value as { message?: unknown }).message === "string";
  if (!isProblem(error)) return [];
  const inner = (error as { errors?: unknown }).errors;
  return [error, ...(Array.isArray(inner) ? inner.filter(isProblem) : [])];
}

function toPath(place: string): string {
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

/** The path as seen from the working directory. */
export function shortPath(place: string): string {
  const path = toPath(place);
  const shorter = relative(process.cwd(), path);
  return shorter === "" || shorter.startsWith("..") ? path : shorter;
}
