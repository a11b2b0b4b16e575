/**
 * The clock of a run. It starts at a given time, and every reading is recorded, so that a later run can repeat the same
 * readings; recorded readings of an earlier run are used first, then the real clock continues from the last of them.
 * The record also contains when timers fired; see `turns.ts`.
 *
 * @module
 */
import {
  CLOCK_ENTRIES_MOST,
  type ClockEntry,
  type ReadingEntry,
  type TimerEntry,
} from "../protocol/frames.js";
import { floor, max, push } from "./primordials.js";

export interface RunClock {
  /** Milliseconds since 1970. */
  read(): number;
  /** Records that a timer fired. */
  note(entry: TimerEntry): void;
  /** The entries since the last {@link clear}. */
  entries(): readonly ClockEntry[];
  clear(): void;
  /** Whether there were more entries than the limit. */
  isOverfull(): boolean;
}

export function createRunClock(
  startedAt: number,
  recorded: readonly ClockEntry[],
  now: () => number,
): RunClock {
  const began = now();
  const readings: ReadingEntry[] = [];
  for (let index = 0; index < recorded.length; index += 1) {
    const entry = recorded[index] as ClockEntry;
    if (entry.length === 2) push(readings, entry);
  }
  let last = startedAt;
  let shift = 0;
  let entryAt = 0;
  let usedOfEntry = 0;
  let kept = 0;
  let isOverfull = false;
  let fresh: ClockEntry[] = [];
  /** The newest entry, if it is a reading. */
  let newest: [number, number] | undefined;

  function record(reading: number): void {
    const delta = reading - last;
    last = reading;
    if (delta === 0 && newest !== undefined) {
      newest[1] += 1;
      return;
    }
    const entry: [number, number] = [delta, 1];
    if (keep(entry)) newest = entry;
  }

  function keep(entry: ClockEntry): boolean {
    if (kept >= CLOCK_ENTRIES_MOST) {
      isOverfull = true;
      return false;
    }
    kept += 1;
    push(fresh, entry);
    return true;
  }

  function replayed(): number | undefined {
    const entry = readings[entryAt];
    if (entry === undefined) return undefined;
    const reading = usedOfEntry === 0 ? last + entry[0] : last;
    usedOfEntry += 1;
    if (usedOfEntry >= entry[1]) {
      entryAt += 1;
      usedOfEntry = 0;
      // From here the real clock continues, and must not go back.
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
    note(entry) {
      if (keep(entry)) newest = undefined;
    },
    entries: () => fresh,
    clear() {
      fresh = [];
      newest = undefined;
    },
    isOverfull: () => isOverfull,
  };
}
