/** `june run`: from the options to the exit code. The stages are the folders around: options, model, load, run, output. */

import { run, type RunHandle, type RunResult } from "@june/core";
import type { LanguageModel } from "ai";
import type { ExitCode } from "../errors/exit-code.js";
import { exitCodeOf, explainFailure } from "../errors/explain-failure.js";
import { timedOut } from "../errors/messages.js";
import type { CommandHost } from "../host.js";
import { loadWorkflow } from "../load/load-workflow.js";
import { loadModel } from "../model/load-model.js";
import { parseDuration } from "../options/duration.js";
import { loadEnvFile } from "../options/env-file.js";
import { readProps } from "../options/props.js";
import { printError } from "../output/print-error.js";
import { StatusLines, writeAnswer } from "../output/streams.js";
import { Answers, type Approve } from "./answers.js";
import { divertConsole } from "./divert-console.js";
import { errorDocument, resultDocument, textOf } from "./document.js";
import { EventLines } from "./event-lines.js";
import { ProcessWatch } from "./process-watch.js";
import { summarize } from "./summary.js";
import { Terminal } from "./terminal.js";
import { TraceFile } from "./trace-file.js";

/** The options as the command line gives them. */
export interface RunCommandOptions {
  readonly export: string;
  readonly props?: string;
  readonly prop: readonly string[];
  readonly model?: string;
  readonly approve: Approve;
  readonly json?: boolean;
  readonly traceOut?: string;
  readonly timeout?: string;
  readonly envFile?: string;
  readonly verbose?: boolean;
}

/** Runs the file to its end and prints whatever comes of it. */
export async function runCommand(file: string, options: RunCommandOptions, host: CommandHost): Promise<ExitCode> {
  const status = new StatusLines(host.stderr, process.env);
  using watch = new ProcessWatch(
    () => host.exit(130),
    () => status.write("june: stopping, waiting for cleanup; Ctrl-C again leaves at once"),
  );
  const restoreConsole = divertConsole();
  let handle: RunHandle | undefined;
  try {
    const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout);
    const props = await readProps(options, host.stdin);
    if (options.envFile !== undefined) loadEnvFile(options.envFile);
    const model = options.model === undefined ? undefined : await loadModel(options.model, file, host.providers);
    const element = await loadWorkflow({ file, exportName: options.export, props, command: "run" }, (remark) =>
      status.write(remark),
    );
    const traceFile = options.traceOut === undefined ? undefined : new TraceFile(options.traceOut);
    using terminal = openTerminal(host, options.approve, status);
    const answers = new Answers(options.approve, terminal, status);
    const running = startRun(element, model, answers);
    handle = running;
    watch.watchRun((reason) => running.abort(reason));
    const result = await follow(running, status, { timeoutMs, timeout: options.timeout, traceFile });
    const answer = options.json === true ? resultDocument(running, result) : textOf(result.output);
    if (answer !== undefined) await writeAnswer(host.stdout, answer);
    return traceFile?.hasFailed === true ? 1 : 0;
  } catch (error) {
    const failure = explainFailure(error, { file, command: "run", hasDefaultModel: options.model !== undefined });
    const exitCode = exitCodeOf(failure);
    if (options.json === true) await writeAnswer(host.stdout, errorDocument(failure, exitCode, handle));
    await printError(failure, status, options.verbose === true);
    return exitCode;
  } finally {
    restoreConsole();
  }
}

function openTerminal(host: CommandHost, approve: Approve, status: StatusLines): Terminal | undefined {
  const isTerminal = host.stdin.isTTY === true && host.stderr.isTTY === true;
  return isTerminal && approve !== "deny" ? new Terminal(host.stdin, status) : undefined;
}

function startRun(element: Parameters<typeof run>[0], model: LanguageModel | undefined, answers: Answers): RunHandle {
  const handle: RunHandle = run(element, {
    ...(model === undefined ? {} : { model }),
    trace: { capture: "full" },
    // Answered through the handle, so that an answer that does not fit can be given again.
    onRequest: (request, { signal }) => {
      void answers.answer(handle, request, signal);
      return undefined;
    },
  });
  return handle;
}

/** Prints the events until the run has ended, then what it came to. Rejects as the run does. */
async function follow(
  handle: RunHandle,
  status: StatusLines,
  settings: { timeoutMs: number | undefined; timeout: string | undefined; traceFile: TraceFile | undefined },
): Promise<RunResult> {
  const { timeoutMs, timeout, traceFile } = settings;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => handle.abort(timedOut(timeout!)), timeoutMs);
  const lines = new EventLines();
  try {
    for await (const event of handle.events) {
      const line = lines.lineOf(event);
      if (line !== undefined) status.write(status.dim(line));
    }
    return await handle;
  } finally {
    clearTimeout(timer);
    status.write(...summarize(handle.trace, status.bold));
    const problem = traceFile?.write(handle.trace);
    if (problem !== undefined) status.write(problem);
  }
}
