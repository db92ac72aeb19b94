/** `<Catch>`, L31: again after a failure, then instead of it. The clock is the test's where a delay is meant. Long because what is not caught and what is not left behind are tested as well. */

import { tool } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  Agent,
  Catch,
  JuneError,
  Parallel,
  Step,
  run,
  type JuneElement,
  type JuneNode,
  type Results,
} from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { withoutPlaces } from "../support/places.js";
import { errorOf, rejectionOf } from "../support/rejection-of.js";
import { nodesOf } from "../support/trace-nodes.js";

const modes = [{ stream: false }, { stream: true }];

/** A component that fails as often as it is told, and then renders what it holds. */
function flaky(failures: number) {
  let attempts = 0;
  function Flaky({ children }: { children?: JuneNode }): JuneNode {
    if (++attempts <= failures) throw new Error(`attempt ${attempts}`);
    return children;
  }
  return { Flaky, attempts: () => attempts };
}

function Say({ id, text = id }: { id: string; text?: string }): JuneElement {
  return (
    <Agent model={echoModel()}>
      <Step id={id} prompt={text} />
    </Agent>
  );
}

const never = (): never => {
  throw new Error("the fallback was rendered");
};

describe.each(modes)("attempts (stream: $stream)", ({ stream }) => {
  it("L31 renders again up to retries times, and the trace keeps each attempt", async () => {
    const { Flaky, attempts } = flaky(2);
    const result = await run(
      <Catch retries={5} fallback={never}>
        <Flaky>done</Flaky>
      </Catch>,
      { stream },
    );
    expect([result.output, attempts()]).toEqual(["done", 3]);
    expect(result.trace.root.children.map(({ kind, attempt, status, path }) => [kind, attempt, status, path])).toEqual([
      ["attempt", 0, "error", "/catch[0]/attempt[0]"],
      ["attempt", 1, "error", "/catch[0]/attempt[1]"],
      ["attempt", 2, "ok", "/catch[0]/attempt[2]"],
    ]);
  });

  it("L31 without retries renders once, then the fallback, or the error goes on as it is", async () => {
    const { Flaky, attempts } = flaky(9);
    const result = await run(
      <Catch fallback={({ code, message }) => `${code}: ${message}`}>
        <Flaky />
      </Catch>,
      { stream },
    );
    expect([result.output, attempts()]).toEqual(["component-failed: june: <Catch> > <Flaky> failed: attempt 1", 1]);
    const error = await errorOf(
      run(
        <Catch retries={1}>
          <Flaky />
        </Catch>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "component-failed", cause: { message: "attempt 3" } });
    expect(nodesOf(result.trace, "attempt")).toHaveLength(1);
  });

  it("L31 the fallback may render anything, also steps, and gets the last error", async () => {
    const { Flaky } = flaky(9);
    const model = scriptedModel(["one", "plan b", "after"]);
    const result = await run(
      <Agent model={model}>
        <Step id="a" prompt="go" />
        <Catch
          retries={2}
          fallback={async (error) => <Step id="instead" prompt={`It failed: ${(error.cause as Error).message}`} />}
        >
          <Flaky />
        </Catch>
        <Step id="b" prompt="on" />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ a: "one", instead: "plan b", b: "after" });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ text: "It failed: attempt 3" }] });
    expect(model.calls[2]?.prompt).toHaveLength(5);
  });

  it("L31 a fallback that fails is not tried again by its own <Catch>, but by the one around", async () => {
    const { Flaky, attempts } = flaky(9);
    let fallbacks = 0;
    const result = await run(
      <Catch retries={1} fallback={({ message }) => message}>
        <Catch
          retries={1}
          fallback={() => {
            fallbacks++;
            throw new Error("no plan b");
          }}
        >
          <Flaky />
        </Catch>
      </Catch>,
      { stream },
    );
    expect(result.output).toBe("june: <Catch> > <Catch> failed: no plan b");
    expect([attempts(), fallbacks]).toEqual([4, 2]);
  });

  it("L31 sees what models do: failures, finishes and wrong outputs, each by its code", async () => {
    const seen: string[] = [];
    const model = scriptedModel([
      new Error("down"),
      {},
      { text: "half", finishReason: "length" },
      { text: "no", finishReason: "content-filter" },
      "done",
    ]);
    const result = await run(
      <Agent model={model}>
        <Catch
          retries={4}
          when={(error) => {
            expect(JuneError.isInstance(error)).toBe(true);
            seen.push(error.code);
            return true;
          }}
        >
          <Step id="a" prompt="go" />
        </Catch>
      </Agent>,
      { stream },
    );
    expect(result.output).toBe("done");
    expect(seen).toEqual(["model-failed", "empty-answer", "answer-cut", "answer-filtered"]);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it("L31 a tool that fails is the model's affair", async () => {
    const failing = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error("bad");
      },
    });
    const model = scriptedModel([{ calls: [{ name: "failing" }] }, "never mind"]);
    const { output } = await run(
      <Agent model={model} tools={{ failing }}>
        <Catch retries={3} fallback={never}>
          <Step id="a" prompt="go" />
        </Catch>
      </Agent>,
      { stream },
    );
    expect([output, model.calls.length]).toEqual(["never mind", 2]);
  });

  it("L31 an error that when refuses passes this one by", async () => {
    const { Flaky, attempts } = flaky(9);
    const asked: string[] = [];
    const result = await run(
      <Catch fallback={() => "outer"}>
        <Catch
          retries={3}
          fallback={never}
          when={({ code }) => {
            asked.push(code);
            return false;
          }}
        >
          <Flaky />
        </Catch>
      </Catch>,
      { stream },
    );
    expect([result.output, attempts(), asked]).toEqual(["outer", 1, ["component-failed"]]);
  });

  it("L31 is asked about each attempt, so that it may give up in the middle", async () => {
    const { Flaky, attempts } = flaky(9);
    const error = await errorOf(
      run(
        <Catch retries={9} fallback={never} when={({ cause }) => (cause as Error).message !== "attempt 3"}>
          <Flaky />
        </Catch>,
        { stream },
      ),
    );
    expect(error.cause).toMatchObject({ message: "attempt 3" });
    expect(attempts()).toBe(3);
  });

  it("L31, L6 what its functions throw has its place", async () => {
    const { Flaky } = flaky(99);
    const broken = (name: string) => (): never => {
      throw new Error(`${name} broke`);
    };
    for (const [name, props] of [
      ["when", { when: broken("when") }],
      ["delayMs", { retries: 1, delayMs: broken("delayMs") }],
      ["fallback", { fallback: broken("fallback") }],
    ] as const) {
      const error = await errorOf(
        run(
          <Catch {...props}>
            <Flaky />
          </Catch>,
          { stream },
        ),
      );
      expect(error).toMatchObject({ code: "component-failed", message: `june: <Catch> failed: ${name} broke` });
    }
  });

  it("L31 wrong props are refused", async () => {
    for (const [props, message] of [
      [{ retries: -1 }, "got the number -1 as retries\nretries is a whole number from 0 on."],
      [{ retries: 1.5 }, "got the number 1.5 as retries\nretries is a whole number from 0 on."],
      [{ retries: Infinity }, "got the number Infinity as retries\nretries is a whole number from 0 on."],
      [
        { delayMs: -5 },
        "got the number -5 as delayMs\ndelayMs is a number of milliseconds from 0 on, or a function of the attempt.",
      ],
      [{ when: true }, "got true as when\nwhen is a function."],
      [{ fallback: "text" }, "got text as fallback\nfallback is a function."],
      [
        { retrys: 1 },
        'has no prop "retrys"\nIt has "children", "delayMs", "fallback", "retries", "when". Did you mean "retries"?',
      ],
    ] as const) {
      const error = await errorOf(run(<Catch {...(props as object)}>text</Catch>, { stream }));
      expect(error).toMatchObject({ name: "DeclarationError", code: "invalid-props" });
      expect(withoutPlaces(error.message)).toBe(`june: <Catch> (HERE) ${message}`);
    }
  });
});

