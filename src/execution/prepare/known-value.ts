/**
 * What is known about a value before the run, and whether the run's value agrees with it.
 *
 * Unknown parts are listed separately from the data, so that no data can imitate them.
 *
 * @module
 */
import type { ArgumentValue } from "../../analysis/static-structure.js";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import type { UnknownPart } from "../ports/execute-answer.js";

export type KnownValue =
  | { readonly kind: "value"; readonly value: Json }
  /** Only known in the run; `expression` is the text in the code. */
  | { readonly kind: "unknown"; readonly expression: string }
  | { readonly kind: "absent" }
  | KnownObject
  | { readonly kind: "list"; readonly items: readonly KnownValue[] };

export interface KnownObject {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, KnownValue>;
  /** The expression that can add further fields, if there is one. */
  readonly rest?: string;
}

type Path = readonly (string | number)[];

const READ = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/;
/** Analysis truncates expressions at this length. */
const EXPRESSION_CHARS = 500;

function unknownValue(expression: string): KnownValue {
  return { kind: "unknown", expression: shortExpression(expression) };
}

export function shortExpression(text: string): string {
  return text.length < EXPRESSION_CHARS ? text : `${text}…`;
}

export function knownObject(value: Readonly<Record<string, Json>>): KnownObject {
  return {
    kind: "object",
    fields: new Map(Object.entries(value).map(([name, item]) => [name, { kind: "value", value: item }])),
  };
}

function fieldOf({ fields, rest }: KnownObject, name: string): KnownValue {
  return fields.get(name) ?? (rest === undefined ? { kind: "absent" } : unknownValue(rest));
}

/** The value of an argument in code that is called with `args`. */
export function argumentValue(
  argument: ArgumentValue,
  args: KnownObject,
  isParameter: (name: string) => boolean,
): KnownValue {
  if (argument.type === "literal") return { kind: "value", value: argument.value };
  const { expression, fields, isOpen } = argument;
  const read = argument.type === "parameter" ? readFromArgs(expression, args, isParameter) : undefined;
  if (read !== undefined) return read;
  // A spread or a field with a computed name may also replace one of these.
  if (fields === undefined || isOpen === true) return unknownValue(expression);
  return {
    kind: "object",
    fields: new Map(
      Object.entries(fields).map(([name, field]) => [name, argumentValue(field, args, isParameter)]),
    ),
  };
}

/** The value of `args.a.b`, or of `a.b` if `a` is a parameter; undefined for any other expression. */
export function readFromArgs(
  expression: string,
  args: KnownObject,
  isParameter: (name: string) => boolean,
): KnownValue | undefined {
  if (!READ.test(expression)) return undefined;
  const [root = "", ...names] = expression.split(".");
  if (root !== "args" && !isParameter(root)) return undefined;
  let value: KnownValue = root === "args" ? args : fieldOf(args, root);
  for (const name of names) {
    const whole: KnownValue = value.kind === "value" ? taken(value.value) : value;
    // Fields of anything but an object are only known in the run.
    if (whole.kind !== "object") return unknownValue(expression);
    value = fieldOf(whole, name);
  }
  return value;
}

/** `value` with `part` at `path`; unchanged if that path does not exist. */
export function withPart(value: KnownValue, path: Path, part: KnownValue): KnownValue {
  const [key, ...rest] = path;
  if (key === undefined) return part;
  const whole = value.kind === "value" ? taken(value.value) : value;
  if (whole.kind === "object" && typeof key === "string") {
    const field = whole.fields.get(key);
    if (field === undefined) return value;
    return { ...whole, fields: new Map(whole.fields).set(key, withPart(field, rest, part)) };
  }
  if (whole.kind !== "list" || typeof key !== "number") return value;
  const item = whole.items[key];
  return item === undefined
    ? value
    : { kind: "list", items: whole.items.with(key, withPart(item, rest, part)) };
}

/** The same value with its top level split into fields. */
function taken(value: Json): KnownValue {
  if (Array.isArray(value))
    return { kind: "list", items: value.map((item: Json) => ({ kind: "value", value: item })) };
  return isJsonObject(value)
    ? knownObject(value as Readonly<Record<string, Json>>)
    : { kind: "value", value };
}

/** Whether a value of a run agrees with the value that was known before; `isFree` judges its unknown parts. */
export function fits(
  known: KnownValue,
  sent: Json | undefined,
  isFree: (value: Json) => boolean = () => true,
): boolean {
  switch (known.kind) {
    case "unknown":
      return sent === undefined || isFree(sent);
    case "absent":
      return sent === undefined;
    case "value":
      return sent !== undefined && canonicalJson(known.value) === canonicalJson(sent);
    case "list":
      return (
        Array.isArray(sent) &&
        sent.length === known.items.length &&
        known.items.every((item, index) => fits(item, sent[index] as Json, isFree))
      );
    case "object": {
      if (!isJsonObject(sent)) return false;
      const { fields, rest } = known;
      for (const [name, field] of fields)
        if (!fits(field, Object.hasOwn(sent, name) ? (sent[name] as Json) : undefined, isFree)) return false;
      const others = Object.keys(sent).filter((name) => !fields.has(name));
      return others.every((name) => rest !== undefined && isFree({ [name]: sent[name] as Json }));
    }
  }
}

/** The known part as data, and the unknown parts separately. */
export function shownValue(known: KnownValue): {
  readonly value: Json | undefined;
  readonly unknown: readonly UnknownPart[];
} {
  const unknown: UnknownPart[] = [];
  return { value: shown(known, "", unknown), unknown };
}

function shown(known: KnownValue, at: string, unknown: UnknownPart[]): Json | undefined {
  switch (known.kind) {
    case "value":
      return known.value;
    case "absent":
      return undefined;
    case "unknown":
      unknown.push({ at, expression: known.expression });
      return undefined;
    case "list":
      return known.items.map((item, index) => shown(item, `${at}/${index}`, unknown) ?? null);
    case "object": {
      if (known.rest !== undefined) unknown.push({ at, expression: known.rest, isRest: true });
      return Object.fromEntries(
        [...known.fields].flatMap(([name, field]): readonly [string, Json][] => {
          const value = shown(field, `${at}/${pointerPart(name)}`, unknown);
          return value === undefined ? [] : [[name, value]];
        }),
      );
    }
  }
}

/** Escapes as in RFC 6901. */
function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
