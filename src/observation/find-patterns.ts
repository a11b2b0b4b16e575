/**
 * Finds sequences of calls that recur with the same flow. Pairs that one value connects grow call by call, as long as
 * enough occurrences agree.
 *
 * @module
 */
import { agreed } from "./agreement.js";
import type { FlowSession, FlowStep } from "./data-flow.js";
import type { Knowable } from "./knowable.js";
import {
  flowText,
  inOrder,
  isCloseTogether,
  LEAST_SUPPORT,
  MOST_BETWEEN,
  type Occurrence,
  type Pattern,
  supportOf,
} from "./pattern.js";
import type { Work } from "./pieces.js";

export interface SearchLimits {
  readonly calls: number;
  /** The limit for one length. */
  readonly patterns: number;
  /** The limit for one pattern. */
  readonly occurrences: number;
}

export const SEARCH_LIMITS: SearchLimits = { calls: 8, patterns: 400, occurrences: 300 };

export function* findPatterns(
  sessions: readonly FlowSession[],
  knowable: Knowable,
  limits: SearchLimits = SEARCH_LIMITS,
): Work<readonly Pattern[]> {
  const all: Pattern[] = [];
  let level = yield* settle(sessions, yield* pairsOf(sessions), knowable, limits);
  for (let calls = 2; level.length > 0; calls++) {
    all.push(...level);
    if (calls >= limits.calls) break;
    const grown: (readonly Occurrence[])[] = [];
    for (const pattern of level) grown.push(...(yield* longer(sessions, pattern)));
    level = yield* settle(sessions, grown, knowable, limits);
  }
  return all;
}

/** The share of occurrences in which a call must be adjacent if no value connects it. */
const BESIDE_SHARE = 0.5;

type Groups = Map<string, Occurrence[]>;

function nameOf({ tool, loop }: FlowStep): string {
  return loop === undefined ? tool : `${tool}*${loop}`;
}

/** Occurrences of two calls, by the value that connects them. */
function* pairsOf(sessions: readonly FlowSession[]): Work<readonly (readonly Occurrence[])[]> {
  const groups: Groups = new Map();
  for (const [session, { steps }] of sessions.entries())
    for (const [to, step] of steps.entries()) {
      yield;
      for (const { key, origins } of step.slots)
        for (const { step: from, kind, at } of origins) {
          if (!isCloseTogether([from, to])) continue;
          put(groups, `${nameOf(steps[from] as FlowStep)} ${kind}${at} ${nameOf(step)} ${key}`, session, [
            from,
            to,
          ]);
        }
    }
  return [...groups.values()];
}

/** The occurrences of a pattern with one more call that is connected to one of its own. */
function* longer(
  sessions: readonly FlowSession[],
  { occurrences }: Pattern,
): Work<readonly (readonly Occurrence[])[]> {
  const groups: Groups = new Map();
  const beside: Groups = new Map();
  for (const { session, at } of occurrences) {
    yield;
    const { steps } = sessions[session] as FlowSession;
    const last = Math.min(steps.length - 1, Math.max(...at) + 1 + MOST_BETWEEN);
    for (let one = Math.max(0, Math.min(...at) - 1 - MOST_BETWEEN); one <= last; one++) {
      if (at.includes(one) || !isCloseTogether([...at, one])) continue;
      const step = steps[one] as FlowStep;
      const name = nameOf(step);
      const grown = [...at, one];
      // An unconnected call belongs to the others if it is mostly adjacent to them.
      if (one >= Math.min(...at) - 1 && one <= Math.max(...at) + 1)
        put(beside, `${name} ${one < Math.min(...at) ? "before" : "after"}`, session, grown);
      for (const { key, origins } of step.slots)
        for (const { step: from, kind, at: way } of origins) {
          const member = at.indexOf(from);
          if (member >= 0) put(groups, `${name} <${member} ${kind}${way} ${key}`, session, grown);
        }
      for (const [member, position] of at.entries())
        for (const { key, origins } of (steps[position] as FlowStep).slots)
          for (const { step: from, kind, at: way } of origins)
            if (from === one) put(groups, `${name} >${member} ${kind}${way} ${key}`, session, grown);
    }
  }
  const usual = [...beside.values()].filter((found) => found.length >= BESIDE_SHARE * occurrences.length);
  return [...groups.values(), ...usual];
}

function put(groups: Groups, key: string, session: number, at: readonly number[]): void {
  const list = groups.get(key);
  const last = list?.at(-1);
  if (list === undefined) groups.set(key, [{ session, at }]);
  else if (last?.session !== session || last.at.some((position, i) => position !== at[i]))
    list.push({ session, at });
}

/** The common flow of the occurrences; groups with the same flow become one pattern. */
function* settle(
  sessions: readonly FlowSession[],
  found: readonly (readonly Occurrence[])[],
  knowable: Knowable,
  limits: SearchLimits,
): Work<readonly Pattern[]> {
  const byFlow = new Map<string, Map<string, Occurrence>>();
  const enough: (readonly Occurrence[])[] = [];
  for (const occurrences of found) {
    if (occurrences.length < LEAST_SUPPORT) continue;
    if ((yield* supportOf(sessions, occurrences, LEAST_SUPPORT)) >= LEAST_SUPPORT) enough.push(occurrences);
  }
  enough.sort((a, b) => b.length - a.length);
  // Calls that several values connect were found once for each value.
  const looked = new Set<string>();
  for (const occurrences of enough.slice(0, limits.patterns * 4)) {
    yield;
    const some = occurrences.slice(0, limits.occurrences);
    const places = some.map(({ session, at }) => `${session} ${at}`).join(" ");
    if (looked.has(places)) continue;
    looked.add(places);
    const pattern = yield* agreed(sessions, some, knowable);
    if (pattern === undefined) continue;
    const ordered = inOrder(pattern);
    const text = flowText(ordered);
    let merged = byFlow.get(text);
    if (merged === undefined) {
      merged = new Map();
      byFlow.set(text, merged);
    }
    for (const one of ordered.occurrences) merged.set(`${one.session} ${one.at}`, one);
  }
  const patterns: Pattern[] = [];
  for (const merged of byFlow.values()) {
    const pattern = yield* agreed(sessions, [...merged.values()], knowable);
    if (pattern !== undefined) patterns.push(inOrder(pattern));
  }
  return patterns.sort((a, b) => b.support - a.support).slice(0, limits.patterns);
}
