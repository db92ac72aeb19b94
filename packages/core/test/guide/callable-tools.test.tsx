import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, Step, Tool, defineTool, run } from "@june/core";
import { scriptedModel } from "@june/core/testing";

const lookUp = defineTool({
  name: "lookUp",
  description: "Look an order up",
  input: z.object({ id: z.string(), limit: z.number().default(20) }),
  output: z.object({ id: z.string(), limit: z.number() }),
  execute: async ({ id, limit }) => ({ id, limit }),
});

describe("callable tools", () => {
  it("T7 a component calls a tool without an agent", async () => {
    async function Workflow() {
      const order = await lookUp({ id: "A-17" });
      return `${order.id}:${order.limit}`;
    }
    const result = await run(<Workflow />, { trace: { capture: "full" } });
    expect(result.output).toBe("A-17:20");
    const [component] = result.trace.root.children;
    expect(component?.children[0]).toMatchObject({
      kind: "tool-call",
      name: "lookUp",
      invocation: "application",
      output: { id: "A-17", limit: 20 },
    });
  });

  it("T8 outside a component a call throws at once", () => {
    expect(() => lookUp({ id: "x" })).toThrow("june: lookUp() can only be called while a component is rendering");
  });

  it("T5 an agent is granted a tool under its name or another", async () => {
    const model = scriptedModel([
      { calls: [{ name: "order", input: { id: "A-17" } }], expect: { tools: ["order"] } },
      { text: "done", expect: { results: [{ id: "A-17", limit: 20 }] } },
    ]);
    const result = await run(
      <Agent model={model}>
        <Tool use={lookUp} as="order" />
        <Step id="a" prompt="go" />
      </Agent>,
    );
    expect(result.output).toBe("done");
    expect(result.trace.root.children[0]?.capabilities).toEqual([{ name: "order", source: "<Tool use={lookUp}>" }]);
  });

  it("T9 a call that nobody awaits and that fails, fails the run", async () => {
    const failing = defineTool({
      name: "failing",
      description: "fails",
      input: z.object({}),
      execute: async () => {
        throw new Error("no stock");
      },
    });
    function Workflow() {
      void failing({});
      return "text";
    }
    await expect(run(<Workflow />)).rejects.toMatchObject({ code: "component-failed", cause: { message: "no stock" } });
  });
});
