import * as fc from "fast-check";
import { expect, it } from "vitest";
import { BoundedText } from "./bounded-text.js";

function bound(maxBytes: number, pieces: readonly string[]): { text: string; isTruncated: boolean } {
  const text = new BoundedText(maxBytes);
  for (const piece of pieces) text.push(piece);
  return text.read();
}

it("P21 keeps a text that fits as it is, also one of exactly the limit", () => {
  expect(bound(10, ["abc", "", "≤", "defg"])).toEqual({ text: "abc≤defg", isTruncated: false });
  expect(bound(10, ["0123456789"])).toEqual({ text: "0123456789", isTruncated: false });
  expect(bound(10, [])).toEqual({ text: "", isTruncated: false });
});

it("P21 keeps head and tail and counts the middle", () => {
  expect(bound(10, ["0123456789a"])).toEqual({ text: "01234\n[1 bytes left out]\n6789a", isTruncated: true });
  const many = Array.from({ length: 1000 }, (_, index) => `${index}\n`);
  const { length } = many.join("");
  expect(bound(12, many)).toEqual({
    text: `0\n1\n2\n\n[${length - 12} bytes left out]\n8\n999\n`,
    isTruncated: true,
  });
});

it("P21 case 62 cuts between characters: what is kept is a head and a tail of the text, within the limit, and the count is exact", () => {
  const characters = fc.string({ unit: fc.constantFrom("a", "é", "≤", "😀", "\n"), maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.array(characters, { maxLength: 8 }), (maxBytes, pieces) => {
      const whole = pieces.join("");
      const { text, isTruncated } = bound(maxBytes, pieces);
      expect(isTruncated).toBe(Buffer.byteLength(whole) > maxBytes);
      if (!isTruncated) {
        expect(text).toBe(whole);
        return;
      }
      const [, head = "?", leftOut, tail = "?"] = /^([^]*)\n\[(\d+) bytes left out\]\n([^]*)$/.exec(text) ?? [];
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(maxBytes);
      expect(Buffer.byteLength(head + tail)).toBeGreaterThan(maxBytes - 8);
      expect(Buffer.byteLength(whole) - Buffer.byteLength(head + tail)).toBe(Number(leftOut));
    }),
    { numRuns: 1000 },
  );
});
