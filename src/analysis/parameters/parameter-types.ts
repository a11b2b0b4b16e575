/**
 * The type of a parameter, from the fields of tools and capabilities that it is passed to.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { referenced } from "../../base/schema-reference.js";
import type { References, Use } from "../names/references.js";
import { contextOf, type Node } from "../syntax/ast.js";
import { parameterOf } from "../syntax/code-functions.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";

export type Schema = Readonly<Record<string, Json>>;

/** For a value whose field accepts anything; if nothing is known about the field, another empty schema is used. */
export const ANY: Schema = {};

/** The position of a value in the arguments of a call, outermost last. A number is an index in a list. */
interface Place {
  readonly key: string | undefined;
  readonly outer: Place | undefined;
}

/** How far values are followed. */
const STEPS = 500;

/** The schema of values, from their positions in the code, and of fields that they are known to flow into. */
export type TypeOf = (values: readonly Node[], fields?: Iterable<Schema>) => Schema;

export function typesIn(scopes: Scopes, references: References): TypeOf {
  const schemas = new Map<Node, Json>();
  for (const use of references.uses) if (use.call !== undefined) schemas.set(use.call, inputSchemaOf(use));

  /** The schemas of the fields that an expression flows into. */
  const fieldsOf = (start: Node, found: Set<Schema>, budget: { left: number }): void => {
    const seen = new Set<Node>();
    const queue: { readonly node: Node; readonly place: Place | undefined }[] = [
      { node: start, place: undefined },
    ];
    for (let next = queue.pop(); next !== undefined && budget.left > 0; next = queue.pop()) {
      budget.left -= 1;
      const { node, place } = next;
      const { parent, child } = contextOf(node);
      switch (parent?.type) {
        case "Property":
          if (parent.value !== child || parent.parent?.type !== "ObjectExpression") break;
          {
            const key = staticKey(parent.key, parent.computed, scopes);
            if (key !== undefined) queue.push({ node: parent.parent, place: { key, outer: place } });
          }
          break;
        case "ArrayExpression":
          queue.push({ node: parent, place: { key: undefined, outer: place } });
          break;
        case "SpreadElement":
          if (parent.parent?.type === "ObjectExpression" && place !== undefined)
            queue.push({ node: parent.parent, place });
          break;
        case "LogicalExpression":
        case "AwaitExpression":
          queue.push({ node: parent, place });
          break;
        case "ConditionalExpression":
          if (parent.test !== child) queue.push({ node: parent, place });
          break;
        case "CallExpression": {
          const schema = schemas.get(parent);
          if (schema !== undefined && parent.arguments[0] === child) {
            const field = fieldAt(schema, place);
            if (field !== undefined) found.add(field);
            break;
          }
          const parameter = parameterOf(parent, child, scopes);
          if (parameter !== undefined && !seen.has(parameter)) {
            seen.add(parameter);
            const name = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
            for (const read of readsOf(name)) queue.push({ node: read, place });
          }
          break;
        }
        case "VariableDeclarator":
          if (parent.init === child && !seen.has(parent)) {
            seen.add(parent);
            for (const read of readsOf(parent.id)) queue.push({ node: read, place });
          }
          break;
        default:
      }
    }
  };
  const readsOf = (target: Node): readonly Node[] => {
    const binding = scopes.bindingOf(target);
    return binding?.writes.length === 1 ? binding.reads : [];
  };

  return (values, fields = []) => {
    const found = new Set<Schema>();
    const budget = { left: STEPS };
    if (schemas.size > 0) for (const value of values) fieldsOf(value, found, budget);
    for (const field of fields) found.add(field);
    return agreed([...found]);
  };
}

/** The input schema of a tool or capability. */
export function inputSchemaOf({ meaning }: Use): Json {
  return meaning.kind === "tool" ? meaning.inputSchema : meaning.parameters;
}

function fieldAt(schema: Json, place: Place | undefined): Schema | undefined {
  let at = schemaAt(schema, schema);
  for (let step = place; step !== undefined && at !== undefined; step = step.outer) {
    // A field that accepts anything accepts anything inside of it. For a tool without a schema nothing is known.
    if (step !== place && takesAnything(at)) return ANY;
    at = partOf(at, step.key, schema);
  }
  return at;
}

