/**
 * From JSON Schema to a TypeScript type, as a small tree that a signature is written from.
 *
 * Schemas are anybody's: one that refers to itself ends in `unknown`, one that is huge ends in `…`, and what is no
 * schema at all is `unknown`.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { referenced } from "../base/schema-reference.js";

/** A piece of text, or a list of parts that can each be written shorter. */
export interface TypeNode {
  /** Written out. */
  readonly text: string;
  /** Left out for what cannot be taken apart. */
  readonly list?: TypeList;
  /** What needs brackets around it when it becomes part of something else. */
  readonly joinedBy?: "|" | "&";
  readonly members?: readonly TypeNode[];
}

export interface TypeList {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  readonly parts: readonly TypePart[];
}

export interface TypePart {
  readonly head: string;
  readonly type: TypeNode;
  readonly tail: string;
}

export interface SchemaTypeOptions {
  /** Longer texts, and more parts of one list, are not written. */
  readonly most: number;
  /** Adds defaults, as comments. */
  readonly detail: boolean;
}

/** What was left out. */
export const CUT: TypeNode = { text: "…" };
const UNKNOWN: TypeNode = { text: "unknown" };
const NEVER: TypeNode = { text: "never" };
const NULL: TypeNode = { text: "null" };

/** Levels that are tried, the most first: a schema that is too large is written with fewer. */
const LEVELS = [12, 6, 4, 3, 2, 1];
const NODES = 3_000;
const DEFAULT_CHARS = 60;

type Schema = Readonly<Record<string, unknown>>;

interface Place {
  /** Levels that may still be gone down. */
  readonly levels: number;
  /** References that are being followed. */
  readonly refs: readonly string[];
}

export function schemaType(schema: unknown, options: SchemaTypeOptions): TypeNode {
  for (const levels of LEVELS) {
    const reader = new SchemaReader(schema, options);
    const type = reader.type(schema, { levels, refs: [] });
    if (reader.isWhole || levels === 1) return type;
  }
  return CUT;
}

class SchemaReader {
  readonly #root: unknown;
  readonly #options: SchemaTypeOptions;
  #left = NODES;

  constructor(root: unknown, options: SchemaTypeOptions) {
    this.#root = root;
    this.#options = options;
  }

  get isWhole(): boolean {
    return this.#left > 0;
  }

  type(schema: unknown, place: Place): TypeNode {
    this.#left -= 1;
    if (schema === false) return NEVER;
    if (!isJsonObject(schema)) return UNKNOWN;
    if (place.levels < 1 || this.#left <= 0) return CUT;
    const inner = { ...place, levels: place.levels - 1 };
    const own = joined("&", [
      this.#own(schema, inner),
      this.#reference(schema, inner),
      ...["anyOf", "oneOf"].map((key) => {
        const branches = this.#types(schema[key], inner);
        return branches.length === 0 ? UNKNOWN : joined("|", branches);
      }),
      ...this.#types(schema.allOf, inner),
    ]);
    return schema.nullable === true ? joined("|", [own, NULL]) : own;
  }

  #types(schemas: unknown, place: Place): readonly TypeNode[] {
    return Array.isArray(schemas) ? this.#few(schemas, (schema) => this.type(schema, place)) : [];
  }

