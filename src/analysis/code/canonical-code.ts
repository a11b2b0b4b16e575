/**
 * The canonical form of code: the same text for code that differs in nothing but formatting, comments, types, spellings
 * of calls and local names, and another text for code that behaves differently. Its hash is the identity of a
 * capability, so this grammar is frozen: a change would give remembered code a second identity.
 *
 *     code      := item*                        statements, joined by a space
 *     item      := "(" tag item* ")"            a node: tag and parts as in `canonical-rules.ts`
 *                | "[" item* "]"                a list
 *                | "_"                          a part that is absent, or a hole in an array
 *                | JSON string | number | "true" | "false" | "null" | digits "n"
 *                | "$" digits                   a local variable, numbered by its first occurrence in this text
 *                | "~" digits                   a label, likewise
 *                | "@" name                     a name that the code does not declare
 *                | "#" name                     a private name of a class, kept as it is
 *                | operator | word              flags and operators of a node
 *     reference := "(tool " JSON string ")" | "(capability " JSON string ")"
 *
 * What is equal by the way it is read:
 * - A reference to a known tool or capability is its id or FQDN (`<fqdn>@<number>` where a version is pinned). Its
 *   spelling and the constants that it goes through do not count: a declaration that serves such references alone is
 *   left out, and so is optional chaining along them.
 * - `a["b"]` is `a.b`, `{ "a": 1 }` is `{ a: 1 }`, `{ a }` is `{ a: a }` (but for `__proto__`), numeric keys are text.
 * - Strings, templates without parts and numbers go by value; a tagged template by its raw text.
 * - Empty statements, strings that are statements (directives) and declarations of types are left out; what must be a
 *   statement is `(block)` then.
 * - A block that is the body of a statement and holds one statement that declares nothing lexically is that statement.
 *
 * Everything else stays as it is written, in the order it is written in: `let`, `const` and `var`, an arrow function's
 * body with or without `return`. Flags of a regular expression are in the order of the alphabet.
 *
 * @module
 */

