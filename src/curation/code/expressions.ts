/**
 * The meaning of single expressions, by their syntax alone: the called function, the text of a template, the kind of
 * result.
 *
 * @module
 */
import { type Node, withoutTypes } from "../../analysis/syntax/ast.js";

export type ResultKind = "number" | "boolean" | "list" | "text" | "object" | "nothing" | "unknown";

const LITERALS: Readonly<Record<string, ResultKind>> = {
  number: "number",
  boolean: "boolean",
  string: "text",
};
/** The kinds of results of methods. */
const RESULTS: ReadonlyMap<string, ResultKind> = new Map(
  (
    [
      ["list", "map filter flatMap slice sort toSorted entries keys values split concat flat reverse from"],
      [
        "text",
        "join repeat stringify replace replaceAll toString toFixed trim toLowerCase toUpperCase padStart toISOString",
      ],
      ["boolean", "some every includes has test startsWith endsWith"],
      ["number", "round floor ceil max min abs Number parseInt parseFloat indexOf findIndex sqrt pow"],
      ["object", "fromEntries parse"],
    ] as const
  ).flatMap(([kind, methods]) => methods.split(" ").map((method) => [method, kind] as const)),
);

export function kindOf(given: Node, kinds: ReadonlyMap<string, ResultKind>): ResultKind {
  const node = withoutTypes(given);
  switch (node.type) {
    case "ObjectExpression":
      return "object";
    case "ArrayExpression":
      return "list";
    case "TemplateLiteral":
      return "text";
    case "Literal":
      return LITERALS[typeof node.value] ?? "unknown";
    case "Identifier":
      return kinds.get(node.name) ?? "unknown";
    case "ConditionalExpression": {
      const first = kindOf(node.consequent as Node, kinds);
      return first === "unknown" ? kindOf(node.alternate as Node, kinds) : first;
    }
    case "LogicalExpression":
      return kindOf(node.right as Node, kinds);
    case "UnaryExpression":
      return node.operator === "!" ? "boolean" : "number";
    case "BinaryExpression":
      if (/^[<>=!]/.test(node.operator) || node.operator === "in" || node.operator === "instanceof")
        return "boolean";
      return node.operator === "+" ? sumKind(kindOf(node.left as Node, kinds)) : "number";
    case "MemberExpression": {
      const key = node.property as Node;
      return key.type === "Identifier" && key.name === "length" ? "number" : "unknown";
    }
    case "CallExpression":
      return RESULTS.get(pathOf(node.callee as Node)?.at(-1) ?? "") ?? "unknown";
    default:
      return "unknown";
  }
}

/** Text plus anything is text; other sums are most likely numbers. */
function sumKind(left: ResultKind): ResultKind {
  return left === "unknown" ? "number" : left;
}

/**
 * `mcp.github.list_commits`, `Math.round`, `x.sort`; for a chain that does not begin with a name, only its last parts.
 */
export function pathOf(callee: Node): readonly string[] | undefined {
  const path: string[] = [];
  let node = withoutTypes(callee);
  for (let steps = 0; steps < 8; steps += 1) {
    if (node.type === "ChainExpression") node = withoutTypes(node.expression as Node);
    else if (node.type === "MemberExpression") {
      const key = node.property as Node;
      if (key.type === "Identifier" && !node.computed) path.unshift(key.name);
      else if (key.type === "Literal" && typeof key.value === "string") path.unshift(key.value);
      else path.unshift("");
      node = withoutTypes(node.object as Node);
    } else if (node.type === "Identifier") {
      path.unshift(node.name);
      return path;
    } else return path.length === 0 ? undefined : ["", path.at(-1) ?? ""];
  }
  return path;
}

/** With `…` in place of expressions. */
export function templateText(node: Node): string {
  if (node.type !== "TemplateLiteral") return "";
  return node.quasis.map((quasi) => quasi.value.cooked ?? quasi.value.raw).join("…");
}
