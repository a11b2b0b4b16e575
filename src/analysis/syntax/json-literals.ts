/**
 * The JSON that expressions write out, for an expression and all that stand in it, in one pass.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type Node, type NodeOf, withoutTypes } from "./ast.js";
import { isSign, jsonScalar, signed } from "./constants.js";

export interface JsonLiteral {
  readonly value: Json;
  /** Objects and lists within one another. */
  readonly levels: number;
}

/** What is remembered: `undefined` for an expression that is more than JSON. */
export type KnownLiterals = Map<Node, JsonLiteral | undefined>;

/** Expressions are looked up without their casts. */
export function jsonLiteralIn(known: KnownLiterals, expression: Node): JsonLiteral | undefined {
  const root = withoutTypes(expression);
  if (!known.has(root)) read(root, known);
  return known.get(root);
}

function read(root: Node, known: KnownLiterals): void {
  const nodes: Node[] = [root];
  // It grows while it is read, so that what stands inside comes behind what is around it.
  for (let i = 0; i < nodes.length; i += 1) {
    for (const part of partsOf(nodes[i] as Node)) nodes.push(withoutTypes(part));
  }
  for (let i = nodes.length - 1; i >= 0; i -= 1) {
    const node = nodes[i] as Node;
    if (!known.has(node)) known.set(node, literalOf(node, known));
  }
}

function partsOf(node: Node): readonly Node[] {
  switch (node.type) {
    case "UnaryExpression":
      return isSign(node.operator) ? [node.argument] : [];
    case "ArrayExpression":
      return node.elements.filter((each) => each !== null);
    case "ObjectExpression":
      return node.properties.flatMap((each) => (each.type === "Property" ? [each.value as Node] : []));
    default:
      return [];
  }
}

function literalOf(node: Node, known: KnownLiterals): JsonLiteral | undefined {
  switch (node.type) {
    case "Literal":
      return leaf(node);
    case "TemplateLiteral": {
      const text = node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
      return typeof text === "string" ? { value: text, levels: 0 } : undefined;
    }
    case "UnaryExpression": {
      const value = signed(node.operator, known.get(withoutTypes(node.argument))?.value);
      return value === undefined ? undefined : { value, levels: 0 };
    }
    case "ArrayExpression":
      return list(node, known);
    case "ObjectExpression":
      return object(node, known);
    default:
      return undefined;
  }
}

function leaf(literal: NodeOf<"Literal">): JsonLiteral | undefined {
  const value = jsonScalar(literal);
  return value === undefined ? undefined : { value, levels: 0 };
}

function list({ elements }: NodeOf<"ArrayExpression">, known: KnownLiterals): JsonLiteral | undefined {
  const items: Json[] = [];
  let levels = 0;
  for (const element of elements) {
    const item = element === null ? undefined : known.get(withoutTypes(element));
    if (item === undefined) return undefined;
    items.push(item.value);
    levels = Math.max(levels, item.levels);
  }
  return { value: items, levels: levels + 1 };
}

function object({ properties }: NodeOf<"ObjectExpression">, known: KnownLiterals): JsonLiteral | undefined {
  const entries: [string, Json][] = [];
  let levels = 0;
  for (const property of properties) {
    if (property.type !== "Property" || property.kind !== "init" || property.computed) return undefined;
    const key = keyOf(property.key);
    const item = known.get(withoutTypes(property.value));
    // `__proto__` is no field, but what the object inherits from.
    if (key === undefined || key === "__proto__" || item === undefined) return undefined;
    entries.push([key, item.value]);
    levels = Math.max(levels, item.levels);
  }
  return { value: Object.fromEntries(entries), levels: levels + 1 };
}

function keyOf(key: Node): string | undefined {
  if (key.type === "Identifier") return key.name;
  if (key.type !== "Literal") return undefined;
  return typeof key.value === "string" || typeof key.value === "number" ? String(key.value) : undefined;
}
