/**
 * Finds which argument of a session came from which earlier result or argument, by value.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { toolName } from "../registry/tool-id.js";
import { atOnce, type Work } from "./pieces.js";
import { type RecordedCall, type RecordedSession, readResult } from "./recorded-session.js";
import { type Loop, loopAt } from "./repetition.js";
import { hasTooManySlots, type Slot, slotsOf } from "./slots.js";
import { type KeySlot, type KeySlots, type Place, ValueIndex, waysTo } from "./value-index.js";
import { isIdentifier, isScalar, isTrivial, namesAgree, textOf, ValueCounts } from "./value-strength.js";
import { lastName, type Way } from "./way.js";

/** One explanation of a value: a source that code could take it from. */
export interface Origin {
  /** The index in {@link FlowSession.steps}. */
  readonly step: number;
  readonly kind: "result" | "argument";
  /** The path into the result as JSON, or the key of the slot. */
  readonly at: string;
  /** The chance that a rule selects the right element by accident. */
  readonly chance: number;
  /** The argument that selects an element of a list. */
  readonly key?: KeySlot;
}

export interface FlowSlot extends Slot {
  readonly origins: readonly Origin[];
  /**
   * The first step whose result, or whose arguments, contained the value; Infinity if none did. Results count for ids
   * only: a caller may know a name or a date from elsewhere.
   */
  readonly firstResult: number;
  readonly firstArgument: number;
}

export interface FlowStep {
  readonly tool: string;
  /** The indexes of its calls in the session: several if it repeats over a list. */
  readonly calls: readonly number[];
  readonly slots: readonly FlowSlot[];
  /** The slot that differs from call to call; its value is the list of all values. */
  readonly loop?: string;
  /** For a loop: the results in order. */
  readonly result: Json;
}

export interface FlowSession {
  readonly session: RecordedSession;
  readonly steps: readonly FlowStep[];
}

/** How far back an origin is searched, in steps. */
const WINDOW = 24;
const MOST_ORIGINS = 24;

/** Counts the values of all results, to recognise common ones. */
export function countValues(
  sessions: readonly RecordedSession[],
  counts: ValueCounts = new ValueCounts(),
): ValueCounts {
  for (const session of sessions) atOnce(countingValues(session, counts));
  return counts;
}

export function* countingValues(session: RecordedSession, counts: ValueCounts): Work<void> {
  for (const call of session.calls) {
    yield;
    if (call.isError) continue;
    yield* new ValueIndex().add(0, readResult(call.result), (text, place) =>
      counts.note(text, call.tool + place, session.group ?? session.id),
    );
  }
}

export function flowOf(session: RecordedSession, counts: ValueCounts): FlowSession {
  return atOnce(findingFlow(session, counts));
}

/**
 * Failed calls are skipped: their arguments and results are no part of what worked. So are calls with very many
 * arguments.
 */
export function* findingFlow(session: RecordedSession, counts: ValueCounts): Work<FlowSession> {
  const index = new ValueIndex();
  const given = new Map<string, Given>();
  const steps: FlowStep[] = [];
  const calls: RecordedCall[] = [];
  for (const call of session.calls) {
    yield;
    calls.push({ ...call, result: readResult(call.result) });
  }
  for (let at = 0; at < calls.length; ) {
    yield;
    const call = calls[at];
    const own = slotsOf(call?.arguments ?? {});
    if (call === undefined || call.isError || hasTooManySlots(own)) {
      at++;
      continue;
    }
    const loop = loopAt(calls, at, index, (step) => steps[step]?.result);
    const number = steps.length;
    const keysFor = (slot: Slot): KeySlots => keySlots(slot, own, loop?.slot, number, given, counts);
    const step = stepOf(call, loop, at, own, (slot) => ({
      ...slot,
      ...explained(slot, number, index, given, steps, counts, keysFor(slot)),
    }));
    for (const { key, path, value } of step.slots)
      for (const text of givenTexts(value)) {
        const { first, recent } = given.get(text) ?? { first: number, recent: [] };
        while (recent[0] !== undefined && recent[0].step < number - WINDOW) recent.shift();
        recent.push({ step: number, slot: key, path });
        given.set(text, { first, recent });
      }
    yield* index.add(number, step.result);
    steps.push(step);
    at += step.calls.length;
  }
  return { session, steps: yield* withoutIterations(steps, index) };
}

