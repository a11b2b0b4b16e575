/**
 * The clock of a run. It starts where it is told, and every reading is recorded, so that a later run can be made to
 * read the same; the readings of an earlier run are used up before the real clock goes on from the last of them.
 *
 * @module
 */
import { CLOCK_ENTRIES_MOST, type ClockEntry } from "../protocol/frames.js";
import { floor, max, push } from "./primordials.js";

export interface RunClock {
  /** Milliseconds since 1970. */
  read(): number;
  /** What was read since the last {@link clear}. */
  entries(): readonly ClockEntry[];
  clear(): void;
  /** Whether there were more readings than are kept. */
  isOverfull(): boolean;
}

export function createRunClock(
  startedAt: number,
  recorded: readonly ClockEntry[],
  now: () => number,
): RunClock {
  const began = now();
  let last = startedAt;
  let shift = 0;
  let entryAt = 0;
  let usedOfEntry = 0;
  let kept = 0;
  let isOverfull = false;
  let fresh: [number, number][] = [];

  function record(reading: number): void {
    const delta = reading - last;
    last = reading;
    const newest = fresh[fresh.length - 1];
    if (delta === 0 && newest !== undefined) {
      newest[1] += 1;
    } else if (kept < CLOCK_ENTRIES_MOST) {
      kept += 1;
      push(fresh, [delta, 1]);
    } else {
      isOverfull = true;
    }
  }

  function replayed(): number | undefined {
    const entry = recorded[entryAt];
    if (entry === undefined) return undefined;
    const reading = usedOfEntry === 0 ? last + entry[0] : last;
    usedOfEntry += 1;
    if (usedOfEntry >= entry[1]) {
      entryAt += 1;
      usedOfEntry = 0;
      // From here the real clock goes on, and it may not go back.
      shift = max(0, reading - startedAt - floor(now() - began));
    }
    return reading;
  }

  return {
    read(): number {
      const reading = replayed() ?? max(last, startedAt + shift + floor(now() - began));
      record(reading);
      return reading;
    },
    entries: () => fresh,
    clear() {
      fresh = [];
    },
    isOverfull: () => isOverfull,
  };
}
