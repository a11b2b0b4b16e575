/**
 * Chooses the best of several overlapping programs: the longest that pays. A program pays by the calls that it saves,
 * each time it could have been used.
 *
 * @module
 */
import { applying, type Played, playing } from "./apply-program.js";
import type { FlowSession } from "./data-flow.js";
import type { Knowable } from "./knowable.js";
import { LEAST_SUPPORT, type Occurrence, type Pattern } from "./pattern.js";
import type { Work } from "./pieces.js";
import { type NamedBySchema, type Program, programOf } from "./program.js";

export interface Candidate {
  readonly program: Program;
  readonly pattern: Pattern;
  /** How often the calls occurred in this form. */
  readonly support: number;
  /** Places in the same sessions where the tools were called in this order with another flow. */
  readonly contrary: number;
}

/** With more than this share of contrary places, the tools do not belong together in this way. */
const CONTRARY_SHARE = 0.05;
/** Sessions that are searched for contrary places. */
const MOST_CHECKED = 2_000;

export function* choosePrograms(
  sessions: readonly FlowSession[],
  patterns: readonly Pattern[],
  isNamed: NamedBySchema,
  knowable: Knowable,
): Work<readonly Candidate[]> {
  const ranked = [...patterns].sort(
    (a, b) => payOf(b) - payOf(a) || b.steps.length - a.steps.length || b.support - a.support,
  );
  const played: (readonly Played[])[] = [];
  for (const { session } of sessions) played.push(yield* playing(session));
  const byTool = new Map<string, number[]>();
  for (const [number, calls] of played.entries()) {
    yield;
    for (const tool of new Set(calls.map(({ call }) => call.tool))) {
      const list = byTool.get(tool);
      if (list === undefined) byTool.set(tool, [number]);
      else list.push(number);
    }
  }
  const covered = new Set<string>();
  const chosen: Candidate[] = [];
  for (const pattern of ranked) {
    if (!(yield* isFresh(sessions, pattern, covered))) continue;
    const program = yield* programOf(sessions, pattern, isNamed, knowable);
    // The places where the rarest of its tools was called.
    const [fewest = []] = program.steps
      .map(({ tool }) => byTool.get(tool) ?? [])
      .sort((a, b) => a.length - b.length);
    let right = 0;
    let otherwise = 0;
    let contrary = 0;
    for (const number of fewest.slice(0, MOST_CHECKED))
      for (const { isRight, isAsFound } of yield* applying(program, played[number] ?? []))
        if (!isRight) contrary++;
        else if (isAsFound) right++;
        else otherwise++;
    if (right < LEAST_SUPPORT || otherwise > right || contrary > CONTRARY_SHARE * (right + contrary))
      continue;
    chosen.push({ program, pattern, support: pattern.support, contrary });
    for (const one of pattern.occurrences) {
      yield;
      for (const call of callsOf(sessions, one)) covered.add(`${one.session} ${call}`);
    }
  }
  return chosen;
}

/** The number of calls that it would have saved. */
function payOf({ support, steps }: Pattern): number {
  return support * (steps.length - 1);
}

function callsOf(sessions: readonly FlowSession[], { session, at }: Occurrence): readonly number[] {
  return at.flatMap((step) => sessions[session]?.steps[step]?.calls ?? []);
}

/** Whether it has calls that no chosen program makes. */
function* isFresh(
  sessions: readonly FlowSession[],
  { occurrences }: Pattern,
  covered: ReadonlySet<string>,
): Work<boolean> {
  for (const one of occurrences) {
    yield;
    if (callsOf(sessions, one).some((call) => !covered.has(`${one.session} ${call}`))) return true;
  }
  return false;
}
