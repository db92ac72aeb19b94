/** `--trace-out FILE`: opened before the run, so that a path that cannot be written costs no model call. */

import { closeSync, openSync, writeFileSync } from "node:fs";
import type { Trace } from "@june/core";
import { optionFileUnusable } from "../errors/messages.js";
import { systemProblem } from "../errors/system-problem.js";

/** The file a trace goes to. */
export class TraceFile {
  readonly #path: string;
  readonly #descriptor: number;

  /** @throws {CommandError} when the file cannot be written */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#descriptor = openSync(path, "w");
    } catch (error) {
      throw optionFileUnusable("--trace-out", path, systemProblem(error));
    }
  }

  /** Whether the trace was asked for and is not there. */
  hasFailed = false;

  /** Writes the trace, once. @returns the message when the disk will not take it */
  write(trace: Trace): string | undefined {
    try {
      writeFileSync(this.#descriptor, `${JSON.stringify(trace)}\n`);
      closeSync(this.#descriptor);
      return undefined;
    } catch (error) {
      this.hasFailed = true;
      return optionFileUnusable("--trace-out", this.#path, systemProblem(error)).message;
    }
  }
}
