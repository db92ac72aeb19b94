/** Prepares Node for a workflow: tsx compiles it, with June's JSX whatever the nearest tsconfig says, and with the `paths` of that tsconfig. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import module, { type RegisterHooksOptions } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { findJsxSource } from "./jsx-source.js";

/** @returns a remark for the person when the tsconfig could not be used */
export async function prepareNode(file: string): Promise<string | undefined> {
  const { register } = await import("tsx/esm/api");
  const jsxImportSource = findJsxSource(file);
  const nearest = findUpwards("tsconfig.json", dirname(file));
  const folder = mkdtempSync(join(tmpdir(), "june-"));
  const registerWith = (base: string | undefined): void => {
    const tsconfig = join(folder, "tsconfig.json");
    writeFileSync(
      tsconfig,
      JSON.stringify({
        ...(base === undefined ? {} : { extends: base }),
        compilerOptions: { jsx: "react-jsxdev", jsxImportSource, allowJs: true },
        files: [],
        include: [`${parse(file).root.replaceAll("\\", "/")}**/*`],
        exclude: [],
      }),
    );
    register({ tsconfig });
  };
  let remark: string | undefined;
  try {
    registerWith(nearest);
  } catch (error) {
    if (nearest === undefined) throw error;
    registerWith(undefined);
    remark = `june: ${nearest} cannot be read (${(error as Error).message.split("\n", 1)[0]}), so its paths are not used`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  preferModules();
  return remark;
}

/**
 * TypeScript and JSX in a package that states no `type` are modules, as workflows are written.
 * An import that leads nowhere says how it stands in which file.
 */
function preferModules(): void {
  // Node has it from 22.15 on. Before, such files are loaded as CommonJS, which works but for `await` at the top level.
  const registerHooks = (module as { registerHooks?: (hooks: RegisterHooksOptions) => unknown }).registerHooks;
  registerHooks?.({
    resolve(specifier, context, next) {
      const found = resolveWith(next, specifier, context);
      const isOwn =
        found.format === "commonjs" && /^file:(?!.*\/node_modules\/).*\.(?:tsx?|jsx)(?:\?|$)/.test(found.url);
      return isOwn && typeOf(fileURLToPath(found.url)) === undefined ? { ...found, format: "module" } : found;
    },
  });
}

type Resolve = NonNullable<RegisterHooksOptions["resolve"]>;

function resolveWith(
  next: Parameters<Resolve>[2],
  specifier: string,
  context: Parameters<Resolve>[1],
): ReturnType<Resolve> {
  try {
    return next(specifier, context);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { specifier, referrer: context.parentURL }) : error;
  }
}

function typeOf(file: string): unknown {
  const path = findUpwards("package.json", dirname(file));
  if (path === undefined) return undefined;
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { type?: unknown }).type;
  } catch {
    return undefined;
  }
}

/** The nearest file of that name in `folder` or above it. */
function findUpwards(name: string, folder: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const above = dirname(folder);
  return above === folder ? undefined : findUpwards(name, above);
}
