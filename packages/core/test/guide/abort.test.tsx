/** Aborts: wherever one meets a run, it rejects with the very reason, after cleanup, and leaves nothing behind. Long because each sentence of its rules has a test. */

import { getEventListeners } from "node:events";
import { isStepCount, tool } from "ai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Agent, Catch, Parallel, Step, Tool, run, type RunHandle } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { abortScenarios } from "../support/abort-scenarios.js";
import { deferred, settled } from "../support/deferred.js";
import { countedSignal, watchProcess } from "../support/leftovers.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { startScript } from "../support/run-script.js";
import { allNodes, nodeOf, nodesOf } from "../support/trace-nodes.js";
import { collectEvents, untilEvent } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];
const none = { rejections: [], warnings: [], timers: 0 };
const scenarios = abortScenarios.flatMap((scenario) =>
  (scenario.onlyStream === true ? [true] : [false, true]).map((stream) => Object.assign({ stream }, scenario)),
);

describe("during", () => {
  it.each(scenarios)("L47 $name (stream: $stream)", async ({ build, stream, ignores, cleansUp = false }) => {
    const { tree, isWaiting, log, models, processIds } = build();
    const controller = new AbortController();
    const reason = Object.assign(new Error("the person gave up"), { detail: 1 });
    let handle!: RunHandle;
    const report = await watchProcess(async () => {
      // What cleans up may take its time on a busy machine; what never does is not worth waiting for.
      const cleanupMs = ignores === undefined ? 10_000 : 25;
      handle = run(tree, { stream, signal: controller.signal, limits: { cleanupMs } });
      void handle.requests;
      await isWaiting;
      const calls = models.map((model) => model.calls.length);
      controller.abort(reason);
      expect(await rejectionOf(handle)).toBe(reason);
      expect(log).toEqual(cleansUp ? ["waiting", "cleaned up"] : ["waiting"]);
      await settled();
      // Nothing goes on: no model is called again, at any level.
      expect(models.map((model) => model.calls.length)).toEqual(calls);
    });
    expect(report).toEqual(none);
    expect(processIds.filter(isAlive)).toEqual([]);
    const nodes = allNodes(handle.trace);
    expect(nodes.filter(({ status }) => status === "running" || status === "waiting")).toEqual([]);
    expect(handle.trace.root).toMatchObject({ status: "aborted", error: { message: "the person gave up" } });
    const notes = nodes.flatMap((node) => node.notes ?? []).filter(({ code }) => code === "ignored-abort");
    expect(notes).toEqual(ignores === undefined ? [] : [{ code: "ignored-abort", text: ignores }]);
    const started = nodesOf(handle.trace, "tool-call");
    expect(started.every((node) => node.status === "aborted" && node.error?.message === reason.message)).toBe(true);
  });

  it("L47 all of these in a process of their own: it ends by itself, with nothing active", async () => {
    const { code, stdout, stderr } = await startScript("aborted-runs.ts").ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { active, runs } = JSON.parse(stdout) as { active: string[]; runs: number };
    expect(runs).toBe(scenarios.length);
    // Its own standard streams.
    expect(new Set(active)).toEqual(new Set(["PipeWrap"]));
  }, 60_000);
});

describe("cleanup", () => {
  it("L47, L44 is waited for cleanupMs, 10,000 unless set, and for ever if that is meant", async () => {
    const deaf = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) });
    for (const [limits, waitMs] of [
      [{}, 10_000],
      [{ cleanupMs: 50 }, 50],
      [{ cleanupMs: Infinity }, 86_400_000],
    ] as const) {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const handle = run(
          <Agent model={scriptedModel([{ calls: [{ name: "deaf" }] }])}>
            <Tool name="deaf" value={deaf} />
            <Step id="a" prompt="go" />
          </Agent>,
          { limits },
        );
        await untilEvent(handle, ({ type }) => type === "tool-call-start");
        let isOver = false;
        handle.then(undefined, () => (isOver = true));
        await settled();
        handle.abort("stop");
        vi.advanceTimersByTime(waitMs - 1);
        await settled();
        expect(isOver).toBe(false);
        if (waitMs === 86_400_000) continue;
        vi.advanceTimersByTime(1);
        expect(await rejectionOf(handle)).toBe("stop");
      } finally {
        vi.useRealTimers();
      }
    }
  });
});

