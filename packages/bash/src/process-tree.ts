/**
 * Finds and ends every process a command has started: those of its session and, on Linux, those that carry its mark in their
 * environment wherever they went. Fed by run-command with the process it spawned.
 */

import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning, readEnvironment, readStatus } from "./process-status.js";

/** How long killed processes are waited for; one in an uninterruptible system call may take longer. */
const killedMs = 1000;

interface Member {
  readonly pid: number;
  readonly group: number;
}

interface Found {
  readonly members: readonly Member[];
  /** Whether a process was seen in the middle of starting a program, when its environment cannot be read. */
  readonly isDoubtful: boolean;
}

/** The processes that descend from `leader`, which has to be the leader of a session of its own. */
export class ProcessTree {
  readonly #leader: number;
  readonly #mark: string;
  readonly #isSandbox: boolean;
  readonly #startTime: number | undefined;

  /**
   * @param mark text that stands in the environment of the leader and nowhere else.
   * @param isSandbox the leader is the sandbox's monitor: with its death everything inside is killed at once.
   */
  constructor(leader: number, mark: string, isSandbox: boolean) {
    this.#leader = leader;
    this.#mark = mark;
    this.#isSandbox = isSandbox;
    this.#startTime = readStatus(leader)?.startTime;
  }

  /** Sends TERM, waits `graceMs`, then sends KILL until nothing is left. Returns at once when nothing is. */
  async end(graceMs: number): Promise<void> {
    if (await this.#isEmptyWithin(0)) return;
    this.#signal("SIGTERM");
    if (await this.#isEmptyWithin(graceMs)) return;
    const giveUpAt = performance.now() + killedMs;
    do this.#signal("SIGKILL");
    while (!(await this.#isEmptyWithin(50)) && performance.now() < giveUpAt);
  }

  /** Sends KILL until nothing is left, without giving the event loop a turn: for the end of the host's own process. */
  killNow(): void {
    for (let pauseMs = 1; pauseMs <= 32; pauseMs *= 2) {
      const { members, isDoubtful } = this.#find();
      if (members.length === 0 && !isDoubtful) return;
      this.#signal("SIGKILL");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }

  #signal(name: "SIGTERM" | "SIGKILL"): void {
    const { members } = this.#find();
    if (this.#isSandbox && name === "SIGTERM") {
      for (const { pid } of members) if (pid !== this.#leader) send(pid, name);
      return;
    }
    // By group, as that also reaches a child forked since the search. A member's group holds members only: it lies within a session,
    // and a session outside the leader's was begun by a member.
    for (const group of new Set(members.map((member) => member.group))) send(-group, name);
  }

  /** Looks at growing intervals: at once, and a last time when `waitMs` have passed. */
  async #isEmptyWithin(waitMs: number): Promise<boolean> {
    const endAt = performance.now() + waitMs;
    let doubts = 0;
    for (let pauseMs = 4; ; pauseMs = Math.min(pauseMs * 2, 100)) {
      const { members, isDoubtful } = this.#find();
      // A program starts within microseconds, so whoever is still without an environment a moment later has none.
      if (members.length === 0 && (!isDoubtful || doubts++ > 0)) return true;
      const leftMs = endAt - performance.now();
      if (members.length > 0 && leftMs <= 0) return false;
      await delay(members.length === 0 ? pauseMs : Math.min(pauseMs, leftMs));
    }
  }

  #find(): Found {
    if (this.#startTime === undefined) {
      const isThere = send(-this.#leader, 0);
      return { members: isThere ? [{ pid: this.#leader, group: this.#leader }] : [], isDoubtful: false };
    }
    const members: Member[] = [];
    let isDoubtful = false;
    // A number is given out again only when no process has it as its session: then nobody is left in the leader's.
    const isReused = (readStatus(this.#leader)?.startTime ?? this.#startTime) !== this.#startTime;
    for (const name of readdirSync("/proc")) {
      const status = /^\d+$/.test(name) ? readStatus(Number(name)) : undefined;
      if (status === undefined || status.startTime < this.#startTime || !isRunning(status)) continue;
      if (status.session === this.#leader && !isReused) {
        members.push(status);
        continue;
      }
      const environment = readEnvironment(status.pid);
      if (environment?.includes(this.#mark)) members.push(status);
      else if (environment === "") isDoubtful = true;
    }
    return { members, isDoubtful };
  }
}

/** Whether there was somebody to send it to. Never 0 or -1, which mean the host's own group and everybody. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  if (Math.abs(target) <= 1) return false;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
