/** The tool `deploy`: writes the release notes into the repository and tags its last commit. The workflow puts it behind an approval. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tool, type Tool } from "ai";
import { z } from "zod";
import { runGit } from "./git.js";
import type { RepositoryFolder } from "./repository-folder.js";

export interface DeployInput {
  version: string;
  notes: string;
}

export interface DeployResult {
  readonly tag: string;
  readonly commit: string;
  readonly notesFile: string;
}

/** Nothing that is there is overwritten, and there is never one of the two without the other. */
export function deployTool(folder: RepositoryFolder): Tool<DeployInput, DeployResult> {
  return tool({
    description: "Release a version: write its notes to release-notes/ and tag the last commit with them.",
    inputSchema: z.object({
      version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/, "A version looks like 1.4.0."),
      notes: z.string().min(1).describe("The release notes in Markdown"),
    }),
    execute: async ({ version, notes }, { abortSignal: signal }) => {
      const top = await folder();
      const tag = `v${version}`;
      if ((await runGit(top, ["tag", "--list", tag], { signal })).trim() !== "")
        throw new Error(`the tag ${tag} exists already and was left as it is; release another version`);
      signal?.throwIfAborted(); // from here on it is done to its end
      const notesFile = `release-notes/${tag}.md`;
      await mkdir(join(top, "release-notes"), { recursive: true });
      await writeFile(join(top, notesFile), `${notes.trimEnd()}\n`, { flag: "wx" }).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.code === "EEXIST" ? new Error(`${notesFile} exists already and was left as it is`) : error;
        },
      );
      try {
        await runGit(top, ["tag", "--annotate", "--cleanup=verbatim", "--file=-", tag, "HEAD"], { input: notes });
      } catch (error) {
        await rm(join(top, notesFile));
        throw error;
      }
      return { tag, commit: (await runGit(top, ["rev-parse", "--short", `${tag}^{commit}`])).trim(), notesFile };
    },
  });
}
