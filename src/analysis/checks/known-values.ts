/**
 * What expressions are known to be before the code runs, as deep as they are written out: `{ path, depth: 3 }` has a
 * `depth` of 3, whatever its `path` is.
 *
 * @module
 */

import type { References } from "../names/references.js";
import { contextOf, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { isSign, jsonScalar, onlyValue, signed, staticKey } from "../syntax/constants.js";
import type { Binding, Scopes } from "../syntax/scopes.js";

interface Found {
  /** Where it is given: a constant counts as where it is used, not as where it is set. */
  readonly at: Node;
}

interface KnownScalar extends Found {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
}

export interface KnownList extends Found {
  readonly kind: "list";
  readonly items: readonly KnownValue[];
  /** There are no other items than these. */
  readonly isComplete: boolean;
  /** How many of the first have the place in the list that they have here. */
  readonly placed: number;
}

export interface KnownObject extends Found {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, KnownField>;
  /** There are no other fields than these. */
  readonly isComplete: boolean;
}

interface KnownField extends Found {
  readonly value: KnownValue;
}

/** `text` is a string of which no more is known; `unknown` can be anything, and nothing. */
export type KnownValue =
  | KnownScalar
  | KnownList
  | KnownObject
  | (Found & { readonly kind: "text" | "undefined" | "unknown" });

/** Of all values together: what is more is unknown. */
const STEPS = 100_000;
const LEVELS = 30;
/** How far a use of a variable is followed. */
const CLIMB = 50;

export function valuesIn(scopes: Scopes, { uses }: References): (expression: Node) => KnownValue {
  const calls = new Set<Node>(uses.flatMap(({ call }) => call ?? []));
  const lasting = new Map<Binding, boolean>();
  let left = STEPS;

  /** Whether what a variable holds stays as it was written: nobody gets hold of it who could change it. */
  const lasts = (binding: Binding): boolean => {
    const known = lasting.get(binding);
    if (known !== undefined) return known;
    const answer = binding.reads.every((read) => isOnlyRead(read, calls, scopes));
    lasting.set(binding, answer);
    return answer;
  };

  /** `place` stands for all that is inside of a constant. */
  const read = (expression: Node, place: Node | undefined, levels: number): KnownValue => {
    left -= 1;
    const at = place ?? expression;
    const unknown: KnownValue = { kind: "unknown", at };
    if (left < 0 || levels < 0) return unknown;
    const node = withoutTypes(expression);
    switch (node.type) {
      case "Literal":
        return literal(node, at);
      case "TemplateLiteral": {
        const text = staticKey(node, true, scopes);
        return text === undefined ? { kind: "text", at } : { kind: "scalar", value: text, at };
      }
      case "BinaryExpression": {
        const text = staticKey(node, true, scopes);
        return text === undefined ? unknown : { kind: "scalar", value: text, at };
      }
      case "UnaryExpression":
        return unary(node, at, levels);
      case "Identifier":
        return variable(node, at, levels);
      case "ArrayExpression":
        return list(node, place, at, levels);
      case "ObjectExpression":
        return object(node, place, at, levels);
      default:
        return unknown;
    }
  };

  const unary = (node: NodeOf<"UnaryExpression">, at: Node, levels: number): KnownValue => {
    if (node.operator === "void") return { kind: "undefined", at };
    const inner = isSign(node.operator) ? read(node.argument, at, levels - 1) : undefined;
    const value = inner?.kind === "scalar" ? signed(node.operator, inner.value) : undefined;
    return value === undefined ? { kind: "unknown", at } : { kind: "scalar", value, at };
  };

  const variable = (node: NodeOf<"Identifier">, at: Node, levels: number): KnownValue => {
    const unknown: KnownValue = { kind: "unknown", at };
    const binding = scopes.bindingOf(node);
    if (binding === undefined) return node.name === "undefined" ? { kind: "undefined", at } : unknown;
    const initial = onlyValue(node, scopes);
    if (initial === undefined) return unknown;
    const value = read(initial, at, levels - 1);
    const canChange = value.kind === "list" || value.kind === "object";
    return canChange && !lasts(binding) ? unknown : value;
  };

  const list = (
    node: NodeOf<"ArrayExpression">,
    place: Node | undefined,
    at: Node,
    levels: number,
  ): KnownValue => {
    const items: KnownValue[] = [];
    let placed: number | undefined;
    for (const element of node.elements) {
      if (element?.type === "SpreadElement") placed ??= items.length;
      // A hole is sent as null.
      else if (element === null) items.push({ kind: "scalar", value: null, at });
      else items.push(read(element, place, levels - 1));
    }
    return { kind: "list", items, isComplete: placed === undefined, placed: placed ?? items.length, at };
  };

  const object = (
    node: NodeOf<"ObjectExpression">,
    place: Node | undefined,
    at: Node,
    levels: number,
  ): KnownValue => {
    const fields = new Map<string, KnownField>();
    let isComplete = true;
    /** What is not known may be any field, and so replace any that stands before it. */
    const forget = (by: Node): void => {
      isComplete = false;
      for (const [key, field] of fields) fields.set(key, { ...field, value: { kind: "unknown", at: by } });
    };
    for (const property of node.properties) {
      const here = place ?? property;
      if (property.type === "SpreadElement") {
        const inner = read(property.argument, here, levels - 1);
        if (inner.kind === "undefined") continue;
        if (inner.kind === "object") {
          if (!inner.isComplete) forget(here);
          for (const [key, field] of inner.fields) fields.set(key, field);
        } else forget(here);
        continue;
      }
      const key = staticKey(property.key, property.computed, scopes);
      if (key === undefined) forget(here);
      // It sets the prototype, not a field.
      else if (key === "__proto__" && !property.computed) isComplete = false;
      else {
        const isPlain = property.kind === "init" && !property.method;
        const value: KnownValue = isPlain
          ? read(property.value, place, levels - 1)
          : { kind: "unknown", at: here };
        fields.set(key, { value, at: here });
      }
    }
    return { kind: "object", fields, isComplete, at };
  };

  return (expression) => read(expression, undefined, LEVELS);
}

function literal(node: NodeOf<"Literal">, at: Node): KnownValue {
  // A number past the largest is sent as null, with a warning of its own.
  const value = jsonScalar(node);
  return value === undefined ? { kind: "unknown", at } : { kind: "scalar", value, at };
}

/** Whether a use of a variable cannot change what it holds: it is looked at, or becomes part of what a call is given. */
function isOnlyRead(use: Node, calls: ReadonlySet<Node>, scopes: Scopes): boolean {
  let node = use;
  for (let steps = 0; steps < CLIMB; steps += 1) {
    const { parent, child } = contextOf(node);
    switch (parent?.type) {
      case "MemberExpression":
        if (parent.object !== child) return true;
        node = parent;
        break;
      case "Property":
        if (parent.value !== child || parent.parent?.type !== "ObjectExpression") return false;
        node = parent.parent;
        break;
      case "ArrayExpression":
        node = parent;
        break;
      case "SpreadElement":
        if (!parent.parent || parent.parent.type === "CallExpression") return false;
        node = parent.parent;
        break;
      case "CallExpression":
        return parent.callee !== child && (calls.has(parent) || isWriting(parent, scopes));
      case "UnaryExpression":
        return parent.operator !== "delete";
      case "BinaryExpression":
      case "TemplateLiteral":
      case "ExpressionStatement":
        return true;
      default:
        return false;
    }
  }
  return false;
}

/** `console.log(x)` and `JSON.stringify(x)`. */
function isWriting({ callee }: NodeOf<"CallExpression">, scopes: Scopes): boolean {
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  const { object } = callee;
  return (object.name === "console" || object.name === "JSON") && scopes.bindingOf(object) === undefined;
}
