/** Toolsets: opened at once, shared by key, closed in reverse, and nothing of their props in sight. Long because it is the whole of one guide page. */

import { tool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  Inherit,
  Namespace,
  Parallel,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineToolset,
  run,
  type JuneNode,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { deferred, settled, type Deferred } from "../support/deferred.js";
import { watchProcess } from "../support/leftovers.js";
import { withoutPlaces } from "../support/places.js";
import { everythingSent } from "../support/prompts.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { startScript } from "../support/run-script.js";
import { allNodes, nodesOf } from "../support/trace-nodes.js";
import { collectEvents, untilEvent } from "../support/watch-run.js";

const ping = tool({ description: "Ping", inputSchema: z.object({}), execute: () => "pong" });
const none = { rejections: [], warnings: [], timers: 0 };

/** A toolset that notes what happens to it. `open` may be held by a gate for each key. */
function livingToolset(
  options: { gates?: Record<string, Deferred<void>>; close?: (key: string) => void | Promise<void> } = {},
) {
  const log: string[] = [];
  const signals: AbortSignal[] = [];
  const Live = defineToolset({
    name: "Live",
    label: ({ name }: { name: string; token?: string }) => ({ name }),
    key: ({ name, token = "" }) => `${name} ${token}`,
    open: async ({ name }, { signal }) => {
      log.push(`open ${name}`);
      signals.push(signal);
      await options.gates?.[name]?.promise;
      return {
        tools: { [`use_${name}`]: ping },
        close: () => {
          log.push(`close ${name}`);
          return options.close?.(name);
        },
      };
    },
  });
  return { Live, log, signals };
}

describe("a toolset", () => {
  it("C50 declares its tools at once, in its order, from its props", async () => {
    const Bash = defineToolset({
      name: "Bash",
      tools: ({ shells }: { shells: readonly string[] }): ToolSet =>
        Object.fromEntries(shells.map((shell) => [shell, ping])),
    });
    const model = scriptedModel([{ calls: [{ name: "zsh" }], expect: { tools: ["zsh", "bash"] } }, "done"]);
    const { trace } = await run(
      <Agent model={model}>
        <Bash shells={["zsh", "bash"]} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(nodesOf(trace, "agent")[0]!.capabilities).toEqual([
      { name: "zsh", source: "<Bash>" },
      { name: "bash", source: "<Bash>" },
    ]);
    expect(nodesOf(trace, "toolset")).toEqual([]);
  });

  it("C50 opens a live resource with its props and a signal, before the agent's first step", async () => {
    const given: unknown[] = [];
    const Live = defineToolset({
      name: "Live",
      key: ({ url }: { url: string }) => url,
      open: async (props, { signal }) => {
        given.push({ ...props }, signal.aborted);
        await settled();
        return { tools: { ping } };
      },
    });
    const model = scriptedModel([{ calls: [{ name: "net_ping" }], expect: { tools: ["net_ping"] } }, "done"]);
    const { output, trace } = await run(
      <Agent model={model}>
        <Namespace name="net">
          <Live url="http://one" />
        </Namespace>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(output).toBe("done");
    expect(given).toEqual([{ url: "http://one" }, false]);
    expect(nodesOf(trace, "toolset").map(({ name, path, phase, status }) => ({ name, path, phase, status }))).toEqual([
      { name: "<Live>", path: "/agent[0]/toolset[<Live>]", phase: "opening", status: "ok" },
    ]);
  });

  it("C50 its tools obey the wrappers around it, and <Inherit> brings them", async () => {
    const { Live } = livingToolset();
    const inner = scriptedModel([{ calls: [{ name: "net_use_a" }] }, "done"]);
    const { trace } = await run(
      <Agent model={echoModel()}>
        <RequireApproval>
          <Namespace name="net">
            <Live name="a" />
          </Namespace>
        </RequireApproval>
        <Agent model={inner}>
          <Inherit capabilities={["net_use_a"]} />
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
      { onRequest: () => ({ approved: true }) },
    );
    expect(nodesOf(trace, "request")).toHaveLength(1);
  });

  it("C50 shows only the props that label gives, and no key, in traces, events and errors", async () => {
    const secrets = ["s3cr3t-1", "s3cr3t-2"];
    const { Live } = livingToolset();
    const Failing = defineToolset({
      name: "Failing",
      key: ({ token }: { token: string }) => token,
      open: async () => {
        throw new Error("connection refused");
      },
    });
    const model = scriptedModel([{ calls: [{ name: "use_linear" }] }, "done"]);
    const good = run(
      <Agent model={model}>
        <Live name="linear" token={secrets[0]!} />
        <Step id="a" prompt="go" />
      </Agent>,
      { trace: { capture: "full" } },
    );
    const events = await collectEvents(good);
    const { trace } = await good;
    expect(nodesOf(trace, "agent")[0]!.capabilities).toEqual([{ name: "use_linear", source: '<Live name="linear">' }]);
    const bad = run(
      <Agent model={model}>
        <Live name="linear" token={secrets[0]!} />
        <Failing token={secrets[1]!} />
        <Step id="a" prompt="go" />
      </Agent>,
      { trace: { capture: "full" } },
    );
    const error = await errorOf(bad);
    for (const text of [
      JSON.stringify(trace),
      JSON.stringify(events),
      JSON.stringify(bad.trace),
      error.message,
      JSON.stringify(error),
      everythingSent(model),
    ])
      for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it("C50 is checked when it is defined", () => {
    const open = async () => ({ tools: {} });
    for (const [definition, message] of [
      [
        { name: "", tools: () => ({}) },
        'june: defineToolset(): name is empty text\nGive the name that errors and traces show, such as "Mcp".',
      ],
      [
        { name: "Mcp" },
        "june: defineToolset(): <Mcp> lacks open as a function\nGive { name, tools } or { name, key, open }.",
      ],
      [
        { name: "Mcp", open },
        "june: defineToolset(): <Mcp> lacks key as a function\nGive { name, tools } or { name, key, open }.",
      ],
      [
        { name: "Mcp", tools: () => ({}), open },
        "june: defineToolset(): <Mcp> has both tools and open\nGive { name, tools } or { name, key, open }.",
      ],
      [
        { name: "Mcp", tools: {} },
        "june: defineToolset(): <Mcp> lacks tools as a function\nGive { name, tools } or { name, key, open }.",
      ],
      [
        { name: "Mcp", tools: () => ({}), label: "x" },
        "june: defineToolset(): label of <Mcp> is text\nGive a function of props that returns an object of text.",
      ],
    ] as const) {
      expect(() => defineToolset(definition as never)).toThrowError(message);
      expect(() => defineToolset(definition as never)).toThrowError(
        expect.objectContaining({ code: "invalid-option" }),
      );
    }
  });
});

describe("opening", () => {
  it("C51 all of an agent's open at the same time, and its scope keeps source order whatever opens first", async () => {
    const gates = { a: deferred(), b: deferred(), c: deferred() };
    const { Live, log } = livingToolset({ gates });
    const model = scriptedModel([{ text: "done", expect: { tools: ["use_a", "ping", "use_b", "use_c"] } }]);
    const handle = run(
      <Agent model={model}>
        <Live name="a" />
        <Tool name="ping" value={ping} />
        <Live name="b" />
        <Live name="c" />
        <Step id="x" prompt="go" />
      </Agent>,
    );
    await settled();
    expect(log).toEqual(["open a", "open b", "open c"]);
    expect(model.calls).toHaveLength(0);
    gates.c.resolve();
    gates.a.resolve();
    await settled();
    expect(model.calls).toHaveLength(0);
    gates.b.resolve();
    expect((await handle).output).toBe("done");
  });

  it("C51 the run stays alive meanwhile, whatever the opening waits on", async () => {
    expect(await startScript("slow-opening.ts").ended).toMatchObject({
      code: 0,
      stdout: "opened and used\n",
      stderr: "",
    });
  });

  it("C51 a failure fails the run before any model call, naming the toolset", async () => {
    const Broken = defineToolset({
      name: "Mcp",
      label: ({ name }: { name: string }) => ({ name }),
      key: ({ name }) => name,
      open: async () => {
        throw new Error("connection refused", { cause: new Error("ECONNREFUSED") });
      },
    });
    const model = scriptedModel([]);
    const error = await errorOf(
      run(
        <Agent model={model}>
          <Broken name="linear" />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({
      code: "toolset-failed",
      name: "RunError",
      cause: { cause: { message: "ECONNREFUSED" } },
    });
    expect(withoutPlaces(error.message)).toBe(
      'june: <Mcp name="linear"> (HERE) could not be opened: connection refused',
    );
    expect(model.calls).toHaveLength(0);
  });

  it("C51, C52 a failure is retried by a <Catch> around the agent: the failed opening is forgotten, the others are kept", async () => {
    const { Live, log } = livingToolset();
    let attempts = 0;
    const Flaky = defineToolset({
      name: "Flaky",
      key: () => "k",
      open: async () => {
        log.push("open flaky");
        if (++attempts < 3) throw new Error("not yet");
        return { tools: { flaky: ping }, close: () => void log.push("close flaky") };
      },
    });
    const result = await run(
      <Catch retries={2}>
        <Agent model={echoModel()}>
          <Live name="x" />
          <Flaky />
          <Step id="a" prompt="spoke" />
        </Agent>
      </Catch>,
    );
    expect(result.output).toBe("spoke");
    expect(log).toEqual(["open x", "open flaky", "open flaky", "open flaky", "close flaky", "close x"]);
  });

  it("C51 what is given instead of tools is an error that names the toolset, and is closed", async () => {
    for (const [given, problem] of [
      [undefined, "open() must give { tools, close? }"],
      [{ tool: ping }, "open() must give { tools, close? }"],
      [{ tools: 5 }, "open() must give { tools, close? }"],
      [{ tools: null }, "open() must give { tools, close? }"],
    ] as const) {
      let closed = 0;
      const Wrong = defineToolset({
        name: "Wrong",
        key: () => "k",
        open: async () => (given === undefined ? given : { ...given, close: () => void closed++ }) as never,
      });
      const error = await errorOf(
        run(
          <Agent model={scriptedModel([])}>
            <Wrong />
            <Step id="a" prompt="go" />
          </Agent>,
        ),
      );
      expect(error).toMatchObject({ code: "toolset-failed" });
      expect(withoutPlaces(error.message)).toBe(`june: <Wrong> (HERE) could not be opened: ${problem}`);
      expect(closed).toBe(given === undefined ? 0 : 1);
    }
  });

  it("C51 key, open and label may throw: the error names the toolset", async () => {
    const fail = (): never => {
      throw new Error("no such server");
    };
    const open = async () => ({ tools: {} });
    for (const Tag of [
      defineToolset({ name: "T", key: fail, open }),
      defineToolset({ name: "T", key: () => "k", open: fail }),
      defineToolset({ name: "T", key: () => "k", label: fail, open }),
      defineToolset({ name: "T", tools: fail }),
    ]) {
      const error = await errorOf(
        run(
          <Agent model={scriptedModel([])}>
            <Tag />
            <Step id="a" prompt="go" />
          </Agent>,
        ),
      );
      expect(withoutPlaces(error.message)).toBe("june: <T> (HERE) could not be opened: no such server");
    }
    const NoText = defineToolset({ name: "T", key: () => 5 as never, open });
    const error = await errorOf(
      run(
        <Agent model={scriptedModel([])}>
          <NoText />
          <Step id="a" prompt="go" />
        </Agent>,
      ),
    );
    expect(error.message).toContain("could not be opened: key(props) must give text");
  });

  it("C51 a collision with what was opened fails before any model call, and what was opened is closed", async () => {
    const { Live, log } = livingToolset();
    const error = await errorOf(
      run(
        <Agent model={scriptedModel([])}>
          <Live name="a" />
          <Tool name="use_a" value={ping} />
          <Step id="x" prompt="go" />
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ code: "tool-name-collision" });
    expect(withoutPlaces(error.message)).toContain('  <Live name="a"> (its tool "use_a")      HERE\n');
    expect(log).toEqual(["open a", "close a"]);
  });

  it("C51 an abort ends the wait, and a resource that opens after it is closed at once", async () => {
    for (const ignores of [false, true]) {
      const gate = deferred();
      const { Live, log, signals } = livingToolset({ gates: { a: gate } });
      const report = await watchProcess(async () => {
        const handle = run(
          <Agent model={scriptedModel([])}>
            <Live name="a" />
            <Step id="x" prompt="go" />
          </Agent>,
          { limits: { cleanupMs: ignores ? 5 : 10_000 } },
        );
        await untilEvent(handle, ({ type }) => type === "toolset-start");
        handle.abort("stop");
        expect([signals[0]!.aborted, signals[0]!.reason]).toEqual([true, "stop"]);
        // One that ignores the signal is left after cleanupMs; the other opens while the run still waits.
        if (!ignores) gate.resolve();
        expect(await rejectionOf(handle)).toBe("stop");
        gate.resolve();
        await settled();
      });
      expect(log).toEqual(["open a", "close a"]);
      expect(report).toEqual(none);
    }
  });
});

describe("sharing", () => {
  it("C52 one opening for one key: agents beside, inside and in parallel, and their child runs", async () => {
    const { Live, log } = livingToolset();
    const using = (id: string) => scriptedModel([{ calls: [{ name: "use_a" }] }, `${id} used it`]);
    const Helper = defineAgent({
      name: "helper",
      description: "Helps",
      input: z.object({}),
      prompt: () => "go",
      model: using("helper"),
      capabilities: () => <Live name="a" />,
    });
    const { steps } = await run(
      <>
        <Agent model={using("one")}>
          <Live name="a" />
          <Agent model={using("two")}>
            <Live name="a" />
            <Step id="two" prompt="go" />
          </Agent>
          <Step id="one" prompt="go" />
        </Agent>
        <Parallel>
          {["three", "four"].map((id) => (
            <Agent key={id} model={using(id)}>
              <Live name="a" />
              <Step id={id} prompt="go" />
            </Agent>
          ))}
        </Parallel>
        <Agent
          model={scriptedModel([
            {
              calls: [
                { name: "helper", input: {} },
                { name: "composite", input: {} },
              ],
            },
            "five",
          ])}
        >
          <Helper />
          <Tool name="composite" description="Composite" input={z.object({})}>
            {() => (
              <Agent model={using("composite")}>
                <Live name="a" />
                <Step id="inner" prompt="go" />
              </Agent>
            )}
          </Tool>
          <Step id="five" prompt="go" />
        </Agent>
      </>,
    );
    expect(steps).toEqual({
      two: "two used it",
      one: "one used it",
      three: "three used it",
      four: "four used it",
      five: "five",
    });
    expect(log).toEqual(["open a", "close a"]);
  });

  it("C52 not for another key, another definition or another run", async () => {
    const first = livingToolset();
    const second = livingToolset();
    const tree = (
      <>
        <Agent model={echoModel()}>
          <first.Live name="a" />
          <Step id="x" prompt="go" />
        </Agent>
        <Agent model={echoModel()}>
          <first.Live name="a" token="t" />
          <Step id="y" prompt="go" />
        </Agent>
        <Agent model={echoModel()}>
          <second.Live name="a" />
          <Step id="z" prompt="go" />
        </Agent>
      </>
    );
    await Promise.all([run(tree), run(tree)]);
    expect(first.log.filter((entry) => entry === "open a")).toHaveLength(4);
    expect(second.log.filter((entry) => entry === "open a")).toHaveLength(2);
    expect([...first.log, ...second.log].filter((entry) => entry === "close a")).toHaveLength(6);
  });

  /** One of two agents that wait for `a` is ended by a failing sibling. */
  function twoWaiting(Live: ReturnType<typeof livingToolset>["Live"], failing: Deferred<void>, isOtherInside: boolean) {
    const Failing = async () => {
      await failing.promise;
      throw new Error("sibling failed");
    };
    const other = (
      <Agent model={echoModel()}>
        <Live name="a" />
        <Step id="other" prompt="other spoke" />
      </Agent>
    );
    return (
      <Parallel>
        <Catch fallback={() => null}>
          <Parallel>
            <Agent model={echoModel()}>
              <Live name="a" />
              <Step id="ended" prompt="never" />
            </Agent>
            <Failing />
            {isOtherInside ? other : null}
          </Parallel>
        </Catch>
        {isOtherInside ? null : other}
      </Parallel>
    );
  }

  it("C52 an opening others wait for goes on when one of them has to leave", async () => {
    const gate = deferred();
    const failing = deferred();
    const { Live, log, signals } = livingToolset({ gates: { a: gate } });
    const handle = run(twoWaiting(Live, failing, false));
    await settled();
    failing.resolve();
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    gate.resolve();
    expect((await handle).steps).toEqual({ other: "other spoke" });
    expect(log).toEqual(["open a", "close a"]);
  });

  it("C52 it is aborted when the last one has left, and closed when it opens all the same", async () => {
    const gate = deferred();
    const failing = deferred();
    const { Live, log, signals } = livingToolset({ gates: { a: gate } });
    const handle = run(twoWaiting(Live, failing, true));
    await settled();
    failing.resolve();
    await settled();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(signals[0]!.reason).toMatchObject({ name: "AbortError", message: "nobody waits for this toolset any more" });
    gate.resolve();
    expect((await handle).steps).toEqual({});
    expect(log).toEqual(["open a", "close a"]);
  });

  it("C52 who comes after that opens anew", async () => {
    const gate = deferred();
    const failing = deferred();
    const { Live, log } = livingToolset({ gates: { a: gate } });
    const handle = run(
      <>
        {twoWaiting(Live, failing, true)}
        <Agent model={echoModel()}>
          <Live name="a" />
          <Step id="late" prompt="late spoke" />
        </Agent>
      </>,
    );
    await settled();
    failing.resolve();
    await settled();
    gate.resolve();
    expect((await handle).steps).toEqual({ late: "late spoke" });
    expect(log.toSorted()).toEqual(["close a", "close a", "open a", "open a"]);
  });
});

describe("closing", () => {
  const three = (Live: ReturnType<typeof livingToolset>["Live"], last: JuneNode = null) => (
    <>
      {["a", "b"].map((name) => (
        <Agent key={name} model={echoModel()}>
          <Live name={name} />
          <Step id={name} prompt="go" />
        </Agent>
      ))}
      <Agent model={echoModel()}>
        <Live name="c" />
        <Step id="c" prompt="go" />
        {last}
      </Agent>
    </>
  );
  const Failing = () => {
    throw new Error("on purpose");
  };

  it("C52 comes at the end of the outermost run, in reverse order of opening, one after the other", async () => {
    const { Live, log } = livingToolset({
      close: async (name) => {
        await settled();
        log.push(`closed ${name}`);
      },
    });
    await run(three(Live));
    expect(log).toEqual([
      "open a",
      "open b",
      "open c",
      "close c",
      "closed c",
      "close b",
      "closed b",
      "close a",
      "closed a",
    ]);
  });

  it("C52 also on failure and on abort", async () => {
    const failed = livingToolset();
    expect(await errorOf(run(three(failed.Live, <Failing />)))).toMatchObject({ code: "component-failed" });
    const aborted = livingToolset();
    const Aborting = () => {
      handle.abort("stop");
      return null;
    };
    const handle = run(three(aborted.Live, <Aborting />));
    expect(await rejectionOf(handle)).toBe("stop");
    for (const { log } of [failed, aborted]) expect(log.slice(-3)).toEqual(["close c", "close b", "close a"]);
  });

  it("C52 not at the end of a child run: the outer run may still share it", async () => {
    const { Live, log } = livingToolset();
    const outer = scriptedModel([
      { calls: [{ name: "composite", input: {} }] },
      () => {
        log.push("outer model");
        return { calls: [{ name: "composite", input: {} }] };
      },
      "done",
    ]);
    await run(
      <Agent model={outer}>
        <Tool name="composite" description="Composite" input={z.object({})}>
          {() => (
            <Agent model={echoModel()}>
              <Live name="a" />
              <Step id="inner" prompt="go" />
            </Agent>
          )}
        </Tool>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(log).toEqual(["open a", "outer model", "close a"]);
  });

  it("C52 that throws is noted in the trace, changes no result and stops no other", async () => {
    const { Live, log } = livingToolset({
      close: (name) => {
        if (name === "b") throw new Error("already gone");
        if (name === "c") return Promise.reject(new Error("also gone"));
      },
    });
    const report = await watchProcess(async () => {
      const { steps, trace } = await run(three(Live));
      expect(steps).toEqual({ a: "go", b: "go", c: "go" });
      const closing = nodesOf(trace, "toolset").filter(({ phase }) => phase === "closing");
      expect(closing.map(({ name, status, notes }) => ({ name, status, notes }))).toEqual([
        {
          name: '<Live name="c">',
          status: "error",
          notes: [{ code: "close-failed", text: '<Live name="c"> failed to close: also gone' }],
        },
        {
          name: '<Live name="b">',
          status: "error",
          notes: [{ code: "close-failed", text: '<Live name="b"> failed to close: already gone' }],
        },
        { name: '<Live name="a">', status: "ok", notes: undefined },
      ]);
      expect(trace.root.status).toBe("ok");
    });
    expect(log.slice(-3)).toEqual(["close c", "close b", "close a"]);
    expect(report).toEqual(none);
  });

  it("C52 that throws does not hide why the run failed", async () => {
    const { Live } = livingToolset({
      close: () => {
        throw new Error("already gone");
      },
    });
    expect(await errorOf(run(three(Live, <Failing />)))).toMatchObject({
      code: "component-failed",
      cause: { message: "on purpose" },
    });
  });

  it("C52 that hangs is cut at limits.cleanupMs, and the others still close", async () => {
    const { Live, log } = livingToolset({ close: (name) => (name === "b" ? new Promise<void>(() => {}) : undefined) });
    const report = await watchProcess(async () => {
      const { steps, trace } = await run(three(Live), { limits: { cleanupMs: 15 } });
      expect(Object.keys(steps)).toHaveLength(3);
      const cut = nodesOf(trace, "toolset").find(
        ({ name, phase }) => name === '<Live name="b">' && phase === "closing",
      );
      expect(cut).toMatchObject({
        status: "error",
        notes: [{ code: "close-cut", text: '<Live name="b"> did not close within 15 ms' }],
      });
    });
    expect(log.slice(-3)).toEqual(["close c", "close b", "close a"]);
    expect(report).toEqual(none);
  });

  it("C52 of one that has nothing to close is nothing, and each closes once", async () => {
    const Plain = defineToolset({ name: "Plain", key: () => "k", open: async () => ({ tools: { plain: ping } }) });
    const { trace } = await run(
      <Agent model={echoModel()}>
        <Plain />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(allNodes(trace).filter(({ kind }) => kind === "toolset")).toHaveLength(1);
  });
});
