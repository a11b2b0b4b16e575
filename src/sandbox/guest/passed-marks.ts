/**
 * The nodes that code has passed since the last report: decisions, loops, forks and joins, each counted by its outcome.
 * The main code and each capability call have their own.
 *
 * A loop may pass the same nodes a million times, so passing only increments a counter. Nothing is assigned to lists or
 * to objects with a prototype, where code could have defined a setter.
 *
 * @module
 */
import { MARKS_MOST, OUTCOME_CHARS_MOST, type PassedMark } from "../protocol/frames.js";
import { create, matchNext, setOwn, textSlice } from "./primordials.js";

/** Counts that a node was passed; ignores anything that is not a node id. */
export type Counter = (id: unknown) => void;

export interface PassedMarks {
  counter(outcome: string): Counter;
  /** The same for any outcome; a long one is truncated. */
  add(id: unknown, outcome: string): void;
  /** In the order of first passing. */
  entries(): readonly PassedMark[];
  clear(): void;
  /** Whether the limit of reported marks is reached, so that the rest waits for the end of the run. */
  isTalkative(): boolean;
}

interface Mark {
  readonly id: string;
  readonly outcome: string;
  count: number;
  next: Mark | undefined;
}

/** The last counted mark: in a loop, the next mark is usually the same one. */
interface Latest {
  mark: Mark;
  readonly next: Latest | undefined;
}

const NODE = /^[dfjl][1-9]\d{0,5}$/;
/** The limit for frames before calls: a loop reports the same marks again with each of its calls. */
const TOLD_MOST = 100_000;

/** The number of marks that a run has reported. */
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
