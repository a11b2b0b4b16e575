/**
 * Values that are known before the code runs.
 *
 * @module
 */
import { functionAround, isFunction, type Node, type NodeOf, withoutTypes } from "./ast.js";
import type { Scopes } from "./scopes.js";

/** Names are short; longer texts, or those with more parts, are not evaluated. */
const CONSTANT_PARTS = 100;
const CONSTANT_CHARS = 1_000;

/** The value of a number literal; the parser's own is missing for those beyond the largest number. */
export function numberOf(literal: NodeOf<"Literal">): number | undefined {
  if (typeof literal.value === "number") return literal.value;
  const isNumber =
    literal.value === null && literal.raw !== "null" && !("regex" in literal) && !("bigint" in literal);
  return isNumber ? Number.POSITIVE_INFINITY : undefined;
}

/** The JSON value of a literal: not of a regular expression, a bigint, or a number beyond the largest. */
export function jsonScalar({ value, raw }: NodeOf<"Literal">): string | number | boolean | null | undefined {
  if (value === null) return raw === "null" ? null : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

/** The text of an expression, if it is constant. */
function constantString(expression: Node, scopes: Scopes): string | undefined {
  // Parts that remain to be read, last first.
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
        // `+` joins texts only if both sides are text; otherwise the search ends.
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

/** The key of a member access or a property, if it is known. */
export function staticKey(key: Node, computed: boolean, scopes: Scopes): string | undefined {
  if (!computed && key.type === "Identifier") return key.name;
  if (key.type === "Literal") {
    const number = numberOf(key);
    if (number !== undefined) return String(number);
  }
  return constantString(key, scopes);
}

/** The value of the variable that is read here, if it is set only once, in its declaration, and before this read. */
export function onlyValue(identifier: Node, scopes: Scopes): Node | undefined {
  const binding = scopes.bindingOf(identifier);
  const [write] = binding?.writes ?? [];
  if (binding?.writes.length !== 1 || write === undefined) return undefined;
  const declarator = write.parent;
  if (declarator?.type !== "VariableDeclarator" || declarator.id !== write) return undefined;
  return isSetBefore(declarator, identifier) ? (declarator.init ?? undefined) : undefined;
}

/**
 * Whether a variable certainly has its initial value at this read, so that one can replace the other. A function may be
 * called later than it is written, so its reads count as later.
 */
export function isSetBefore(declarator: Node, read: Node): boolean {
  const declaration = declarator.parent;
  const list = declaration?.parent;
  if (declaration?.type !== "VariableDeclaration" || !list) return false;
  // Another case of a switch sees the variable, but not its value; so does code after a block with a `var`.
  if (list.type === "SwitchCase") return false;
  if (
    declaration.kind === "var" &&
    !(list.type === "BlockStatement" && (!list.parent || isFunction(list.parent)))
  )
    return false;
  return read.start >= declarator.end || functionAround(read) !== functionAround(declarator);
}
