/** The copies a trace keeps: bounded, JSON, and without what an error quotes when only the shape is kept. */

import { JSONParseError, TypeValidationError } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { captureError, captureValue } from "./capture.js";
import { isJson } from "./is-json.js";

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

describe("captureValue", () => {
  it("S4 keeps up to 64 KiB as it is", () => {
    expect(captureValue("x".repeat(65_536))).toBe("x".repeat(65_536));
    expect(captureValue("é".repeat(32_768))).toBe("é".repeat(32_768));
    const value = { text: "x".repeat(65_536 - '{"text":""}'.length) };
    expect(captureValue(value)).toEqual(value);
  });

  it("S4 keeps 32 KiB from each end of more, with the size between", () => {
    const text = `begin${"x".repeat(1_000_000)}end`;
    const kept = captureValue(text) as string;
    expect(kept).toBe(`${text.slice(0, 32_768)}… [1000008 bytes] …${text.slice(-32_768)}`);
    const value = captureValue({ list: Array.from({ length: 50_000 }, (_, index) => index) }) as string;
    expect(value).toMatch(/^\{"list":\[0,1,2,.*… \[\d+ bytes\] ….*,49999\]\}$/);
  });

  it("S4 counts bytes and cuts no character", () => {
    for (const character of ["é", "漢", "😀"]) {
      for (const shift of ["", "a", "ab", "abc"]) {
        const kept = captureValue(`${shift}${character.repeat(40_000)}${shift}`) as string;
        expect(bytesOf(kept)).toBeLessThanOrEqual(65_536 + 40);
        expect(kept.replaceAll(character, "")).toMatch(/^[abc]*… \[\d+ bytes\] …[abc]*$/);
      }
    }
  });

  it("S4 is JSON of any value, and changes no JSON", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) =>
        isJson(captureValue(value)),
      ),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(captureValue(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const cycle: Record<string, unknown> = { big: 1n, bytes: new Uint8Array(3), call: () => "secret code" };
    cycle["self"] = cycle;
    expect(captureValue(cycle)).toEqual({ big: "1n", bytes: "[3 bytes]", call: "[function]", self: "[cycle]" });
    expect(captureValue({ file: Buffer.from("abc") })).toEqual({ file: "[3 bytes]" });
    expect(captureValue(undefined)).toBeNull();
  });
});

describe("captureError", () => {
  it("S4 keeps names, messages and causes; never stacks or other fields", () => {
    const cause = Object.assign(new TypeError("inner"), { headers: { authorization: "secret" } });
    const error = new Error("outer", { cause });
    expect(captureError(error)).toEqual({
      name: "Error",
      message: "outer",
      cause: { name: "TypeError", message: "inner" },
    });
    expect(captureError("text")).toEqual({ name: "Error", message: "text" });
    expect(captureError(undefined)).toEqual({ name: "Error", message: '"[undefined]"' });
  });

  it("S4 bounds messages, depth and number, also of errors that hold each other", () => {
    expect(captureError(new Error("x".repeat(1_000_000))).message).toContain("… [1000000 bytes] …");
    const first = new Error("first");
    first.cause = new Error("second", { cause: first });
    expect(JSON.stringify(captureError(first)).match(/first|second/g)).toHaveLength(17);
    const all: AggregateError = new AggregateError([], "all");
    all.errors.push(all, all, all);
    expect(JSON.stringify(captureError(all)).match(/"message":"all"/g)!.length).toBeLessThanOrEqual(200);
  });

  it("S4 survives an error whose message is no text", () => {
    expect(captureError(Object.assign(new Error("x"), { message: { a: 1 }, name: 5 }))).toEqual({
      name: "5",
      message: "[object Object]",
    });
  });

  it("S4 leaves out of a shape what the SDK quotes, wherever the chain repeats it", () => {
    const value = { city: "Atlantis", $: "$&" };
    const invalid = new TypeValidationError({ value, cause: new Error("city is unknown") });
    const outer = new Error(`the input does not fit: ${invalid.message}`, { cause: invalid });
    expect(captureError(outer).message).toContain("Atlantis");
    expect(captureError(outer, "shape")).toEqual({
      name: "Error",
      message:
        "the input does not fit: Type validation failed: Value: (not kept).\nError message: Error: city is unknown",
      cause: {
        name: "AI_TypeValidationError",
        message: "Type validation failed: Value: (not kept).\nError message: Error: city is unknown",
        cause: { name: "Error", message: "city is unknown" },
      },
    });
  });

  it("S4 leaves out of a shape the text that is no JSON, also where only its first line is told", () => {
    const text = "Atlantis\nand Lemuria";
    let cause: unknown;
    try {
      JSON.parse(text);
    } catch (error) {
      cause = error;
    }
    const broken = new JSONParseError({ text, cause });
    const several = new AggregateError([broken], `2 failed: ${broken.message.split("\n")[0]}`);
    const kept = JSON.stringify(captureError(several, "shape"));
    expect(kept).not.toMatch(/Atlan|Lemuria/);
    expect(kept).toContain("JSON parsing failed: Text: (not kept)");
  });
});
