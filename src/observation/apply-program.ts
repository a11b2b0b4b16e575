/**
 * Replays a program against recorded calls: would it have made the same calls?
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { MOST_BETWEEN } from "./pattern.js";
import { atOnce, type Work } from "./pieces.js";
import { type Program, type ProgramStep, type Source, stepNeeds } from "./program.js";
import { type RecordedCall, type RecordedSession, readResult } from "./recorded-session.js";
import { slotsOf } from "./slots.js";
import { follow } from "./way.js";

export interface Application {
  /** Whether every call would have had its recorded arguments; otherwise the session did the same in another way. */
  readonly isRight: boolean;
  /** Values that the program finds itself need not be given. */
  readonly isAsFound: boolean;
  /** The indexes of the calls in the session. */
  readonly calls: readonly number[];
  /** By name: the values that the parameters need. */
  readonly given: ReadonlyMap<string, Json>;
  /** By name: the index of the first call that needs it. */
  readonly neededBy: ReadonlyMap<string, number>;
}

export interface Played {
  readonly call: RecordedCall;
  readonly number: number;
  readonly result: Json;
}

export function playable(session: RecordedSession): readonly Played[] {
  return atOnce(playing(session));
}

/** The calls of a session for the replay: without failed ones. */
export function* playing({ calls }: RecordedSession): Work<readonly Played[]> {
  const played: Played[] = [];
  for (const [number, call] of calls.entries()) {
    yield;
    if (!call.isError) played.push({ call, number, result: readResult(call.result) });
  }
  return played;
}

export function applications(program: Program, calls: readonly Played[]): readonly Application[] {
  return atOnce(applying(program, calls));
}

/** Every place of the session where the tools of the program were called, each after its dependencies. */
export function* applying(program: Program, calls: readonly Played[]): Work<readonly Application[]> {
  const [first] = program.steps;
  const roots = new Set(program.steps.filter((step) => stepNeeds(step).length === 0).map(({ tool }) => tool));
  const found: Application[] = [];
  for (const [start, { call }] of calls.entries()) {
    yield;
    if (!roots.has(call.tool)) continue;
    const search = { program, calls, start, left: MOST_TRIES };
    const placed =
      placeAll(search, NOTHING, false) ??
      placeAll(search, NOTHING, true) ??
      (call.tool === first?.tool ? placedOtherwise(search) : undefined);
    if (placed !== undefined) found.push(applicationOf(program, calls, placed));
  }
  return found;
}

interface Search {
  readonly program: Program;
  readonly calls: readonly Played[];
  readonly start: number;
  /** The remaining attempts to place a step. */
  left: number;
}

/** The first steps of a program, each with its call. */
interface Placed {
  readonly isRight: boolean;
  readonly given: ReadonlyMap<string, Json>;
  readonly neededBy: ReadonlyMap<string, number>;
  readonly results: readonly Json[];
  readonly ends: readonly number[];
  readonly taken: readonly number[];
}

const NOTHING: Placed = {
  isRight: true,
  given: new Map(),
  neededBy: new Map(),
  results: [],
  ends: [],
  taken: [],
};
/** Independent calls may be made in any order: this is the limit of tried placements. */
const MOST_TRIES = 500;

/** Places all steps so that every call is right, with independent ones in any order. */
function placeAll(search: Search, placed: Placed, mayGive: boolean): Placed | undefined {
  const { program, calls } = search;
  const step = program.steps[placed.results.length];
  if (step === undefined) return isTogether(search, placed) ? placed : undefined;
  if (search.left-- <= 0) return undefined;
  const { candidates, wanted, list } = stepAt(search, placed, step);
  if (step.loop !== undefined) {
    const given = new Map(placed.given);
    const used = matchLoop(step, step.loop, list, wanted, candidates, calls, given, mayGive);
    return used ? placeAll(search, withStep(search, placed, step, used, given), mayGive) : undefined;
  }
  for (const at of candidates) {
    const news = newValues(step, wanted, (calls[at] as Played).call, placed.given, mayGive);
    if (!news) continue;
    const next = withStep(search, placed, step, [at], new Map([...placed.given, ...news]));
    const all = placeAll(search, next, mayGive);
    if (all !== undefined) return all;
  }
  return undefined;
}

/**
 * Finds the tools in the order of the program, with one value that differs. Undefined if one of the tools was not
 * called, or with arguments that the program has no parameter for.
 */
function placedOtherwise(search: Search): Placed | undefined {
  const { program, calls, start } = search;
  let placed = NOTHING;
  for (const step of program.steps) {
    const { candidates, wanted, list, items } = stepAt(search, placed, step);
    const own = placed === NOTHING ? candidates.filter((at) => at === start) : candidates;
    if (own.length < items) return undefined;
    const given = new Map(placed.given);
    const matched =
      step.loop === undefined
        ? matchOne(step, wanted, own, calls, given, true)
        : matchLoop(step, step.loop, list, wanted, own, calls, given, true);
    if (matched === false) return undefined;
    const used = matched ?? [own[0] as number];
    placed = withStep(search, placed, step, used, given);
    if (matched === undefined) placed = { ...placed, isRight: false };
  }
  return isTogether(search, placed) ? placed : undefined;
}

/** The calls that the next step could be. */
function stepAt(
  { program, calls, start }: Search,
  { results, given, ends, taken }: Placed,
  step: ProgramStep,
) {
  const wanted: Wanted = (_slot, source, known) => wantedOf(source, results, known);
  const source = step.loop === undefined ? undefined : step.sources.get(step.loop);
  const list = source === undefined ? undefined : wantedOf(source, results, (name) => given.get(name));
  const items = step.loop === undefined ? 1 : lengthOf(list);
  const from = Math.max(start, ...stepNeeds(step).map((need) => (ends[need] ?? start) + 1));
  const until = start + program.steps.length + taken.length + items + MOST_BETWEEN;
  const candidates = range(calls, from, until).filter(
    (at) =>
      !taken.includes(at) &&
      calls[at]?.call.tool === step.tool &&
      hasRoomFor(step, (calls[at] as Played).call),
  );
  return { candidates, wanted, list, items };
}

