/**
 * Mines programs from recorded sessions.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { type Candidate, choosePrograms } from "./choose-programs.js";
import { countingValues, type FlowSession, findingFlow } from "./data-flow.js";
import { findPatterns, SEARCH_LIMITS, type SearchLimits } from "./find-patterns.js";
import { type Knowable, knowableOf } from "./knowable.js";
import { LEAST_SUPPORT, type Occurrence, type Pattern, stepAt } from "./pattern.js";
import { atOnce, inTurns, type Work } from "./pieces.js";
import { callsText, type NamedBySchema, programOf } from "./program.js";
import type { RecordedSession } from "./recorded-session.js";
import { tiedRuns } from "./tied-runs.js";
import { ValueCounts } from "./value-strength.js";

export interface Mined {
  readonly sessions: readonly FlowSession[];
  readonly knowable: Knowable;
  readonly candidates: readonly Candidate[];
}

/** Flows that were seen too rarely here. */
interface Seldom {
  readonly flow: string;
  /** A text for each occurrence. */
  readonly occurrences: readonly string[];
  readonly pattern: Pattern;
}

export type MinedInTurns = Mined & {
  readonly seldom: readonly Seldom[];
  readonly ms: number;
};

export function mineSessions(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema = () => false,
  limits: SearchLimits = SEARCH_LIMITS,
): readonly Candidate[] {
  return atOnce(mining(recorded, isNamed, limits)).candidates;
}

/**
 * The same with pauses for other work; also returns the flows that were seen too rarely, and the time that mining took.
 */
export async function minedInTurns(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema,
  nextTurn: () => Promise<void>,
  clock?: () => number,
): Promise<MinedInTurns> {
  const { value, ms } = await inTurns(miningAll(recorded, isNamed), nextTurn, clock);
  return { ...value, ms };
}

function* miningAll(recorded: readonly RecordedSession[], isNamed: NamedBySchema) {
  const mined = yield* mining(recorded, isNamed, SEARCH_LIMITS);
  return { ...mined, seldom: yield* seldomSeen(mined) };
}

function* mining(
  recorded: readonly RecordedSession[],
  isNamed: NamedBySchema,
  limits: SearchLimits,
): Work<Mined> {
  const counts = new ValueCounts();
  for (const session of recorded) yield* countingValues(session, counts);
  const sessions: FlowSession[] = [];
  for (const session of recorded) sessions.push(yield* findingFlow(session, counts));
  const knowable = yield* knowableOf(sessions);
  const patterns = yield* findPatterns(sessions, knowable, limits);
  return { sessions, knowable, candidates: yield* choosePrograms(sessions, patterns, isNamed, knowable) };
}

function* seldomSeen({ sessions, knowable }: Mined): Work<readonly Seldom[]> {
  const seldom: Seldom[] = [];
  for (const [flow, pattern] of yield* tiedRuns(sessions, knowable)) {
    const occurrences: string[] = [];
    for (const one of pattern.occurrences) {
      yield;
      occurrences.push(occurrenceText(sessions, pattern, one));
    }
    seldom.push({ flow, pattern, occurrences });
  }
  return seldom;
}

/** The longest flows that all gateways together have seen often enough, unless a candidate covers them already. */
export function* seenElsewhere(
  { sessions, knowable, candidates }: Mined,
  counted: readonly { readonly pattern: Pattern; readonly times: number }[],
  isNamed: NamedBySchema,
): Work<readonly Candidate[]> {
  const known = candidates.map(({ program }) => callsText(program));
  const found: Candidate[] = [];
  const longest = counted
    .filter(({ times }) => times >= LEAST_SUPPORT)
    .sort((a, b) => b.pattern.steps.length - a.pattern.steps.length || b.times - a.times);
  for (const { pattern, times } of longest) {
    yield;
    const calls = callsText(pattern);
    if (known.some((one) => one.includes(calls))) continue;
    known.push(calls);
    found.push({
      program: yield* programOf(sessions, pattern, isNamed, knowable),
      pattern,
      support: times,
      contrary: 0,
    });
  }
  return found;
}

/** One occurrence: the session and the given values. Two gateways that see the same recording count it once. */
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
