/**
 * Shortens JSON Schemas to what an agent needs: the required fields, their types, and as many descriptions as there is
 * room for.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";

/** Keywords that do not describe the value. */
const DECORATION: ReadonlySet<string> = new Set(["$schema", "$id", "title", "examples", "$comment"]);
/** Keys below these are names of fields, and `title` may be one of them. */
const NAME_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const SHORT_TEXT_CHARS = 60;
const ENUM_VALUES_SHOWN = 8;
const CUT_NOTE = "Truncated.";

/** The schema without decoration; if that is longer than `chars` as JSON, only its top-level fields and their types. */
export function fitSchema(schema: Json, chars: number): Json {
  const whole = bare(schema, Number.POSITIVE_INFINITY, false);
  if (lengthOf(whole) <= chars) return whole;
  const short = bare(schema, SHORT_TEXT_CHARS, false);
  if (lengthOf(short) <= chars) return short;
  return outline(schema, chars);
}

function lengthOf(value: Json): number {
  return JSON.stringify(value).length;
}

function bare(value: Json, textChars: number, isNameMap: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => bare(item, textChars, false));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value as Readonly<Record<string, Json>>).flatMap(
    ([key, item]): [string, Json][] => {
      if (isNameMap) return [[key, bare(item, textChars, false)]];
      if (DECORATION.has(key) || (key === "additionalProperties" && item === false)) return [];
      if (key === "description" && typeof item === "string") return [[key, cutText(item, textChars)]];
      return [[key, bare(item, textChars, NAME_MAPS.has(key))]];
    },
  );
  return Object.fromEntries(entries);
}

export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  // Does not split a surrogate pair.
  return `${text.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The required fields first, as many as there is room for. */
function outline(schema: Json, chars: number): Json {
  if (!isJsonObject(schema)) return {};
  const properties = isJsonObject(schema.properties)
    ? (schema.properties as Readonly<Record<string, Json>>)
    : {};
  const required = Array.isArray(schema.required)
    ? schema.required.filter((one) => typeof one === "string")
    : [];
  const needed = new Set(required);
  const inOrder = Object.entries(properties).sort(
    ([a], [b]) => Number(needed.has(b)) - Number(needed.has(a)),
  );
  const kept: [string, Json][] = [];
  let left = chars - CUT_NOTE.length - 60;
  for (const [name, property] of inOrder) {
    const type = outlineType(property);
    left -= JSON.stringify(name).length * (needed.has(name) ? 2 : 1) + lengthOf(type) + 3;
    if (left < 0) break;
    kept.push([name, type]);
  }
  const shown = new Set(kept.map(([name]) => name));
  const shownRequired = required.filter((name) => shown.has(name));
  return {
    type: "object",
    properties: Object.fromEntries(kept),
    ...(shownRequired.length === 0 ? {} : { required: shownRequired }),
    $comment: CUT_NOTE,
  };
}

function outlineType(property: Json): Json {
  if (!isJsonObject(property)) return {};
  const { type, enum: values } = property as Readonly<Record<string, Json>>;
  const isShort =
    Array.isArray(values) && values.length <= ENUM_VALUES_SHOWN && lengthOf(values) <= SHORT_TEXT_CHARS;
  return {
    ...(typeof type === "string" || Array.isArray(type) ? { type } : {}),
    ...(isShort ? { enum: values } : {}),
  };
}
