/**
 * Literals that are passed to tools, as parameters: each optional, with the literal as its default, so that code
 * written for one file can be used for another.
 *
 * It depends only on the code and never on schemas, which only add the type of a parameter: stored code that is
 * analysed again without them has the same parameters.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LAYERS } from "../code/runnable-code.js";
import { type ArgumentField, callArguments, objectFields } from "../data/call-arguments.js";
import type { Use } from "../names/references.js";
import { contextOf, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { constantUses } from "../syntax/constant-uses.js";
import { onlyValue } from "../syntax/constants.js";
import type { Edit, Wrap } from "../syntax/edits.js";
import { valuesIn } from "../syntax/known-values.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import { ANY, fits, type Schema, type TypeOf } from "./parameter-types.js";
import { looksSecret } from "./secret-literal.js";

export interface LiftedLiteral {
  /** The name of the parameter: that of the field, possibly with a number. */
  readonly name: string;
  readonly field: string;
  /** The literal, in the call or where a variable is set to it. */
  readonly node: Node;
  readonly value: Json;
  readonly schema: Schema;
}

/** Literals beyond these limits stay in the code. */
const LIFTED_MOST = 200;
const LITERAL_CHARS = 10_000;
const LITERAL_LEVELS = 20;
const NAME_CHARS = 100;
/** The maximum of visited fields, in all calls together: an object may be spread into each of them. */
const FIELDS_MOST = 50_000;

/** A value that is passed to a tool, and its field, or the nearest field around it. */
interface Passed {
  readonly value: Node;
  readonly field: string;
}

/** In the order of `uses`, then in source order. `namesInUse` are the names of the other parameters. */
export function findLifted(
  scopes: Scopes,
  typeOf: TypeOf,
  uses: readonly Use[],
  namesInUse: Iterable<string>,
): readonly LiftedLiteral[] {
  const calls = uses.flatMap(({ call, meaning }) =>
    call !== undefined && meaning.kind === "tool" ? [call] : [],
  );
  if (calls.length === 0) return [];
  const constants = constantUses(scopes, new Set<Node>(calls));
  const nameOf = namesFor(namesInUse);
  const knownOf = valuesIn(scopes);
  const seen = new Set<Node>();
  const lifted: LiftedLiteral[] = [];
  let fieldsLeft = FIELDS_MOST;

  /** Fields in the call itself, or in objects that are only used in calls of tools. */
  const passed = (fields: readonly ArgumentField[]): Passed[] => {
    fieldsLeft -= fields.length;
    return fields.flatMap(({ key, value, property }) => {
      const holder = holderOf(property.parent as Node, scopes);
      return holder === undefined || constants.goToToolsOnly(holder) ? [{ value, field: key }] : [];
    });
  };

  /** The literal, or the variable that an expression reads; `undefined` if the value must not change. */
  const written = (expression: Node): Node | undefined => {
    const node = withoutTypes(expression);
    if (node.type !== "Identifier") return node;
    const value = onlyValue(node, scopes);
    const binding = scopes.bindingOf(node);
    if (value === undefined || binding === undefined) return undefined;
    const isLeaf = knownOf(value).kind === "scalar";
    if (isLeaf ? constants.isNeededBefore(binding) : !constants.goToToolsOnly(binding)) return undefined;
    return withoutTypes(value);
  };

  const lift = (node: Node, field: string, value: Json, levels: number): void => {
    if (field === "" || field.length > NAME_CHARS || field === "__proto__") return;
    if (levels > LITERAL_LEVELS || JSON.stringify(value).length > LITERAL_CHARS) return;
    lifted.push({ name: nameOf(field), field, node, value, schema: schemaOf(typeOf([node]), value) });
  };

  for (const call of calls) {
    // Values that remain to be visited, last first.
    const waiting = passed(callArguments(call, scopes).fields).reverse();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (lifted.length >= LIFTED_MOST || fieldsLeft < 0) return lifted;
      const { value, field } = next;
      const node = written(value);
      if (node === undefined || seen.has(node)) continue;
      seen.add(node);
      const { json, levels } = knownOf(node);
      if (json !== undefined && !looksSecret(field, json)) lift(node, field, json, levels);
      else if (node.type === "ObjectExpression") {
        for (const inner of passed(objectFields(node, scopes)).reverse()) waiting.push(inner);
      } else if (node.type === "ArrayExpression") {
        for (const item of itemsOf(node).reverse()) waiting.push({ value: item, field });
      }
    }
  }
  return lifted;
}

function itemsOf({ elements }: NodeOf<"ArrayExpression">): Node[] {
  return elements.flatMap((each) => (each === null || each.type === "SpreadElement" ? [] : [each as Node]));
}

/** The variable whose value contains an object. */
function holderOf(object: Node, scopes: Scopes): Binding | undefined {
  let { parent } = contextOf(object);
  while (parent?.type === "SpreadElement") parent = contextOf(parent.parent as Node).parent;
  return parent?.type === "VariableDeclarator" ? scopes.bindingOf(parent.id) : undefined;
}

/** Unique names: `path`, `path_2`, `path_3`. */
function namesFor(namesInUse: Iterable<string>): (field: string) => string {
  const used = new Set(["args", ...namesInUse]);
  const counts = new Map<string, number>();
  return (field) => {
    let count = counts.get(field) ?? 0;
    let name: string;
    do {
      count += 1;
      name = count === 1 ? field : `${field}_${count}`;
    } while (used.has(name));
    counts.set(field, count);
    used.add(name);
    return name;
  };
}

/** The schema of the field, if the literal fits it. */
function schemaOf(field: Schema, value: Json): Schema {
  if (field === ANY) return { default: value };
  if (Object.keys(field).length > 0 && fits(value, field)) return { ...field, default: value };
  const { description } = field;
  return { ...typeOfValue(value), ...(description === undefined ? {} : { description }), default: value };
}

/** A null says nothing about the type. */
function typeOfValue(value: Json): Schema {
  if (value === null) return {};
  return { type: Array.isArray(value) ? "array" : typeof value };
}

/** For the code that runs: the literal, unless the caller passed another value. */
export function liftWraps(lifted: readonly LiftedLiteral[]): readonly Wrap[] {
  return lifted.map(({ name, node: { start, end } }) => ({
    start: start - WRAPPER_CHARS,
    end: end - WRAPPER_CHARS,
    before: `$pml.given(${JSON.stringify(name)}, `,
    after: ")",
    layer: LAYERS.literal,
  }));
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** For people: the parameter instead of the literal and its casts. */
export function liftedCodeEdits(lifted: readonly LiftedLiteral[]): readonly Edit[] {
  return lifted.map(({ name, node }) => {
    const { start, end } = contextOf(node).child;
    return {
      start: start - WRAPPER_CHARS,
      end: end - WRAPPER_CHARS,
      text: IDENTIFIER.test(name) ? `args.${name}` : `args[${JSON.stringify(name)}]`,
    };
  });
}
