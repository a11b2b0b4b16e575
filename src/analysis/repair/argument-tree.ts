/**
 * The argument object of a call in its source form: fields are renamed, moved and converted in it, and everything else
 * keeps its text.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import type { LiftedPlace } from "../analysis.js";
import { writtenFields } from "../data/call-arguments.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { type Edit, keyText } from "../syntax/edits.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { RepairStep } from "./repair-calls.js";

/** Why the code cannot be repaired. */
export class RepairRefused extends Error {}

interface TreeOptions {
  readonly code: string;
  readonly scopes: Scopes;
  readonly object: NodeOf<"ObjectExpression"> | undefined;
  readonly lifted: readonly LiftedPlace[];
  /** Parameters that callers always give. */
  readonly required: readonly string[];
}

interface Entry {
  key: string;
  /** Text of the value, or its parts. */
  value: string | Entry[];
  /** The property as written; absent for an added one. */
  readonly property?: NodeOf<"Property">;
  isTouched: boolean;
}

export class ArgumentTree {
  readonly #options: TreeOptions;
  readonly #entries: Entry[];
  readonly #removed: NodeOf<"Property">[] = [];

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#entries = options.object === undefined ? [] : this.#entriesOf(options.object);
  }

  has(path: readonly string[]): boolean {
    const found = this.#find(path);
    if (found !== undefined) return true;
    // It may be in a part of a value that is not a literal.
    const outer = path.length > 1 ? this.#find(path.slice(0, -1)) : undefined;
    return outer !== undefined && typeof outer.value === "string";
  }

  /** Whether every call has a value there. */
  isGiven(path: readonly string[]): boolean {
    const { value } = this.#find(path) ?? {};
    return value !== undefined && (typeof value !== "string" || isGiven(value, this.#options.required));
  }

  apply(step: RepairStep): void {
    switch (step.kind) {
      case "add":
        if (!this.has(step.path)) this.#put(step.path, JSON.stringify(step.value), undefined);
        return;
      case "move":
        this.#move(step.from, step.to);
        return;
      case "convert": {
        const entry = this.#leaf(step.path);
        if (entry !== undefined)
          this.#set(entry, convertedText(this.#valueOf(entry, step.path), step.to, this.#options.required));
        return;
      }
      case "value": {
        const entry = this.#leaf(step.path);
        if (entry !== undefined) this.#replace(entry, step.path, step.from, step.to);
        return;
      }
    }
  }

  edits(call: NodeOf<"CallExpression">): readonly Edit[] {
    const { object, code } = this.#options;
    const added = this.#entries.filter(({ property }) => property === undefined);
    if (object === undefined) {
      if (added.length === 0) return [];
      const end = call.end - WRAPPER_CHARS - 1;
      return [{ start: end, end, text: `{ ${added.map(entryText).join(", ")} }` }];
    }
    const edits: Edit[] = [];
    for (const entry of this.#entries)
      if (entry.property !== undefined && isChanged(entry))
        edits.push(replacing(entry.property, entryText(entry)));
    for (const property of this.#removed) edits.push(removing(property, code));
    const kept = this.#entries.filter(({ property }) => property !== undefined);
    if (added.length > 0) {
      const last = kept.at(-1)?.property;
      const start = last === undefined ? object.start - WRAPPER_CHARS + 1 : last.end - WRAPPER_CHARS;
      const text = added.map(entryText).join(", ");
      edits.push({ start, end: start, text: last === undefined ? ` ${text} ` : `, ${text}` });
    }
    return edits;
  }

  #entriesOf(object: NodeOf<"ObjectExpression">): Entry[] {
    const { scopes, code } = this.#options;
    return writtenFields(object, scopes).fields.map(({ key, value, property }) => {
      const inner = withoutTypes(value);
      const isWritten =
        inner.type === "ObjectExpression" &&
        inner === value &&
        writtenFields(inner, scopes).isComplete &&
        isWithin(inner, property);
      return {
        key,
        value: isWritten
          ? this.#entriesOf(inner)
          : code.slice(value.start - WRAPPER_CHARS, value.end - WRAPPER_CHARS),
        property,
        isTouched: false,
      };
    });
  }

  #move(from: readonly string[], to: readonly string[]): void {
    const entry = this.#find(from);
    if (entry === undefined) {
      if (this.has(from))
        throw new RepairRefused(`${from.join(".")} is part of a value that is not written out`);
      return;
    }
    const value = typeof entry.value === "string" ? this.#valueOf(entry, from) : entry.value;
    const isSameObject = from.slice(0, -1).join() === to.slice(0, -1).join();
    if (isSameObject) {
      entry.key = to.at(-1) ?? "";
      this.#set(entry, value);
      this.#touch(from);
      return;
    }
    const outer = this.#entries.find(({ key }) => key === from[0]);
    this.#remove(from);
    this.#put(to, value, outer?.property);
  }

  #put(path: readonly string[], value: Entry["value"], place: NodeOf<"Property"> | undefined): void {
    const [first = "", ...rest] = path;
    const known = this.#entries.find(({ key }) => key === first);
    if (known !== undefined && rest.length > 0) {
      if (typeof known.value === "string")
        throw new RepairRefused(`${first} is a value that is not written out, and gets a new field`);
      putInto(known.value, rest, value);
      known.isTouched = true;
      return;
    }
    const whole: Entry = { key: first, value: "", isTouched: true };
    if (rest.length === 0) whole.value = value;
    else {
      whole.value = [];
      putInto(whole.value, rest, value);
    }
    const at = place === undefined ? -1 : this.#removed.indexOf(place);
    // It takes the place of the field that it was made from.
    if (at >= 0 && place !== undefined) {
      this.#removed.splice(at, 1);
      this.#entries.push({ ...whole, property: place });
    } else this.#entries.push(whole);
  }

  #remove(path: readonly string[]): void {
    const [first = ""] = path;
    const index = this.#entries.findIndex(({ key }) => key === first);
    const outer = this.#entries[index];
    if (outer === undefined) return;
    if (path.length > 1 && typeof outer.value !== "string") {
      removeFrom(outer.value, path.slice(1));
      outer.isTouched = true;
      if (outer.value.length > 0) return;
    }
    this.#entries.splice(index, 1);
    if (outer.property !== undefined) this.#removed.push(outer.property);
  }

  #find(path: readonly string[]): Entry | undefined {
    let entries: readonly Entry[] = this.#entries;
    let found: Entry | undefined;
    for (const key of path) {
      found = entries.find((entry) => entry.key === key);
      if (found === undefined) return undefined;
      entries = typeof found.value === "string" ? [] : found.value;
    }
    return found;
  }

  /** Throws if the field is part of something that is not a literal. */
  #leaf(path: readonly string[]): Entry | undefined {
    const entry = this.#find(path);
    if (entry === undefined && this.has(path))
      throw new RepairRefused(`${path.join(".")} is part of a value that is not written out`);
    return entry;
  }

  #set(entry: Entry, value: Entry["value"]): void {
    entry.value = value;
    entry.isTouched = true;
    this.#touchAround(entry);
  }

  #touch(path: readonly string[]): void {
    const outer = this.#entries.find(({ key }) => key === path[0]);
    if (outer !== undefined) outer.isTouched = true;
  }

  #touchAround(entry: Entry): void {
    for (const outer of this.#entries) if (holds(outer, entry)) outer.isTouched = true;
  }

  #replace(entry: Entry, path: readonly string[], from: Json, to: Json): void {
    if (typeof entry.value !== "string") return;
    const text = this.#valueOf(entry, path);
    const literal = literalOf(text);
    if (literal !== undefined) {
      if (canonicalJson(literal) === canonicalJson(from)) this.#set(entry, JSON.stringify(to));
      return;
    }
    this.#set(
      entry,
      `((value) => (value === ${JSON.stringify(from)} ? ${JSON.stringify(to)} : value))(${text})`,
    );
  }

  /** A literal that callers can replace keeps its parameter name. */
  #valueOf(entry: Entry, path: readonly string[]): string {
    const text = typeof entry.value === "string" ? entry.value : valueText(entry.value);
    const lifted = this.#options.lifted.find((place) => place.path.join("\0") === path.join("\0"));
    if (lifted === undefined || entry.isTouched) return text;
    const name = /^[A-Za-z_$][\w$]*$/.test(lifted.name)
      ? `.${lifted.name}`
      : `[${JSON.stringify(lifted.name)}]`;
    return `args${name} ?? ${text}`;
  }
}

