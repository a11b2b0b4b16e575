/**
 * Converts JSON Schema to a TypeScript type, as a small tree from which a signature is written.
 *
 * Schemas are untrusted: one that refers to itself, is huge or invalid becomes `unknown`. If parts of a list are
 * omitted, a comment says so: the result is valid TypeScript even if it is truncated.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { referenced } from "../base/schema-reference.js";

/** A piece of text, or a list of parts that can each be written shorter. */
export interface TypeNode {
  /** The full text. */
  readonly text: string;
  /** Absent if it cannot be shortened. */
  readonly list?: TypeList;
  /** Needs brackets around it when it becomes part of something else. */
  readonly joinedBy?: "|" | "&";
  readonly members?: readonly TypeNode[];
  /** Some items are not in `members`. */
  readonly hasMore?: boolean;
}

export interface TypeList {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  readonly parts: readonly TypePart[];
  /** There are more parts, which were not read. */
  readonly hasMore: boolean;
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

/** An omitted type, recognised by identity. */
export const CUT: TypeNode = { text: "unknown" };
const UNKNOWN: TypeNode = { text: "unknown" };
const NEVER: TypeNode = { text: "never" };
const NULL: TypeNode = { text: "null" };

/** Levels to try, the most first: a schema that is too large is written with fewer. */
const LEVELS = [12, 6, 4, 3, 2, 1];
const NODES = 3_000;
const DEFAULT_CHARS = 60;

type Schema = Readonly<Record<string, unknown>>;

interface Place {
  /** The remaining levels. */
  readonly levels: number;
  /** References that are being resolved. */
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

  /** The items that can be useful, and a mark if there are more. */
  #few<T>(items: readonly T[], type: (item: T) => TypeNode): readonly TypeNode[] {
    const { most } = this.#options;
    const types = items.slice(0, most).map(type);
    return items.length > most ? [...types, CUT] : types;
  }

  #reference({ $ref: ref }: Schema, place: Place): TypeNode {
    if (typeof ref !== "string" || place.refs.includes(ref)) return UNKNOWN;
    return this.type(referenced(ref, this.#root), { ...place, refs: [...place.refs, ref] });
  }

  /** The type from a schema's own keywords, without the schemas that it combines. */
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
    // Required fields come first, so that they are not cut off.
    const inOrder = [
      ...names.filter((name) => needed.has(name)),
      ...others,
      ...names.filter((name) => !needed.has(name)),
    ];
    const { most } = this.#options;
    const hasMore = inOrder.length > most;
    const parts = inOrder.slice(0, most).map((name): TypePart => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const head = `${keyText(name)}${needed.has(name) ? "" : "?"}: `;
      return { head, type: this.type(property, place), tail: this.#comment(property) };
    });
    const rest = this.#rest(schema, place);
    if (parts.length === 0) {
      if (rest !== undefined) return listOf("Record<string, ", "", ">", [plain(rest)]);
      const isEmpty = schema.additionalProperties === false || isJsonObject(schema.properties);
      return { text: isEmpty ? "{}" : "Record<string, unknown>" };
    }
    if (rest !== undefined) parts.push({ head: "[key: string]: ", type: rest, tail: "" });
    return listOf("{ ", "; ", " }", parts, hasMore);
  }

  /** The type of fields that are not named individually. */
  #rest({ additionalProperties, patternProperties }: Schema, place: Place): TypeNode | undefined {
    const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
    const schemas = isJsonObject(additionalProperties) ? [...patterns, additionalProperties] : patterns;
    return schemas.length === 0 ? undefined : joined("|", this.#types(schemas, place));
  }

