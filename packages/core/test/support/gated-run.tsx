/** Workflows that ask: gated calls of one agent, and a question to a person. */

import { tool } from "ai";
import { z } from "zod";
import { Agent, RequireApproval, Step, Tool, run, type RunOptions } from "@june/core";
import { scriptedModel, type ScriptEntry, type ScriptedModel } from "@june/core/testing";

/** A run whose calls of `save` wait for approval; the tool notes what it ran with. */
export function gatedRun(script: readonly ScriptEntry[], options: RunOptions = {}) {
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

/** A turn that calls it once for each key. */
export const calls = (...keys: string[]) => ({ calls: keys.map((key) => ({ name: "save", input: { key } })) });

/** A tool that a person answers. */
export const confirm = tool({ inputSchema: z.object({ question: z.string() }), outputSchema: z.string().min(1) });

/** An agent that has it. */
export function Asking({ model }: { model: ScriptedModel }) {
  return (
    <Agent model={model}>
      <Tool name="confirm" value={confirm} />
      <Step id="ask" prompt="go" />
    </Agent>
  );
}
