/** Requests: what one holds, and how it is answered. Long because each sentence of its rules has a test. */

import { jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Namespace, RequireApproval, Step, Tool, defineAgent, run, type RunHandle } from "@june/core";
import { scriptedModel } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { Asking, calls, confirm, gatedRun } from "../support/gated-run.js";
import { resultOutputs } from "../support/prompts.js";
import { errorOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";
import { openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];

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
