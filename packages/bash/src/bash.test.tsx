/** `<Bash>` in runs: what an agent is given, what a person is asked, what the trace shows, and what an abort ends. */

import { generateText } from "ai";
import { Agent, Step, Tool, inspect, run } from "@june/core";
import { checkCapabilities, scriptedModel } from "@june/core/testing";
import { walkTrace } from "@june/core/trace";
import { expect, it } from "vitest";
import { z } from "zod";
import { Bash, bashTool } from "./index.js";
import { sleepersOf, uniqueSleep, until } from "./test-support/processes.js";

const secret = "s3cr3t-1";

it("P20 <Bash> declares the tool bash, and asks before a call", async () => {
  const model = scriptedModel([{ calls: [{ name: "bash", input: { command: "echo hi" } }] }, "done"]);
  const asked: unknown[] = [];
  await run(
    <Agent model={model}>
      <Bash />
      <Step id="a" prompt="go" />
    </Agent>,
    {
      onRequest: ({ tool, input, source }) => {
        asked.push({ tool, input, source });
        return { approved: true };
      },
    },
  );
  expect(asked).toEqual([{ tool: "bash", input: { command: "echo hi" }, source: expect.stringContaining("<Bash>") }]);
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain(String.raw`"stdout":"hi\n"`);
});

it("P20 bashTool() is a tool for any loop of the AI SDK", async () => {
  const model = scriptedModel([{ calls: [{ name: "shell", input: { command: "echo hi; exit 3" } }] }]);
  const { toolResults } = await generateText({
    model,
    tools: { shell: bashTool({ needsApproval: false }) },
    prompt: "go",
  });
  expect(toolResults[0]?.output).toMatchObject({ exitCode: 3, stdout: "hi\n" });

  const asking = scriptedModel([{ calls: [{ name: "shell", input: { command: "echo hi" } }] }]);
  const held = await generateText({ model: asking, tools: { shell: bashTool() }, prompt: "go" });
  expect(held.content.some(({ type }) => type === "tool-approval-request")).toBe(true);
  expect(held.toolResults).toEqual([]);
});

it("P20 P21 passes the conformance kit", async () => {
  const report = await checkCapabilities(<Bash env={{ TOKEN: secret }} />, {
    samples: { bash: [{ command: "echo hi" }, { command: "exit 3" }, { command: "sleep 1" }] },
    secrets: [secret],
  });
  expect(report).toMatchObject({ ok: true, tools: ["bash"], problems: [], unchecked: [] });
});

it("case 26 P21 what env holds is in no trace, no listing and no error", async () => {
  const model = scriptedModel([
    {
      calls: [
        { name: "bash", input: { command: "false" } },
        { name: "bash", input: { command: "" } },
      ],
    },
    { calls: [{ name: "bash", input: { command: "ls", timeoutMs: 1e9 } }] },
    "done",
  ]);
  const tree = (
    <Agent model={model}>
      <Bash env={{ TOKEN: secret }} needsApproval={false} />
      <Step id="a" prompt="go" />
    </Agent>
  );
  const { trace } = await run(tree, { trace: { capture: "full" } });
  const seen = [trace, await inspect(tree), model.calls.map(({ prompt, options }) => [prompt, options.tools])];
  expect(JSON.stringify(seen)).not.toContain("s3cr3t-");

  const missing = run(
    <Agent model={scriptedModel([{ calls: [{ name: "bash", input: { command: "ls" } }] }, "done"])}>
      <Bash env={{ TOKEN: secret }} needsApproval={false} cwd="/june/has/no/such/folder" />
      <Step id="a" prompt="go" />
    </Agent>,
    { trace: { capture: "full" } },
  );
  expect(JSON.stringify((await missing).trace)).not.toContain("s3cr3t-");

  const wrong = { TOKEN: [secret] } as unknown as Record<string, string>;
  const refused = run(
    <Agent model={scriptedModel([])}>
      <Bash env={wrong} />
      <Step id="a" prompt="go" />
    </Agent>,
  );
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  expect(error?.message).toContain('env["TOKEN"] is of type object');
  expect(JSON.stringify([error, String(error), String(error?.cause), refused.trace])).not.toContain("s3cr3t-");
});

it("P22 a sandbox that cannot be had fails the run before any model call", async () => {
  const model = scriptedModel([]);
  const failed = run(
    <Agent model={model}>
      <Bash sandbox={"june-has-no-such-sandbox" as "bubblewrap"} />
      <Step id="a" prompt="go" />
    </Agent>,
  );
  await expect(failed).rejects.toThrow('sandbox is "june-has-no-such-sandbox"');
  expect(model.calls).toEqual([]);
});

it("case 16 P21 an aborted run ends the commands of its child runs, and says so in each record", async () => {
  const seconds = uniqueSleep();
  const inner = scriptedModel([{ calls: [{ name: "bash", input: { command: `sleep ${seconds}` } }] }]);
  const outer = scriptedModel([{ calls: [{ name: "work", input: {} }] }]);
  const reason = new Error("enough of it");
  const handle = run(
    <Agent model={outer}>
      <Tool name="work" description="Work" input={z.object({})}>
        {() => (
          <Agent model={inner}>
            <Bash needsApproval={false} />
            <Step id="inner" prompt="go" />
          </Agent>
        )}
      </Tool>
      <Step id="outer" prompt="go" />
    </Agent>,
  );
  await until(() => sleepersOf(seconds).length === 1);
  const abortedAt = performance.now();
  handle.abort(reason);
  await expect(handle).rejects.toBe(reason);
  expect(performance.now() - abortedAt).toBeLessThan(2000);
  expect(sleepersOf(seconds)).toEqual([]);
  expect([outer.calls.length, inner.calls.length]).toEqual([1, 1]);
  const calls = [...walkTrace(handle.trace)].filter(({ node }) => node.kind === "tool-call").map(({ node }) => node);
  expect(calls.map(({ name }) => name)).toEqual(["work", "bash"]);
  for (const call of calls) expect(JSON.stringify(call)).toContain("enough of it");
});
