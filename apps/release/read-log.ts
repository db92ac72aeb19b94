/** The tool `log`: what was committed since the last tag. */

import { tool, type Tool } from "ai";
import { z } from "zod";
import { runGit } from "./git.js";
import type { RepositoryFolder } from "./repository-folder.js";

export interface LogResult {
  /** The newest tag before the last commit, or null when there is none and the whole history counts. */
  readonly since: string | null;
  /** How many commits there are; `commits` has the newest 200 of them. */
  readonly total: number;
  readonly commits: readonly { readonly id: string; readonly subject: string; readonly body: string }[];
}

const maxCommits = 200;
const betweenFields = "\u001f";
const betweenCommits = "\u001e";

export function readLogTool(folder: RepositoryFolder): Tool<Record<string, never>, LogResult> {
  return tool({
    description: `List the commits since the last tag, newest first, ${maxCommits} at most.`,
    inputSchema: z.object({}),
    execute: async (_input, { abortSignal: signal }): Promise<LogResult> => {
      const git = async (...words: string[]): Promise<string> =>
        (await runGit(await folder(), words, { signal })).trim();
      const newest = ["--merged=HEAD", "--sort=-creatordate", "--count=1", "--format=%(refname:short)", "refs/tags"];
      const since = await git("for-each-ref", ...newest);
      const range = since === "" ? "HEAD" : `refs/tags/${since}..HEAD`;
      const format = `--format=%h${betweenFields}%s${betweenFields}%b${betweenCommits}`;
      const log = await git("log", "--no-merges", `--max-count=${maxCommits}`, format, range);
      return {
        since: since === "" ? null : since,
        total: Number(await git("rev-list", "--no-merges", "--count", range)),
        commits: log.split(betweenCommits).flatMap((entry) => {
          const [id = "", subject = "", body = ""] = entry.trim().split(betweenFields);
          return id === "" ? [] : [{ id, subject, body: body.trim() }];
        }),
      };
    },
  });
}
