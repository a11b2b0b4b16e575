/**
 * What is known about the value of an expression before the code runs, at every level: `{ path, depth: 3 }` has a
 * `depth` of 3, even if its `path` is unknown.
 *
 * Every expression is read once, its parts before itself, so nothing here recurses. Values share their parts: code of a
 * few lines can write a value of millions of parts, so each value knows its size, and the JSON of large ones is not
 * computed.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type Node, type NodeOf, withoutTypes } from "./ast.js";
import { jsonScalar, onlyValue, staticKey } from "./constants.js";
import type { Scopes } from "./scopes.js";

interface Found {
  /** Where the value is used: a constant counts where it is used, not where it is set. */
  readonly at: Node;
  /** The position of its parts, if it is set elsewhere. */
  readonly partsAt?: Node;
  /** The whole value, if every part of it is known. */
  readonly json: Json | undefined;
  /** How deep objects and lists are nested. */
  readonly levels: number;
  /** The number of its expressions, counted again for every use; `shared` counts those in variables. */
  readonly size: number;
  readonly shared: number;
}

export interface KnownList extends Found {
  readonly kind: "list";
  readonly items: readonly KnownValue[];
  /** There are no further items. */
  readonly isComplete: boolean;
  /** How many of the first items have their index in the real list. */
  readonly placed: number;
}

export interface KnownObject extends Found {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, KnownField>;
  /** There are no further fields. */
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

/** `text` is a string with unknown content; `unknown` can be anything, including `undefined`. */
export type KnownValue =
  | KnownScalar
  | KnownList
  | KnownObject
  | (Found & { readonly kind: "text" | "undefined" | "unknown" });

/** Reads expressions of one piece of code. */
export type ValueReader = (expression: Node) => KnownValue;

/** The maximum of parts that are copied from objects or lists into others. */
const COPIES = 100_000;
/** The maximum of shared expressions in a value whose JSON is computed. */
const SHARED = 1_000;

/**
 * `isChanged` says whether a variable's object or list may contain more than its initial value. Without it only
 * literals count: no variables, no spreads, no computed keys, no concatenated text.
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
    /** An unknown part may be any field, and so replace any field before it. */
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

  /** Expressions that are read before this one. */
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

/** Reads short JSON literals, also through variables that are set to such a literal. */
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

/** A value from a variable, or a part of it. */
function setElsewhere(value: KnownValue | undefined, at: Node): KnownValue {
  if (value === undefined) return nothing(at);
  const { size, json } = value;
  return { ...movedTo(value, at), size: size + 1, shared: size, json: size > SHARED ? undefined : json };
}

/** The value with the position `at`; unchanged without one. */
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

/** In the form that is sent: `undefined` is omitted, and null in a list. */
function jsonOfFields(fields: ReadonlyMap<string, KnownField>): Json {
  const entries = [...fields].flatMap(([key, { value }]): readonly [string, Json][] =>
    value.json === undefined ? [] : [[key, value.json]],
  );
  return Object.fromEntries(entries);
}