/** Sequential calls for elements of one list: their order says nothing about a single call. */
function* withoutIterations(steps: readonly FlowStep[], index: ValueIndex): Work<readonly FlowStep[]> {
  const listsOf = ({ value }: Slot) => new Set(index.ofScalar(value).flatMap(listText));
  const isIterated = (step: FlowStep, slot: FlowSlot, other: FlowStep | undefined): boolean => {
    if (other?.tool !== step.tool || other.loop !== undefined) return false;
    const beside = other.slots.find(({ key }) => key === slot.key);
    if (beside === undefined || beside.value === slot.value) return false;
    const lists = listsOf(beside);
    return [...listsOf(slot)].some((list) => lists.has(list));
  };
  const left: FlowStep[] = [];
  for (const [number, step] of steps.entries()) {
    yield;
    if (step.loop !== undefined) {
      left.push(step);
      continue;
    }
    const slots = step.slots.map((slot) => {
      const ruled = slot.origins.some(({ chance }) => chance < 1);
      if (!ruled || ![number - 1, number + 1].some((at) => isIterated(step, slot, steps[at]))) return slot;
      return { ...slot, origins: slot.origins.filter(({ chance }) => chance === 1) };
    });
    left.push({ ...step, slots });
  }
  return left;
}

/** The list that contains the value as an element, or as a field of an element. */
function listText({ call, steps }: Place): readonly string[] {
  const at = steps.findLastIndex((step) => typeof step === "number");
  return at < 0 ? [] : [JSON.stringify([call, steps.slice(0, at)])];
}

function stepOf(
  { tool, result }: RecordedCall,
  loop: Loop | undefined,
  at: number,
  own: readonly Slot[],
  explain: (slot: Slot) => FlowSlot,
): FlowStep {
  if (loop === undefined) return { tool, calls: [at], slots: own.map(explain), result };
  const { slot, values, results } = loop;
  const slots = own.map((one) => (one.key === slot ? { ...one, value: values } : one));
  const numbers = values.map((_, i) => at + i);
  return { tool, calls: numbers, slots: slots.map(explain), loop: slot, result: results };
}

function givenTexts(value: Json): readonly string[] {
  if (isScalar(value)) return isTrivial(value) ? [] : [textOf(value)];
  return [canonicalJson(value)];
}

/** Where a value was an argument: the first step, and the latest places. */
interface Given {
  readonly first: number;
  readonly recent: { readonly step: number; readonly slot: string; readonly path: readonly string[] }[];
}

function explained(
  { value, path }: Slot,
  step: number,
  index: ValueIndex,
  given: ReadonlyMap<string, Given>,
  steps: readonly FlowStep[],
  counts: ValueCounts,
  keys: KeySlots,
): Pick<FlowSlot, "origins" | "firstResult" | "firstArgument"> {
  const name = path.at(-1) ?? "";
  const weak = isWeakValue(value, counts);
  const origins: Origin[] = [];
  const shared = givenTexts(value).flatMap((text) => given.get(text) ?? []);
  for (const { step: from, slot, path: other } of shared.flatMap(({ recent }) => recent)) {
    if (from < step - WINDOW || (weak && !namesAgree(name, other.at(-1) ?? ""))) continue;
    origins.push({ step: from, kind: "argument", at: slot, chance: 1 });
  }
  const { places, tail } = placesOf(value, index);
  for (const place of places) {
    if (place.call < step - WINDOW || origins.length >= MOST_ORIGINS) continue;
    const result = steps[place.call]?.result as Json;
    for (const { way, chance, key } of waysTo(place, result, keys)) {
      const whole = [...way, ...conversion(result, place, value), ...tail];
      if (weak && !agrees(name, whole, steps[place.call]?.tool ?? "")) continue;
      const at = JSON.stringify(whole);
      origins.push({ step: place.call, kind: "result", at, chance, ...(key === undefined ? {} : { key }) });
    }
  }
  const strong = isScalar(value)
    ? weak || !isId(value)
      ? []
      : index.ofScalar(value)
    : strongElements(value, index, counts);
  return {
    origins,
    firstResult: Math.min(...[...strong, ...composedFrom(value, index, step)].map((place) => place.call)),
    firstArgument: Math.min(...shared.map(({ first }) => first)),
  };
}