export function isWithin(inner: Node, outer: Node): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function holds(outer: Entry, entry: Entry): boolean {
  return (
    outer === entry || (typeof outer.value !== "string" && outer.value.some((inner) => holds(inner, entry)))
  );
}

function isChanged(entry: Entry): boolean {
  return entry.isTouched || (typeof entry.value !== "string" && entry.value.some(isChanged));
}

function putInto(entries: Entry[], path: readonly string[], value: Entry["value"]): void {
  const [first = "", ...rest] = path;
  const known = entries.find(({ key }) => key === first);
  if (rest.length === 0) entries.push({ key: first, value, isTouched: true });
  else if (known !== undefined && typeof known.value !== "string") putInto(known.value, rest, value);
  else {
    const inner: Entry[] = [];
    putInto(inner, rest, value);
    entries.push({ key: first, value: inner, isTouched: true });
  }
}

function removeFrom(entries: Entry[], path: readonly string[]): void {
  const [first = "", ...rest] = path;
  const index = entries.findIndex(({ key }) => key === first);
  const entry = entries[index];
  if (entry === undefined) return;
  if (rest.length > 0 && typeof entry.value !== "string") {
    removeFrom(entry.value, rest);
    if (entry.value.length > 0) return;
  }
  entries.splice(index, 1);
}

