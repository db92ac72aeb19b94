/** The events of a run: their order, their readers, and that they fold into the trace. Long because each sentence of its rules has a test. */

import { tool } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, RequireApproval, Step, Tool, run, type RunEvent } from "@june/core";
import { foldEvents } from "@june/core/trace";
import { scriptedModel } from "@june/core/testing";
import { startRun } from "../../src/run/run.js";
import { deferred, settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { buildWorkflow, workflowPlan } from "../support/random-workflow.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { allNodes, nodesOf } from "../support/trace-nodes.js";
import { collectEvents, untilEvent } from "../support/watch-run.js";

const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });

describe("their order", () => {
  it("L40 is the order in which things happen, from run-start to run-end", async () => {
    let clock = 1_000;
    const handle = startRun(
      <Agent name="guide" model={scriptedModel([{ calls: [{ name: "ping" }] }, { text: "done", chunkSize: 2 }])}>
        <RequireApproval>
          <Tool name="ping" value={ping} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream: true, onRequest: () => ({ approved: true, by: "ada" }) },
      { now: () => clock++, generateRunId: () => "run-1" },
    );
    const events = await collectEvents(handle);
    expect(events.map(({ type, path, label }) => `${type} ${path} ${label}`)).toEqual([
      "run-start  run",
      "agent-start /agent[guide] guide",
      "agent-resolved /agent[guide] guide",
      "step-start /agent[guide]/step[a] a",
      "model-call-start /agent[guide]/step[a]/model[0] a",
      "model-call-end /agent[guide]/step[a]/model[0] a",
      "tool-call-start /agent[guide]/step[a]/model[0]/tool[0:ping] a/ping",
      "request-open /agent[guide]/step[a]/model[0]/tool[0:ping]/request[approval] a",
      "request-answered /agent[guide]/step[a]/model[0]/tool[0:ping]/request[approval] a",
      "tool-call-end /agent[guide]/step[a]/model[0]/tool[0:ping] a/ping",
      "model-call-start /agent[guide]/step[a]/model[1] a",
      "text-delta /agent[guide]/step[a]/model[1] a",
      "text-delta /agent[guide]/step[a]/model[1] a",
      "model-call-end /agent[guide]/step[a]/model[1] a",
      "step-end /agent[guide]/step[a] a",
      "agent-end /agent[guide] guide",
      "run-end  run",
    ]);
    expect(events.map(({ atMs }) => atMs)).toEqual(events.map((_, index) => 1_000 + index));
    expect(events[0]).toMatchObject({ type: "run-start", runId: "run-1" });
    await handle;
  });
});

