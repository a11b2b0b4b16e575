/**
 * From recorded sessions to programs.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { type Candidate, choosePrograms } from "./choose-programs.js";
import { countValues, type FlowSession, flowOf } from "./data-flow.js";
import { findPatterns, SEARCH_LIMITS, type SearchLimits } from "./find-patterns.js";
import { type Knowable, knowableOf } from "./knowable.js";
import { LEAST_SUPPORT, type Occurrence, type Pattern, stepAt } from "./pattern.js";
import { callsText, type NamedBySchema, programOf } from "./program.js";
import type { RecordedSession } from "./recorded-session.js";
import { tiedRuns } from "./tied-runs.js";
import { ValueCounts } from "./value-strength.js";

export interface Mined {
  readonly sessions: readonly FlowSession[];
  readonly knowable: Knowable;
  readonly candidates: readonly Candidate[];
}

export function mineSessions(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema = () => false,
  limits: SearchLimits = SEARCH_LIMITS,
): readonly Candidate[] {
  return mined(recorded, isNamed, limits).candidates;
}

function mined(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema,
  limits: SearchLimits = SEARCH_LIMITS,
): Mined {
  const work = mining(recorded, isNamed, limits);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * The same in pieces of a few milliseconds; others have their turn between them. Answers how long it took, too.
 *
 * @param clock the time of the processor that was used, in ms: where others use it, a piece takes longer than it works.
 */
export async function minedInTurns(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema,
  nextTurn: () => Promise<void>,
  clock: () => number = () => performance.now(),
): Promise<Mined & { readonly ms: number }> {
  const work = mining(recorded, isNamed, SEARCH_LIMITS);
  let ms = 0;
  for (;;) {
    const startedAt = performance.now();
    const usedBefore = clock();
    const took = () => Math.min(performance.now() - startedAt, clock() - usedBefore);
    do {
      const { done, value } = work.next();
      if (done === true) return { ...value, ms: ms + took() };
    } while (performance.now() - startedAt < PIECE_MS);
    ms += took();
    await nextTurn();
  }
}

const PIECE_MS = 4;

function* mining(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema,
  limits: SearchLimits,
): Generator<void, Mined> {
  const counts = new ValueCounts();
  for (const session of recorded) {
    yield;
    countValues([session], counts);
  }
  const sessions: FlowSession[] = [];
  for (const session of recorded) {
    yield;
    sessions.push(flowOf(session, counts));
  }
  const knowable = knowableOf(sessions);
  const patterns = yield* findPatterns(sessions, knowable, limits);
  return { sessions, knowable, candidates: yield* choosePrograms(sessions, patterns, isNamed, knowable) };
}

/** What was seen too seldom here, by the text of its flow, with a text for each time. */
export function seldomSeen({ sessions, knowable }: Mined): readonly {
  readonly flow: string;
  readonly occurrences: readonly string[];
  readonly pattern: Pattern;
}[] {
  return [...tiedRuns(sessions, knowable)].map(([flow, pattern]) => ({
    flow,
    pattern,
    occurrences: pattern.occurrences.map((one) => occurrenceText(sessions, pattern, one)),
  }));
}

/** The longest of what all gateways together have seen often enough, where no candidate does it already. */
export function seenElsewhere(
  { sessions, knowable, candidates }: Mined,
  counted: readonly { readonly pattern: Pattern; readonly times: number }[],
  isNamed: NamedBySchema,
): readonly Candidate[] {
  const known = candidates.map(({ program }) => callsText(program));
  const found: Candidate[] = [];
  const longest = counted
    .filter(({ times }) => times >= LEAST_SUPPORT)
    .sort((a, b) => b.pattern.steps.length - a.pattern.steps.length || b.times - a.times);
  for (const { pattern, times } of longest) {
    const calls = callsText(pattern);
    if (known.some((one) => one.includes(calls))) continue;
    known.push(calls);
    found.push({
      program: programOf(sessions, pattern, isNamed, knowable),
      pattern,
      support: times,
      contrary: 0,
    });
  }
  return found;
}

/** One time: the session and what was given. Two gateways that see the same recording count it once. */
export function occurrenceText(sessions: readonly FlowSession[], pattern: Pattern, one: Occurrence): string {
  const { session } = sessions[one.session] as FlowSession;
  const args = pattern.steps.map((_, step) =>
    stepAt(sessions, one, step).calls.map((call) => [
      (session.first ?? 0) + call,
      session.calls[call]?.arguments ?? null,
    ]),
  );
  return canonicalJson([session.id, args]);
}
