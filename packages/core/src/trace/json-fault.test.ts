/** The place at which a text stops being JSON, against what the runtime's own parser takes. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "./json-fault.js";

describe("findJsonFault", () => {
  it.each([
    ["", 1, 1, undefined],
    ["[1, 2", 1, 6, undefined],
    ['{"a": 1,}', 1, 9, "}"],
    ["[1,]", 1, 4, "]"],
    ['{\n  "a": tru\n}', 2, 8, "t"],
    ['{"a" 1}', 1, 6, "1"],
    ["{a: 1}", 1, 2, "a"],
    ["[1}", 1, 3, "}"],
    ["1 2", 1, 3, "2"],
    ['["a\nb"]', 1, 4, "\n"],
    ['["\\x"]', 1, 3, "\\"],
    ['["a', 1, 4, undefined],
    ["[01]", 1, 3, "1"],
    ["[1]\n\n]", 3, 1, "]"],
    ["[😀]", 1, 2, "😀"],
  ])("S1 finds it in %j", (text, line, column, found) => {
    expect(findJsonFault(text)).toEqual({ line, column, found });
  });

  it("S1 agrees with the runtime on what is JSON, whatever is cut, added or swapped in a text", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom("", ",", ":", '"', "\\", "{", "]", "1", "-", ".", "e", " ", "\n", "\u0001", "null", "é"),
        (json, position, removed, added) => {
          const index = position % (json.length + 1);
          const text = json.slice(0, index) + added + json.slice(index + removed);
          expect(findJsonFault(text) === undefined, text).toBe(isParsed(text));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("S1 takes time in proportion to the text", () => {
    const text = `["${"a\\n".repeat(500_000)}`;
    expect(findJsonFault(text)).toMatchObject({ line: 1, column: 1_500_003 });
    expect(findJsonFault("[".repeat(1_000_000))).toMatchObject({ line: 1, column: 1_000_001 });
  });
});

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
