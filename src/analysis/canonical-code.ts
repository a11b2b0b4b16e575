/**
 * The canonical form of code: the same text for code that differs in nothing but formatting, comments, types, spellings
 * of calls and local names, and another text for code that behaves differently. Its hash is the identity of a
 * capability, so this grammar is frozen: a change would give remembered code a second identity.
 *
 *     code      := item*                        statements, joined by a space
 *     item      := "(" tag item* ")"            a node: tag and parts as in NODES below, in that order
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
 * - A reference to a known tool or capability is its id or FQDN, however it is spelt and through whatever constants; a
 *   declaration that serves such references alone is left out, and so is optional chaining along them.
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
import { isTypeOnly, type Node, type NodeOf, withoutTypes } from "./ast.js";
import { numberOf } from "./constants.js";
import type { FunctionBody } from "./parse-code.js";
import type { References } from "./references.js";
import type { Binding, Scopes } from "./scopes.js";

/** Tag and parts of every node that has no rule of its own. `?x` is the flag x, `=x` the text in x, `[]x` a list. */
const NODES: { readonly [T in Node["type"]]?: readonly [tag: string, ...parts: string[]] } = {
  ExpressionStatement: ["do", "expression"],
  DebuggerStatement: ["debugger"],
  IfStatement: ["if", "test", "{}consequent", "{}alternate"],
  SwitchStatement: ["switch", "discriminant", "[]cases"],
  SwitchCase: ["case", "test", ";consequent"],
  WhileStatement: ["while", "test", "{}body"],
  DoWhileStatement: ["dowhile", "{}body", "test"],
  ForStatement: ["for", "init", "test", "update", "{}body"],
  ForInStatement: ["forin", "left", "right", "{}body"],
  ForOfStatement: ["forof", "?await", "left", "right", "{}body"],
  ReturnStatement: ["return", "argument"],
  ThrowStatement: ["throw", "argument"],
  TryStatement: ["try", "block", "handler", "finalizer"],
  CatchClause: ["catch", "param", "body"],
  BlockStatement: ["block", ";body"],
  StaticBlock: ["static", ";body"],
  VariableDeclarator: ["set", "id", "init"],
  FunctionDeclaration: ["function", "?async", "?generator", "id", "[]params", "body"],
  FunctionExpression: ["function", "?async", "?generator", "id", "[]params", "body"],
  ArrowFunctionExpression: ["arrow", "?async", "[]params", "body"],
  ClassDeclaration: ["class", "id", "superClass", "body"],
  ClassExpression: ["class", "id", "superClass", "body"],
  ClassBody: ["members", ";body"],
  MethodDefinition: ["member", "?static", "=kind", ".key", "value"],
  PropertyDefinition: ["field", "?static", ".key", "value"],
  AccessorProperty: ["accessor", "?static", ".key", "value"],
  ArrayExpression: ["array", "[]elements"],
  ArrayPattern: ["array", "[]elements"],
  ObjectExpression: ["object", "[]properties"],
  ObjectPattern: ["object", "[]properties"],
  SpreadElement: ["...", "argument"],
  RestElement: ["...", "argument"],
  AssignmentPattern: ["default", "left", "right"],
  AssignmentExpression: ["assign", "=operator", "left", "right"],
  UnaryExpression: ["unary", "=operator", "argument"],
  UpdateExpression: ["update", "=operator", "?prefix", "argument"],
  BinaryExpression: ["binary", "=operator", "left", "right"],
  LogicalExpression: ["binary", "=operator", "left", "right"],
  ConditionalExpression: ["?", "test", "consequent", "alternate"],
  SequenceExpression: ["sequence", "[]expressions"],
  NewExpression: ["new", "callee", "[]arguments"],
  ImportExpression: ["import", "source", "options"],
  TaggedTemplateExpression: ["tagged", "tag", "quasi"],
  AwaitExpression: ["await", "argument"],
  YieldExpression: ["yield", "?delegate", "argument"],
  ThisExpression: ["this"],
  Super: ["super"],
};

/** What is still to be written: text as it is, or a node. */
type Piece = string | Node;

export function canonicalCode(body: FunctionBody, scopes: Scopes, references: References): string {
  return new Printer(scopes, references).print(body);
}

class Printer {
  readonly #scopes: Scopes;
  readonly #references: References;
  readonly #locals = new Map<Binding, string>();
  /** Labels around the place that is being written, innermost last, and how many there were. */
  readonly #labels: { readonly name: string; readonly printed: string }[] = [];
  #labelCount = 0;

  constructor(scopes: Scopes, references: References) {
    this.#scopes = scopes;
    this.#references = references;
  }

