import { describe, expect, it } from "vitest";
import { Agent, Catch, Parallel, Step, Tool, run, type JuneElement, type JuneNode } from "@june/core";
import { echoModel, scriptedModel } from "@june/core/testing";
import { tool } from "ai";
import { z } from "zod";
import { errorOf, rejectionOf } from "../support/rejection-of.js";

/** Turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function Say({ id, text = id }: { id: string; text?: string }): JuneElement {
  return (
    <Agent model={echoModel()}>
      <Step id={id} prompt={text} />
    </Agent>
  );
}

describe("<Parallel>", () => {
  it("L30 branches run at once, at most limit at a time, and results keep authored order", async () => {
    let running = 0;
    let most = 0;
    async function Branch({ id, count }: { id: string; count: number }): Promise<JuneNode> {
      running++;
      most = Math.max(most, running);
      await turns(count);
      running--;
      return <Say id={id} />;
    }
    const branches = ["a", "b", "c", "d"].map((id, index) => <Branch id={id} count={8 - 2 * index} />);
    const all = await run(<Parallel>{branches}</Parallel>);
    expect(Object.keys(all.steps)).toEqual(["a", "b", "c", "d"]);
    expect(most).toBe(4);
    most = 0;
    await run(<Parallel limit={2}>{branches}</Parallel>);
    expect(most).toBe(2);
  });

  it("L30 arrays flatten and a fragment is one ordered branch", async () => {
    const log: string[] = [];
    async function Note({ name }: { name: string }): Promise<JuneNode> {
      log.push(`${name}+`);
      await turns(1);
      log.push(`${name}-`);
      return null;
    }
    await run(
      <Parallel>
        {[<Note name="a" />, [<Note name="b" />]]}
        <>
          <Note name="c" />
          <Note name="d" />
        </>
      </Parallel>,
    );
    expect(log.slice(0, 3)).toEqual(["a+", "b+", "c+"]);
    expect(log.indexOf("d+")).toBeGreaterThan(log.indexOf("c-"));
  });

  it("L30 the first failure aborts the others, waits for their cleanup, and is rethrown as it is", async () => {
    const boom = new Error("boom");
    let cleaned = false;
    async function Failing(): Promise<JuneNode> {
      await turns(1);
      throw boom;
    }
    const waiting = tool({
      description: "d",
      inputSchema: z.object({}),
      execute: async (_input, { abortSignal }) => {
        await new Promise((resolve) => abortSignal?.addEventListener("abort", resolve, { once: true }));
        await turns(3);
        cleaned = true;
        return "late";
      },
    });
    const error = await errorOf(
      run(
        <Parallel>
          <Agent model={scriptedModel([{ calls: [{ name: "waiting" }] }])}>
            <Tool name="waiting" value={waiting} />
            <Step id="w" prompt="go" />
          </Agent>
          <Failing />
        </Parallel>,
      ),
    );
    expect(error).toMatchObject({ code: "component-failed", cause: boom });
    expect(cleaned).toBe(true);
  });

  it("L30 several failures make one error that lists each branch in source order", async () => {
    async function Failing({ name }: { name: string }): Promise<JuneNode> {
      throw new Error(`${name} failed`);
    }
    const error = await errorOf(
      run(
        <Parallel>
          <Failing name="first" />
          <Failing name="second" />
        </Parallel>,
      ),
    );
    expect(error).toMatchObject({ name: "RunError", code: "parallel-failed" });
    expect(error.message.replaceAll(/\(.*?\)/g, "(HERE)")).toBe(
      "june: 2 branches of <Parallel> failed\n  <Failing> (HERE): <Parallel> > <Failing> failed: first failed\n  <Failing> (HERE): <Parallel> > <Failing> failed: second failed".replaceAll(
        "<Parallel> > <Failing> failed: ",
        "",
      ),
    );
  });

  it("L30 a step of an agent around it is refused", async () => {
    const error = await errorOf(
      run(
        <Agent model={echoModel()} name="outer">
          <Parallel>
            <Step id="a" prompt="go" />
          </Parallel>
        </Agent>,
      ),
    );
    expect(error).toMatchObject({ name: "DeclarationError", code: "step-in-parallel" });
    expect(error.message).toContain("parallel turns of one conversation have no order");
  });
});

describe("<Catch>", () => {
  /** Fails as often as it is told, then says how often it ran. */
  function flaky(failures: number): { Flaky: () => JuneNode; attempts: () => number } {
    let attempts = 0;
    return {
      attempts: () => attempts,
      Flaky: () => {
        attempts++;
        if (attempts <= failures) throw new Error(`attempt ${attempts}`);
        return `after ${attempts}`;
      },
    };
  }

  it("L31 renders again up to retries times, and the trace keeps each attempt", async () => {
    const { Flaky } = flaky(2);
    const result = await run(
      <Catch retries={2}>
        <Flaky />
      </Catch>,
    );
    expect(result.output).toBe("after 3");
    expect(result.trace.root.children.map(({ kind, attempt, status }) => [kind, attempt, status])).toEqual([
      ["attempt", 0, "error"],
      ["attempt", 1, "error"],
      ["attempt", 2, "ok"],
    ]);
  });

  it("L31 without retries it renders once, then the fallback, or the error goes on", async () => {
    const { Flaky, attempts } = flaky(9);
    const result = await run(
      <Catch fallback={({ code }) => `instead of ${code}`}>
        <Flaky />
      </Catch>,
    );
    expect([result.output, attempts()]).toEqual(["instead of component-failed", 1]);
    expect(
      (
        await errorOf(
          run(
            <Catch retries={1}>
              <Flaky />
            </Catch>,
          ),
        )
      ).cause,
    ).toMatchObject({ message: "attempt 3" });
  });

  it("L31 delayMs is asked with the attempt that failed, from 1", async () => {
    const asked: number[] = [];
    const { Flaky } = flaky(2);
    const delay = (attempt: number): number => {
      asked.push(attempt);
      return 0;
    };
    await run(
      <Catch retries={2} delayMs={delay}>
        <Flaky />
      </Catch>,
    );
    expect(asked).toEqual([1, 2]);
  });

  it("L31 an error that `when` refuses is not seen by this one", async () => {
    const { Flaky, attempts } = flaky(9);
    const result = await run(
      <Catch fallback={() => "outer"}>
        <Catch retries={3} when={() => false} fallback={() => "inner"}>
          <Flaky />
        </Catch>
      </Catch>,
    );
    expect([result.output, attempts()]).toEqual(["outer", 1]);
  });

  it("L31 a failed attempt leaves no result, id, message or text behind", async () => {
    const { Flaky } = flaky(1);
    const model = scriptedModel(["dropped", "kept", "after"]);
    const result = await run(
      <Agent model={model}>
        <Catch retries={1}>
          <Step id="a" prompt="try">
            {() => <Flaky2 />}
          </Step>
        </Catch>
        <Step id="b" prompt="then" />
      </Agent>,
    );
    function Flaky2(): JuneNode {
      Flaky();
      return null;
    }
    expect(result.steps).toEqual({ a: "kept", b: "after" });
    expect(model.calls[2]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const texts = flaky(1);
    expect(
      (
        await run(
          <Catch retries={1}>
            {"text "}
            <texts.Flaky />
          </Catch>,
        )
      ).output,
    ).toBe("text after 2");
  });

  it("L31 declaration errors, aborts and reached limits are never retried and reach no fallback", async () => {
    const never = (): never => {
      throw new Error("the fallback was rendered");
    };
    let attempts = 0;
    function Wrong(): JuneNode {
      attempts++;
      return <Step id="a" prompt="go" />;
    }
    expect(
      await errorOf(
        run(
          <Catch retries={3} fallback={never}>
            <Wrong />
          </Catch>,
        ),
      ),
    ).toMatchObject({ code: "step-without-agent" });
    expect(attempts).toBe(1);
    const abort = new AbortController();
    const reason = new Error("enough");
    function Aborting(): JuneNode {
      attempts++;
      abort.abort(reason);
      throw new Error("because of it");
    }
    expect(
      await rejectionOf(
        run(
          <Catch retries={3} fallback={never}>
            <Aborting />
          </Catch>,
          { signal: abort.signal },
        ),
      ),
    ).toBe(reason);
    expect(attempts).toBe(2);
    const limited = await errorOf(
      run(
        <Catch retries={3} fallback={never}>
          <Say id="a" />
          <Say id="b" />
        </Catch>,
        { limits: { modelCalls: 1 } },
      ),
    );
    expect(limited).toMatchObject({ code: "limit-reached" });
  });
});

describe("plain JavaScript", () => {
  it("L32 loops, conditions, recursion and async components are the control flow", async () => {
    async function Countdown({ from }: { from: number }): Promise<JuneNode> {
      if (from === 0) return <Say id="liftoff" />;
      return (
        <>
          <Say id={`count${from}`} />
          <Countdown from={from - 1} />
        </>
      );
    }
    const result = await run(
      <>
        {[1, 2, 3].map((number) => (number % 2 === 0 ? null : <Say id={`odd${number}`} />))}
        <Countdown from={2} />
      </>,
    );
    expect(Object.keys(result.steps)).toEqual(["odd1", "odd3", "count2", "count1", "liftoff"]);
  });
});
