/**
 * Whether it is obvious where the functions of the code are called: each function is only called by its name, or is
 * written where it is called or passed to a method of the language.
 *
 * Then functions never flow through variables or results. This holds for most code, and saves data flow most of its
 * work.
 *
 * @module
 */
import { contextOf, type FunctionNode, type Node, type NodeOf } from "../syntax/ast.js";
import type { Binding, Scopes } from "../syntax/scopes.js";

/** Returns the function that a callee names. */
export type NamedFunctions = (callee: Node) => FunctionNode | undefined;

export function plainFunctions(
  functions: readonly FunctionNode[],
  scopes: Scopes,
): NamedFunctions | undefined {
  const named = new Map<Binding, FunctionNode>();
  for (const each of functions) {
    const name = nameOf(each, scopes);
    if (name === "none") continue;
    const binding = name === undefined ? undefined : scopes.bindingOf(name);
    if (binding?.writes.length !== 1 || !binding.reads.every(isCallee)) return undefined;
    named.set(binding, each);
  }
  return (callee) => {
    const binding = callee.type === "Identifier" ? scopes.bindingOf(callee) : undefined;
    return binding === undefined ? undefined : named.get(binding);
  };
}

/** The name that a function is called by: `none` if it needs none, `undefined` if it is not obvious. */
function nameOf(written: FunctionNode, scopes: Scopes): Node | "none" | undefined {
  if (written.type === "FunctionDeclaration") return written.id ?? undefined;
  if (written.type === "FunctionExpression" && written.id !== null) return undefined;
  const { parent, child } = contextOf(written);
  switch (parent?.type) {
    case "VariableDeclarator":
      return parent.init === child && parent.id.type === "Identifier" ? parent.id : undefined;
    case "CallExpression":
      return parent.callee === child || isCallback(parent, child, scopes) ? "none" : undefined;
    case "NewExpression":
      return parent.callee === child ? undefined : "none";
    default:
      return undefined;
  }
}

/** Methods that call their first argument and return results of that function, never the function itself. */
const CALLING: ReadonlySet<string> = new Set(
  (
    "map flatMap forEach filter find findLast findIndex findLastIndex some every reduce reduceRight sort toSorted " +
    "then catch finally replace replaceAll"
  ).split(" "),
);

function isCallback(
  { callee, arguments: args }: NodeOf<"CallExpression">,
  given: Node,
  scopes: Scopes,
): boolean {
  if (callee.type === "Identifier")
    return callee.name === "setTimeout" && scopes.bindingOf(callee) === undefined && args[0] === given;
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return false;
  const { name } = callee.property;
  return CALLING.has(name) && (args[0] === given || (args[1] === given && name === "then"));
}

function isCallee(read: Node): boolean {
  const { parent, child } = contextOf(read);
  return parent?.type === "CallExpression" && parent.callee === child;
}
