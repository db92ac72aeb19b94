/** The search for a command's processes, on random trees of them and beside bystanders. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { ProcessTree } from "./process-tree.js";
import { uniqueSleep } from "./test-support/processes.js";
import { checkTrees } from "./test-support/random-trees.js";

const isLinux = process.platform === "linux";

it.runIf(isLinux)(
  "P21 no tree of shells, sessions, groups, traps and pipes outlives its call or holds it up",
  async () => {
    const checked = checkTrees(
      25,
      (command) => ({ file: "/bin/bash", args: ["-c", "--", command], cwd: "/", isSandbox: false }),
      // A new environment and a new session together are what the README leaves open.
      (command) => command.includes("env -i") && command.includes("setsid"),
    );
    await expect(checked).resolves.toBeUndefined();
  },
  600_000,
);

it.runIf(isLinux)(
  "P21 a search finds nobody under a number and a mark that are not in use, and ends nobody",
  async () => {
    const bystander = spawn("sleep", [uniqueSleep()], { detached: true, stdio: "ignore" });
    const gone = spawn("true", { detached: true });
    const tree = new ProcessTree(gone.pid!, "a mark that nobody carries", false);
    await once(gone, "exit");
    await tree.end(100);
    tree.killNow();
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    expect(process.kill(bystander.pid!, 0)).toBe(true);
    bystander.kill("SIGKILL");
    await once(bystander, "exit");
  },
);
