/**
 * Results that are read before they are awaited, and results that are read as content blocks, which code does not get.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { contextOf, isFunction, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { onlyValue, staticKey } from "../syntax/constants.js";
import type { Edit } from "../syntax/edits.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { Meaning } from "../vocabulary.js";
import { inserted, replaced, type Slip, type SlipContext } from "./slip.js";

const PROMISE_METHODS: ReadonlySet<string> = new Set(["then", "catch", "finally"]);

export interface ResultSlips {
  readonly slips: readonly Slip[];
  readonly warnings: readonly { readonly node: Node; readonly text: string }[];
}

export function resultSlips(context: SlipContext): ResultSlips {
  const { references, scopes } = context;
  const slips: Slip[] = [];
  const calls = new Map<Node, Meaning>();
  for (const { call, meaning } of references.uses) {
    if (call === undefined) continue;
    calls.set(call, meaning);
    const edits = awaited(call, context);
    if (edits.length > 0) slips.push({ node: call, edits, readAs: `await ${nameOf(meaning)}` });
  }
  const blocks = [...blockReads(scopes, calls)].map((read) => asValue(read, context));
  return {
    slips: [...slips, ...blocks.flatMap(({ slip }) => slip ?? [])],
    warnings: blocks.flatMap(({ warning }) => warning ?? []),
  };
}

function nameOf(meaning: Meaning): string {
  return meaning.kind === "tool" ? meaning.id : meaning.displayName;
}

/** A promise that is used as if it were its value. */
function awaited(call: NodeOf<"CallExpression">, { source, scopes }: SlipContext): readonly Edit[] {
  if (!canAwait(call)) return [];
  const { parent, child } = contextOf(call);
  if (parent?.type === "VariableDeclarator" && parent.init === child) {
    const isTakenApart = parent.id.type === "ObjectPattern" || parent.id.type === "ArrayPattern";
    return isTakenApart || isReadAsValue(parent, scopes) ? [inserted(call.start, "await ")] : [];
  }
  if (parent === undefined || !isOperand(parent, child, scopes) || startsStatement(call, source.text))
    return [];
  return [inserted(child.start, "(await "), inserted(child.end, ")")];
}

/** Whether `await` is allowed here: in the body of an async function, or of the code itself. */
function canAwait(node: Node): boolean {
  let inner: Node = node;
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (isFunction(outer)) return outer.async && outer.body === inner;
    if (outer.type === "ClassBody") return false;
    inner = outer;
  }
  return true;
}

/** Whether this position needs a value that cannot be a promise. */
function isOperand(parent: Node, child: Node, scopes: Scopes): boolean {
  switch (parent.type) {
    case "MemberExpression":
      if (parent.object !== child) return false;
      return !PROMISE_METHODS.has(staticKey(parent.property, parent.computed, scopes) ?? "");
    case "BinaryExpression":
    case "TemplateLiteral":
      return true;
    case "ForOfStatement":
      return parent.right === child && !parent.await;
    case "SpreadElement":
      return parent.parent?.type === "ObjectExpression";
    case "CallExpression":
      return parent.arguments[0] === child && isMethodOf("JSON", "parse", parent, scopes);
    default:
      return false;
  }
}

/** Whether a variable is only used as a value. */
function isReadAsValue({ id }: NodeOf<"VariableDeclarator">, scopes: Scopes): boolean {
  const binding = id.type === "Identifier" ? scopes.bindingOf(id) : undefined;
  if (binding?.writes.length !== 1 || binding.reads.length === 0) return false;
  return binding.reads.every((read) => {
    const { parent, child } = contextOf(read);
    return parent !== undefined && isOperand(parent, child, scopes);
  });
}

/** A bracket here could continue the previous line. */
function startsStatement(node: Node, code: string): boolean {
  const before = code.slice(0, node.start - WRAPPER_CHARS).trimEnd();
  let outer: Node | null | undefined = node.parent;
  while (outer && outer.type !== "ExpressionStatement" && outer.start === node.start) outer = outer.parent;
  return (
    outer?.type === "ExpressionStatement" &&
    outer.start === node.start &&
    before !== "" &&
    !/[;{}]$/.test(before)
  );
}

