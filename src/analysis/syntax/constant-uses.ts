/**
 * The uses of variables that are set once: whether another value could replace theirs.
 *
 * @module
 */
import { contextOf, type Node, type NodeOf, withoutTypes } from "./ast.js";
import type { Binding, Scopes } from "./scopes.js";

export interface ConstantUses {
  /** Whether analysis relies on a value as a name, or as the default of a parameter. */
  isNeededBefore(binding: Binding): boolean;
  /** Whether an object is only passed to tools, directly or inside other objects, and nothing else reads it. */
  goToToolsOnly(binding: Binding): boolean;
  /** Whether an object stays as written: nothing that could change it gets access to it. */
  isOnlyRead(binding: Binding): boolean;
}

/** The next step of a value: into its parent, into a variable, or to an end that is fine or not. */
type Step =
  | { readonly kind: "into"; readonly node: Node }
  | { readonly kind: "variable"; readonly binding: Binding }
  | { readonly kind: "end"; readonly isFine: boolean };

const FINE: Step = { kind: "end", isFine: true };
const NOT_FINE: Step = { kind: "end", isFine: false };
/** How far values are followed, in total; anything further counts as not fine. */
const STEPS = 200_000;

export function constantUses(scopes: Scopes, toolCalls: ReadonlySet<Node>): ConstantUses {
  let left = STEPS;

  /** Whether all uses of a variable's value end well. */
  const endsWell = (start: Binding, step: (node: Node) => Step): boolean => {
    const seen = new Set<Node | Binding>([start]);
    const bindings: Binding[] = [start];
    for (let binding = bindings.pop(); binding !== undefined; binding = bindings.pop()) {
      for (const read of binding.reads) {
        for (let node: Node | undefined = read; node !== undefined && !seen.has(node); ) {
          seen.add(node);
          left -= 1;
          const next: Step = left < 0 ? NOT_FINE : step(node);
          if (next.kind === "end" && !next.isFine) return false;
          if (next.kind === "variable" && !seen.has(next.binding)) {
            seen.add(next.binding);
            bindings.push(next.binding);
          }
          node = next.kind === "into" ? next.node : undefined;
        }
      }
    }
    return true;
  };

  const variable = (target: Node, otherwise: Step): Step => {
    const binding = target.type === "Identifier" ? scopes.bindingOf(target) : undefined;
    return binding?.writes.length === 1 ? { kind: "variable", binding } : otherwise;
  };

  /** Names are built from texts, templates and `+`, through variables, and end in keys. */
  const asName = (node: Node): Step => {
    const { parent, child } = contextOf(node);
    switch (parent?.type) {
      case "TemplateLiteral":
        return { kind: "into", node: parent };
      case "BinaryExpression":
        if (parent.operator === "+") return { kind: "into", node: parent };
        return parent.operator === "in" && parent.left === child && isLookedInto(parent.right, scopes)
          ? NOT_FINE
          : FINE;
      case "MemberExpression":
        return parent.property === child && isLookedInto(parent.object, scopes) ? NOT_FINE : FINE;
      case "Property":
        return parent.key === child && !isAnswered(parent.parent as Node) ? NOT_FINE : FINE;
      case "VariableDeclarator":
        return variable(parent.id, FINE);
      // The right side may be the default of a parameter.
      case "LogicalExpression":
      case "AssignmentPattern":
        return parent.right === child ? NOT_FINE : FINE;
      case "AssignmentExpression":
        return parent.operator === "??=" || parent.operator === "||=" ? NOT_FINE : FINE;
      default:
        return FINE;
    }
  };

  const asObject = (node: Node): Step => {
    const { parent, child } = contextOf(node);
    switch (parent?.type) {
      case "Property":
        return parent.value === child && parent.parent?.type === "ObjectExpression"
          ? { kind: "into", node: parent.parent }
          : NOT_FINE;
      case "SpreadElement":
        return parent.parent?.type === "ObjectExpression" || parent.parent?.type === "ArrayExpression"
          ? { kind: "into", node: parent.parent }
          : NOT_FINE;
      case "ArrayExpression":
      case "LogicalExpression":
        return { kind: "into", node: parent };
      case "ConditionalExpression":
        return parent.test === child ? NOT_FINE : { kind: "into", node: parent };
      case "VariableDeclarator":
        return variable(parent.id, NOT_FINE);
      case "CallExpression":
        return toolCalls.has(parent) && parent.arguments[0] === child ? FINE : NOT_FINE;
      default:
        return NOT_FINE;
    }
  };

  const asRead = (node: Node): Step => {
    const { parent, child } = contextOf(node);
    switch (parent?.type) {
      case "MemberExpression":
        return parent.object === child ? { kind: "into", node: parent } : FINE;
      case "UnaryExpression":
        return parent.operator === "delete" ? NOT_FINE : FINE;
      case "BinaryExpression":
      case "ExpressionStatement":
        return FINE;
      case "TemplateLiteral":
        // A tag is a function that gets the object itself.
        return parent.parent?.type === "TaggedTemplateExpression" ? NOT_FINE : FINE;
      case "CallExpression":
        return parent.callee !== child && isWriting(parent, scopes) ? FINE : asObject(node);
      default:
        return asObject(node);
    }
  };

  const remembered = (judge: (binding: Binding) => boolean): ((binding: Binding) => boolean) => {
    const known = new Map<Binding, boolean>();
    return (binding) => {
      const before = known.get(binding);
      if (before !== undefined) return before;
      const judged = judge(binding);
      known.set(binding, judged);
      return judged;
    };
  };

  return {
    isNeededBefore: remembered((binding) => !endsWell(binding, asName)),
    goToToolsOnly: remembered((binding) => endsWell(binding, asObject)),
    isOnlyRead: remembered((binding) => endsWell(binding, asRead)),
  };
}

