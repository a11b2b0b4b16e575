/**
 * What pieces of code hold: calls of tools and capabilities, ways out of a function, jumps, and what could throw.
 *
 * A function holds what its body holds, and passes it on to where the function is called or passed, not to where it is
 * written, if that is known.
 *
 * @module
 */
import {
  contextOf,
  type FunctionNode,
  type Identifier,
  isFunction,
  type Node,
  type NodeOf,
  withoutTypes,
} from "./ast.js";
import { onlyValue, staticKey } from "./constants.js";
import type { Use } from "./references.js";
import type { Scopes } from "./scopes.js";

const CALL = 1;
const EXIT = 2;
const JUMP = 4;
const THROW = 8;

export class HeldCalls {
  readonly #scopes: Scopes;
  /** By the number of the node. */
  readonly #flags: Uint8Array;
  readonly #calling = new Set<FunctionNode>();

  constructor(scopes: Scopes, uses: readonly Use[]) {
    this.#scopes = scopes;
    this.#flags = new Uint8Array(scopes.nodes.length);
    // Only where something catches, it matters what could throw.
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

  /** A place counts as a call from here on, and so does what is around it. */
  mark(call: Node): void {
    const starts: Node[] = [call];
    for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
      const around = this.#mark(start, CALL);
      if (around === undefined || this.#calling.has(around)) continue;
      this.#calling.add(around);
      const places = this.#placesOf(around);
      if (!places.includes(around)) this.#set(around, CALL);
      for (const place of places) starts.push(place);
    }
  }

  /** Sets a flag on a node and what is around it, up to a function, which is answered. */
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

  /** Whether it can leave the function around it. */
  exits(node: Node | null | undefined): boolean {
    return this.#has(node, EXIT);
  }

  mayThrow(node: Node): boolean {
    return this.#has(node, THROW);
  }

  /** Whether it matters where the code goes on from. */
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

  /** The function of the code that an expression is: written there, or kept in a variable that is set once. */
  functionOf(expression: Node): FunctionNode | undefined {
    let node = withoutTypes(expression);
    for (let steps = 0; steps < STEPS; steps += 1) {
      if (isFunction(node)) return node;
      if (node.type === "MemberExpression") return this.#method(node);
      if (node.type !== "Identifier") return undefined;
      const binding = this.#scopes.bindingOf(node);
      if (binding?.kind === "function" && binding.writes.length === 1) {
        const declaration = binding.writes[0]?.parent;
        return declaration && isFunction(declaration) ? declaration : undefined;
      }
      const value = onlyValue(node, this.#scopes);
      if (value === undefined) return undefined;
      node = withoutTypes(value);
    }
    return undefined;
  }

  /** `tools.read` where `tools` is an object of functions that is written out. */
  #method({ object, property, computed }: NodeOf<"MemberExpression">): FunctionNode | undefined {
    const holder = withoutTypes(object as Node);
    const value = holder.type === "Identifier" ? onlyValue(holder, this.#scopes) : undefined;
    const literal = value === undefined ? undefined : withoutTypes(value);
    if (literal?.type !== "ObjectExpression") return undefined;
    const key = staticKey(property as Node, computed, this.#scopes);
    if (key === undefined) return undefined;
    for (let i = literal.properties.length - 1; i >= 0; i -= 1) {
      const each = literal.properties[i] as Node;
      if (each.type !== "Property") return undefined;
      if (staticKey(each.key, each.computed, this.#scopes) !== key) continue;
      const found = withoutTypes(each.value);
      return each.kind === "init" && isFunction(found) ? found : undefined;
    }
    return undefined;
  }

  /** Where what a function holds is to be expected: where it is called or passed on, else where it is written. */
  #placesOf(written: FunctionNode): readonly Node[] {
    const named = this.#named(written);
    return named === undefined || named.length === 0 ? [written] : named;
  }

  /** Whether a function is looked at where its name is mentioned, not where it is written. */
  isElsewhere(written: FunctionNode): boolean {
    return written.type === "FunctionDeclaration" || (this.#named(written)?.length ?? 0) > 0;
  }

  #named(written: FunctionNode): readonly Identifier[] | undefined {
    if (written.type === "FunctionDeclaration")
      return written.id === null ? undefined : this.#through(this.#scopes.bindingOf(written.id)?.reads ?? []);
    const { parent, child } = contextOf(written);
    if (parent?.type === "VariableDeclarator" && parent.init === child) return this.#readsOf(parent);
    if (parent?.type !== "Property" || parent.value !== child || parent.parent?.type !== "ObjectExpression")
      return undefined;
    const { parent: holder, child: object } = contextOf(parent.parent);
    if (holder?.type !== "VariableDeclarator" || holder.init !== object) return undefined;
    const reads = this.#readsOf(holder);
    // Whoever has the object can call any function in it.
    return reads?.every((read) => contextOf(read).parent?.type === "MemberExpression") === true
      ? reads.filter((read) => this.functionOf(contextOf(read).parent as Node) === written)
      : undefined;
  }

  #readsOf(declarator: NodeOf<"VariableDeclarator">): readonly Identifier[] | undefined {
    const binding = declarator.id.type === "Identifier" ? this.#scopes.bindingOf(declarator.id) : undefined;
    if (binding?.writes.length !== 1) return undefined;
    const reads = this.#through(binding.reads);
    // Where a variable might not be set yet, it is not known what is called.
    return reads.every((read) => this.functionOf(read) !== undefined || isMember(read)) ? reads : undefined;
  }

  /** Instead of a place that gives it another name, those where it is used under that name. */
  #through(reads: readonly Identifier[]): readonly Identifier[] {
    if (!reads.some((read) => this.#renamed(read) !== undefined)) return reads;
    const places = new Set<Identifier>();
    const waiting = [...reads];
    for (let read = waiting.pop(); read !== undefined; read = waiting.pop()) {
      if (places.has(read)) continue;
      const renamed = this.#renamed(read);
      if (renamed === undefined) places.add(read);
      else for (const each of renamed) if (each !== read) waiting.push(each);
    }
    return [...places];
  }

  #renamed(read: Identifier): readonly Identifier[] | undefined {
    const { parent, child } = contextOf(read);
    if (parent?.type !== "VariableDeclarator" || parent.init !== child || parent.id.type !== "Identifier")
      return undefined;
    const binding = this.#scopes.bindingOf(parent.id);
    return binding?.writes.length === 1 ? binding.reads : undefined;
  }

  /** Whether evaluating this very node, beside its parts, could throw. */
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

function isMember(read: Node): boolean {
  return contextOf(read).parent?.type === "MemberExpression";
}

/** How many names a function may be given, one after the other. */
const STEPS = 10;
/** Objects that are always there. */
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
