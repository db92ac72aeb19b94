/** Held calls: nothing takes an approval away, and what was shown is what runs. Long because every way to loosen an approval is one test. */

import { dynamicTool, jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Agent,
  Inherit,
  Namespace,
  RequireApproval,
  Step,
  Tool,
  defineAgent,
  defineToolset,
  run,
  type AgentProps,
  type JuneElement,
} from "@june/core";
import { scriptedModel, type ScriptEntry } from "@june/core/testing";
import { settled } from "../support/deferred.js";
import { callDeploy, deployInput as key, expectHeld, notingTool } from "../support/held-tool.js";
import { resultOutputs } from "../support/prompts.js";
import { nodesOf } from "../support/trace-nodes.js";
import { openRequests } from "../support/watch-run.js";

const modes = [{ stream: false }, { stream: true }];

describe("approval is only ever added", () => {
  type Loosening = Omit<AgentProps, "children" | "model">;
  const settings: Record<string, Loosening> = {
    'toolApproval: "approved"': { toolApproval: { deploy: "approved" } },
    'toolApproval: { type: "approved" }': { toolApproval: { deploy: { type: "approved" } } },
    'toolApproval: "not-applicable"': { toolApproval: { deploy: "not-applicable" } },
    "a toolApproval function for the tool that approves": { toolApproval: { deploy: () => "approved" } },
    "a toolApproval function for the tool that gives undefined": { toolApproval: { deploy: () => undefined } },
    "a general toolApproval function that approves": { toolApproval: () => "approved" },
    "a general toolApproval function that gives undefined": { toolApproval: () => undefined },
    "a general async toolApproval function": { toolApproval: async () => undefined },
    activeTools: { activeTools: ["deploy"] },
    "prepareStep that chooses the tool": {
      prepareStep: ({ stepNumber }) =>
        stepNumber === 0 ? { activeTools: ["deploy"], toolChoice: { type: "tool", toolName: "deploy" } } : {},
    },
    "prepareStep that gives a toolApproval": {
      prepareStep: () => ({ toolApproval: { deploy: "approved" } }) as object,
    },
    toolChoice: { prepareStep: ({ stepNumber }) => (stepNumber === 0 ? { toolChoice: "required" } : {}) },
    "a repaired call": { repairToolCall: async ({ toolCall }) => toolCall },
  };

  it.each(Object.keys(settings).flatMap((name) => modes.map((mode) => ({ name, ...mode }))))(
    "C36 not by $name (stream: $stream)",
    async ({ name, stream }) => {
      const { ran, deploy } = notingTool();
      const handle = run(
        <Agent {...settings[name]} model={scriptedModel([callDeploy(), "done"])}>
          <RequireApproval reason="it deploys">
            <Tool name="deploy" value={deploy} />
          </RequireApproval>
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      await expectHeld(handle, ran, { reason: "it deploys" });
      expect(ran).toHaveLength(1);
    },
  );

  it.each([
    { name: "needsApproval: false", needsApproval: false },
    { name: "needsApproval that says no", needsApproval: () => false },
    { name: "needsApproval that says no later", needsApproval: async () => false },
  ])("C36 not by $name on the tool", async ({ needsApproval }) => {
    const { ran, deploy } = notingTool({ needsApproval });
    const handle = run(
      <Agent model={scriptedModel([callDeploy(), "done"])}>
        <RequireApproval>
          <Tool name="deploy" value={deploy} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await expectHeld(handle, ran);
    expect(ran).toHaveLength(1);
  });

  it("C36 not by what the agent says about a tool that asks for itself", async () => {
    for (const needsApproval of [true, () => true, async () => true, "always" as never, () => "always" as never])
      for (const toolApproval of [{ deploy: "approved" as const }, () => "approved" as const]) {
        const { ran, deploy } = notingTool({ needsApproval });
        const handle = run(
          <Agent toolApproval={toolApproval} tools={{ deploy }} model={scriptedModel([callDeploy(), "done"])}>
            <Step id="a" prompt="go" />
          </Agent>,
        );
        await expectHeld(handle, ran);
        expect(ran).toHaveLength(1);
      }
  });

  it("C36 not by a wrapper inside or outside, and once however many there are", async () => {
    const { ran, deploy } = notingTool();
    const handle = run(
      <Agent model={scriptedModel([{ calls: [{ name: "x_deploy", input: { key: "a" } }] }, "done"])}>
        <RequireApproval reason="outer">
          <Namespace name="x">
            <RequireApproval reason="inner">
              <Tool name="deploy" value={deploy} />
            </RequireApproval>
          </Namespace>
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await expectHeld(handle, ran, { tool: "x_deploy", reason: "outer; inner" });
    expect(nodesOf(handle.trace, "request")).toHaveLength(1);
  });

  it("C36 not by a grant: the nested agent's own settings loosen nothing, at any depth", async () => {
    const { ran, deploy } = notingTool();
    const handle = run(
      <Agent model={scriptedModel([])}>
        <RequireApproval reason="it deploys">
          <Tool name="deploy" value={deploy} />
        </RequireApproval>
        <Agent model={scriptedModel([])} toolApproval={{ deploy: "approved" }}>
          <Inherit capabilities={["deploy"]} />
          <Agent
            model={scriptedModel([{ calls: [{ name: "x_deploy", input: { key: "a" } }] }, "done"])}
            toolApproval={() => "approved"}
          >
            <Namespace name="x">
              <Inherit capabilities={["deploy"]} />
            </Namespace>
            <Step id="a" prompt="go" />
          </Agent>
        </Agent>
      </Agent>,
    );
    await expectHeld(handle, ran, { tool: "x_deploy", reason: "it deploys" });
    expect(ran).toHaveLength(1);
  });

  it("C36, C33 the parent's toolApproval goes with the grant, under the parent's name of the tool", async () => {
    const { ran, deploy } = notingTool();
    const asked: string[] = [];
    const handle = run(
      <Agent
        model={scriptedModel([])}
        toolApproval={({ toolCall, tools }) => {
          asked.push(toolCall.toolName, ...Object.keys(tools ?? {}));
          return "user-approval";
        }}
      >
        <Tool name="deploy" value={deploy} />
        <Agent model={scriptedModel([{ calls: [{ name: "x_deploy", input: { key: "a" } }] }, "done"])}>
          <Namespace name="x">
            <Inherit capabilities={["deploy"]} />
          </Namespace>
          <Step id="a" prompt="go" />
        </Agent>
      </Agent>,
    );
    await expectHeld(handle, ran, { tool: "x_deploy" });
    expect(asked).toEqual(["deploy", "deploy"]);
  });

  it("C36 takes the strictest of every rule there is", async () => {
    const statuses = ["none", "user-approval", "denied"] as const;
    for (const wrapped of [false, true])
      for (const needsApproval of [false, true, () => true])
        for (const setting of statuses)
          for (const isFunction of [false, true]) {
            const { ran, deploy } = notingTool({ needsApproval });
            const model = scriptedModel([callDeploy(), "done"]);
            const status = setting === "none" ? ("approved" as const) : setting;
            const inner = <Tool name="deploy" value={deploy} />;
            const handle = run(
              <Agent model={model} toolApproval={isFunction ? () => status : { deploy: status }}>
                {wrapped ? <RequireApproval>{inner}</RequireApproval> : inner}
                <Step id="a" prompt="go" />
              </Agent>,
              { onRequest: () => ({ approved: true }) },
            );
            await handle;
            const asks = wrapped || needsApproval !== false || setting === "user-approval";
            const expected = setting === "denied" ? "denied" : asks ? "asked" : "free";
            const requests = nodesOf(handle.trace, "request").length;
            expect({ expected, requests, ran: ran.length }).toEqual({
              expected,
              requests: expected === "asked" ? 1 : 0,
              ran: expected === "denied" ? 0 : 1,
            });
            if (expected === "denied") expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied" }]);
          }
  });

  it("C36 gives the model the reason of a denial by a rule, and asks nobody", async () => {
    const { ran, deploy } = notingTool();
    const model = scriptedModel([callDeploy(), "done"]);
    const handle = run(
      <Agent model={model} toolApproval={{ deploy: () => ({ type: "denied", reason: "budget freeze" }) }}>
        <RequireApproval>
          <Tool name="deploy" value={deploy} />
        </RequireApproval>
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await handle;
    expect(ran).toEqual([]);
    expect(resultOutputs(model, 1)).toEqual([{ type: "execution-denied", reason: "budget freeze" }]);
  });

  it.each(modes)("C36 holds tools of every kind (stream: $stream)", async ({ stream }) => {
    const ran: unknown[] = [];
    const note = (input: unknown) => {
      ran.push(input);
      return "ran";
    };
    const Box = defineToolset({ name: "Box", tools: () => ({ deploy: tool({ inputSchema: key, execute: note }) }) });
    const Live = defineToolset({
      name: "Live",
      key: () => "live",
      open: async () => ({ tools: { deploy: tool({ inputSchema: key, execute: note }) } }),
    });
    const Callable = defineAgent({
      name: "deploy",
      description: "Deploys",
      input: key,
      prompt: (input) => {
        note(input);
        return "go";
      },
      model: scriptedModel(() => "deployed"),
    });
    const kinds: Record<string, JuneElement> = {
      plain: <Tool name="deploy" value={tool({ inputSchema: key, execute: note })} />,
      dynamic: (
        <Tool
          name="deploy"
          value={dynamicTool({ inputSchema: jsonSchema({ type: "object" }), execute: async (input) => note(input) })}
        />
      ),
      generator: (
        <Tool
          name="deploy"
          value={tool({
            inputSchema: key,
            async *execute(input) {
              note(input);
              yield "half";
              yield "whole";
            },
          })}
        />
      ),
      composite: (
        <Tool name="deploy" description="Deploys" input={key}>
          {(input) => {
            note(input);
            return "deployed";
          }}
        </Tool>
      ),
      callable: <Callable />,
      toolset: <Box />,
      "waiting toolset": <Live />,
    };
    for (const [kind, declaration] of Object.entries(kinds)) {
      ran.length = 0;
      const model = scriptedModel([callDeploy(), "done", callDeploy(), "done"]);
      const tree = (
        <Agent model={model}>
          <RequireApproval reason={kind}>{declaration}</RequireApproval>
          <Step id="a" prompt="go" />
        </Agent>
      );
      await expectHeld(run(tree, { stream }), ran, { reason: kind });
      expect(ran).toHaveLength(1);
      ran.length = 0;
      const denied = run(tree, { stream, onRequest: () => ({ approved: false, reason: "no" }) });
      await denied;
      expect(ran).toEqual([]);
      expect(resultOutputs(model, 3)).toEqual([{ type: "execution-denied", reason: "no" }]);
    }
  });
});

describe("a rule is asked once for each call", () => {
  it.each(modes)(
    "C36 and its verdict stands, also of one that changes its mind (stream: $stream)",
    async ({ stream }) => {
      const { ran, deploy } = notingTool();
      let asked = 0;
      const model = scriptedModel([
        { calls: ["a", "b", "c"].map((id) => ({ name: "deploy", input: { key: id } })) },
        "done",
      ]);
      const handle = run(
        <Agent model={model} toolApproval={{ deploy: () => (asked++ % 2 === 0 ? "user-approval" : "approved") }}>
          <Tool name="deploy" value={deploy} />
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      const open = await openRequests(handle, 2);
      expect(open.map(({ input }) => input)).toEqual([{ key: "a" }, { key: "c" }]);
      await settled();
      expect(ran).toEqual([{ key: "b" }]);
      for (const { id } of open) await handle.approve(id);
      await handle;
      expect([asked, ran.length]).toEqual([3, 3]);
    },
  );

  it.each(modes)(
    "C36 a call id that comes again in a later turn is a call of its own (stream: $stream)",
    async ({ stream }) => {
      const { ran, deploy } = notingTool();
      const asked: unknown[] = [];
      const turn = (command: string): ScriptEntry => ({
        calls: [{ id: "call_0", name: "deploy", input: { key: command } }],
      });
      const handle = run(
        <Agent
          model={scriptedModel([turn("safe"), turn("rm -rf"), turn("safe"), "done"])}
          toolApproval={{
            deploy: (input) => {
              asked.push(input);
              return (input as { key: string }).key === "safe" ? "approved" : "user-approval";
            },
          }}
        >
          <Tool name="deploy" value={deploy} />
          <Step id="a" prompt="go" />
        </Agent>,
        { stream },
      );
      const [request] = await openRequests(handle);
      expect(request!.input).toEqual({ key: "rm -rf" });
      expect(ran).toEqual([{ key: "safe" }]);
      await handle.deny({ reason: "no" });
      await handle;
      expect(ran).toEqual([{ key: "safe" }, { key: "safe" }]);
      expect(asked).toHaveLength(3);
    },
  );

  it.each(modes)(
    "C36 one id twice in a turn: each shows its own input and runs it (stream: $stream)",
    async ({ stream }) => {
      for (const approveFirst of [true, false]) {
        const { ran, deploy } = notingTool();
        const model = scriptedModel([
          {
            calls: [
              { id: "same", name: "deploy", input: { key: "one" } },
              { id: "same", name: "deploy", input: { key: "two" } },
            ],
          },
          "done",
        ]);
        const handle = run(
          <Agent model={model}>
            <RequireApproval>
              <Tool name="deploy" value={deploy} />
            </RequireApproval>
            <Step id="a" prompt="go" />
          </Agent>,
          { stream },
        );
        const open = await openRequests(handle, 2);
        expect(open.map(({ input }) => input)).toEqual([{ key: "one" }, { key: "two" }]);
        await handle.approve(open[approveFirst ? 0 : 1]!.id);
        await handle.deny(open[approveFirst ? 1 : 0]!.id, { reason: "not this one" });
        await handle;
        expect(ran).toEqual([{ key: approveFirst ? "one" : "two" }]);
        const outputs = [
          { type: "text", value: "deployed" },
          { type: "execution-denied", reason: "not this one" },
        ];
        expect(resultOutputs(model, 1)).toEqual(approveFirst ? outputs : outputs.toReversed());
      }
    },
  );

  it.each([
    [
      "at once",
      (): never => {
        throw new Error("policy down");
      },
    ],
    [
      "later",
      async (): Promise<never> => {
        throw new Error("policy down");
      },
    ],
  ])("C36 one that throws %s asks the person, with its message as the reason", async (_when, rule) => {
    for (const where of ["tool", "setting", "general"] as const) {
      const { ran, deploy } = notingTool(where === "tool" ? { needsApproval: rule } : {});
      const settings =
        where === "setting" ? { toolApproval: { deploy: rule } } : where === "general" ? { toolApproval: rule } : {};
      const handle = run(
        <Agent model={scriptedModel([callDeploy(), "done"])} {...settings}>
          <Tool name="deploy" value={deploy} />
          <Step id="a" prompt="go" />
        </Agent>,
      );
      await expectHeld(handle, ran, { reason: "policy down" });
      expect(ran).toEqual([{ key: "a" }]);
    }
  });

  it("C36 one that gives something that is no status asks the person", async () => {
    for (const [given, shown] of [
      ["yes", '"yes"'],
      [true, "true"],
      [{ type: "allow" }, '"allow"'],
      [0, "0"],
    ] as const) {
      const { ran, deploy } = notingTool();
      const handle = run(
        <Agent model={scriptedModel([callDeploy(), "done"])} toolApproval={{ deploy: () => given as never }}>
          <Tool name="deploy" value={deploy} />
          <Step id="a" prompt="go" />
        </Agent>,
      );
      await expectHeld(handle, ran, { reason: `an approval rule gave ${shown}, which is no status` });
      expect(ran).toEqual([{ key: "a" }]);
    }
  });

  it("C36 one that changes its input changes neither what is shown nor what runs", async () => {
    for (const where of ["tool", "setting", "general"] as const) {
      const change = (input: unknown) => {
        (input as { key: string }).key = "changed";
        return where === "tool" ? true : "user-approval";
      };
      const { ran, deploy } = notingTool(where === "tool" ? { needsApproval: change } : {});
      const settings =
        where === "setting"
          ? { toolApproval: { deploy: change } }
          : where === "general"
            ? { toolApproval: ({ toolCall }: { toolCall: { input: unknown } }) => change(toolCall.input) }
            : {};
      const handle = run(
        <Agent model={scriptedModel([callDeploy(), "done"])} {...(settings as object)}>
          <Tool name="deploy" value={deploy} />
          <Step id="a" prompt="go" />
        </Agent>,
      );
      await expectHeld(handle, ran, { input: { key: "a" } });
      expect(ran).toEqual([{ key: "a" }]);
    }
  });

  it("C36 one that waits holds the call, and an abort ends the wait", async () => {
    const { ran, deploy } = notingTool();
    let asked!: () => void;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const handle = run(
      <Agent
        model={scriptedModel([callDeploy()])}
        toolApproval={{
          deploy: () => {
            asked();
            return new Promise(() => {});
          },
        }}
      >
        <Tool name="deploy" value={deploy} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await isAsked;
    handle.abort("stop");
    await expect(handle).rejects.toBe("stop");
    expect(ran).toEqual([]);
  });

  it("C36 sees the context the tool will run with, whatever prepareStep makes of it", async () => {
    const ran: unknown[] = [];
    const contextSchema = z.object({ target: z.string() });
    const deploy = tool({
      inputSchema: key,
      contextSchema,
      needsApproval: (_input, { context }) => context.target === "production",
      execute: (_input, { context }) => void ran.push(context.target),
    });
    const handle = run(
      <Agent
        model={scriptedModel([callDeploy(), callDeploy(), "done"])}
        toolsContext={{ deploy: { target: "staging" } }}
        prepareStep={({ stepNumber }) =>
          stepNumber === 0
            ? { toolsContext: { deploy: { target: "production" } } }
            : { toolsContext: { deploy: { target: "staging" } } }
        }
      >
        <Tool name="deploy" value={deploy} />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    await openRequests(handle);
    await settled();
    expect(ran).toEqual([]);
    await handle.approve();
    await handle;
    expect(ran).toEqual(["production", "staging"]);
  });
});

describe("what was shown is what runs", () => {
  const seenBy = async (mutate: (input: { env: string }) => void, stream: boolean) => {
    const ran: string[] = [];
    const deploy = tool({
      description: "Deploy",
      inputSchema: z.object({ env: z.string() }),
      needsApproval: true,
      execute: ({ env }) => void ran.push(env),
    });
    const handle = run(
      <Agent
        model={scriptedModel([{ calls: [{ name: "deploy", input: { env: "staging" } }] }, "done"])}
        onToolExecutionStart={({ toolCall }) => void setTimeout(() => mutate(toolCall.input as never))}
        onLanguageModelCallEnd={({ content }) => {
          for (const part of content) if (part.type === "tool-call") setTimeout(() => mutate(part.input as never));
        }}
      >
        <Tool name="deploy" value={deploy} />
        <Step id="a" prompt="go" />
      </Agent>,
      { stream },
    );
    const shown: unknown[] = [];
    for await (const event of handle.events) {
      if ("input" in event) mutate(event.input as { env: string });
      if (event.type === "request-answered") mutate((event.answer?.input ?? {}) as { env: string });
      if (event.type !== "request-open") continue;
      await new Promise((resolve) => setTimeout(resolve, 2));
      shown.push(handle.requests[0]?.input);
      await handle.approve({ input: { env: "edited" } });
    }
    await handle;
    return { shown, ran };
  };

  it.each([false, true])(
    "C36, L45 whatever callbacks and readers do, while it is held, to the objects they see (stream %s)",
    async (stream) => {
      const evil = (input: { env: string }): void => {
        if (!Object.isFrozen(input)) input.env = "production";
      };
      expect(await seenBy(evil, stream)).toEqual({ shown: [{ env: "staging" }], ran: ["edited"] });
    },
  );

  it("C36, L45 an input of a class is shown as it is, not as an empty copy", async () => {
    class Money {
      readonly #cents: number;
      constructor(cents: number) {
        this.#cents = cents;
      }
      toJSON() {
        return { cents: this.#cents };
      }
    }
    const pay = tool({
      description: "Pay",
      inputSchema: z.object({ amount: z.number().transform((cents) => new Money(cents)) }),
      needsApproval: true,
      execute: ({ amount }) => JSON.stringify(amount),
    });
    let shown = "";
    const result = await run(
      <Agent
        model={scriptedModel([
          { calls: [{ name: "pay", input: { amount: 5 } }] },
          { text: "ok", expect: { results: ['{"cents":5}'] } },
        ])}
      >
        <Tool name="pay" value={pay} />
        <Step id="a" prompt="go" />
      </Agent>,
      {
        onRequest: ({ input }) => {
          shown = JSON.stringify(input);
          return { approved: true };
        },
      },
    );
    expect([result.output, shown]).toEqual(["ok", '{"amount":{"cents":5}}']);
  });
});

it("T12 a stub stands in for a generator tool too", async () => {
  let real = 0;
  const deploy = tool({
    description: "Deploy",
    inputSchema: z.object({}),
    async *execute() {
      real++;
      yield "real";
    },
  });
  const result = await run(
    <Agent model={scriptedModel([{ calls: [{ name: "deploy" }] }, { text: "ok", expect: { results: ["stubbed"] } }])}>
      <Tool name="deploy" value={deploy} />
      <Step id="a" prompt="go" />
    </Agent>,
    { stubs: { "a/deploy": () => "stubbed" } },
  );
  expect([result.output, real]).toEqual(["ok", 0]);
});

it("L40 several calls of next at once are all answered", async () => {
  const handle = run(<Agent model={scriptedModel(["ok"])}>hello</Agent>);
  const reader = handle.events[Symbol.asyncIterator]();
  const results = await Promise.all(Array.from({ length: 40 }, () => reader.next()));
  expect(results.findLast(({ done }) => done !== true)?.value).toMatchObject({ type: "run-end" });
  expect(results.at(-1)?.done).toBe(true);
});
