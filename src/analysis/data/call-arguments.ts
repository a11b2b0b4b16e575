/**
 * The arguments of a call of a tool or capability, if they are an object literal with named fields.
 *
 * @module
 */
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { onlyValue, staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";

export interface ArgumentField {
  readonly key: string;
  /** The expression of its value. */
  readonly value: Node;
  /** Its property: in the call itself, or in an object that is spread into it. */
  readonly property: NodeOf<"Property">;
}

export interface CallArguments {
  /** `none`: no argument. `other`: an argument that is not an object literal, here or in a constant. */
  readonly kind: "none" | "object" | "other";
  /** The expression of the argument. */
  readonly given: Node | undefined;
  /** The object literal. */
  readonly object: NodeOf<"ObjectExpression"> | undefined;
  /** In source order; of two with the same key only the last. */
  readonly fields: readonly ArgumentField[];
  /** There are no other fields. */
  readonly isComplete: boolean;
}

/** How deep spread objects are followed. */
const SPREADS = 10;
/** How many objects are followed that are spread into one. */
const SPREAD_OBJECTS = 64;

export function callArguments(call: NodeOf<"CallExpression">, scopes: Scopes): CallArguments {
  const given = call.arguments[0] as Node | undefined;
  const others = { given, object: undefined, fields: [], isComplete: false };
  if (given === undefined) return { ...others, kind: "none", isComplete: true };
  const object = objectOf(given, scopes);
  if (object === undefined) return { ...others, kind: "other" };
  return { kind: "object", given, object, ...writtenFields(object, scopes) };
}

/** Whether a call's argument is `args`, or an object literal in it that ends with `...args`. */
export function passesArgs(call: NodeOf<"CallExpression">, scopes: Scopes): boolean {
  const [first] = call.arguments;
  if (first === undefined || call.arguments.length > 1) return false;
  const given = withoutTypes(first as Node);
  if (given.type !== "ObjectExpression") return isArgs(given, scopes);
  const others = given.properties.slice(0, -1);
  const last = given.properties.at(-1);
  return (
    last?.type === "SpreadElement" &&
    isArgs(withoutTypes(last.argument as Node), scopes) &&
    others.every(
      (one) => one.type === "Property" && staticKey(one.key as Node, one.computed, scopes) !== undefined,
    )
  );
}

function isArgs(node: Node, scopes: Scopes): boolean {
  return node.type === "Identifier" && node.name === "args" && scopes.bindingOf(node) === undefined;
}

/** The fields of an object literal, in source order. */
export function objectFields(object: NodeOf<"ObjectExpression">, scopes: Scopes): readonly ArgumentField[] {
  return writtenFields(object, scopes).fields;
}

type WrittenFields = Pick<CallArguments, "fields" | "isComplete">;

/**
 * One object can be an argument of thousands of calls. Each tree has exactly one `Scopes`, so the cache needs no other
 * key.
 */
const known = new WeakMap<Node, WrittenFields>();

/** The fields, and whether there are no others. */
export function writtenFields(object: NodeOf<"ObjectExpression">, scopes: Scopes): WrittenFields {
  const before = known.get(object);
  if (before !== undefined) return before;
  const fields = new Map<string, ArgumentField>();
  const isComplete = collect(object, fields, scopes);
  const written = { fields: [...fields.values()], isComplete };
  known.set(object, written);
  return written;
}

/** The object literal of an expression, or of a variable that is set to one and never changes. */
export function objectOf(expression: Node, scopes: Scopes): NodeOf<"ObjectExpression"> | undefined {
  let node = withoutTypes(expression);
  for (let steps = 0; node.type === "Identifier" && steps < SPREADS; steps += 1) {
    const value = onlyValue(node, scopes);
    if (value === undefined) return undefined;
    node = withoutTypes(value);
  }
  return node.type === "ObjectExpression" ? node : undefined;
}

function collect(
  object: NodeOf<"ObjectExpression">,
  fields: Map<string, ArgumentField>,
  scopes: Scopes,
  budget = { objects: SPREAD_OBJECTS },
  levels = SPREADS,
): boolean {
  let isComplete = true;
  for (const property of object.properties) {
    if (property.type === "SpreadElement") {
      budget.objects -= 1;
      const isNear = levels > 0 && budget.objects >= 0;
      const inner = isNear ? objectOf(property.argument, scopes) : undefined;
      if (inner === undefined || !collect(inner, fields, scopes, budget, levels - 1)) isComplete = false;
      continue;
    }
    const key = staticKey(property.key, property.computed, scopes);
    if (key === undefined || property.kind !== "init" || (key === "__proto__" && !property.computed)) {
      isComplete = false;
      continue;
    }
    // A later field with the same key replaces an earlier one, at its own position.
    fields.delete(key);
    fields.set(key, { key, value: property.value, property });
  }
  return isComplete;
}
