/** `june run` on a terminal: a person is asked, and the answer counts for exactly what was shown. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inProject, juneOnTerminal } from "./support/june.js";

const prompt = "\n> ";
const question = (text: string): string => `
write in first waits for approval
  path    /agent[first]/step[first]/model[0]/tool[${text === "one" ? 0 : 1}:write]
  source  <Tool name="write"> in <RequireApproval>
  reason  it writes a file
  input
    text: "${text}"
y yes · n no · always for this run · anything else is a no with that reason
> `;

async function play(answers: readonly string[], runtime: "node" | "bun" = "node") {
  return inProject({}, async (folder) => {
    const file = join(folder, "written");
    const trace = join(folder, "trace.json");
    const played = await juneOnTerminal(
      ["run", "held.tsx", "--prop", `file=${file}`, "--trace-out", trace],
      answers.map((type) => ({ wait: prompt, type })),
      { runtime },
    );
    return {
      ...played,
      written: existsSync(file) ? readFileSync(file, "utf8") : "",
      answered: answersOf(JSON.parse(readFileSync(trace, "utf8"))),
    };
  });
}

/** Every recorded answer, in order. */
function answersOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "answered" in value ? [value.answered as object] : [];
  return [...own, ...Object.values(value).flatMap(answersOf)];
}

describe.each(["node", "bun"] as const)("on %s", (runtime) => {
  it.concurrent("R2 asks on the terminal with tool, path and input; y, n and a reason answer one call each", async () => {
    const { code, terminal, stdout, written, answered } = await play(
      ["y\n", "n\n", "\n", "not now\n", "YES\n"],
      runtime,
    );
    expect(code).toBe(0);
    expect(terminal).toContain(question("one"));
    expect(terminal).toContain(question("two"));
    expect(written).toBe("one\nfour\n");
    const by = expect.stringMatching(/./) as string;
    expect(answered).toEqual([
      { type: "approved", by },
      { type: "denied", by },
      { type: "denied", by, reason: "not now" },
      { type: "approved", by },
    ]);
    expect(JSON.parse(stdout)).toEqual({ first: "first is done", second: "second is done" });
  });

  it.concurrent("R2 always for this run covers one declaration and is recorded as that person's answer", async () => {
    const { code, untyped, written, answered } = await play(["always\n", "no thanks\n"], runtime);
    expect({ code, untyped }).toEqual({ code: 0, untyped: [] });
    // The calls of the first agent, and not the tool of the same name that the second declares.
    expect(written).toBe("one\ntwo\nthree\n");
    const by = expect.stringMatching(/./) as string;
    const always = { type: "approved", by, reason: "always for this run" };
    expect(answered).toEqual([always, always, always, { type: "denied", by, reason: "no thanks" }]);
  });
});

it.concurrent("R2 takes nothing that was typed before a question as its answer", async () => {
  const { code, written, terminal } = await play(["y\ny\ny\ny\n", "first no\n", "second no\n", "third no\n"]);
  expect(code).toBe(0);
  expect(written).toBe("one\n");
  expect(terminal.split(prompt)).toHaveLength(5);
});

it.concurrent("R2 denies what is open when the terminal is closed", async () => {
  const { code, written, answered } = await play(["y\n", "\u0004"]);
  expect(code).toBe(0);
  expect(written).toBe("one\n");
  const denied = { type: "denied", reason: "nobody can answer: the terminal was closed" };
  expect(answered.slice(1)).toEqual([denied, denied, denied]);
});

it.concurrent("R2 asks for a value as JSON or text, and again when it does not fit", async () => {
  const answers = ["forty\n", "40\n"].map((type) => ({ wait: prompt, type }));
  const { code, terminal, stdout } = await juneOnTerminal(["run", "question.tsx"], answers);
  expect(code).toBe(0);
  expect(terminal).toContain("askAge in age waits for an answer\n");
  expect(terminal).toContain('june: the input does not fit the tool "askAge"');
  expect(stdout).toContain('"output":{"type":"json","value":40}');
});