describe("the reason", () => {
  const waitingRun = (options: { signal?: AbortSignal } = {}) =>
    run(
      <Agent model={scriptedModel([{ text: "never", waitFor: new Promise(() => {}) }])}>
        <Step id="a" prompt="go" />
      </Agent>,
      options,
    );

  it("L47 comes out as it went in, whatever it is", async () => {
    for (const reason of ["text", 5, null, { why: 1 }, new TypeError("t"), new DOMException("d", "AbortError")]) {
      const byHandle = waitingRun();
      byHandle.abort(reason);
      expect(await rejectionOf(byHandle)).toBe(reason);
      const controller = new AbortController();
      const bySignal = waitingRun({ signal: controller.signal });
      controller.abort(reason);
      expect(await rejectionOf(bySignal)).toBe(reason);
    }
  });

  it("L47 is an AbortError when none is given", async () => {
    const byHandle = waitingRun();
    byHandle.abort();
    expect(await rejectionOf(byHandle)).toMatchObject({ name: "AbortError", message: "the run was aborted" });
    const bySignal = await rejectionOf(waitingRun({ signal: AbortSignal.timeout(10) }));
    expect(bySignal).toMatchObject({ name: "TimeoutError" });
  });

  it("L47 is the first one given", async () => {
    const controller = new AbortController();
    const handle = waitingRun({ signal: controller.signal });
    handle.abort("first");
    handle.abort("second");
    controller.abort("third");
    expect(await rejectionOf(handle)).toBe("first");
  });

  it("L47 does not hide behind what it makes fail: a tool that throws something else on abort", async () => {
    for (const stream of [false, true]) {
      const broken = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise((_resolve, reject) =>
            abortSignal!.addEventListener("abort", () => reject(new Error("socket hang up"))),
          ),
      });
      const handle = run(
        <Catch retries={5} fallback={() => "fallback"}>
          <Agent model={scriptedModel([{ calls: [{ name: "broken" }] }])}>
            <Tool name="broken" value={broken} />
            <Step id="a" prompt="go" />
          </Agent>
        </Catch>,
        { stream },
      );
      await untilEvent(handle, ({ type }) => type === "tool-call-start");
      await settled();
      handle.abort("stop");
      expect(await rejectionOf(handle)).toBe("stop");
      // The trace keeps what the tool threw.
      expect(nodeOf(handle.trace, "tool-call", "broken")).toMatchObject({
        status: "aborted",
        error: { message: "socket hang up" },
      });
      expect(nodesOf(handle.trace, "attempt")).toHaveLength(1);
    }
  });
});

describe("an AbortError of somebody else's", () => {
  it("L47, L30 is a failure like any other, alone and in a branch of a <Parallel>", async () => {
    const Fetching = () => {
      throw new DOMException("the download was cut", "AbortError");
    };
    for (const tree of [
      <Fetching />,
      <Parallel>
        <Fetching />
        {"beside it"}
      </Parallel>,
    ]) {
      const handle = run(tree);
      expect(await errorOf(handle)).toMatchObject({ code: "component-failed", cause: { name: "AbortError" } });
      expect(handle.trace.root.status).toBe("error");
    }
  });
});