/** Names have fewer keys; analysis does not follow longer paths. */
const KEYS = 20;
/** How deep objects and lists around a key are followed. */
const LEVELS = 100;
const LOOKED_INTO: ReadonlySet<string> = new Set(["mcp", "capabilities", "args", "globalThis"]);

/** Whether analysis may follow keys of this: of tools, of the arguments, of an object literal. */
function isLookedInto(object: Node, scopes: Scopes): boolean {
  let root = plain(object);
  for (let keys = 0; root.type === "MemberExpression"; keys += 1) {
    if (keys === KEYS) return false;
    root = plain(root.object);
  }
  if (root.type !== "Identifier") return !isOpaque(root);
  const binding = scopes.bindingOf(root);
  if (binding === undefined) return LOOKED_INTO.has(root.name);
  return !binding.writes.every(
    ({ parent }) => parent?.type === "VariableDeclarator" && isOpaque(parent.init),
  );
}

/** Results of calls, and objects that are still empty. */
function isOpaque(expression: Node | null): boolean {
  if (expression === null) return false;
  const node = plain(expression);
  switch (node.type) {
    case "AwaitExpression":
    case "CallExpression":
    case "NewExpression":
    case "Literal":
    case "TemplateLiteral":
      return true;
    case "ObjectExpression":
      return node.properties.length === 0;
    case "ArrayExpression":
      return node.elements.length === 0;
    default:
      return false;
  }
}

/** Whether an object is a part of the result, and so not of a call. */
function isAnswered(object: Node): boolean {
  let node = object;
  for (let levels = 0; levels < LEVELS; levels += 1) {
    const { parent, child } = contextOf(node);
    if (parent?.type === "ReturnStatement") return true;
    if (parent?.type === "ArrayExpression" || parent?.type === "ObjectExpression") node = parent;
    else if (parent?.type === "Property" && parent.value === child) node = parent;
    else return false;
  }
  return false;
}

/** `console.log(x)` and `JSON.stringify(x)`. */
function isWriting({ callee }: NodeOf<"CallExpression">, scopes: Scopes): boolean {
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  const { object } = callee;
  return (object.name === "console" || object.name === "JSON") && scopes.bindingOf(object) === undefined;
}

function plain(expression: Node): Node {
  let node = withoutTypes(expression);
  while (node.type === "ChainExpression") node = withoutTypes(node.expression);
  return node;
}
