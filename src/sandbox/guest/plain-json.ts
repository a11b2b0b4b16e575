/**
 * Checks in one fast pass whether a value is plain data, which every JSON writer writes in the same way.
 *
 * @module
 */
import { JSON_LEVELS_MOST, TEXT_BYTES_MOST } from "../protocol/frames.js";
import { getPrototypeOf, hasOwn, isArray, isFiniteNumber, ObjectPrototype } from "./primordials.js";

const ArrayPrototype: object = Array.prototype;

/**
 * Whether `value` contains only text, finite numbers, booleans, null, lists and plain objects, without deep nesting or
 * cycles; also false if its JSON certainly exceeds `chars` characters.
 */
export function isPlain(value: unknown, chars: number = TEXT_BYTES_MOST): boolean {
  const budget = { chars };
  return isPlainPart(value, 0, budget);
}

function isPlainPart(value: unknown, depth: number, budget: { chars: number }): boolean {
  // With its separators, each part takes at least two characters.
  budget.chars -= 2;
  switch (typeof value) {
    case "string":
      budget.chars -= value.length;
      return budget.chars >= 0;
    case "boolean":
      return true;
    case "number":
      return isFiniteNumber(value);
    case "object":
      if (value === null) return true;
      if (depth >= JSON_LEVELS_MOST || budget.chars < 0) return false;
      // A value with its own `toJSON` is not plain data.
      if ((value as { readonly toJSON?: unknown }).toJSON !== undefined) return false;
      return isArray(value)
        ? isPlainList(value, depth, budget)
        : isPlainRecord(value as Record<string, unknown>, depth, budget);
    default:
      return false;
  }
}

function isPlainList(list: readonly unknown[], depth: number, budget: { chars: number }): boolean {
  if (list.length > budget.chars || getPrototypeOf(list) !== ArrayPrototype) return false;
  for (let index = 0; index < list.length; index += 1) {
    if (!isPlainPart(list[index], depth + 1, budget)) return false;
  }
  return true;
}

function isPlainRecord(record: Record<string, unknown>, depth: number, budget: { chars: number }): boolean {
  const prototype: unknown = getPrototypeOf(record);
  if (prototype !== ObjectPrototype && prototype !== null) return false;
  for (const name in record) {
    if (!hasOwn(record, name) || !isPlainPart(record[name], depth + 1, budget)) return false;
  }
  return true;
}
