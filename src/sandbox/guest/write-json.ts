/**
 * Writes values of the code as JSON: like `JSON.stringify`, except that a BigInt becomes a decimal string, a Map a list
 * of entries, a Set a list, and a number that is not finite becomes `null` and is counted. Cycles and nesting that is
 * too deep for JSON readers are errors with their position.
 *
 * @module
 */
import { JSON_LEVELS_MOST, TEXT_BYTES_MOST } from "../protocol/frames.js";
import { isPlain } from "./plain-json.js";
import {
  apply,
  bigintToText,
  bigintValueOf,
  booleanValueOf,
  charCodeAt,
  getPrototypeOf,
  hasPrototype,
  isArray,
  isFiniteNumber,
  keys,
  MapPrototype,
  mapForEach,
  matchNext,
  numberValueOf,
  ObjectPrototype,
  push,
  SetPrototype,
  setForEach,
  stringify,
  stringValueOf,
  TypeErrorOf,
  textSlice,
} from "./primordials.js";
import { messageOfThrown } from "./thrown-text.js";

interface WrittenJson {
  readonly kind: "written";
  readonly text: string;
  /** The position of the first number that is not finite, and how many there were. */
  readonly notFinite: { readonly count: number; readonly first: string } | undefined;
}

/** `refused` is a sentence for the author of the code. */
export type JsonOutcome =
  | WrittenJson
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "too-large" };

const BooleanPrototype: object = Boolean.prototype;
const NumberPrototype: object = Number.prototype;
const StringPrototype: object = String.prototype;
const BigIntPrototype: object = BigInt.prototype;
const PATH_CHARS_MOST = 200;
const NOT_ASCII = /[\u0080-\uffff]/;
const NAME = /^[A-Za-z_$][\w$]*$/;

/** How writing was stopped; a unique object, so that no value thrown by code is mistaken for it. */
interface Refusal {
  readonly message: string | undefined;
}

/** Writes `value`; `root` is its name in messages. */
export function writeJson(value: unknown, root: string): JsonOutcome {
  const native = writePlain(value);
  if (native !== undefined) return { kind: "written", text: native, notFinite: undefined };
  const writer = createWriter(root);
  try {
    const text = writer.write(value);
    return isTooLarge(text)
      ? { kind: "too-large" }
      : { kind: "written", text, notFinite: writer.notFinite() };
  } catch (thrown) {
    const refusal = writer.refusal();
    if (refusal !== undefined && refusal === thrown)
      return refusal.message === undefined
        ? { kind: "too-large" }
        : { kind: "refused", message: refusal.message };
    return { kind: "refused", message: `reading ${writer.path()} threw: ${messageOfThrown(thrown)}` };
  }
}

/** The fast path for plain data, written by the engine; `undefined` if the engine's form would differ. */
function writePlain(value: unknown): string | undefined {
  try {
    if (!isPlain(value)) return undefined;
    const text = stringify(value);
    return isTooLarge(text) ? undefined : text;
  } catch {
    // The slow path finds the position.
    return undefined;
  }
}

interface Writer {
  write(value: unknown): string;
  notFinite(): { readonly count: number; readonly first: string } | undefined;
  refusal(): Refusal | undefined;
  path(): string;
}

