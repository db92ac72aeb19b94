/** The tool `readFile`: a file as the last commit has it, which is what a release publishes. */

import { tool, type Tool } from "ai";
import { z } from "zod";
import { runGit } from "./git.js";
import type { RepositoryFolder } from "./repository-folder.js";

/** Reads nothing that is not committed: no ignored file, no link out of the folder. */
export function readFileTool(folder: RepositoryFolder): Tool<{ path: string }, string> {
  return tool({
    description: "Read a text file of the repository as it is in the last commit.",
    inputSchema: z.object({ path: z.string().min(1).describe("Path from the top of the repository: CHANGELOG.md") }),
    execute: async ({ path }, { abortSignal: signal }) => {
      const top = await folder();
      try {
        return await runGit(top, ["cat-file", "blob", `HEAD:${path}`], { signal });
      } catch {
        signal?.throwIfAborted();
        const names = (await runGit(top, ["ls-tree", "--name-only", "HEAD"], { signal })).trim().split("\n");
        throw new Error(`the last commit has no file ${JSON.stringify(path)}; at its top are ${names.join(", ")}`);
      }
    },
  });
}
