/**
 * What a call of code hands to a tool, as far as it is written there.
 *
 * @module
 */
import { type Node, withoutTypes } from "../../analysis/syntax/ast.js";
import { templateText } from "./expressions.js";

export interface CallFact {
  readonly server: string;
  readonly tool: string;
  /** Texts that stand in its arguments, by the name of the argument. */
  readonly texts: readonly (readonly [field: string, text: string])[];
  /** Names of the arguments. */
  readonly fields: readonly string[];
  /** Of those, which are plainly true: `dry_run: true`. */
  readonly switches: readonly string[];
}

/** Calls, arguments and texts that are read at most. */
export const MOST = { names: 400, texts: 200, textChars: 400 } as const;

/** Of a call with this argument; texts in it are claimed, so that they count once. */
export function callFact(
  named: Pick<CallFact, "server" | "tool">,
  argument: Node | undefined,
  claimed: Set<Node>,
): CallFact {
  const texts: (readonly [string, string])[] = [];
  const fields: string[] = [];
  const switches: string[] = [];
  const waiting: { readonly field: string; readonly node: Node }[] =
    argument === undefined ? [] : [{ field: "", node: argument }];
  for (
    let left = 200, next = waiting.shift();
    next !== undefined && left > 0;
    left -= 1, next = waiting.shift()
  ) {
    const node = withoutTypes(next.node);
    const { field } = next;
    if (node.type === "ObjectExpression") {
      for (const property of node.properties as readonly Node[]) {
        if (property.type !== "Property") continue;
        const key = property.key as Node;
        const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "";
        if (fields.length < MOST.names) fields.push(name);
        const value = property.value as Node;
        if (value.type === "Literal" && value.value === true) switches.push(name);
        waiting.push({ field: name, node: value });
      }
    } else if (node.type === "ArrayExpression") {
      for (const item of node.elements as readonly (Node | null)[])
        if (item !== null) waiting.push({ field, node: item });
    } else if (node.type === "Literal" && typeof node.value === "string") {
      claimed.add(node);
      if (texts.length < MOST.texts) texts.push([field, node.value.slice(0, MOST.textChars * 4)]);
    } else if (node.type === "TemplateLiteral") {
      claimed.add(node);
      if (texts.length < MOST.texts) texts.push([field, templateText(node).slice(0, MOST.textChars * 4)]);
    } else if (node.type === "BinaryExpression") {
      waiting.push({ field, node: node.left as Node }, { field, node: node.right as Node });
    }
  }
  return { ...named, texts, fields, switches };
}
