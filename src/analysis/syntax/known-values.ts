/**
 * What is known of the value of an expression before the code runs, as deep as it is written out: `{ path, depth: 3 }`
 * has a `depth` of 3, even if its `path` is unknown.
 *
 * Every expression is read once, its parts before itself, so nothing here recurses. Values share their parts: code of a
 * few lines can write a value of millions of parts, so each value knows its size, and the JSON of large ones is not told.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type Node, type NodeOf, withoutTypes } from "./ast.js";
import { jsonScalar, onlyValue, staticKey } from "./constants.js";
import type { Scopes } from "./scopes.js";

interface Found {
  /** Where it is given: a constant counts as given where it is used, not where it is set. */
  readonly at: Node;
  /** Where its parts are given, if it is set elsewhere. */
  readonly partsAt?: Node;
  /** The whole value, where every part of it is known. */
  readonly json: Json | undefined;
  /** Objects and lists within one another. */
  readonly levels: number;
  /** Expressions that it is made of, counted again for every use; `shared` are those that variables stand for. */
  readonly size: number;
  readonly shared: number;
}

export interface KnownList extends Found {
  readonly kind: "list";
  readonly items: readonly KnownValue[];
  /** There are no other items than these. */
  readonly isComplete: boolean;
  /** How many of the first have the place in the list that they have here. */
  readonly placed: number;
}

export interface KnownObject extends Found {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, KnownField>;
  /** There are no other fields than these. */
  readonly isComplete: boolean;
}

interface KnownField {
  readonly value: KnownValue;
  readonly at: Node;
}

interface KnownScalar extends Found {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
}

/** `text` is a string of which no more is known; `unknown` can be anything, and nothing. */
export type KnownValue =
  | KnownScalar
  | KnownList
  | KnownObject
  | (Found & { readonly kind: "text" | "undefined" | "unknown" });

/** Reads expressions of one piece of code. */
export type ValueReader = (expression: Node) => KnownValue;

/** Parts that are copied from one object or list into others, in all. */
const COPIES = 100_000;
/** A value that variables stand for has so many expressions at most, if its JSON is told. */
const SHARED = 1_000;

/**
 * `isChanged` says whether something else may be in the object or list of a variable than what it was set to. Without it
 * only what is written out counts: no variables, no spreads, no computed keys, no text that is put together.
 */
export function valuesIn(scopes: Scopes, isChanged?: (variable: Node) => boolean): ValueReader {
  const known = new Map<Node, KnownValue>();
  let copies = COPIES;

  const inner = (part: Node): KnownValue => known.get(withoutTypes(part)) ?? nothing(part);
  const absent = (at: Node): KnownValue => nothing(at, isChanged === undefined ? "unknown" : "undefined");
  const joined = (node: Node): string | undefined => isChanged && staticKey(node, true, scopes);

  const read = (node: Node): KnownValue => {
    switch (node.type) {
      case "Literal":
        return scalar(node, jsonScalar(node));
      case "TemplateLiteral": {
        const text = node.expressions.length === 0 ? node.quasis[0]?.value.cooked : joined(node);
        return typeof text === "string" ? scalar(node, text) : nothing(node, "text");
      }
      case "BinaryExpression":
        return scalar(node, joined(node));
      case "UnaryExpression":
        return node.operator === "void" ? absent(node) : signed(node, inner(node.argument).json);
      case "Identifier":
        return variable(node);
      case "MemberExpression":
        return member(node);
      case "ArrayExpression":
        return list(node);
      case "ObjectExpression":
        return object(node);
      default:
        return nothing(node);
    }
  };

  const variable = (node: NodeOf<"Identifier">): KnownValue => {
    if (node.name === "undefined" && scopes.bindingOf(node) === undefined) return absent(node);
    const initial = isChanged && onlyValue(node, scopes);
    if (isChanged === undefined || initial === undefined) return nothing(node);
    const value = inner(initial);
    const canChange = value.kind === "list" || value.kind === "object";
    return canChange && isChanged(node) ? nothing(node) : setElsewhere(value, node);
  };

  const member = (node: NodeOf<"MemberExpression">): KnownValue => {
    const key = staticKey(node.property, node.computed, scopes);
    const whole = inner(node.object);
    if (key === undefined) return nothing(node);
    if (whole.kind === "object") return setElsewhere(whole.fields.get(key)?.value, node);
    const isPlace = whole.kind === "list" && /^\d+$/.test(key) && Number(key) < whole.placed;
    return setElsewhere(isPlace ? whole.items[Number(key)] : undefined, node);
  };

  /** Whether the parts of a value may be copied into another. */
  const mayCopy = (count: number): boolean => {
    copies -= count;
    return isChanged !== undefined && copies >= 0;
  };

  const list = (node: NodeOf<"ArrayExpression">): KnownValue => {
    const items: KnownValue[] = [];
    let placed: number | undefined;
    for (const element of node.elements) {
      if (element?.type !== "SpreadElement") {
        items.push(element === null ? absent(node) : inner(element));
        continue;
      }
      const spread = inner(element.argument);
      if (spread.kind === "list" && spread.isComplete && mayCopy(spread.items.length))
        for (const item of spread.items) items.push(movedTo(item, element));
      else placed ??= items.length;
    }
    const isComplete = placed === undefined;
    const parts = node.elements.map((each) => (each === null ? absent(node) : inner(writtenIn(each))));
    const { isKnown, ...made } = madeOf(node, parts);
    const json = isComplete && isKnown ? items.map((item) => item.json ?? null) : undefined;
    return { ...made, kind: "list", items, isComplete, placed: placed ?? items.length, json };
  };

  const object = (node: NodeOf<"ObjectExpression">): KnownValue => {
    const fields = new Map<string, KnownField>();
    let isComplete = true;
    /** What is not known may be any field, and so replace any that stands before it. */
    const forget = (): void => {
      isComplete = false;
      for (const [key, { at }] of fields) fields.set(key, { value: nothing(at), at });
    };
    for (const property of node.properties) {
      if (property.type === "SpreadElement") {
        const spread = inner(property.argument);
        if (spread.kind === "undefined") continue;
        const isKnown = spread.kind === "object" && mayCopy(spread.fields.size);
        if (!isKnown || !spread.isComplete) forget();
        if (isKnown)
          for (const [key, { value }] of spread.fields)
            fields.set(key, { value: movedTo(value, property), at: property });
        continue;
      }
      const isWritten = isChanged !== undefined || !property.computed;
      const key = isWritten ? staticKey(property.key, property.computed, scopes) : undefined;
      if (key === undefined) forget();
      // It sets the prototype, not a field.
      else if (key === "__proto__" && !property.computed) isComplete = false;
      else fields.set(key, { value: inner(property.value), at: property });
    }
    const { isKnown, ...made } = madeOf(node, partsOf(node).map(inner));
    const json = isComplete && isKnown ? jsonOfFields(fields) : undefined;
    return { ...made, kind: "object", fields, isComplete, json };
  };

  /** What is read before an expression. */
  const partsOf = (node: Node): readonly Node[] => {
    switch (node.type) {
      case "UnaryExpression":
        return [node.argument];
      case "ArrayExpression":
        return node.elements.flatMap((each) => (each === null ? [] : writtenIn(each)));
      case "ObjectExpression":
        return node.properties.map(writtenIn);
      case "MemberExpression":
        return isChanged === undefined ? [] : [node.object];
      case "Identifier": {
        const value = isChanged && onlyValue(node, scopes);
        return value === undefined ? [] : [value];
      }
      default:
        return [];
    }
  };

  return (expression) => {
    const root = withoutTypes(expression);
    const waiting: Node[] = [root];
    const isOpen = new Set<Node>();
    for (let node = waiting.at(-1); node !== undefined; node = waiting.at(-1)) {
      if (known.has(node) || isOpen.has(node)) {
        if (!known.has(node)) known.set(node, read(node));
        waiting.pop();
        continue;
      }
      isOpen.add(node);
      for (const part of partsOf(node)) waiting.push(withoutTypes(part));
    }
    return inner(root);
  };
}