function withStep(
  { calls, start }: Search,
  { isRight, neededBy, results, ends, taken }: Placed,
  step: ProgramStep,
  used: readonly number[],
  given: ReadonlyMap<string, Json>,
): Placed {
  const number = (calls[used[0] as number] as Played).number;
  const result = step.loop === undefined ? resultAt(calls, used[0]) : used.map((at) => resultAt(calls, at));
  return {
    isRight,
    given,
    neededBy: new Map([...[...given.keys()].map((name) => [name, number] as const), ...neededBy]),
    results: [...results, result],
    ends: [...ends, Math.max(start, ...used)],
    taken: [...taken, ...used],
  };
}

/** Whether it begins at the start, with few other calls in between. */
function isTogether({ start }: Search, { taken }: Placed): boolean {
  return Math.min(...taken) === start && Math.max(...taken) - start + 1 - taken.length <= MOST_BETWEEN;
}

function applicationOf(
  { steps }: Program,
  calls: readonly Played[],
  { isRight, given, neededBy, taken }: Placed,
): Application {
  const isAsFound = !steps.some(({ sources }) =>
    [...sources.values()].some((source) => source.kind === "result" && given.has(source.unless ?? "")),
  );
  const numbers = [...taken].sort((a, b) => a - b).map((at) => (calls[at] as Played).number);
  return { isRight, isAsFound, calls: numbers, given, neededBy };
}

/** The number of calls of a loop over this list; at least 1. */
function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? Math.max(1, list.length) : 1;
}

function resultAt(calls: readonly Played[], at: number | undefined): Json {
  return calls[at ?? -1]?.result ?? null;
}

function range(calls: readonly Played[], from: number, until: number): readonly number[] {
  const list: number[] = [];
  for (let at = from; at <= Math.min(until, calls.length - 1); at++) list.push(at);
  return list;
}

function hasRoomFor({ sources }: ProgramStep, { arguments: args }: RecordedCall): boolean {
  return slotsOf(args).every(({ key }) => sources.has(key));
}

type Given = (parameter: string) => Json | undefined;
/** The value that the program computes for a slot without a parameter; undefined if there is none. */
type Wanted = (slot: string, source: Source, given: Given) => Json | undefined;

function wantedOf(source: Source, results: readonly Json[], given: Given): Json | undefined {
  if (source.kind === "constant") return source.value;
  if (source.kind === "parameter") return given(source.name);
  const key = source.key === undefined ? undefined : wantedOf(source.key, results, given);
  return follow(results[source.step] as Json, source.way, key);
}

function matchOne(
  step: ProgramStep,
  wanted: Wanted,
  candidates: readonly number[],
  calls: readonly Played[],
  given: Map<string, Json>,
  mayGive: boolean,
): readonly number[] | false | undefined {
  let isOtherwise = false;
  for (const at of candidates) {
    const news = newValues(step, wanted, (calls[at] as Played).call, given, mayGive);
    isOtherwise ||= news === false;
    if (!news) continue;
    for (const [name, value] of news) given.set(name, value);
    return [at];
  }
  return isOtherwise ? false : undefined;
}

function matchLoop(
  step: ProgramStep,
  loop: string,
  items: Json | undefined,
  wanted: Wanted,
  candidates: readonly number[],
  calls: readonly Played[],
  given: Map<string, Json>,
  mayGive: boolean,
): readonly number[] | false | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const used: number[] = [];
  for (const item of items as readonly Json[]) {
    const found = matchOne(
      step,
      (slot, source, known) => (slot === loop ? item : wanted(slot, source, known)),
      candidates.filter((at) => !used.includes(at)),
      calls,
      given,
      mayGive,
    );
    if (!found) return found;
    used.push(...found);
  }
  return used;
}

/**
 * The parameters that this call would have needed. False if a parameter already has another value: the caller would
 * know that in advance. Undefined if the program would take another value from a result.
 */
function newValues(
  { sources }: ProgramStep,
  wanted: Wanted,
  call: RecordedCall,
  given: ReadonlyMap<string, Json>,
  mayGive: boolean,
): ReadonlyMap<string, Json> | false | undefined {
  const news = new Map<string, Json>();
  const known: Given = (name) => given.get(name) ?? news.get(name);
  const slots = new Map(slotsOf(call.arguments).map(({ key, value }) => [key, value]));
  let isOtherwise = false;
  for (const [key, source] of sources) {
    if (source.kind !== "parameter") continue;
    const value = slots.get(key);
    const before = known(source.name);
    if (value === undefined) isOtherwise ||= before !== undefined;
    else if (before !== undefined && canonicalJson(before) !== canonicalJson(value)) isOtherwise = true;
    else news.set(source.name, value);
  }
  // An element may be found by a parameter of the same call.
  for (const [key, source] of sources) {
    if (source.kind === "parameter") continue;
    const value = slots.get(key);
    const made = wanted(key, source, known);
    if (value === undefined || made === undefined) return undefined;
    // A constant is the default of a parameter: another value can be given.
    if (source.kind === "constant" || canonicalJson(made) === canonicalJson(value)) continue;
    if (source.unless === undefined || !mayGive) return undefined;
    news.set(source.unless, value);
  }
  return isOtherwise ? false : news;
}
