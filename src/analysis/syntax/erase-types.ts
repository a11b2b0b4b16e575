/**
 * Converts TypeScript to JavaScript by blanking: types become spaces, so that every line and column stays the same.
 *
 * If a type separated two lines that would now be read as one, a semicolon replaces it; if a line break in a type would
 * end an expression too early, a bracket moves to the type's other end.
 *
 * @module
 */
import type { Node, NodeOf } from "./ast.js";
import { blank, type Edit } from "./edits.js";
import { WRAPPER_CHARS } from "./parse-code.js";
import type { Scopes } from "./scopes.js";

/** The edits that erase all types of the code; empty if it already is JavaScript. */
export function eraseTypes(code: string, { nodes, typeOnly }: Scopes): readonly Edit[] {
  const eraser = new Eraser(code);
  for (const node of nodes) eraser.erase(node);
  for (const node of typeOnly) eraser.statement(node);
  return eraser.edits();
}

const MODIFIERS: ReadonlySet<string> = new Set([
  "public",
  "private",
  "protected",
  "readonly",
  "override",
  "declare",
  "abstract",
]);

const MAY_LACK_SEMICOLON: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "BlockStatement",
  "BreakStatement",
  "ContinueStatement",
  "DebuggerStatement",
  "DoWhileStatement",
  "EmptyStatement",
  "ExpressionStatement",
  "ForInStatement",
  "ForOfStatement",
  "ForStatement",
  "IfStatement",
  "LabeledStatement",
  "PropertyDefinition",
  "ReturnStatement",
  "SwitchStatement",
  "ThrowStatement",
  "TryStatement",
  "VariableDeclaration",
  "WhileStatement",
  "WithStatement",
]);

class Eraser {
  readonly #code: string;
  readonly #blanks: { start: number; end: number; readonly first?: string; readonly last?: string }[] = [];
  readonly #inserts: Edit[] = [];
  /** Ends of statements and class fields without a semicolon. */
  readonly #openEnds = new Set<number>();

  constructor(code: string) {
    this.#code = code;
  }

