/**
 * What of a result has changed so that code which reads it may break: fields that are gone, values of another type.
 *
 * @module
 */
import { fieldNames, requiredNames, typesAt } from "../analysis/data/json-types.js";
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { isObserved } from "../registry/observed-schema.js";

const LEVELS = 4;
const SHOWN = 5;

/** In words, such as `"port" is gone`; empty where nothing has, or nothing is known. What was added breaks nobody. */
export function shapeChanges(before: Json | undefined, after: Json | undefined): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const found = changesAt(before, after, []);
  return found.length <= SHOWN ? found : [...found.slice(0, SHOWN), `${found.length - SHOWN} more`];
}

function changesAt(before: Json, after: Json, path: readonly string[]): readonly string[] {
  const [old, now] = [typesAt(before, path), typesAt(after, path)];
  if (old === undefined || now === undefined) return [];
  const other = [...now].filter((type) => !old.has(type));
  if (other.length > 0) return [`${nameOf(path)} was ${listed(old)} and is ${listed(now)}`];
  if (!old.has("object") || !now.has("object") || path.length >= LEVELS) return [];
  const [was, is] = [partAt(before, path), partAt(after, path)];
  const there = new Set(fieldNames(is));
  // What only may be there is missed by nobody.
  const fields = isObserved(before) ? requiredNames(was) : fieldNames(was);
  const isWhole = isObserved(after) ? !isMap(is) : isJsonObject(is) && is.additionalProperties === false;
  return fields.flatMap((field) => {
    if (there.has(field)) return changesAt(before, after, [...path, field]);
    return isWhole ? [`${nameOf([...path, field])} is missing`] : [];
  });
}

function partAt(schema: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = schema;
  for (const key of path) {
    const properties: Json | undefined = isJsonObject(at) ? at.properties : undefined;
    at = isJsonObject(properties) ? properties[key] : undefined;
  }
  return at;
}

/** Its keys are data. */
function isMap(schema: Json | undefined): boolean {
  return isJsonObject(schema) && schema.additionalProperties !== undefined;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? "the result" : JSON.stringify(path.join("."));
}

function listed(types: ReadonlySet<string>): string {
  return [...types].join(" or ");
}
