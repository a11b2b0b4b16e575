/**
 * What several occurrences of the same calls agree on: for each argument where it comes from, or that it is given.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import type { FlowSession, FlowSlot, FlowStep } from "./data-flow.js";
import { type Knowable, UNKNOWN_INSIDE } from "./knowable.js";
import {
  type Binding,
  isOneProgram,
  LEAST_SUPPORT,
  type Occurrence,
  type Pattern,
  type PatternStep,
  slotOf,
  stepAt,
  supportOf,
} from "./pattern.js";

/** The chance that a rule for elements of lists fits all occurrences by accident. */
const RULE_CHANCE = 0.02;
/** There are many fields by which an element may happen to be the greatest. */
const FIELD_RULE_CHANCE = 0.001;

interface Vote {
  readonly binding: Binding;
  readonly by: Set<Occurrence>;
  /** The product of the chances of the occurrences. */
  chance: number;
  rank: number;
}

/** Nothing where they agree on too little: the calls are not tied together, or too few occurrences are left. */
export function agreed(
  sessions: readonly FlowSession[],
  found: readonly Occurrence[],
  knowable: Knowable,
  least = LEAST_SUPPORT,
): Pattern | undefined {
  let occurrences = found;
  const [first] = found;
  if (first === undefined) return undefined;
  const steps: PatternStep[] = [];
  for (const [number] of first.at.entries()) {
    const of = (occurrence: Occurrence) => stepAt(sessions, occurrence, number);
    const { tool, loop } = of(first);
    const bindings = new Map<string, Binding>();
    const keys = new Set(occurrences.flatMap((one) => of(one).slots.map(({ key }) => key)));
    for (const key of keys) {
      const vote = bestVote(sessions, occurrences, number, key);
      if (vote === undefined) continue;
      bindings.set(key, vote.binding);
    }
    steps.push({ tool, ...(loop === undefined ? {} : { loop }), bindings });
  }
  occurrences = occurrences.filter((one) =>
    steps.every((step, i) => isGiven(sessions, one, step, i, knowable)),
  );
  const support = supportOf(sessions, occurrences);
  if (support < least || !isOneProgram(steps, tiesOf(sessions, steps, occurrences))) return undefined;
  // A list that no occurrence takes from a result is no loop over its items.
  if (steps.some(({ loop, bindings }) => loop !== undefined && !bindings.has(loop))) return undefined;
  return { steps, occurrences, support };
}

/** A value that is the same every time may be given to any two calls: that ties nothing. */
function tiesOf(
  sessions: readonly FlowSession[],
  steps: readonly PatternStep[],
  occurrences: readonly Occurrence[],
): readonly (readonly number[])[] {
  return steps.map(({ bindings }, number) =>
    [...bindings].flatMap(([key, { step, kind }]) => {
      if (kind === "result" || occurrences.length === 1) return [step];
      const values = occurrences.map((one) =>
        canonicalJson(slotOf(stepAt(sessions, one, number), key)?.value ?? null),
      );
      return new Set(values).size > 1 ? [step] : [];
    }),
  );
}

function bestVote(
  sessions: readonly FlowSession[],
  occurrences: readonly Occurrence[],
  number: number,
  key: string,
): Vote | undefined {
  const votes = new Map<string, Vote>();
  for (const occurrence of occurrences) {
    const { at } = occurrence;
    const slot = slotOf(stepAt(sessions, occurrence, number), key);
    for (const origin of slot?.origins ?? []) {
      const step = at.indexOf(origin.step);
      if (step < 0) continue;
      const name = `${step} ${origin.kind} ${origin.at}`;
      let vote = votes.get(name);
      if (vote === undefined) {
        vote = { binding: { step, kind: origin.kind, at: origin.at }, by: new Set(), chance: 1, rank: 0 };
        votes.set(name, vote);
      }
      if (vote.by.has(occurrence)) continue;
      vote.by.add(occurrence);
      vote.chance *= origin.chance;
      vote.rank += origin.step - Math.min(...at);
    }
  }
  const fitting = [...votes.values()].filter(
    ({ by, chance, binding: { at } }) =>
      // What does not fit all is no rule: then the value is given.
      by.size === occurrences.length &&
      (chance === 1 ? !isByField(at) : chance <= (isByField(at) ? FIELD_RULE_CHANCE : RULE_CHANCE)),
  );
  return fitting.sort(byPreference)[0];
}

function isByField(at: string): boolean {
  return /"(?:most|least|where)"/.test(at);
}

/** What was known first: a given value before the result that repeats it, a key before a rule. */
function byPreference(a: Vote, b: Vote): number {
  return (
    a.rank / a.by.size - b.rank / b.by.size ||
    (a.binding.kind < b.binding.kind ? -1 : a.binding.kind > b.binding.kind ? 1 : 0) ||
    Number(a.chance < 1) - Number(b.chance < 1) ||
    a.binding.at.length - b.binding.at.length
  );
}

/** What is not taken from a step has to be known before the first call. */
function isGiven(
  sessions: readonly FlowSession[],
  occurrence: Occurrence,
  { bindings }: PatternStep,
  number: number,
  knowable: Knowable,
): boolean {
  const start = Math.min(...occurrence.at);
  const step = stepAt(sessions, occurrence, number);
  return step.slots.every((slot) => bindings.has(slot.key) || isKnownBefore(step, slot, start, knowable));
}

function isKnownBefore(step: FlowStep, slot: FlowSlot, start: number, knowable: Knowable): boolean {
  const { firstResult, firstArgument } = slot;
  if (firstResult === Number.POSITIVE_INFINITY || Math.min(firstResult, firstArgument) < start) return true;
  return firstArgument <= firstResult || knowable(step.tool, slot.key) >= UNKNOWN_INSIDE;
}