import { formatCapabilityRef } from "../../registry/capability-ref.js";
import type { References } from "../names/references.js";
import { isTypeOnly, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { numberOf } from "../syntax/constants.js";
import type { FunctionBody } from "../syntax/parse-code.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import { ruleOf } from "./canonical-rules.js";

/** A piece that is not written yet: literal text, or a node. */
type Piece = string | Node;

export function canonicalCode(body: FunctionBody, scopes: Scopes, references: References): string {
  return new Printer(scopes, references).print(body);
}

class Printer {
  readonly #scopes: Scopes;
  readonly #references: References;
  readonly #locals = new Map<Binding, string>();
  /** Labels around the current position, innermost last, and how many there were in total. */
  readonly #labels: { readonly name: string; readonly printed: string }[] = [];
  #labelCount = 0;
  /** Pieces that are not written yet; the next one is last. */
  readonly #stack: Piece[] = [];

  constructor(scopes: Scopes, references: References) {
    this.#scopes = scopes;
    this.#references = references;
  }

  print(body: FunctionBody): string {
    const stack = this.#stack;
    let text = "";
    let tight = true;
    for (const each of body.body as readonly Node[]) if (!this.#isNothing(each)) stack.push(each);
    reverseFrom(stack, 0);
    for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
      if (typeof piece !== "string") {
        const from = stack.length;
        this.#node(withoutTypes(piece));
        reverseFrom(stack, from);
      } else if (piece === LABEL_END) this.#labels.pop();
      else {
        // One space between words, none next to brackets.
        text += tight || piece === ")" || piece === "]" ? piece : ` ${piece}`;
        tight = piece === "[";
      }
    }
    return text;
  }

  /** Pushes the pieces of a node, in the order in which they are written. */
  #node(node: Node): void {
    const stack = this.#stack;
    const meaning = this.#references.meaningOf.get(node);
    if (meaning !== undefined) {
      const name = meaning.kind === "tool" ? meaning.id : formatCapabilityRef(meaning);
      stack.push(`(${meaning.kind}`, JSON.stringify(name), ")");
      return;
    }
    switch (node.type) {
      case "Identifier":
        stack.push(this.#identifier(node));
        return;
      case "PrivateIdentifier":
        stack.push(`#${node.name}`);
        return;
      case "Literal":
        stack.push(literal(node));
        return;
      case "TemplateLiteral":
        this.#template(node);
        return;
      case "MemberExpression":
        this.#member(node);
        return;
      case "ChainExpression":
        if (hasOptional(node.expression, this.#references)) stack.push("(chain", node.expression, ")");
        else stack.push(node.expression);
        return;
      case "CallExpression":
        stack.push("(call");
        if (node.optional && !this.#references.meaningOf.has(withoutTypes(node.callee))) stack.push("?.");
        stack.push(node.callee);
        this.#list(node.arguments);
        stack.push(")");
        return;
      case "Property":
        this.#property(node);
        return;
      case "VariableDeclaration":
        stack.push(`(${node.kind}`);
        for (const each of node.declarations) if (!this.#references.aliases.has(each)) stack.push(each);
        stack.push(")");
        return;
      case "LabeledStatement": {
        const printed = `~${this.#labelCount}`;
        this.#labelCount += 1;
        this.#labels.push({ name: node.label.name, printed });
        stack.push("(label", printed);
        this.#body(node.body);
        stack.push(LABEL_END, ")");
        return;
      }
      case "BreakStatement":
      case "ContinueStatement":
        stack.push(node.type === "BreakStatement" ? "(break" : "(continue");
        if (node.label !== null) stack.push(this.#label(node.label.name));
        stack.push(")");
        return;
      case "MetaProperty":
        stack.push("(meta", node.meta.name, node.property.name, ")");
        return;
      case "TSParameterProperty":
        stack.push(node.parameter as Node);
        return;
      case "TemplateElement":
        stack.push(JSON.stringify(node.value.raw));
        return;
      default:
        this.#byRule(node);
    }
  }

  #byRule(node: Node): void {
    const stack = this.#stack;
    const rule = ruleOf(node);
    if (rule === undefined) {
      // Only nodes that are refused anyway have no rule.
      stack.push(`(${node.type})`);
      return;
    }
    const fields = node as unknown as Readonly<Record<string, unknown>>;
    stack.push(rule.open);
    for (const { sigil, name } of rule.parts) {
      const value = fields[name];
      switch (sigil) {
        case "":
          stack.push((value as Node | null | undefined) ?? "_");
          break;
        case "?":
          if (value === true) stack.push(name);
          break;
        case "=":
          stack.push(String(value));
          break;
        case "[]":
          this.#list(value as readonly (Node | null)[]);
          break;
        case ";":
          stack.push("[");
          for (const each of value as readonly Node[]) if (!this.#isNothing(each)) stack.push(each);
          stack.push("]");
          break;
        case "{}":
          this.#body(value as Node | null);
          break;
        case ".":
          this.#key(value as Node, fields.computed === true);
      }
    }
    stack.push(")");
  }

  #list(nodes: readonly (Node | null)[]): void {
    const stack = this.#stack;
    stack.push("[");
    for (const node of nodes) if (!isThisParameter(node)) stack.push(node ?? "_");
    stack.push("]");
  }

  /** A statement that is the body of another one. */
  #body(statement: Node | null): void {
    if (statement === null) {
      this.#stack.push("_");
      return;
    }
    let body = statement;
    for (;;) {
      if (this.#isNothing(body)) {
        this.#stack.push("(block", "[", "]", ")");
        return;
      }
      const only = body.type === "BlockStatement" ? this.#onlyStatement(body.body) : undefined;
      if (only === undefined || declaresLexically(only)) break;
      body = only;
    }
    this.#stack.push(body);
  }

  /** The only statement with an effect. */
  #onlyStatement(statements: readonly Node[]): Node | undefined {
    let only: Node | undefined;
    for (const each of statements) {
      if (this.#isNothing(each)) continue;
      if (only !== undefined) return undefined;
      only = each;
    }
    return only;
  }

  /** Whether a statement does nothing at all. */
  #isNothing(statement: Node): boolean {
    if (statement.type === "EmptyStatement" || isTypeOnly(statement)) return true;
    if (statement.type === "ExpressionStatement") {
      const value = withoutTypes(statement.expression);
      return value.type === "Literal" && typeof value.value === "string";
    }
    return (
      statement.type === "VariableDeclaration" &&
      statement.declarations.every((each) => this.#references.aliases.has(each))
    );
  }

  #identifier(node: NodeOf<"Identifier">): string {
    const binding = this.#scopes.bindingOf(node);
    if (binding === undefined) return `@${node.name}`;
    let printed = this.#locals.get(binding);
    if (printed === undefined) {
      printed = `$${this.#locals.size}`;
      this.#locals.set(binding, printed);
    }
    return printed;
  }

  #label(name: string): string {
    for (let i = this.#labels.length - 1; i >= 0; i -= 1) {
      const label = this.#labels[i];
      if (label?.name === name) return label.printed;
    }
    return `@${name}`;
  }

  #template(node: NodeOf<"TemplateLiteral">): void {
    const stack = this.#stack;
    if (node.parent?.type === "TaggedTemplateExpression") {
      stack.push("(raw");
      this.#list(node.quasis);
      this.#list(node.expressions);
      stack.push(")");
      return;
    }
    if (node.expressions.length === 0) {
      stack.push(JSON.stringify(node.quasis[0]?.value.cooked ?? ""));
      return;
    }
    stack.push("(template", "[");
    for (const { value } of node.quasis) stack.push(JSON.stringify(value.cooked ?? ""));
    stack.push("]");
    this.#list(node.expressions);
    stack.push(")");
  }

  #member(node: NodeOf<"MemberExpression">): void {
    const stack = this.#stack;
    const property = withoutTypes(node.property);
    const known = keyText(property, node.computed);
    stack.push(known === undefined ? "([]" : "(.");
    if (node.optional) stack.push("?.");
    stack.push(node.object, known ?? property, ")");
  }

  #property(node: NodeOf<"Property">): void {
    const stack = this.#stack;
    const isPrototype =
      !node.computed &&
      !node.shorthand &&
      !node.method &&
      node.kind === "init" &&
      node.parent?.type !== "ObjectPattern" &&
      keyText(node.key, false) === '"__proto__"';
    stack.push(isPrototype ? "(prototype" : "(property");
    if (node.method) stack.push("method");
    else if (node.kind !== "init") stack.push(node.kind);
    this.#key(node.key, node.computed);
    stack.push(node.value, ")");
  }

  /** The key of a property or class member: text, or an expression in brackets. */
  #key(node: Node, computed: boolean): void {
    if (computed) this.#stack.push("(key", node, ")");
    else this.#stack.push(keyText(node, false) ?? node);
  }
}