describe.each(modes)("delays (stream: $stream)", ({ stream }) => {
  const fakes = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;
  afterEach(() => void vi.useRealTimers());

  /** Lets time pass once everything that is due has run, and what follows from it as well. */
  async function pass(timeMs: number): Promise<void> {
    await settled();
    vi.advanceTimersByTime(timeMs);
    await settled();
  }

  it("L31 delayMs is waited for before each retry, and not before the fallback", async () => {
    vi.useFakeTimers({ toFake: [...fakes] });
    const { Flaky, attempts } = flaky(9);
    const handle = run(
      <Catch retries={2} delayMs={1_000} fallback={() => "instead"}>
        <Flaky />
      </Catch>,
      { stream },
    );
    for (const count of [1, 2]) {
      await pass(999);
      expect(attempts()).toBe(count);
      await pass(1);
    }
    expect((await handle).output).toBe("instead");
    expect([attempts(), vi.getTimerCount()]).toEqual([3, 0]);
  });

  it("L31 delayMs may be a function of the attempt that failed, from 1", async () => {
    vi.useFakeTimers({ toFake: [...fakes] });
    const { Flaky, attempts } = flaky(3);
    const asked: number[] = [];
    const handle = run(
      <Catch
        retries={3}
        delayMs={(attempt) => {
          asked.push(attempt);
          return 100 * 2 ** attempt;
        }}
      >
        <Flaky>done</Flaky>
      </Catch>,
      { stream },
    );
    for (const [index, delayMs] of [200, 400, 800].entries()) {
      await pass(delayMs - 1);
      expect(attempts()).toBe(index + 1);
      await pass(1);
    }
    expect((await handle).output).toBe("done");
    expect(asked).toEqual([1, 2, 3]);
  });

  it("L31 without one nothing is waited for", async () => {
    vi.useFakeTimers({ toFake: [...fakes] });
    for (const delayMs of [0, () => 0]) {
      const { Flaky } = flaky(3);
      const handle = run(
        <Catch retries={3} delayMs={delayMs}>
          <Flaky>done</Flaky>
        </Catch>,
        { stream },
      );
      expect((await handle).output).toBe("done");
    }
  });

  it("L31, L47 an abort ends the wait at once", async () => {
    vi.useFakeTimers({ toFake: [...fakes] });
    const { Flaky, attempts } = flaky(9);
    const reason = new Error("enough");
    const handle = run(
      <Catch retries={9} delayMs={60_000} fallback={never}>
        <Flaky />
      </Catch>,
      { stream },
    );
    await settled();
    expect(vi.getTimerCount()).toBe(1);
    handle.abort(reason);
    expect(await rejectionOf(handle)).toBe(reason);
    expect([attempts(), vi.getTimerCount()]).toEqual([1, 0]);
  });
});

