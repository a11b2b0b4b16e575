/**
 * What a piece of code contains: calls of tools and capabilities, exits of a function, jumps, and expressions that
 * could throw.
 *
 * The contents of a function count where the function is called or passed, if that is known, and not where it is
 * written.
 *
 * @module
 */

import type { References } from "../names/references.js";
import { type FunctionNode, isFunction, type Node, withoutTypes } from "../syntax/ast.js";
import type { CodeFunctions } from "../syntax/code-functions.js";
import type { Scopes } from "../syntax/scopes.js";

const CALL = 1;
const EXIT = 2;
const JUMP = 4;
const THROW = 8;

export class HeldCalls {
  readonly #scopes: Scopes;
  /** By the index of the node. */
  readonly #flags: Uint8Array;
  readonly #calling = new Set<FunctionNode>();
  readonly #functions: CodeFunctions;

  constructor(scopes: Scopes, { uses, functions }: References) {
    this.#scopes = scopes;
    this.#functions = functions;
    this.#flags = new Uint8Array(scopes.nodes.length);
    // Possible throws matter only if something catches them.
    const hasTry = scopes.nodes.some(({ type }) => type === "TryStatement");
    const calls = new Set<Node>(uses.map(({ node, call }) => call ?? node));
    for (const node of scopes.nodes) {
      if (calls.has(node)) this.mark(node);
      switch (node.type) {
        case "ReturnStatement":
          this.#mark(node, EXIT);
          break;
        case "ThrowStatement":
          this.#mark(node, EXIT);
          this.#mark(node, THROW);
          break;
        case "BreakStatement":
        case "ContinueStatement":
          this.#mark(node, JUMP);
          break;
        default:
          if (hasTry && this.#throws(node)) this.#mark(node, THROW);
      }
    }
  }

  /** From now on a node counts as a call, and so do the nodes around it. */
  mark(call: Node): void {
    const starts: Node[] = [call];
    for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
      const around = this.#mark(start, CALL);
      if (around === undefined || this.#calling.has(around)) continue;
      this.#calling.add(around);
      const places = this.#functions.placesOf(around);
      if (places === undefined) starts.push(around);
      else {
        this.#set(around, CALL);
        for (const place of places) starts.push(place);
      }
    }
  }

  /** Sets a flag on a node and the nodes around it, up to a function, which is returned. */
  #mark(start: Node, flag: number): FunctionNode | undefined {
    let node: Node | null | undefined = start;
    while (node) {
      if (this.#has(node, flag)) return undefined;
      if (isFunction(node) && node !== start) return node;
      this.#set(node, flag);
      node = node.parent;
    }
    return undefined;
  }

  /** Whether it calls a tool or capability, or a function of the code that does. */
  holdsCall(node: Node | null | undefined): boolean {
    return this.#has(node, CALL);
  }

  /** Whether it can leave the enclosing function. */
  exits(node: Node | null | undefined): boolean {
    return this.#has(node, EXIT);
  }

  mayThrow(node: Node): boolean {
    return this.#has(node, THROW);
  }

  /** Whether it affects where the code continues. */
  isActive(node: Node): boolean {
    return this.#has(node, CALL | EXIT | JUMP);
  }

  #has(node: Node | null | undefined, flags: number): boolean {
    if (node === null || node === undefined) return false;
    return ((this.#flags[this.#scopes.indexOf(node) ?? -1] ?? 0) & flags) !== 0;
  }

  #set(node: Node, flags: number): void {
    const index = this.#scopes.indexOf(node);
    if (index !== undefined) this.#flags[index] = (this.#flags[index] ?? 0) | flags;
  }

  /** The functions of the code that an expression can be, if they contain calls. */
  functionsOf(expression: Node): readonly FunctionNode[] {
    return this.#functions.of(expression).filter((each) => this.holdsCall(each));
  }

  /** Whether a function is walked where it is called or passed on, not where it is written. */
  isElsewhere(written: FunctionNode): boolean {
    return written.type === "FunctionDeclaration" || this.#functions.placesOf(written) !== undefined;
  }

  /** Whether evaluating this node itself, without its parts, could throw. */
  #throws(node: Node): boolean {
    switch (node.type) {
      case "CallExpression":
      case "NewExpression":
      case "AwaitExpression":
      case "YieldExpression":
      case "TaggedTemplateExpression":
      case "TemplateLiteral":
      case "SpreadElement":
      case "ObjectPattern":
      case "ArrayPattern":
      case "ForOfStatement":
      case "ImportExpression":
      case "ClassDeclaration":
      case "ClassExpression":
        return node.type !== "TemplateLiteral" || node.expressions.length > 0;
      case "MemberExpression": {
        const object = withoutTypes(node.object as Node);
        return !(
          object.type === "Identifier" &&
          this.#scopes.bindingOf(object) === undefined &&
          SAFE.has(object.name)
        );
      }
      case "BinaryExpression":
        return node.operator === "in" || node.operator === "instanceof";
      default:
        return false;
    }
  }
}

/** Objects that always exist. */
const SAFE: ReadonlySet<string> = new Set([
  "args",
  "mcp",
  "capabilities",
  "Promise",
  "Math",
  "JSON",
  "Object",
  "Array",
  "console",
]);
