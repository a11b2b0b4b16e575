/**
 * Whether a value can fit a JSON Schema, as far as both are known. Unknown parts of a value count as fitting, and a
 * schema that PML does not understand allows everything.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { referenced } from "../../base/schema-reference.js";
import { typeText } from "../../registry/type-signature.js";
import type { Node } from "../syntax/ast.js";
import {
  type KnownList,
  type KnownObject,
  type KnownValue,
  movedTo,
  scalar,
} from "../syntax/known-values.js";

/** Something that the schema forbids. */
export interface Misfit {
  readonly at: Node;
  /** `mark`: a constant that distinguishes one of several forms, such as `type: "file"`. */
  readonly kind: "missing" | "field" | "type" | "mark" | "value";
  /** The path of the field, as people write it; empty for the whole value. */
  readonly path: string;
  /** The message, such as `must be a string, found the number 3`. It is built only when it is shown. */
  readonly text: () => string;
  /** For a wrong field name: that name, and the names of the existing fields. */
  readonly spelling?: { readonly name: string; readonly known: () => readonly string[] };
}

export interface FitOptions {
  /** Defaults are filled in before the check for missing fields. */
  readonly hasDefaults: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** How deep values and schemas are compared, and how many comparisons one piece of code may take. */
const LEVELS = 40;
const STEPS = 50_000;
const NAMES_SHOWN = 8;
const BRANCHES_SHOWN = 3;
const VALUE_CHARS = 40;
const TYPE_CHARS = 120;

export class SchemaFit {
  #left = STEPS;
  #root: unknown;
  #hasDefaults = false;

  /** Everything that the schema forbids in a value. */
  misfits(value: KnownValue, schema: unknown, { hasDefaults }: FitOptions): readonly Misfit[] {
    this.#root = schema;
    this.#hasDefaults = hasDefaults;
    return this.#fit(value, schema, "", LEVELS);
  }

