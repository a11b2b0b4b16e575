/**
 * JSON Schemas of values in code: their parts, and the common schema of several.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { partOf, type Schema } from "../parameters/parameter-types.js";

export interface KnownResult {
  /** Empty if nothing is known. */
  readonly schema: Schema;
  /** The schema that its references are relative to. */
  readonly root: Json;
  /** An object literal whose fields are all known. */
  readonly isComplete?: boolean;
}

export const UNKNOWN: KnownResult = { schema: {}, root: {} };

export function known(schema: Schema, root: Json = {}): KnownResult {
  return { schema, root };
}

export function ofType(type: string): KnownResult {
  return known({ type });
}

/** `undefined` is not JSON. */
export function ofValue(value: Json | undefined): KnownResult {
  if (value === undefined) return UNKNOWN;
  return ofType(value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

export function isType({ schema: { type } }: KnownResult, wanted: string): boolean {
  return type === wanted || (wanted === "number" && type === "integer");
}

export function listOf(items: KnownResult): KnownResult {
  const schema = small(items);
  return known({ type: "array", ...(Object.keys(schema).length === 0 ? {} : { items: schema }) });
}

export function objectOf(fields: Iterable<readonly [string, Schema]>): KnownResult {
  return known({ type: "object", properties: Object.fromEntries(fields) });
}

/** A field, or an item if the key is a number. */
export function part({ schema, root }: KnownResult, key: string | undefined): KnownResult {
  const found = key === undefined ? undefined : partOf(schema, key, root);
  const item = found === undefined && /^\d+$/.test(key ?? "") ? partOf(schema, undefined, root) : found;
  return item === undefined ? UNKNOWN : known(item, root);
}

/** The named fields of an object, each as a separate schema. */
export function fieldsOf(object: KnownResult): readonly (readonly [string, Schema])[] {
  const { properties } = object.schema;
  const keys = isJsonObject(properties) ? Object.keys(properties) : [];
  return keys.map((key) => [key, small(part(object, key))]);
}

/** Only the type. */
export function kindOf({ schema: { type, properties } }: KnownResult): KnownResult {
  if (type !== undefined) return known({ type });
  return properties === undefined ? UNKNOWN : ofType("object");
}

/** A form that can be part of another schema: without references, and not too long. */
export function small(result: KnownResult): Schema {
  if (isSmall(result.schema)) return result.schema;
  if (!isType(result, "object")) return kindOf(result).schema;
  const { properties } = result.schema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const { schema } = objectOf(names.map((name) => [name, kindOf(part(result, name)).schema]));
  return isSmall(schema) ? schema : { type: "object" };
}

function isSmall(schema: Schema): boolean {
  const text = JSON.stringify(schema);
  return text.length <= LIMITS.parameterSchemaChars && !text.includes('"$ref"');
}

/** What both have in common. */
export function agreed(one: KnownResult, other: KnownResult): KnownResult {
  if (one === UNKNOWN || other === UNKNOWN) return UNKNOWN;
  if (one.root === other.root && canonicalJson(one.schema) === canonicalJson(other.schema)) return one;
  if (isType(one, "object") && isType(other, "object")) {
    const fields = new Map(fieldsOf(other));
    return objectOf(
      fieldsOf(one).flatMap(([key, schema]) => {
        const same = fields.get(key);
        return same === undefined ? [] : [[key, agreed(known(schema), known(same)).schema] as const];
      }),
    );
  }
  if (isType(one, "array") && isType(other, "array")) return listOf(agreed(items(one), items(other)));
  if (isType(one, "number") && isType(other, "number")) return ofType("number");
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  return canonicalJson(kind.schema) === canonicalJson(otherKind.schema) ? kind : UNKNOWN;
}

function items({ schema, root }: KnownResult): KnownResult {
  const found = partOf(schema, undefined, root);
  return found === undefined ? UNKNOWN : known(found, root);
}
