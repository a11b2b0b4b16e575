/**
 * One call repeated over all items of a list in an earlier result.
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
  if (calls[at + 1]?.tool !== first.tool) return undefined;
  for (const { key: slot, value } of slotsOf(first.arguments)) {
    // If no list begins with the value, which is the usual case, later calls need not be checked.
    const lengths = isScalar(value) ? lengthsFrom(value, index, resultOf) : [];
    const [most] = lengths;
    if (most === undefined) continue;
    const values = differing(calls.slice(at, at + most), slot);
    for (const length of lengths) {
      const list = values.slice(0, length);
      if (list.length < length || !isWholeList(list, index, resultOf)) continue;
      return { slot, values: list, results: calls.slice(at, at + length).map(({ result }) => result) };
    }
  }
  return undefined;
}

/** The lengths of the lists that begin with the value, longest first. */
function lengthsFrom(
  value: Json,
  index: ValueIndex,
  resultOf: (step: number) => Json | undefined,
): readonly number[] {
  const lengths = new Set([
    ...index.lengthsFrom(value),
    ...wholeResults(value, index, resultOf).map(({ length }) => length),
  ]);
  return [...lengths].filter((length) => length >= 2 && length <= MOST_ITEMS).sort((a, b) => b - a);
}

/** The slot's values in consecutive calls that are otherwise equal, and different in each. */
function differing(calls: readonly RecordedCall[], slot: string): readonly Json[] {
  const restOf = (one: ReadonlyMap<string, Json>) =>
    canonicalJson([...one].filter(([key]) => key !== slot).sort(([a], [b]) => (a < b ? -1 : 1)));
  const values = new Map<string, Json>();
  let rest: string | undefined;
  for (const { tool, isError, arguments: args } of calls) {
    if (tool !== calls[0]?.tool || isError) break;
    const slots = new Map(slotsOf(args).map((one) => [one.key, one.value]));
    const value = slots.get(slot);
    if (value === undefined || !isScalar(value) || values.has(canonicalJson(value))) break;
    const others = restOf(slots);
    rest ??= others;
    if (others !== rest) break;
    values.set(canonicalJson(value), value);
  }
  return [...values.values()];
}

function isWholeList(
  values: readonly Json[],
  index: ValueIndex,
  resultOf: (step: number) => Json | undefined,
): boolean {
  if (index.ofWhole(values).length > 0) return true;
  return wholeResults(values[0] as Json, index, resultOf).some(
    (list) => list.length === values.length && canonicalJson(list) === canonicalJson(values),
  );
}

/** Results that consist only of a list that begins with the value. */
function wholeResults(
  value: Json,
  index: ValueIndex,
  resultOf: (step: number) => Json | undefined,
): readonly (readonly Json[])[] {
  return index.ofScalar(value).flatMap(({ call, steps }) => {
    const result = steps.length === 1 && steps[0] === 0 ? resultOf(call) : undefined;
    return Array.isArray(result) ? [result as readonly Json[]] : [];
  });
}
