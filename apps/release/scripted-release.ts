/** The model of a release without a provider: it calls the same tools, and what it says follows from what they really gave. */

import { scriptedModel, type ModelCallRecord, type ScriptedModel, type ScriptedTurn } from "june/testing";
import type { DeployResult } from "./deploy.js";
import type { LogResult } from "./read-log.js";

/** One model for both agents. It says on standard error that it stands in for a real one. */
export function scriptedRelease(): ScriptedModel {
  return scriptedModel((call) => {
    if (call.index === 0)
      console.error(
        "release: neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set, so a scripted model drives the tools",
      );
    const { prompt, results } = readTurn(call);
    if (prompt.startsWith("Survey")) return survey(results);
    return prompt.startsWith("Write") ? writeNotes(prompt, results) : deploy(prompt, results);
  });
}

type Message = ModelCallRecord["prompt"][number];

interface Result {
  readonly tool: string;
  /** What the tool gave; absent when it did not. */
  readonly value?: unknown;
  /** Why it gave nothing: it failed, or its call was denied. */
  readonly problem?: string;
}

function survey(results: readonly Result[]): ScriptedTurn | string {
  if (results.length === 0)
    return {
      calls: [
        { name: "readFile", input: { path: "package.json" } },
        { name: "readFile", input: { path: "CHANGELOG.md" } },
        { name: "git_log", input: {} },
      ],
    };
  const failed = results.find(({ problem }) => problem !== undefined);
  if (failed !== undefined) return `There is nothing to release: ${failed.problem}.`;
  const [manifest, , log] = results as [Result, Result, Result];
  const { since, commits } = log.value as LogResult;
  if (commits.length === 0) return `There is nothing to release: nothing was committed since ${since}.`;
  const { version = "0.0.0" } = JSON.parse(manifest.value as string) as { version?: string };
  return [`Next version: ${raise(version, commits)}`, "Commits:", ...commits.map(({ subject }) => `- ${subject}`)].join(
    "\n",
  );
}

function raise(version: string, commits: LogResult["commits"]): string {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  const isBreaking = commits.some(
    ({ subject, body }) => /^\w+(\(.*\))?!:/.test(subject) || body.includes("BREAKING CHANGE"),
  );
  if (isBreaking) return `${major + 1}.0.0`;
  return commits.some(({ subject }) => subject.startsWith("feat"))
    ? `${major}.${minor + 1}.0`
    : `${major}.${minor}.${patch + 1}`;
}

const sections: readonly (readonly [heading: string, kind: RegExp])[] = [
  ["Added", /^feat(\(.*\))?!?: /],
  ["Fixed", /^fix(\(.*\))?!?: /],
  ["Changed", /^(?!feat|fix)(\w+(\(.*\))?!?: )?/],
];

function writeNotes(prompt: string, results: readonly Result[]): ScriptedTurn | string {
  const version = /^Next version: (\S+)$/m.exec(prompt)?.[1];
  if (version === undefined) return prompt.slice(prompt.lastIndexOf("There is nothing to release"));
  const [changelog] = results;
  if (changelog === undefined) return { calls: [{ name: "readFile", input: { path: "CHANGELOG.md" } }] };
  const hasBrackets = typeof changelog.value === "string" && changelog.value.includes("## [");
  const commits = prompt
    .slice(prompt.lastIndexOf("Commits:\n"))
    .split("\n")
    .filter((line) => line.startsWith("- "));
  const lines = [hasBrackets ? `## [${version}]` : `## ${version}`];
  for (const [heading, kind] of sections) {
    const entries = commits.map((line) => line.slice(2)).filter((subject) => kind.test(subject));
    if (entries.length > 0) lines.push("", `### ${heading}`, "");
    for (const subject of entries) lines.push(`- ${sentence(subject.replace(kind, ""))}`);
  }
  return lines.join("\n");
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

function deploy(prompt: string, results: readonly Result[]): ScriptedTurn | string {
  const heading = /^## \[?([^\]\s]+)\]?$/m.exec(prompt);
  if (heading === null)
    return `Nothing was deployed. ${prompt.slice(prompt.lastIndexOf("There is nothing to release"))}`;
  const [result] = results;
  if (result === undefined)
    return { calls: [{ name: "deploy", input: { version: heading[1], notes: prompt.slice(heading.index) } }] };
  if (result.problem !== undefined) return `Nothing was deployed: ${result.problem}.`;
  const { tag, commit, notesFile } = result.value as DeployResult;
  return `Deployed ${heading[1]}: the tag ${tag} is on ${commit}, and its notes are in ${notesFile}.`;
}

/** The last thing the user said, and what the tools gave since. */
function readTurn({ prompt }: ModelCallRecord): { readonly prompt: string; readonly results: readonly Result[] } {
  const start = prompt.findLastIndex(({ role }) => role === "user");
  return { prompt: textOf(prompt[start]), results: prompt.slice(start).flatMap(resultsOf) };
}

function textOf(message: Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function resultsOf(message: Message): Result[] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part): Result[] => {
    if (part.type !== "tool-result") return [];
    const { toolName: tool, output } = part;
    if (output.type === "execution-denied")
      return [{ tool, problem: `it was denied (${output.reason ?? "no reason given"})` }];
    return output.type === "error-text"
      ? [{ tool, problem: output.value }]
      : [{ tool, value: "value" in output ? output.value : "" }];
  });
}