/** The expression of an item, a field or a spread. */
function writtenIn(part: Node): Node {
  if (part.type === "SpreadElement") return part.argument;
  return part.type === "Property" ? part.value : part;
}

/** Big enough for a default, small enough for a schema. */
const DEFAULT_SIZE = 200;
const DEFAULT_LEVELS = 20;

/** Reads the short JSON that an expression writes out, or a variable that is set to such an expression. */
export function defaultsIn(
  scopes: Scopes,
  isChanged: (variable: Node) => boolean,
): (expression: Node) => Json | undefined {
  const knownOf = valuesIn(scopes);
  return (expression) => {
    const node = withoutTypes(expression);
    const isVariable = node.type === "Identifier" && !isChanged(node);
    const { json, size, levels } = knownOf((isVariable && onlyValue(node, scopes)) || node);
    return size <= DEFAULT_SIZE && levels <= DEFAULT_LEVELS ? json : undefined;
  };
}

function nothing(at: Node, kind: "text" | "undefined" | "unknown" = "unknown"): KnownValue {
  return { kind, at, json: undefined, levels: 0, size: 1, shared: 0 };
}

export function scalar(at: Node, value: KnownScalar["value"] | undefined): KnownValue {
  if (value === undefined) return nothing(at);
  return { kind: "scalar", value, at, json: value, levels: 0, size: 1, shared: 0 };
}

function signed(node: NodeOf<"UnaryExpression">, value: Json | undefined): KnownValue {
  const { operator } = node;
  if (typeof value !== "number" || (operator !== "-" && operator !== "+")) return nothing(node);
  return scalar(node, operator === "-" ? -value : value);
}

/** A value that a variable stands for, or a part of it. */
function setElsewhere(value: KnownValue | undefined, at: Node): KnownValue {
  if (value === undefined) return nothing(at);
  const { size, json } = value;
  return { ...movedTo(value, at), size: size + 1, shared: size, json: size > SHARED ? undefined : json };
}

/** The value as if it were given at `at`; unchanged without one. */
export function movedTo(value: KnownValue, at: Node | undefined): KnownValue {
  return at === undefined ? value : { ...value, at, partsAt: at };
}

/** `{}`. */
export function emptyObject(at: Node): KnownObject {
  return { kind: "object", fields: new Map(), isComplete: true, at, json: {}, levels: 1, size: 1, shared: 0 };
}

function madeOf(at: Node, parts: readonly KnownValue[]): Omit<Found, "json"> & { readonly isKnown: boolean } {
  let [levels, size, shared] = [0, 1, 0];
  let isKnown = true;
  for (const part of parts) {
    levels = Math.max(levels, part.levels);
    size += part.size;
    shared += part.shared;
    isKnown &&= part.json !== undefined || part.kind === "undefined";
  }
  return { at, levels: levels + 1, size, shared, isKnown: isKnown && shared <= SHARED };
}

/** As it is sent: nothing (`undefined`) is no field, and null in a list. */
function jsonOfFields(fields: ReadonlyMap<string, KnownField>): Json {
  const entries = [...fields].flatMap(([key, { value }]): readonly [string, Json][] =>
    value.json === undefined ? [] : [[key, value.json]],
  );
  return Object.fromEntries(entries);
}
