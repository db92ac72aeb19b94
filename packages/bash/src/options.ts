/** The options of `<Bash>` and `bashTool`, checked and completed when the tool is made. Feeds bash-tool. */

import { resolve } from "node:path";
import { DeclarationError } from "@june/core";
import type { Tool } from "ai";
import type { BashInput } from "./bash-tool.js";
import type { BashResult } from "./run-command.js";

/** What `<Bash>` and `bashTool` take; every part may be left out. */
export interface BashOptions {
  /** Folder every command starts in; in a sandbox the only one it may change. The host's own folder unless set. */
  cwd?: string | undefined;
  /** Variables for the commands besides the few they get from the host. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Most time a call may take, in milliseconds, and what it gets unless it asks for less. 120,000 unless set. */
  timeoutMs?: number | undefined;
  /** Most that is kept of each output stream, in bytes of UTF-8; half from the start, half from the end. 32,768 unless set. */
  maxOutputBytes?: number | undefined;
  /** Whether a call waits for a person's yes, as the AI SDK has it. `true` unless set. */
  needsApproval?: Tool<BashInput, BashResult>["needsApproval"] | undefined;
  /** Runs commands under `bwrap`, on Linux. No sandbox unless set. */
  sandbox?: "bubblewrap" | undefined;
  /** Lets sandboxed commands use the network. `false` unless set. */
  network?: boolean | undefined;
}

/** Options with nothing left open. `cwd` is absolute, so that a host that changes its folder does not move the commands. */
export interface BashSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly needsApproval: NonNullable<BashOptions["needsApproval"]>;
  readonly sandbox: "bubblewrap" | undefined;
  readonly network: boolean;
}

const names = ["cwd", "env", "timeoutMs", "maxOutputBytes", "needsApproval", "sandbox", "network"];
/** The longest a timer of the platform can wait. */
const maxTimeoutMs = 2_147_483_647;
const maxOutputLimit = 64 * 1024 * 1024;

/** @throws {DeclarationError} `invalid-option` naming the option, what was given and what is expected; never a value of `env`. */
export function checkOptions(options: BashOptions): BashSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption(`the options are ${describe(options)}`, "Give an object, or nothing.");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalidOption(`there is no option ${JSON.stringify(unknown)}`, `Known are ${names.join(", ")}.`);
  const { cwd = ".", env = {}, timeoutMs = 120_000, maxOutputBytes = 32_768, needsApproval = true } = options;
  const { sandbox, network = false } = options;
  if (typeof cwd !== "string" || cwd === "" || cwd.includes("\0"))
    throw invalidOption(`cwd is ${describe(cwd)}`, "Give the path of a folder.");
  checkEnvironment(env);
  checkInteger("timeoutMs", timeoutMs, maxTimeoutMs, "milliseconds");
  checkInteger("maxOutputBytes", maxOutputBytes, maxOutputLimit, "bytes");
  if (typeof needsApproval !== "boolean" && typeof needsApproval !== "function")
    throw invalidOption(`needsApproval is ${describe(needsApproval)}`, "Give true, false or a function of the input.");
  if (sandbox !== undefined && sandbox !== "bubblewrap")
    throw invalidOption(
      `sandbox is ${describe(sandbox)}`,
      'Give "bubblewrap", or leave it out to run without a sandbox.',
    );
  if (typeof network !== "boolean") throw invalidOption(`network is ${describe(network)}`, "Give true or false.");
  if (network && sandbox === undefined)
    throw invalidOption("network is set without a sandbox", 'It has a meaning only with sandbox="bubblewrap".');
  return { cwd: resolve(cwd), env: { ...env }, timeoutMs, maxOutputBytes, needsApproval, sandbox, network };
}

function checkEnvironment(env: unknown): void {
  if (typeof env !== "object" || env === null || Array.isArray(env))
    throw invalidOption(
      `env is ${Array.isArray(env) ? "an array" : describe(env)}`,
      "Give an object of texts by name.",
    );
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name))
      throw invalidOption(`env has the name ${JSON.stringify(name)}`, "Give a name without = and NUL.");
    if (typeof value !== "string")
      throw invalidOption(
        `env[${JSON.stringify(name)}] is of type ${typeof value}`,
        "Give text, or leave the name out.",
      );
    if (value.includes("\0"))
      throw invalidOption(`env[${JSON.stringify(name)}] holds a NUL character`, "Give text without it.");
  }
}

function checkInteger(name: string, value: unknown, maximum: number, unit: string): void {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > maximum)
    throw invalidOption(`${name} is ${describe(value)}`, `Give a whole number of ${unit} from 1 to ${maximum}.`);
}

/** An error about what the author gave to `<Bash>` or `bashTool`. */
export function invalidOption(problem: string, cure: string): DeclarationError {
  return new DeclarationError("invalid-option", `june: bashTool(): ${problem}\n${cure}`, {
    details: { call: "bashTool()", problem },
  });
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
