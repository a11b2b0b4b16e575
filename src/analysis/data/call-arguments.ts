/**
 * The arguments of a call of a tool or capability, as far as they are written out: one object with named fields.
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
  /** The property that says so: in the call itself, or in an object that is spread into it. */
  readonly property: NodeOf<"Property">;
}

export interface CallArguments {
  /** `none`: nothing is given. `other`: something that is not an object written out, here or in a constant. */
  readonly kind: "none" | "object" | "other";
  /** The expression that is given. */
  readonly given: Node | undefined;
  /** The object that is written out. */
  readonly object: NodeOf<"ObjectExpression"> | undefined;
  /** In the order in which they are written; of two with one key only the last. */
  readonly fields: readonly ArgumentField[];
  /** There are no other fields than these. */
  readonly isComplete: boolean;
}

/** Objects that are spread into an object that is spread, and so on. */
const SPREADS = 10;
/** And all objects that are spread into one. */
const SPREAD_OBJECTS = 64;

export function callArguments(call: NodeOf<"CallExpression">, scopes: Scopes): CallArguments {
  const given = call.arguments[0] as Node | undefined;
  const others = { given, object: undefined, fields: [], isComplete: false };
  if (given === undefined) return { ...others, kind: "none", isComplete: true };
  const object = objectOf(given, scopes);
  if (object === undefined) return { ...others, kind: "other" };
  return { kind: "object", given, object, ...writtenFields(object, scopes) };
}

/** Whether a call is given `args`, or an object that is written out in it and ends with `...args`. */
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

/** The fields of an object that is written out, in the order in which they are written. */
export function objectFields(object: NodeOf<"ObjectExpression">, scopes: Scopes): readonly ArgumentField[] {
  return writtenFields(object, scopes).fields;
}

type WrittenFields = Pick<CallArguments, "fields" | "isComplete">;

/** One object can be given to thousands of calls. A tree has its scopes, and they have no other. */
const known = new WeakMap<Node, WrittenFields>();

/** The same, and whether there are no others. */
export function writtenFields(object: NodeOf<"ObjectExpression">, scopes: Scopes): WrittenFields {
  const before = known.get(object);
  if (before !== undefined) return before;
  const fields = new Map<string, ArgumentField>();
  const isComplete = collect(object, fields, scopes);
  const written = { fields: [...fields.values()], isComplete };
  known.set(object, written);
  return written;
}

/** The object that an expression writes out, or a variable that is set to one and stays so. */
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
    // A later field with the same key replaces an earlier one, and stands where it stands.
    fields.delete(key);
    fields.set(key, { key, value: property.value, property });
  }
  return isComplete;
}
