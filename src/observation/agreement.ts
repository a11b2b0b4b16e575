/**
 * What several occurrences of the same calls have in common: for each argument its source, or that the caller gives it.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import type { FlowSession, FlowSlot, FlowStep } from "./data-flow.js";
import { type Knowable, OFTEN_CHOSEN, OFTEN_FREE, UNKNOWN_INSIDE } from "./knowable.js";
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
import { isPlain, type Way } from "./way.js";

/** The chance that a rule for elements of lists fits all occurrences by accident. */
const RULE_CHANCE = 0.02;
/** There are many fields by which an element may happen to be the greatest. */
const FIELD_RULE_CHANCE = 0.001;

/** An element that an argument names is hardly that by accident. */
const KEY_CHANCE = 0.15;
/** What callers often choose may come from a result by default, if at least this share of the occurrences had it so. */
const DEFAULT_SHARE = 0.5;

interface Vote {
  readonly binding: Binding;
  readonly by: Set<Occurrence>;
  /** By what is independent: attempts at one task make the same choice. The greatest chance of each. */
  readonly chances: Map<string | Occurrence, number>;
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
    const keys = [...new Set(occurrences.flatMap((one) => of(one).slots.map(({ key }) => key)))];
    const isKnown = (key: string) =>
      occurrences.every((one) => {
        const slot = slotOf(of(one), key);
        return slot === undefined || isKnownBefore(of(one), slot, Math.min(...one.at), knowable);
      });
    for (const [i, key] of keys.entries()) {
      // Of two arguments that name one element, the one that is known names it, or the first.
      const names = (other: string) => isKnown(other) && (!isKnown(key) || keys.indexOf(other) < i);
      const vote = bestVote(sessions, occurrences, number, key, knowable, names);
      if (vote !== undefined) bindings.set(key, vote.binding);
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
  knowable: Knowable,
  names: (key: string) => boolean,
): Vote | undefined {
  const { tool } = stepAt(sessions, occurrences[0] as Occurrence, number);
  const votes = new Map<string, Vote>();
  for (const occurrence of occurrences) {
    const { at } = occurrence;
    const slot = slotOf(stepAt(sessions, occurrence, number), key);
    const group = sessions[occurrence.session]?.session.group;
    for (const origin of slot?.origins ?? []) {
      const step = at.indexOf(origin.step);
      if (step < 0) continue;
      const by = origin.key === undefined ? undefined : { ...origin.key, step: at.indexOf(origin.key.step) };
      if (by !== undefined && (by.step < 0 || (by.step === number && !names(by.at)))) continue;
      const name = `${step} ${origin.kind} ${origin.at} ${by?.step} ${by?.at}`;
      let vote = votes.get(name);
      if (vote === undefined) {
        const binding = { step, kind: origin.kind, at: origin.at, ...(by === undefined ? {} : { key: by }) };
        vote = { binding, by: new Set(), chances: new Map(), rank: 0 };
        votes.set(name, vote);
      }
      if (vote.by.has(occurrence)) continue;
      vote.by.add(occurrence);
      const whose = group ?? occurrence;
      vote.chances.set(whose, Math.max(origin.chance, vote.chances.get(whose) ?? 0));
      vote.rank += origin.step - Math.min(...at);
    }
  }
  // What does not fit all is no rule: then the value is given.
  const isFree = knowable.free(tool, key) >= OFTEN_FREE;
  const fitting = [...votes.values()].filter(
    (vote) => vote.by.size === occurrences.length && isHardlyChance(vote, isFree),
  );
  const [best] = fitting.sort(byPreference);
  if (best !== undefined || knowable.chosen(tool, key) < OFTEN_CHOSEN) return best;
  const least = Math.max(LEAST_SUPPORT, DEFAULT_SHARE * occurrences.length);
  const usual = [...votes.values()].filter(
    ({ by, binding }) =>
      by.size >= least && binding.kind === "result" && isPlain(JSON.parse(binding.at) as Way),
  );
  return usual.sort((a, b) => b.by.size - a.by.size || byPreference(a, b))[0];
}

function isHardlyChance(vote: Vote, isFree: boolean): boolean {
  const chance = chanceOf(vote);
  const byField = isByField(vote.binding.at);
  if (vote.binding.key !== undefined) return chance < 1 && chance <= KEY_CHANCE;
  // What often comes from elsewhere is no matter of its place in a list, and the only element was one to choose.
  if (isFree && (chance < 1 || countOf(vote, '"at":') > 0)) return false;
  return chance === 1 ? !byField : chance <= (byField ? FIELD_RULE_CHANCE : RULE_CHANCE);
}

/** That the rule fits all occurrences by accident. */
function chanceOf({ chances }: Vote): number {
  return [...chances.values()].reduce((product, one) => product * one, 1);
}

function isByField(at: string): boolean {
  return /"(?:most|least|where)"/.test(at);
}

/** What was known first: a given value before the result that repeats it, a key before a rule. */
function byPreference(a: Vote, b: Vote): number {
  return (
    a.rank / a.by.size - b.rank / b.by.size ||
    (a.binding.kind < b.binding.kind ? -1 : a.binding.kind > b.binding.kind ? 1 : 0) ||
    Number(a.binding.key === undefined) - Number(b.binding.key === undefined) ||
    Number(chanceOf(a) < 1) - Number(chanceOf(b) < 1) ||
    // In a list with one element, the first is meant rather than the last.
    countOf(a, '"last"') - countOf(b, '"last"') ||
    a.binding.at.length - b.binding.at.length
  );
}

function countOf({ binding }: Vote, text: string): number {
  return binding.at.split(text).length - 1;
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
  return firstArgument <= firstResult || knowable.own(step.tool, slot.key) >= UNKNOWN_INSIDE;
}
