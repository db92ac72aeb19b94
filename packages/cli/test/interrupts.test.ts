/** Ctrl-C, real signals to a real process, and the exit codes. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, inProject, june, juneOnTerminal } from "./support/june.js";

const ready = "model call start";
const slow = (log: string, closeMs: number): string[] => [
  "run",
  "slow.tsx",
  "--prop",
  `log=${log}`,
  "--prop",
  `closeMs=${closeMs}`,
];
const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

describe.each(["node", "bun"] as const)("on %s", (runtime) => {
  it.concurrent.each(["SIGINT", "SIGTERM"] as const)(
    "R3 the first %s aborts, waits for cleanup and gives 130",
    async (signal) => {
      await inProject({}, async (folder) => {
        const log = join(folder, "log");
        let isSent = false;
        const finished = await june([...slow(log, 100), "--json"], {
          runtime,
          watch: (stderr, kill) => {
            if (isSent || !stderr.includes(ready)) return;
            isSent = true;
            kill(signal);
          },
        });
        expect(read(log)).toBe("closing\nclosed\n");
        expect(finished.code).toBe(130);
        expect(finished.stderr).toContain("june: stopping, waiting for cleanup; Ctrl-C again leaves at once\n");
        expect(errorOf(finished)).toBe("june: interrupted");
        expect(JSON.parse(finished.stdout)).toMatchObject({ ok: false, exitCode: 130, error: { name: "Interrupted" } });
      });
    },
  );
});

it.concurrent("R3 the second Ctrl-C leaves at once", async () => {
  await inProject({}, async (folder) => {
    const log = join(folder, "log");
    const finished = await june(slow(log, 60_000), {
      watch: (stderr, kill) => {
        if (stderr.includes("closing")) kill("SIGINT");
        else if (stderr.includes(ready) && !stderr.includes("stopping")) kill("SIGINT");
      },
    });
    expect(read(log)).toBe("closing\n");
    expect(finished).toMatchObject({ code: 130, stdout: "" });
  });
});

it.concurrent("R3 Ctrl-C on the terminal ends a run that waits for an answer", async () => {
  await inProject({}, async (folder) => {
    const file = join(folder, "written");
    const dialog = [{ wait: "\n> ", type: "\u0003" }];
    const { code, terminal } = await juneOnTerminal(["run", "held.tsx", "--prop", `file=${file}`], dialog);
    expect(code).toBe(130);
    expect(terminal).toMatch(/june: interrupted\n$/);
    expect(existsSync(file)).toBe(false);
  });
});

it.concurrent("R3 an error that nothing handles ends the run after its cleanup", async () => {
  const text = `import Slow from ${JSON.stringify(join(import.meta.dirname, "fixtures/slow.tsx"))};
export default function Stray({ log }: { log: string }) {
  setTimeout(() => void Promise.reject(new Error("nobody waits")), 50);
  return <Slow log={log} />;
}
`;
  await inProject({ "stray.tsx": text }, async (cwd) => {
    const log = join(cwd, "log");
    const finished = await june(["run", "stray.tsx", "--prop", `log=${log}`], { cwd });
    expect(finished.code).toBe(1);
    expect(errorOf(finished)).toBe(
      "june: an error that nothing in the workflow handles ended the run: nobody waits\n  at stray.tsx:3",
    );
    expect(read(log)).toBe("closing\nclosed\n");
  });
});

it.concurrent.each(["node", "bun"] as const)("R3 a run that can never end fails, on %s", async (runtime) => {
  const text = `import { Agent } from "june";
import { scriptedModel } from "june/testing";
const model = scriptedModel([{ text: "never", waitFor: new Promise(() => {}) }]);
export default () => <Agent model={model}>Hello</Agent>;
`;
  await inProject({ "stuck.tsx": text }, async (cwd) => {
    const finished = await june(["run", "stuck.tsx"], { cwd, runtime });
    expect(finished.code).toBe(1);
    expect(errorOf(finished)).toBe(
      "june: the run can never end: it waits for a promise, and nothing is left in the process that could settle it.",
    );
  });
});

it.concurrent("R3 gives 0 for a run that is done, although the workflow left something open", async () => {
  const text = `import { Agent } from "june";\nsetInterval(() => {}, 1_000);\nexport default <Agent>still here</Agent>;\n`;
  await inProject({ "open.tsx": text }, async (cwd) => {
    expect(await june(["run", "open.tsx", "--model", "echo"], { cwd })).toMatchObject({
      code: 0,
      stdout: "still here\n",
    });
  });
});