  #fit(value: KnownValue, schema: unknown, path: string, levels: number): readonly Misfit[] {
    this.#left -= 1;
    if (this.#left < 0 || levels < 0 || value.kind === "unknown" || value.kind === "undefined") return [];
    if (schema === false) return [{ at: value.at, kind: "type", path, text: () => "is not allowed" }];
    if (!isJsonObject(schema)) return [];
    if (schema.nullable === true && value.kind === "scalar" && value.value === null) return [];
    const own = typeMisfits(value, schema, path);
    if (own.length > 0) return own;
    return [
      ...this.#valueMisfits(value, schema, path),
      ...(value.kind === "object" ? this.#objectMisfits(value, schema, path, levels) : []),
      ...(value.kind === "list" ? this.#listMisfits(value, schema, path, levels) : []),
      ...(schema.$ref === undefined
        ? []
        : this.#fit(value, referenced(schema.$ref, this.#root), path, levels - 1)),
      ...listOf(schema.allOf).flatMap((each) => this.#fit(value, each, path, levels - 1)),
      ...this.#branchMisfits(value, schema.anyOf, schema, path, levels),
      ...this.#branchMisfits(value, schema.oneOf, schema, path, levels),
    ];
  }

  /** Only if no branch fits. */
  #branchMisfits(
    value: KnownValue,
    branches: unknown,
    schema: Schema,
    path: string,
    levels: number,
  ): readonly Misfit[] {
    const found: (readonly Misfit[])[] = [];
    for (const branch of listOf(branches)) {
      const misfits = this.#fit(value, branch, path, levels - 1);
      if (misfits.length === 0) return [];
      found.push(misfits);
    }
    const [first] = found;
    if (first === undefined || found.length === 1) return first ?? [];
    // If the type or the mark shows which branch is meant, the problems of that branch are more useful.
    let likely: readonly (readonly Misfit[])[] = found;
    for (const isMeant of [
      ({ kind, path: where }: Misfit) => kind !== "type" || where !== path,
      ({ kind }: Misfit) => kind !== "mark",
      ({ kind }: Misfit) => kind === "missing" || kind === "field",
    ]) {
      const meant = likely.filter((misfits) => misfits.every(isMeant));
      if (meant.length === 1) return meant[0] ?? [];
      if (meant.length > 0) likely = meant;
    }
    const firsts = likely.flatMap(([misfit]) => misfit ?? []);
    if (firsts.every(({ kind, path: where }) => kind === "missing" && where === path)) {
      const text = (): string =>
        [...new Set(firsts.slice(0, BRANCHES_SHOWN).map((each) => each.text()))].join(", or ");
      return [{ at: value.at, kind: "missing", path, text }];
    }
    return [{ at: value.at, kind: "type", path, text: () => mustBe(this.#typeText(schema), value) }];
  }

  #typeText(schema: unknown): string {
    const root = isJsonObject(this.#root) ? this.#root : {};
    // References are relative to the whole schema.
    const whole = isJsonObject(schema) ? { ...definitions(root), ...schema } : schema;
    return typeText(whole, { budget: TYPE_CHARS });
  }

  #valueMisfits(value: KnownValue, schema: Schema, path: string): readonly Misfit[] {
    const say = (text: () => string, more: Partial<Misfit> = {}): readonly Misfit[] => [
      { at: value.at, kind: "value", path, text, ...more },
    ];
    const { json } = value;
    if (json !== undefined && Object.hasOwn(schema, "const") && !isSame(json, schema.const))
      return say(() => mustBe(shown(schema.const), value), { kind: "mark" });
    if (json !== undefined && Array.isArray(schema.enum)) {
      const values: readonly unknown[] = schema.enum;
      this.#left -= values.length / 10;
      if (!values.some((each) => isSame(json, each))) {
        const spelling = { name: String(json), known: () => values.filter(isString) };
        return say(() => mustBe(oneOf(values), value), typeof json === "string" ? { spelling } : {});
      }
    }
    const bound = boundText(value, schema);
    return bound === undefined ? [] : say(() => `must ${bound}, found ${describe(value)}`);
  }

  #objectMisfits(
    { fields, isComplete, at, partsAt }: KnownObject,
    schema: Schema,
    path: string,
    levels: number,
  ): readonly Misfit[] {
    const { properties, additionalProperties: others } = schema;
    if (properties !== undefined && !isJsonObject(properties)) return [];
    const known: Schema = properties ?? {};
    const misfits: Misfit[] = [];
    const isClosed = others === false && schema.patternProperties === undefined;
    for (const [key, field] of fields) {
      if (field.value.kind === "undefined") continue;
      const inner = path === "" ? key : `${path}.${key}`;
      const value = movedTo(field.value, partsAt);
      if (Object.hasOwn(known, key)) misfits.push(...this.#fit(value, known[key], inner, levels - 1));
      else if (isClosed)
        misfits.push({
          at: partsAt ?? field.at,
          kind: "field",
          path,
          text: () => `has no ${path === "" ? "argument" : "field"} ${shown(key)}`,
          spelling: { name: key, known: () => Object.keys(known).filter((name) => !fields.has(name)) },
        });
      else if (schema.patternProperties === undefined)
        misfits.push(...this.#fit(value, others, inner, levels - 1));
    }
    const required = listOf(schema.required);
    this.#left -= required.length / 10;
    for (const name of new Set(required)) {
      if (!isString(name)) continue;
      const field = fields.get(name);
      const isMissing = field === undefined ? isComplete : field.value.kind === "undefined";
      const wanted = Object.hasOwn(known, name) ? known[name] : undefined;
      const isFilled = this.#hasDefaults && isJsonObject(wanted) && wanted.default !== undefined;
      if (!isMissing || isFilled) continue;
      const text = (): string => {
        const type = this.#typeText(wanted);
        return `needs ${shown(name)}${type === "unknown" ? "" : ` (${type})`}`;
      };
      misfits.push({ at: partsAt ?? field?.at ?? at, kind: "missing", path, text });
    }
    return misfits;
  }

  #listMisfits(
    { items, placed, partsAt }: KnownList,
    schema: Schema,
    path: string,
    levels: number,
  ): readonly Misfit[] {
    const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : listOf(schema.items);
    const others = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    return items.flatMap((item, index) => {
      if (tuple.length > 0 && index >= placed) return [];
      const wanted: unknown = index < tuple.length ? tuple[index] : others;
      // `undefined` is sent as null.
      const sent = item.kind === "undefined" ? scalar(item.at, null) : item;
      return this.#fit(movedTo(sent, partsAt), wanted, `${path}[${index}]`, levels - 1);
    });
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  null: "null",
  object: "an object",
  array: "a list",
};

function typeMisfits(value: KnownValue, { type }: Schema, path: string): readonly Misfit[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  // An unknown type accepts any value.
  if (types.length === 0 || types.some((each) => !isString(each) || !Object.hasOwn(TYPES, each))) return [];
  if (types.some((each) => hasType(value, each as string))) return [];
  const names = types.map((each) => TYPES[each as string]);
  const wanted = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return [{ at: value.at, kind: "type", path, text: () => mustBe(wanted, value) }];
}

function hasType(value: KnownValue, type: string): boolean {
  switch (value.kind) {
    case "text":
      return type === "string";
    case "list":
      return type === "array";
    case "object":
      return type === "object";
    case "scalar":
      if (value.value === null) return type === "null";
      if (type === "integer") return Number.isInteger(value.value);
      return typeof value.value === type;
    default:
      return true;
  }
}

/** The bound of the schema that the value violates, as text; undefined if it violates none. */
function boundText(value: KnownValue, schema: Schema): string | undefined {
  const limit = (key: string): number | undefined => {
    const number = schema[key];
    return typeof number === "number" ? number : undefined;
  };
  if (value.kind === "list") {
    const [least, most] = [limit("minItems"), limit("maxItems")];
    const count = value.items.length;
    if (least !== undefined && value.isComplete && count < least) return `have at least ${items(least)}`;
    return most !== undefined && count > most ? `have at most ${items(most)}` : undefined;
  }
  if (value.kind !== "scalar") return undefined;
  if (typeof value.value === "string") {
    const [least, most] = [limit("minLength"), limit("maxLength")];
    if (least === undefined && most === undefined) return undefined;
    const length = charsOf(value.value);
    if (least !== undefined && length < least) return `have at least ${characters(least)}`;
    return most !== undefined && length > most ? `have at most ${characters(most)}` : undefined;
  }
  if (typeof value.value !== "number") return undefined;
  const number = value.value;
  const bounds: readonly (readonly [string, string, (bound: number) => boolean])[] = [
    ["minimum", "at least", (bound) => number < bound],
    ["maximum", "at most", (bound) => number > bound],
    ["exclusiveMinimum", "more than", (bound) => number <= bound],
    ["exclusiveMaximum", "less than", (bound) => number >= bound],
  ];
  for (const [key, words, isOver] of bounds) {
    const bound = limit(key);
    if (bound !== undefined && isOver(bound)) return `be ${words} ${bound}`;
  }
  return undefined;
}

/** Schemas count characters, not UTF-16 units. */
function charsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

function isSame(value: Json, other: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === other;
  if (typeof other !== "object" || other === null) return false;
  try {
    return canonicalJson(value) === canonicalJson(other);
  } catch {
    // Values that are not JSON, or are too deep, count as equal.
    return true;
  }
}

function mustBe(wanted: string, value: KnownValue): string {
  return `must be ${wanted}, found ${describe(value)}`;
}

function describe(value: KnownValue): string {
  switch (value.kind) {
    case "scalar":
      if (typeof value.value === "string") return `the string ${shown(value.value)}`;
      return typeof value.value === "number" ? `the number ${value.value}` : String(value.value);
    case "list":
      return value.isComplete ? `a list of ${items(value.items.length)}` : "a list";
    case "object":
      return "an object";
    default:
      return "a string";
  }
}

function oneOf(values: readonly unknown[]): string {
  const more = values.length > NAMES_SHOWN ? ", …" : "";
  return `one of ${values.slice(0, NAMES_SHOWN).map(shown).join(", ")}${more}`;
}

/** A value in the form for people, truncated. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > VALUE_CHARS ? `${value.slice(0, VALUE_CHARS)}…` : value);
  return typeText({ const: value }, { budget: VALUE_CHARS });
}

function definitions({ $defs, definitions: old }: Schema): Schema {
  return { ...($defs === undefined ? {} : { $defs }), ...(old === undefined ? {} : { definitions: old }) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
