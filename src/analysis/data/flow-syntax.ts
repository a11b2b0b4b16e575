/**
 * Facts about the syntax of code that data flow needs repeatedly, collected in one pass.
 *
 * @module
 */
import { type FunctionNode, functionAround, isFunction, type Node, type NodeOf } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import { ANY } from "./value-path.js";
import type { Source } from "./value-question.js";

export interface FlowSyntax {
  readonly functions: readonly FunctionNode[];
  readonly calls: readonly NodeOf<"CallExpression">[];
  /** The index of an item of a pattern, or of a parameter. */
  indexOf(item: Node): number | undefined;
  /** The expressions that a function returns or yields. */
  returned(owner: FunctionNode): readonly Source[];
  /** The index of the first spread item of a list. */
  firstSpread(list: NodeOf<"ArrayExpression">): number;
  /** The fields of an object, if each is a literal property with a known key. */
  fieldsOf(object: NodeOf<"ObjectExpression">): ReadonlyMap<string, NodeOf<"Property">> | undefined;
}

export function flowSyntax(scopes: Scopes): FlowSyntax {
  const functions: FunctionNode[] = [];
  const calls: NodeOf<"CallExpression">[] = [];
  const indexes = new Map<Node, number>();
  const returned = new Map<Node, Source[]>();
  const spreads = new Map<Node, number>();
  const objects = new Map<Node, ReadonlyMap<string, NodeOf<"Property">> | undefined>();
  /** Adds a returned expression to its function. */
  const add = (owner: Node | undefined, node: Node, steps: readonly string[] = []): void => {
    if (owner !== undefined) returned.get(owner)?.push({ node, steps, form: "value" });
  };

  for (const node of scopes.nodes) {
    if (isFunction(node)) {
      functions.push(node);
      returned.set(node, []);
      const parameters = (node.params as readonly Node[]).filter((each) => !isThis(each));
      for (const [index, parameter] of parameters.entries()) indexes.set(parameter, index);
      if (node.type === "ArrowFunctionExpression" && node.expression && node.body)
        add(node, node.body as Node);
    } else if (node.type === "ArrayPattern") {
      for (const [index, element] of node.elements.entries())
        if (element !== null) indexes.set(element as Node, index);
    } else if (node.type === "ReturnStatement" && node.argument) {
      const owner = functionAround(node);
      if (owner?.generator !== true) add(owner, node.argument);
    } else if (node.type === "YieldExpression" && node.argument)
      add(functionAround(node), node.argument, node.delegate ? [ANY] : []);
    else if (node.type === "CallExpression") calls.push(node);
  }

  return {
    functions,
    calls,
    indexOf: (item) => indexes.get(item),
    returned: (owner) => returned.get(owner) ?? [],
    firstSpread(list) {
      let first = spreads.get(list);
      if (first === undefined) {
        const found = list.elements.findIndex((element) => element?.type === "SpreadElement");
        first = found === -1 ? list.elements.length : found;
        spreads.set(list, first);
      }
      return first;
    },
    fieldsOf(object) {
      if (!objects.has(object)) objects.set(object, writtenFields(object, scopes));
      return objects.get(object);
    },
  };
}

function isThis(parameter: Node): boolean {
  return parameter.type === "Identifier" && parameter.name === "this";
}

function writtenFields(
  object: NodeOf<"ObjectExpression">,
  scopes: Scopes,
): ReadonlyMap<string, NodeOf<"Property">> | undefined {
  const fields = new Map<string, NodeOf<"Property">>();
  for (const property of object.properties) {
    if (property.type === "SpreadElement") return undefined;
    const key = staticKey(property.key, property.computed, scopes);
    if (key === undefined) return undefined;
    fields.set(key, property);
  }
  return fields;
}