  print(body: FunctionBody): string {
    const words: string[] = [];
    const stack: Piece[] = this.#statements(body.body as readonly Node[]).reverse();
    for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
      if (piece === LABEL_END) this.#labels.pop();
      else if (typeof piece === "string") words.push(piece);
      else {
        const pieces = this.#node(withoutTypes(piece));
        for (let i = pieces.length - 1; i >= 0; i -= 1) stack.push(pieces[i] as Piece);
      }
    }
    return joined(words);
  }

  #node(node: Node): readonly Piece[] {
    const meaning = this.#references.meaningOf.get(node);
    if (meaning !== undefined) {
      const name = meaning.kind === "tool" ? meaning.id : meaning.fqdn;
      return [`(${meaning.kind}`, JSON.stringify(name), ")"];
    }
    switch (node.type) {
      case "Identifier":
        return [this.#identifier(node)];
      case "PrivateIdentifier":
        return [`#${node.name}`];
      case "Literal":
        return [literal(node)];
      case "TemplateLiteral":
        return this.#template(node);
      case "MemberExpression":
        return this.#member(node);
      case "ChainExpression":
        return hasOptional(node.expression, this.#references)
          ? ["(chain", node.expression, ")"]
          : [node.expression];
      case "CallExpression": {
        const optional = node.optional && !this.#references.meaningOf.has(withoutTypes(node.callee));
        return ["(call", ...(optional ? ["?."] : []), node.callee, ...list(node.arguments), ")"];
      }
      case "Property":
        return this.#property(node);
      case "VariableDeclaration":
        return [
          `(${node.kind}`,
          ...node.declarations.filter((each) => !this.#references.aliases.has(each)),
          ")",
        ];
      case "LabeledStatement": {
        const printed = `~${this.#labelCount}`;
        this.#labelCount += 1;
        this.#labels.push({ name: node.label.name, printed });
        return ["(label", printed, ...this.#body(node.body), LABEL_END, ")"];
      }
      case "BreakStatement":
      case "ContinueStatement": {
        const tag = node.type === "BreakStatement" ? "(break" : "(continue";
        return [tag, ...(node.label === null ? [] : [this.#label(node.label.name)]), ")"];
      }
      case "MetaProperty":
        return ["(meta", node.meta.name, node.property.name, ")"];
      case "TSParameterProperty":
        return [node.parameter as Node];
      case "TemplateElement":
        return [JSON.stringify(node.value.raw)];
      default:
        return this.#byTable(node);
    }
  }

  #byTable(node: Node): readonly Piece[] {
    const rule = NODES[node.type];
    // Only what is refused anyway has no rule.
    if (rule === undefined) return [`(${node.type})`];
    const [tag, ...parts] = rule;
    const fields = node as unknown as Readonly<Record<string, unknown>>;
    const pieces: Piece[] = [`(${tag}`];
    for (const part of parts) {
      const sigil = /^(?:\[\]|\{\}|[?=;.])/.exec(part)?.[0] ?? "";
      const name = part.slice(sigil.length);
      const value = fields[name] as Node | readonly (Node | null)[] | string | boolean | null | undefined;
      if (sigil === "?") {
        if (value === true) pieces.push(name);
      } else if (sigil === "=") pieces.push(String(value));
      else if (sigil === "[]") append(pieces, list(value as readonly (Node | null)[]));
      else if (sigil === ";") append(pieces, list(this.#statements(value as readonly Node[])));
      else if (sigil === "{}") append(pieces, this.#body(value as Node | null));
      else if (sigil === ".") append(pieces, key(value as Node, fields.computed === true));
      else pieces.push((value as Node | null | undefined) ?? "_");
    }
    pieces.push(")");
    return pieces;
  }

  #statements(statements: readonly Node[]): Node[] {
    return statements.filter((each) => !this.#isNothing(each));
  }

  /** A statement that another one has as its body. */
  #body(statement: Node | null): readonly Piece[] {
    if (statement === null) return ["_"];
    let body = statement;
    for (;;) {
      if (this.#isNothing(body)) return ["(block", "[", "]", ")"];
      if (body.type !== "BlockStatement") return [body];
      const left = body.body.filter((each) => !this.#isNothing(each));
      const only = left[0] as Node | undefined;
      if (left.length !== 1 || only === undefined || declaresLexically(only)) return [body];
      body = only;
    }
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

  #template(node: NodeOf<"TemplateLiteral">): readonly Piece[] {
    if (node.parent?.type === "TaggedTemplateExpression") {
      return ["(raw", ...list(node.quasis), ...list(node.expressions), ")"];
    }
    const texts = node.quasis.map(({ value }) => JSON.stringify(value.cooked ?? ""));
    if (node.expressions.length === 0) return [texts[0] ?? '""'];
    return ["(template", "[", ...texts, "]", ...list(node.expressions), ")"];
  }

  #member(node: NodeOf<"MemberExpression">): readonly Piece[] {
    const property = withoutTypes(node.property);
    const optional = node.optional ? ["?."] : [];
    const known = keyText(property, node.computed);
    if (known !== undefined) return ["(.", ...optional, node.object, known, ")"];
    return ["([]", ...optional, node.object, property, ")"];
  }

  #property(node: NodeOf<"Property">): readonly Piece[] {
    const text = keyText(node.key, node.computed);
    const isPrototype =
      text === '"__proto__"' && !node.computed && !node.shorthand && !node.method && node.kind === "init";
    const tag = isPrototype && node.parent?.type !== "ObjectPattern" ? "(prototype" : "(property";
    const kind = node.method ? ["method"] : node.kind === "init" ? [] : [node.kind];
    return [tag, ...kind, ...key(node.key, node.computed), node.value, ")"];
  }
}

const LABEL_END = "\0";

/** The key of a property or class member: text, or an expression in brackets. */
function key(node: Node, computed: boolean): readonly Piece[] {
  const text = computed ? undefined : keyText(node, false);
  if (text !== undefined) return [text];
  return computed ? ["(key", node, ")"] : [node];
}

/** The JSON string of a key that is written out. */
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

function list(nodes: readonly (Node | null)[]): readonly Piece[] {
  return ["[", ...nodes.filter((node) => !isThisParameter(node)).map((node) => node ?? "_"), "]"];
}

/** `this` as a parameter is a type, and an identifier is called so nowhere else. */
function isThisParameter(node: Node | null): boolean {
  return node?.type === "Identifier" && node.name === "this";
}

/** Lists can be longer than a call may have arguments. */
function append(pieces: Piece[], more: readonly Piece[]): void {
  for (const piece of more) pieces.push(piece);
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

/** One space between words, none next to brackets. */
function joined(words: readonly string[]): string {
  let text = "";
  let tight = true;
  for (const word of words) {
    const closes = word === ")" || word === "]";
    if (!tight && !closes) text += " ";
    text += word;
    tight = word === "[";
  }
  return text;
}