  edits(): readonly Edit[] {
    const closes = new Map(this.#inserts.map((edit) => [edit.start, edit]));
    // The semicolon comes after a bracket that was moved to the end of a statement.
    const behind = new Set<Edit>();
    const edits = this.#blanks.map(({ start, end, first, last }) => {
      let text = blank(this.#code.slice(start, end));
      const close = closes.get(end);
      const isOpen = first === undefined && this.#openEnds.has(end);
      if (isOpen && close !== undefined) behind.add(close);
      const head = first ?? (isOpen && close === undefined ? ";" : undefined);
      if (head !== undefined) text = head + text.slice(1);
      if (last !== undefined) text = text.slice(0, -1) + last;
      return { start, end, text };
    });
    const inserts = this.#inserts.map((edit) =>
      behind.has(edit) ? { ...edit, text: `${edit.text};` } : edit,
    );
    return [...edits, ...inserts];
  }

  /** A statement or class member that only contains types. */
  statement(node: Node): void {
    const { start, end } = this.#span(node);
    this.#blanks.push({ start, end, first: ";" });
  }

  erase(node: Node): void {
    this.#noteEnd(node);
    switch (node.type) {
      case "Identifier":
      case "ObjectPattern":
      case "ArrayPattern":
      case "RestElement":
      case "AssignmentPattern":
        this.#annotation(node);
        break;
      case "VariableDeclarator":
        if (node.definite === true) this.#mark(node.id, "!");
        break;
      case "FunctionDeclaration":
      case "FunctionExpression":
        this.#type(node.typeParameters);
        this.#type(node.returnType);
        this.#thisParameter(node);
        break;
      case "ArrowFunctionExpression":
        this.#arrow(node);
        break;
      case "ClassDeclaration":
      case "ClassExpression":
        this.#class(node);
        break;
      case "PropertyDefinition":
      case "MethodDefinition":
      case "AccessorProperty":
        this.#member(node);
        break;
      case "CallExpression":
      case "NewExpression":
      case "TaggedTemplateExpression":
      case "TSInstantiationExpression":
        this.#type(node.typeArguments);
        break;
      case "TSAsExpression":
      case "TSSatisfiesExpression": {
        const start = this.#skip(node.expression.end - WRAPPER_CHARS, ")");
        this.#blanks.push({ start, end: node.end - WRAPPER_CHARS });
        break;
      }
      case "TSNonNullExpression":
        this.#blanks.push({ start: node.end - 1 - WRAPPER_CHARS, end: node.end - WRAPPER_CHARS });
        break;
      case "TSTypeAssertion": {
        // In brackets, since the next token could start like a statement, or on the next line.
        const start = node.start - WRAPPER_CHARS;
        const end = this.#skip(node.typeAnnotation.end - WRAPPER_CHARS, "") + 1;
        this.#blanks.push({ start, end, first: "(" });
        const close = node.end - WRAPPER_CHARS;
        this.#inserts.push({ start: close, end: close, text: ")" });
        break;
      }
      default:
    }
  }

  #span(node: { readonly start: number; readonly end: number }): { start: number; end: number } {
    return { start: node.start - WRAPPER_CHARS, end: node.end - WRAPPER_CHARS };
  }

  #type(node: Node | null | undefined): void {
    if (node) this.#blanks.push(this.#span(node));
  }

  #noteEnd(node: Node): void {
    if (!MAY_LACK_SEMICOLON.has(node.type)) return;
    if (node.type === "VariableDeclaration" && node.parent?.type.startsWith("For")) return;
    const end = node.end - WRAPPER_CHARS;
    if (this.#code[end - 1] !== ";") this.#openEnds.add(end);
  }

  #annotation(
    node: NodeOf<"Identifier" | "ObjectPattern" | "ArrayPattern" | "RestElement" | "AssignmentPattern">,
  ): void {
    this.#type(node.typeAnnotation);
    if (node.optional === true) this.#mark(node, "?");
  }

  /** The `?` or `!` after a declared name. */
  #mark(node: Node, mark: "?" | "!"): void {
    const start = node.start - WRAPPER_CHARS;
    const name = /^[^\s?!:,)=/]+/.exec(this.#code.slice(start, node.end - WRAPPER_CHARS))?.[0] ?? "";
    const at = this.#skip(start + name.length, "");
    if (this.#code[at] === mark) this.#blanks.push({ start: at, end: at + 1 });
  }

  #thisParameter(node: NodeOf<"FunctionDeclaration" | "FunctionExpression">): void {
    const first = node.params[0] as Node | undefined;
    if (first?.type !== "Identifier" || first.name !== "this") return;
    const { start, end } = this.#span(first);
    const comma = this.#skip(end, "");
    this.#blanks.push({ start, end: this.#code[comma] === "," ? comma + 1 : end });
  }

  #arrow(node: NodeOf<"ArrowFunctionExpression">): void {
    if (node.typeParameters) {
      const { start, end } = this.#span(node.typeParameters);
      const open = this.#skip(end, "");
      // `async <T>\n(x) => …`: the bracket must stay on the line.
      const moves = this.#hasBreak(start, open);
      this.#blanks.push(moves ? { start, end: open + 1, first: "(" } : { start, end });
    }
    if (!node.returnType) return;
    const { start, end } = this.#span(node.returnType);
    const close = this.#closingBracket(node);
    // No line may end before the arrow, except within the brackets.
    this.#blanks.push(this.#hasBreak(close, end) ? { start: close, end, last: ")" } : { start, end });
  }

  /** The end of an arrow function's parameters. */
  #closingBracket(node: NodeOf<"ArrowFunctionExpression">): number {
    const last = node.params[node.params.length - 1];
    if (last !== undefined) return this.#skip(last.end - WRAPPER_CHARS, ",");
    const from = node.typeParameters
      ? node.typeParameters.end
      : node.start + (node.async ? "async".length : 0);
    return this.#skip(this.#skip(from - WRAPPER_CHARS, "") + 1, "");
  }

  #class(node: NodeOf<"ClassDeclaration" | "ClassExpression">): void {
    const { start } = this.#span(node);
    if (node.abstract === true) this.#blanks.push({ start, end: start + "abstract".length });
    this.#type(node.typeParameters);
    this.#type(node.superTypeArguments);
    const last = node.implements?.[node.implements.length - 1];
    if (last === undefined) return;
    const before = node.superTypeArguments ?? node.superClass ?? node.typeParameters ?? node.id;
    const from =
      before === null || before === undefined ? start + "class".length : before.end - WRAPPER_CHARS;
    this.#blanks.push({ start: this.#skip(from, ")"), end: last.end - WRAPPER_CHARS });
  }

  #member(node: NodeOf<"PropertyDefinition" | "MethodDefinition" | "AccessorProperty">): void {
    const { start } = this.#span(node);
    const keyStart = node.key.start - WRAPPER_CHARS;
    let at = start;
    while (at < keyStart) {
      const word = /^[a-z]+/.exec(this.#code.slice(at, keyStart))?.[0];
      if (word === undefined) {
        const next = this.#skip(at, "");
        at = next > at ? next : at + 1;
        continue;
      }
      if (MODIFIERS.has(word)) {
        // `['x']` or `*x` alone would continue the previous line.
        this.#blanks.push(
          at === start
            ? { start: at, end: at + word.length, first: ";" }
            : { start: at, end: at + word.length },
        );
      }
      at += word.length;
    }
    const field = node as { readonly typeAnnotation?: Node | null; readonly definite?: boolean };
    this.#type(field.typeAnnotation);
    if (node.optional === true) this.#markAfterKey(node, "?");
    if (field.definite === true) this.#markAfterKey(node, "!");
  }

  #markAfterKey(
    node: NodeOf<"PropertyDefinition" | "MethodDefinition" | "AccessorProperty">,
    mark: string,
  ): void {
    const at = this.#skip(node.key.end - WRAPPER_CHARS, "]");
    if (this.#code[at] === mark) this.#blanks.push({ start: at, end: at + 1 });
  }

  #hasBreak(start: number, end: number): boolean {
    return /[\r\n\u2028\u2029]/.test(this.#code.slice(start, end));
  }

  /** The next offset that is not white space, a comment or one of `also`. */
  #skip(from: number, also: string): number {
    let at = from;
    for (;;) {
      const c = this.#code[at];
      if (c === undefined) return at;
      if (c === "/" && this.#code[at + 1] === "/") {
        while (at < this.#code.length && !/[\r\n\u2028\u2029]/.test(this.#code[at] as string)) at += 1;
      } else if (c === "/" && this.#code[at + 1] === "*") {
        const end = this.#code.indexOf("*/", at + 2);
        at = end === -1 ? this.#code.length : end + 2;
      } else if (/\s|\ufeff/.test(c) || (also !== "" && also.includes(c))) at += 1;
      else return at;
    }
  }
}