const ANNOTATIONS = new Set(
  "title description default examples deprecated readOnly writeOnly $comment".split(" "),
);

/** Whether a schema allows every value, with or without a description. */
function takesAnything(schema: Schema): boolean {
  return Object.keys(schema).every((key) => ANNOTATIONS.has(key) || key.startsWith("x-"));
}

/** The schema, if it is one, with its local `$ref` resolved. */
export function schemaAt(schema: unknown, root: Json): Schema | undefined {
  const found = resolveRef(schema, root);
  if (found === true) return ANY;
  return isJsonObject(found) ? (found as Schema) : undefined;
}

/** The schema of a field, or of the items of a list. */
export function partOf(
  { properties, items }: Schema,
  key: string | undefined,
  root: Json,
): Schema | undefined {
  if (key === undefined) return schemaAt(items, root);
  const isNamed = isJsonObject(properties) && Object.hasOwn(properties, key);
  return isNamed ? schemaAt(properties[key], root) : undefined;
}

/** The named fields of a schema, and its items. */
export function partsOf(schema: Schema, root: Json): readonly (readonly [string | undefined, Schema])[] {
  const { properties } = schema;
  const keys = [...(isJsonObject(properties) ? Object.keys(properties) : []), undefined];
  return keys.flatMap((key) => {
    const part = partOf(schema, key, root);
    return part === undefined ? [] : [[key, part] as const];
  });
}

/** Resolves a schema's local `$ref`; anything else is returned unchanged. */
function resolveRef(at: unknown, root: Json): unknown {
  const isPart = isJsonObject(at) && typeof at.$ref === "string" && at.$ref.startsWith("#/");
  return isPart ? referenced(at.$ref, root) : at;
}

const USEFUL = (
  "type description enum const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength " +
  "maxLength items minItems maxItems uniqueItems properties required additionalProperties anyOf oneOf allOf"
).split(" ");

/** The schema that all fields have in common: if they differ, only the type; if the types differ too, nothing. */
function agreed(all: readonly Schema[]): Schema {
  const fields = all.filter((field) => !takesAnything(field));
  const [first, ...others] = fields.map(useful);
  if (first === undefined)
    return all.map(useful).find((field) => Object.keys(field).length > 0) ?? (all.length > 0 ? ANY : {});
  if (others.length === 0) return first;
  const isSame = (key: (schema: Schema) => unknown): boolean =>
    others.every((other) => canonicalJson(key(other) ?? null) === canonicalJson(key(first) ?? null));
  if (isSame(({ description: _, ...rest }) => rest)) return first;
  const description = first.description === undefined ? {} : { description: first.description };
  if (isSame(({ type }) => type))
    return first.type === undefined ? description : { type: first.type, ...description };
  const numbers = [first, ...others].every(({ type }) => type === "integer" || type === "number");
  return numbers ? { type: "integer", ...description } : description;
}

function useful(schema: Schema): Schema {
  const entries: [string, Json][] = [];
  for (const key of USEFUL) {
    const value = Object.hasOwn(schema, key) ? schema[key] : undefined;
    if (value !== undefined) entries.push([key, value]);
  }
  const text = JSON.stringify(entries);
  // A reference is invalid outside of its own schema.
  if (text.length <= LIMITS.parameterSchemaChars && !text.includes('"$ref"'))
    return Object.fromEntries(entries);
  return typeof schema.type === "string" ? { type: schema.type } : {};
}

/** Whether a value has a type that the schema names; a schema without a type accepts all. */
export function fits(value: Json, { type, enum: values }: Schema): boolean {
  if (Array.isArray(values) && !values.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return false;
  if (type === undefined) return true;
  const types: readonly Json[] = Array.isArray(type) ? type : [type as Json];
  return types.some((each) => {
    if (each === "array") return Array.isArray(value);
    if (each === "null") return value === null;
    if (each === "integer") return Number.isInteger(value);
    if (each === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
    return typeof value === each;
  });
}
