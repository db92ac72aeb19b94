/** The sandbox with a real `bwrap`: what a command can see, change and leave, and what happens where there is none. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bashTool, type BashTool } from "./bash-tool.js";
import { sandboxArguments } from "./sandbox.js";
import { call, sleepersOf, uniqueSleep, until } from "./test-support/processes.js";
import { checkTrees } from "./test-support/random-trees.js";
import { whyNoSandbox } from "./test-support/sandbox-here.js";
import { hostCommand, startHost } from "./test-support/start-host.js";

/** Where this user may put a socket as services do. */
const serviceFolder = ["/run", process.env["XDG_RUNTIME_DIR"]].find((path) => path !== undefined && isWritable(path));

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(whyNoSandbox !== undefined)(
  `P22 the sandbox${whyNoSandbox === undefined ? "" : `: ${whyNoSandbox}`}`,
  () => {
    let folder: string;
    let outside: string;
    let tool: BashTool;

    beforeEach(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "june-bash-")));
      outside = realpathSync(mkdtempSync(join(process.cwd(), "node_modules/.june-bash-")));
      tool = bashTool({ cwd: folder, sandbox: "bubblewrap" });
    });

    afterEach(() => {
      rmSync(folder, { recursive: true, force: true });
      rmSync(outside, { recursive: true, force: true });
    });

    describe("what a command can change", () => {
      it("P22 the folder, and nothing outside", async () => {
        const result = await call(tool, `echo in > in; echo out > ${outside}/out; echo etc > /etc/june-test; cat in`);
        expect(result).toMatchObject({ exitCode: 0, stdout: "in\n" });
        // A folder below /tmp is not there at all in a sandbox, which has a /tmp of its own.
        expect(result.stderr.match(/Read-only file system|No such file or directory/g)).toHaveLength(2);
        expect(readFileSync(join(folder, "in"), "utf8")).toBe("in\n");
        expect(existsSync(join(outside, "out")) || existsSync("/etc/june-test")).toBe(false);
      });

      it("P22 not by way of a link, a mount or a namespace of its own", async () => {
        symlinkSync(outside, join(folder, "link"));
        const attempts = [
          "echo out > link/out",
          `mount -o remount,rw /; mount --bind ${outside} ${outside}; echo out > ${outside}/out`,
          `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo out > ${outside}/out'`,
          "echo '|/bin/false' > /proc/sys/kernel/core_pattern",
          "echo c > /proc/sysrq-trigger",
        ];
        for (const attempt of attempts) expect((await call(tool, `(${attempt}) 2>&1`)).exitCode, attempt).not.toBe(0);
        expect(existsSync(join(outside, "out"))).toBe(false);
        expect((await call(tool, "grep CapEff /proc/self/status")).stdout).toMatch(/\t0+\n$/);
      });

      it("P22 a /tmp of its own, empty at each call", async () => {
        expect(await call(tool, 'echo x > /tmp/x && echo y > "$TMPDIR/y" && ls /tmp/[xy]')).toMatchObject({
          exitCode: 0,
          stdout: "/tmp/x\n/tmp/y\n",
        });
        expect((await call(tool, "ls /tmp/x")).exitCode).toBe(2);
        expect(existsSync("/tmp/x")).toBe(false);
      });

      it("P22 the whole disk is no folder to work in", async () => {
        const message =
          'june: bashTool(): sandbox="bubblewrap" with the folder / would let commands change the whole disk\nGive the folder they work in as cwd.';
        expect(() => bashTool({ cwd: "/", sandbox: "bubblewrap" })).toThrow(message);
        symlinkSync("/", join(folder, "root"));
        await expect(call(bashTool({ cwd: join(folder, "root"), sandbox: "bubblewrap" }), "ls")).rejects.toThrow(
          message,
        );
      });
    });

    describe("what a command can reach", () => {
      it("P22 no network, unless it is allowed", async () => {
        const server = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
        await once(server, "listening");
        try {
          const { port } = server.address() as { port: number };
          const command = `cat < /dev/tcp/127.0.0.1/${port}`;
          expect(await call(tool, command)).toMatchObject({ exitCode: 1, stdout: "" });
          const open = bashTool({ cwd: folder, sandbox: "bubblewrap", network: true });
          expect(await call(open, command)).toMatchObject({ exitCode: 0, stdout: "hello\n" });
        } finally {
          server.close();
        }
      });

      it("P22 no process but its own", async () => {
        expect((await call(tool, `kill -0 ${process.pid}`)).exitCode).toBe(1);
        const { stdout } = await call(tool, "cat /proc/[0-9]*/comm");
        expect(stdout.trim().split("\n").toSorted()).toEqual(["bwrap", "cat"]);
      });

      it.runIf(serviceFolder !== undefined)("P22 no socket of the services under /run", async () => {
        const socket = join(serviceFolder!, `june-test-${process.pid}.sock`);
        const server = createServer().listen(socket);
        await once(server, "listening");
        try {
          const command = `test -S ${socket}`;
          expect((await call(bashTool(), command)).exitCode).toBe(0);
          expect((await call(tool, command)).exitCode).toBe(1);
        } finally {
          server.close();
        }
      });
    });

    describe("how a command ends", () => {
      it.each([
        ["printf before; kill -9 $$", { exitCode: 137, signal: "SIGKILL", stdout: "before" }],
        ["kill -SEGV $$", { exitCode: 139, signal: "SIGSEGV" }],
        ["exit 7", { exitCode: 7 }],
        ["june-has-no-such-program", { exitCode: 127 }],
        ["cat; pwd", { exitCode: 0 }],
      ])("case 61 P20 P22 %s", async (command, expected) => {
        const result = await call(tool, command);
        expect(result).toMatchObject(expected);
        expect(Object.hasOwn(result, "signal")).toBe("signal" in expected);
      });

      it("P21 P22 at its time limit with TERM first, then KILL", async () => {
        const cleaning = "trap 'echo cleaned; exit 5' TERM; echo before; while :; do sleep 0.05; done";
        expect(await call(tool, cleaning, { timeoutMs: 300 })).toMatchObject({
          exitCode: 5,
          stdout: "before\ncleaned\n",
          timedOut: true,
        });
        const seconds = uniqueSleep();
        const deaf = `trap '' TERM; echo before; sleep ${seconds} & while :; do sleep ${seconds}; done`;
        expect(await call(tool, deaf, { timeoutMs: 300 })).toMatchObject({
          exitCode: 137,
          signal: "SIGKILL",
          stdout: "before\n",
          timedOut: true,
        });
        expect(sleepersOf(seconds)).toEqual([]);
      });

      it("P21 P22 with everything it started, also what a plain command could leave", async () => {
        const seconds = uniqueSleep();
        const started = `env -i "$(command -v setsid)" "$(command -v sleep)" ${seconds} & until pgrep -fx '/[a-z/]*sleep ${seconds}' > /dev/null; do sleep 0.01; done; echo done`;
        const result = await call(tool, started);
        expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" });
        expect(sleepersOf(seconds)).toEqual([]);
      });

      it("P21 P22 whatever tree it started", async () => {
        const [bwrap, ...before] = ["/usr/bin/bwrap", ...sandboxArguments(folder, false), "/bin/bash", "-c", "--"];
        const checked = checkTrees(
          15,
          (command) => ({ file: bwrap, args: [...before, command], cwd: folder, isSandbox: true }),
          () => false,
        );
        await expect(checked).resolves.toBeUndefined();
      }, 600_000);

      it("P21 P22 also when its host is killed", async () => {
        const { host, seconds } = await startHost("wait", "bubblewrap");
        const exited = once(host, "exit");
        host.kill("SIGKILL");
        expect(await exited).toEqual([null, "SIGKILL"]);
        await until(() => sleepersOf(seconds).length === 0);
      });
    });

    describe("where there is none", () => {
      const inside = (...args: string[]): string =>
        execFileSync("bwrap", ["--dev-bind", "/", "/", ...args, "--", ...hostCommand("sandbox-host.ts")], {
          encoding: "utf8",
        });

      it("P22 it is an error when the tool is made: no bwrap", () => {
        expect(inside("--ro-bind", "/dev/null", realpathSync("/usr/bin/bwrap"))).toBe(
          'june: bashTool(): sandbox="bubblewrap" needs the program bwrap, which is not on PATH\n' +
            "Install the package bubblewrap (Linux only), or leave sandbox out to run without one.",
        );
      });

      it("P22 it is an error when the tool is made: no namespaces", () => {
        expect(inside("--unshare-user", "--disable-userns", "--cap-drop", "ALL")).toMatch(
          /^june: bashTool\(\): sandbox="bubblewrap" cannot start here: bwrap: .+\nAllow this user to create namespaces, or leave sandbox out to run without one\.$/,
        );
      });
    });
  },
);
