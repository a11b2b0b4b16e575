/**
 * Values that are known before the code runs.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type Node, type NodeOf, withoutTypes } from "./ast.js";
import type { Scopes } from "./scopes.js";
import { isSetBefore } from "./set-before.js";

/** Names are short; what is longer, or made of more parts, is not looked at. */
const CONSTANT_PARTS = 100;
const CONSTANT_CHARS = 1_000;

/** The value of a number literal; the parser's own has none for those past the largest number. */
export function numberOf(literal: NodeOf<"Literal">): number | undefined {
  if (typeof literal.value === "number") return literal.value;
  const isNumber =
    literal.value === null && literal.raw !== "null" && !("regex" in literal) && !("bigint" in literal);
  return isNumber ? Number.POSITIVE_INFINITY : undefined;
}

/** The JSON that a literal is by itself: not a regular expression, a bigint, or a number past the largest. */
export function jsonScalar({ value, raw }: NodeOf<"Literal">): string | number | boolean | null | undefined {
  if (value === null) return raw === "null" ? null : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

/** `-1` and `+1`: whether the operator can stand before a number that is written out. */
export function isSign(operator: string): boolean {
  return operator === "-" || operator === "+";
}

/** A number with its sign; `undefined` for what is no number, or no sign. */
export function signed(operator: string, value: unknown): number | undefined {
  if (typeof value !== "number" || !isSign(operator)) return undefined;
  return operator === "-" ? -value : value;
}

/** The text of an expression, where it is the same in every run. */
function constantString(expression: Node, scopes: Scopes): string | undefined {
  // What is still to be read, last first.
  const parts: Node[] = [expression];
  let text = "";
  for (let count = 0; parts.length > 0; count += 1) {
    const node = withoutTypes(parts.pop() as Node);
    if (count > CONSTANT_PARTS || text.length > CONSTANT_CHARS) return undefined;
    switch (node.type) {
      case "Literal":
        if (typeof node.value !== "string") return undefined;
        text += node.value;
        break;
      case "TemplateLiteral":
        for (let i = node.quasis.length - 1; i >= 0; i -= 1) {
          const inner = node.expressions[i];
          if (inner !== undefined) parts.push(inner);
          parts.push(node.quasis[i] as Node);
        }
        break;
      case "TemplateElement":
        text += node.value.cooked ?? "";
        break;
      case "BinaryExpression":
        // Both sides must be text for the plus to join them, and whatever else they are ends the search.
        if (node.operator !== "+") return undefined;
        parts.push(node.right, node.left);
        break;
      case "Identifier": {
        const value = onlyValue(node, scopes);
        if (value === undefined) return undefined;
        parts.push(value);
        break;
      }
      default:
        return undefined;
    }
  }
  return text;
}

/** The key of a member access or a property, where it is known. */
export function staticKey(key: Node, computed: boolean, scopes: Scopes): string | undefined {
  if (!computed && key.type === "Identifier") return key.name;
  if (key.type === "Literal") {
    const number = numberOf(key);
    if (number !== undefined) return String(number);
  }
  return constantString(key, scopes);
}

/** What the variable that is read here is set to, where that happens once, in its declaration, and before. */
export function onlyValue(identifier: Node, scopes: Scopes): Node | undefined {
  const binding = scopes.bindingOf(identifier);
  const [write] = binding?.writes ?? [];
  if (binding?.writes.length !== 1 || write === undefined) return undefined;
  const declarator = write.parent;
  if (declarator?.type !== "VariableDeclarator" || declarator.id !== write) return undefined;
  return isSetBefore(declarator, identifier) ? (declarator.init ?? undefined) : undefined;
}

/** Big enough for a default, small enough for a schema. */
const LITERAL_NODES = 200;

/** The JSON that an expression writes out, or a variable that is set to such an expression. */
export function jsonConstant(expression: Node, scopes: Scopes): Json | undefined {
  const node = withoutTypes(expression);
  return jsonLiteral(node.type === "Identifier" ? (onlyValue(node, scopes) ?? node) : node);
}

/** `undefined` where an expression is more than JSON. */
function jsonLiteral(expression: Node): Json | undefined {
  let left = LITERAL_NODES;
  const read = (given: Node, deep: number): Json | undefined => {
    left -= 1;
    if (left < 0 || deep > 20) return undefined;
    const node = withoutTypes(given);
    switch (node.type) {
      case "Literal":
        return jsonScalar(node);
      case "TemplateLiteral":
        return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
      case "UnaryExpression":
        return isSign(node.operator) ? signed(node.operator, read(node.argument, deep + 1)) : undefined;
      case "ArrayExpression": {
        const items: Json[] = [];
        for (const element of node.elements) {
          const item = element === null ? undefined : read(element, deep + 1);
          if (item === undefined) return undefined;
          items.push(item);
        }
        return items;
      }
      case "ObjectExpression": {
        const entries: [string, Json][] = [];
        for (const property of node.properties) {
          if (property.type !== "Property" || property.kind !== "init" || property.computed) return undefined;
          const key = property.key.type === "Identifier" ? property.key.name : read(property.key, deep + 1);
          const value = property.method ? undefined : read(property.value, deep + 1);
          if (
            (typeof key !== "string" && typeof key !== "number") ||
            key === "__proto__" ||
            value === undefined
          )
            return undefined;
          entries.push([String(key), value]);
        }
        return Object.fromEntries(entries);
      }
      default:
        return undefined;
    }
  };
  return read(expression, 0);
}
