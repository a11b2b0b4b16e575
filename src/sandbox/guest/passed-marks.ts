/**
 * What code has passed since it was last told: decisions, loops, forks and joins, each counted by its outcome. The main
 * code has its own, and so has each call of a capability.
 *
 * A loop may pass the same ones a million times, so counting is all that happens then. Nothing is assigned to lists or
 * to objects with a prototype, where a setter that code put there would be called.
 *
 * @module
 */
import { MARKS_MOST, OUTCOME_CHARS_MOST, type PassedMark } from "../protocol/frames.js";
import { create, matchNext, setOwn, textSlice } from "./primordials.js";

/** Counts that a node was passed; what is no id of a node is ignored. */
export type Counter = (id: unknown) => void;

export interface PassedMarks {
  /** Counts what comes to this outcome. */
  counter(outcome: string): Counter;
  /** The same for any outcome; the end of a long one is cut off. */
  add(id: unknown, outcome: string): void;
  /** In the order of first passing. */
  entries(): readonly PassedMark[];
  clear(): void;
  /** Whether so many were told that the rest has to wait for the end of the run. */
  isTalkative(): boolean;
}

interface Mark {
  readonly id: string;
  readonly outcome: string;
  count: number;
  next: Mark | undefined;
}

/** The last counted mark: in a loop, the next mark is mostly the same one. */
interface Latest {
  mark: Mark;
  readonly next: Latest | undefined;
}

const NODE = /^[dfjl][1-9]\d{0,5}$/;
/** In frames before calls: the same marks come again with each call that a loop makes. */
const TOLD_MOST = 100_000;

/** How many marks a run has told. */
export interface ToldMarks {
  count: number;
}

export function createPassedMarks(told: ToldMarks): PassedMarks {
  const none: Mark = { id: "", outcome: "", count: 0, next: undefined };
  /** By outcome, then by node. */
  let marks = create(null) as Record<string, Record<string, Mark | undefined> | undefined>;
  let first: Mark | undefined;
  let last: Mark | undefined;
  let latest: Latest | undefined;
  let size = 0;

  function count(id: unknown, outcome: string): Mark {
    if (typeof id !== "string") return none;
    const known = marks[outcome]?.[id];
    if (known === undefined) return addNew(id, outcome);
    known.count += 1;
    return known;
  }

  function addNew(id: string, outcome: string): Mark {
    if (size >= MARKS_MOST || matchNext(NODE, id) === null) return none;
    const mark: Mark = { id, outcome, count: 1, next: undefined };
    const others = marks[outcome] ?? (create(null) as Record<string, Mark>);
    marks[outcome] = others;
    others[id] = mark;
    if (last === undefined) first = mark;
    else last.next = mark;
    last = mark;
    size += 1;
    return mark;
  }

  return {
    counter(outcome) {
      const own: Latest = { mark: none, next: latest };
      latest = own;
      return (id) => {
        if (own.mark.id === id) own.mark.count += 1;
        else own.mark = count(id, outcome);
      };
    },
    add(id, outcome) {
      count(id, outcome.length > OUTCOME_CHARS_MOST ? textSlice(outcome, 0, OUTCOME_CHARS_MOST) : outcome);
    },
    entries() {
      const entries: PassedMark[] = [];
      for (let mark = first; mark !== undefined; mark = mark.next)
        setOwn(entries, entries.length, [mark.id, mark.outcome, mark.count]);
      return entries;
    },
    clear() {
      told.count += size;
      marks = create(null) as typeof marks;
      first = undefined;
      last = undefined;
      size = 0;
      for (let each = latest; each !== undefined; each = each.next) each.mark = none;
    },
    isTalkative: () => told.count >= TOLD_MOST,
  };
}
