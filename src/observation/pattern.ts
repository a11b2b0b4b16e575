/**
 * A sequence of calls that are connected by data, and its occurrences.
 *
 * @module
 */
import type { FlowSession, FlowSlot, FlowStep, Origin } from "./data-flow.js";
import type { Work } from "./pieces.js";
import type { KeySlot } from "./value-index.js";

/** The source of an argument: the result or the argument of another step of the pattern. */
export interface Binding {
  /** The index of that step in the pattern. */
  readonly step: number;
  readonly kind: Origin["kind"];
  /** As in {@link Origin}. */
  readonly at: string;
  /** The argument of a step of the pattern that selects an element. */
  readonly key?: KeySlot;
}

export interface PatternStep {
  readonly tool: string;
  readonly loop?: string;
  /** By the key of the slot. Other slots are parameters. */
  readonly bindings: ReadonlyMap<string, Binding>;
}

export interface Occurrence {
  /** The index of the session. */
  readonly session: number;
  /** The step of the session for each step of the pattern. */
  readonly at: readonly number[];
}

export interface Pattern {
  readonly steps: readonly PatternStep[];
  readonly occurrences: readonly Occurrence[];
  /** Occurrences without common calls, counting a group of sessions once. */
  readonly support: number;
}

export const LEAST_SUPPORT = 3;
/** The maximum of other calls between those of a program. */
export const MOST_BETWEEN = 3;

export function stepAt(
  sessions: readonly FlowSession[],
  { session, at }: Occurrence,
  step: number,
): FlowStep {
  return sessions[session]?.steps[at[step] as number] as FlowStep;
}

/**
 * Counts independent occurrences: each call is part of only one.
 *
 * @param enough counting stops here.
 */
export function* supportOf(
  sessions: readonly FlowSession[],
  occurrences: readonly Occurrence[],
  enough = Number.POSITIVE_INFINITY,
): Work<number> {
  const groups = new Set<string>();
  const taken = new Map<number, Set<number>>();
  let support = 0;
  for (const { session, at } of occurrences) {
    yield;
    const group = sessions[session]?.session.group;
    if (group !== undefined && groups.has(group)) continue;
    const own = taken.get(session) ?? new Set();
    if (at.some((step) => own.has(step))) continue;
    if (group !== undefined) groups.add(group);
    for (const step of at) own.add(step);
    taken.set(session, own);
    support++;
    if (support >= enough) break;
  }
  return support;
}

/** How many other calls the occurrence spans. */
export function isCloseTogether(at: readonly number[]): boolean {
  return Math.max(...at) - Math.min(...at) + 1 - at.length <= MOST_BETWEEN;
}

/** The order of the steps in code: each after its dependencies, otherwise as in most occurrences. */
export function inOrder(pattern: Pattern): Pattern {
  const { steps, occurrences } = pattern;
  const mean = steps.map((_, i) =>
    occurrences.reduce((sum, { at }) => sum + (at[i] as number) - Math.min(...at), 0),
  );
  const order: number[] = [];
  while (order.length < steps.length) {
    const ready = steps
      .map((_, i) => i)
      .filter(
        (i) =>
          !order.includes(i) &&
          needsOf(steps[i] as PatternStep).every((need) => need === i || order.includes(need)),
      );
    if (ready.length === 0) return pattern;
    ready.sort(
      (a, b) =>
        (mean[a] as number) - (mean[b] as number) ||
        ((steps[a]?.tool ?? "") < (steps[b]?.tool ?? "") ? -1 : 1),
    );
    order.push(ready[0] as number);
  }
  return reordered(pattern, order);
}

function needsOf({ bindings }: PatternStep): readonly number[] {
  return [...bindings.values()].flatMap(({ step, key }) => (key === undefined ? [step] : [step, key.step]));
}

function reordered({ steps, occurrences, support }: Pattern, order: readonly number[]): Pattern {
  const place = new Map(order.map((from, to) => [from, to]));
  return {
    support,
    steps: order.map((from) => {
      const step = steps[from] as PatternStep;
      const bindings = [...step.bindings].map(
        ([slot, binding]) => [slot, moved(binding, (step) => place.get(step) as number)] as const,
      );
      return { ...step, bindings: new Map(bindings) };
    }),
    occurrences: occurrences.map(({ session, at }) => ({
      session,
      at: order.map((from) => at[from] as number),
    })),
  };
}

function moved({ key, ...binding }: Binding, place: (step: number) => number): Binding {
  const step = place(binding.step);
  return { ...binding, step, ...(key === undefined ? {} : { key: { ...key, step: place(key.step) } }) };
}

/** Equal for the same calls with the same flow, whichever step was found first. */
export function flowText({ steps }: Pick<Pattern, "steps">): string {
  return steps
    .map(({ tool, loop, bindings }) => {
      const flows = [...bindings].map(([slot, binding]) => `${slot}=${bindingText(binding)}`);
      flows.sort((a, b) => (a < b ? -1 : 1));
      return `${tool}${loop === undefined ? "" : `*${loop}`}(${flows.join(",")})`;
    })
    .join(" ");
}

function bindingText({ step, kind, at, key }: Binding): string {
  return `${step}${kind}${at}${key === undefined ? "" : `@${key.step}${key.at}`}`;
}

/**
 * Whether the steps form one program: calls that values connect, with single adjacent calls of other tools. Calls that
 * are only consecutive, such as the same work done twice, do not.
 *
 * @param ties by steps: those whose values it has.
 */
export function isOneProgram(
  steps: readonly Pick<PatternStep, "tool">[],
  ties: readonly (readonly number[])[],
): boolean {
  const group = steps.map((_, i) => i);
  const find = (i: number): number => (group[i] === i ? i : find(group[i] as number));
  for (const [i, tied] of ties.entries()) for (const step of tied) group[find(i)] = find(step);
  const sizes = new Map<number, number>();
  for (const [i] of steps.entries()) sizes.set(find(i), (sizes.get(find(i)) ?? 0) + 1);
  if ([...sizes.values()].filter((size) => size > 1).length !== 1) return false;
  return steps.every(
    ({ tool }, i) => sizes.get(find(i)) !== 1 || steps.every((other, j) => i === j || other.tool !== tool),
  );
}

export function slotOf(step: FlowStep, key: string): FlowSlot | undefined {
  return step.slots.find((slot) => slot.key === key);
}
