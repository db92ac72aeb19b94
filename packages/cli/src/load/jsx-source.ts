/** Where the JSX of a workflow is imported from: a folder that holds June's `jsx-dev-runtime`, as the file itself would find it. */

import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * What compilers take as `jsxImportSource`. An absolute place, so that every file of the project finds it,
 * also one that depends on `@june/core` alone or on nothing of June.
 */
export function findJsxSource(file: string): string {
  const folder = dirname(findRuntime(file));
  return process.platform === "win32" ? pathToFileURL(folder).href : folder;
}

function findRuntime(file: string): string {
  const fromFile = createRequire(file);
  for (const face of ["june", "@june/core"]) {
    try {
      return fromFile.resolve(`${face}/jsx-dev-runtime`);
    } catch {
      // Tried next: the other package, then the one that came with the command.
    }
  }
  return createRequire(import.meta.url).resolve("@june/core/jsx-dev-runtime");
}
