/**
 * Finds where code only tests whether a value is truthy.
 *
 * @module
 */
import { contextOf, type Node } from "./ast.js";

/** Whether the child determines the outcome of its parent. */
export function isTest(parent: Node | undefined, child: Node): boolean {
  switch (parent?.type) {
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
    case "ConditionalExpression":
      return parent.test === child;
    default:
      return false;
  }
}

/** Whether only the truth of an expression is used: in `if (a && b)` this holds for `a && b`, and for `b`. */
export function isTested(expression: Node): boolean {
  let node = expression;
  for (;;) {
    const { parent, child } = contextOf(node);
    if (parent?.type === "UnaryExpression") return parent.operator === "!";
    if (parent?.type !== "LogicalExpression") return isTest(parent, child);
    if (parent.operator === "??") return false;
    node = parent;
  }
}