describe("their readers", () => {
  const talk = (text: string, chunkSize: number, gate?: Promise<unknown>) =>
    run(
      <Agent model={scriptedModel([{ text, chunkSize, ...(gate === undefined ? {} : { waitFor: gate }) }])}>
        <Step id="a" prompt="go" />
      </Agent>,
      { stream: true },
    );
  const deltas = (events: readonly RunEvent[]) =>
    events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));

  it("L40 a late reader gets every event from the first on, with the deltas of a text joined", async () => {
    const handle = talk("abcdefgh", 1);
    const early = collectEvents(handle);
    await handle;
    const late = await collectEvents(handle);
    expect(deltas(await early).join("")).toBe("abcdefgh");
    expect(deltas(late)).toEqual(["abcdefgh"]);
    const withoutDeltas = (events: RunEvent[]) => events.filter(({ type }) => type !== "text-delta");
    expect(withoutDeltas(late)).toEqual(withoutDeltas(await early));
  });

  it("L40 two readers each get everything, at their own pace", async () => {
    const handle = talk("abcdefgh", 2);
    const slow: RunEvent[] = [];
    const slowly = (async () => {
      for await (const event of handle.events) {
        slow.push(event);
        await settled();
      }
    })();
    const fast = await collectEvents(handle);
    await slowly;
    expect(deltas(slow).join("")).toBe("abcdefgh");
    expect(deltas(fast).join("")).toBe("abcdefgh");
    const kinds = (events: readonly RunEvent[]) =>
      events.map(({ type }) => type).filter((type) => type !== "text-delta");
    expect(kinds(slow)).toEqual(kinds(fast));
    await handle;
  });

  it("L40 a lagging reader gets what was added since as one piece, before the events after it", async () => {
    const handle = talk("abcdefgh", 1);
    const iterator = handle.events[Symbol.asyncIterator]();
    const first: string[] = [];
    for (let next = await iterator.next(); first.push(next.value.type) && next.value.type !== "text-delta";)
      next = await iterator.next();
    await handle;
    const rest: RunEvent[] = [];
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) rest.push(next.value);
    expect(deltas(rest)).toHaveLength(1);
    expect("abcdefgh".endsWith(deltas(rest)[0]!)).toBe(true);
    expect(rest.map(({ type }) => type)).toEqual(["text-delta", "model-call-end", "step-end", "agent-end", "run-end"]);
  });

  it("L40 a reader that stops early stops alone", async () => {
    const gate = deferred();
    const handle = talk("abc", 1, gate.promise);
    for await (const event of handle.events) if (event.type === "agent-start") break;
    gate.resolve();
    expect(deltas(await collectEvents(handle))).toEqual(["a", "b", "c"]);
    const iterator = handle.events[Symbol.asyncIterator]();
    await iterator.next();
    expect(await iterator.return!()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect((await handle).output).toBe("abc");
  });

  it("L40 a reader that waits when it stops is let go", async () => {
    const gate = deferred();
    const handle = talk("abc", 1, gate.promise);
    const iterator = handle.events[Symbol.asyncIterator]();
    for (let next = await iterator.next(); next.value.type !== "model-call-start";) next = await iterator.next();
    const waiting = iterator.next();
    await iterator.return!();
    expect(await waiting).toEqual({ done: true, value: undefined });
    gate.resolve();
    await handle;
  });

  it("L40 100,000 deltas nobody reads are one entry, also for a reader who began and stopped reading", async () => {
    const text = "0123456789".repeat(10_000);
    const handle = talk(text, 1);
    const never = handle.events[Symbol.asyncIterator]();
    const began = handle.events[Symbol.asyncIterator]();
    for (let next = await began.next(); next.value.type !== "text-delta";) next = await began.next();
    await handle;
    const read = async (iterator: typeof never) => {
      const events: RunEvent[] = [];
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) events.push(next.value);
      return events;
    };
    expect(deltas(await read(never))).toEqual([text]);
    const [rest, ...more] = deltas(await read(began));
    expect(more).toEqual([]);
    expect(text.endsWith(rest!)).toBe(true);
  }, 60_000);

  it("L40 end with run-end and do not throw when the run fails or is aborted", async () => {
    const failing = run(
      <Agent model={scriptedModel([new Error("offline")])}>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect((await collectEvents(failing)).at(-1)).toMatchObject({ type: "run-end", status: "error" });
    expect(await errorOf(failing)).toMatchObject({ code: "model-failed" });
    const wrong = run(5 as never);
    expect((await collectEvents(wrong)).map(({ type }) => type)).toEqual(["run-start", "run-end"]);
    await errorOf(wrong);
    const endless = run(
      <Agent model={scriptedModel([{ text: "never", waitFor: new Promise(() => {}) }])}>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const events = collectEvents(endless);
    await untilEvent(endless, ({ type }) => type === "model-call-start");
    endless.abort("enough");
    expect((await events).at(-1)).toMatchObject({ type: "run-end", status: "aborted", error: { message: "enough" } });
    expect(await rejectionOf(endless)).toBe("enough");
  });

  it("L40 reading them counts as watching: a failure nobody awaits is no unhandled rejection", async () => {
    const { rejections } = await watchProcess(async () => {
      const handle = run(
        <Agent model={scriptedModel([new Error("offline")])}>
          <Step id="a" prompt="go" />
        </Agent>,
      );
      for await (const event of handle.events) if (event.type === "run-end") expect(event.status).toBe("error");
      await settled();
    });
    expect(rejections).toEqual([]);
  });

  it("L40 what a reader does to an event changes nothing in the run", async () => {
    const seen: unknown[] = [];
    const save = tool({
      inputSchema: z.object({ rows: z.array(z.object({ id: z.number() })) }),
      execute: (input) => {
        seen.push(structuredClone(input));
        return { kept: input.rows };
      },
    });
    const model = scriptedModel([{ calls: [{ name: "save", input: { rows: [{ id: 1 }] } }] }, "done"]);
    const handle = run(
      <Agent model={model}>
        <RequireApproval>
          <Tool name="save" value={save} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    for await (const event of handle.events) {
      if (event.type === "tool-call-start") (event.input as { rows: unknown[] }).rows.length = 0;
      if (event.type === "request-open") await handle.approve();
    }
    expect(seen).toEqual([{ rows: [{ id: 1 }] }]);
    await handle;
  });
});

describe("what they fold into", () => {
  const settings = fc.record({
    plan: workflowPlan,
    stream: fc.boolean(),
    capture: fc.constantFrom("full" as const, "shape" as const),
    /** The event after which the run is aborted; most runs go to their end. */
    abortAfter: fc.option(fc.nat({ max: 40 }), { freq: 2, nil: undefined }),
  });

  it("L40, S5 fold into the trace of the run, whatever fails, nests or is aborted", async () => {
    const { rejections, warnings, timers } = await watchProcess(() =>
      fc.assert(
        fc.asyncProperty(settings, async ({ plan, stream, capture, abortAfter }) => {
          const handle = run(buildWorkflow(plan).tree, {
            stream,
            trace: { capture },
            limits: { cleanupMs: 2 },
            onRequest: ({ input }) => ({ approved: (input as { approved: boolean }).approved }),
          });
          const events: RunEvent[] = [];
          for await (const event of handle.events) {
            events.push(event);
            if (events.length === abortAfter) handle.abort("stopped by the test");
          }
          await handle.catch(() => {});
          expect(foldEvents(events, capture)).toEqual(handle.trace);
          checkShape(events);
        }),
        { numRuns: 250 },
      ),
    );
    expect({ rejections, warnings, timers }).toEqual({ rejections: [], warnings: [], timers: 0 });
  }, 60_000);

  it("L64 give every node of one kind a path of its own, the same in every run of a tree", async () => {
    await fc.assert(
      fc.asyncProperty(workflowPlan, async (plan) => {
        const paths = async (stream: boolean) => {
          const handle = run(buildWorkflow(plan).tree, {
            stream,
            onRequest: ({ input }) => ({ approved: (input as { approved: boolean }).approved }),
          });
          await handle.catch(() => {});
          const nodes = allNodes(handle.trace);
          return {
            paths: nodes.map(({ kind, path }) => `${kind} ${path}`),
            isCut: nodes.some(({ status }) => status === "aborted"),
          };
        };
        const first = await paths(false);
        expect(new Set(first.paths).size).toBe(first.paths.length);
        // A failed branch ends the others wherever they are: what they had reached by then is a matter of time.
        const second = await paths(true);
        if (!first.isCut && !second.isCut) expect(second.paths.toSorted()).toEqual(first.paths.toSorted());
      }),
      { numRuns: 80 },
    );
  }, 60_000);

  it("L40 are what the trace says while the run still goes on", async () => {
    const gate = deferred();
    const handle = run(
      <Agent model={scriptedModel([{ text: "done", waitFor: gate.promise }])}>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const events: RunEvent[] = [];
    for await (const event of handle.events) {
      events.push(event);
      if (event.type === "model-call-start") break;
    }
    expect(foldEvents(events, "shape")).toEqual(handle.trace);
    expect(nodesOf(handle.trace, "model-call").map(({ status }) => status)).toEqual(["running"]);
    gate.resolve();
    await handle;
  });

  it("L40 say clearly when they are no events of a run", () => {
    expect(() => foldEvents([], "full")).toThrowError(
      "There is no run to make a trace of: the first event of a run is run-start.",
    );
  });
});

/** Each node starts once and ends once, inside the one around it (a tool call after the model call that asked for it), and time does not run backwards. */
function checkShape(events: readonly RunEvent[]): void {
  const open = new Map<string, string | undefined>();
  const ended = new Set<string>();
  let last = 0;
  for (const event of events) {
    // A reader who lags gets what was added to a text he knows before the events that came between.
    if (event.type !== "text-delta") {
      expect(event.atMs).toBeGreaterThanOrEqual(last);
      last = event.atMs;
    }
    if ("kind" in event) {
      expect(open.has(event.id) || ended.has(event.id)).toBe(false);
      if (event.parentId !== undefined)
        expect((event.kind === "tool-call" ? ended : open).has(event.parentId)).toBe(true);
      open.set(event.id, event.parentId);
    } else expect(open.has(event.id)).toBe(true);
    if ("status" in event) {
      for (const [id, parent] of open)
        if (parent === event.id) throw new Error(`${id} is open when ${event.path} ends`);
      open.delete(event.id);
      ended.add(event.id);
    }
  }
  expect(open.size).toBe(0);
  expect(events.at(-1)?.type).toBe("run-end");
}
