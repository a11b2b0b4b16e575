/**
 * A pattern as a program: its calls, its parameters, and the source of every argument.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import type { FlowSession } from "./data-flow.js";
import { type Knowable, OFTEN_CHOSEN } from "./knowable.js";
import { type Pattern, type PatternStep, slotOf, stepAt } from "./pattern.js";
import type { Work } from "./pieces.js";
import { pathOf } from "./slots.js";
import type { KeySlot } from "./value-index.js";
import { isPlain, type Way } from "./way.js";

export type Source =
  | {
      readonly kind: "result";
      readonly step: number;
      readonly way: Way;
      /** What selects an element of a list. */
      readonly key?: Source;
      /** A parameter that overrides it, if given. */
      readonly unless?: string;
    }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "constant"; readonly value: Json };

type ResultSource = Extract<Source, { readonly kind: "result" }>;

/** The steps whose results it needs. */
function sourceNeeds(source: Source): readonly number[] {
  if (source.kind !== "result") return [];
  return source.key === undefined ? [source.step] : [source.step, ...sourceNeeds(source.key)];
}

/** The steps whose results a step needs. */
export function stepNeeds({ sources }: ProgramStep): readonly number[] {
  return [...sources.values()].flatMap(sourceNeeds);
}

export interface ProgramStep {
  readonly tool: string;
  /** The slot that takes each item of its source's list in turn. */
  readonly loop?: string;
  /** By the key of the slot. */
  readonly sources: ReadonlyMap<string, Source>;
}

interface Parameter {
  readonly name: string;
  /** The argument that gives it its name. */
  readonly tool: string;
  readonly slot: string;
  /** Some occurrences did not give it. */
  readonly isOptional: boolean;
  /** Every occurrence gave this same value. It is kept in memory only, until a person accepts it [LC-5]. */
  readonly usual?: Json;
}

export interface Program {
  readonly steps: readonly ProgramStep[];
  readonly parameters: readonly Parameter[];
}

/** Whether the schema of a tool names this value for this argument, in an enum or as a default. */
export type NamedBySchema = (tool: string, path: readonly string[], value: Json) => boolean;

export function* programOf(
  sessions: readonly FlowSession[],
  pattern: Pattern,
  isNamed: NamedBySchema,
  knowable?: Knowable,
): Work<Program> {
  const parameters: Parameter[] = [];
  const steps: ProgramStep[] = [];
  for (const [number, { tool, loop, bindings }] of pattern.steps.entries()) {
    const sources = new Map<string, Source>();
    const keyed: (readonly [key: string, by: KeySlot])[] = [];
    for (const key of yield* slotKeys(sessions, pattern, number)) {
      const binding = bindings.get(key);
      if (binding?.kind === "result") {
        const way = JSON.parse(binding.at) as Way;
        const isDefault = key !== loop && isPlain(way) && (knowable?.chosen(tool, key) ?? 0) >= OFTEN_CHOSEN;
        const unless = isDefault ? { unless: optional(tool, key, parameters) } : {};
        sources.set(key, { kind: "result", step: binding.step, way, ...unless });
        if (binding.key !== undefined) keyed.push([key, binding.key]);
        continue;
      }
      const other = binding === undefined ? undefined : steps[binding.step]?.sources.get(binding.at);
      sources.set(key, other ?? (yield* givenAt(sessions, pattern, number, key, parameters, isNamed)));
    }
    for (const [key, { step, at }] of keyed) {
      const by = (step === number ? sources : steps[step]?.sources)?.get(at);
      if (by !== undefined) sources.set(key, { ...(sources.get(key) as ResultSource), key: by });
    }
    steps.push({ tool, ...(loop === undefined ? {} : { loop }), sources });
  }
  return { steps, parameters };
}

function optional(tool: string, slot: string, parameters: Parameter[]): string {
  const name = freeName(pathOf(slot).at(-1) ?? "value", parameters);
  parameters.push({ name, tool, slot, isOptional: true });
  return name;
}

function* slotKeys(
  sessions: readonly FlowSession[],
  { occurrences }: Pattern,
  number: number,
): Work<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const one of occurrences) {
    yield;
    for (const { key } of stepAt(sessions, one, number).slots) keys.add(key);
  }
  return keys;
}

function* givenAt(
  sessions: readonly FlowSession[],
  { steps, occurrences }: Pattern,
  number: number,
  key: string,
  parameters: Parameter[],
  isNamed: NamedBySchema,
): Work<Source> {
  const { tool } = steps[number] as PatternStep;
  const texts = new Set<string>();
  let isOptional = false;
  let value: Json = null;
  for (const one of occurrences) {
    yield;
    const given = slotOf(stepAt(sessions, one, number), key)?.value;
    if (given === undefined) {
      isOptional = true;
      continue;
    }
    if (texts.size === 0) value = given;
    if (texts.size < 2) texts.add(canonicalJson(given));
  }
  const isSame = texts.size === 1;
  if (isSame && !isOptional && isNamed(tool, pathOf(key), value)) return { kind: "constant", value };
  const name = freeName(pathOf(key).at(-1) ?? "value", parameters);
  const usual = isSame && !isOptional && !isSecret(pathOf(key), value) ? { usual: value } : {};
  parameters.push({ name, tool, slot: key, isOptional, ...usual });
  return { kind: "parameter", name };
}

/** Values that look like secrets are stored nowhere, not even in memory. */
function isSecret(path: readonly string[], value: Json): boolean {
  if (
    /pass(word|wd|phrase)?\b|secret|token|api_?-?key|auth|credential|cookie|session|private|\bpin\b|cvv|ssn/i.test(
      path.join("."),
    )
  )
    return true;
  if (typeof value !== "string") return false;
  return /^(sk|pk|ghp|gho|xox[abp]|AKIA|eyJ)[-_A-Za-z0-9.]{8,}|-----BEGIN|^[A-Za-z0-9+/_-]{32,}=*$|:\/\/[^/\s]+:[^/\s]+@/.test(
    value,
  );
}

function freeName(wanted: string, parameters: readonly Parameter[]): string {
  const base = wanted.replace(/[^A-Za-z0-9_$]+/g, "_").replace(/^(?=\d)/, "_") || "value";
  const isFree = (name: string) => !parameters.some((one) => one.name === name);
  let name = base;
  for (let i = 2; !isFree(name); i++) name = `${base}_${i}`;
  return name;
}

/**
 * Equal for the same calls in the same order, regardless of the sources of their arguments: identifies a rejected
 * program.
 */
export function callsText({ steps }: Pick<Program | Pattern, "steps">): string {
  return (steps as readonly { readonly tool: string; readonly loop?: string }[])
    .map(({ tool, loop }) => (loop === undefined ? tool : `${tool}*`))
    .join(" ");
}
