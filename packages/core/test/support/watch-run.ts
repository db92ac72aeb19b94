/** Watching a run from outside: its events collected, its requests as they open. */

import type { Request, RunEvent, RunHandle } from "@june/core";

/** Every event of a run, until it ends. */
export async function collectEvents(handle: RunHandle): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of handle.events) events.push(event);
  return events;
}

/** The open requests once there are `count` of them. A run that ends before fails the test. */
export async function openRequests(handle: RunHandle, count = 1): Promise<readonly Request[]> {
  let seen = 0;
  for await (const event of handle.events) {
    if (event.type === "request-open") seen++;
    if (seen >= count && handle.requests.length >= count) return handle.requests;
  }
  throw new Error(`The run ended with ${seen} requests, of ${count} expected.`);
}

/** Reads events until one fits. A run that ends before fails the test. */
export async function untilEvent(handle: RunHandle, fits: (event: RunEvent) => boolean): Promise<RunEvent> {
  for await (const event of handle.events) if (fits(event)) return event;
  throw new Error("The run ended without the event.");
}
