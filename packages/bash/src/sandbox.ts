/** The sandbox: how `bwrap` is told what a command may see and change, and whether it can be had here. Feeds bash-tool. */

import { spawnSync } from "node:child_process";
import { findProgram } from "./find-program.js";
import { invalidOption, type BashSettings } from "./options.js";

const probeMs = 10_000;

/**
 * The path of a `bwrap` that works on this machine: it is run once.
 * @throws {DeclarationError} `invalid-option` when there is none, or the system forbids it what it needs.
 */
export function requireBubblewrap({ cwd, network }: Pick<BashSettings, "cwd" | "network">): string {
  if (cwd === "/") throw wholeDisk();
  const instead = "or leave sandbox out to run without one.";
  const file = findProgram("bwrap");
  if (file === undefined)
    throw invalidOption(
      'sandbox="bubblewrap" needs the program bwrap, which is not on PATH',
      `Install the package bubblewrap (Linux only), ${instead}`,
    );
  const { status, stderr, error } = spawnSync(file, [...isolation(network), "--", findProgram("true") ?? "true"], {
    env: {},
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: probeMs,
    killSignal: "SIGKILL",
  });
  if (status !== 0) {
    const [reason = ""] = (error?.message ?? stderr).trim().split("\n");
    throw invalidOption(
      `sandbox="bubblewrap" cannot start here: ${reason === "" ? `bwrap ended with ${status}` : reason}`,
      `Allow this user to create namespaces, ${instead}`,
    );
  }
  return file;
}

/** Arguments of `bwrap` up to the command, which starts in `cwd`, a real path, and may change nothing else that lasts. */
export function sandboxArguments(cwd: string, network: boolean): string[] {
  if (cwd === "/") throw wholeDisk();
  return [...isolation(network), "--bind", cwd, cwd, "--chdir", cwd, "--"];
}

function wholeDisk(): Error {
  return invalidOption(
    'sandbox="bubblewrap" with the folder / would let commands change the whole disk',
    "Give the folder they work in as cwd.",
  );
}

function isolation(network: boolean): string[] {
  const resolver = "/run/systemd/resolve";
  return [
    ["--die-with-parent", "--unshare-all"],
    network ? ["--share-net"] : [],
    // When root starts it, bwrap would leave every capability, and with it a remount of the root as writable.
    ["--cap-drop", "ALL"],
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    // Settings of the whole machine are files under /proc/sys, which root owns and needs no capability to write.
    ["--remount-ro", "/proc"],
    ["--tmpfs", "/tmp"],
    // The sockets of services that start processes for others lie here: Docker's, systemd's, D-Bus's. They work on a read-only mount.
    ["--tmpfs", "/run"],
    // What /etc/resolv.conf and the programs of some systems are links to.
    ...[`${resolver}/stub-resolv.conf`, `${resolver}/resolv.conf`, "/run/current-system"].map((path) => [
      "--ro-bind-try",
      path,
      path,
    ]),
  ].flat();
}
