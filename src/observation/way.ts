/**
 * A path from a result to a value in it that code can follow in every session: keys, and rules that select an element.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isScalar, textOf } from "./value-strength.js";

export type Segment =
  | string
  /** An element of a list. */
  | { readonly at: "first" | "last" }
  | { readonly most: string }
  | { readonly least: string }
  /** The only element whose field is true. */
  | { readonly where: string }
  /** The only element whose field equals the key value. */
  | { readonly whose: string }
  /** A field of each element of a list. */
  | { readonly each: readonly string[] }
  /** One field of a joined text. */
  | { readonly cut: string; readonly field: number }
  | { readonly as: "text" | "number" | "list" };

export type Way = readonly Segment[];

/** A path of keys only, which chooses no element of a list. */
export function isPlain(way: Way): boolean {
  return way.every((segment) => typeof segment === "string");
}

/**
 * The value at the end of the path; undefined if the path does not exist.
 *
 * @param key the value that selects an element.
 */
export function follow(from: Json, way: Way, key?: Json): Json | undefined {
  let value: Json | undefined = from;
  for (const segment of way) {
    if (value === undefined) return undefined;
    value = typeof segment === "string" ? fieldOf(value, segment) : ruled(value, segment, key);
  }
  return value;
}

function ruled(value: Json, segment: Exclude<Segment, string>, key: Json | undefined): Json | undefined {
  if ("as" in segment) return converted(value, segment.as);
  if ("cut" in segment)
    return typeof value === "string" ? value.split(segment.cut)[segment.field]?.trim() : undefined;
  if (!Array.isArray(value)) return undefined;
  const list = value as readonly Json[];
  if ("at" in segment) return segment.at === "first" ? list[0] : list.at(-1);
  if ("each" in segment) {
    const all = list.map((item) => follow(item, segment.each));
    return all.some((one) => one === undefined) ? undefined : (all as readonly Json[]);
  }
  if ("whose" in segment)
    return key === undefined ? undefined : list.find((item) => fieldOf(item, segment.whose) === key);
  if ("where" in segment) return list.find((item) => fieldOf(item, segment.where) === true);
  return extreme(list, segment);
}

function extreme(
  list: readonly Json[],
  by: { readonly most: string } | { readonly least: string },
): Json | undefined {
  const [key, sign] = "most" in by ? [by.most, 1] : [by.least, -1];
  let best: Json | undefined;
  let bestNumber = Number.NEGATIVE_INFINITY;
  for (const item of list) {
    const number = fieldOf(item, key);
    if (typeof number !== "number") return undefined;
    if (sign * number > bestNumber) [best, bestNumber] = [item, sign * number];
  }
  return best;
}

function converted(value: Json, as: "text" | "number" | "list"): Json | undefined {
  if (as === "list") return [value];
  if (!isScalar(value) || value === null) return undefined;
  if (as === "text") return String(value);
  const number = Number(textOf(value));
  return Number.isFinite(number) ? number : undefined;
}

function fieldOf(value: Json, key: string): Json | undefined {
  if (isScalar(value) || Array.isArray(value) || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, Json>>)[key];
}

/** The path as code, after `base`; `key` is the code of the value that selects an element. */
export function wayCode(base: string, way: Way, key = ""): string {
  return way.reduce<string>((code, segment) => segmentCode(code, segment, key), base);
}

function segmentCode(base: string, segment: Segment, key: string): string {
  if (typeof segment === "string") return `${base}${keyCode(segment)}`;
  if ("at" in segment) return segment.at === "first" ? `${base}[0]` : `${base}.at(-1)`;
  if ("each" in segment)
    return segment.each.length === 0 ? base : `${base}.map((item) => ${wayCode("item", segment.each)})`;
  if ("whose" in segment) return `${base}.find((item) => item${keyCode(segment.whose)} === ${key})`;
  if ("where" in segment) return `${base}.find((item) => item${keyCode(segment.where)} === true)`;
  if ("cut" in segment) return `${base}.split(${JSON.stringify(segment.cut)})[${segment.field}].trim()`;
  if ("as" in segment)
    return segment.as === "list" ? `[${base}]` : `${segment.as === "text" ? "String" : "Number"}(${base})`;
  const [by, than] = "most" in segment ? [segment.most, ">"] : [segment.least, "<"];
  const field = keyCode(by);
  return `${base}.reduce((best, item) => (item${field} ${than} best${field} ? item : best))`;
}

export function keyCode(key: string): string {
  return isWord(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

export function isWord(key: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(key);
}

/** The last name on the path, which describes the value. */
export function lastName(way: Way): string | undefined {
  for (const segment of [...way].reverse()) {
    if (typeof segment === "string") return segment;
    const inner = "each" in segment ? segment.each.at(-1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
