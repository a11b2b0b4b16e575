/**
 * JSON Schemas of expressions before the code runs: of literals, parameters, results of tools, and operations of the
 * language on these.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { References, Use } from "../names/references.js";
import type { FoundReads } from "../parameters/parameter-reads.js";
import { type Schema, schemaAt } from "../parameters/parameter-types.js";
import { type FunctionNode, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { jsonScalar, onlyValue, staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import type { Meaning } from "../vocabulary.js";
import { calleeOf, formOfGlobal, formOfMethod, globalName } from "./call-flow.js";
import type { Changes } from "./changes.js";
import {
  agreed,
  fieldsOf,
  isType,
  type KnownResult,
  kindOf,
  known,
  listOf,
  objectOf,
  ofType,
  ofValue,
  part,
  small,
  UNKNOWN,
} from "./result-kinds.js";
import type { Form } from "./value-question.js";

export interface ResultWorld {
  readonly scopes: Scopes;
  readonly references: References;
  readonly reads: FoundReads;
  readonly changes: Changes;
  readonly parameters: ParametersSchema | undefined;
  readonly outputOf: (meaning: Meaning) => Json | undefined;
  /** The result of a function of the code, from the schemas of its expressions. */
  readonly returned: (written: FunctionNode, read: (expression: Node) => KnownResult) => KnownResult;
}

/** How deep expressions are followed, and how many of them are visited. */
const LEVELS = 30;
const STEPS = 2_000;

export function resultReader(world: ResultWorld): (expression: Node) => KnownResult {
  const { scopes, references, reads, changes, parameters } = world;
  const uses = new Map<Node, Use>();
  for (const use of references.uses) if (use.call !== undefined) uses.set(use.call, use);
  let left = STEPS;

  const read = (expression: Node, levels: number): KnownResult => {
    left -= 1;
    if (left < 0 || levels < 0) return UNKNOWN;
    const inner = (node: Node): KnownResult => read(node, levels - 1);
    const node = withoutTypes(expression);
    const name = reads.parameterAt.get(node)?.name;
    if (name !== undefined && node.type !== "BinaryExpression") return parameter(name);
    switch (node.type) {
      case "AwaitExpression":
        return inner(node.argument);
      case "ChainExpression":
        return inner(node.expression);
      case "Literal":
        return ofValue(jsonScalar(node));
      case "TemplateLiteral":
        return ofType("string");
      case "ArrayExpression":
        return list(node, inner);
      case "ObjectExpression":
        return object(node, inner);
      case "Identifier":
        return variable(node, inner);
      case "MemberExpression":
        return member(node, inner);
      case "CallExpression":
        return call(node, inner);
      case "NewExpression":
        return ofNew(globalName(withoutTypes(node.callee), scopes));
      case "ConditionalExpression":
        return agreed(inner(node.consequent), inner(node.alternate));
      case "LogicalExpression":
        return agreed(inner(node.left), inner(node.right));
      case "BinaryExpression":
        return binary(node, inner);
      case "UnaryExpression":
        return unary(node, inner);
      default:
        return UNKNOWN;
    }
  };

  const parameter = (name: string): KnownResult => {
    const { properties = {} } = parameters ?? {};
    const schema = Object.hasOwn(properties, name) ? schemaAt(properties[name], {}) : undefined;
    if (schema === undefined) return UNKNOWN;
    const { default: _, description: __, ...rest } = schema;
    return known(rest);
  };

  const variable = (node: NodeOf<"Identifier">, inner: Inner): KnownResult => {
    const binding = scopes.bindingOf(node);
    if (binding === undefined) return UNKNOWN;
    const value = onlyValue(node, scopes);
    const held = value === undefined ? takenApart(binding.writes, inner) : inner(value);
    // Values added later may be in any of its fields; a list stays a list.
    return changes.has(binding) ? kindOf(held) : held;
  };

  /** `const { data } = …`, if nothing else sets the variable. */
  const takenApart = (writes: readonly Node[], inner: Inner): KnownResult => {
    const [write] = writes;
    const property = write?.parent;
    if (writes.length !== 1 || property?.type !== "Property" || property.value !== write) return UNKNOWN;
    const declarator = property.parent?.parent;
    if (declarator?.type !== "VariableDeclarator" || declarator.id !== property.parent || !declarator.init)
      return UNKNOWN;
    return part(inner(declarator.init), staticKey(property.key, property.computed, scopes));
  };

  const member = (
    { object: of, property, computed }: NodeOf<"MemberExpression">,
    inner: Inner,
  ): KnownResult => {
    const key = staticKey(property, computed, scopes);
    const holder = inner(of);
    if (key === "length" && (isType(holder, "array") || isType(holder, "string"))) return ofType("number");
    return part(holder, key);
  };

  const list = ({ elements }: NodeOf<"ArrayExpression">, inner: Inner): KnownResult => {
    const items = elements.map((each) =>
      each === null || each.type === "SpreadElement" ? UNKNOWN : inner(each),
    );
    return listOf(items.length === 0 ? UNKNOWN : items.reduce(agreed));
  };

  const object = ({ properties }: NodeOf<"ObjectExpression">, inner: Inner): KnownResult => {
    const fields = new Map<string, Schema>();
    let isComplete = true;
    /** An unknown key may be any field, so it may replace every field before it. */
    const forget = (): void => {
      isComplete = false;
      for (const key of fields.keys()) fields.set(key, {});
    };
    for (const property of properties) {
      if (property.type === "SpreadElement") {
        const spread = inner(property.argument);
        if (spread.isComplete !== true) forget();
        for (const [key, field] of fieldsOf(spread)) fields.set(key, field);
        continue;
      }
      const key = staticKey(property.key, property.computed, scopes);
      if (key === undefined) forget();
      else if (property.method) fields.delete(key);
      else if (key !== "__proto__" || property.computed)
        fields.set(key, property.kind === "init" ? small(inner(property.value)) : {});
    }
    return { ...objectOf(fields), isComplete };
  };

  const call = (node: NodeOf<"CallExpression">, inner: Inner): KnownResult => {
    const use = uses.get(node);
    if (use !== undefined) {
      const output = world.outputOf(use.meaning);
      const schema = output === undefined ? undefined : schemaAt(output, output);
      return schema === undefined || output === undefined ? UNKNOWN : known(schema, output);
    }
    const callee = calleeOf(node);
    const [first] = node.arguments as readonly (Node | undefined)[];
    const global = globalName(callee, scopes);
    if (global !== undefined) return ofGlobal(global, first, inner);
    const functions = references.functions.of(callee);
    if (functions.length > 0) return functionsGive(functions, inner);
    if (callee.type !== "MemberExpression") return UNKNOWN;
    const method = staticKey(callee.property, callee.computed, scopes);
    return method === undefined ? UNKNOWN : ofMethod(method, callee.object, first, inner);
  };

  const functionsGive = (functions: readonly FunctionNode[], inner: Inner): KnownResult =>
    functions.length === 0
      ? UNKNOWN
      : functions.map((written) => world.returned(written, inner)).reduce(agreed);

  const ofGlobal = (name: string, first: Node | undefined, inner: Inner): KnownResult => {
    switch (name) {
      case "Object.keys":
        return listOf(ofType("string"));
      case "Object.values":
      case "Object.entries":
      case "Array.from":
      case "Array.of":
      case "Promise.allSettled":
        return ofType("array");
      case "Promise.all":
        return arrayLike(first, inner);
      case "Promise.resolve":
      case "structuredClone":
      case "Object.freeze":
        return first === undefined || first.type === "SpreadElement" ? UNKNOWN : inner(first);
      case "Date.now":
        return ofType("number");
      default:
        return ofForm(formOfGlobal(name));
    }
  };

  const ofMethod = (name: string, of: Node, first: Node | undefined, inner: Inner): KnownResult => {
    switch (name) {
      case "map":
        return listOf(first === undefined ? UNKNOWN : functionsGive(references.functions.of(first), inner));
      case "split":
        return listOf(ofType("string"));
      case "flatMap":
      case "flat":
        return ofType("array");
      case "filter":
      case "sort":
      case "toSorted":
      case "reverse":
      case "toReversed":
        return arrayLike(of, inner);
      case "slice": {
        const same = inner(of);
        return isType(same, "array") || isType(same, "string") ? same : UNKNOWN;
      }
      default:
        return ofForm(formOfMethod(name));
    }
  };

  return (expression) => read(expression, LEVELS);
}

