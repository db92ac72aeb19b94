/** What is written out instead of reaching a terminal, and how wide the rest is. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, escapeText, widthOf, wrapText } from "./terminal-text.js";

describe("escapeText", () => {
  it.each([
    ["plain text, with spaces.", "plain text, with spaces."],
    ["naïve Ωmega 漢字 עברית 👍 ❤️", "naïve Ωmega 漢字 עברית 👍 ❤️"],
    ["\u001b[31mred\u001b[0m", "\\e[31mred\\e[0m"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\u0000\u0007\u007f\u009b", "\\u0000\\u0007\\u007f\\u009b"],
    ["\u202egnp.exe\u2066x\u2069", "\\u202egnp.exe\\u2066x\\u2069"],
    ["\u2028\u2029", "\\u2028\\u2029"],
    ["in\u200bvisi\u00adble\ufeff", "in\\u200bvisi\\u00adble\\ufeff"],
    ["\u{e0041}\u{e0042}", "\\u{e0041}\\u{e0042}"],
    ["\ud800 alone", "\ufffd alone"],
  ])("S1 writes %j as %j", (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
    expect(escapeText(escaped)).toBe(escaped);
  });

  it("S1 leaves no control, direction or invisible character of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("cutText and wrapText", () => {
  it.each([
    ["abc", 3],
    ["漢字", 4],
    ["👍", 2],
    ["e\u0301", 1],
    ["─│", 2],
  ])("S1 %j takes %d columns", (text, columns) => expect(widthOf(text)).toBe(columns));

  it("S1 cut at the last character that fits", () => {
    expect(cutText("abcdef", 6)).toBe("abcdef");
    expect(cutText("abcdef", 5)).toBe("abcd…");
    expect(cutText("漢字漢字", 6)).toBe("漢字…");
    expect(cutText("abc", 1)).toBe("…");
  });

  it("S1 wrap at spaces, and inside words that fit nowhere", () => {
    expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrapText("abcdefgh ij", 3)).toEqual(["abc", "def", "gh", "ij"]);
    expect(wrapText("  indented", 20)).toEqual(["  indented"]);
    expect(wrapText("", 20)).toEqual([""]);
  });

  it("S1 stay within the columns and lose nothing but spaces, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const escaped = escapeText(text);
        expect(widthOf(cutText(escaped, columns))).toBeLessThanOrEqual(columns);
        const lines = wrapText(escaped, columns);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(/\s/g, "")).toBe(escaped.replaceAll(/\s/g, ""));
      }),
      { numRuns: 2_000 },
    );
  });
});
