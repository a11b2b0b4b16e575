/**
 * The leaves of an object's JSON Schema: the fields of arguments or of a result.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";

export interface Leaf {
  readonly path: readonly string[];
  /** Sorted, as one text: `number`, `null|string`, `array<string>`; empty if the schema gives no type. */
  readonly type: string;
  readonly description: string;
  readonly values: readonly Json[] | undefined;
  readonly required: boolean;
  readonly fallback: Json | undefined;
  /** All other keywords: bounds, formats. */
  readonly others: string;
  /** For a list: the schema of its items, with descriptions. */
  readonly inner: string;
}

export interface SchemaShape {
  /** By path, `place.city`. */
  readonly leaves: ReadonlyMap<string, Leaf>;
  /** Objects on the way to leaves. */
  readonly objects: ReadonlySet<string>;
  /** Contains parts that are not analysed, such as `oneOf` or references. */
  readonly isOpaque: boolean;
}

const LEVELS = 6;
const LEAVES = 500;
const OPAQUE = ["oneOf", "anyOf", "allOf", "$ref", "not", "if", "patternProperties"];
const SAID = new Set(["type", "description", "enum", "const", "default", "title", "examples"]);

export function shapeOf(schema: Json | undefined): SchemaShape {
  const leaves = new Map<string, Leaf>();
  const objects = new Set<string>();
  let isOpaque = schema === undefined || !isJsonObject(schema);
  const walk = (node: Readonly<Record<string, Json>>, path: readonly string[], isRequired: boolean): void => {
    if (OPAQUE.some((key) => key in node)) isOpaque = true;
    const properties = isJsonObject(node.properties)
      ? (node.properties as Readonly<Record<string, Json>>)
      : {};
    const required = Array.isArray(node.required) ? (node.required as readonly Json[]) : [];
    for (const [key, part] of Object.entries(properties)) {
      if (leaves.size >= LEAVES || key.includes(".")) {
        isOpaque = true;
        continue;
      }
      const inner = isJsonObject(part) ? (part as Readonly<Record<string, Json>>) : {};
      const at = [...path, key];
      const isHere = isRequired && required.includes(key);
      const hasParts = isJsonObject(inner.properties) && Object.keys(inner.properties).length > 0;
      if (hasParts && at.length < LEVELS && (inner.type === undefined || inner.type === "object")) {
        objects.add(at.join("."));
        walk(inner, at, isHere);
      } else leaves.set(at.join("."), leafOf(inner, at, isHere));
    }
  };
  if (isJsonObject(schema)) walk(schema as Readonly<Record<string, Json>>, [], true);
  return { leaves, objects, isOpaque };
}

function leafOf(schema: Readonly<Record<string, Json>>, path: readonly string[], required: boolean): Leaf {
  const { type, items, description, default: fallback, const: only } = schema;
  const values = Array.isArray(schema.enum)
    ? (schema.enum as readonly Json[])
    : only === undefined
      ? undefined
      : [only];
  const others = Object.entries(schema).filter(([key]) => !SAID.has(key) && key !== "items");
  const types = Array.isArray(type)
    ? [...type]
        .map(String)
        .sort((a, b) => (a < b ? -1 : 1))
        .join("|")
    : typeof type === "string"
      ? type
      : "";
  return {
    path,
    type:
      types === "array" ? `array<${items === undefined ? "" : canonicalJson(withoutTexts(items))}>` : types,
    description: typeof description === "string" ? description : "",
    values,
    required,
    fallback: fallback ?? (values?.length === 1 ? values[0] : undefined),
    others: canonicalJson(withoutTexts(Object.fromEntries(others))),
    inner: types === "array" && items !== undefined ? canonicalJson(items) : "",
  };
}

/** Without descriptions: a leaf counts as unchanged if only these change inside it. */
function withoutTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "description" && key !== "title" && key !== "examples")
      .map(([key, item]) => [key, withoutTexts(item as Json)]),
  );
}

/** The words of `recipientAddress` or `recipient-address`. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
