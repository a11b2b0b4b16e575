/**
 * Parses JSON with comments and trailing commas, and keeps all positions, so that a file can be edited without
 * rewriting it.
 *
 * A parser of our own, because an edit has to know the comma after each property and must keep comments. The usual
 * package drops the comments between two properties when it removes one of them.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { BrokenText, lineAt } from "./broken-text.js";

interface Extent {
  readonly start: number;
  /** The offset after it. */
  readonly end: number;
}

export interface JsonProperty extends Extent {
  readonly key: string;
  readonly value: JsonNode;
  /** The offset of the comma after it, if there is one. */
  readonly comma: number | undefined;
}

export type JsonNode = Extent &
  (
    | { readonly kind: "object"; readonly properties: readonly JsonProperty[] }
    | { readonly kind: "list"; readonly items: readonly JsonNode[] }
    | { readonly kind: "plain"; readonly value: string | number | boolean | null }
  );

/** Undefined if the text has only spaces and comments. Throws {@link BrokenText}. */
export function parseJsonc(text: string): JsonNode | undefined {
  return new Reader(text).root();
}

/** The value of the last property with this name, as in `JSON.parse`. */
export function propertyOf(node: JsonNode | undefined, key: string): JsonProperty | undefined {
  return node?.kind === "object" ? node.properties.findLast((property) => property.key === key) : undefined;
}

export function jsonValue(node: JsonNode): unknown {
  if (node.kind === "plain") return node.value;
  if (node.kind === "list") return node.items.map(jsonValue);
  const value: Record<string, unknown> = {};
  for (const property of node.properties)
    Object.defineProperty(value, property.key, {
      value: jsonValue(property.value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return value;
}

/**
 * The text as plain JSON of the same length: comments and trailing commas become spaces. Invalid text stays invalid, at
 * the same position.
 */
export function plainJson(text: string): string {
  const bare = text.replace(STRING_OR_COMMENT, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\r\n]/g, " "),
  );
  return bare.replace(STRING_OR_COMMA, (part) => (part === "," ? " " : part));
}

const SPACE = /[ \t\r\n\uFEFF]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
// Every character takes exactly one of the two alternatives, so the time is linear in the length of the text.
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|${COMMENT.source}`, "g");
// The text before a comma is checked after the comma was found; otherwise it would be checked for every space.
const STRING_OR_COMMA = new RegExp(`${STRING.source}|,(?<=["\\w}\\]]\\s*,)(?=\\s*[}\\]])`, "g");
const WORD = /-?[A-Za-z0-9][A-Za-z0-9+.-]*/y;

class Reader {
  readonly #text: string;
  #at = 0;
  #level = 0;

  constructor(text: string) {
    this.#text = text;
  }

  root(): JsonNode | undefined {
    this.#skip();
    if (this.#at >= this.#text.length) return undefined;
    const node = this.#node();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#problem("expected the end of the file");
    return node;
  }

  #node(): JsonNode {
    const start = this.#at;
    const sign = this.#text[start];
    if (sign !== "{" && sign !== "[") return this.#plain();
    this.#level += 1;
    if (this.#level > LIMITS.clientFileLevels)
      throw this.#problem(`it has more than ${LIMITS.clientFileLevels} levels`);
    const node = sign === "{" ? this.#object(start) : this.#list(start);
    this.#level -= 1;
    return node;
  }

  #object(start: number): JsonNode {
    const properties: JsonProperty[] = [];
    this.#members("}", () => {
      const from = this.#at;
      const key = this.#string("expected a key in double quotes");
      this.#skip();
      this.#expect(":");
      this.#skip();
      const value = this.#node();
      return (comma) => properties.push({ key, value, comma, start: from, end: value.end });
    });
    return { kind: "object", properties, start, end: this.#at };
  }

  #list(start: number): JsonNode {
    const items: JsonNode[] = [];
    this.#members("]", () => {
      const item = this.#node();
      return () => items.push(item);
    });
    return { kind: "list", items, start, end: this.#at };
  }

  /** Reads up to and including the closing bracket; each member is kept once the position of its comma is known. */
  #members(close: string, member: () => (comma: number | undefined) => void): void {
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      const keep = member();
      this.#skip();
      const hasComma = this.#text[this.#at] === ",";
      keep(hasComma ? this.#at : undefined);
      if (hasComma) this.#at += 1;
      else if (this.#text[this.#at] !== close) throw this.#problem(`expected "," or "${close}"`);
    }
    this.#at += 1;
  }

  #plain(): JsonNode {
    const start = this.#at;
    if (this.#text[start] === '"') {
      const value = this.#string("expected a value");
      return { kind: "plain", value, start, end: this.#at };
    }
    const value = parsedOrNothing(this.#match(WORD) ?? "");
    if (value === undefined) throw this.#problem("expected a value", start);
    return { kind: "plain", value: value as number | boolean | null, start, end: this.#at };
  }

  #string(expected: string): string {
    const start = this.#at;
    const value = parsedOrNothing(this.#match(STRING) ?? "");
    if (typeof value !== "string") throw this.#problem(expected, start);
    return value;
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) throw this.#problem(`expected "${sign}"`);
    this.#at += 1;
  }

  #skip(): void {
    do this.#match(SPACE);
    while (this.#match(COMMENT) !== undefined);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** The error never quotes the text at this position, because it may be a secret. */
  #problem(why: string, position = this.#at): BrokenText {
    return new BrokenText(why, lineAt(this.#text, position));
  }
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