  /** As many as can be of use, and a sign where there are more. */
  #few<T>(items: readonly T[], type: (item: T) => TypeNode): readonly TypeNode[] {
    const { most } = this.#options;
    const types = items.slice(0, most).map(type);
    return items.length > most ? [...types, CUT] : types;
  }

  #reference({ $ref: ref }: Schema, place: Place): TypeNode {
    if (typeof ref !== "string" || place.refs.includes(ref)) return UNKNOWN;
    return this.type(referenced(ref, this.#root), { ...place, refs: [...place.refs, ref] });
  }

  /** What a schema says beside the other schemas that it is made of. */
  #own(schema: Schema, place: Place): TypeNode {
    if (Object.hasOwn(schema, "const")) return this.#literal(schema.const, place);
    if (Array.isArray(schema.enum))
      return joined(
        "|",
        this.#few(schema.enum, (value) => this.#literal(value, place)),
      );
    const { type } = schema;
    if (typeof type === "string") return this.#named(type, schema, place);
    if (Array.isArray(type))
      return joined(
        "|",
        this.#few(type, (name) => this.#named(name, schema, place)),
      );
    if (isJsonObject(schema.properties) || isJsonObject(schema.additionalProperties))
      return this.#object(schema, place);
    return schema.items !== undefined || Array.isArray(schema.prefixItems)
      ? this.#array(schema, place)
      : UNKNOWN;
  }

  #named(name: unknown, schema: Schema, place: Place): TypeNode {
    switch (name) {
      case "string":
      case "boolean":
      case "null":
      case "number":
        return { text: name };
      case "integer":
        return { text: "number" };
      case "object":
        return this.#object(schema, place);
      case "array":
        return this.#array(schema, place);
      default:
        return UNKNOWN;
    }
  }

  #object(schema: Schema, place: Place): TypeNode {
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    const names = Object.keys(properties);
    const needed = new Set(Array.isArray(schema.required) ? schema.required.filter(isString) : []);
    const others = [...needed].filter((name) => !Object.hasOwn(properties, name));
    // What must be given is what must not be cut off.
    const inOrder = [
      ...names.filter((name) => needed.has(name)),
      ...others,
      ...names.filter((name) => !needed.has(name)),
    ];
    const { most } = this.#options;
    const parts = inOrder.slice(0, most).map((name): TypePart => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const head = `${keyText(name)}${needed.has(name) ? "" : "?"}: `;
      return { head, type: this.type(property, place), tail: this.#comment(property) };
    });
    if (inOrder.length > most) parts.push({ head: "", type: CUT, tail: "" });
    const rest = this.#rest(schema, place);
    if (parts.length === 0) {
      if (rest !== undefined) return listOf("Record<string, ", "", ">", [plain(rest)]);
      const isEmpty = schema.additionalProperties === false || isJsonObject(schema.properties);
      return { text: isEmpty ? "{}" : "Record<string, unknown>" };
    }
    if (rest !== undefined) parts.push({ head: "[key: string]: ", type: rest, tail: "" });
    return listOf("{ ", "; ", " }", parts);
  }

  /** Of the fields that are not named one by one. */
  #rest({ additionalProperties, patternProperties }: Schema, place: Place): TypeNode | undefined {
    const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
    const schemas = isJsonObject(additionalProperties) ? [...patterns, additionalProperties] : patterns;
    return schemas.length === 0 ? undefined : joined("|", this.#types(schemas, place));
  }

  #array({ items, prefixItems, additionalItems, minItems }: Schema, place: Place): TypeNode {
    // Older schemas write a tuple as a list of `items`.
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const others = Array.isArray(items) ? additionalItems : items;
    if (first.length === 0) {
      if (others === false) return { text: "[]" };
      return arrayOf(this.type(others, place));
    }
    const needed = typeof minItems === "number" ? minItems : first.length;
    const parts = this.#few(first, (schema) => this.type(schema, place)).map(
      (type, index): TypePart =>
        index < needed ? plain(type) : { head: "", type: bracketed(type), tail: "?" },
    );
    if (isJsonObject(others)) parts.push({ head: "...", type: arrayOf(this.type(others, place)), tail: "" });
    return listOf("[", ", ", "]", parts);
  }

  #literal(value: unknown, place: Place): TypeNode {
    this.#left -= 1;
    if (typeof value === "string") {
      const text = quoted(value.slice(0, this.#options.most));
      return text.length > this.#options.most ? CUT : { text };
    }
    if (typeof value === "number") return { text: Number.isFinite(value) ? String(value) : "number" };
    if (typeof value !== "object" || value === null) return { text: String(value) };
    if (place.levels < 1 || this.#left <= 0) return CUT;
    const inner = { ...place, levels: place.levels - 1 };
    if (Array.isArray(value))
      return listOf("[", ", ", "]", this.#few(value, (item) => this.#literal(item, inner)).map(plain));
    const entries = Object.entries(value);
    if (entries.length === 0) return { text: "{}" };
    const { most } = this.#options;
    const parts = entries.slice(0, most).map(([key, item]): TypePart => {
      return { head: `${keyText(key)}: `, type: this.#literal(item, inner), tail: "" };
    });
    if (entries.length > most) parts.push(plain(CUT));
    return listOf("{ ", "; ", " }", parts);
  }

  #comment(property: unknown): string {
    if (!this.#options.detail || !isJsonObject(property) || property.default === undefined) return "";
    const text = oneLine(JSON.stringify(property.default)).replaceAll("*/", "*\\/");
    return ` /* = ${text.length > DEFAULT_CHARS ? CUT.text : text} */`;
  }
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function plain(type: TypeNode): TypePart {
  return { head: "", type, tail: "" };
}

function listOf(open: string, separator: string, close: string, parts: readonly TypePart[]): TypeNode {
  const inner = parts.map(({ head, type, tail }) => head + type.text + tail).join(separator);
  return { text: open + inner + close, list: { open, separator, close, parts } };
}

function arrayOf(item: TypeNode): TypeNode {
  return listOf("", "", "[]", [plain(bracketed(item))]);
}

function bracketed(type: TypeNode): TypeNode {
  return type.joinedBy === undefined ? type : listOf("(", "", ")", [plain(type)]);
}

/** A union or an intersection of what says something, each once. */
function joined(by: "|" | "&", types: readonly TypeNode[]): TypeNode {
  const [neutral, ruling] = by === "|" ? [NEVER, UNKNOWN] : [UNKNOWN, NEVER];
  const members = new Map<string, TypeNode>();
  for (const type of types)
    for (const member of type.joinedBy === by ? (type.members ?? []) : [type])
      members.set(member.text, member);
  members.delete(neutral.text);
  if (members.has(ruling.text)) return ruling;
  const [first, ...others] = members.values();
  if (first === undefined) return neutral;
  if (others.length === 0) return first;
  const all = [first, ...others];
  const parts = all.map((member) => plain(bracketed(member)));
  return { ...listOf("", ` ${by} `, "", parts), joinedBy: by, members: all };
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

function keyText(key: string): string {
  return isIdentifier(key) ? key : quoted(key);
}

/** A string literal. */
export function quoted(text: string): string {
  return oneLine(JSON.stringify(text));
}

/** JSON without what breaks a line, or hides in it. */
function oneLine(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
