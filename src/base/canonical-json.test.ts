import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";

/** JSON text in, canonical JSON text out. */
function check(text: string, expected: string): void {
  expect(canonicalJson(JSON.parse(text))).toBe(expected);
}

function refusal(value: unknown): string {
  try {
    return `accepted as ${canonicalJson(value)}`;
  } catch (error) {
    return error instanceof TypeError ? error.message : `another error: ${String(error)}`;
  }
}

/** A copy with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe("canonicalJson", () => {
  it("writes the example of RFC 8785, 3.2.2", () =>
    check(
      String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ));

  it("sorts the keys of RFC 8785, 3.2.3 by UTF-16 code units", () =>
    check(
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
        "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ));

  it.each([
    ["-0", "0"],
    ["1e21", "1e+21"],
    ["999999999999999900000", "999999999999999900000"],
    ["9007199254740992", "9007199254740992"],
    ["5e-324", "5e-324"],
    ["1.7976931348623157e308", "1.7976931348623157e+308"],
    ["1e-7", "1e-7"],
    ["0.000001", "0.000001"],
  ])("writes the number %s as %s", check);

  it("sorts keys that look like numbers as text", () =>
    check('{"10":1,"9":2,"a":3,"1":4}', '{"1":4,"10":1,"9":2,"a":3}'));
  it("keeps the order of lists", () => check("[3,1,[2,1]]", "[3,1,[2,1]]"));
  it("sorts at every depth", () => check('[{"b":{"d":1,"c":2},"a":[]}]', '[{"a":[],"b":{"c":2,"d":1}}]'));
  it("keeps a key called __proto__", () =>
    check('{"b":1,"__proto__":{"a":1}}', '{"__proto__":{"a":1},"b":1}'));

  it("leaves out what is undefined in an object, as JSON.stringify does", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonicalJson([undefined, 1])).toBe("[null,1]");
  });

  it.each([
    [Number.NaN, "Cannot write as JSON: NaN (number)"],
    [Number.POSITIVE_INFINITY, "Cannot write as JSON: Infinity (number)"],
    [10n, "Cannot write as JSON: 10 (bigint)"],
    [undefined, "Cannot write as JSON: undefined (undefined)"],
    [Symbol("s"), "Cannot write as JSON: Symbol(s) (symbol)"],
    [{ deep: [Number.NaN] }, "Cannot write as JSON: NaN (number)"],
  ])("refuses %o", (value, expected) => {
    expect(refusal(value)).toBe(expected);
  });

  it("refuses functions", () => {
    expect(refusal(() => 1)).toMatch(/^Cannot write as JSON: .* \(function\)$/);
    expect(refusal({ toJSON: () => 1 })).toMatch(/\(function\)$/);
  });

  it("says the same as the value it was made of, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("is the same whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is the same for its own output", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("tells different values apart", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = canonicalJson(a) === canonicalJson(b);
        const plain = (value: unknown) => JSON.stringify(sortedDeep(value));
        expect(isSame).toBe(plain(a) === plain(b));
      }),
    );
  });
});

function sortedDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.keys(value)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((key) => [key, sortedDeep((value as Record<string, unknown>)[key])])
    .concat([["is an object", true]]);
}
