/** A tool that notes what it ran with, and a check that it was held. */

import { tool } from "ai";
import { expect } from "vitest";
import { z } from "zod";
import type { RunHandle } from "@june/core";
import type { ScriptEntry } from "@june/core/testing";
import { settled } from "./deferred.js";
import { openRequests } from "./watch-run.js";

/** The input of the tool. */
export const deployInput = z.object({ key: z.string() });

/** A turn that calls it. */
export const callDeploy = (input: unknown = { key: "a" }): ScriptEntry => ({ calls: [{ name: "deploy", input }] });

/** A tool that notes what it ran with. */
export function notingTool(settings: object = {}) {
  const ran: unknown[] = [];
  const deploy = tool({
    inputSchema: deployInput,
    execute: (input) => {
      ran.push(structuredClone(input));
      return "deployed";
    },
    ...settings,
  });
  return { ran, deploy };
}

/** Runs until the first request is open, checks that nothing ran before the answer, and approves it. */
export async function expectHeld(handle: RunHandle, ran: readonly unknown[], expected: object = {}): Promise<void> {
  const [request] = await openRequests(handle);
  await settled();
  expect(ran).toEqual([]);
  expect(request).toMatchObject({ kind: "approval", input: { key: "a" }, ...expected });
  await handle.approve(request!.id);
  await handle;
  expect(ran).toEqual([request!.input]);
}
