/**
 * Plays a program against recorded calls: would it have made the calls that were made?
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { MOST_BETWEEN } from "./pattern.js";
import type { Program, ProgramStep } from "./program.js";
import { type RecordedCall, type RecordedSession, readResult } from "./recorded-session.js";
import { slotsOf } from "./slots.js";
import { follow } from "./way.js";

export interface Application {
  /** Whether every call would have had the arguments that it had; else the session did the same otherwise. */
  readonly isRight: boolean;
  /** The numbers of the calls in the session. */
  readonly calls: readonly number[];
  /** By name: what the parameters have to be. */
  readonly given: ReadonlyMap<string, Json>;
  /** By name: the number of the first call that needs it. */
  readonly neededBy: ReadonlyMap<string, number>;
}

interface Played {
  readonly call: RecordedCall;
  readonly number: number;
  readonly result: Json;
}

/** Calls of a session as they are played: without those that failed. */
export function playable({ calls }: RecordedSession): readonly Played[] {
  return calls.flatMap((call, number) =>
    call.isError ? [] : [{ call, number, result: readResult(call.result) }],
  );
}

/** Every place of the session where the tools of the program were called one after the other. */
export function applications(program: Program, calls: readonly Played[]): readonly Application[] {
  const [first] = program.steps;
  if (first === undefined) return [];
  const found: Application[] = [];
  for (const [start, { call }] of calls.entries()) {
    if (call.tool !== first.tool) continue;
    const application = applyAt(program, calls, start);
    if (application !== undefined) found.push(application);
  }
  return found;
}

/** Nothing where one of the tools was not called, or with arguments that the program has no parameter for. */
function applyAt(program: Program, calls: readonly Played[], start: number): Application | undefined {
  const given = new Map<string, Json>();
  const neededBy = new Map<string, number>();
  const results: Json[] = [];
  const ends: number[] = [];
  const taken = new Set<number>();
  let isRight = true;
  for (const [number, step] of program.steps.entries()) {
    const wanted = expected(step, results);
    const from =
      number === 0 ? start : Math.max(start, ...needs(step).map((need) => (ends[need] ?? start) + 1));
    const items = step.loop === undefined ? 1 : lengthOf(wanted.get(step.loop));
    const until = number === 0 ? start : start + program.steps.length + taken.size + items + MOST_BETWEEN;
    const candidates = range(calls, from, until).filter(
      (at) =>
        !taken.has(at) && calls[at]?.call.tool === step.tool && hasRoomFor(step, (calls[at] as Played).call),
    );
    if (candidates.length < items) return undefined;
    const matched =
      step.loop === undefined
        ? matchOne(step, wanted, candidates, calls, given)
        : matchLoop(step, step.loop, wanted, candidates, calls, given);
    if (matched === false) return undefined;
    const used = matched ?? [candidates[0] as number];
    if (matched === undefined) isRight = false;
    for (const at of used) taken.add(at);
    for (const name of given.keys())
      if (!neededBy.has(name)) neededBy.set(name, (calls[used[0] as number] as Played).number);
    results.push(step.loop === undefined ? resultAt(calls, used[0]) : used.map((at) => resultAt(calls, at)));
    ends.push(Math.max(start, ...used));
  }
  const all = [...taken].sort((a, b) => a - b);
  if ((all.at(-1) ?? start) - start + 1 - all.length > MOST_BETWEEN) return undefined;
  return { isRight, calls: all.map((at) => (calls[at] as Played).number), given, neededBy };
}

/** A loop that was made so often less often is another sequence. */
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

function needs({ sources }: ProgramStep): readonly number[] {
  return [...sources.values()].flatMap((source) => (source.kind === "result" ? [source.step] : []));
}

function hasRoomFor({ sources }: ProgramStep, { arguments: args }: RecordedCall): boolean {
  return slotsOf(args).every(({ key }) => sources.has(key));
}

/** What the program takes from results; nothing where there is no such value. */
function expected({ sources }: ProgramStep, results: readonly Json[]): ReadonlyMap<string, Json | undefined> {
  const wanted = new Map<string, Json | undefined>();
  for (const [key, source] of sources)
    if (source.kind === "result") wanted.set(key, follow(results[source.step] as Json, source.way));
  return wanted;
}

function matchOne(
  step: ProgramStep,
  wanted: ReadonlyMap<string, Json | undefined>,
  candidates: readonly number[],
  calls: readonly Played[],
  given: Map<string, Json>,
): readonly number[] | false | undefined {
  let isOtherwise = false;
  for (const at of candidates) {
    const news = newValues(step, wanted, (calls[at] as Played).call, given);
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
  wanted: ReadonlyMap<string, Json | undefined>,
  candidates: readonly number[],
  calls: readonly Played[],
  given: Map<string, Json>,
): readonly number[] | false | undefined {
  const items = wanted.get(loop);
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const used: number[] = [];
  for (const item of items as readonly Json[]) {
    const one = new Map(wanted).set(loop, item);
    const found = matchOne(
      step,
      one,
      candidates.filter((at) => !used.includes(at)),
      calls,
      given,
    );
    if (!found) return found;
    used.push(...found);
  }
  return used;
}

/**
 * The parameters that this call would have needed. False where a value is wanted that is given otherwise already: whoever
 * calls the program knows that before. Nothing where the program would take another value from a result.
 */
function newValues(
  { sources }: ProgramStep,
  wanted: ReadonlyMap<string, Json | undefined>,
  call: RecordedCall,
  given: ReadonlyMap<string, Json>,
): ReadonlyMap<string, Json> | false | undefined {
  const news = new Map<string, Json>();
  const slots = new Map(slotsOf(call.arguments).map(({ key, value }) => [key, value]));
  let isOtherwise = false;
  for (const [key, source] of sources) {
    const value = slots.get(key);
    if (source.kind === "parameter") {
      const known = given.get(source.name) ?? news.get(source.name);
      if (value === undefined) isOtherwise ||= known !== undefined;
      else if (known !== undefined && canonicalJson(known) !== canonicalJson(value)) isOtherwise = true;
      else news.set(source.name, value);
      continue;
    }
    const made = source.kind === "constant" ? source.value : wanted.get(key);
    if (value === undefined || made === undefined) return undefined;
    // A constant is the default of a parameter: another value can be given.
    if (source.kind === "result" && canonicalJson(made) !== canonicalJson(value)) return undefined;
  }
  return isOtherwise ? false : news;
}
