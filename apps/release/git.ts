/** Runs git in a folder. Every tool of the release reads and writes through it. */

import { execFile } from "node:child_process";

/** What a call of git may be given besides its arguments. */
export interface GitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Written to git's standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const maxOutputBytes = 16 * 1024 * 1024;

/** Gives what git printed. Rejects with git's own words when it fails, and with the reason when aborted. */
export function runGit(folder: string, words: readonly string[], options: GitOptions = {}): Promise<string> {
  const { signal, input, env } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      words,
      { cwd: folder, env: { ...environment(), ...env }, maxBuffer: maxOutputBytes, ...(signal && { signal }) },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (signal?.aborted === true) reject(signal.reason as Error);
        else if (error.code === ("ENOENT" as never))
          reject(new Error("there is no git on PATH: install it and try again"));
        else
          reject(
            new Error(`git ${words[0]} failed: ${stderr.trim().replace(/^(fatal|error): /, "") || error.message}`),
          );
      },
    );
    child.stdin?.on("error", () => {}); // git may end without reading it: its exit code says why
    child.stdin?.end(input ?? "");
  });
}

/** Inside a hook git hands on its own repository in these: here the folder alone decides. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _directory, GIT_WORK_TREE: _workTree, GIT_INDEX_FILE: _index, ...rest } = process.env;
  return { ...rest, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
}
