/** The error of the command itself: its message is all that is printed, and it knows the exit code. */

import type { ExitCode } from "./exit-code.js";

/** Something the person at the command line can put right. Thrown by every stage, printed by `main`. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 2, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
