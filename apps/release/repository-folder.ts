/** The folder a release works on: the one that was asked for, or a sample project that is made when the first tool needs it. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { runGit } from "./git.js";
import { makeSampleProject } from "./sample-project.js";

/** Gives the folder's real path. */
export type RepositoryFolder = () => Promise<string>;

/** Takes `repo`, which has to be the top folder of a git repository with a commit. Without it the sample is made at the first call. */
export async function openRepositoryFolder(repo: string | undefined): Promise<RepositoryFolder> {
  if (repo === undefined) {
    let sample: Promise<string> | undefined;
    return () => (sample ??= makeAndSay());
  }
  const folder = await requireRepository(repo);
  return async () => folder;
}

async function makeAndSay(): Promise<string> {
  const folder = await makeSampleProject();
  console.error(`release: no repo was given, so this is a sample project in ${folder}`);
  return folder;
}

async function requireRepository(repo: string): Promise<string> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new Error(
      `${JSON.stringify(repo)} ${problem}. Give the top folder of a git repository, as in --prop repo=PATH.`,
      cause === undefined ? {} : { cause },
    );
  };
  const folder = await realpath(resolve(repo)).catch((error: unknown) => refuse("is not a folder", error));
  const top = await runGit(folder, ["rev-parse", "--show-toplevel"]).catch((error: Error) =>
    refuse(`cannot be released: ${error.message}`, error),
  );
  if ((await realpath(top.trim())) !== folder)
    refuse(`is a folder inside the repository ${JSON.stringify(top.trim())}`);
  await runGit(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch((error: unknown) =>
    refuse("has no commit yet", error),
  );
  return folder;
}
