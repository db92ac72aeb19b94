/** Running and inspecting trees that must fail. */

import { isDeepStrictEqual } from "node:util";
import { JuneError, inspect, run, type JuneElement, type RunOptions } from "@june/core";
import { echoModel } from "@june/core/testing";
import { rejectionOf } from "./rejection-of.js";

/** What a tree failed with. */
export interface Failure {
  readonly name: string;
  readonly code: string;
  /** The message, line by line. */
  readonly lines: readonly string[];
  /** How often a model was called before. */
  readonly modelCalls: number;
}

/** How the run of `element` fails; agents without a model of their own get an echo. */
export async function failureOf(element: JuneElement, options: RunOptions = {}): Promise<Failure> {
  const model = echoModel();
  return failureFrom(await rejectionOf(run(element, { model, ...options })), model.calls.length);
}

/** How the inspection of `element` fails. */
export async function inspectionFailureOf(element: JuneElement): Promise<Failure> {
  return failureFrom(await rejectionOf(inspect(element)), 0);
}

/** How the run of `element` fails, where the inspection has to fail with the very same message. */
export async function agreedFailureOf(element: JuneElement): Promise<Failure> {
  const failure = await failureOf(element);
  const inspected = await inspectionFailureOf(element);
  if (!isDeepStrictEqual(inspected, failure))
    throw new Error(`The inspection says:\n${inspected.lines.join("\n")}\nand the run:\n${failure.lines.join("\n")}`);
  return failure;
}

function failureFrom(error: unknown, modelCalls: number): Failure {
  if (!JuneError.isInstance(error)) throw new Error("It failed with an error that is none of June's", { cause: error });
  return { name: error.name, code: error.code, lines: error.message.split("\n"), modelCalls };
}
