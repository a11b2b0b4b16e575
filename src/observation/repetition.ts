/**
 * One call repeated over all items of a list that an earlier result had.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import type { RecordedCall } from "./recorded-session.js";
import { slotsOf } from "./slots.js";
import type { ValueIndex } from "./value-index.js";
import { isScalar } from "./value-strength.js";

export interface Loop {
  /** The slot that differs. */
  readonly slot: string;
  readonly values: readonly Json[];
  readonly results: readonly Json[];
}

const MOST_ITEMS = 200;

/** The loop that begins at this call: as many calls of the tool as the list has items, differing in one slot. */
export function loopAt(
  calls: readonly RecordedCall[],
  at: number,
  index: ValueIndex,
  resultOf: (step: number) => Json | undefined,
): Loop | undefined {
  const first = calls[at] as RecordedCall;
  let end = at + 1;
  while (
    end < calls.length &&
    end - at < MOST_ITEMS &&
    calls[end]?.tool === first.tool &&
    !calls[end]?.isError
  )
    end++;
  if (end - at < 2) return undefined;
  const slots = calls
    .slice(at, end)
    .map((call) => new Map(slotsOf(call.arguments).map((s) => [s.key, s.value])));
  for (const [slot, value] of slots[0] ?? []) {
    if (!isScalar(value)) continue;
    for (let count = differing(slots, slot); count >= 2; count--) {
      const values = slots.slice(0, count).map((one) => one.get(slot) as Json);
      if (!isWholeList(values, index, resultOf)) continue;
      return { slot, values, results: calls.slice(at, at + count).map(({ result }) => result) };
    }
  }
  return undefined;
}

/** How many calls from the first on are the same but for this slot, which is different in each. */
function differing(slots: readonly ReadonlyMap<string, Json>[], slot: string): number {
  const restOf = (one: ReadonlyMap<string, Json>) =>
    canonicalJson([...one].filter(([key]) => key !== slot).sort(([a], [b]) => (a < b ? -1 : 1)));
  const rest = restOf(slots[0] as ReadonlyMap<string, Json>);
  const seen = new Set<string>();
  for (const [count, one] of slots.entries()) {
    const value = one.get(slot);
    const text = value === undefined ? "" : canonicalJson(value);
    if (value === undefined || !isScalar(value) || seen.has(text) || restOf(one) !== rest) return count;
    seen.add(text);
  }
  return slots.length;
}

function isWholeList(
  values: readonly Json[],
  index: ValueIndex,
  resultOf: (step: number) => Json | undefined,
): boolean {
  if (index.ofWhole(values).length > 0) return true;
  // A result that is nothing but the list.
  return index.ofScalar(values[0] as Json).some(({ call, steps }) => {
    if (steps.length !== 1 || steps[0] !== 0) return false;
    return canonicalJson(resultOf(call) ?? null) === canonicalJson(values);
  });
}
