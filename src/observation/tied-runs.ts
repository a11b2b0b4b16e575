/**
 * Calls of one session that follow one another and share values. Gateways on one store count them together, because
 * each alone may have seen them too seldom.
 *
 * @module
 */
import { agreed } from "./agreement.js";
import type { FlowSession } from "./data-flow.js";
import type { Knowable } from "./knowable.js";
import { flowText, inOrder, isCloseTogether, type Occurrence, type Pattern } from "./pattern.js";

const MOST_STEPS = 6;

/** By the text of its flow: every run that begins anywhere, and the shorter ones that it begins with. */
export function tiedRuns(sessions: readonly FlowSession[], knowable: Knowable): ReadonlyMap<string, Pattern> {
  const found = new Map<string, Occurrence[]>();
  for (const [session, { steps }] of sessions.entries())
    for (const [start] of steps.entries()) {
      let at = [start];
      for (let next = start + 1; next < steps.length && at.length < MOST_STEPS; next++) {
        if (!isCloseTogether([...at, next])) break;
        const isTied = steps[next]?.slots.some(({ origins }) =>
          origins.some((origin) => origin.chance === 1 && at.includes(origin.step)),
        );
        if (isTied !== true) continue;
        at = [...at, next];
        const one = { session, at };
        const pattern = agreed(sessions, [one], knowable, 1);
        if (pattern === undefined) continue;
        const ordered = inOrder(pattern);
        const text = flowText(ordered);
        const list = found.get(text);
        if (list === undefined) found.set(text, [...ordered.occurrences]);
        else list.push(...ordered.occurrences);
      }
    }
  const patterns = new Map<string, Pattern>();
  for (const [text, occurrences] of found) {
    const pattern = agreed(sessions, occurrences, knowable, 1);
    if (pattern !== undefined) patterns.set(text, pattern);
  }
  return patterns;
}
