/**
 * The positions of lifted parameters in the arguments of one call.
 *
 * @module
 */
import type { LiftedPlace } from "../analysis.js";
import { callArguments, objectFields } from "../data/call-arguments.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { onlyValue } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import type { LiftedLiteral } from "./lifting.js";

interface Value {
  readonly node: Node;
  readonly path: readonly (string | number)[];
}

/** The maximum of visited values in one call: a shared object can be spread into many. */
const VALUES_MOST = 5_000;

export function liftedPlaces(
  call: NodeOf<"CallExpression">,
  lifted: readonly LiftedLiteral[],
  scopes: Scopes,
): readonly LiftedPlace[] {
  if (lifted.length === 0) return [];
  const nameOf = new Map(lifted.map(({ node, name }) => [node, name]));
  const places: LiftedPlace[] = [];
  const waiting: Value[] = callArguments(call, scopes).fields.map(({ key, value }) => ({
    node: value,
    path: [key],
  }));
  for (let count = 0; count < VALUES_MOST; count += 1) {
    const next = waiting.pop();
    if (next === undefined) break;
    const { path } = next;
    const node = written(next.node, scopes);
    const name = nameOf.get(node);
    if (name !== undefined) places.push({ path, name });
    else if (node.type === "ObjectExpression")
      for (const { key, value } of objectFields(node, scopes))
        waiting.push({ node: value, path: [...path, key] });
    else if (node.type === "ArrayExpression") waiting.push(...itemsOf(node, path));
  }
  return places;
}

/** The expression itself, or the value of a variable that never changes. */
function written(expression: Node, scopes: Scopes): Node {
  const node = withoutTypes(expression);
  const value = node.type === "Identifier" ? onlyValue(node, scopes) : undefined;
  return value === undefined ? node : withoutTypes(value);
}

/** After a spread the indexes are unknown. */
function itemsOf({ elements }: NodeOf<"ArrayExpression">, path: Value["path"]): readonly Value[] {
  const items: Value[] = [];
  for (const [index, element] of elements.entries()) {
    if (element?.type === "SpreadElement") break;
    if (element !== null) items.push({ node: element as Node, path: [...path, index] });
  }
  return items;
}