  #array({ items, prefixItems, additionalItems, minItems }: Schema, place: Place): TypeNode {
    // In older schemas, a tuple is a list of `items`.
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const others = Array.isArray(items) ? additionalItems : items;
    if (first.length === 0) {
      if (others === false) return { text: "[]" };
      return arrayOf(this.type(others, place));
    }
    const needed = typeof minItems === "number" ? minItems : first.length;
    const { most } = this.#options;
    const hasMore = first.length > most;
    const parts = first.slice(0, most).map((schema, index): TypePart => {
      const type = this.type(schema, place);
      return index < needed ? plain(type) : { head: "", type: bracketed(type), tail: "?" };
    });
    if (isJsonObject(others) && !hasMore)
      parts.push({ head: "...", type: arrayOf(this.type(others, place)), tail: "" });
    return listOf("[", ", ", "]", parts, hasMore);
  }

  #literal(value: unknown, place: Place): TypeNode {
    this.#left -= 1;
    if (typeof value === "string") {
      const text = shownText(value.slice(0, this.#options.most));
      return text.length > this.#options.most ? CUT : { text };
    }
    if (typeof value === "number") return { text: Number.isFinite(value) ? String(value) : "number" };
    if (typeof value !== "object" || value === null) return { text: String(value) };
    if (place.levels < 1 || this.#left <= 0) return CUT;
    const inner = { ...place, levels: place.levels - 1 };
    const { most } = this.#options;
    if (Array.isArray(value)) {
      const items = value.slice(0, most).map((item) => plain(this.#literal(item, inner)));
      return listOf("[", ", ", "]", items, value.length > most);
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return { text: "{}" };
    const parts = entries.slice(0, most).map(([key, item]): TypePart => {
      return { head: `${keyText(key)}: `, type: this.#literal(item, inner), tail: "" };
    });
    return listOf("{ ", "; ", " }", parts, entries.length > most);
  }

  #comment(property: unknown): string {
    if (!this.#options.detail || !isJsonObject(property) || property.default === undefined) return "";
    const text = oneLine(JSON.stringify(property.default)).replaceAll("*/", "*\\/");
    return ` /* = ${text.length > DEFAULT_CHARS ? "…" : text} */`;
  }
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function plain(type: TypeNode): TypePart {
  return { head: "", type, tail: "" };
}

function listOf(
  open: string,
  separator: string,
  close: string,
  parts: readonly TypePart[],
  hasMore = false,
): TypeNode {
  const inner = parts.map(({ head, type, tail }) => head + type.text + tail).join(separator);
  const list = { open, separator, close, parts, hasMore };
  return { text: open + inner + (hasMore ? moreText(list) : "") + close, list };
}

/** The mark after the parts of a list that there are more. */
export function moreText({ separator }: Pick<TypeList, "separator">): string {
  if (separator === "") return "";
  // An operator needs an operand behind it, a separator does not.
  return isOperator(separator) ? ` /*${separator}… */` : `${separator}/* … */`;
}

export function isOperator(separator: string): boolean {
  return separator === " | " || separator === " & ";
}

function arrayOf(item: TypeNode): TypeNode {
  return listOf("", "", "[]", [plain(bracketed(item))]);
}

function bracketed(type: TypeNode): TypeNode {
  return type.joinedBy === undefined ? type : listOf("(", "", ")", [plain(type)]);
}

/** A union or an intersection of the meaningful types, without duplicates. */
function joined(by: "|" | "&", types: readonly TypeNode[]): TypeNode {
  const [neutral, ruling] = by === "|" ? [NEVER, UNKNOWN] : [UNKNOWN, NEVER];
  const members = new Map<string, TypeNode>();
  let hasMore = false;
  for (const type of types) {
    const isSame = type.joinedBy === by;
    hasMore ||= type === CUT || (isSame && type.hasMore === true);
    for (const member of isSame ? (type.members ?? []) : [type])
      if (member !== CUT) members.set(member.text, member);
  }
  members.delete(neutral.text);
  if (members.has(ruling.text)) return ruling;
  const [first, ...others] = members.values();
  if (first === undefined) return hasMore ? CUT : neutral;
  if (others.length === 0 && !hasMore) return first;
  const all = [first, ...others];
  const parts = all.map((member) => plain(bracketed(member)));
  return { ...listOf("", ` ${by} `, "", parts, hasMore), joinedBy: by, members: all, hasMore };
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

function keyText(key: string): string {
  return isIdentifier(key) ? key : shownText(key);
}

/** A string literal without markup, which evaluates to the same string. */
export function shownText(text: string): string {
  return quoted(text).replace(
    MARKUP,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** The begin of a tag, or a token that models treat as the end of a turn. */
const MARKUP = /<(?=[A-Za-z/!?|])|\[(?=[/!]?[A-Z][A-Z_ -]+\])/g;

/** A string literal. */
export function quoted(text: string): string {
  return oneLine(JSON.stringify(text));
}

/** JSON without characters that break a line or are invisible. */
function oneLine(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (sign) => {
    const code = sign.codePointAt(0)?.toString(16) ?? "";
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