/** Arguments of this call and of earlier ones that can select an element of a list. */
function keySlots(
  slot: Slot,
  own: readonly Slot[],
  loop: string | undefined,
  step: number,
  given: ReadonlyMap<string, Given>,
  counts: ValueCounts,
): KeySlots {
  return (field, value) => {
    if (!isScalar(value)) return [];
    const isWeak = isWeakValue(value, counts);
    const isKey = (path: readonly string[]) => !isWeak || namesAgree(field, path.at(-1) ?? "");
    const beside = own.filter((one) => one.key !== slot.key && one.key !== loop && one.value === value);
    const recent = given.get(textOf(value))?.recent ?? [];
    const earlier = recent.filter((one) => one.step >= step - WINDOW);
    return [
      ...earlier.filter(({ path }) => isKey(path)).map((one) => ({ step: one.step, at: one.slot })),
      ...beside.filter(({ path }) => isKey(path)).map(({ key }) => ({ step, at: key })),
    ];
  };
}

/** A list with one element may be a value that code wraps into a list. */
function placesOf(value: Json, index: ValueIndex): { places: readonly Place[]; tail: Way } {
  if (isScalar(value)) {
    const places = index.ofScalar(value);
    return { places: places.length > 0 ? places : index.ofField(value), tail: [] };
  }
  const whole = index.ofWhole(value);
  const only = Array.isArray(value) && value.length === 1 ? (value as readonly Json[])[0] : undefined;
  if (whole.length > 0 || only === undefined || !isScalar(only)) return { places: whole, tail: [] };
  return { places: index.ofScalar(only), tail: [{ as: "list" }] };
}

function conversion(result: Json, place: Place, value: Json): Way {
  if (!isScalar(value) || place.each !== undefined || place.cut !== undefined) return [];
  let found: Json | undefined = result;
  for (const step of place.steps) found = (found as Readonly<Record<string | number, Json>>)[step];
  if (typeof found === typeof value) return [];
  return [{ as: typeof value === "number" ? "number" : "text" }];
}

/** Whether the name of the argument matches the field, or the tool if the result is the value itself. */
function agrees(name: string, way: Way, tool: string): boolean {
  const last = lastName(way);
  return namesAgree(name, last ?? toolName(tool));
}

function isWeakValue(value: Json, counts: ValueCounts): boolean {
  if (isScalar(value)) return isTrivial(value) || counts.isWeak(textOf(value));
  const items = Object.values(value) as readonly Json[];
  return items.every((item) => isScalar(item) && isWeakValue(item, counts));
}

function isId(value: Json): boolean {
  return isScalar(value) && isIdentifier(textOf(value));
}

const COMPOSED_WORDS = 12;

/** The sources of a text that the caller composed from results: it contains one of their ids, or is long. */
function composedFrom(value: Json, index: ValueIndex, step: number): readonly Place[] {
  if (typeof value !== "string" || step === 0) return [];
  const words = value.split(/[^A-Za-z0-9_.#-]+/);
  const built = words
    .filter((word) => word.length < value.length && word.length > 2 && /\d/.test(word))
    .flatMap((word) => index.ofScalar(word.replace(/[.]$/, "")).slice(0, 1));
  return built.length === 0 && words.length > COMPOSED_WORDS ? [{ call: step - 1, steps: [] }] : built;
}

function strongElements(value: Json, index: ValueIndex, counts: ValueCounts): readonly Place[] {
  if (isScalar(value))
    return isWeakValue(value, counts) || !isId(value) ? [] : index.ofScalar(value).slice(0, 1);
  return Object.values(value).flatMap((item) => strongElements(item as Json, index, counts));
}
