/** The check that ties docs/rules/ to the tests: on the repository as it stands, and on small texts in which the two disagree. */

import { describe, expect, it } from "vitest";
import { checkRules, compareRules, readRules, readTestNames } from "../scripts/check-rules.mjs";

it("finds a test for every rule and a rule for every numbered test of this repository", () => {
  expect(checkRules().problems).toEqual([]);
});

describe("readRules", () => {
  it("takes list items and headings that open with a number in bold", () => {
    const text =
      "# Rules\n\n- **C5** One.\n  Not **C6** inside.\n* **L20** Two.\n\n### **S1** Three\n\nProse about **C7**.\n";
    expect(readRules(text, "a.md")).toEqual([
      { number: "C5", place: "a.md:3" },
      { number: "L20", place: "a.md:5" },
      { number: "S1", place: "a.md:7" },
    ]);
  });
});

describe("readTestNames", () => {
  it("reads every spelling of a test that runs", () => {
    const text = [
      'it("C1 plain", () => {});',
      "test('C2 single quotes', () => {});",
      "it.concurrent(`C3 of ${1}`, () => {});",
      'it.each([[f("a", (b))]])("C4 table", () => {});',
      'it("C5 joined " + "text", () => {});',
      'test.prop([x])("C6 property", () => {});',
    ].join("\n");
    expect(readTestNames(text, "a.test.ts").map(({ name, place }) => `${place} ${name}`)).toEqual([
      "a.test.ts:1 C1 plain",
      "a.test.ts:2 C2 single quotes",
      "a.test.ts:3 C3 of ",
      "a.test.ts:4 C4 table",
      "a.test.ts:5 C5 joined ",
      "a.test.ts:6 C6 property",
    ]);
  });

  it("leaves out what does not run: skipped and planned tests, comments, other calls", () => {
    const text = 'it.skip("C1 a", f);\nit.todo("C2 b");\n// it("C3 c", f);\nsubmit("C4 d");\nregister.it("C5 e");\n';
    expect(readTestNames(text, "a.test.ts")).toEqual([]);
  });
});

describe("compareRules", () => {
  const rule = (number: string, place = "r.md:1") => ({ number, place });
  const named = (name: string) => ({ name, place: "a.test.ts:1" });

  it("is content when each side names the other", () => {
    expect(
      compareRules([rule("C5"), rule("L20"), rule("L21")], [named("C5 works"), named("L20, L21 go together")]),
    ).toEqual([]);
  });

  it("reports a rule without a test, whatever test opens with a longer number or speaks of it later", () => {
    expect(compareRules([rule("C5"), rule("C50")], [named("C50 works"), named("C50 unlike C5")])).toEqual([
      'r.md:1: rule C5 has no test; name one  it("C5 …")',
    ]);
  });

  it("reports a numbered test without a rule", () => {
    expect(compareRules([rule("C5")], [named("C5 C99 work")])).toEqual([
      'a.test.ts:1: the test "C5 C99 work" names rule C99, which no page of docs/rules lists',
    ]);
  });

  it("reports a number that is listed twice", () => {
    expect(compareRules([rule("C5", "a.md:1"), rule("C5", "b.md:2")], [named("C5 works")])).toEqual([
      "b.md:2: rule C5 is listed twice, first at a.md:1",
    ]);
  });
});
