/** The release on its scripted model, with the real tools, real git and real repositories in temporary folders. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, type Answer, type Request } from "june";
import type { Trace, TraceNode } from "june/trace";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chooseModel } from "./choose-model.js";
import { makeSampleProject } from "./sample-project.js";
import Release from "./workflow.js";

const approve = (): Answer => ({ approved: true });
const notes = `## 1.2.0

### Added

- List the most frequent words.

### Fixed

- Count a word with an apostrophe as one.

### Changed

- Show how to count a file.`;

let temporaryFolder: string;
let printed: string[];

beforeEach(() => {
  temporaryFolder = realpathSync(mkdtempSync(join(tmpdir(), "june-release-test-")));
  printed = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void printed.push(line));
  vi.stubEnv("OPENAI_API_KEY", "");
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("TMPDIR", temporaryFolder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(temporaryFolder, { recursive: true });
});

function git(folder: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
}

/** Everything a release could change. */
function stateOf(folder: string): { tags: string; status: string; head: string } {
  return {
    tags: git(folder, "for-each-ref", "--format=%(refname) %(objectname)", "refs/tags"),
    status: git(folder, "status", "--porcelain", "--untracked-files=all"),
    head: git(folder, "rev-parse", "HEAD"),
  };
}

async function release(
  repo: string,
  onRequest: (request: Request) => Answer = approve,
): Promise<Record<string, string>> {
  const { output } = await run(<Release repo={repo} />, { onRequest });
  return output as Record<string, string>;
}

function agentsOf(node: TraceNode): TraceNode[] {
  return [...(node.kind === "agent" ? [node] : []), ...node.children.flatMap(agentsOf)];
}

describe("the sample project", () => {
  it("is the same to the last commit id, whatever git is set to", async () => {
    writeFileSync(join(temporaryFolder, "gitconfig"), "[core]\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n");
    const one = await makeSampleProject(temporaryFolder);
    vi.stubEnv("GIT_CONFIG_GLOBAL", join(temporaryFolder, "gitconfig"));
    vi.stubEnv("GIT_DIR", join(temporaryFolder, "another.git"));
    const other = await makeSampleProject(temporaryFolder);
    vi.stubEnv("GIT_DIR", undefined);

    expect(stateOf(other)).toEqual(stateOf(one));
    expect(git(one, "rev-parse", "--short", "HEAD")).toBe("91b9a0b");
    expect(git(one, "tag", "--list").split("\n")).toEqual(["v1.0.0", "v1.1.0"]);
    expect(stateOf(one).status).toBe("");
  });
});

