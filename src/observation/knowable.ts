/**
 * Which arguments a caller can know by himself. An order number is often said by the user, and sometimes read from a
 * result; the id of a variant never comes from anywhere but a result. A program that finds the latter on its way cannot
 * ask for it as a parameter.
 *
 * @module
 */
import type { FlowSession } from "./data-flow.js";

/** The share of calls in which an argument was in no earlier result of its session. */
export type Knowable = (tool: string, slot: string) => number;

/** At least this share makes it a parameter also where a result inside the program has it. */
export const UNKNOWN_INSIDE = 0.25;

export function knowableOf(sessions: readonly FlowSession[]): Knowable {
  const counts = new Map<string, { all: number; own: number }>();
  for (const { steps } of sessions)
    for (const { tool, slots } of steps)
      for (const { key, firstResult, firstArgument } of slots) {
        const name = `${tool} ${key}`;
        const count = counts.get(name) ?? { all: 0, own: 0 };
        counts.set(name, count);
        count.all++;
        if (firstResult === Number.POSITIVE_INFINITY || firstArgument <= firstResult) count.own++;
      }
  return (tool, slot) => {
    const count = counts.get(`${tool} ${slot}`);
    return count === undefined ? 1 : count.own / count.all;
  };
}