describe.each(modes)("what a failed attempt leaves (stream: $stream)", ({ stream }) => {
  it("L31 is nothing: no result, id, message or text, and the next step sees none of it", async () => {
    const { Flaky } = flaky(2);
    const seen: Results[] = [];
    const model = scriptedModel(["before", "dropped 1", "dropped 2", "kept", "after"]);
    const result = await run(
      <Agent model={model} name="main">
        <Step id="before" prompt="0" />
        <Catch retries={2}>
          <Step
            id="a"
            prompt={(results) => {
              seen.push({ ...results });
              return "try";
            }}
          >
            {() => <Flaky />}
          </Step>
        </Catch>
        <Step
          id="after"
          prompt={(results) => {
            seen.push({ ...results });
            return "then";
          }}
        />
      </Agent>,
      { stream },
    );
    expect(result.steps).toEqual({ before: "before", a: "kept", after: "after" });
    const before = { before: "before" };
    expect(seen).toEqual([before, before, before, { ...before, a: "kept" }]);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 3, 3, 5]);
    const texts = result.messages("main").flatMap(({ content }) => JSON.stringify(content));
    expect(texts.join()).not.toContain("dropped");
    expect(result.messages("main")).toHaveLength(6);
  });

  it("L31 of text is nothing, and text of the attempt that worked stays where it stands", async () => {
    const { Flaky } = flaky(2);
    const text = (
      <>
        {"a "}
        <Catch retries={2}>
          {"b "}
          <Catch>{"c "}</Catch>
          <Flaky>{"d "}</Flaky>
        </Catch>
        {"e"}
      </>
    );
    expect((await run(text, { stream })).output).toBe("a b c d e");
    const other = flaky(1);
    const model = scriptedModel(["answer"]);
    await run(
      <Agent model={model}>
        {"a "}
        <Catch fallback={() => "instead"}>
          {"b "}
          <other.Flaky />
        </Catch>
      </Agent>,
      { stream },
    );
    expect(model.calls[0]?.prompt).toMatchObject([{ content: [{ text: "a instead" }] }]);
  });

  it("L31 of agents and branches inside is nothing either", async () => {
    const { Flaky } = flaky(1);
    const model = scriptedModel(["dropped", "kept"]);
    const result = await run(
      <Catch retries={1}>
        <Parallel>
          <Agent name="talker" model={model}>
            <Step id="a" prompt="go" />
          </Agent>
          <Say id="b" />
        </Parallel>
        <Flaky />
      </Catch>,
      { stream },
    );
    expect(Object.entries(result.steps)).toEqual([
      ["a", "kept"],
      ["b", "b"],
    ]);
    expect(result.messages("talker")).toMatchObject([{ content: "go" }, { content: [{ text: "kept" }] }]);
  });

  it("L31 of an inner one that gave up is nothing for the outer one's retry", async () => {
    const { Flaky, attempts } = flaky(4);
    const model = scriptedModel(({ index }) => `answer ${index}`);
    const result = await run(
      <Agent model={model}>
        <Catch retries={2}>
          <Step id="outer" prompt="go" />
          <Catch retries={1}>
            <Step id="inner" prompt="go" />
            <Flaky />
          </Catch>
        </Catch>
      </Agent>,
      { stream },
    );
    // Two attempts outside, of which each has two inside, then the fifth inner one works.
    expect(attempts()).toBe(5);
    expect(result.steps).toEqual({ outer: "answer 6", inner: "answer 7" });
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 3, 3, 1, 3, 3, 1, 3]);
  });

  it("L31, L48 is what it cost", async () => {
    const { Flaky } = flaky(2);
    const result = await run(
      <Catch retries={2}>
        <Agent model={scriptedModel(() => ({ text: "x", usage: { inputTokens: 4, outputTokens: 1 } }))}>
          <Step id="a" prompt="go" />
        </Agent>
        <Flaky />
      </Catch>,
      { stream },
    );
    expect(result.usage.total).toMatchObject({ inputTokens: 12, outputTokens: 3, totalTokens: 15 });
  });
});

