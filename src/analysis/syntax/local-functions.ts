import { isFunction, type Node, type NodeOf, withoutTypes } from "./ast.js";
import { onlyValue } from "./constants.js";
import type { Scopes } from "./scopes.js";

/** The parameter that an argument of a call becomes, where the code itself declares the function that is called. */
export function parameterOf(
  call: NodeOf<"CallExpression">,
  argument: Node,
  scopes: Scopes,
): Node | undefined {
  const index = (call.arguments as readonly Node[]).indexOf(argument);
  if (index === -1) return undefined;
  const before = call.arguments.slice(0, index);
  if (before.some(({ type }) => type === "SpreadElement")) return undefined;
  const callee = calleeOf(withoutTypes(call.callee), scopes);
  if (callee === undefined || !isFunction(callee)) return undefined;
  const parameters = (callee.params as readonly Node[]).filter(
    (each) => !(each.type === "Identifier" && each.name === "this"),
  );
  const parameter = parameters[index];
  return parameter?.type === "RestElement" ? undefined : parameter;
}

function calleeOf(callee: Node, scopes: Scopes): Node | undefined {
  if (callee.type !== "Identifier") return callee;
  const binding = scopes.bindingOf(callee);
  if (binding?.kind === "function" && binding.writes.length === 1)
    return binding.writes[0]?.parent ?? undefined;
  const value = onlyValue(callee, scopes);
  return value === undefined ? undefined : withoutTypes(value);
}
