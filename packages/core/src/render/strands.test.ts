/** Strands: when a run counts as waiting for people only. */

import { expect, it } from "vitest";
import { Strands } from "./strands.js";

/** Strands that note each time they come to rest. */
function watched(): { strands: Strands; rests: () => number } {
  const strands = new Strands();
  let count = 0;
  strands.onRest = () => count++;
  return { strands, rests: () => count };
}

it("a single strand rests while it waits for a person, and going on twice is once", () => {
  const { strands, rests } = watched();
  expect(strands.isAtRest).toBe(false);
  const goOn = strands.pause();
  expect(strands.isAtRest).toBe(true);
  goOn();
  goOn();
  expect(strands.isAtRest).toBe(false);
  strands.pause();
  expect(strands.isAtRest).toBe(true);
  expect(rests()).toBe(2);
});

it("a fork rests once each of its strands ended or waits", () => {
  const { strands, rests } = watched();
  const fork = strands.fork(["a", "b", "c"]);
  const goOn = strands.pause();
  fork.end("b");
  expect(strands.isAtRest).toBe(false);
  fork.end("c");
  expect(strands.isAtRest).toBe(true);
  expect(rests()).toBe(1);
  goOn();
  fork.end("a");
  expect(strands.isAtRest).toBe(false);
});

it("the last strand of a fork hands back to the one around, with no rest between", () => {
  const { strands, rests } = watched();
  const fork = strands.fork([0]);
  fork.end(0);
  expect(rests()).toBe(0);
  const goOn = strands.pause();
  expect(strands.isAtRest).toBe(true);
  goOn();
});

it("forks nest, and an empty one changes nothing", () => {
  const { strands } = watched();
  const outer = strands.fork(["x", "y"]);
  strands.fork([]).close();
  const inner = strands.fork([1, 2, 3]);
  inner.end(1);
  inner.end(1);
  inner.end(7);
  inner.close();
  inner.close();
  outer.end("x");
  expect(strands.isAtRest).toBe(false);
  strands.pause();
  expect(strands.isAtRest).toBe(true);
});
