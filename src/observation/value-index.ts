/**
 * Where the values of one session occur: in results, with the paths to them.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import type { Work } from "./pieces.js";
import { isScalar, isTrivial, textOf } from "./value-strength.js";
import type { Segment, Way } from "./way.js";

/** A key, or the index of an element of a list. */
export type Step = string | number;

export interface Place {
  /** The index of the call in its session. */
  readonly call: number;
  readonly steps: readonly Step[];
  /** The value is the last key itself. */
  readonly isKey?: true;
  /** The field of every element of the list at `steps`. */
  readonly each?: readonly string[];
  readonly cut?: { readonly cut: string; readonly field: number };
}

const MOST_LEAVES = 2_000;
const MOST_DEPTH = 12;
const MOST_LISTED = 50;
const SEPARATORS = [",", ";", "|", ":", "/", " "];
const CUT_CHARS = 120;
const CUT_FIELDS = 8;

export class ValueIndex {
  readonly #places = new Map<string, Place[]>();
  readonly #whole = new Map<string, Place[]>();
  /** By their outlines: lists and objects whose text was not needed yet, which is needed for few. */
  readonly #unread = new Map<string, { readonly value: Json; readonly place: Place }[]>();
  /** By the outline of their first element: the lengths of lists. */
  readonly #lengths = new Map<string, Set<number>>();
  readonly #cut = new Map<string, Place[]>();
  #left = 0;

  /** Adds the answer of a call. */
  *add(call: number, result: Json, seen?: (text: string, place: string) => void): Work<void> {
    this.#left = MOST_LEAVES;
    yield* this.#walk(call, result, [], seen);
  }

