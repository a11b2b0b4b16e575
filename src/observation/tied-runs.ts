/**
 * Consecutive calls of one session that share values. Gateways on one store count them together, because each alone may
 * have seen them too rarely.
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
  MOST_BETWEEN,
  type Occurrence,
  type Pattern,
} from "./pattern.js";
import type { Work } from "./pieces.js";

const MOST_STEPS = 6;
/** Steps further back are in no run with the step. */
const REACH = MOST_STEPS + MOST_BETWEEN;

/** The properties of a run's steps. */
interface Run {
  readonly text: string;
  /** The order of its steps in code. */
  readonly order: readonly number[];
}

/** By the text of its flow: every run from any start, including its shorter prefixes. */
export function* tiedRuns(
  sessions: readonly FlowSession[],
  knowable: Knowable,
): Work<ReadonlyMap<string, Pattern>> {
  const found = new Map<string, Occurrence[]>();
  // A run gives the same result as another one in the session whose steps have the same shapes, which is frequent.
  const shapes = new Map<string, number>();
  const runs = new Map<string, Run | undefined>();
  for (const [session, { steps }] of sessions.entries()) {
    const shapeOf: number[] = [];
    for (const [number, step] of steps.entries()) {
      yield;
      const shape = shapeText(step, number);
      if (!shapes.has(shape)) shapes.set(shape, shapes.size);
      shapeOf.push(shapes.get(shape) as number);
    }
    for (const [start] of steps.entries()) {
      yield;
      let at = [start];
      for (let next = start + 1; next < steps.length && at.length < MOST_STEPS; next++) {
        if (!isCloseTogether([...at, next])) break;
        const isTied = steps[next]?.slots.some(({ origins }) =>
          origins.some((origin) => origin.chance === 1 && at.includes(origin.step)),
        );
        if (isTied !== true) continue;
        at = [...at, next];
        const name = at.map((step) => `${step - start}:${shapeOf[step]}`).join(" ");
        if (!runs.has(name)) runs.set(name, yield* runOf(sessions, { session, at }, knowable));
        const run = runs.get(name);
        if (run === undefined) continue;
        const one = { session, at: run.order.map((i) => at[i] as number) };
        const list = found.get(run.text);
        if (list === undefined) found.set(run.text, [one]);
        else list.push(one);
      }
    }
  }
  const patterns = new Map<string, Pattern>();
  for (const [text, occurrences] of found) {
    const pattern = yield* agreed(sessions, occurrences, knowable, 1);
    if (pattern !== undefined) patterns.set(text, pattern);
  }
  return patterns;
}

function* runOf(
  sessions: readonly FlowSession[],
  one: Occurrence,
  knowable: Knowable,
): Work<Run | undefined> {
  const pattern = yield* agreed(sessions, [one], knowable, 1);
  if (pattern === undefined) return undefined;
  const ordered = inOrder(pattern);
  const [{ at } = one] = ordered.occurrences;
  return { text: flowText(ordered), order: at.map((step) => one.at.indexOf(step)) };
}

/** The properties of a step that decide the pattern of a single run: the sources of its values, but not the values. */
function shapeText({ tool, loop, slots }: FlowStep, number: number): string {
  const back = (step: number) => Math.min(number - step, REACH);
  return JSON.stringify([
    tool,
    loop,
    slots.map(({ key, origins, firstResult, firstArgument }) => [
      key,
      back(firstResult),
      back(firstArgument),
      firstArgument <= firstResult,
      origins
        .filter(({ step }) => back(step) < REACH)
        .map(({ step, kind, at, chance, key: by }) => [
          back(step),
          kind,
          at,
          chance,
          by && [back(by.step), by.at],
        ]),
    ]),
  ]);
}
