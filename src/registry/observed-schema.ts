/**
 * The shape of a tool's results, learnt from the results so far: for tools that declare no output schema.
 *
 * Results may contain secrets. So only types of values are kept, and no keys that look like data: an object with one
 * such key, or with very many keys, becomes a map from any key to the common shape of its values.
 *
 * Merging is commutative and idempotent, and only widens the shape, so that every result seen so far fits it. A shape
 * that grows too large loses its inner levels. Only that step depends on the order, and then the shape says less.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { isJsonObject } from "../base/json-object.js";

/** JSON Schema with only these keywords; `{}` is anything. */
type Shape = {
  readonly type?: string | readonly string[];
  /** Absent while only empty lists were seen. */
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  /** Keys that every observed object had. */
  readonly required?: readonly string[];
  /** The shape of every value, if keys are data; then there are no `properties`. */
  readonly additionalProperties?: Shape;
};

export type ObservedSchema = Shape & { readonly "x-pml-observed": true };

const FIRST_RESULTS = 20;
const EVERY_RESULTS = 50;

/** A longer result is not examined. */
export const OBSERVED_TEXT_CHARS = 262_144;

/** Whether the result with this number is examined: the first ones are, then one of many. */
export function isSampled(results: number): boolean {
  return results <= FIRST_RESULTS || results % EVERY_RESULTS === 0;
}

/** Levels of objects and lists; deeper values count as anything. */
const LEVELS = 6;
const PROPERTIES = 60;
/** Examined elements of a list, and values of a map. */
const ELEMENTS = 50;
/** Examined values of one result, in total. */
const VALUES = 2_000;
const KEY_CHARS = 40;
const SCHEMA_CHARS = 8_000;

const ANYTHING: Shape = {};

/** The shape of one result. */
export function observe(value: Json): ObservedSchema {
  return marked(shapeOf(value, LEVELS, { left: VALUES }));
}

/** The common shape of two results. */
export function merge(one: ObservedSchema, other: ObservedSchema): ObservedSchema {
  return marked(mergeShapes(one, other));
}

/** Whether this is a schema that PML has learnt. */
export function isObserved(schema: unknown): schema is ObservedSchema {
  return isJsonObject(schema) && schema["x-pml-observed"] === true;
}

/** Shapes with the same meaning become the same text, so that texts can be compared. */
function marked(shape: Shape): ObservedSchema {
  let fitting = markedOnce(shape);
  for (let levels = LEVELS - 1; levels >= 0 && JSON.stringify(fitting).length > SCHEMA_CHARS; levels -= 1)
    fitting = markedOnce(withoutBelow(shape, levels));
  return fitting;
}

function markedOnce(shape: Shape): ObservedSchema {
  const { "x-pml-observed": _, ...rest } = shape as Partial<ObservedSchema>;
  return { "x-pml-observed": true, ...rest };
}

interface Budget {
  left: number;
}

function shapeOf(value: Json, levels: number, budget: Budget): Shape {
  budget.left -= 1;
  if (budget.left < 0) return ANYTHING;
  if (value === null) return { type: "null" };
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number" };
  if (typeof value !== "object") return { type: typeof value };
  if (Array.isArray(value)) return levels === 0 ? listOf(ANYTHING) : listShape(value, levels - 1, budget);
  return levels === 0
    ? mapOf(ANYTHING)
    : objectShape(value as Readonly<Record<string, Json>>, levels - 1, budget);
}

function listShape(list: readonly Json[], levels: number, budget: Budget): Shape {
  return listOf(commonShape(list, levels, budget));
}

function objectShape(object: Readonly<Record<string, Json>>, levels: number, budget: Budget): Shape {
  const keys = Object.keys(object);
  if (keys.length > PROPERTIES || keys.some(isData))
    return mapOf(
      commonShape(
        keys.slice(0, ELEMENTS).map((key) => object[key] as Json),
        levels,
        budget,
      ) ?? ANYTHING,
    );
  return named(
    keys.map((key) => [key, shapeOf(object[key] as Json, levels, budget)]),
    keys,
  );
}

/** The common shape of the first few values, as far as the budget allows. */
function commonShape(values: readonly Json[], levels: number, budget: Budget): Shape | undefined {
  let common: Shape | undefined;
  for (const value of values.slice(0, ELEMENTS)) {
    if (budget.left <= 0) break;
    const shape = shapeOf(value, levels, budget);
    common = common === undefined ? shape : mergeShapes(common, shape);
  }
  return common;
}

