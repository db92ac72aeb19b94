/** Answers: in any order, from code, from nobody, too late. Long because each sentence of its rules has a test. */

import { tool } from "ai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  Agent,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  run,
  type Request,
  type RunHandle,
} from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { Asking, calls, gatedRun } from "../support/gated-run.js";
import { watchProcess } from "../support/leftovers.js";
import { withoutPlaces } from "../support/places.js";
import { resultOutputs, toolResults } from "../support/prompts.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { startScript } from "../support/run-script.js";
import { nodesOf } from "../support/trace-nodes.js";
import { collectEvents, openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];

describe("answers in any order", () => {
  const orders = permutations([0, 1, 2, 3]);

  it.each(modes)(
    "L45 lose nothing: all 24 orders of 4 answers, two of them denials (stream: $stream)",
    async ({ stream }) => {
      for (const order of orders) {
        const { handle, model, ran } = gatedRun([calls("a", "b", "c", "d"), "done"], { stream });
        const open = await openRequests(handle, 4);
        for (const [answered, index] of order.entries()) {
          const { id } = open[index]!;
          if (index % 2 === 0) await handle.approve(id);
          else await handle.deny(id, { reason: `not ${index}` });
          await settled();
          expect(handle.requests).toHaveLength(3 - answered);
          // The model waits for the last answer; each call runs on its own.
          expect(model.calls).toHaveLength(answered === 3 ? 2 : 1);
          expect(ran).toHaveLength(order.slice(0, answered + 1).filter((given) => given % 2 === 0).length);
        }
        expect((await handle).output).toBe("done");
        expect(resultOutputs(model, 1)).toEqual([
          { type: "text", value: "saved a" },
          { type: "execution-denied", reason: "not 1" },
          { type: "text", value: "saved c" },
          { type: "execution-denied", reason: "not 3" },
        ]);
      }
    },
  );

  it("L45 a call that needs no answer runs at once, and its result is kept", async () => {
    const free = tool({ inputSchema: z.object({}), execute: () => "free ran" });
    const ran: string[] = [];
    const model = scriptedModel([{ calls: [{ name: "held" }, { name: "free" }] }, "done"]);
    const handle = run(
      <Agent model={model}>
        <RequireApproval>
          <Tool name="held" value={tool({ inputSchema: z.object({}), execute: () => void ran.push("held") })} />
        </RequireApproval>
        <Tool name="free" value={{ ...free, execute: () => void ran.push("free") }} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await openRequests(handle);
    await settled();
    expect(ran).toEqual(["free"]);
    await handle.approve();
    await handle;
    expect(ran).toEqual(["free", "held"]);
  });

  it.each(modes)(
    "L45 a denied call has its result like any other: one for each id, in every later prompt (stream: $stream)",
    async ({ stream }) => {
      const { handle, model } = gatedRun([calls("a", "b"), calls("c"), "done"], { stream });
      for await (const event of handle.events) {
        if (event.type !== "request-open") continue;
        const { key } = event.input as { key: string };
        const open = handle.requests.find(({ input }) => (input as { key: string }).key === key);
        if (open !== undefined)
          await (key === "b" ? handle.deny(open.id, { reason: "budget freeze" }) : handle.approve(open.id));
      }
      await handle;
      for (const call of [1, 2]) {
        const ids = toolResults(model, call).map(({ toolCallId }) => toolCallId);
        expect(new Set(ids).size).toBe(call + 1);
        expect(ids).toHaveLength(call + 1);
        expect(resultOutputs(model, call)[1]).toEqual({ type: "execution-denied", reason: "budget freeze" });
      }
    },
  );

  it("L45 in two turns and in parallel agents at once", async () => {
    const script = (key: string) => scriptedModel([calls(`${key}1`), calls(`${key}2`), `${key} done`]);
    const models = [script("a"), script("b"), script("c")];
    const ran: string[] = [];
    const save = tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => void ran.push(key) });
    const handle = run(
      <Parallel>
        {models.map((model, index) => (
          <Agent key={index} model={model}>
            <RequireApproval>
              <Tool name="save" value={save} />
            </RequireApproval>
            <Step id={`s${index}`} prompt="go" />
          </Agent>
        ))}
      </Parallel>,
    );
    // Always the youngest first.
    for await (const event of handle.events)
      if (event.type === "request-open") {
        await settled();
        const youngest = handle.requests.at(-1);
        if (youngest !== undefined) await handle.approve(youngest.id);
        for (const { id } of handle.requests) await handle.approve(id);
      }
    expect((await handle).steps).toEqual({ s0: "a done", s1: "b done", s2: "c done" });
    expect(ran.toSorted()).toEqual(["a1", "a2", "b1", "b2", "c1", "c2"]);
  });

  it("L45 50 open requests are no reason for a warning, and leave nothing behind", async () => {
    const report = await watchProcess(async () => {
      const { handle, ran } = gatedRun([calls(...Array.from({ length: 50 }, (_, index) => `k${index}`)), "done"]);
      const open = await openRequests(handle, 50);
      for (const { id } of open) await handle.approve(id);
      await handle;
      expect(ran).toHaveLength(50);
    });
    expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
  });
});

