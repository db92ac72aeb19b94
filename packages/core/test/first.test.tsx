import { tool } from "ai";
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
  defineCapabilities,
  run,
} from "@june/core";
import { scriptedModel } from "@june/core/testing";

const echo = tool({
  description: "Echo",
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => `echo ${text}`,
});

describe("first", () => {
  it("runs", async () => {
    const model = scriptedModel([{ calls: [{ name: "echo", input: { text: "hi" } }] }, "done"]);
    const result = await run(
      <Agent model={model}>
        <Tool name="echo" value={echo} />
        <Step id="a" prompt="go" />
      </Agent>,
      { trace: { capture: "full" } },
    );
    expect(result.output).toBe("done");
  });

  it("streams, nests, approves", async () => {
    const inner = scriptedModel([]);
    const outer = scriptedModel([
      {
        calls: [
          { name: "research", input: { q: "x" } },
          { name: "gh_echo", input: { text: "out" } },
        ],
      },
      { text: "all done", expect: { results: ["inner done", "echo out"] } },
    ]);
    const Files = defineCapabilities(() => <Tool name="echo" value={echo} />, { name: "Files" });
    const Research = defineAgent({
      name: "research",
      description: "d",
      input: z.object({ q: z.string() }),
      model: inner,
      prompt: ({ q }) => q,
      capabilities: () => (
        <RequireApproval reason="why">
          <Files />
        </RequireApproval>
      ),
    });
    for (const stream of [false, true]) {
      const handle = run(
        <Agent
          model={
            stream
              ? scriptedModel([
                  {
                    calls: [
                      { name: "research", input: { q: "x" } },
                      { name: "gh_echo", input: { text: "out" } },
                    ],
                  },
                  { text: "all done", expect: { results: ["inner done", "echo out"] } },
                ])
              : outer
          }
        >
          <Research model={scriptedModel([{ calls: [{ name: "echo", input: { text: "in" } }] }, "inner done"])} />
          <Namespace name="gh">
            <Files />
          </Namespace>
          <Step id="a" prompt="go" />
          <Agent model={scriptedModel(["nested"])}>
            <Inherit capabilities={["gh_echo"]} />
            <Step id="b" prompt="x" />
          </Agent>
        </Agent>,
        { stream },
      );
      const seen: string[] = [];
      for await (const event of handle.events) {
        seen.push(`${event.type} ${event.path} ${event.label}`);
        if (event.type === "request-open") {
          await handle.approve();
        }
      }
      const result = await handle;
      expect(result.output).toEqual({ a: "all done", b: "nested" });
    }
  });
});