/**
 * Whether a key looks like a value: an address, an id, a number, a file, a sentence. Names of fields begin with a
 * letter, and contain few digits, no dots and no blanks.
 */
function isData(key: string): boolean {
  return (
    key.length > KEY_CHARS ||
    !/^[$@_]{0,2}\p{L}[\p{L}\p{N}_$:-]*$/u.test(key) ||
    (key.match(/\p{N}/gu)?.length ?? 0) > 3 ||
    /[-:]\p{N}+$/u.test(key) ||
    /^[0-9a-f]{2,}(-[0-9a-f]+){2,}$/i.test(key)
  );
}

function listOf(items: Shape | undefined): Shape {
  return items === undefined ? { type: "array" } : { type: "array", items };
}

function mapOf(values: Shape): Shape {
  return { type: "object", additionalProperties: values };
}

function named(properties: readonly (readonly [string, Shape])[], required: readonly string[]): Shape {
  return {
    type: "object",
    properties: Object.fromEntries(properties.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    required: required.toSorted((a, b) => (a < b ? -1 : 1)),
  };
}

function mergeShapes(one: Shape, other: Shape): Shape {
  if (one.type === undefined || other.type === undefined) return ANYTHING;
  const types = mergeTypes(typesOf(one), typesOf(other));
  const [only, ...more] = types;
  const items = mergeOptional(one.items, other.items);
  return {
    ...(only !== undefined && more.length === 0 ? { type: only } : { type: types }),
    ...(items === undefined ? {} : { items }),
    ...mergeFields(one, other),
  };
}

function mergeOptional(one: Shape | undefined, other: Shape | undefined): Shape | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return mergeShapes(one, other);
}

function typesOf({ type = [] }: Shape): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

function mergeTypes(one: readonly string[], other: readonly string[]): readonly string[] {
  const types = new Set([...one, ...other]);
  if (types.has("number")) types.delete("integer");
  return [...types].sort((a, b) => (a < b ? -1 : 1));
}

/** Merges the fields of two objects; empty if neither shape is an object. */
function mergeFields(one: Shape, other: Shape): Shape {
  if (!typesOf(one).includes("object")) return fieldsOf(other);
  if (!typesOf(other).includes("object")) return fieldsOf(one);
  const { properties: left, additionalProperties: leftValues } = one;
  const { properties: right, additionalProperties: rightValues } = other;
  if (left === undefined || right === undefined || leftValues !== undefined || rightValues !== undefined)
    return valuesOf([...Object.values(left ?? {}), ...Object.values(right ?? {})], leftValues, rightValues);
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (keys.length > PROPERTIES) return valuesOf([...Object.values(left), ...Object.values(right)]);
  const { type: _, ...fields } = named(
    keys.map((key) => [key, mergeOptional(own(left, key), own(right, key)) ?? ANYTHING]),
    (one.required ?? []).filter((key) => other.required?.includes(key)),
  );
  return fields;
}

function own(properties: Readonly<Record<string, Shape>>, key: string): Shape | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function fieldsOf({ properties, required, additionalProperties }: Shape): Shape {
  return defined({ properties, required, additionalProperties });
}

function valuesOf(shapes: readonly Shape[], ...maps: readonly (Shape | undefined)[]): Shape {
  const all = [...shapes, ...maps].reduce((merged, shape) => mergeOptional(merged, shape), undefined);
  return { additionalProperties: all ?? ANYTHING };
}

/** The shape with everything below this many levels replaced by anything. */
function withoutBelow(shape: Shape, levels: number): Shape {
  const { items, properties, required, additionalProperties, ...rest } = shape;
  const inner = (one: Shape) => (levels === 0 ? ANYTHING : withoutBelow(one, levels - 1));
  return {
    ...rest,
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(properties === undefined || levels === 0
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, inner(one)])),
        }),
    ...(required === undefined || levels === 0 ? {} : { required }),
    ...(additionalProperties === undefined && (properties === undefined || levels > 0)
      ? {}
      : {
          additionalProperties: additionalProperties === undefined ? ANYTHING : inner(additionalProperties),
        }),
  };
}
