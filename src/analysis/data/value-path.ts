/**
 * A path into a value: the fields or items that are asked for. Equal paths are one object, so that comparing them is
 * fast.
 *
 * @module
 */

/** `.name` is a field, or an item by its number; the other steps are the constants below. */
export type Step = string;

/** An item or field that is known only at run time. */
export const ANY: Step = "[]";
/** The result of a function. */
export const RETURNED: Step = "()";
/** A value of a `Map`: iterating over one gives entries instead. */
export const MAPPED: Step = "<get>";

export interface ValuePath {
  readonly head: Step | undefined;
  readonly tail: ValuePath | undefined;
  readonly length: number;
  readonly id: number;
}

interface Interned extends ValuePath {
  readonly tail: Interned | undefined;
  /** The paths that are one step longer; created with the first of them. */
  longer: Map<Step, Interned> | undefined;
}

export interface ValuePaths {
  readonly empty: ValuePath;
  /** The same path with a step in front. */
  before(step: Step, path: ValuePath): ValuePath;
}

export function valuePaths(): ValuePaths {
  let count = 0;
  const make = (head: Step | undefined, tail: Interned | undefined): Interned => {
    const length = tail === undefined ? 0 : tail.length + 1;
    const path: Interned = { head, tail, length, id: count, longer: undefined };
    count += 1;
    return path;
  };
  return {
    empty: make(undefined, undefined),
    before(step, path) {
      const tail = path as Interned;
      tail.longer ??= new Map();
      let found = tail.longer.get(step);
      if (found === undefined) {
        found = make(step, tail);
        tail.longer.set(step, found);
      }
      return found;
    },
  };
}

export function stepsOf(path: ValuePath): readonly Step[] {
  const steps: Step[] = [];
  for (let at: ValuePath | undefined = path; at?.head !== undefined; at = at.tail) steps.push(at.head);
  return steps;
}

export function field(key: string): Step {
  return `.${key}`;
}

const INDEX = /^\.\d+$/;

/** Whether a step can lead to an item of a list. */
export function isItem(step: Step | undefined): boolean {
  return step === ANY || (step !== undefined && INDEX.test(step));
}

/** Whether two steps can lead to the same part. */
export function canMeet(one: Step, other: Step): boolean {
  if (one === other) return true;
  return (one === ANY && other.startsWith(".")) || (other === ANY && one.startsWith("."));
}
