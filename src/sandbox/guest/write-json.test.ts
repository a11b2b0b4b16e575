import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TEXT_BYTES_MOST } from "../protocol/frames.js";
import { writeJson } from "./write-json.js";

const check = (value: unknown): string => {
  const outcome = writeJson(value, "result");
  if (outcome.kind === "written") return outcome.text;
  return outcome.kind === "refused" ? `refused: ${outcome.message}` : outcome.kind;
};

/** What `JSON.stringify` takes, and what it cannot tell from null. */
const plain = fc.anything({
  withBoxedValues: true,
  withDate: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  values: [
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, Symbol("s"), () => 1),
  ],
});

describe("writeJson", () => {
  it("[FP-3] writes what JSON.stringify writes", () => {
    fc.assert(
      fc.property(plain, (value) => {
        let expected: string;
        try {
          expected = JSON.stringify(value) ?? "null";
        } catch {
          return;
        }
        expect(check(value)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it("[FP-3] always writes JSON, or says why not", () => {
    const odd = fc.anything({ withBigInt: true, withMap: true, withSet: true, withProxy: true } as never);
    fc.assert(
      fc.property(odd, (value) => {
        const outcome = writeJson(value, "result");
        if (outcome.kind === "written") JSON.parse(outcome.text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<readonly [unknown, string]>([
    [10n ** 20n, '"100000000000000000000"'],
    [Object(5n), '"5"'],
    [new Map<unknown, unknown>([[{ a: 1 }, new Set([1n])]]), '[[{"a":1},["1"]]]'],
    [{ toJSON: (key: string) => `key ${key}` }, '"key "'],
    [[{ toJSON: (key: string) => `key ${key}` }], '["key 0"]'],
    [{ a: 1, __proto__: { b: 2 } }, '{"a":1}'],
  ])("[FP-3] %o", (value, expected) => {
    expect(check(value)).toBe(expected);
  });

  it("[FP-3] a Map in name only is an error, not a crash", () => {
    expect(check(Object.create(Map.prototype))).toMatch(/^refused: reading result threw: /);
  });

  it("[FP-3] counts what is not finite, and names the first", () => {
    expect(writeJson({ a: [0, Number.NaN], b: -1 / 0 }, "result")).toMatchObject({
      text: '{"a":[0,null],"b":null}',
      notFinite: { count: 2, first: "result.a[1]" },
    });
  });

  it("[FP-3] names where a cycle or too deep a value is", () => {
    const cycle: Record<string, unknown> = { list: [{}] };
    (cycle.list as Record<string, unknown>[])[0] = { self: cycle };
    expect(check(cycle)).toBe("refused: result.list[0].self is a cycle: it contains itself");
    const nested = (levels: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level += 1) value = [value];
      return value;
    };
    expect(check(nested(200))).toBe(`${"[".repeat(200)}1${"]".repeat(200)}`);
    expect(check({ a: nested(200) })).toMatch(
      /^refused: result\.a\[0\].*… is nested deeper than 200 levels$/,
    );
  });

  it("[EX-2] stops at the limit, in bytes, and before it copies", () => {
    expect(check("x".repeat(TEXT_BYTES_MOST - 2))).toHaveLength(TEXT_BYTES_MOST);
    expect(check("x".repeat(TEXT_BYTES_MOST - 1))).toBe("too-large");
    expect(check("é".repeat(TEXT_BYTES_MOST / 2 - 1))).toHaveLength(TEXT_BYTES_MOST / 2 + 1);
    expect(check("é".repeat(TEXT_BYTES_MOST / 2))).toBe("too-large");
    expect(check("🎉".repeat(TEXT_BYTES_MOST / 4 - 1))).toHaveLength(TEXT_BYTES_MOST / 2);
    expect(check("🎉".repeat(TEXT_BYTES_MOST / 4))).toBe("too-large");
    expect(check(new Array(2 ** 32 - 1))).toBe("too-large");
  });
});
