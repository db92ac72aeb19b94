/** The one error class of June and its two blames: the author's JSX, or the run. Every message is made by the functions beside it. */

import type { ErrorCode } from "./codes.js";

const brand: unique symbol = Symbol.for("june.error") as never;

/**
 * Every error June throws. `code` is stable, `details` is plain data, `cause` is what was thrown underneath.
 * @see docs/errors.md
 */
export class JuneError extends Error {
  /** Stable identifier of the kind of error; one line for each in docs/errors.md. */
  readonly code: ErrorCode;
  /** Plain data about the error: names, places and paths; never props, inputs or secrets. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly [brand]: true = true;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.details = Object.freeze(options.details ?? {});
  }

  /** Whether `value` is an error of June, also one made by a second copy of the package. */
  static isInstance(value: unknown): value is JuneError {
    return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true;
  }
}

/** The author's JSX is wrong. Thrown before any model call of the agent concerned, wherever it can be seen by then. */
export class DeclarationError extends JuneError {
  override readonly name = "DeclarationError";
}

/** Something failed while running: a step, a tool, a model, a limit, a request. */
export class RunError extends JuneError {
  override readonly name = "RunError";
}

/** Whether `value` blames the author's JSX, also when a second copy of the package made it. */
export function isDeclarationError(value: unknown): value is DeclarationError {
  return JuneError.isInstance(value) && value.name === "DeclarationError";
}
