/**
 * Which arguments a caller can know without a result. An order number is often given by the user, and sometimes read
 * from a result; the id of a variant only ever comes from a result. A program that finds the latter on its way cannot
 * ask for it as a parameter.
 *
 * @module
 */
import type { FlowSession, FlowSlot } from "./data-flow.js";
import type { Work } from "./pieces.js";
import { isIdentifier, isScalar, textOf } from "./value-strength.js";

/** A share of the calls of a tool that have this argument. */
type Share = (tool: string, slot: string) => number;

export interface Knowable {
  /** The share in which the argument was in no earlier result of its session. */
  readonly own: Share;
  /**
   * The share in which it equals nothing at a fixed place of a result. Ids do not count: another id is another thing,
   * and not another choice.
   */
  readonly chosen: Share;
  /** The share in which no rule finds it in an earlier result. */
  readonly free: Share;
}

/** From this share on, it becomes a parameter even if a result inside the program contains it. */
export const UNKNOWN_INSIDE = 0.25;
/** From this share on, the value that a program finds is only a default, which the caller can override. */
export const OFTEN_CHOSEN = 0.25;
/** At least this share, and no rule selects it from a list. */
export const OFTEN_FREE = 0.25;

export function* knowableOf(sessions: readonly FlowSession[]): Work<Knowable> {
  const counts = new Map<string, { all: number; own: number; chosen: number; free: number }>();
  for (const { steps } of sessions)
    for (const { tool, slots } of steps) {
      yield;
      for (const slot of slots) {
        const name = `${tool} ${slot.key}`;
        const count = counts.get(name) ?? { all: 0, own: 0, chosen: 0, free: 0 };
        counts.set(name, count);
        count.all++;
        if (isOwn(slot)) count.own++;
        if (isChosen(slot)) count.chosen++;
        if (slot.origins.every(({ kind }) => kind !== "result")) count.free++;
      }
    }
  const share =
    (of: "own" | "chosen" | "free", otherwise: number): Share =>
    (tool, slot) => {
      const count = counts.get(`${tool} ${slot}`);
      return count === undefined ? otherwise : count[of] / count.all;
    };
  return { own: share("own", 1), chosen: share("chosen", 0), free: share("free", 0) };
}

function isOwn({ firstResult, firstArgument }: FlowSlot): boolean {
  return firstResult === Number.POSITIVE_INFINITY || firstArgument <= firstResult;
}

function isChosen({ value, origins }: FlowSlot): boolean {
  if (isScalar(value) && isIdentifier(textOf(value))) return false;
  return !origins.some(({ kind, chance }) => kind === "result" && chance === 1);
}