  ofScalar(value: Json): readonly Place[] {
    return isScalar(value) ? (this.#places.get(textOf(value)) ?? []) : [];
  }

  /** Fields of joined texts. */
  ofField(value: Json): readonly Place[] {
    return typeof value === "string" ? (this.#cut.get(value) ?? []) : [];
  }

  /** Lists and objects that are equal as a whole. */
  ofWhole(value: Json): readonly Place[] {
    const outline = outlineOf(value);
    for (const one of this.#unread.get(outline) ?? []) push(this.#whole, canonicalJson(one.value), one.place);
    this.#unread.delete(outline);
    return this.#whole.get(canonicalJson(value)) ?? [];
  }

  /** The lengths of the lists inside results that begin with the value; may include others with the same outline. */
  lengthsFrom(value: Json): ReadonlySet<number> {
    return this.#lengths.get(outlineOf(value)) ?? NO_LENGTHS;
  }

  *#walk(
    call: number,
    value: Json,
    steps: readonly Step[],
    seen: ((text: string, place: string) => void) | undefined,
  ): Work<void> {
    if (this.#left-- <= 0 || steps.length > MOST_DEPTH) return;
    if (isScalar(value)) {
      if (isTrivial(value)) return;
      const text = textOf(value);
      push(this.#places, text, { call, steps });
      seen?.(text, generalText(steps));
      if (typeof value === "string") this.#addFields(call, value, steps);
      return;
    }
    if (steps.length > 0 && hasLeaves(value, 2)) this.#addWhole(value, { call, steps });
    if (Array.isArray(value)) {
      this.#addColumns(call, value, steps);
      for (const [i, item] of (value as readonly Json[]).entries()) {
        if (this.#left <= 0) return;
        yield;
        yield* this.#walk(call, item, [...steps, i], seen);
      }
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      yield;
      const next = [...steps, key];
      if (isDataKey(key, inner)) {
        push(this.#places, key, { call, steps: next, isKey: true });
        seen?.(key, `${generalText(next)}~`);
      }
      yield* this.#walk(call, inner, next, seen);
    }
  }

  #addWhole(value: Json, place: Place): void {
    const outline = outlineOf(value);
    const list = this.#unread.get(outline);
    if (list === undefined) this.#unread.set(outline, [{ value, place }]);
    else list.push({ value, place });
    if (!Array.isArray(value) || !isScalar(value[0])) return;
    const first = outlineOf(value[0]);
    const lengths = this.#lengths.get(first);
    if (lengths === undefined) this.#lengths.set(first, new Set([value.length]));
    else lengths.add(value.length);
  }

  /** `[{ id: 1 }, { id: 2 }]` contains the list `[1, 2]` of ids. */
  #addColumns(call: number, list: readonly Json[], steps: readonly Step[]): void {
    const [first] = list;
    if (list.length < 2 || list.length > MOST_LISTED || isScalar(first as Json) || Array.isArray(first))
      return;
    for (const [key, value] of Object.entries(first as object)) {
      if (!isScalar(value as Json) || isTrivial(value as Json)) continue;
      const column = list.map((item) => (item as Readonly<Record<string, Json>> | null)?.[key]);
      if (column.every((item) => item !== undefined && isScalar(item)))
        this.#addWhole(column as readonly Json[], { call, steps, each: [key] });
    }
  }

  #addFields(call: number, text: string, steps: readonly Step[]): void {
    if (text.length > CUT_CHARS) return;
    for (const cut of SEPARATORS) {
      if (!text.includes(cut)) continue;
      const fields = text.split(cut);
      if (fields.length > CUT_FIELDS) continue;
      fields.forEach((part, field) => {
        const trimmed = part.trim();
        if (trimmed.length > 2) push(this.#cut, trimmed, { call, steps, cut: { cut, field } });
      });
    }
  }
}

function push(map: Map<string, Place[]>, key: string, place: Place): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [place]);
  else if (list.length < 64) list.push(place);
}

const NO_LENGTHS: ReadonlySet<number> = new Set();
const OUTLINE_CHARS = 60;

/** A short text that is equal for equal values, and usually different for others. */
function outlineOf(value: Json): string {
  if (isScalar(value)) return String(value).slice(0, OUTLINE_CHARS);
  if (Array.isArray(value)) return `[${value.length} ${outlineOf(value[0] ?? null)}`;
  const fields = Object.entries(value);
  let [first] = fields;
  for (const one of fields) if (first !== undefined && one[0] < first[0]) first = one;
  if (first === undefined) return "{";
  return `{${fields.length} ${first[0].slice(0, OUTLINE_CHARS)} ${outlineOf(first[1])}`;
}

/** Whether it contains at least this many scalars. */
function hasLeaves(value: Json, least: number): boolean {
  let left = least;
  const walk = (one: Json): boolean => {
    if (isScalar(one)) return --left <= 0;
    return (Array.isArray(one) ? one : Object.values(one)).some(walk);
  };
  return walk(value);
}

/** A key is data if it is an id, or its own value repeats it. */
function isDataKey(key: string, value: Json): boolean {
  if (/\d{3,}/.test(key) || value === key) return true;
  return !isScalar(value) && !Array.isArray(value) && Object.values(value).includes(key);
}

/** The same for all elements of a list. */
function generalText(steps: readonly Step[]): string {
  return steps.map((step) => (typeof step === "number" || /\d{3,}/.test(step) ? "[*]" : `.${step}`)).join("");
}

/** A path for code, and the chance that it leads there by accident: one in `1 / chance` elements. */
export interface RuledWay {
  readonly way: Way;
  readonly chance: number;
  /** The argument that selects an element of a list. */
  readonly key?: KeySlot;
}

/** An argument of a step. */
export interface KeySlot {
  readonly step: number;
  readonly at: string;
}

/** The arguments that have this value, in this call or before. */
export type KeySlots = (field: string, value: Json) => readonly KeySlot[];

/** Paths to the place by rules that fit here; empty if no rule selects this element. */
export function waysTo(place: Place, result: Json, keys: KeySlots): readonly RuledWay[] {
  if (place.isKey) return [];
  let ways: { way: Segment[]; chance: number; at: Json; key?: KeySlot }[] = [
    { way: [], chance: 1, at: result },
  ];
  for (const step of place.steps) {
    const { at } = ways[0] as { at: Json };
    if (typeof step === "string") {
      const inner = (at as Readonly<Record<string, Json>>)[step] as Json;
      if (isDataKey(step, inner)) return [];
      ways = ways.map((one) => ({ ...one, way: [...one.way, step], at: inner }));
      continue;
    }
    const list = at as readonly Json[];
    const rules = rulesFor(list, step);
    const inner = list[step] as Json;
    const found = keyedRules(list, step, keys);
    ways = ways.flatMap(({ way, chance, key }) => [
      ...rules.map((rule) => ({
        way: [...way, rule],
        chance: chance / list.length,
        at: inner,
        ...(key === undefined ? {} : { key }),
      })),
      // A rule has at most one key.
      ...(key === undefined ? found : []).map((rule) => ({
        way: [...way, { whose: rule.whose }],
        chance: chance / list.length,
        at: inner,
        key: rule.key,
      })),
    ]);
    if (ways.length === 0 || ways.length > 32) return [];
  }
  const tail: Segment[] = [
    ...(place.each === undefined ? [] : [{ each: place.each }]),
    ...(place.cut === undefined ? [] : [place.cut]),
  ];
  return ways.map(({ way, chance, key }) => ({
    way: [...way, ...tail],
    chance,
    ...(key === undefined ? {} : { key }),
  }));
}

const MOST_KEYED = 4;

/** Fields that distinguish this element from the others, if an argument has their value. */
function keyedRules(
  list: readonly Json[],
  index: number,
  keys: KeySlots,
): readonly { readonly whose: string; readonly key: KeySlot }[] {
  const item = list[index] as Json;
  if (list.length < 2 || list.length > MOST_LISTED || isScalar(item) || Array.isArray(item)) return [];
  const rules = Object.entries(item).flatMap(([whose, value]) => {
    if (!isScalar(value as Json) || isTrivial(value as Json)) return [];
    const same = list.filter(
      (one) => !isScalar(one) && (one as Readonly<Record<string, Json>>)[whose] === value,
    );
    return same.length > 1 ? [] : keys(whose, value as Json).map((key) => ({ whose, key }));
  });
  return rules.slice(0, MOST_KEYED);
}

const MOST_RULES = 12;

function rulesFor(list: readonly Json[], index: number): readonly Exclude<Segment, string>[] {
  const rules: Exclude<Segment, string>[] = [];
  if (index === 0) rules.push({ at: "first" });
  if (index === list.length - 1) rules.push({ at: "last" });
  const item = list[index] as Json;
  if (list.length < 2 || list.length > MOST_LISTED || isScalar(item) || Array.isArray(item)) return rules;
  for (const [key, value] of Object.entries(item)) {
    if (rules.length >= MOST_RULES) break;
    const column = list.map((one) =>
      isScalar(one) ? undefined : (one as Readonly<Record<string, Json>>)[key],
    );
    if (value === true && column.filter((one) => one === true).length === 1) rules.push({ where: key });
    if (typeof value !== "number" || !column.every((one) => typeof one === "number")) continue;
    const others = column.filter((_, i) => i !== index) as number[];
    if (others.every((one) => one < value)) rules.push({ most: key });
    if (others.every((one) => one > value)) rules.push({ least: key });
  }
  return rules;
}
