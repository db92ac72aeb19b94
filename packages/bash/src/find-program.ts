/** Finds a program the way a shell would, when the tool is made: `bash` itself, and `bwrap` for the sandbox. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Searched after PATH, so that a host started without one still finds its shell. */
const usualFolders = ["/usr/local/bin", "/usr/bin", "/bin"];

/** Absolute path of an executable file called `name`, or undefined. Relative entries of PATH are passed over. */
export function findProgram(name: string, path = process.env["PATH"] ?? ""): string | undefined {
  return [...path.split(delimiter), ...usualFolders]
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutableFile);
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
