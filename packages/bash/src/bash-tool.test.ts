/** The tool with real shells: what it gives back for every way a command can end, write and ask. */

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asSchema } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bashTool } from "./bash-tool.js";
import { call } from "./test-support/processes.js";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "june-bash-")));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("P20 the tool", () => {
  it("P20 gives how the command ended and what it wrote, as JSON", async () => {
    const result = await call(bashTool({ cwd: folder }), "pwd; echo wrong >&2; exit 3");
    expect(result).toEqual({
      exitCode: 3,
      stdout: `${folder}\n`,
      stderr: "wrong\n",
      truncated: false,
      durationMs: expect.any(Number),
      timedOut: false,
    });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("P20 waits for approval unless told otherwise", () => {
    const rule = ({ command }: { command: string }): boolean => command !== "ls";
    expect(bashTool().needsApproval).toBe(true);
    expect(bashTool({ needsApproval: undefined }).needsApproval).toBe(true);
    expect(bashTool({ needsApproval: false }).needsApproval).toBe(false);
    expect(bashTool({ needsApproval: rule }).needsApproval).toBe(rule);
  });

  it("P20 takes a command and a time limit up to its own", async () => {
    const { jsonSchema, validate } = asSchema(bashTool({ timeoutMs: 5000 }).inputSchema);
    expect(await jsonSchema).toMatchObject({
      type: "object",
      required: ["command"],
      properties: {
        command: { type: "string", minLength: 1 },
        timeoutMs: { type: "integer", minimum: 1, maximum: 5000 },
      },
    });
    const isTaken = async (input: unknown): Promise<boolean | undefined> => (await validate?.(input))?.success;
    expect(await isTaken({ command: "ls", timeoutMs: 5000 })).toBe(true);
    expect(await isTaken({ command: "" })).toBe(false);
    expect(await isTaken({ command: "ls", timeoutMs: 5001 })).toBe(false);
    expect(await isTaken({ command: "ls\0" })).toBe(false);
    expect(await isTaken({ command: "≤".repeat(43_690) })).toBe(true);
    expect(await isTaken({ command: "≤".repeat(43_691) })).toBe(false);
  });

  it("P20 runs a command that begins with a dash and one of the longest allowed", async () => {
    expect((await call(bashTool(), "-ls; echo after")).stdout).toBe("after\n");
    const long = `echo after; # ${"x".repeat(131_057)}`;
    expect(Buffer.byteLength(long)).toBe(131_071);
    expect((await call(bashTool(), long)).stdout).toBe("after\n");
    await expect(call(bashTool(), `${long}x`)).rejects.toThrow(
      "the command could not be started (E2BIG): it is longer than the system takes. Write it to a file and run that",
    );
  });

  it("P20 says so when the folder is missing or a file, and finds it once it is there", async () => {
    const inner = join(folder, "inner");
    const tool = bashTool({ cwd: inner });
    await expect(call(tool, "pwd")).rejects.toThrow(
      `commands start in ${JSON.stringify(inner)}, which does not exist. Make that folder, or give another cwd.`,
    );
    await call(bashTool({ cwd: folder }), "mkdir inner");
    expect((await call(tool, "pwd")).stdout).toBe(`${inner}\n`);
    writeFileSync(join(folder, "file"), "");
    await expect(call(bashTool({ cwd: join(folder, "file") }), "pwd")).rejects.toThrow("which is not a folder.");
  });
});

describe("case 61 the end of a command", () => {
  it.each([
    ["printf before; kill -9 $$", { exitCode: 137, signal: "SIGKILL", stdout: "before" }],
    ["kill -SEGV $$", { exitCode: 139, signal: "SIGSEGV", stdout: "" }],
    ["kill $$", { exitCode: 143, signal: "SIGTERM" }],
    ["exit 7", { exitCode: 7 }],
    ["june-has-no-such-program", { exitCode: 127, stderr: expect.stringContaining("not found") }],
    ["if", { exitCode: 2, stderr: expect.stringContaining("syntax error") }],
  ])("case 61 P20 %s", async (command, expected) => {
    const result = await call(bashTool(), command);
    expect(result).toMatchObject(expected);
    expect(Object.hasOwn(result, "signal")).toBe("signal" in expected);
    expect(result.durationMs).toBeLessThan(3000);
  });
});

describe("case 59 a command that would ask", () => {
  it.each([
    ["cat", { exitCode: 0, stdout: "" }],
    ['read x; echo "got:$x"', { exitCode: 0, stdout: "got:\n" }],
    ["tty", { exitCode: 1, stdout: "not a tty\n" }],
    ["cat < /dev/tty", { exitCode: 1, stderr: expect.stringContaining("/dev/tty") }],
    ["git init -q . && git -c user.name=a -c user.email=a@june.example commit --allow-empty", { exitCode: 1 }],
  ])("case 59 P21 %s", async (command, expected) => {
    const result = await call(bashTool({ cwd: folder, timeoutMs: 10_000 }), command);
    expect(result).toMatchObject({ ...expected, timedOut: false });
    expect(result.durationMs).toBeLessThan(3000);
  });
});

describe("case 62 P21 characters", () => {
  it("case 62 P21 one that comes in pieces is put together", async () => {
    const command = String.raw`printf '\xe2'; sleep 0.1; printf '\x89'; sleep 0.1; printf '\xa4'`;
    expect((await call(bashTool(), command)).stdout).toBe("≤");
  });

  it("case 62 P21 200 KB of box-drawing characters come whole", async () => {
    const command = `for ((line = 0; line < 1000; line++)); do printf '${"─┼═".repeat(22)}\\n'; done`;
    const result = await call(bashTool({ maxOutputBytes: 250_000 }), command);
    expect(result.truncated).toBe(false);
    expect(result.stdout).toBe(`${"─┼═".repeat(22)}\n`.repeat(1000));
  });

  it.each([1000, 1001, 1002, 1003])("case 62 P21 none is cut at a limit of %i bytes", async (maxOutputBytes) => {
    const result = await call(bashTool({ maxOutputBytes }), "for ((i = 0; i < 3000; i++)); do printf '─😀'; done");
    expect(result.truncated).toBe(true);
    expect(result.stdout).toMatch(/^[─😀]+\n\[\d+ bytes left out\]\n[─😀]+$/u);
  });

  it("case 62 P21 one that a killed command did not finish is left out", async () => {
    const result = await call(bashTool(), String.raw`printf 'ab\xe2\x89'; kill -9 $$`);
    expect(result.stdout).toBe("ab");
  });

  it("P21 without a language of the host's, programs write UTF-8", async () => {
    expect(
      (await call(bashTool({ cwd: folder, env: { LC_ALL: "", LANG: "C.UTF-8" } }), "touch 'é ≤'; ls; rm 'é ≤'", {}))
        .exitCode,
    ).toBe(0);
    expect((await call(bashTool({ cwd: folder }), "touch é≤; ls")).stdout).toBe("é≤\n");
  });
});

describe("P21 bounded output", () => {
  it("P21 head and tail are kept and the middle is counted, for each stream", async () => {
    const result = await call(bashTool({ maxOutputBytes: 20 }), "seq 1 1000; seq 1 1000 >&2; echo end");
    expect(result.truncated).toBe(true);
    const { length } = Array.from({ length: 1000 }, (_, index) => `${index + 1}\n`).join("");
    expect(result.stdout).toBe(`1\n2\n3\n4\n5\n\n[${length + 4 - 20} bytes left out]\n\n1000\nend\n`);
    expect(result.stderr).toBe(`1\n2\n3\n4\n5\n\n[${length - 20} bytes left out]\n\n999\n1000\n`);
  });

  it("P21 output of any size is never held in memory", async () => {
    await call(bashTool(), "head -c 20000000 /dev/zero | tr '\\0' 'y'");
    const before = process.memoryUsage.rss();
    let highest = before;
    const sampler = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
    const result = await call(bashTool(), "yes 'a line of output' | head -c 500000000");
    clearInterval(sampler);
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.stdout.length).toBeLessThan(33_000);
    expect(highest - before).toBeLessThan(200_000_000);
  });

  it("case 65 P21 no colour codes and no earlier states of a redrawn line", async () => {
    const result = await call(bashTool(), String.raw`printf '\033[31mred\033[0m\n1%%\r2%%\r100%%\n'`);
    expect(result.stdout).toBe("red\n100%\n");
  });

  it("case 65 P21 a long progress display leaves room for what comes around it", async () => {
    const command = String.raw`echo start; for ((i = 0; i <= 20000; i++)); do printf '\r[%5d/20000]' $i; done; echo; echo end`;
    const result = await call(bashTool({ maxOutputBytes: 100 }), command);
    expect(result).toMatchObject({ stdout: "start\n[20000/20000]\nend\n", truncated: false });
  });
});

describe("P21 environment", () => {
  it("P21 nothing of the host's but the allow-list reaches a command", async () => {
    process.env["JUNE_TEST_TOKEN"] = "s3cr3t";
    try {
      const { stdout } = await call(bashTool({ env: { OWN: "mine" } }), "env");
      expect(stdout).not.toContain("s3cr3t");
      expect(stdout).toContain("OWN=mine\n");
      expect(stdout).toContain("TERM=dumb\n");
      expect(stdout).toContain(`PATH=${process.env["PATH"]}\n`);
    } finally {
      delete process.env["JUNE_TEST_TOKEN"];
    }
  });

  it("P21 the shell is the host's bash, whatever PATH the commands get", async () => {
    expect((await call(bashTool({ env: { PATH: "/nowhere" } }), "echo $PATH")).stdout).toBe("/nowhere\n");
  });
});

describe("case 64 P20 the folder", () => {
  it("case 64 P20 is the same for every call: nothing is remembered, so nothing can be lost", async () => {
    const host = process.cwd();
    const tool = bashTool({ cwd: folder });
    expect(await call(tool, "mkdir d && cd d && pwd")).toMatchObject({ exitCode: 0, stdout: `${folder}/d\n` });
    expect(await call(tool, "pwd")).toMatchObject({ exitCode: 0, stdout: `${folder}\n` });
    rmSync(join(folder, "d"), { recursive: true });
    expect(await call(tool, "echo hi")).toMatchObject({ exitCode: 0, stdout: "hi\n" });
    expect(process.cwd()).toBe(host);
  });

  it("case 64 P20 calls at the same time do not move each other", async () => {
    const tool = bashTool({ cwd: folder });
    const [first, second] = await Promise.all(
      ["a", "b"].map((name) => call(tool, `mkdir ${name}; cd ${name}; touch here; sleep 0.1; pwd`)),
    );
    expect(first).toMatchObject({ exitCode: 0, stdout: `${folder}/a\n` });
    expect(second).toMatchObject({ exitCode: 0, stdout: `${folder}/b\n` });
    expect(existsSync(join(folder, "a/here")) && existsSync(join(folder, "b/here"))).toBe(true);
  });

  it("case 64 P20 a relative one is that of the moment the tool was made", async () => {
    const host = process.cwd();
    try {
      process.chdir(folder);
      const tool = bashTool();
      process.chdir(host);
      expect((await call(tool, "pwd")).stdout).toBe(`${folder}\n`);
    } finally {
      process.chdir(host);
    }
  });
});
