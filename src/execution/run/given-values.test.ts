import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import { GivenValues, keptError } from "./given-values.js";

function check(given: Json, text: string, expected: string): void {
  expect(new GivenValues().note(given).in(text)).toBe(expected);
}

describe("[EX-11] what is kept of an error", () => {
  it("has no text that was given, wherever it stood", () => {
    check(
      { path: "/home/ada/diary.txt" },
      "ENOENT: '/home/ada/diary.txt' not found",
      "ENOENT: '…' not found",
    );
    check([{ a: [{ b: "swordfish" }] }], "bad swordfish, swordfish!", "bad …, …!");
  });
  it("is its code, and its message without what was given", () => {
    const error = new PmlError("TOOL_FAILED", "no user swordfish");
    expect(keptError(error, () => new GivenValues().note("swordfish"))).toEqual({
      errorCode: "TOOL_FAILED",
      errorMessage: "no user …",
    });
  });

  it("[DO-5] stays JSON where it was JSON", () => {
    const given = new GivenValues().note(['sw0rd"fish', "secret"]);
    expect(given.inJson('{"a":["sw0rd\\"fish!",5],"b":"secret"}')).toBe('{"a":["…!",5],"b":"…"}');
    expect(given.inJson('{ "a": 1 }')).toBe('{ "a": 1 }');
    expect([given.isIn("a secret"), given.isIn("nothing"), new GivenValues().isIn("secret")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("has none in the form of JSON or of a URL", () => {
    check('a "quoted" one', 'got {"x":"a \\"quoted\\" one"}', 'got {"x":"…"}');
    check("héllo wörld", "GET /h%C3%A9llo%20w%C3%B6rld", "GET /…");
  });
  it("has no beginning of a long one, which texts are cut to", () => {
    check(
      "0123456789abcdefghijklmnop",
      "value 0123456789abcdefghij... is too long",
      "value …... is too long",
    );
    check("first line here\nsecond line here", "at second line here", "at …");
  });
  it("has no long number", () => {
    check({ card: 4111111111111111 }, "card 4111111111111111 refused", "card … refused");
    check({ pin: -12345.5 }, "pin -12345.5", "pin …");
  });
  it("keeps short values, keys and everything else", () => {
    check(
      { encoding: "abc", n: 1234, yes: true, no: null },
      "abc 1234 true encoding",
      "abc 1234 true encoding",
    );
  });
  it("is left out where more was given than can be looked for", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `value ${index}`);
    check(many, "value 4999 is wrong", "(not stored: it may contain arguments)");
    let deep: Json = "secret value";
    for (let level = 0; level < 100; level += 1) deep = [deep];
    check(deep, "secret value", "(not stored: it may contain arguments)");
  });
  it("never holds a text of four characters or more that was given", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (value, before, after) => {
        const given = value.trim();
        fc.pre(given.length >= 4 && !given.includes("…"));
        const kept = new GivenValues().note({ value }).in(`${before}${value}${after}`);
        // What stands around it may be the same text in part.
        fc.pre(!`${before}${after}`.includes(given) && !`${before}…${after}`.includes(given));
        expect(kept).not.toContain(given);
      }),
    );
  });
});
