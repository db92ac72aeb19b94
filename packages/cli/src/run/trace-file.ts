/** `--trace-out FILE`: opened before the run, so that a path that cannot be written costs no model call. */

import { closeSync, openSync, writeFileSync } from "node:fs";
import type { Trace } from "@june/core";
import { CommandError } from "../errors/command-error.js";
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

  /** Writes the trace, once. @throws {CommandError} with exit code 1 when the disk will not take it */
  write(trace: Trace): void {
    try {
      writeFileSync(this.#descriptor, `${JSON.stringify(trace)}\n`);
      closeSync(this.#descriptor);
    } catch (error) {
      throw new CommandError(optionFileUnusable("--trace-out", this.#path, systemProblem(error)).message, 1);
    }
  }
}
