/** Requests: what one holds, who answers it and how, and what happens when nobody can. */

import { jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  run,
  type Request,
  type RunHandle,
  type RunOptions,
} from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { withoutPlaces } from "../support/places.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { startScript } from "../support/run-script.js";
import { nodesOf } from "../support/trace-nodes.js";
import { collectEvents, openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];

/** Four gated calls in one turn; each tool notes that it ran. */
function gatedRun(script: readonly ScriptEntry[], options: RunOptions = {}) {
  const ran: unknown[] = [];
  const model = scriptedModel(script);
  const save = tool({
    inputSchema: z.object({ key: z.string(), note: z.string().default("none") }),
    execute: (input) => {
      ran.push(input);
      return `saved ${input.key}`;
    },
  });
  const handle = run(
    <Agent name="keeper" model={model}>
      <RequireApproval reason="it writes">
        <Tool name="save" value={save} />
      </RequireApproval>
      <Step id="keep" prompt="go" />
    </Agent>,
    options,
  );
  return { handle, model, ran };
}

const calls = (...keys: string[]) => ({ calls: keys.map((key) => ({ name: "save", input: { key } })) });

describe("what a request is", () => {
  it.each(modes)("L45 names the call and shows the input that will run (stream: $stream)", async ({ stream }) => {
    const { handle, ran } = gatedRun([calls("a"), "done"], { stream });
    const [request] = await openRequests(handle);
    expect(request).toEqual({
      id: expect.stringMatching(/^r[0-9a-z]+$/),
      kind: "approval",
      path: "/agent[keeper]/step[keep]/model[0]/tool[0:save]",
      step: "keep",
      tool: "save",
      input: { key: "a", note: "none" },
      reason: "it writes",
      source: '<Tool name="save"> in <RequireApproval>',
      agent: "keeper",
    });
    await handle.approve(request!.id);
    await handle;
    expect(ran).toEqual([request!.input]);
    expect(handle.requests).toEqual([]);
  });

  it("L45 is frozen all through: who is asked cannot change what runs", async () => {
    const { handle, ran } = gatedRun([calls("a"), "done"]);
    const [request] = await openRequests(handle);
    expect(Object.isFrozen(request)).toBe(true);
    expect(() => ((request!.input as { key: string }).key = "b")).toThrowError(TypeError);
    await handle.approve();
    await handle;
    expect(ran).toEqual([{ key: "a", note: "none" }]);
  });

  it("L45 draws a random default once: what was shown is what runs", async () => {
    const ran: unknown[] = [];
    let draws = 0;
    const model = scriptedModel([{ calls: [{ name: "pay", input: {} }] }, "done"]);
    const handle = run(
      <Agent model={model}>
        <RequireApproval>
          <Tool
            name="pay"
            value={tool({
              inputSchema: z.object({ key: z.string().default(() => `key-${draws++}-${Math.random()}`) }),
              execute: (input) => void ran.push(input),
            })}
          />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const [request] = await openRequests(handle);
    // The first draw of all is the schema's conversion for the model.
    const drawn = draws;
    await handle.approve();
    await handle;
    expect(ran).toEqual([request!.input]);
    expect(draws).toBe(drawn);
  });

  it("L45 has the same id in every run of one tree, and an id of its own in one run", async () => {
    const ids = async () => {
      const { handle } = gatedRun([calls("a", "a", "b"), "done"]);
      const open = await openRequests(handle, 3);
      for (const { id } of open) await handle.approve(id);
      await handle;
      return open.map(({ id }) => id);
    };
    const [first, second] = [await ids(), await ids()];
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(3);
  });

  it("L45 names the step from the outer run, and the inner tool and agent", async () => {
    const Researcher = defineAgent({
      name: "researcher",
      description: "Researches",
      input: z.object({}),
      prompt: () => "go",
      model: scriptedModel([{ calls: [{ name: "web_search", input: {} }] }, "found"]),
      capabilities: () => (
        <Namespace name="web">
          <RequireApproval>
            <Tool name="search" value={tool({ inputSchema: z.object({}), execute: () => "hit" })} />
          </RequireApproval>
        </Namespace>
      ),
    });
    const handle = run(
      <Agent model={scriptedModel([{ calls: [{ name: "researcher", input: {} }] }, "done"])}>
        <Researcher />
        <Step id="outer" prompt="go" />
      </Agent>,
    );
    const [request] = await openRequests(handle);
    expect(request).toMatchObject({
      path: "/agent[0]/step[outer]/model[0]/tool[0:researcher]/agent[researcher]/step[answer]/model[0]/tool[0:web_search]",
      step: "researcher:answer",
      tool: "web_search",
      source: '<Tool name="search"> in <Namespace name="web"> > <RequireApproval>',
      agent: "researcher",
    });
    await handle.approve();
    expect((await handle).output).toBe("done");
  });
});

describe("answering", () => {
  it("L45 may leave out the id while one request is open, for approve and deny, with and without options", async () => {
    for (const [answer, output] of [
      [(handle: RunHandle) => handle.approve(), { type: "text", value: "saved a" }],
      [(handle: RunHandle) => handle.approve({ reason: "fine", by: "ada" }), { type: "text", value: "saved a" }],
      [(handle: RunHandle) => handle.deny(), { type: "execution-denied" }],
      [(handle: RunHandle) => handle.deny({ reason: "no" }), { type: "execution-denied", reason: "no" }],
    ] as const) {
      const { handle, model } = gatedRun([calls("a"), "done"]);
      await openRequests(handle);
      await answer(handle);
      await handle;
      expect(resultOutputs(model, 1)).toEqual([output]);
    }
  });

  it("L45 keeps who answered and why in the trace", async () => {
    const { handle } = gatedRun([calls("a", "b"), "done"]);
    const [a, b] = await openRequests(handle, 2);
    await handle.approve(a!.id, { reason: "looked at it", by: "ada" });
    await handle.deny(b!.id, { reason: "not today", by: "bob" });
    const { trace } = await handle;
    expect(
      nodesOf(trace, "request").map(({ status, answered, requestKind, reason }) => ({
        status,
        answered,
        requestKind,
        reason,
      })),
    ).toEqual([
      {
        status: "ok",
        requestKind: "approval",
        reason: "it writes",
        answered: { type: "approved", reason: "looked at it", by: "ada" },
      },
      {
        status: "ok",
        requestKind: "approval",
        reason: "it writes",
        answered: { type: "denied", reason: "not today", by: "bob" },
      },
    ]);
  });

  it("L45 an edited input is validated, is what runs, and stands in the trace beside the one shown", async () => {
    const { handle, ran, model } = gatedRun([calls("a"), "done"], { trace: { capture: "full" } });
    const [request] = await openRequests(handle);
    const refused = await errorOf(handle.approve(request!.id, { input: { key: 5 } }));
    expect(refused).toMatchObject({ code: "tool-input", name: "RunError" });
    expect(refused.message).toContain('june: the input does not fit the tool "save": ');
    expect(handle.requests).toHaveLength(1);
    await handle.approve({ input: { key: "b" } });
    const { trace } = await handle;
    expect(ran).toEqual([{ key: "b", note: "none" }]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "saved b" }]);
    expect(nodesOf(trace, "request")[0]).toMatchObject({
      input: { key: "a", note: "none" },
      answered: { type: "approved", input: { key: "b", note: "none" } },
    });
  });

  it("L45 an edited input is not lost when the id before it is left undefined", async () => {
    const { handle, ran } = gatedRun([calls("a"), "done"]);
    await openRequests(handle);
    const approve = handle.approve as (id: string | undefined, options: { input: unknown }) => Promise<void>;
    await approve(undefined, { input: { key: "b" } });
    await handle;
    expect(ran).toEqual([{ key: "b", note: "none" }]);
  });

  it("L45 what the answerer does to an edited input afterwards changes nothing", async () => {
    const ran: unknown[] = [];
    const plain = jsonSchema<{ key: string }>({ type: "object", properties: { key: { type: "string" } } });
    const handle = run(
      <Agent model={scriptedModel([{ calls: [{ name: "save", input: { key: "a" } }] }, "done"])}>
        <RequireApproval>
          <Tool name="save" value={tool({ inputSchema: plain, execute: (input) => void ran.push({ ...input }) })} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await openRequests(handle);
    const input = { key: "b" };
    const approved = handle.approve({ input });
    await approved;
    input.key = "c";
    await handle;
    expect(ran).toEqual([{ key: "b" }]);
  });

  it("L45 several open ones need an id, and the error lists them", async () => {
    const { handle } = gatedRun([calls("a", "b"), "done"]);
    const [a, b] = await openRequests(handle, 2);
    for (const answer of [() => handle.approve(), () => handle.deny(), () => handle.answer("x")]) {
      const error = await errorOf(answer());
      expect(error).toMatchObject({ code: "request-ambiguous", details: { open: [a!.id, b!.id] } });
      expect(error.message).toBe(
        `june: 2 requests are open\n  ${a!.id}  approval of save in keep\n  ${b!.id}  approval of save in keep\nGive the id of the one you mean.`,
      );
    }
    expect(handle.requests).toHaveLength(2);
    await handle.approve(a!.id);
    await handle.approve();
    await handle;
    const none = await errorOf(handle.approve());
    expect(none).toMatchObject({ code: "request-ambiguous" });
    expect(none.message).toBe("june: no request is open\nWait for a request-open event.");
  });

  it("L45 an unknown id is an error without effect", async () => {
    const { handle, ran } = gatedRun([calls("a"), "done"]);
    const [request] = await openRequests(handle);
    for (const answer of [() => handle.approve("r0"), () => handle.deny("r0"), () => handle.answer("r0", 1)]) {
      const error = await errorOf(answer());
      expect(error).toMatchObject({ code: "request-unknown", details: { id: "r0", open: [request!.id] } });
      expect(error.message).toBe(
        `june: there is no request "r0"\nOpen are:\n  ${request!.id}  approval of save in keep`,
      );
    }
    expect(ran).toEqual([]);
    await handle.approve();
    await handle;
    expect((await errorOf(handle.approve("r0"))).message).toBe('june: there is no request "r0"\nNo request is open.');
  });

  it("L45 answering twice is an error, and the first answer holds", async () => {
    for (const second of ["approve", "deny"] as const) {
      const { handle, ran } = gatedRun([calls("a"), "done"]);
      const [request] = await openRequests(handle);
      const both = await Promise.allSettled([handle.approve(request!.id), handle[second](request!.id)]);
      expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      const error = await errorOf(handle[second](request!.id));
      expect(error).toMatchObject({ code: "request-answered", details: { id: request!.id } });
      expect(error.message).toBe(
        `june: the request "${request!.id}" has been answered already\nThe first answer holds.`,
      );
      await handle;
      expect(ran).toHaveLength(1);
      expect(await errorOf(handle[second](request!.id))).toMatchObject({ code: "request-answered" });
    }
  });

  it("L45 an answer that is still being validated loses against one that is there", async () => {
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const ran: unknown[] = [];
    const slow = z.object({ key: z.string() }).refine(async ({ key }) => {
      if (key === "slow") await gate;
      return true;
    });
    const handle = run(
      <Agent model={scriptedModel([{ calls: [{ name: "save", input: { key: "a" } }] }, "done"])}>
        <RequireApproval>
          <Tool name="save" value={tool({ inputSchema: slow, execute: (input) => void ran.push(input) })} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    const [request] = await openRequests(handle);
    const late = errorOf(handle.approve(request!.id, { input: { key: "slow" } }));
    await handle.deny(request!.id, { reason: "no" });
    release();
    expect(await late).toMatchObject({ code: "request-answered" });
    await handle;
    expect(ran).toEqual([]);
  });

  it("L45 the way of another kind is an error that names the right one", async () => {
    const { handle } = gatedRun([calls("a"), "done"]);
    const [request] = await openRequests(handle);
    const error = await errorOf(handle.answer(request!.id, "x"));
    expect(error).toMatchObject({ code: "request-kind" });
    expect(error.message).toBe(
      `june: the request "${request!.id}" is of kind "approval" and cannot be answered with answer()\nUse approve(id) or deny(id).`,
    );
    await handle.approve();
    await handle;
    const asking = run(
      <Asking model={scriptedModel([{ calls: [{ name: "confirm", input: { question: "?" } }] }, "done"])} />,
    );
    const [question] = await openRequests(asking);
    expect((await errorOf(asking.approve())).message).toBe(
      `june: the request "${question!.id}" is of kind "input" and cannot be answered with approve()\nUse answer(id, value), or deny(id).`,
    );
    await asking.answer("yes");
    await asking;
  });
});

const confirm = tool({ inputSchema: z.object({ question: z.string() }), outputSchema: z.string().min(1) });

function Asking({ model, children }: { model: ReturnType<typeof scriptedModel>; children?: never }) {
  void children;
  return (
    <Agent model={model}>
      <Tool name="confirm" value={confirm} />
      <Step id="ask" prompt="go" />
    </Agent>
  );
}

describe("requests for input", () => {
  const ask = (...questions: string[]) => ({
    calls: questions.map((question) => ({ name: "confirm", input: { question } })),
  });

  it.each(modes)(
    "L45, L26 the answer is the tool's result, and the step waits for it (stream: $stream)",
    async ({ stream }) => {
      const model = scriptedModel([ask("Ship it?"), "shipped"]);
      const handle = run(<Asking model={model} />, { stream });
      const [request] = await openRequests(handle);
      expect(request).toMatchObject({ kind: "input", tool: "confirm", step: "ask", input: { question: "Ship it?" } });
      await settled();
      expect(model.calls).toHaveLength(1);
      await handle.answer("yes");
      expect((await handle).output).toBe("shipped");
      expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "yes" }]);
    },
  );

  it("L45 are told apart by the number of arguments: a value alone, or an id and a value", async () => {
    const model = scriptedModel([ask("one", "two"), "done"]);
    const handle = run(<Asking model={model} />);
    const [one, two] = await openRequests(handle, 2);
    await handle.answer(two!.id, "second", { by: "ada" });
    // One is left: its id may be given as a value, and is one.
    await handle.answer(two!.id);
    const { trace } = await handle;
    expect(resultOutputs(model, 1)).toEqual([
      { type: "text", value: two!.id },
      { type: "text", value: "second" },
    ]);
    expect(nodesOf(trace, "request").map(({ answered }) => answered)).toEqual([
      { type: "answered" },
      { type: "answered", by: "ada" },
    ]);
    expect(one!.id).not.toBe(two!.id);
  });

  it("L45 an answer that does not fit the tool's output schema is an error without effect", async () => {
    const model = scriptedModel([ask("one"), "done"]);
    const handle = run(<Asking model={model} />);
    await openRequests(handle);
    expect(await errorOf(handle.answer(""))).toMatchObject({ code: "tool-input" });
    expect(handle.requests).toHaveLength(1);
    await handle.answer("yes");
    await handle;
    expect(resultOutputs(model, 1)).toEqual([{ type: "text", value: "yes" }]);
  });

  it("L45 may be denied, and open only after the approval of the same call", async () => {
    const model = scriptedModel([ask("one"), "done", ask("two"), "done"]);
    const tree = (
      <Agent model={model}>
        <RequireApproval>
          <Tool name="confirm" value={confirm} />
        </RequireApproval>
        <Step id="ask" prompt="go" />
      </Agent>
    );
    const handle = run(tree);
    const kinds: string[] = [];
    for await (const event of handle.events) {
      if (event.type !== "request-open") continue;
      kinds.push(event.requestKind);
      if (event.requestKind === "approval") await handle.approve();
      else await handle.deny({ reason: "ask somebody else" });
    }
    expect(kinds).toEqual(["approval", "input"]);
    await handle;
    expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "ask somebody else" }]);
  });
});

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