function isMethodOf(object: string, method: string, call: NodeOf<"CallExpression">, scopes: Scopes): boolean {
  const callee = withoutTypes(call.callee);
  if (callee.type !== "MemberExpression") return false;
  const { object: owner, property, computed } = callee;
  const isFree =
    owner.type === "Identifier" && owner.name === object && scopes.bindingOf(owner) === undefined;
  return isFree && staticKey(property, computed, scopes) === method;
}

/** `result.content[0].text`. */
interface BlockRead {
  readonly whole: Node;
  /** The result itself, and its `content`. */
  readonly result: Node;
  readonly content: Node;
  readonly meaning: Meaning;
}

function* blockReads(scopes: Scopes, calls: ReadonlyMap<Node, Meaning>): Generator<BlockRead> {
  if (calls.size === 0) return;
  for (const whole of scopes.nodes) {
    const first = whole.type === "MemberExpression" ? keyed(whole, "text", scopes) : undefined;
    const content = first && keyed(first, "0", scopes);
    const result = content && keyed(content, "content", scopes);
    const value = result?.type === "Identifier" ? onlyValue(result, scopes) : result;
    const awaiting = value && withoutTypes(value);
    const call = awaiting?.type === "AwaitExpression" ? withoutTypes(awaiting.argument) : undefined;
    const meaning = call && calls.get(call.type === "ChainExpression" ? withoutTypes(call.expression) : call);
    if (content && result && meaning?.kind === "tool") yield { whole, result, content, meaning };
  }
}

/** The object that a key is read from. */
function keyed(node: Node, key: string, scopes: Scopes): Node | undefined {
  const member = node.type === "ChainExpression" ? withoutTypes(node.expression) : node;
  if (member.type !== "MemberExpression" || member.property.type === "PrivateIdentifier") return undefined;
  return staticKey(member.property, member.computed, scopes) === key
    ? withoutTypes(member.object)
    : undefined;
}

function asValue(
  { whole, result, content, meaning }: BlockRead,
  { source, scopes }: SlipContext,
): { readonly slip?: Slip; readonly warning?: { readonly node: Node; readonly text: string } } {
  const name = nameOf(meaning);
  const schema = meaning.kind === "tool" ? meaning.outputSchema : undefined;
  const inside = contentOf(schema);
  if (isListed(inside)) return {};
  const kept = typeOf(schema) === "string" ? result : typeOf(inside) === "string" ? content : undefined;
  if (kept !== undefined) {
    const end = kept === result ? endOf(result, source.text) : kept.end;
    return {
      slip: { node: whole, edits: [replaced(source, end, whole.end, "")], readAs: `the text of ${name}` },
    };
  }
  const { parent } = contextOf(whole);
  const isParsed = parent?.type === "CallExpression" && isMethodOf("JSON", "parse", parent, scopes);
  if (isParsed && typeOf(schema) === "object" && inside === undefined) {
    const edits = [
      replaced(source, parent.start, result.start, "("),
      replaced(source, result.end, parent.end, ")"),
    ];
    return { slip: { node: whole, edits, readAs: `the result of ${name}` } };
  }
  const text = `${name} returns its structured content or its text, not content blocks: use the result itself instead of .content[0].text`;
  return { warning: { node: whole, text } };
}

/** The end of an expression including the brackets around it. */
function endOf({ end }: Node, code: string): number {
  const behind = /^(?:\s*\))*/.exec(code.slice(end - WRAPPER_CHARS));
  return end + (behind?.[0].length ?? 0);
}

function contentOf(schema: Json | undefined): unknown {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return undefined;
  return schema.properties.content;
}

function typeOf(schema: unknown): unknown {
  return isJsonObject(schema) ? schema.type : undefined;
}

/** Whether it can be a list; true without a type. */
function isListed(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { type } = schema;
  return type === undefined || type === "array" || (Array.isArray(type) && type.includes("array"));
}