function createWriter(root: string): Writer {
  const ancestors: unknown[] = [];
  const path: (string | number)[] = [];
  let depth = 0;
  let size = 0;
  let notFiniteCount = 0;
  let firstNotFinite = "";
  let refusal: Refusal | undefined;

  function refuse(message: string | undefined): never {
    refusal = { message };
    throw refusal;
  }

  function sized(text: string): string {
    size += text.length;
    if (size > TEXT_BYTES_MOST) refuse(undefined);
    return text;
  }

  /** The JSON of `value`, or `undefined` if JSON omits it. */
  function valueText(holderValue: unknown, key: string | number): string | undefined {
    let value = holderValue;
    if ((typeof value === "object" && value !== null) || typeof value === "bigint")
      value = replaced(value, key);
    switch (typeof value) {
      case "string":
        return quoted(value);
      case "number":
        return numberText(value);
      case "boolean":
        return sized(value ? "true" : "false");
      case "bigint":
        return sized(`"${bigintToText(value)}"`);
      case "object":
        return value === null ? sized("null") : objectText(value);
      default:
        return undefined;
    }
  }

  function quoted(value: string): string {
    // Checked before the text is copied: escaping makes it longer, never shorter.
    if (size + value.length > TEXT_BYTES_MOST) refuse(undefined);
    return sized(stringify(value));
  }

  function numberText(value: number): string {
    if (isFiniteNumber(value)) return sized(value === 0 ? "0" : `${value}`);
    notFiniteCount += 1;
    if (notFiniteCount === 1) firstNotFinite = pathText();
    return sized("null");
  }

  function replaced(value: unknown, key: string | number): unknown {
    const toJson = (value as { readonly toJSON?: unknown }).toJSON;
    return typeof toJson === "function" ? apply(toJson, value, [`${key}`]) : value;
  }

  function objectText(value: object): string {
    const prototype = getPrototypeOf(value);
    if (isArray(value)) return nested(value, () => arrayText(value));
    if (prototype === ObjectPrototype || prototype === null) return nested(value, () => recordText(value));
    if (hasPrototype(MapPrototype, value)) return nested(value, () => listText(mapEntries(value)));
    if (hasPrototype(SetPrototype, value)) return nested(value, () => listText(setValues(value)));
    if (hasPrototype(NumberPrototype, value)) return numberText(numberValueOf(value));
    if (hasPrototype(StringPrototype, value)) return quoted(stringValueOf(value));
    if (hasPrototype(BooleanPrototype, value)) return sized(booleanValueOf(value) ? "true" : "false");
    if (hasPrototype(BigIntPrototype, value)) return sized(`"${bigintToText(bigintValueOf(value))}"`);
    return nested(value, () => recordText(value));
  }

  function nested(value: object, write: () => string): string {
    for (let level = depth - 1; level >= 0; level -= 1) {
      if (ancestors[level] === value) refuse(`${pathText()} is a cycle: it contains itself`);
    }
    if (depth >= JSON_LEVELS_MOST) refuse(`${pathText()} is nested deeper than ${JSON_LEVELS_MOST} levels`);
    ancestors[depth] = value;
    depth += 1;
    const text = write();
    depth -= 1;
    ancestors[depth] = undefined;
    return text;
  }

  function arrayText(value: readonly unknown[]): string {
    let out = sized("[");
    const at = depth - 1;
    for (let index = 0; index < value.length; index += 1) {
      path[at] = index;
      if (index > 0) out += sized(",");
      out += valueText(value[index], index) ?? sized("null");
    }
    path.length = at;
    return `${out}${sized("]")}`;
  }

  /** A list that was created here; each entry of a Map is one too. */
  function listText(items: readonly unknown[]): string {
    return arrayText(items);
  }

  function recordText(value: object): string {
    let out = sized("{");
    const names = keys(value);
    const at = depth - 1;
    let isFirst = true;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      path[at] = name;
      const text = valueText((value as Record<string, unknown>)[name], name);
      if (text === undefined) continue;
      const comma = isFirst ? "" : ",";
      isFirst = false;
      out += `${sized(`${comma}${stringify(name)}:`)}${text}`;
    }
    path.length = at;
    return `${out}${sized("}")}`;
  }

  function pathText(): string {
    let out = root;
    for (let index = 0; index < path.length; index += 1) {
      const part = path[index] as string | number;
      if (typeof part === "number") out += `[${part}]`;
      else out += matchNext(NAME, part) === null ? `[${stringify(textSlice(part, 0, 50))}]` : `.${part}`;
      if (out.length > PATH_CHARS_MOST) return `${textSlice(out, 0, PATH_CHARS_MOST)}…`;
    }
    return out;
  }

  return {
    write: (value) => valueText(value, "") ?? "null",
    notFinite: () => (notFiniteCount === 0 ? undefined : { count: notFiniteCount, first: firstNotFinite }),
    refusal: () => refusal,
    path: pathText,
  };
}

function mapEntries(map: object): readonly unknown[] {
  const entries: unknown[] = [];
  mapForEach(map, (value, key) => push(entries, [key, value]));
  return entries;
}

function setValues(set: object): readonly unknown[] {
  const values: unknown[] = [];
  setForEach(set, (value) => push(values, value));
  return values;
}

/** Whether `text` has too many bytes in UTF-8; a text has between one and three bytes per character. */
function isTooLarge(text: string): boolean {
  if (text.length > TEXT_BYTES_MOST) return true;
  if (text.length * 3 <= TEXT_BYTES_MOST || matchNext(NOT_ASCII, text) === null) return false;
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = charCodeAt(text, index);
    // Each half of a surrogate pair counts as two of the pair's four bytes.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes > TEXT_BYTES_MOST;
}

/** Throws if it is not an object with named arguments. */
export function checkArgumentsObject(value: unknown, callee: string): asserts value is object {
  if (typeof value === "object" && value !== null && !isArray(value)) {
    if (!hasPrototype(MapPrototype, value) && !hasPrototype(SetPrototype, value)) return;
  }
  const kind =
    value === null
      ? "null"
      : isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "a Map or Set"
          : typeof value;
  throw new TypeErrorOf(`Cannot call ${callee}: expected one object with named arguments, got ${kind}`);
}
