import { functionAround, isFunction, type Node } from "./ast.js";

/**
 * Whether a variable surely has its initial value where it is read: then the one can stand for the other. A function may
 * be called later than it is written, so what it reads counts as read later.
 */
export function isSetBefore(declarator: Node, read: Node): boolean {
  const declaration = declarator.parent;
  const list = declaration?.parent;
  if (declaration?.type !== "VariableDeclaration" || !list) return false;
  // Another case of a switch sees the variable, but not its value; so does code behind a block that has a `var`.
  if (list.type === "SwitchCase") return false;
  if (
    declaration.kind === "var" &&
    !(list.type === "BlockStatement" && (!list.parent || isFunction(list.parent)))
  )
    return false;
  return read.start >= declarator.end || functionAround(read) !== functionAround(declarator);
}
