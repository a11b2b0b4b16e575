/**
 * The JSON types that a schema allows at a path in its values.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { referenced } from "../../base/schema-reference.js";

/** The steps from a value to a part of it; `undefined` is an unknown item or field. */
export type JsonPath = readonly (string | undefined)[];

/** How deep references and alternatives are followed. */
const DEPTH = 16;
/** How many schemas are visited for one path. */
const SCHEMAS = 200;

type Schema = Readonly<Record<string, unknown>>;

/** `undefined` if the schema does not say; integers count as numbers. */
export function typesAt(schema: Json | undefined, path: JsonPath): ReadonlySet<string> | undefined {
  const budget = { left: SCHEMAS };
  let at: readonly unknown[] = [schema];
  for (const [index, key] of path.entries()) {
    const alternatives = at.flatMap((each) => alternativesOf(each, schema, budget));
    const isLength = key === "length" && index === path.length - 1;
    if (isLength && alternatives.every((each) => hasLength(each))) return new Set(["number"]);
    at = alternatives.map((each) => partOf(each, key));
  }
  const types = new Set<string>();
  for (const each of at.flatMap((one) => alternativesOf(one, schema, budget))) {
    const own = ownTypes(each);
    if (own === undefined) return undefined;
    for (const type of own) types.add(type);
  }
  return types;
}

/** Whether a schema names a field of its values at that path. */
export function hasField(schema: Json | undefined, path: JsonPath, key: string): boolean {
  const budget = { left: SCHEMAS };
  let at: readonly unknown[] = alternativesOf(schema, schema, budget);
  for (const step of path) at = at.flatMap((each) => alternativesOf(partOf(each, step), schema, budget));
  return at.some(
    (each) => isJsonObject(each) && isJsonObject(each.properties) && Object.hasOwn(each.properties, key),
  );
}

/** The fields of the items, if the schema's values are lists. */
export function fieldNames(schema: Json | undefined): readonly string[] {
  const names = alternativesOf(schema, schema, { left: SCHEMAS }).flatMap((each) =>
    isJsonObject(each) && isJsonObject(each.properties) ? Object.keys(each.properties) : [],
  );
  return [...new Set(names)];
}

/** The fields that a schema requires in its values. */
export function requiredNames(schema: Json | undefined): readonly string[] {
  const root = resolveRef(schema, schema);
  const required = isJsonObject(root) ? root.required : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Unknown types are compatible with any. */
export function typesAgree(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): boolean {
  if (one === undefined || other === undefined) return true;
  return [...one].some((type) => other.has(type));
}

/** The alternatives of a schema, without `$ref`, `anyOf` and `oneOf` at its top level. */
function alternativesOf(
  schema: unknown,
  root: Json | undefined,
  budget: { left: number },
  depth = 0,
): readonly unknown[] {
  budget.left -= 1;
  if (budget.left < 0 || depth > DEPTH) return [undefined];
  const at = resolveRef(schema, root);
  if (!isJsonObject(at)) return [at];
  const { anyOf, oneOf, allOf, ...rest } = at;
  const several = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(several) && several.length > 0 && rest.type === undefined)
    return several.flatMap((each: unknown) => alternativesOf(withRest(each, rest), root, budget, depth + 1));
  if (!Array.isArray(allOf)) return [at];
  const merged = allOf.reduce<Schema>(
    (sum, each: unknown) => withRest(resolveRef(each, root), sum) as Schema,
    rest,
  );
  return Array.isArray(merged.anyOf) || Array.isArray(merged.oneOf)
    ? alternativesOf(merged, root, budget, depth + 1)
    : [merged];
}

/** Combines an alternative of a schema with the keywords beside the alternatives. */
function withRest(schema: unknown, rest: Schema): unknown {
  if (!isJsonObject(schema)) return Object.keys(rest).length === 0 ? schema : rest;
  const properties =
    isJsonObject(schema.properties) && isJsonObject(rest.properties)
      ? { properties: { ...rest.properties, ...schema.properties } }
      : {};
  return { ...rest, ...schema, ...properties };
}

/** Resolves a schema's local `$ref`; anything else is returned unchanged. */
function resolveRef(schema: unknown, root: Json | undefined): unknown {
  let at = schema;
  for (let steps = 0; isJsonObject(at) && typeof at.$ref === "string"; steps += 1)
    at = steps > DEPTH ? undefined : referenced(at.$ref, root);
  return at;
}

function partOf(schema: unknown, key: string | undefined): unknown {
  if (!isJsonObject(schema)) return undefined;
  const { properties, items, prefixItems, additionalProperties } = schema;
  if (key !== undefined && isJsonObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  const isIndex = key === undefined || /^\d+$/.test(key);
  if (isIndex && key !== undefined && Array.isArray(prefixItems) && Number(key) < prefixItems.length)
    return prefixItems[Number(key)];
  if (isIndex && isJsonObject(items) && !Array.isArray(prefixItems)) return items;
  return isJsonObject(additionalProperties) && !isJsonObject(properties) ? additionalProperties : undefined;
}

function hasLength(schema: unknown): boolean {
  const types = ownTypes(schema);
  return types !== undefined && [...types].every((type) => type === "array" || type === "string");
}

function ownTypes(schema: unknown): ReadonlySet<string> | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, enum: values } = schema;
  if (typeof type === "string") return new Set([plain(type)]);
  if (Array.isArray(type)) return new Set(type.map((each) => plain(String(each))));
  if ("const" in schema) return new Set([typeOf(schema.const)]);
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (isJsonObject(schema.properties)) return new Set(["object"]);
  return undefined;
}

function plain(type: string): string {
  return type === "integer" ? "number" : type;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
