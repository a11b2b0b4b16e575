import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan } from "./json-depth.js";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("isDeeperThan", () => {
  it("[EX-2] agrees with the parsed value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false, maxDepth: 6 } as never),
        fc.nat({ max: 7 }),
        (value, levels) => {
          expect(isDeeperThan(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("[EX-2] is not misled by brackets and quotes in strings", () => {
    expect(isDeeperThan(JSON.stringify(['[[[["\\', '\\"[[[', "]]]"]), 1)).toBe(false);
    expect(isDeeperThan(JSON.stringify(["\\", [[[]]], "\\\\"]), 3)).toBe(true);
    expect(isDeeperThan('"unfinished [[[', 0)).toBe(false);
    expect(isDeeperThan("[".repeat(200), 200)).toBe(false);
    expect(isDeeperThan("[".repeat(201), 200)).toBe(true);
  });
});
