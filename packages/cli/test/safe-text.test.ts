/** Text on its way to a terminal, for any text at all. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showInput } from "../src/output/show-input.js";
import { showBlock, showLine, showLines } from "../src/output/safe-text.js";

const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const withoutHarmless = (text: string): string => text.replaceAll(/[\n\t\u200c\u200d]/g, "");
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom("\u001b", "\u009b", "\r", "\n", "\u202e", "\u2066", "\ufeff", "\u{e0041}", "\ud83d", "a"),
    maxLength: 300,
  }),
);

describe("text made harmless", () => {
  it("holds nothing a terminal would act on, in any of its forms", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(withoutHarmless(showBlock(text))).not.toMatch(unsafe);
        expect(withoutHarmless(showLine(text, 20))).not.toMatch(unsafe);
        expect(withoutHarmless(showLines(text, { maxLines: 5, maxLineLength: 20 }).join("\n"))).not.toMatch(unsafe);
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves JSON what it was", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(showBlock(JSON.stringify({ text })))).toEqual({ text });
      }),
      { numRuns: 2_000 },
    );
  });

  it("is bounded, and says what is left out", () => {
    expect(showLine("a  b\n c", 20)).toBe("a b c");
    expect(showLine("x".repeat(1_000_000), 5)).toBe("xxxxx… (1,000,000 characters)");
    expect(showLines("1\n2\n3\n4\n5\n6\n7", { maxLines: 4, maxLineLength: 9 })).toEqual([
      "1",
      "2",
      "3",
      "… 3 lines left out …",
      "7",
    ]);
    expect(showLines("abcdefghijklmnop", { maxLines: 4, maxLineLength: 8 })).toEqual([
      "abcdef … 8 characters left out … op",
    ]);
  });
});

describe("the input of a held call", () => {
  it("shows one field a line, and text of several lines as lines that cannot look like fields", () => {
    const input = {
      version: "1.2.0",
      notes: "## Added\n\nforce: true",
      tags: ["a", { deep: [] }],
      "odd name: x": null,
      empty: {},
      count: 3,
    };
    expect(showInput(input)).toEqual([
      'version: "1.2.0"',
      "notes:",
      "  | ## Added",
      "  | ",
      "  | force: true",
      "tags:",
      '  - "a"',
      "  -",
      "    deep: []",
      '"odd name: x": null',
      "empty: {}",
      "count: 3",
    ]);
    expect(showInput("plain")).toEqual(['"plain"']);
    expect(showInput(undefined)).toEqual(["null"]);
    expect(showInput({})).toEqual(["{}"]);
  });

  it("is bounded in lines and in their length", () => {
    const lines = showInput({ long: "x".repeat(5_000), many: "line\n".repeat(500) });
    expect(lines).toHaveLength(61);
    expect(lines).toContain("… 443 lines left out …");
    expect(lines[0]).toMatch(/^long: "x+ … 4,008 characters left out … x+"$/);
  });
});
