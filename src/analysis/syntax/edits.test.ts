import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits, blank, type Edit, wrapEdits } from "./edits.js";

/** Edits as `start-end:text`. */
function check(given: string, edits: string, expected: string): void {
  const parsed = edits.split(" ").map((each): Edit => {
    const [, start, end, text = ""] = /^(\d+)-(\d+):(.*)$/.exec(each) ?? [];
    return { start: Number(start), end: Number(end), text };
  });
  expect(applyEdits(given, parsed).text).toBe(expected);
}

describe("applyEdits", () => {
  it("replaces and inserts", () => check("abcdef", "1-3:X 5-5:YY", "aXdeYYf"));
  it("takes edits in any order", () => check("abcdef", "5-6:Z 0-1:", "bcdeZ"));
  it("leaves out what is inside of another edit", () => check("abcdef", "1-5:X 2-3:Y", "aXf"));
  it("inserts at both ends of what is replaced", () => check("abcdef", "1-3:X 1-1:( 3-3:)", "a(X)def"));

  it("finds the way back", () => {
    const { text, originalOffset } = applyEdits("abcdef", [
      { start: 1, end: 3, text: "WXYZ" },
      { start: 5, end: 5, text: "!" },
    ]);
    expect(text).toBe("aWXYZde!f");
    expect([...text, ""].map((_, offset) => originalOffset(offset))).toEqual([0, 1, 2, 3, 3, 3, 4, 5, 5, 6]);
  });

  it("gives every character that stays its own offset back", () => {
    const cuts = fc.array(
      fc.record({ start: fc.nat(30), length: fc.nat(4), text: fc.string({ maxLength: 4 }) }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 30, maxLength: 30 }), cuts, (given, edits) => {
        const { text, originalOffset } = applyEdits(
          given,
          edits.map(({ start, length, text: written }) => ({
            start,
            end: Math.min(start + length, 30),
            text: written,
          })),
        );
        const offsets = Array.from({ length: text.length + 1 }, (_, offset) => originalOffset(offset));
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        expect(offsets[text.length]).toBe(30);
      }),
    );
  });
});

/** Wraps as `start-end:before|after`, with the layer behind an `@`. */
function checkWraps(given: string, wraps: string, expected: string): void {
  const parsed = wraps.split(" ").map((each) => {
    const [, start, end, before = "", after = "", layer] =
      /^(\d+)-(\d+):(.*)\|(.*?)(?:@(\d))?$/.exec(each) ?? [];
    return { start: Number(start), end: Number(end), before, after, layer: Number(layer ?? 0) };
  });
  expect(applyEdits(given, wrapEdits(parsed)).text).toBe(expected);
}

describe("wrapEdits", () => {
  it("puts the outer outside", () => checkWraps("abc", "1-2:(|) 0-3:[|]", "[a(b)c]"));
  it("opens the outer first", () => checkWraps("abc", "0-1:(|) 0-3:[|]", "[(a)bc]"));
  it("closes the inner first", () => checkWraps("abc", "0-3:[|] 2-3:(|)", "[ab(c)]"));
  it("closes before it opens", () => checkWraps("abc", "1-3:[|] 0-1:(|)", "(a)[bc]"));
  it("goes by layers around the same", () => checkWraps("abc", "0-3:(|)@2 0-3:[|]@1", "[(abc)]"));
  it("takes the first for the outer otherwise", () => checkWraps("abc", "0-3:(|) 0-3:[|]", "([abc])"));
  it("wraps nothing at all", () => checkWraps("abc", "1-1:(|) 0-3:[|]", "[a()bc]"));
  it("nests many", () => checkWraps("a", "0-1:(|)@3 0-1:<|>@1 0-1:[|]@2 0-1:{|}@0", "{<[(a)]>}"));
});

describe("blank", () => {
  it("keeps lines and columns", () => expect(blank("a\n b🎉\r\nc\u2028d")).toBe(" \n    \r\n \u2028 "));
});