function replacing(property: Node, text: string): Edit {
  return { start: property.start - WRAPPER_CHARS, end: property.end - WRAPPER_CHARS, text };
}

/** Includes the comma after it, or before it if it is the last one. */
function removing(property: Node, code: string): Edit {
  const start = property.start - WRAPPER_CHARS;
  const end = property.end - WRAPPER_CHARS;
  const behind = /^\s*,\s*/.exec(code.slice(end));
  if (behind !== null) return { start, end: end + behind[0].length, text: "" };
  const before = /,\s*$/.exec(code.slice(0, start));
  return { start: start - (before?.[0].length ?? 0), end, text: "" };
}

function entryText({ key, value }: Entry): string {
  return `${keyText(key)}: ${typeof value === "string" ? value : valueText(value)}`;
}

function valueText(entries: readonly Entry[]): string {
  return entries.length === 0 ? "{}" : `{ ${entries.map(entryText).join(", ")} }`;
}

function literalOf(text: string): Json | undefined {
  try {
    return JSON.parse(text.startsWith("'") ? `"${text.slice(1, -1).replaceAll('"', '\\"')}"` : text) as Json;
  } catch {
    return undefined;
  }
}

/** Whether an expression is never `undefined`, according to its text. */
function isGiven(text: string, required: readonly string[]): boolean {
  const parameter = /^args\.([A-Za-z_$][\w$]*)$/.exec(text)?.[1] ?? /^args\["(\w+)"\]$/.exec(text)?.[1];
  return (
    literalOf(text) !== undefined ||
    / \?\? /.test(text) ||
    (parameter !== undefined && required.includes(parameter))
  );
}

function convertedText(text: string, to: "text" | "list", required: readonly string[]): string {
  if (isGiven(text, required)) return to === "text" ? `String(${text})` : `[${text}]`;
  const made = to === "text" ? "String(value)" : "[value]";
  return `((value) => (value === undefined ? undefined : ${made}))(${text})`;
}
