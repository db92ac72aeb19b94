/** Answers the requests of a run as `--approve` says: a person on the terminal, or the option itself. */

import { userInfo } from "node:os";
import { JuneError, type Request, type RunHandle } from "@june/core";
import { showBlock, showLine } from "../output/safe-text.js";
import { showInput } from "../output/show-input.js";
import type { StatusLines } from "../output/streams.js";
import type { Terminal } from "./terminal.js";

/** The values of `--approve`. */
export const approveChoices = ["ask", "all", "deny"] as const;

/** How requests are answered. */
export type Approve = (typeof approveChoices)[number];

const nobody = "nobody can answer: no terminal and no store";
const noAnswer = "nobody can answer: the terminal was closed";

/** Answers for one run. */
export class Answers {
  readonly #approve: Approve;
  readonly #terminal: Terminal | undefined;
  readonly #status: StatusLines;
  /** Declarations that a person approved for the rest of this run, and who. */
  readonly #always = new Map<string, string>();

  /** @param terminal undefined where nobody can be asked */
  constructor(approve: Approve, terminal: Terminal | undefined, status: StatusLines) {
    this.#approve = approve;
    this.#terminal = terminal;
    this.#status = status;
  }

  /** Answers one request. Resolves when it is answered or void; a failure to ask is a denial. */
  async answer(handle: RunHandle, request: Request, signal: AbortSignal): Promise<void> {
    try {
      await this.#decide(handle, request, signal);
    } catch (error) {
      await denyOpen(handle, request.id, `asking failed: ${(error as Error).message}`);
    }
  }

  async #decide(handle: RunHandle, request: Request, signal: AbortSignal): Promise<void> {
    const { id, kind } = request;
    if (this.#approve === "deny") return handle.deny(id, { reason: "denied by --approve deny", by: "--approve deny" });
    if (this.#approve === "all" && kind === "approval") return handle.approve(id, { by: "--approve all" });
    if (this.#terminal === undefined) return handle.deny(id, { reason: nobody });
    await this.#terminal.hold(signal, (ask) =>
      kind === "approval" ? this.#askApproval(handle, request, ask) : this.#askInput(handle, request, ask, signal),
    );
  }

  async #askApproval(
    handle: RunHandle,
    request: Request,
    ask: (text: string) => Promise<string | undefined>,
  ): Promise<void> {
    const { id } = request;
    const declaration = declarationOf(request);
    const by = this.#always.get(declaration);
    if (by !== undefined) return handle.approve(id, { by, reason: "always for this run" });
    let text = `${this.#show(request)}\ny yes · n no · always for this run · anything else is a no with that reason\n> `;
    for (;;) {
      const line = (await ask(text))?.trim();
      if (line === undefined) return denyOpen(handle, id);
      const word = line.toLowerCase();
      if (word === "y" || word === "yes") return handle.approve(id, { by: person() });
      if (word === "n" || word === "no") return handle.deny(id, { by: person() });
      if (word === "a" || word === "always") {
        this.#always.set(declaration, person());
        return handle.approve(id, { by: person(), reason: "always for this run" });
      }
      if (line !== "") return handle.deny(id, { reason: line, by: person() });
      text = "> ";
    }
  }

  async #askInput(
    handle: RunHandle,
    request: Request,
    ask: (text: string) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    let text = `${this.#show(request)}\nThe answer, as JSON or as text:\n> `;
    for (;;) {
      const line = (await ask(text))?.trim();
      if (line === undefined) return denyOpen(handle, request.id);
      text = "> ";
      if (line === "") continue;
      try {
        return await handle.answer(request.id, parseAnswer(line), { by: person() });
      } catch (error) {
        if (!JuneError.isInstance(error) || error.code !== "tool-input" || signal.aborted) throw error;
        text = `${showBlock(error.message)}\n> `;
      }
    }
  }

  #show(request: Request): string {
    const { kind, tool, step, path, source, reason, input } = request;
    const { bold } = this.#status;
    const title = `${showLine(tool)} in ${showLine(step)} waits for ${kind === "approval" ? "approval" : "an answer"}`;
    const rows = [
      ["path", showLine(path, 400)],
      ["source", showLine(source, 400)],
      ...(reason === undefined ? [] : [["reason", showLine(reason, 400)]]),
      ["input", ""],
    ].map(([name, value]) => `  ${name!.padEnd(6)}  ${value}`.trimEnd());
    const shown = showInput(input).map((line) => `    ${line}`);
    return ["", bold(title), ...rows, ...shown].join("\n");
  }
}

/** Which declaration a request is about: its source does not tell two agents apart, the path does once it forgets which call it was. */
function declarationOf({ path, source, tool }: Request): string {
  const place = path.replaceAll(
    /\/step\[[^\]]*\](?:~\d+)?\/model\[\d+\](?:~\d+)?\/tool\[\d+:([^\]]*)\](?:~\d+)?/g,
    "/tool[$1]",
  );
  return JSON.stringify([place, source, tool]);
}

/** Denies a request that nobody answered, unless it is void by now. */
async function denyOpen(handle: RunHandle, id: string, reason = noAnswer): Promise<void> {
  if (handle.requests.some((open) => open.id === id)) await handle.deny(id, { reason });
}

function parseAnswer(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** Who sits at the terminal, as the system knows them. */
function person(): string {
  let name = "unknown";
  try {
    name = userInfo().username;
  } catch {
    // An account without a name, as in a container.
  }
  // What Bun says where the environment names nobody.
  return name === "unknown" ? (process.env["USER"] ?? process.env["LOGNAME"] ?? "the terminal") : name;
}
