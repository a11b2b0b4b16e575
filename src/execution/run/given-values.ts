/**
 * The values that a run and its calls were given, so that they can be removed from stored texts. Servers quote
 * arguments in their errors; the live answer shows them, and the stored text does not.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import type { PmlError } from "../../base/pml-error.js";

const MARK = "…";
const LEFT_OUT = "(not stored: it may contain arguments)";
const STRING_CHARS = 4;
const NUMBER_DIGITS = 5;
/** A prefix of this length is enough to recognise a long value, because texts may be truncated. */
const BEGINNING_CHARS = 16;
const VALUES_MOST = 2_000;
const VALUE_CHARS = 4_000;
const LEVELS = 50;

export class GivenValues {
  readonly #values = new Set<string>();
  #isFull = false;

  /** Adds every text and every long number in it. */
  note(value: Json | undefined): this {
    this.#note(value, 0);
    return this;
  }

  /** Stops looking for a text. */
  forget(text: string): void {
    for (const form of formsOf(text)) this.#values.delete(form);
  }

  /** JSON text; a text that is not JSON is added as a whole. */
  noteText(json: string): this {
    try {
      return this.note(JSON.parse(json) as Json);
    } catch {
      return this.note(json);
    }
  }

  /** The text in the form that may be stored. With too many values to search for, nothing of the text is kept. */
  in(text: string): string {
    if (this.#isFull) return LEFT_OUT;
    let kept = text;
    for (const value of [...this.#values].sort((a, b) => b.length - a.length)) kept = without(kept, value);
    return kept;
  }

  /** Whether the text contains one of the values, or may contain one. */
  isIn(text: string): boolean {
    return this.#values.size > 0 && this.in(text) !== text;
  }

  /** The same for JSON, which stays valid. */
  inJson(json: string): string {
    return this.isIn(json) ? JSON.stringify(this.everywhere(JSON.parse(json) as Json)) : json;
  }

  everywhere(value: Json): Json {
    if (typeof value === "string") return this.in(value);
    if (Array.isArray(value)) return value.map((item) => this.everywhere(item as Json));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.everywhere(item as Json)]),
    );
  }

  #note(value: Json | undefined, depth: number): void {
    if (this.#isFull || value === undefined || value === null) return;
    if (typeof value === "number") {
      if (String(value).replace(/\D/g, "").length >= NUMBER_DIGITS) this.#add(String(value));
    } else if (typeof value === "string") {
      for (const form of formsOf(value)) this.#add(form);
    } else if (typeof value === "object") {
      if (depth === LEVELS) this.#isFull = true;
      for (const item of Object.values(value)) this.#note(item as Json, depth + 1);
    }
  }

  #add(text: string): void {
    this.#values.add(text);
    if (this.#values.size > VALUES_MOST) this.#isFull = true;
  }
}

/** The part of an error that is stored with a run. */
export function keptError(
  { code, message }: Pick<PmlError, "code" | "message">,
  given: (() => GivenValues) | undefined,
): { readonly errorCode: string; readonly errorMessage: string } {
  const cut = message.slice(0, LIMITS.traceErrorChars);
  return { errorCode: code, errorMessage: given === undefined ? cut : given().in(cut) };
}

/** The value itself, each of its lines, and its forms in JSON and in a URL. */
function formsOf(value: string): readonly string[] {
  const text = value.slice(0, VALUE_CHARS).trim();
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const plain = lines.length === 1 ? [text] : [text, ...lines];
  const forms = plain.flatMap((one) => [one, JSON.stringify(one).slice(1, -1), inUrl(one)]);
  return [...new Set(forms)].filter(({ length }) => length >= STRING_CHARS);
}

function inUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A lone surrogate cannot be encoded.
    return text;
  }
}

function without(text: string, value: string): string {
  const beginning = value.slice(0, BEGINNING_CHARS);
  let kept = "";
  let from = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, from)) {
    let end = at + beginning.length;
    while (end < text.length && end - at < value.length && text[end] === value[end - at]) end += 1;
    kept += text.slice(from, at) + MARK;
    from = end;
  }
  return kept + text.slice(from);
}