describe("onRequest", () => {
  it("L45 answers in code, with the request and a signal", async () => {
    const seen: Request[] = [];
    const { handle, model } = gatedRun([calls("a", "b", "c"), "done"], {
      onRequest: async (request, { signal }) => {
        seen.push(request);
        expect(signal.aborted).toBe(false);
        await settled();
        const { key } = request.input as { key: string };
        if (key === "a") return { approved: true };
        if (key === "b") return { approved: false, reason: "not b" };
        return { approved: true, input: { key: "d" } };
      },
    });
    await handle;
    expect(seen).toHaveLength(3);
    expect(resultOutputs(model, 1)).toEqual([
      { type: "text", value: "saved a" },
      { type: "execution-denied", reason: "not b" },
      { type: "text", value: "saved d" },
    ]);
  });

  it("L45 gives answers to requests for input", async () => {
    const model = scriptedModel([{ calls: [{ name: "confirm", input: { question: "?" } }] }, "done"]);
    await run(<Asking model={model} />, { onRequest: () => ({ answer: "yes", by: "a rule" }) });
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "yes" }]);
  });

  it("L45, L47 its signal aborts with the run", async () => {
    let signal: AbortSignal | undefined;
    const { handle } = gatedRun([calls("a")], {
      onRequest: (_request, options) => {
        ({ signal } = options);
        return new Promise(() => {});
      },
    });
    await openRequests(handle);
    handle.abort("stop");
    expect(await rejectionOf(handle)).toBe("stop");
    expect([signal!.aborted, signal!.reason]).toEqual([true, "stop"]);
    expect(handle.requests).toEqual([]);
  });

  it("L45 passes with undefined: whoever reads may answer", async () => {
    const { handle, ran } = gatedRun([calls("a"), "done"], { onRequest: () => undefined });
    await openRequests(handle);
    await handle.approve();
    await handle;
    expect(ran).toHaveLength(1);
  });

  it("L45 that throws denies the call with that reason", async () => {
    for (const onRequest of [
      () => {
        throw new Error("the desk is closed");
      },
      () => Promise.reject(new Error("the desk is closed")),
      () => Promise.reject("the desk is closed"),
    ]) {
      const report = await watchProcess(async () => {
        const { handle, model, ran } = gatedRun([calls("a"), "done"], { onRequest });
        await handle;
        expect(ran).toEqual([]);
        expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "the desk is closed" }]);
      });
      expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
    }
  });

  it("L45 that gives something else, or an input that does not fit, lets nothing through", async () => {
    for (const [answer, reason] of [
      [true, /onRequest gave something that is no answer/],
      [null, /onRequest gave something that is no answer/],
      ["approved", /onRequest gave something that is no answer/],
      [{ approved: "yes" }, /onRequest gave something that is no answer/],
      [{}, /onRequest gave something that is no answer/],
      [{ answer: "yes" }, /is of kind "approval" and cannot be answered with answer\(\)/],
      [{ approved: true, input: { key: 5 } }, /the input does not fit the tool "save"/],
    ] as const) {
      const { handle, model, ran } = gatedRun([calls("a"), "done"], { onRequest: () => answer as never });
      await handle;
      expect(ran).toEqual([]);
      expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: expect.stringMatching(reason) }]);
    }
  });

  it("L45 that answers after somebody else changes nothing", async () => {
    let release!: (answer: { approved: true }) => void;
    const report = await watchProcess(async () => {
      const { handle, ran } = gatedRun([calls("a"), "done"], {
        onRequest: () => new Promise((resolve) => (release = resolve)),
      });
      await openRequests(handle);
      await handle.deny({ reason: "no" });
      release({ approved: true });
      await handle;
      await settled();
      expect(ran).toEqual([]);
    });
    expect(report.rejections).toEqual([]);
  });
});

