import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { BackOff } from "./back-off.js";

describe("the pause before a server is tried again", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());

  const pauses = (backOff: BackOff, count: number) =>
    Array.from({ length: count }, () => backOff.nextPauseMs() / LIMITS.reconnectFirstMs);

  it("doubles with each failure in a row, up to a most", () => {
    const backOff = new BackOff();
    expect(pauses(backOff, 4)).toEqual([1, 2, 4, 8]);
    pauses(backOff, 20);
    expect(backOff.nextPauseMs()).toBe(LIMITS.reconnectMostMs);
  });

  it("is short again after a connection that held, and not after one that broke at once", () => {
    const backOff = new BackOff();
    pauses(backOff, 3);
    backOff.connected();
    vi.advanceTimersByTime(5_000);
    expect(pauses(backOff, 1)).toEqual([8]);
    backOff.connected();
    vi.advanceTimersByTime(20_000);
    expect(pauses(backOff, 2)).toEqual([1, 2]);
  });
});
