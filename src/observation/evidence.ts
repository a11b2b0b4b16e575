/**
 * The evidence for a candidate that a person sees, and its stored form: tools, paths and keyed hashes, never values.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import type { Candidate } from "./choose-programs.js";
import type { FlowSession } from "./data-flow.js";
import type { KeyedHash } from "./keyed-hash.js";
import { occurrenceText } from "./mine-sessions.js";
import { flowText, slotOf, stepAt } from "./pattern.js";
import { pathOf } from "./slots.js";
import { wayCode } from "./way.js";

const MOST_OCCURRENCES = 20;

/** A type, not an interface: the compiler accepts only types as `Json`. */
export type Evidence = {
  readonly tools: readonly string[];
  /** `add_note.order_id = latest_order → order_id` */
  readonly flows: readonly string[];
  readonly parameters: readonly string[];
  /** The number of recordings on which it was replayed with exactly the recorded calls. */
  readonly replayed: number;
  readonly contrary: number;
  /** Keyed hashes of each occurrence and of its given values. */
  readonly occurrences: readonly {
    readonly id: string;
    readonly shape: string;
    readonly values: readonly string[];
  }[];
};

export async function evidenceOf(
  sessions: readonly FlowSession[],
  { program, pattern, contrary }: Candidate,
  hash: KeyedHash,
): Promise<Evidence> {
  const shape = await hash(flowText(pattern));
  const occurrences = await Promise.all(
    pattern.occurrences.slice(0, MOST_OCCURRENCES).map(async (one) => ({
      id: await hash(occurrenceText(sessions, pattern, one)),
      shape,
      values: await Promise.all(
        program.parameters.map(({ name, slot }) => {
          const step = program.steps.findIndex(({ sources }) => {
            const source = sources.get(slot);
            return source?.kind === "result"
              ? source.unless === name
              : source?.kind === "parameter" && source.name === name;
          });
          const value: Json = slotOf(stepAt(sessions, one, step), slot)?.value ?? null;
          return hash(`${name} ${canonicalJson(value)}`);
        }),
      ),
    })),
  );
  return {
    tools: program.steps.map(({ tool }) => tool),
    flows: flowsOf(program.steps),
    parameters: program.parameters.map(({ name }) => name),
    replayed: pattern.occurrences.length,
    contrary,
    occurrences,
  };
}

function flowsOf(steps: Candidate["program"]["steps"]): readonly string[] {
  return steps.flatMap(({ tool, sources }) =>
    [...sources].flatMap(([key, source]) => {
      if (source.kind !== "result") return [];
      const { key: by } = source;
      const found = by?.kind === "parameter" ? by.name : by?.kind === "result" ? wayCode("", by.way) : "";
      const from = wayCode(steps[source.step]?.tool ?? "", source.way, found);
      return [`${tool}.${pathOf(key).join(".")} = ${from}`];
    }),
  );
}
