/** Prints an error on the standard error. */

import { describeError } from "./describe-error.js";
import type { StatusLines } from "./streams.js";

/** Prints the message, places and causes; with `isVerbose` the stacks too. */
export async function printError(error: unknown, status: StatusLines, isVerbose: boolean): Promise<void> {
  const originalLine =
    process.versions["bun"] === undefined ? undefined : (await import("../load/bun-loader.js")).originalLine;
  status.write(...describeError(error, { isVerbose, originalLine }));
}
