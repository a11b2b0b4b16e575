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
import type { Work } from "./pieces.js";
import { isPlain, type Way } from "./way.js";

/** The chance that a rule for elements of lists fits all occurrences by accident. */
const RULE_CHANCE = 0.02;
/** With many fields, an element is easily the greatest in one of them by chance. */
const FIELD_RULE_CHANCE = 0.001;

/** An element that an argument names is rarely that by chance. */
const KEY_CHANCE = 0.15;
/**
 * A value that callers often choose may come from a result by default, if at least this share of the occurrences took
 * it from there.
 */
const DEFAULT_SHARE = 0.5;

interface Vote {
  readonly binding: Binding;
  /** The number of occurrences, and the last of them. */
  by: number;
  last: Occurrence | undefined;
  /** One per independent occurrence: attempts at one task make the same choice, with the greatest chance among them. */
  readonly chances: number[];
  /** By task: the index of its chance. */
  readonly tasks: Map<string, number>;
  /** The chance that the rule fits all occurrences by accident; known after all votes. */
  chance: number;
  rank: number;
}

/** Undefined if they agree on too little: the calls are not connected, or too few occurrences remain. */
export function* agreed(
  sessions: readonly FlowSession[],
  found: readonly Occurrence[],
  knowable: Knowable,
  least = LEAST_SUPPORT,
): Work<Pattern | undefined> {
  const [first] = found;
  if (first === undefined) return undefined;
  const steps: PatternStep[] = [];
  for (const [number] of first.at.entries()) {
    const of = (occurrence: Occurrence) => stepAt(sessions, occurrence, number);
    const { tool, loop } = of(first);
    const bindings = new Map<string, Binding>();
    const slots = new Set<string>();
    const unknown = new Set<string>();
    for (const one of found) {
      yield;
      const step = of(one);
      for (const slot of step.slots) {
        slots.add(slot.key);
        if (!isKnownBefore(step, slot, Math.min(...one.at), knowable)) unknown.add(slot.key);
      }
    }
    const keys = [...slots];
    for (const [i, key] of keys.entries()) {
      // Of two arguments that name one element, the known one names it, or the first.
      const names = (other: string) => !unknown.has(other) && (unknown.has(key) || keys.indexOf(other) < i);
      const vote = yield* bestVote(sessions, found, number, key, knowable, names);
      if (vote !== undefined) bindings.set(key, vote.binding);
    }
    steps.push({ tool, ...(loop === undefined ? {} : { loop }), bindings });
  }
  const occurrences: Occurrence[] = [];
  for (const one of found) {
    yield;
    if (steps.every((step, i) => isGiven(sessions, one, step, i, knowable))) occurrences.push(one);
  }
  const support = yield* supportOf(sessions, occurrences);
  if (support < least || !isOneProgram(steps, yield* tiesOf(sessions, steps, occurrences))) return undefined;
  // A list that no occurrence takes from a result is not a loop over its items.
  if (steps.some(({ loop, bindings }) => loop !== undefined && !bindings.has(loop))) return undefined;
  return { steps, occurrences, support };
}

/** A value that is always the same may be an argument of any two calls, so it connects nothing. */
function* tiesOf(
  sessions: readonly FlowSession[],
  steps: readonly PatternStep[],
  occurrences: readonly Occurrence[],
): Work<readonly (readonly number[])[]> {
  const ties: number[][] = [];
  for (const [number, { bindings }] of steps.entries()) {
    const tied: number[] = [];
    for (const [key, { step, kind }] of bindings)
      if (
        kind === "result" ||
        occurrences.length === 1 ||
        (yield* differs(sessions, occurrences, number, key))
      )
        tied.push(step);
    ties.push(tied);
  }
  return ties;
}

function* differs(
  sessions: readonly FlowSession[],
  occurrences: readonly Occurrence[],
  number: number,
  key: string,
): Work<boolean> {
  const texts = new Set<string>();
  for (const one of occurrences) {
    yield;
    texts.add(canonicalJson(slotOf(stepAt(sessions, one, number), key)?.value ?? null));
    if (texts.size > 1) return true;
  }
  return false;
}

function* bestVote(
  sessions: readonly FlowSession[],
  occurrences: readonly Occurrence[],
  number: number,
  key: string,
  knowable: Knowable,
  names: (key: string) => boolean,
): Work<Vote | undefined> {
  const { tool } = stepAt(sessions, occurrences[0] as Occurrence, number);
  const votes = new Map<string, Vote>();
  for (const occurrence of occurrences) {
    yield;
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
        vote = { binding, by: 0, last: undefined, chances: [], tasks: new Map(), chance: 1, rank: 0 };
        votes.set(name, vote);
      }
      if (vote.last === occurrence) continue;
      vote.last = occurrence;
      vote.by++;
      const { chances, tasks } = vote;
      const known = group === undefined ? undefined : tasks.get(group);
      if (group !== undefined && known === undefined) tasks.set(group, chances.length);
      if (known === undefined) chances.push(origin.chance);
      else chances[known] = Math.max(origin.chance, chances[known] as number);
      vote.rank += origin.step - Math.min(...at);
    }
  }
  for (const vote of votes.values()) {
    yield;
    for (const chance of vote.chances) vote.chance *= chance;
  }
  // A rule must fit all occurrences; otherwise the value becomes a parameter.
  const isFree = knowable.free(tool, key) >= OFTEN_FREE;
  const fitting = [...votes.values()].filter(
    (vote) => vote.by === occurrences.length && isHardlyChance(vote, isFree),
  );
  const [best] = fitting.sort(byPreference);
  if (best !== undefined || knowable.chosen(tool, key) < OFTEN_CHOSEN) return best;
  const least = Math.max(LEAST_SUPPORT, DEFAULT_SHARE * occurrences.length);
  const usual = [...votes.values()].filter(
    ({ by, binding }) => by >= least && binding.kind === "result" && isPlain(JSON.parse(binding.at) as Way),
  );
  return usual.sort((a, b) => b.by - a.by || byPreference(a, b))[0];
}

function isHardlyChance(vote: Vote, isFree: boolean): boolean {
  const { chance } = vote;
  const byField = isByField(vote.binding.at);
  if (vote.binding.key !== undefined) return chance < 1 && chance <= KEY_CHANCE;
  // If such arguments often come from elsewhere, no rule by position in a list holds, and an only element was the
  // caller's choice.
  if (isFree && (chance < 1 || countOf(vote, '"at":') > 0)) return false;
  return chance === 1 ? !byField : chance <= (byField ? FIELD_RULE_CHANCE : RULE_CHANCE);
}

function isByField(at: string): boolean {
  return /"(?:most|least|where)"/.test(at);
}

/** Prefers the source that was known first: a value of the caller over a result that repeats it, a key over a rule. */
function byPreference(a: Vote, b: Vote): number {
  return (
    a.rank / a.by - b.rank / b.by ||
    (a.binding.kind < b.binding.kind ? -1 : a.binding.kind > b.binding.kind ? 1 : 0) ||
    Number(a.binding.key === undefined) - Number(b.binding.key === undefined) ||
    Number(a.chance < 1) - Number(b.chance < 1) ||
    // In a list with one element, the first is preferred to the last.
    countOf(a, '"last"') - countOf(b, '"last"') ||
    a.binding.at.length - b.binding.at.length
  );
}

function countOf({ binding }: Vote, text: string): number {
  return binding.at.split(text).length - 1;
}

/** A value that does not come from a step must be known before the first call. */
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
