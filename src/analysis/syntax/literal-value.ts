/**
 * The JSON value of an expression that is the same in every run, constants of the code included.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type Node, type NodeOf, withoutTypes } from "./ast.js";
import { isSign, jsonScalar, onlyValue, signed, staticKey } from "./constants.js";
import type { Scopes } from "./scopes.js";

/** JSON that is nested deeper is no literal. */
const DEPTH = 100;
/** Constants are read again wherever they are used, so that this many parts of them are read at most. */
const CONSTANT_NODES = 1_000;

interface Reading {
  readonly scopes: Scopes;
  /** Whether what a variable holds is changed after it was set. */
  readonly isChanged: (variable: Node) => boolean;
  left: number;
}

/** `undefined` where an expression is more than JSON, or is not known. */
export function literalValue(
  expression: Node,
  scopes: Scopes,
  isChanged: (variable: Node) => boolean,
): Json | undefined {
  return read(expression, { scopes, isChanged, left: CONSTANT_NODES }, 0, false);
}

function read(given: Node, reading: Reading, depth: number, isInConstant: boolean): Json | undefined {
  if (depth > DEPTH) return undefined;
  if (isInConstant) reading.left -= 1;
  if (reading.left < 0) return undefined;
  const node = withoutTypes(given);
  switch (node.type) {
    case "Literal":
      return jsonScalar(node);
    case "TemplateLiteral":
    case "BinaryExpression":
      return staticKey(node, true, reading.scopes);
    case "UnaryExpression":
      return isSign(node.operator)
        ? signed(node.operator, read(node.argument, reading, depth + 1, isInConstant))
        : undefined;
    case "Identifier": {
      const value = reading.isChanged(node) ? undefined : onlyValue(node, reading.scopes);
      return value === undefined ? undefined : read(value, reading, depth + 1, true);
    }
    case "MemberExpression": {
      const key = staticKey(node.property, node.computed, reading.scopes);
      const whole = key === undefined ? undefined : read(node.object, reading, depth + 1, isInConstant);
      if (typeof whole !== "object" || whole === null || key === undefined) return undefined;
      return Object.hasOwn(whole, key) && !(key === "length" && Array.isArray(whole))
        ? (whole as Readonly<Record<string, Json>>)[key]
        : undefined;
    }
    case "ArrayExpression":
      return readList(node, reading, depth, isInConstant);
    case "ObjectExpression":
      return readObject(node, reading, depth, isInConstant);
    default:
      return undefined;
  }
}

function readList(
  node: NodeOf<"ArrayExpression">,
  reading: Reading,
  depth: number,
  isInConstant: boolean,
): Json | undefined {
  const items: Json[] = [];
  for (const element of node.elements) {
    const isSpread = element?.type === "SpreadElement";
    const part = isSpread ? element.argument : element;
    const value = part === null ? undefined : read(part, reading, depth + 1, isInConstant);
    if (value === undefined || (isSpread && !Array.isArray(value))) return undefined;
    if (isSpread) for (const item of value as Json[]) items.push(item);
    else items.push(value);
  }
  return items;
}

function readObject(
  node: NodeOf<"ObjectExpression">,
  reading: Reading,
  depth: number,
  isInConstant: boolean,
): Json | undefined {
  const fields = new Map<string, Json>();
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const value = read(property.argument, reading, depth + 1, isInConstant);
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      for (const [key, item] of Object.entries(value)) fields.set(key, item as Json);
      continue;
    }
    const key = staticKey(property.key, property.computed, reading.scopes);
    const isPlain =
      property.kind === "init" && !property.method && !(key === "__proto__" && !property.computed);
    const value = isPlain ? read(property.value, reading, depth + 1, isInConstant) : undefined;
    if (key === undefined || value === undefined) return undefined;
    fields.set(key, value);
  }
  return Object.fromEntries(fields);
}