const LABEL_END = "\0";

/** The JSON string of a literal key. */
function keyText(node: Node, computed: boolean): string | undefined {
  if (node.type === "Identifier") return computed ? undefined : JSON.stringify(node.name);
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return JSON.stringify(node.quasis[0]?.value.cooked ?? "");
  if (node.type !== "Literal") return undefined;
  if (typeof node.value === "string") return JSON.stringify(node.value);
  if ("bigint" in node && typeof node.bigint === "string") return JSON.stringify(node.bigint);
  const number = numberOf(node);
  return number === undefined ? undefined : JSON.stringify(String(number));
}

function literal(node: NodeOf<"Literal">): string {
  if ("regex" in node && node.regex) {
    const flags = [...node.regex.flags].sort((a, b) => (a < b ? -1 : 1)).join("");
    return `(regex ${JSON.stringify(node.regex.pattern)} ${JSON.stringify(flags)})`;
  }
  if ("bigint" in node && typeof node.bigint === "string") return `${node.bigint}n`;
  const number = numberOf(node);
  return number === undefined ? JSON.stringify(node.value) : String(number);
}

/** `this` as a parameter is a type, and no other identifier has this name. */
function isThisParameter(node: Node | null): boolean {
  return node?.type === "Identifier" && node.name === "this";
}

/** Reverses the order of all pieces from an index on. */
function reverseFrom(pieces: Piece[], index: number): void {
  for (let low = index, high = pieces.length - 1; low < high; low += 1, high -= 1) {
    const piece = pieces[low] as Piece;
    pieces[low] = pieces[high] as Piece;
    pieces[high] = piece;
  }
}

function declaresLexically(statement: Node): boolean {
  switch (statement.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return true;
    case "VariableDeclaration":
      return statement.kind !== "var";
    default:
      return false;
  }
}

/** Whether a chain still has a `?.` once known references are written by their ids. */
function hasOptional(chain: Node, references: References): boolean {
  let node = withoutTypes(chain);
  for (;;) {
    if (references.meaningOf.has(node)) return false;
    if (node.type === "MemberExpression") {
      if (node.optional) return true;
      node = withoutTypes(node.object);
    } else if (node.type === "CallExpression") {
      const callee = withoutTypes(node.callee);
      if (node.optional && !references.meaningOf.has(callee)) return true;
      node = callee;
    } else return false;
  }
}
