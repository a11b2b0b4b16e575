import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLOCK_ENTRIES_MOST, type ClockEntry } from "../protocol/frames.js";
import { createRunClock } from "./run-clock.js";

describe("the clock of a run", () => {
  it("counts from where it was started, in whole milliseconds, and records run lengths", () => {
    let now = 100.5;
    const clock = createRunClock(1_000, [], () => now);
    const read = (): number => clock.read();
    const readings = [read(), read()];
    now = 105.2;
    readings.push(read());
    now = 107.9;
    readings.push(read(), read());
    expect(readings).toEqual([1_000, 1_000, 1_004, 1_007, 1_007]);
    expect(clock.entries()).toEqual([
      [0, 2],
      [4, 1],
      [3, 2],
    ]);
    clock.clear();
    expect(clock.entries()).toEqual([]);
    read();
    expect(clock.entries()).toEqual([[0, 1]]);
  });

  it("[EX-8] reads what was recorded again, then goes on from the last of it, whatever the times were", () => {
    const steps = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        let now = 0;
        const earlier = createRunClock(5_000, [], () => now);
        const readings = first.map((step) => {
          now += step;
          return earlier.read();
        });
        const recorded: readonly ClockEntry[] = earlier.entries();
        now = 0;
        const later = createRunClock(5_000, recorded, () => now);
        const again = first.map(() => later.read());
        expect(again).toEqual(readings);
        let last = again.at(-1) ?? 0;
        for (const step of second) {
          now += step;
          const reading = later.read();
          expect(reading).toBe(last + step);
          last = reading;
        }
      }),
    );
  });

  it("keeps so many readings and no more, and says so", () => {
    let now = 0;
    const clock = createRunClock(0, [], () => now);
    for (; now < CLOCK_ENTRIES_MOST; now += 1) clock.read();
    expect(clock.isOverfull()).toBe(false);
    clock.read();
    expect(clock.isOverfull()).toBe(true);
    expect(clock.entries()).toHaveLength(CLOCK_ENTRIES_MOST);
  });
});
