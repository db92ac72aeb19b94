import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TerminalCleaner } from "./terminal-cleaner.js";

function clean(...pieces: string[]): string {
  const cleaner = new TerminalCleaner();
  return pieces.map((piece) => cleaner.push(piece)).join("") + cleaner.end();
}

describe("P21 case 65 what a terminal would show in the end", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m and \u001b[38;5;12;1mblue\u001b[m\n", "red and blue\n"],
    ["redrawn lines", "1%\r2%\r100%\n", "100%\n"],
    ["a return before the line feed", "one\r\ntwo\r\r\n", "one\ntwo\n"],
    ["a return at the end", "50%\r100%\r", "100%"],
    ["a line that is erased and written anew", "50%\u001b[2K\u001b[1G100%\u001b[0G", "100%"],
    [
      "an erasure of the rest of a line, as in coloured compiler messages",
      "\u001b[01m\u001b[Kerror:\u001b[m\u001b[K no\n",
      "error: no\n",
    ],
    [
      "links and titles",
      "\u001b]0;title\u0007\u001b]8;;https://june.example/a\u001b\\text\u001b]8;;\u001b\\\n",
      "text\n",
    ],
    ["backspaces", "N\bNA\bAM\bM_\b😀E\n", "NAM😀E\n"],
    ["bells, nulls and lone escapes", "a\u0007b\u0000c\u001b", "abc"],
    ["tabs, spaces and empty lines, which stay", "\ta  b \n\n\n c", "\ta  b \n\n\n c"],
  ])("%s", (_, drawn, shown) => {
    expect(clean(drawn)).toBe(shown);
  });
});

it("P21 case 65 gives the same however the text is cut into pieces", () => {
  const word = fc.constantFrom(
    "a",
    "≤",
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\u001b[31m",
    "\u001b[2K",
    "\u001b]0;t\u0007",
    "12%",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.nat(60), { maxLength: 6 }), (words, cuts) => {
      const text = words.join("");
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(clean(...pieces)).toBe(clean(text));
    }),
    { numRuns: 1000 },
  );
});

it("P21 holds back one line at most, and of a redrawn one the last state", () => {
  const cleaner = new TerminalCleaner();
  const progress = Array.from({ length: 200_000 }, (_, index) => `${index} of 200000\r`);
  const early = progress.map((state) => cleaner.push(state)).join("");
  expect(early + cleaner.end()).toBe("199999 of 200000");

  const endless = "≤".repeat(1000);
  let passedOn = 0;
  for (let count = 0; count < 1000; count++) {
    passedOn += cleaner.push(endless).length;
    expect((count + 1) * endless.length - passedOn).toBeLessThanOrEqual(65_536);
  }
  expect(passedOn + cleaner.end().length).toBe(1_000_000);
});

it("P21 does not cut an escape sequence in two where it passes on an endless line", () => {
  const cleaner = new TerminalCleaner();
  const line = "x".repeat(65_530);
  expect(cleaner.push(`${line}\u001b[38;5`) + cleaner.push(";12mred") + cleaner.end()).toBe(`${line}red`);
});

it.each(["\u001b[", "\u001b]", "\u001b[;", "\u001b[0;", "\u009b;", "a\b", "\b", "\r", "\u001b]8;;x"])(
  "P21 takes time in proportion to the text for a flood of %j",
  (piece) => {
    const flood = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const startedAt = performance.now();
    const cleaner = new TerminalCleaner();
    for (let start = 0; start < flood.length; start += 65_536) cleaner.push(flood.slice(start, start + 65_536));
    cleaner.end();
    expect(performance.now() - startedAt).toBeLessThan(3000);
  },
);
