/**
 * Values in the form for logs: close to Node's, on one line, limited in length. It never throws, even if a getter of
 * the value does.
 *
 * @module
 */
import {
  bigintToText,
  dateToIso,
  errorToText,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasPrototype,
  isArray,
  keys,
  MapPrototype,
  mapForEach,
  mapSize,
  matchNext,
  ObjectPrototype,
  push,
  regexpToText,
  SetPrototype,
  setForEach,
  setSize,
  stringify,
  symbolToText,
  toText,
} from "./primordials.js";
import { cut, isError, textProperty } from "./thrown-text.js";

const LEVELS_MOST = 5;
const ITEMS_MOST = 100;
/** Beyond this length the rest of the value is ignored. */
const CHARS_MOST = 16_384;
const NAME = /^[A-Za-z_$][\w$]*$/;
const DatePrototype: object = Date.prototype;
const RegExpPrototype: object = RegExp.prototype;

/** The text of `console.log(first, second)`. */
export function inspectAll(values: readonly unknown[]): string {
  let out = "";
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (index > 0) out += " ";
    out += typeof value === "string" ? value : inspect(value);
  }
  return out;
}

export function inspect(value: unknown): string {
  const budget = { left: CHARS_MOST };
  return safely(() => cut(show(value, [], budget), CHARS_MOST));
}

interface Budget {
  left: number;
}

function safely(job: () => string): string {
  try {
    return job();
  } catch {
    return "[unreadable]";
  }
}

function show(value: unknown, above: readonly unknown[], budget: Budget): string {
  const text = safely(() => shown(value, above, budget));
  budget.left -= text.length;
  return text;
}

function shown(value: unknown, above: readonly unknown[], budget: Budget): string {
  switch (typeof value) {
    case "string":
      return stringify(cut(value, 1_000));
    case "bigint":
      return `${bigintToText(value)}n`;
    case "symbol":
      return symbolToText(value);
    case "function":
      return functionText(value);
    case "object":
      return value === null ? "null" : objectText(value, above, budget);
    default:
      return value === 0 && 1 / (value as number) < 0 ? "-0" : toText(value);
  }
}

function functionText(value: object): string {
  const descriptor = getOwnPropertyDescriptor(value, "name");
  const name: unknown = descriptor?.value;
  return typeof name === "string" && name !== "" ? `[Function: ${cut(name, 100)}]` : "[Function]";
}

function objectText(value: object, above: readonly unknown[], budget: Budget): string {
  for (let index = 0; index < above.length; index += 1) if (above[index] === value) return "[Circular]";
  if (isError(value)) return errorTextOf(value);
  if (hasPrototype(DatePrototype, value)) return dateToIso(value);
  if (hasPrototype(RegExpPrototype, value)) return regexpToText(value);
  if (above.length >= LEVELS_MOST) return isArray(value) ? "[Array]" : "[Object]";
  const within: unknown[] = [];
  for (let index = 0; index < above.length; index += 1) push(within, above[index]);
  push(within, value);
  if (isArray(value))
    return `[${joined(value.length, (index) => show(value[index], within, budget), budget, " ")}]`;
  if (hasPrototype(MapPrototype, value)) return mapText(value, within, budget);
  if (hasPrototype(SetPrototype, value)) return setText(value, within, budget);
  const names = keys(value);
  const body = joined(
    names.length,
    (index) => memberText(value, names[index] as string, within, budget),
    budget,
    " ",
  );
  return `${prefix(value)}{${body}}`;
}

function errorTextOf(error: Error): string {
  return textProperty(error, "stack") ?? errorToText(error);
}

function memberText(value: object, name: string, above: readonly unknown[], budget: Budget): string {
  const key = matchNext(NAME, name) === null ? stringify(cut(name, 100)) : name;
  const descriptor = safelyDescriptor(value, name);
  if (descriptor?.get !== undefined) return `${key}: [Getter]`;
  return `${key}: ${show(descriptor?.value, above, budget)}`;
}

function safelyDescriptor(value: object, name: string): PropertyDescriptor | undefined {
  try {
    return getOwnPropertyDescriptor(value, name);
  } catch {
    return { value: "[unreadable]" };
  }
}

function mapText(map: object, above: readonly unknown[], budget: Budget): string {
  const items: unknown[][] = [];
  mapForEach(map, (item, key) => {
    if (items.length < ITEMS_MOST) push(items, [key, item]);
  });
  const entry = (index: number) =>
    `${show(items[index]?.[0], above, budget)} => ${show(items[index]?.[1], above, budget)}`;
  const size = mapSize(map);
  return `Map(${size}) {${joined(size, entry, budget, " ")}}`;
}

function setText(set: object, above: readonly unknown[], budget: Budget): string {
  const items: unknown[] = [];
  setForEach(set, (item) => {
    if (items.length < ITEMS_MOST) push(items, item);
  });
  const size = setSize(set);
  return `Set(${size}) {${joined(size, (index) => show(items[index], above, budget), budget, " ")}}`;
}

/** The class name of an object, if it is informative. */
function prefix(value: object): string {
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === ObjectPrototype) return "";
  if (prototype === null) return "[Object: null prototype] ";
  const maker: unknown = getOwnPropertyDescriptor(prototype as object, "constructor")?.value;
  const name: unknown =
    typeof maker === "function" ? getOwnPropertyDescriptor(maker, "name")?.value : undefined;
  return typeof name === "string" && name !== "" ? `${cut(name, 100)} ` : "";
}

function joined(count: number, part: (index: number) => string, budget: Budget, pad: string): string {
  let out = "";
  for (let index = 0; index < count; index += 1) {
    if (index > 0) out += ", ";
    if (index >= ITEMS_MOST || budget.left <= 0) {
      out += `… ${count - index} more`;
      break;
    }
    out += part(index);
  }
  return out === "" ? "" : `${pad}${out}${pad}`;
}