describe.each(modes)("what it never catches (stream: $stream)", ({ stream }) => {
  /** Runs what it makes in a `<Catch>` that must not do anything, and counts how often. */
  async function caught(make: () => JuneNode, options: Parameters<typeof run>[1] = {}) {
    let attempts = 0;
    function Attempt(): JuneNode {
      attempts++;
      return make();
    }
    const error = await rejectionOf(
      run(
        <Catch retries={3} fallback={never} when={never}>
          <Attempt />
        </Catch>,
        { stream, ...options },
      ),
    );
    expect(attempts).toBe(1);
    return error;
  }

  it("L31 mistakes in the tree: one, or several at once, or one among failures", async () => {
    const step = <Step id="a" prompt="go" />;
    const { Flaky } = flaky(9);
    expect(await caught(() => step)).toMatchObject({ name: "DeclarationError", code: "step-without-agent" });
    for (const branches of [
      [step, step],
      [step, <Flaky />],
      [<Flaky />, <Parallel>{[step, <Flaky />]}</Parallel>],
    ])
      expect(await caught(() => <Parallel>{branches}</Parallel>)).toMatchObject({ code: "parallel-failed" });
  });

  it("L31 while several failures of branches are caught as one", async () => {
    const { Flaky, attempts } = flaky(4);
    const { output } = await run(
      <Catch retries={2}>
        <Parallel>
          <Flaky>a</Flaky>
          <Flaky>b</Flaky>
        </Parallel>
      </Catch>,
      { stream },
    );
    expect([output, attempts()]).toEqual(["ab", 6]);
  });

  it("L31 aborts, whatever they make fail", async () => {
    const abort = new AbortController();
    const reason = new Error("enough");
    const error = await caught(
      () => {
        abort.abort(reason);
        throw new Error("because of it");
      },
      { signal: abort.signal },
    );
    expect(error).toBe(reason);
  });

  it("L31, L30 the end of a branch because another one failed", async () => {
    const { Flaky, attempts } = flaky(9);
    let tries = 0;
    async function Waiting(): Promise<JuneNode> {
      tries++;
      await settled();
      throw new Error("because of it");
    }
    const error = await errorOf(
      run(
        <Parallel>
          <Flaky />
          <Catch retries={5} delayMs={0} fallback={never}>
            <Waiting />
          </Catch>
        </Parallel>,
        { stream },
      ),
    );
    expect(error).toMatchObject({ code: "parallel-failed" });
    expect([attempts(), tries]).toEqual([1, 1]);
  });

  it("L31, L44 limits that were reached", async () => {
    const two = (): JuneNode => [<Say id="a" />, <Say id="b" />];
    expect(await caught(two, { limits: { modelCalls: 1 } })).toMatchObject({ code: "limit-reached" });
    expect(await caught(two, { limits: { tokens: 1 } })).toMatchObject({ code: "limit-reached" });
  });

  it("L31, L46 a request that nobody can answer", async () => {
    const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    const error = await caught(() => (
      <Agent model={scriptedModel([{ calls: [{ name: "ask" }] }])} tools={{ ask }}>
        <Step id="a" prompt="go" />
      </Agent>
    ));
    expect(error).toMatchObject({ code: "request-unanswered" });
  });
});