describe("the release", () => {
  let repo: string;

  beforeEach(async () => {
    repo = await makeSampleProject(temporaryFolder);
  });

  it("C35 tags the repository and writes the notes, when the person who saw them allows it", async () => {
    const asked: unknown[] = [];
    const output = await release(repo, ({ tool, input, reason, agent, step }) => {
      asked.push({ tool, input, reason, agent, step, ...stateOf(repo), tags: git(repo, "tag", "--list") });
      return { approved: true };
    });

    const head = git(repo, "rev-parse", "HEAD");
    expect(asked).toEqual([
      {
        tool: "deploy",
        input: { version: "1.2.0", notes },
        reason: "It tags the repository and writes the release notes into it.",
        agent: "release",
        step: "deploy",
        tags: "v1.0.0\nv1.1.0",
        status: "",
        head,
      },
    ]);
    expect(git(repo, "cat-file", "-t", "v1.2.0")).toBe("tag");
    expect(git(repo, "rev-parse", "v1.2.0^{commit}")).toBe(head);
    expect(git(repo, "tag", "--list", "--format=%(contents)", "v1.2.0")).toBe(notes);
    expect(readFileSync(join(repo, "release-notes/v1.2.0.md"), "utf8")).toBe(`${notes}\n`);
    expect(stateOf(repo)).toMatchObject({ status: "?? release-notes/v1.2.0.md", head });
    expect(output["notes"]).toBe(notes);
    expect(output["deploy"]).toBe(
      "Deployed 1.2.0: the tag v1.2.0 is on 91b9a0b, and its notes are in release-notes/v1.2.0.md.",
    );
  });

  it("C36 changes nothing when it is denied, and the reason reaches the model", async () => {
    const before = stateOf(repo);
    const output = await release(repo, () => ({ approved: false, reason: "It is Friday" }));

    expect(output["deploy"]).toBe("Nothing was deployed: it was denied (It is Friday).");
    expect(stateOf(repo)).toEqual(before);
    expect(readdirSync(repo).toSorted()).toEqual([".git", "CHANGELOG.md", "README.md", "index.js", "package.json"]);
  });

  it("C60 says in the trace where each tool came from, and what waits", async () => {
    const { trace } = await run(<Release repo={repo} />, { onRequest: approve });
    const [agent, writer, ...more] = agentsOf((trace satisfies Trace).root);

    expect(agent).toMatchObject({ name: "release" });
    expect(agent?.capabilities).toEqual([
      { name: "readFile", source: '<Tool name="readFile"> in <Repository>' },
      { name: "git_log", source: '<Tool name="log"> in <Repository> > <Namespace name="git">' },
      { name: "deploy", source: '<Tool name="deploy"> in <RequireApproval>' },
    ]);
    expect(agent?.waits?.map(({ name }) => name)).toEqual(["deploy"]);
    expect(writer).toMatchObject({ name: "writer" });
    expect(writer?.capabilities).toEqual([
      {
        name: "readFile",
        source: '<Inherit capabilities={["readFile"]}>',
        granted: '<Tool name="readFile"> in <Repository> in the enclosing <Agent>',
      },
    ]);
    expect(writer?.waits ?? []).toEqual([]);
    expect(more).toEqual([]);
  });

  it("leaves a tag that exists as it is, and says so", async () => {
    git(repo, "tag", "v1.2.0", "v1.1.0^{commit}");
    const before = stateOf(repo);

    expect((await release(repo))["deploy"]).toBe(
      "Nothing was deployed: the tag v1.2.0 exists already and was left as it is; release another version.",
    );
    expect(stateOf(repo)).toEqual(before);
    expect(existsSync(join(repo, "release-notes/v1.2.0.md"))).toBe(false);
  });

  it("leaves notes that exist as they are, and makes no tag", async () => {
    mkdirSync(join(repo, "release-notes"));
    writeFileSync(join(repo, "release-notes/v1.2.0.md"), "Written by hand.\n");
    const before = stateOf(repo);

    expect((await release(repo))["deploy"]).toBe(
      "Nothing was deployed: release-notes/v1.2.0.md exists already and was left as it is.",
    );
    expect(stateOf(repo)).toEqual(before);
    expect(readFileSync(join(repo, "release-notes/v1.2.0.md"), "utf8")).toBe("Written by hand.\n");
  });

  it("takes its notes back when git makes no tag", async () => {
    git(repo, "config", "user.useConfigOnly", "true");
    git(repo, "config", "--unset", "user.email");
    vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
    const before = stateOf(repo);

    expect((await release(repo))["deploy"]).toMatch(/^Nothing was deployed: git tag failed: /);
    expect(stateOf(repo)).toEqual(before);
  });

  it("asks nobody when there is nothing to release", async () => {
    git(repo, "tag", "--annotate", "--message", "Released by hand", "v1.2.0");
    const asked: Request[] = [];
    const output = await release(repo, (request) => {
      asked.push(request);
      return { approved: true };
    });

    expect(output["deploy"]).toBe(
      "Nothing was deployed. There is nothing to release: nothing was committed since v1.2.0.",
    );
    expect(asked).toEqual([]);
  });

  it("says what the repository lacks", async () => {
    git(repo, "rm", "--quiet", "CHANGELOG.md");
    git(repo, "commit", "--quiet", "--message", "chore: drop the changelog");

    expect((await release(repo))["survey"]).toBe(
      'There is nothing to release: the last commit has no file "CHANGELOG.md"; at its top are README.md, index.js, package.json.',
    );
  });

  it("says on standard error that the model is scripted, and where the sample project is", async () => {
    const { output } = await run(<Release />, { onRequest: approve });

    const folder = readdirSync(temporaryFolder, { withFileTypes: true })
      .map(({ name }) => join(temporaryFolder, name))
      .find((path) => path !== repo);
    expect(printed).toEqual([
      "release: neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set, so a scripted model drives the tools",
      `release: no repo was given, so this is a sample project in ${folder}`,
    ]);
    expect(output).toMatchObject({ deploy: expect.stringMatching(/^Deployed 1\.2\.0: /) });
    expect(git(folder!, "tag", "--list", "v1.2.0")).toBe("v1.2.0");
  });
});

describe("a repo that is none", () => {
  const cure = "Give the top folder of a git repository, as in --prop repo=PATH.";

  it.each([
    ["no folder", "missing", "is not a folder"],
    [
      "no repository",
      ".",
      "cannot be released: git rev-parse failed: not a git repository (or any of the parent directories): .git",
    ],
    ["a folder inside one", "repository/src", 'is a folder inside the repository "TEMPORARY/repository"'],
    ["one without a commit", "repository", "has no commit yet"],
  ])("fails before any model call: %s", async (_what, path, problem) => {
    const repository = join(temporaryFolder, "repository");
    mkdirSync(join(repository, "src"), { recursive: true });
    git(repository, "init", "--quiet");
    const repo = join(temporaryFolder, path);

    const handle = run(<Release repo={repo} />, { onRequest: approve });
    await expect(handle).rejects.toMatchObject({
      code: "component-failed",
      message: `june: <Release> failed: ${JSON.stringify(repo)} ${problem.replace("TEMPORARY", temporaryFolder)}. ${cure}`,
    });
    expect(agentsOf(handle.trace.root)).toEqual([]);
  });
});

describe("the model", () => {
  it.each([
    ["OPENAI_API_KEY", "openai.responses"],
    ["ANTHROPIC_API_KEY", "anthropic.messages"],
  ])("is a provider's when %s is set", async (variable, provider) => {
    vi.stubEnv(variable, "test");
    expect(await chooseModel()).toMatchObject({ provider });
  });
});
