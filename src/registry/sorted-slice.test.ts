import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortedSlice } from "./sorted-slice.js";

const ascending = (a: number, b: number) => a - b;

describe("sortedSlice", () => {
  it("answers what sorting and cutting would", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 400 }),
        fc.nat({ max: 420 }),
        fc.nat({ max: 100 }),
        (numbers, from, count) => {
          expect(sortedSlice([...numbers], from, from + count, ascending)).toEqual(
            [...numbers].sort(ascending).slice(from, from + count),
          );
        },
      ),
    ));
  it("comes to an end where all are equal, ascending or descending", () => {
    const upwards = Array.from({ length: 5_000 }, (_, index) => index);
    expect(sortedSlice([...upwards], 2_000, 2_003, ascending)).toEqual([2_000, 2_001, 2_002]);
    expect(sortedSlice([...upwards].reverse(), 4_998, 5_010, ascending)).toEqual([4_998, 4_999]);
    expect(
      sortedSlice(
        upwards.map(() => 7),
        10,
        12,
        ascending,
      ),
    ).toEqual([7, 7]);
  });
});
