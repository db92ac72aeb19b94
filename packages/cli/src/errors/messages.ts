/** One function for each thing a person at the command line can get wrong. The whole message is made here; tests compare it whole. */

import { showLine } from "../output/safe-text.js";
import { CommandError } from "./command-error.js";
import { didYouMean } from "./nearest.js";

const quote = (text: string, maxLength = 80): string => JSON.stringify(showLine(text, maxLength));

/** There is no such file. `similar` are the files beside it. */
export function fileMissing(file: string, similar: readonly string[]): CommandError {
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return new CommandError(`june: there is no file ${showLine(file)}.${didYouMean(name, similar)}`);
}

/** The path leads to something else than a file June can load. */
export function fileUnsuitable(file: string, extensions: readonly string[]): CommandError {
  return new CommandError(`june: ${showLine(file)} is no workflow file. june loads ${extensions.join(", ")} files.`);
}

/** The file has a mistake of syntax. */
export function syntaxError(place: string, problem: string): CommandError {
  return new CommandError(`june: syntax error in ${place}: ${showLine(problem, 500)}`);
}

/** The file threw while it was loaded. */
export function loadFailed(file: string, cause: unknown): CommandError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(`june: ${showLine(file)} could not be loaded: ${problem}`, 2, { cause });
}

/** The file, or one it imports, imports a file that is not there. */
export function fileImportMissing(importer: string, path: string): CommandError {
  return new CommandError(`june: ${showLine(importer)} imports ${showLine(path)}, which is not there.`);
}

/** The file, or one it imports, imports a package that is not installed. */
export function packageImportMissing(importer: string, specifier: string): CommandError {
  const packageName = showLine(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return new CommandError(
    `june: ${showLine(importer)} imports ${quote(specifier, 200)}, which is not installed.\nInstall it with  npm install ${packageName}`,
  );
}

/** The file, or one it imports, asks a module for something it does not export. */
export function namedImportMissing(importer: string, name: string, specifier: string): CommandError {
  return new CommandError(
    `june: ${showLine(importer)} imports ${quote(name)} from ${quote(specifier, 200)}, which has no such export.`,
  );
}

/** The file uses what only Bun has. */
export function needsBun(file: string, found: string, command: string): CommandError {
  return new CommandError(
    `june: ${showLine(file)} uses ${found}, which Node does not have: run it with  bunx june ${command} ${showLine(file)}`,
  );
}

/** An early Node takes the file for CommonJS. */
export function needsModuleType(file: string, nodeVersion: string): CommandError {
  return new CommandError(
    `june: Node ${nodeVersion} takes ${showLine(file)} for CommonJS.\nWrite  "type": "module"  into the package.json beside it, or use Node 22.15 or newer.`,
  );
}

/** The module has no export of that name. */
export function exportMissing(file: string, name: string, existing: readonly string[]): CommandError {
  const what = name === "default" ? "no default export" : `no export ${quote(name)}`;
  const others = existing.filter((other) => other !== "default" && other !== "module.exports");
  const cure =
    name === "default"
      ? others.length === 0
        ? "Export a component or an element:  export default function Workflow() { … }"
        : `It exports ${others.join(", ")}: choose one with --export ${others[0]}, or make one the default export.`
      : `It exports ${existing.join(", ") || "nothing"}.${didYouMean(name, existing)}`;
  return new CommandError(`june: ${showLine(file)} has ${what}.\n${showLine(cure, 500)}`);
}

/** The export is nothing that can be rendered. */
export function exportUnsuitable(file: string, name: string, found: string): CommandError {
  const which = name === "default" ? "the default export" : `the export ${quote(name)}`;
  return new CommandError(
    `june: ${which} of ${showLine(file)} is ${found}, not a component or an element.\nA component is a function of its props that returns JSX.`,
  );
}

/** Props were given for an element, which has its own. */
export function propsForElement(file: string): CommandError {
  return new CommandError(
    `june: ${showLine(file)} exports an element, which has its props already.\nExport the component instead to give props here, or leave --prop and --props out.`,
  );
}

/** `--props` is not the JSON of an object. */
export function propsInvalid(origin: string, problem: string): CommandError {
  return new CommandError(
    `june: the props of ${showLine(origin)} are no JSON object: ${showLine(problem)}\nGive them as  --props '{"name": "value"}',  --props @file.json  or  --props -  for the standard input.`,
  );
}

/** `--props @file` cannot be read. */
export function propsUnreadable(path: string, problem: string): CommandError {
  return new CommandError(`june: the props file ${showLine(path)} cannot be read: ${showLine(problem)}`);
}

/** `--prop` without a value. */
export function propInvalid(given: string): CommandError {
  return new CommandError(`june: --prop ${quote(given)} has no value. Write  --prop name=value`);
}

/** `--timeout` is no duration. */
export function timeoutInvalid(given: string): CommandError {
  return new CommandError(
    `june: --timeout ${quote(given)} is no duration. Write a number and its unit:  500ms, 90s, 5m or 2h, up to 24 days.`,
  );
}

/** `--model` is neither `echo` nor `provider:id`. */
export function modelInvalid(given: string): CommandError {
  return new CommandError(
    `june: --model ${quote(given)} names no model. Write  provider:id, such as openai:gpt-5-mini, or echo.`,
  );
}

/** The package of a provider is not installed. */
export function providerMissing(provider: string, known: readonly string[]): CommandError {
  return new CommandError(
    `june: --model needs the package @ai-sdk/${showLine(provider)}, which is not installed.${didYouMean(provider, known)}\nInstall it with  npm install @ai-sdk/${showLine(provider)}`,
  );
}

/** The package of a provider gives no provider that is ready for use. */
export function providerUnsuitable(provider: string): CommandError {
  return new CommandError(
    `june: the package @ai-sdk/${showLine(provider)} has no provider that works without settings.\nMake the model in the file instead:  <Agent model={…}>`,
  );
}

/** A provider has no key. One line. */
export function keyMissing(problem: string, hasDefaultModel: boolean): CommandError {
  const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(problem)?.[0];
  const cure = hasDefaultModel
    ? "or try without a provider: --model echo"
    : "or take the model out of its <Agent> and try without a provider: --model echo";
  return new CommandError(
    variable === undefined
      ? `june: the model has no key: ${showLine(problem)} Give it one, ${cure}`
      : `june: the model has no key: set ${variable} (or put it in a file for --env-file), ${cure}`,
  );
}

/** A file named by an option cannot be used. */
export function optionFileUnusable(option: string, path: string, problem: string): CommandError {
  return new CommandError(`june: ${option} ${showLine(path)}: ${showLine(problem)}`);
}

/** `--timeout` ran out. */
export function timedOut(duration: string): CommandError {
  return new CommandError(`june: the run took longer than --timeout ${duration}`, 1);
}

/** Something failed that nothing waits for: a rejected promise, or an event handler that threw. */
export function strayError(cause: unknown): CommandError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(`june: an error that nothing in the workflow handles ended the run: ${problem}`, 1, {
    cause,
  });
}

/** The run waits, and the process has nothing left to do. */
export function neverEnds(): CommandError {
  return new CommandError(
    "june: the run can never end: it waits for a promise, and nothing is left in the process that could settle it.",
    1,
  );
}

/** The answer is nothing JSON can hold. */
export function answerUnprintable(): CommandError {
  return new CommandError("june: the output of the run is not JSON, so it cannot be printed.", 1);
}
