import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspect, inspectAll } from "./inspect.js";

describe("inspect", () => {
  it("[FP-4] never throws, and stays within bounds, whatever it is shown", () => {
    const odd = fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withDate: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(odd, (value) => {
        expect(inspect(value).length).toBeLessThan(17_000);
      }),
      { numRuns: 1_000 },
    );
  });

  it("[FP-4] survives values that defend themselves", () => {
    const traps = new Proxy(
      {},
      { get: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail },
    );
    function fail(): never {
      throw new Error("trap");
    }
    const error = new Error("x");
    Object.defineProperty(error, "stack", { get: fail });
    expect(inspectAll([traps, { traps }, [traps], error])).toBe(
      "[unreadable] { traps: [unreadable] } [ [unreadable] ] Error: x",
    );
  });

  it.each<readonly [unknown, string]>([
    ["a\nb", '"a\\nb"'],
    [-0, "-0"],
    [[], "[]"],
    [{}, "{}"],
    [{ "odd key": 1, $ok: [undefined] }, '{ "odd key": 1, $ok: [ undefined ] }'],
    [Array.from({ length: 101 }, (_, index) => index).slice(0, 3), "[ 0, 1, 2 ]"],
    [class Point {}, "[Function: Point]"],
    [
      new (class Point {
        x = 1;
      })(),
      "Point { x: 1 }",
    ],
  ])("%o", (value, expected) => {
    expect(inspect(value)).toBe(expected);
  });

  it("leaves out what is too much", () => {
    expect(inspect(Array.from({ length: 105 }, () => 1))).toMatch(/, … 5 more \]$/);
    expect(inspect({ text: "x".repeat(5_000) })).toContain("… (5000 characters)");
  });
});
