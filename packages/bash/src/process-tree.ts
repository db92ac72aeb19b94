/**
 * Finds and ends every process a command has started: those of its session and, on Linux, those that carry its mark in their
 * environment wherever they went. Fed by run-command with the process it spawned.
 */

import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning, readEnvironment, readStatus, type ProcessStatus } from "./process-status.js";

/** How long killed processes are waited for; one in an uninterruptible system call may take longer. */
const killedMs = 1000;
/** How long an empty search is doubted where processes of others come and go all the time. */
const doubtMs = 100;

interface Member {
  readonly pid: number;
  readonly group: number;
}

interface Found {
  readonly members: readonly Member[];
  /**
   * Whether somebody may have been missed: who is forked during a search is not listed. Its parent is, and is found itself unless it
   * ended meanwhile or was starting a program, so this is set where such a process is seen that the search before had not settled.
   */
  readonly isDoubtful: boolean;
}

/** The processes that descend from `leader`, which has to be the leader of a session of its own. */
export class ProcessTree {
  readonly #leader: number;
  readonly #mark: string;
  readonly #isSandbox: boolean;
  readonly #startTime: number | undefined;
  /** Whom the search before saw as ended or as somebody else's: none of these can fork a member any more. */
  #settled: ReadonlySet<number> = new Set();

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
    const startedAt = performance.now();
    for (let pauseMs = 4; ; pauseMs = Math.min(pauseMs * 2, 100)) {
      const { members, isDoubtful } = this.#find();
      const tookMs = performance.now() - startedAt;
      if (members.length === 0 && (!isDoubtful || tookMs >= waitMs + doubtMs)) return true;
      if (members.length > 0 && tookMs >= waitMs) return false;
      await delay(members.length === 0 ? 4 : Math.min(pauseMs, waitMs - tookMs));
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
    const settled = new Set<number>();
    for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
      const status = readStatus(pid);
      const membership = status === undefined ? "ended" : this.#membershipOf(status, isReused);
      if (membership === "member") members.push(status!);
      else if (membership === "starting" || (membership === "ended" && !this.#settled.has(pid))) isDoubtful = true;
      if (membership === "ended" || membership === "stranger") settled.add(pid);
    }
    this.#settled = settled;
    return { members, isDoubtful };
  }

  #membershipOf(status: ProcessStatus, isReused: boolean): "member" | "stranger" | "ended" | "starting" {
    if (status.startTime < this.#startTime!) return "stranger";
    if (!isRunning(status)) return "ended";
    if (status.session === this.#leader && !isReused) return "member";
    const environment = readEnvironment(status.pid);
    if (environment === undefined) return "starting";
    return environment.includes(this.#mark) ? "member" : "stranger";
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
