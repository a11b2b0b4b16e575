/**
 * Functions of the code: which of them an expression can be, and where a function is called or passed on.
 *
 * Followed through variables that are set once, objects of functions, methods of classes, and parameters of functions
 * of the code that receive a function.
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
import type { Binding, Scopes } from "./scopes.js";

/** How many consecutive names of a function are followed. */
const STEPS = 10;
/** How many functions are considered for one parameter. */
const HANDED = 20;

type ClassNode = NodeOf<"ClassDeclaration" | "ClassExpression">;

export class CodeFunctions {
  readonly #scopes: Scopes;
  readonly #handed = new Map<Binding, readonly FunctionNode[]>();
  readonly #places = new Map<FunctionNode, readonly Node[] | undefined>();
  #members: ReadonlyMap<string, readonly NodeOf<"MemberExpression">[]> | undefined;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** The functions that an expression can be, as far as known: none, one, or those that a parameter receives. */
  of(expression: Node): readonly FunctionNode[] {
    let node = withoutTypes(expression);
    for (let steps = 0; steps < STEPS; steps += 1) {
      if (isFunction(node)) return [node];
      if (node.type === "MemberExpression") {
        const method = this.#method(node);
        return method === undefined ? [] : [method];
      }
      const binding = node.type === "Identifier" ? this.#scopes.bindingOf(node) : undefined;
      if (binding === undefined) return [];
      if (binding.kind === "param") return this.#handedTo(binding);
      if (binding.kind === "function" && binding.writes.length === 1) {
        const declaration = binding.writes[0]?.parent;
        return declaration && isFunction(declaration) ? [declaration] : [];
      }
      const value = onlyValue(node, this.#scopes);
      if (value === undefined) return [];
      node = withoutTypes(value);
    }
    return [];
  }

  /**
   * Where a function is called or passed on; `undefined` if that is unknown, or if it is called where it is written.
   */
  placesOf(written: FunctionNode): readonly Node[] | undefined {
    if (this.#places.has(written)) return this.#places.get(written);
    this.#places.set(written, undefined);
    const places = this.#findPlaces(written);
    this.#places.set(written, places);
    return places;
  }

  /** The functions that calls pass to a parameter. */
  #handedTo(binding: Binding): readonly FunctionNode[] {
    const known = this.#handed.get(binding);
    if (known !== undefined) return known;
    this.#handed.set(binding, []);
    const handed = new Set<FunctionNode>();
    const parameter = binding.writes.length === 1 ? binding.writes[0] : undefined;
    const holder = parameter?.parent;
    if (parameter !== undefined && holder && isFunction(holder)) {
      const index = (holder.params as readonly Node[]).indexOf(parameter);
      for (const place of this.placesOf(holder) ?? []) {
        const { parent, child } = contextOf(place);
        if (parent?.type !== "CallExpression" || parent.callee !== child) continue;
        const given = parent.arguments[index] as Node | undefined;
        if (given === undefined || given.type === "SpreadElement") continue;
        for (const each of this.of(given)) if (handed.size < HANDED) handed.add(each);
      }
    }
    this.#handed.set(binding, [...handed]);
    return [...handed];
  }

  /** `tools.read` of an object literal, and `store.load` of a class. */
  #method({ object, property, computed }: NodeOf<"MemberExpression">): FunctionNode | undefined {
    const key = staticKey(property as Node, computed, this.#scopes);
    const holder = withoutTypes(object as Node);
    if (key === undefined) return undefined;
    if (holder.type === "ThisExpression") return this.#member(classAround(holder), key, false);
    const value = holder.type === "Identifier" ? onlyValue(holder, this.#scopes) : holder;
    const made = value === undefined ? undefined : withoutTypes(value);
    if (made?.type === "ObjectExpression") return this.#property(made, key);
    if (made?.type === "NewExpression") return this.#member(this.#classOf(made.callee), key, false);
    return this.#member(this.#classOf(holder), key, true);
  }

  #property({ properties }: NodeOf<"ObjectExpression">, key: string): FunctionNode | undefined {
    for (let i = properties.length - 1; i >= 0; i -= 1) {
      const each = properties[i] as Node;
      if (each.type !== "Property") return undefined;
      if (staticKey(each.key, each.computed, this.#scopes) !== key) continue;
      const found = withoutTypes(each.value);
      return each.kind === "init" && isFunction(found) ? found : undefined;
    }
    return undefined;
  }

  #classOf(expression: Node): ClassNode | undefined {
    const node = withoutTypes(expression);
    if (isClass(node)) return node;
    const binding = node.type === "Identifier" ? this.#scopes.bindingOf(node) : undefined;
    if (binding?.kind === "class" && binding.writes.length === 1) {
      const declaration = binding.writes[0]?.parent;
      return declaration && isClass(declaration) ? declaration : undefined;
    }
    const value = binding === undefined ? undefined : onlyValue(node, this.#scopes);
    const made = value === undefined ? undefined : withoutTypes(value);
    return made !== undefined && isClass(made) ? made : undefined;
  }

  #member(holder: ClassNode | undefined, key: string, isStatic: boolean): FunctionNode | undefined {
    for (const member of holder?.body.body ?? []) {
      if (member.type !== "MethodDefinition" && member.type !== "PropertyDefinition") continue;
      if (member.static !== isStatic || staticKey(member.key, member.computed, this.#scopes) !== key)
        continue;
      const value = member.value === null ? undefined : withoutTypes(member.value as Node);
      if (member.type === "MethodDefinition" && member.kind !== "method") return undefined;
      return value !== undefined && isFunction(value) ? value : undefined;
    }
    return undefined;
  }

  #findPlaces(written: FunctionNode): readonly Node[] | undefined {
    if (written.type === "FunctionDeclaration") {
      const binding = written.id === null ? undefined : this.#scopes.bindingOf(written.id);
      return this.#through(binding?.reads ?? []);
    }
    const { parent, child } = contextOf(written);
    switch (parent?.type) {
      case "VariableDeclarator":
        return parent.init === child ? this.#readsOf(parent) : undefined;
      case "CallExpression": {
        const reads = parent.callee === child ? undefined : this.#handedReads(parent, child);
        return reads === undefined ? undefined : this.#through(reads);
      }
      case "Property":
        return parent.value === child && parent.parent?.type === "ObjectExpression"
          ? this.#placesInObject(written, parent.parent)
          : undefined;
      case "MethodDefinition":
      case "PropertyDefinition": {
        const places = this.#membersThatAre(written, parent.key);
        return places.length === 0 ? undefined : places;
      }
      default:
        return undefined;
    }
  }

  #placesInObject(
    written: FunctionNode,
    object: NodeOf<"ObjectExpression">,
  ): readonly Identifier[] | undefined {
    const { parent: holder, child } = contextOf(object);
    if (holder?.type !== "VariableDeclarator" || holder.init !== child) return undefined;
    const reads = this.#readsOf(holder);
    // If the object itself is passed on, any function in it may be called.
    return reads?.every(isMember) === true
      ? reads.filter((read) => this.of(contextOf(read).parent as Node).includes(written))
      : undefined;
  }

  #membersThatAre(written: FunctionNode, key: Node): readonly Node[] {
    this.#members ??= membersByKey(this.#scopes);
    const name = key.type === "Identifier" ? key.name : undefined;
    const members = name === undefined ? [] : (this.#members.get(name) ?? []);
    return members.filter((member) => this.#method(member) === written);
  }

  #readsOf(declarator: NodeOf<"VariableDeclarator">): readonly Identifier[] | undefined {
    const binding = declarator.id.type === "Identifier" ? this.#scopes.bindingOf(declarator.id) : undefined;
    if (binding?.writes.length !== 1) return undefined;
    // If a variable might not be set yet, the callee is unknown.
    const isKnown = binding.reads.every((read) => onlyValue(read, this.#scopes) !== undefined);
    return isKnown ? this.#through(binding.reads) : undefined;
  }

  /** Replaces a place that gives it another name by the uses of that name. */
  #through(reads: readonly Identifier[]): readonly Identifier[] {
    if (!reads.some((read) => this.#renamed(read) !== undefined)) return reads;
    const places = new Set<Identifier>();
    const seen = new Set<Identifier>();
    const waiting = [...reads];
    for (let read = waiting.pop(); read !== undefined; read = waiting.pop()) {
      if (seen.has(read)) continue;
      seen.add(read);
      const renamed = this.#renamed(read);
      if (renamed === undefined) places.add(read);
      else for (const each of renamed) waiting.push(each);
    }
    return [...places];
  }

  #renamed(read: Identifier): readonly Identifier[] | undefined {
    const { parent, child } = contextOf(read);
    if (parent?.type === "CallExpression" && parent.callee !== child) return this.#handedReads(parent, child);
    if (parent?.type !== "VariableDeclarator" || parent.init !== child || parent.id.type !== "Identifier")
      return undefined;
    const binding = this.#scopes.bindingOf(parent.id);
    return binding?.writes.length === 1 ? binding.reads : undefined;
  }

  /** The reads of the parameter for an argument, in a function of the code. */
  #handedReads(call: NodeOf<"CallExpression">, argument: Node): readonly Identifier[] | undefined {
    const parameter = parameterOf(call, argument, this.#scopes);
    const binding = parameter?.type === "Identifier" ? this.#scopes.bindingOf(parameter) : undefined;
    return binding?.writes.length === 1 && binding.reads.length > 0 ? binding.reads : undefined;
  }
}

function membersByKey(scopes: Scopes): ReadonlyMap<string, readonly NodeOf<"MemberExpression">[]> {
  const members = new Map<string, NodeOf<"MemberExpression">[]>();
  for (const node of scopes.nodes) {
    if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") continue;
    const known = members.get(node.property.name);
    if (known === undefined) members.set(node.property.name, [node]);
    else known.push(node);
  }
  return members;
}

function classAround(node: Node): ClassNode | undefined {
  for (let around = node.parent; around; around = around.parent) {
    if (isClass(around)) return around;
    // `this` of a function that is not a method is something else.
    if (around.type === "FunctionDeclaration") return undefined;
    if (around.type === "FunctionExpression" && around.parent?.type !== "MethodDefinition") return undefined;
  }
  return undefined;
}

function isClass(node: Node): node is ClassNode {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}

function isMember(read: Node): boolean {
  return contextOf(read).parent?.type === "MemberExpression";
}

/** The parameter for an argument of a call, if the code itself declares the called function. */
export function parameterOf(
  call: NodeOf<"CallExpression">,
  argument: Node,
  scopes: Scopes,
): Node | undefined {
  const index = (call.arguments as readonly Node[]).indexOf(argument);
  if (index === -1) return undefined;
  const before = call.arguments.slice(0, index);
  if (before.some(({ type }) => type === "SpreadElement")) return undefined;
  const callee = calleeOf(withoutTypes(call.callee), scopes);
  if (callee === undefined || !isFunction(callee)) return undefined;
  const parameters = (callee.params as readonly Node[]).filter(
    (each) => !(each.type === "Identifier" && each.name === "this"),
  );
  const parameter = parameters[index];
  return parameter?.type === "RestElement" ? undefined : parameter;
}

function calleeOf(callee: Node, scopes: Scopes): Node | undefined {
  if (callee.type !== "Identifier") return callee;
  const binding = scopes.bindingOf(callee);
  if (binding?.kind === "function" && binding.writes.length === 1)
    return binding.writes[0]?.parent ?? undefined;
  const value = onlyValue(callee, scopes);
  return value === undefined ? undefined : withoutTypes(value);
}