describe("nobody to answer", () => {
  it.each(modes)(
    "L46 fails with request-unanswered and names the ways to answer (stream: $stream)",
    async ({ stream }) => {
      const { handle, ran } = gatedRun([calls("a"), "done"], { stream });
      const error = await errorOf(handle);
      expect(error).toMatchObject({ code: "request-unanswered", name: "RunError" });
      expect(withoutPlaces(error.message)).toBe(
        'june: the tool "save" in keep waits for approval and nobody can give it\nAnswer in code with run(element, { onRequest }), read handle.events or handle.requests and call approve(), deny() or answer(), or run it with june run, which asks on the terminal.',
      );
      expect(ran).toEqual([]);
      expect(handle.trace.root).toMatchObject({ status: "error", error: { code: "request-unanswered" } });
      const asking = await errorOf(
        run(<Asking model={scriptedModel([{ calls: [{ name: "confirm", input: { question: "?" } }] }])} />, { stream }),
      );
      expect(asking.message).toContain('june: the tool "confirm" in ask waits for an answer and nobody can give it\n');
    },
  );

  it("L46, L61 says nothing of the input", async () => {
    const { handle } = gatedRun([calls("s3cr3t"), "done"]);
    const error = await errorOf(handle);
    expect(error.message).not.toContain("s3cr3t");
    expect(JSON.stringify((error as { details?: unknown }).details)).not.toContain("s3cr3t");
  });

  it("L46 fails from any depth, and is not given to a model as a tool error", async () => {
    const inner = scriptedModel([{ calls: [{ name: "save", input: {} }] }]);
    const outer = scriptedModel([{ calls: [{ name: "helper", input: {} }] }]);
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({}),
      prompt: () => "go",
      model: inner,
      capabilities: () => (
        <RequireApproval>
          <Tool name="save" value={tool({ inputSchema: z.object({}), execute: () => "x" })} />
        </RequireApproval>
      ),
    });
    const error = await errorOf(
      run(
        <Agent model={outer}>
          <Helper />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "request-unanswered" });
    expect(error.message).toContain("in helper:answer waits for approval");
    expect([outer.calls.length, inner.calls.length]).toEqual([1, 1]);
  });

  it("L46 fails when onRequest passes and nobody reads", async () => {
    const { handle } = gatedRun([calls("a"), "done"], { onRequest: async () => undefined });
    expect(await errorOf(handle)).toMatchObject({ code: "request-unanswered" });
  });

  it("L46 reading the requests is watching too, and so is reading the events", async () => {
    for (const read of [(handle: RunHandle) => void handle.requests, (handle: RunHandle) => void handle.events]) {
      const { handle, ran } = gatedRun([calls("a"), "done"]);
      read(handle);
      await openRequests(handle);
      await handle.approve();
      await handle;
      expect(ran).toHaveLength(1);
    }
  });

  it("L46 an open request keeps the process alive until it is answered", async () => {
    const script = startScript("open-request.ts");
    try {
      await script.output("waiting");
      // Nothing else is left to run: without June the process would have ended by now.
      const isOver = await Promise.race([
        script.ended.then(() => true),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), 500)),
      ]);
      expect(isOver).toBe(false);
      script.process.kill("SIGUSR2");
      expect(await script.ended).toMatchObject({ code: 0, stdout: "waiting\ndone after yes\n", stderr: "" });
    } finally {
      script.process.kill("SIGKILL");
      await script.ended;
    }
  });
});

describe("requestMs", () => {
  it.each(modes)(
    "L44, L45 denies a request that nobody answers in time, and says so (stream: $stream)",
    async ({ stream }) => {
      const report = await watchProcess(async () => {
        const { handle, model, ran } = gatedRun([calls("a"), "done"], { stream, limits: { requestMs: 20 } });
        const events = await collectEvents(handle);
        await handle;
        expect(ran).toEqual([]);
        expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "nobody answered within 20 ms" }]);
        expect(events.find(({ type }) => type === "request-answered")).toMatchObject({
          answer: { type: "denied", reason: "nobody answered within 20 ms" },
        });
        const request = nodesOf(handle.trace, "request")[0]!;
        expect(request.answered).toEqual({ type: "denied", reason: "nobody answered within 20 ms" });
      });
      expect(report).toEqual({ rejections: [], warnings: [], timers: 0 });
    },
  );

  it("L44 is as long as it says, also beyond what the runtime's timers hold", async () => {
    const dayMs = 86_400_000;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    try {
      const { handle, model } = gatedRun([calls("a"), "done"], { limits: { requestMs: 60 * dayMs } });
      await openRequests(handle);
      vi.advanceTimersByTime(60 * dayMs - 1);
      await settled();
      expect(handle.requests).toHaveLength(1);
      vi.advanceTimersByTime(1);
      await handle;
      expect(resultOutputs(model, 1)).toEqual([
        { type: "execution-denied", reason: `nobody answered within ${60 * dayMs} ms` },
      ]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("L44 denies requests for input as well, and leaves no timer when they are answered", async () => {
    const script = [{ calls: [{ name: "confirm", input: { question: "?" } }] }, "done"];
    const model = scriptedModel(script);
    const report = await watchProcess(async () => {
      const handle = run(<Asking model={model} />, { limits: { requestMs: 10 } });
      void handle.requests;
      await handle;
      const answered = run(<Asking model={scriptedModel(script)} />, { limits: { requestMs: 60_000 } });
      await openRequests(answered);
      await answered.answer("yes");
      await answered;
    });
    expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "nobody answered within 10 ms" }]);
    expect(report.timers).toBe(0);
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item].concat(rest)));
}
