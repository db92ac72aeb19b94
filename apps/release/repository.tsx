/** The bundle `<Repository>`: everything that reads the project, and nothing that changes it. */

import { Namespace, Tool, defineCapabilities } from "june";
import { readFileTool } from "./read-file.js";
import { readLogTool } from "./read-log.js";
import type { RepositoryFolder } from "./repository-folder.js";

/** Declares `readFile` and `git_log`. */
export const Repository = defineCapabilities(
  ({ folder }: { folder: RepositoryFolder }) => (
    <>
      <Tool name="readFile" value={readFileTool(folder)} />
      <Namespace name="git">
        <Tool name="log" value={readLogTool(folder)} />
      </Namespace>
    </>
  ),
  { name: "Repository" },
);
