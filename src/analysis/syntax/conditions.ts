/**
 * Where code asks of a value no more than whether it is something or nothing.
 *
 * @module
 */
import { contextOf, type Node } from "./ast.js";

/** Whether the child decides which way its parent goes. */
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

/** Whether nothing is asked of an expression but whether it is true: `if (a && b)` asks that of `a && b`, and of `b`. */
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
