/**
 * The order in which answers and timers reach the code: one at a time. The code finishes all work that one of them
 * causes before the next one comes.
 *
 * The behaviour of the code depends only on that order, so a replay repeats it. Answers come in the order in which the
 * host sends them; a record says when timers fired between them. During a replay, timers follow the record instead of
 * real time, and an answer that comes too early waits. After the end of the record, or if the code behaves differently
 * (which other modules detect), real time counts.
 *
 * @module
 */
import type { ClockEntry, TimerEntry } from "../protocol/frames.js";
import { MapOf, mapDelete, mapForEach, mapGet, mapSet, push, setOwn } from "./primordials.js";

export interface Turns {
  /** Starts with the recorded timers of an earlier run. */
  begin(recorded: readonly ClockEntry[]): void;
  /** Gives the code an answer: now, or when it is its turn. Must not be called while the code runs. */
  answer(take: () => void): void;
  /** How many answers the code has received. */
  seen(): number;
  setTimer(job: () => void, ms: number): number;
  clearTimer(timer: number): void;
  /** Records that the next message to the outside came after exactly the answers and timers so far. */
  tell(): void;
}

export interface TurnsOptions {
  setTimer(job: () => void, ms: number): number;
  clearTimer(timer: number): void;
  /** Whether an answer can still come. */
  isWaiting(): boolean;
  note(entry: TimerEntry): void;
}

interface Timer {
  readonly job: () => void;
  readonly ms: number;
  /** The engine's own number; undefined for a timer that waits for its turn in the record. */
  real: number | undefined;
}

export function createTurns(options: TurnsOptions): Turns {
  const timers = new MapOf<number, Timer>();
  const record: TimerEntry[] = [];
  let recordAt = 0;
  const early: (() => void)[] = [];
  let earlyAt = 0;
  let timerCount = 0;
  let seen = 0;
  let told = 0;
  let isStepping = false;

  /** The next entry of the record; undefined at its end. */
  function next(): TimerEntry | undefined {
    for (; recordAt < record.length; recordAt += 1) {
      const entry = record[recordAt] as TimerEntry;
      if (entry[0] > 0 || entry[1] > seen) return entry;
    }
    return undefined;
  }

  function takeIn(take: () => void): void {
    seen += 1;
    take();
    follow();
  }

  function goOff(id: number, timer: Timer): void {
    mapDelete(timers, id);
    note(id);
    timer.job();
  }

  function note(timer: number): void {
    told = seen;
    options.note([timer, seen, "timer"]);
  }

  function start(id: number, timer: Timer): void {
    timer.real = options.setTimer(() => goOff(id, timer), timer.ms);
  }

  /** Continues with the record once the code has finished its current work. */
  function follow(): void {
    if (isStepping || record.length === 0) return;
    isStepping = true;
    options.setTimer(step, 0);
  }

  function step(): void {
    isStepping = false;
    const entry = next();
    if (entry !== undefined && entry[1] <= seen) {
      const timer = mapGet(timers, entry[0]);
      if (timer === undefined) {
        leaveRecord();
        return;
      }
      recordAt += 1;
      goOff(entry[0], timer);
      follow();
      return;
    }
    if (earlyAt < early.length) {
      earlyAt += 1;
      takeIn(early[earlyAt - 1] as () => void);
    } else if (entry === undefined || !options.isWaiting()) {
      leaveRecord();
    }
  }

  function leaveRecord(): void {
    const isEarly = earlyAt < early.length;
    recordAt = record.length;
    if (isEarly) {
      follow();
      return;
    }
    record.length = 0;
    mapForEach(timers, (timer, id) => {
      if ((timer as Timer).real === undefined) start(id as number, timer as Timer);
    });
  }

  return {
    begin(recorded) {
      for (let index = 0; index < recorded.length; index += 1) {
        const entry = recorded[index] as ClockEntry;
        if (entry.length === 3) push(record, entry);
      }
      follow();
    },
    answer(take) {
      const entry = next();
      if (earlyAt < early.length || (entry !== undefined && entry[1] <= seen))
        setOwn(early, early.length, take);
      else takeIn(take);
    },
    seen: () => seen,
    setTimer(job, ms) {
      timerCount += 1;
      const timer: Timer = { job, ms, real: undefined };
      mapSet(timers, timerCount, timer);
      if (record.length === 0) start(timerCount, timer);
      return timerCount;
    },
    clearTimer(id) {
      const timer = mapGet(timers, id);
      if (timer === undefined) return;
      mapDelete(timers, id);
      if (timer.real !== undefined) options.clearTimer(timer.real);
    },
    tell() {
      if (timerCount > 0 && told !== seen) note(0);
    },
  };
}
