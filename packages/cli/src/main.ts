/** `main`: the words of the command line, given to the subcommand they name. What runs workflows is loaded only then. */

import { Command, CommanderError, Option } from "commander";
import type { ExitCode } from "./errors/exit-code.js";
import type { CommandHost } from "./host.js";
import type { InspectCommandOptions } from "./inspect/inspect-command.js";
import { forgetBunsEnvFiles } from "./options/env-file.js";
import type { RunCommandOptions } from "./run/run-command.js";

const description = "Runs and inspects June workflows. Answers go to stdout, everything else to stderr.";

const help = `
Examples:
  june run release.tsx --prop repo=../shop --model openai:gpt-5-mini
  june run summary.tsx --props @input.json --approve deny --json
  june run summary.tsx --model echo > answer.txt
  june inspect release.tsx --why deploy

june COMMAND --help tells more.`;

const runHelp = `
The file is a .tsx, .ts, .jsx or .mjs module whose default export is a component or an element.
Any tsconfig.json will do: JSX is June's, the paths of the nearest one are kept. Values of --prop are text;
--props takes any JSON. No .env is read without --env-file.

Approvals: with --approve ask a person on the terminal answers y, n, always, or a reason, which is a no with that
reason; without a terminal the call is denied. What the model is told then is in the trace.

Exit codes: 0 done, 1 the run failed, 2 wrong usage or declaration, 130 interrupted.
Ctrl-C ends the run and waits for cleanup; a second one leaves at once.

--json prints one document: { ok: true, runId, output, steps, usage, durationMs }
or { ok: false, exitCode, error: { name, message, code?, details?, cause? }, runId?, usage?, durationMs? }

Examples:
  june run release.tsx --prop repo=../shop --model openai:gpt-5-mini
  june run summary.tsx --props @input.json --approve deny --json
  echo '{"topic": "tides"}' | june run research.tsx --props - --timeout 90s --trace-out trace.json`;

const inspectHelp = `
Components and bundles run; no model, tool or toolset does. Where one would be needed the rest shows as ….

--json prints one document: { ok: true, nodes } or with --why { ok: true, agents: [{ label, source?, why }] }

Examples:
  june inspect release.tsx
  june inspect release.tsx --why deploy`;

/**
 * Runs the command.
 * @param words the words after `june`
 * @returns the exit code; the process is left as it is
 */
export async function main(words: readonly string[], host: CommandHost): Promise<ExitCode> {
  forgetBunsEnvFiles();
  let exitCode: ExitCode = 0;
  const program = makeProgram(host, (code) => (exitCode = code));
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

function makeProgram(host: CommandHost, end: (code: ExitCode) => void): Command {
  const program = new Command("june")
    .description(description)
    .usage("COMMAND [options]")
    .version(host.version, "--version", "print the version")
    .helpOption("--help", "print this help")
    .helpCommand(false)
    .addHelpText("after", help)
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "june: ")),
      getOutHelpWidth: () => 100,
    })
    .exitOverride();
  const run = program
    .command("run")
    .description("run a workflow")
    .usage("FILE [options]")
    .argument("<FILE>", "the workflow")
    .option("--model <provider:id|echo>", "the model for agents that have none of their own")
    .addOption(
      new Option("--approve <how>", "how requests for approval are answered")
        .choices(["ask", "all", "deny"])
        .default("ask"),
    )
    .option("--timeout <duration>", "end the run after this time: 500ms, 90s, 5m or 2h")
    .option("--trace-out <file>", "write the trace, with prompts, answers, inputs and outputs")
    .addHelpText("after", runHelp)
    .action(async (file: string, options: RunCommandOptions) => {
      const { runCommand } = await import("./run/run-command.js");
      end(await runCommand(file, options, host));
    });
  const inspect = program
    .command("inspect")
    .description("show what every agent of a workflow can do, without running it")
    .usage("FILE [options]")
    .argument("<FILE>", "the workflow")
    .option("--why <name>", "explain for each agent why it has or lacks this tool")
    .addHelpText("after", inspectHelp)
    .action(async (file: string, options: InspectCommandOptions) => {
      const { inspectCommand } = await import("./inspect/inspect-command.js");
      end(await inspectCommand(file, options, host));
    });
  addSharedOptions(run);
  addSharedOptions(inspect);
  return program;
}

function addSharedOptions(command: Command): void {
  command
    .option("--export <name>", "the export to use", "default")
    .option("--props <json|@file|->", "all props as JSON, from a file or from the standard input")
    .addOption(
      new Option("--prop <name=value>", "one prop, as text; may be repeated")
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], "none"),
    )
    .option("--env-file <file>", "read environment variables from a file")
    .option("--json", "print one JSON document")
    .option("--verbose", "print the stacks of errors")
    .helpOption("--help", "print this help")
    .showHelpAfterError(`See  june ${command.name()} --help`);
}
