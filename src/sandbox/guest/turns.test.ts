import { describe, expect, it } from "vitest";
import type { ClockEntry, TimerEntry } from "../protocol/frames.js";
import { createTurns } from "./turns.js";

/** Turns whose timers go off when the test says so, and code that writes down what reaches it. */
function begin(recorded: readonly ClockEntry[] = []) {
  const jobs = new Map<number, { readonly job: () => void; readonly ms: number }>();
  const notes: TimerEntry[] = [];
  const log: string[] = [];
  let count = 0;
  let isWaiting = true;
  const turns = createTurns({
    setTimer(job, ms) {
      count += 1;
      jobs.set(count, { job, ms });
      return count;
    },
    clearTimer: (id) => void jobs.delete(id),
    isWaiting: () => isWaiting,
    note: (entry) => void notes.push(entry),
  });
  turns.begin(recorded);
  /** Lets the first timer go off that the engine was asked for with these milliseconds. */
  const fire = (ms: number): boolean => {
    for (const [id, { job, ms: own }] of jobs) {
      if (own !== ms) continue;
      jobs.delete(id);
      job();
      return true;
    }
    return false;
  };
  return {
    turns,
    notes,
    log,
    fire,
    /** Goes on with the record for as long as there is something to go on with. */
    settle() {
      while (fire(0));
    },
    answer: (name: string) => turns.answer(() => log.push(name)),
    timer: (name: string, ms = 5) => turns.setTimer(() => log.push(name), ms),
    lose() {
      isWaiting = false;
    },
  };
}

describe("[EX-8] Turns", () => {
  it("notes when timers went off, and that none did", () => {
    const { turns, notes, log, fire, answer, timer } = begin();
    turns.tell();
    timer("t1", 5);
    timer("t2", 9);
    answer("a1");
    turns.tell();
    fire(9);
    turns.tell();
    answer("a2");
    fire(5);
    expect(log).toEqual(["a1", "t2", "a2", "t1"]);
    expect(notes).toEqual([
      [0, 1, "timer"],
      [2, 1, "timer"],
      [1, 2, "timer"],
    ]);
  });

  it("says nothing of timers to code that sets none", () => {
    const { turns, notes, answer } = begin();
    answer("a1");
    turns.tell();
    expect(notes).toEqual([]);
    expect(turns.seen()).toBe(1);
  });

  it("has timers go off where they went off before, and answers that are early wait", () => {
    const recorded: ClockEntry[] = [
      [3, 1],
      [2, 1, "timer"],
      [1, 1, "timer"],
    ];
    const { notes, log, settle, answer, timer } = begin(recorded);
    timer("t1", 1);
    timer("t2", 900);
    answer("a1");
    answer("a2");
    answer("a3");
    expect(log).toEqual(["a1"]);
    settle();
    expect(log).toEqual(["a1", "t2", "t1", "a2", "a3"]);
    expect(notes).toEqual([
      [2, 1, "timer"],
      [1, 1, "timer"],
    ]);
  });

  it("has no answer overtake those that wait", () => {
    const { log, fire, settle, answer, timer } = begin([[1, 1, "timer"]]);
    timer("t1");
    for (const name of ["a1", "a2", "a3"]) answer(name);
    fire(0);
    answer("a4");
    settle();
    expect(log).toEqual(["a1", "t1", "a2", "a3", "a4"]);
  });

  it("has no other timer go off before the end of the record, and real time after it", () => {
    const { log, fire, settle, answer, timer } = begin([[0, 2, "timer"]]);
    timer("t1", 5);
    answer("a1");
    settle();
    expect(fire(5)).toBe(false);
    answer("a2");
    settle();
    expect(fire(5)).toBe(true);
    expect(log).toEqual(["a1", "a2", "t1"]);
    timer("t2", 7);
    expect(fire(7)).toBe(true);
  });

  it("forgets a timer that was cleared, of the record or not", () => {
    const { turns, log, fire, settle, timer } = begin([[0, 1, "timer"]]);
    turns.clearTimer(timer("t1", 5));
    turns.answer(() => {});
    settle();
    turns.clearTimer(timer("t2", 6));
    turns.clearTimer(99);
    expect([fire(5), fire(6)]).toEqual([false, false]);
    expect(log).toEqual([]);
  });

  it("goes on in real time where the record has a timer that the code has not set", () => {
    const { log, fire, settle, answer, timer } = begin([[7, 0, "timer"]]);
    timer("t1", 5);
    answer("a1");
    answer("a2");
    settle();
    expect(fire(5)).toBe(true);
    expect(log).toEqual(["a1", "a2", "t1"]);
  });

  it("goes on in real time where the record has answers for which nothing was asked", () => {
    const { log, fire, settle, timer, lose } = begin([[0, 4, "timer"]]);
    timer("t1", 5);
    lose();
    settle();
    expect(fire(5)).toBe(true);
    expect(log).toEqual(["t1"]);
  });
});