type Inner = (node: Node) => KnownResult;

/** A list with the items of another list. */
function arrayLike(list: Node | undefined, inner: Inner): KnownResult {
  const same = list === undefined || list.type === "SpreadElement" ? UNKNOWN : inner(list);
  return isType(same, "array") ? same : ofType("array");
}

function ofForm(form: Form): KnownResult {
  return form === "value" || form === "other" ? UNKNOWN : ofType(form);
}

/** In the form that JSON writes. */
function ofNew(name: string | undefined): KnownResult {
  if (name === "Date") return ofType("string");
  return name === "Map" || name === "Set" ? ofType("array") : UNKNOWN;
}

const COMPARING: ReadonlySet<string> = new Set("== != === !== < <= > >= in instanceof".split(" "));

function binary({ operator, left, right }: NodeOf<"BinaryExpression">, inner: Inner): KnownResult {
  if (COMPARING.has(operator)) return ofType("boolean");
  const [one, other] = [inner(left as Node), inner(right)];
  if (operator !== "+")
    // Numbers and bigints do not mix.
    return isType(one, "number") || isType(other, "number") ? ofType("number") : UNKNOWN;
  if (isType(one, "string") || isType(other, "string")) return ofType("string");
  return isType(one, "number") && isType(other, "number") ? ofType("number") : UNKNOWN;
}

function unary({ operator, argument }: NodeOf<"UnaryExpression">, inner: Inner): KnownResult {
  switch (operator) {
    case "!":
    case "delete":
      return ofType("boolean");
    case "typeof":
      return ofType("string");
    case "+":
      return ofType("number");
    case "-":
    case "~":
      return isType(inner(argument), "number") ? ofType("number") : UNKNOWN;
    default:
      return UNKNOWN;
  }
}
