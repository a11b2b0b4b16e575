/**
 * Quick check whether a value fits a schema. Most schemas contain little more than types and names, and most values are
 * valid: then nothing has to be compiled, which takes a thousand times as long as this check.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";

/** Deeper schemas are left to the validator, and so are longer lists of names or values. */
const LEVELS_MOST = 20;
const LISTED_MOST = 1_000;

/** Keywords that do not restrict a value. */
const SILENT: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$id",
]);

/**
 * True: the validator will accept the value. False means unknown: the schema may have a keyword that is not supported
 * here. Schemas come from servers, so the time of the check depends on the value only.
 */
export function fitsPlainly(schema: unknown, value: unknown, levels = LEVELS_MOST): boolean {
  if (!isJsonObject(schema) || levels === 0) return false;
  for (const key in schema) {
    if (SILENT.has(key)) continue;
    if (!fitsKeyword(key, schema, value, levels)) return false;
  }
  return true;
}

function fitsKeyword(
  key: string,
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  levels: number,
): boolean {
  const rule = schema[key];
  switch (key) {
    case "type":
      return Array.isArray(rule) ? rule.some((one) => isOfType(one, value)) : isOfType(rule, value);
    case "enum":
      return isShort(rule) && !isParent(value) && rule.includes(value);
    case "const":
      return !isParent(value) && rule === value;
    case "properties":
      return isJsonObject(rule) && fitsProperties(rule, value, levels - 1);
    case "required":
      return isShort(rule) && hasAll(rule, value);
    case "additionalProperties":
      return rule === true || (rule === false && hasNoOther(schema.properties, value));
    case "items":
      return (
        Array.isArray(value) &&
        isJsonObject(rule) &&
        value.every((item) => fitsPlainly(rule, item, levels - 1))
      );
    default:
      return false;
  }
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    default:
      return false;
  }
}

function fitsProperties(
  properties: Readonly<Record<string, unknown>>,
  value: unknown,
  levels: number,
): boolean {
  if (!isJsonObject(value)) return false;
  for (const name in value)
    if (Object.hasOwn(properties, name) && !fitsPlainly(properties[name], value[name], levels)) return false;
  return true;
}

function hasAll(names: readonly unknown[], value: unknown): boolean {
  return (
    isJsonObject(value) &&
    names.every((name) => typeof name === "string" && Object.hasOwn(value, name) && value[name] !== undefined)
  );
}

function hasNoOther(properties: unknown, value: unknown): boolean {
  if (!isJsonObject(properties) || !isJsonObject(value)) return false;
  for (const name in value) if (!Object.hasOwn(properties, name)) return false;
  return true;
}

function isShort(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length <= LISTED_MOST;
}

function isParent(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
