/**
 * The flow of a session argument by argument, down to the scalars in lists: the presumed origin of each. Programs are
 * made from {@link flowOf}; this is for inspection and measuring.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { toolName } from "../registry/tool-id.js";
import { atOnce } from "./pieces.js";
import { type RecordedSession, readResult } from "./recorded-session.js";
import { type Step, ValueIndex } from "./value-index.js";
import { isScalar, isTrivial, namesAgree, textOf, type ValueCounts } from "./value-strength.js";

export interface FlowRow {
  readonly call: number;
  /** `$.items[0].id` */
  readonly argument: string;
  /** The result it first came from; absent if it came from none. */
  readonly source?: { readonly call: number; readonly path: string };
  /** It was an argument before it was in a result, or never was in one. */
  readonly sharedWith?: number;
}

export function flowRows(session: RecordedSession, counts: ValueCounts): readonly FlowRow[] {
  const index = new ValueIndex();
  const given = new Map<string, number>();
  const rows: FlowRow[] = [];
  session.calls.forEach((call, number) => {
    const mine: string[] = [];
    for (const [steps, value] of scalarsOf(call.arguments, [])) {
      const argument = pathText(steps);
      if (isTrivial(value)) {
        rows.push({ call: number, argument });
        continue;
      }
      const text = textOf(value as string);
      mine.push(text);
      const name = steps.findLast((step) => typeof step === "string") ?? "";
      const weak = counts.isWeak(text);
      const place = index.ofScalar(value).find(({ steps: to, call: from, isKey }) => {
        if (!weak) return true;
        const key = (isKey ? to.slice(0, -1) : to).findLast(
          (step) => typeof step === "string" && !/\d{3,}/.test(step),
        );
        const tool = session.calls[from]?.tool ?? "";
        return namesAgree(String(name), key === undefined ? toolName(tool) : String(key));
      });
      const before = given.get(text);
      const isShared = before !== undefined && (place === undefined || before <= place.call);
      rows.push({
        call: number,
        argument,
        ...(isShared && before !== undefined ? { sharedWith: before } : {}),
        ...(place === undefined || isShared
          ? {}
          : { source: { call: place.call, path: pathText(place.steps) + (place.isKey ? "~" : "") } }),
      });
    }
    for (const text of mine) if (!given.has(text)) given.set(text, number);
    if (!call.isError) atOnce(index.add(number, readResult(call.result)));
  });
  return rows;
}

function* scalarsOf(value: Json, steps: readonly Step[]): Generator<readonly [readonly Step[], Json]> {
  if (isScalar(value)) yield [steps, value];
  else if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* scalarsOf(item as Json, [...steps, i]);
  else for (const [key, item] of Object.entries(value)) yield* scalarsOf(item as Json, [...steps, key]);
}

function pathText(steps: readonly Step[]): string {
  return `$${steps
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("")}`;
}
