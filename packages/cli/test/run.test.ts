/** `june run`: options, the answer, the lines beside it, exit codes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, inProject, june, juneOnTerminal } from "./support/june.js";

const echo = ["run", "echo.tsx", "--model", "echo"];

describe("R1", () => {
  it.concurrent("R1 gives props from --props JSON, a file or the standard input; --prop is text and wins", async () => {
    expect(await june([...echo, "--props", '{"a":1,"b":2}', "--prop", "b=x=y", "--prop", "c="])).toMatchObject({
      code: 0,
      stdout: '{"a":1,"b":"x=y","c":""}\n',
    });
    await inProject({ "input.json": '{"from": "the file"}' }, async (folder) => {
      const words = [...echo, "--props", `@${join(folder, "input.json")}`];
      expect(await june(words)).toMatchObject({ code: 0, stdout: '{"from":"the file"}\n' });
    });
    expect(await june([...echo, "--props", "-"], { input: '{"from": "the input"}' })).toMatchObject({
      code: 0,
      stdout: '{"from":"the input"}\n',
    });
    expect(await june([...echo, "--prop", "__proto__=own"])).toMatchObject({ stdout: '{"__proto__":"own"}\n' });
  });

  it.concurrent("R1 runs another export with --export, a component or an element", async () => {
    expect(await june([...echo, "--export", "Other"])).toMatchObject({ code: 0, stdout: "the other one\n" });
    expect(await june([...echo, "--export", "ready"])).toMatchObject({ code: 0, stdout: "the other one\n" });
  });

  it.concurrent("R1 prints text as it is and anything else as JSON", async () => {
    const words = ["run", "held.tsx", "--prop", "file=/dev/null", "--approve", "deny"];
    const { stdout } = await june(words);
    expect(stdout).toBe('{\n  "first": "first is done",\n  "second": "second is done"\n}\n');
  });

  it.concurrent("R1 prints one document with --json, whatever the workflow prints itself", async () => {
    const { code, stdout, stderr } = await june(["run", "sum.tsx", "--approve", "all", "--json"]);
    const { runId, durationMs, ...document } = JSON.parse(stdout) as Record<string, unknown>;
    expect(code).toBe(0);
    expect(runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(durationMs).toBeGreaterThan(0);
    const output = expect.stringMatching(/^results: .*"value":3.*"value":42/) as string;
    const usage = { inputTokens: 1_210, outputTokens: 35, totalTokens: 1_245 };
    expect(document).toMatchObject({ ok: true, output, steps: { sum: output }, usage: { own: usage, total: usage } });
    expect(stderr).toMatch(/^printed by the workflow\n/);
  });

  it.concurrent("R1 prints one document with --json when the run fails, and when it does not begin", async () => {
    const text = 'export default function Fails() { throw new Error("no", { cause: new Error("why") }); }\n';
    await inProject({ "fails.ts": text }, async (cwd) => {
      const { code, stdout } = await june(["run", "fails.ts", "--json"], { cwd });
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        ok: false,
        exitCode: 1,
        error: {
          name: "RunError",
          code: "component-failed",
          message: "june: <Fails> failed: no",
          cause: { name: "Error", message: "no", cause: { message: "why" } },
        },
        usage: { total: { inputTokens: 0 } },
      });
      expect(stdout).not.toContain("stack");
    });
    const { code, stdout } = await june(["run", "gone.tsx", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      exitCode: 2,
      error: { name: "CommandError", message: "june: there is no file gone.tsx." },
    });
  });

  it.concurrent("R1 writes the trace with --trace-out, captured in full, also of a run that failed", async () => {
    await inProject({}, async (folder) => {
      const file = join(folder, "trace.json");
      await june(["run", "sum.tsx", "--approve", "all", "--trace-out", file]);
      const trace = JSON.parse(readFileSync(file, "utf8")) as { root: object };
      expect(trace).toMatchObject({ format: "june.trace/1", capture: "full", root: { status: "ok" } });
      expect(JSON.stringify(trace)).toContain("Add for nobody.");

      const { code } = await june([...echo.slice(0, 2), "--trace-out", file]);
      expect(code).toBe(2);
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ root: { status: "error" } });
    });
  });

  it.concurrent("R1 gives the answer also when the trace cannot be written in the end, and fails then", async () => {
    const finished = await june([...echo, "--trace-out", "/dev/full"]);
    expect(finished).toMatchObject({ code: 1, stdout: "{}\n" });
    expect(errorOf(finished)).toBe("june: --trace-out /dev/full: the disk is full");
  });

  it.concurrent("R1 ends a run after --timeout, and waits for its cleanup", async () => {
    await inProject({}, async (folder) => {
      const log = join(folder, "log");
      const finished = await june([
        "run",
        "slow.tsx",
        "--prop",
        `log=${log}`,
        "--prop",
        "closeMs=50",
        "--timeout",
        "0.3s",
      ]);
      expect(finished).toMatchObject({ code: 1, stdout: "" });
      expect(errorOf(finished)).toBe("june: the run took longer than --timeout 0.3s");
      expect(readFileSync(log, "utf8")).toBe("closing\nclosed\n");
    });
  });
});

describe("R2", () => {
  it.concurrent.each(["node", "bun"] as const)(
    "R2 prints one line for each event and a summary, on %s",
    async (runtime) => {
      const { code, stdout, stderr } = await june(["run", "sum.tsx"], { runtime });
      expect(code).toBe(0);
      expect(stdout).toContain("nobody can answer: no terminal and no store");
      const [first, ...lines] = withoutTimes(stderr).split("\n");
      expect(first).toBe("printed by the workflow");
      expect(lines).toEqual([
        "  0.0s  run start         ID",
        "  0.0s  component start   <Sum>",
        "  0.0s  agent start       adder",
        "  0.0s  agent resolved    adder: add, double (waits)",
        "  0.0s  step start        sum  with add, double",
        "  0.0s  model call start  sum  june.testing:scripted",
        "  0.0s  model call end    sum  0 ms  1,200 in, 30 out",
        '  0.0s  tool call start   sum/add  {"a":1,"b":2}',
        '  0.0s  tool call start   sum/double  {"a":21,"b":21}',
        "  0.0s  request open      sum  double waits for approval: it doubles",
        "  0.0s  request answered  sum  double denied: nobody can answer: no terminal and no store",
        "  0.0s  tool call end     sum/add  → 3  0 ms",
        "  0.0s  tool call end     sum/double  error: nobody can answer: no terminal and no store  0 ms",
        "  0.0s  model call start  sum  june.testing:scripted",
        "  0.0s  model call end    sum  0 ms  10 in, 5 out",
        expect.stringMatching(/^ {2}0\.0s {2}step end {10}sum {2}→ "results: .{60,}… \(\d+ characters\) {2}0 ms$/),
        "  0.0s  agent end         adder  0 ms",
        "  0.0s  component end     <Sum>  0 ms",
        "  0.0s  run end           run  0 ms",
        "",
        "agent adder",
        '  add     <Tool name="add">',
        '  double  <Tool name="double"> in <RequireApproval>  waits: <RequireApproval>',
        "requests",
        "  double in sum: denied: nobody can answer: no terminal and no store",
        "done in 0 ms: 2 model calls, 1,210 tokens in, 35 out",
        "",
      ]);
    },
  );

  it.concurrent("R2 answers every approval with --approve all or deny, and says that the option did", async () => {
    const all = await june(["run", "sum.tsx", "--approve", "all"]);
    expect(all.stdout).toContain('"value":42');
    expect(all.stderr).toContain("  double in sum: approved by --approve all\n");
    const deny = await june(["run", "sum.tsx", "--approve", "deny"]);
    expect(deny.stdout).toContain('"reason":"denied by --approve deny"');
    expect(deny.stderr).toContain("  double in sum: denied by --approve deny: denied by --approve deny\n");
  });

  it.concurrent("R2 denies a question for a value where nobody can answer it", async () => {
    const { code, stdout } = await june(["run", "question.tsx", "--approve", "all"]);
    expect(code).toBe(0);
    expect(stdout).toContain('"reason":"nobody can answer: no terminal and no store"');
  });

  it.concurrent("R2 makes hostile text harmless on the terminal, and leaves it as it is in a pipe", async () => {
    const isHarmless = (text: string): boolean => !/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u.test(text);
    const words = ["run", "hostile.tsx", "--approve", "all"];
    const piped = await june(words);
    expect(piped.stdout).toBe("answer \u001b[2J\u001b]0;owned\u0007\u009b31m\u202egnorw\r\u2028 with\ttab\nand line\n");
    expect(isHarmless(piped.stderr)).toBe(true);
    expect(Math.max(...piped.stderr.split("\n").map((line) => line.length))).toBeLessThan(400);

    const shown = await juneOnTerminal(["run", "hostile.tsx"], [{ wait: "\n> ", type: "y\n" }], { stdout: "terminal" });
    expect(shown.code).toBe(0);
    expect(isHarmless(shown.terminal)).toBe(true);
    expect(shown.terminal).toContain("answer \\u001b[2J\\u001b]0;owned\\u0007");
    expect(shown.terminal).toMatch(/start x+ … 19\d,\d{3} characters left out … x+ end"\n/);
    expect(shown.terminal.length).toBeLessThan(12_000);
  });

  it.concurrent("R2 uses colours on a terminal only, and none with NO_COLOR", async () => {
    const words = ["run", "echo.tsx", "--model", "echo"];
    expect((await june(words)).stderr).not.toContain("\u001b");
    expect((await juneOnTerminal(words, [])).terminal).not.toContain("\u001b");
    expect((await juneOnTerminal(words, [], { env: { NO_COLOR: "" } })).terminal).toContain("\u001b[1magent parrot");
    expect((await juneOnTerminal(words, [], { env: { NO_COLOR: "", TERM: "dumb" } })).terminal).not.toContain("\u001b");
  });
});

/** Times and ids replaced, which differ from run to run. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/^ +\d+\.\ds/gm, "  0.0s")
    .replaceAll(/\b\d+(?:\.\d)? m?s\b/g, "0 ms")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
}
