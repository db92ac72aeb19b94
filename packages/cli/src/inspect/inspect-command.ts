/** `june inspect`: what every agent of a file can do, without calling a model, a tool or a toolset. */

import { inspect } from "@june/core";
import type { ExitCode } from "../errors/exit-code.js";
import { exitCodeOf, explainFailure } from "../errors/explain-failure.js";
import type { CommandHost } from "../host.js";
import { loadWorkflow } from "../load/load-workflow.js";
import { loadEnvFile } from "../options/env-file.js";
import { readProps } from "../options/props.js";
import { printError } from "../output/print-error.js";
import { StatusLines, writeAnswer } from "../output/streams.js";
import { divertConsole } from "../run/divert-console.js";
import { errorDocument } from "../run/document.js";
import { explainLines, explainRecords } from "./explain.js";
import { toRecord } from "./record.js";
import { treeLines } from "./tree-lines.js";

/** The options as the command line gives them. */
export interface InspectCommandOptions {
  readonly export: string;
  readonly props?: string;
  readonly prop: readonly string[];
  readonly why?: string;
  readonly json?: boolean;
  readonly envFile?: string;
  readonly verbose?: boolean;
}

/** Inspects the file and prints what was found, or why nothing could be. */
export async function inspectCommand(
  file: string,
  options: InspectCommandOptions,
  host: CommandHost,
): Promise<ExitCode> {
  const status = new StatusLines(host.stderr, process.env);
  const restoreConsole = divertConsole();
  try {
    const props = await readProps(options, host.stdin);
    if (options.envFile !== undefined) loadEnvFile(options.envFile);
    const element = await loadWorkflow({ file, exportName: options.export, props, command: "inspect" }, (remark) =>
      status.write(remark),
    );
    const nodes = await inspect(element);
    const { why } = options;
    if (options.json === true) {
      const document = why === undefined ? { nodes: nodes.map(toRecord) } : { agents: explainRecords(nodes, why) };
      await writeAnswer(host.stdout, JSON.stringify({ ok: true, ...document }, undefined, 2));
    } else await writeAnswer(host.stdout, (why === undefined ? treeLines(nodes) : explainLines(nodes, why)).join("\n"));
    return 0;
  } catch (error) {
    const failure = explainFailure(error, { file, command: "inspect", hasDefaultModel: true });
    const exitCode = exitCodeOf(failure);
    if (options.json === true) await writeAnswer(host.stdout, errorDocument(failure, exitCode, undefined));
    await printError(failure, status, options.verbose === true);
    return exitCode;
  } finally {
    restoreConsole();
  }
}