describe("an abort that comes late", () => {
  it.each(modes)(
    "L47 in the last tool call or the last model call still rejects (stream: $stream)",
    async ({ stream }) => {
      const aborting = tool({
        inputSchema: z.object({}),
        execute: () => {
          handle.abort("in the tool");
          return "done all the same";
        },
      });
      let handle: RunHandle = run(
        <Agent model={scriptedModel([{ calls: [{ name: "aborting" }] }])} stopWhen={isStepCount(1)}>
          <Tool name="aborting" value={aborting} />
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      expect(await rejectionOf(handle)).toBe("in the tool");
      handle = run(
        <Agent
          model={scriptedModel(() => {
            handle.abort("in the model");
            return "the answer";
          })}
        >
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      expect(await rejectionOf(handle)).toBe("in the model");
      handle = run(
        <Agent model={scriptedModel(["the answer"])}>
          <Step id="a" prompt="go">
            {() => {
              handle.abort("after the answer");
              return null;
            }}
          </Step>
        </Agent>,
        { stream },
      );
      expect(await rejectionOf(handle)).toBe("after the answer");
    },
  );

  it("L47 after the end changes nothing", async () => {
    const controller = new AbortController();
    const handle = run(<>text</>, { signal: controller.signal });
    const result = await handle;
    handle.abort("late");
    controller.abort("late");
    await settled();
    expect((await handle).output).toBe("text");
    expect(result.trace.root.status).toBe("ok");
  });

  it.each(modes)(
    "L47 what a deaf tool gives after it was left is heard by nobody (stream: $stream)",
    async ({ stream }) => {
      const late = deferred<string>();
      const deaf = tool({ inputSchema: z.object({}), execute: () => late.promise });
      const report = await watchProcess(async () => {
        for (const end of [() => late.resolve("late"), () => late.reject(new Error("late"))]) {
          const handle = run(
            <Agent model={scriptedModel([{ calls: [{ name: "deaf" }] }])}>
              <Tool name="deaf" value={deaf} />
              <Step id="a" prompt="go" />
            </Agent>,
            { stream, limits: { cleanupMs: 5 } },
          );
          await untilEvent(handle, ({ type }) => type === "tool-call-start");
          handle.abort("stop");
          expect(await rejectionOf(handle)).toBe("stop");
          const { trace } = handle;
          end();
          await settled();
          expect(handle.trace).toEqual(trace);
          expect((await collectEvents(handle)).at(-1)).toMatchObject({ type: "run-end" });
        }
      });
      expect(report).toEqual(none);
    },
  );
});

describe("a signal aborted before", () => {
  it.each(modes)("L47 starts nothing (stream: $stream)", async ({ stream }) => {
    let rendered = 0;
    const Part = () => {
      rendered++;
      return null;
    };
    const model = scriptedModel([]);
    const { controller, signal, listeners } = countedSignal();
    controller.abort("before");
    const handle = run(
      <>
        <Part />
        <Agent model={model}>
          <Step id="a" prompt="go" />
        </Agent>
      </>,
      { signal, stream },
    );
    expect((await collectEvents(handle)).map(({ type }) => type)).toEqual(["run-start", "run-end"]);
    expect(await rejectionOf(handle)).toBe("before");
    expect([rendered, model.calls.length, listeners()]).toEqual([0, 0, 0]);
  });
});

describe("listeners", () => {
  it.each(modes)(
    "L47 200 calls, 50 of them composites, leave none on the signal and do not pile up inside (stream: $stream)",
    async ({ stream }) => {
      const { signal, listeners } = countedSignal();
      const inside: number[] = [];
      const outside: number[] = [];
      const count = tool({
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) => {
          inside.push(getEventListeners(abortSignal!, "abort").length);
          outside.push(listeners());
          return "counted";
        },
      });
      const model = scriptedModel(({ index }) =>
        index === 200 ? "done" : { calls: [{ name: index % 4 === 3 ? "composite" : "count", input: {} }] },
      );
      const report = await watchProcess(async () => {
        await run(
          <Agent model={model} stopWhen={isStepCount(300)}>
            <Tool name="count" value={count} />
            <Tool name="composite" description="Composite" input={z.object({})}>
              {() => (
                <Agent model={echoModel()}>
                  <Step id="inner" prompt="hello" />
                </Agent>
              )}
            </Tool>
            <Step id="a" prompt="go" />
          </Agent>,
          { signal, stream },
        );
      });
      expect(report).toEqual(none);
      expect(inside).toHaveLength(150);
      expect(Math.max(...outside)).toBe(1);
      expect(inside.at(-1)).toBe(inside[0]);
      expect(listeners()).toBe(0);
    },
  );

  it("L47 200 runs on one signal, failed and aborted ones too, leave none", async () => {
    const { signal, listeners } = countedSignal();
    const report = await watchProcess(async () => {
      for (let index = 0; index < 200; index++) {
        const handle = run(
          <Agent model={scriptedModel([index % 3 === 0 ? new Error("down") : "done"])}>
            <Step id="a" prompt="go" />
          </Agent>,
          { signal },
        );
        if (index % 3 === 1) handle.abort("stop");
        await handle.catch(() => {});
      }
    });
    expect(listeners()).toBe(0);
    expect(report).toEqual(none);
  });
});

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
