/** `bashTool`: one AI SDK tool that runs a command in a fresh shell. Needs nothing of June's runtime; `<Bash>` declares it. */

import { realpath, stat } from "node:fs/promises";
import { tool, type Tool, type ToolExecutionOptions } from "ai";
import { z } from "zod";
import { commandEnvironment } from "./environment.js";
import { findProgram } from "./find-program.js";
import { checkOptions, invalidOption, type BashOptions, type BashSettings } from "./options.js";
import { runCommand, type BashResult } from "./run-command.js";
import { requireBubblewrap, sandboxArguments } from "./sandbox.js";

/** From TERM to KILL: short, as an aborted run waits for it. */
const graceMs = 1000;

/** Longest single argument Linux takes, less its final NUL. */
const maxCommandBytes = 131_071;

export interface BashInput {
  command: string;
  /** Less than the tool's own limit. */
  timeoutMs?: number | undefined;
}

/** The tool of the AI SDK, named so that an exported one has a declaration. */
export type BashTool = Tool<BashInput, BashResult>;

/**
 * Makes the tool. A call gives how the command ended and what it wrote; a command that fails is a result, not an error.
 * It rejects when aborted, and when the folder is gone.
 * @throws {DeclarationError} `invalid-option` when an option is wrong, there is no bash, or the sandbox cannot be had.
 */
export function bashTool(options: BashOptions = {}): BashTool {
  const settings = checkOptions(options);
  const { sandbox, network, needsApproval, timeoutMs } = settings;
  const shell = requireShell();
  const monitor = sandbox === undefined ? undefined : requireBubblewrap(settings);
  return tool({
    description: describeTool(settings),
    inputSchema: inputSchema(timeoutMs),
    needsApproval,
    execute: async (input: BashInput, { abortSignal }: Pick<ToolExecutionOptions<{}>, "abortSignal">) => {
      const cwd = await requireFolder(settings.cwd);
      const shellArguments = ["-c", "--", input.command];
      const program =
        monitor === undefined
          ? { file: shell, args: shellArguments }
          : { file: monitor, args: [...sandboxArguments(cwd, network), shell, ...shellArguments] };
      return runCommand({
        ...program,
        cwd,
        env: commandEnvironment(
          process.env,
          monitor === undefined ? settings.env : { TMPDIR: "/tmp", ...settings.env },
        ),
        timeoutMs: Math.min(input.timeoutMs ?? timeoutMs, timeoutMs),
        graceMs,
        maxOutputBytes: settings.maxOutputBytes,
        isSandbox: monitor !== undefined,
        abortSignal,
      });
    },
  });
}

function inputSchema(maxTimeoutMs: number): z.ZodType<BashInput> {
  return z.object({
    command: z
      .string()
      .min(1)
      .refine((command) => !command.includes("\0"), "A command cannot hold a NUL character.")
      .refine(
        (command) => Buffer.byteLength(command) <= maxCommandBytes,
        `A command may have ${maxCommandBytes} bytes at most. Write it to a file in parts and run that.`,
      )
      .describe("What bash runs, as after bash -c"),
    timeoutMs: z
      .int()
      .min(1)
      .max(maxTimeoutMs)
      .optional()
      .describe(`Milliseconds after which the command is ended; ${maxTimeoutMs} unless given`),
  });
}

function describeTool({ maxOutputBytes, sandbox, network }: BashSettings): string {
  return [
    "Run a command in bash and wait for its end.",
    "Each call is a new shell in the same folder: cd and variables of earlier calls are not remembered.",
    "Standard input is empty and there is no terminal, so pass what a program would ask for as arguments.",
    "Everything the command started is ended with it, also in the background.",
    `Of more than ${maxOutputBytes} bytes of output the middle is left out; write long output to a file and read parts of it.`,
    ...(sandbox === undefined
      ? []
      : [
          `Only that folder and /tmp can be written, and /tmp is empty at each call. The network is ${network ? "there" : "off"}.`,
        ]),
  ].join(" ");
}

function requireShell(): string {
  const shell = process.platform === "win32" ? undefined : findProgram("bash");
  if (shell !== undefined) return shell;
  throw process.platform === "win32"
    ? invalidOption("Windows has no process groups to end commands with", "Run June inside WSL.")
    : invalidOption("there is no bash on PATH", "Install the package bash.");
}

/** The real path of the folder. It is looked at in each call, as an earlier command may have made it or taken it away. */
async function requireFolder(path: string): Promise<string> {
  const folder = await stat(path).catch(() => undefined);
  if (folder?.isDirectory()) return realpath(path);
  const problem = folder === undefined ? "does not exist" : "is not a folder";
  throw new Error(
    `commands start in ${JSON.stringify(path)}, which ${problem}. Make that folder, or give another cwd.`,
  );
}
