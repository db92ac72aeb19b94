/** Makes the sample project: a small package with a changelog and two releases in its history, the same to the last commit id each time. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { runGit } from "./git.js";

interface Commit {
  readonly message: string;
  readonly date: string;
  readonly files: Readonly<Record<string, string>>;
  readonly tag?: string;
}

const manifest = (version: string): string =>
  `${JSON.stringify({ name: "word-tally", version, description: "Counts the words of a text.", type: "module", exports: "./index.js" }, null, 2)}\n`;

const changelog = (...entries: readonly string[]): string => `# Changelog\n\n${entries.join("\n")}`;
const firstEntry = "## 1.0.0\n\n### Added\n\n- Count the words of a text.\n";
const secondEntry = "## 1.1.0\n\n### Added\n\n- Leave out words by a list.\n";

const tally = `/** Counts how often each word stands in a text. */
export function tally(text, { without = [] } = {}) {
  const counts = new Map();
  for (const [word] of text.toLowerCase().matchAll(PATTERN)) {
    if (!without.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
`;
const splitting = tally.replace("PATTERN", "/[a-z]+/g");
const joining = tally.replace("PATTERN", "/[a-z]+(?:'[a-z]+)?/g");
const mostFrequent = `
/** The words that stand most often in a text, the most frequent first. */
export function mostFrequent(text, limit = 10) {
  return [...tally(text)].sort(([, one], [, other]) => other - one).slice(0, limit);
}
`;

const history: readonly Commit[] = [
  {
    message: "feat: count the words of a text",
    date: "2025-03-03T09:00:00Z",
    files: {
      "package.json": manifest("1.0.0"),
      "CHANGELOG.md": changelog(firstEntry),
      "index.js": splitting.replace(", { without = [] } = {}", "").replace("if (!without.includes(word)) ", ""),
    },
    tag: "v1.0.0",
  },
  {
    message: "feat: leave out words by a list",
    date: "2025-04-14T09:00:00Z",
    files: {
      "package.json": manifest("1.1.0"),
      "CHANGELOG.md": changelog(secondEntry, firstEntry),
      "index.js": splitting,
    },
    tag: "v1.1.0",
  },
  {
    message: 'fix: count a word with an apostrophe as one\n\nIt was counted as two, so "don\'t" gave "don" and "t".',
    date: "2025-05-05T09:00:00Z",
    files: { "index.js": joining },
  },
  {
    message: "feat: list the most frequent words",
    date: "2025-05-12T09:00:00Z",
    files: { "index.js": joining + mostFrequent },
  },
  {
    message: "docs: show how to count a file",
    date: "2025-05-13T09:00:00Z",
    files: { "README.md": '# word-tally\n\n```js\ntally(readFileSync("notes.txt", "utf8"));\n```\n' },
  },
];

const identity = { name: "Sample Project", email: "sample@example.invalid" };

/** Makes it in a new temporary folder, which is the caller's to remove, and gives that folder. */
export async function makeSampleProject(parent: string = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, "june-release-"));
  try {
    await git(folder, ["init", "--quiet", "--template=", "--initial-branch=main", "--object-format=sha1"]);
    const settings = { "user.name": identity.name, "user.email": identity.email, "tag.gpgSign": "false" };
    for (const [name, value] of Object.entries(settings)) await git(folder, ["config", name, value]);
    for (const commit of history) await addCommit(folder, commit);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function addCommit(folder: string, { message, date, files, tag }: Commit): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await git(folder, ["add", "--all"]);
  await git(folder, ["commit", "--quiet", "--message", message], date);
  if (tag !== undefined) await git(folder, ["tag", "--annotate", "--message", `Release ${tag}`, tag], date);
}

/** Without the settings of the machine and of its user, which could sign, rewrite or refuse a commit. */
function git(folder: string, words: readonly string[], date = ""): Promise<string> {
  return runGit(folder, words, {
    env: {
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: date,
    },
  });
}
