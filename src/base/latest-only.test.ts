import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LatestOnly } from "./latest-only.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function limited(perSecond: number) {
  const got: number[] = [];
  return { limit: new LatestOnly<number>(perSecond, (value) => got.push(value)), got };
}

describe("[TB-8, TB-9] LatestOnly", () => {
  it("passes on what comes slowly", () => {
    const { limit, got } = limited(2);
    for (let i = 1; i <= 5; i += 1) {
      limit.take(i);
      vi.advanceTimersByTime(500);
    }
    expect(got).toEqual([1, 2, 3, 4, 5]);
  });

  it("passes on the first ones of a flood and then the last that there is, when its time has come", () => {
    const { limit, got } = limited(3);
    for (let i = 1; i <= 1_000; i += 1) limit.take(i);
    expect(got).toEqual([1, 2, 3]);
    vi.advanceTimersByTime(400);
    expect(got).toEqual([1, 2, 3, 1_000]);
    vi.advanceTimersByTime(5_000);
    expect(got).toEqual([1, 2, 3, 1_000]);
  });

  it("passes on no more than that of a flood that does not end", () => {
    const { limit, got } = limited(10);
    for (let ms = 0; ms < 5_000; ms += 1) {
      limit.take(ms);
      vi.advanceTimersByTime(1);
    }
    expect(got.length).toBeGreaterThan(50);
    expect(got.length).toBeLessThanOrEqual(61);
  });

  it("passes on at once what waits when it is asked to, and nothing twice", () => {
    const { limit, got } = limited(1);
    for (let i = 1; i <= 9; i += 1) limit.take(i);
    limit.flush();
    limit.flush();
    vi.advanceTimersByTime(5_000);
    expect(got).toEqual([1, 9]);
  });
});
