/**
 * Arguments in the forms of other interfaces: positional, as `name=value`, as JSON text, inside of `arguments`, or with
 * another spelling of a field.
 *
 * @module
 */
import { isJsonObject } from "../../base/json-object.js";
import type { Use } from "../names/references.js";
import { fits, inputSchemaOf, schemaAt } from "../parameters/parameter-types.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import { type Edit, keyText } from "../syntax/edits.js";
import { valuesIn } from "../syntax/known-values.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import { foldName, inserted, replaced, type Slip, type SlipContext } from "./slip.js";

/** Names of wrapper objects around arguments, folded. */
const WRAPPERS: ReadonlySet<string> = new Set("arguments args params parameters input".split(" "));
/** Longer text is not treated as a slip. */
const JSON_CHARS = 10_000;

interface Fields {
  readonly names: readonly string[];
  readonly required: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
}

export function argumentSlips(context: SlipContext): readonly Slip[] {
  return context.references.uses.flatMap((use) => {
    const edits = use.call === undefined ? [] : editsOf(use, use.call, context);
    return edits.length === 0 || use.call === undefined ? [] : [{ node: use.call, edits, readAs: "" }];
  });
}

function editsOf(use: Use, call: NodeOf<"CallExpression">, context: SlipContext): readonly Edit[] {
  const given = call.arguments as readonly Node[];
  const [first] = given;
  const fields = fieldsOf(use);
  if (first === undefined || fields === undefined) return [];
  const named = namedArguments(given, fields, context);
  if (named.length > 0) return named;
  if (given.length > 1) return [];
  const value = withoutTypes(first);
  switch (value.type) {
    case "Literal":
    case "TemplateLiteral":
      return fromText(value, context) ?? placed(value, fields, context);
    case "ArrayExpression":
    case "UnaryExpression":
      return placed(value, fields, context);
    case "CallExpression":
      return stringified(value, context);
    case "ObjectExpression":
      return unwrapped(value, fields, context) ?? respelt(value, fields, context);
    default:
      return [];
  }
}

/** The named fields of a tool or capability, if it takes an object. */
function fieldsOf(use: Use): Fields | undefined {
  const root = inputSchemaOf(use);
  const schema = schemaAt(root, root);
  if (schema === undefined || !isJsonObject(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return { names: Object.keys(schema.properties), required, schema };
}

/** The field that a name means in another spelling. */
function fieldCalled(name: string, { names }: Fields): string | undefined {
  if (names.includes(name)) return name;
  const like = names.filter((each) => foldName(each) === foldName(name));
  return like.length === 1 ? like[0] : undefined;
}

/** `(path="x", head=3)` assigns to variables that nothing declares. */
function namedArguments(
  given: readonly Node[],
  fields: Fields,
  { source, scopes }: SlipContext,
): readonly Edit[] {
  const edits: Edit[] = [];
  for (const argument of given) {
    if (argument.type !== "AssignmentExpression" || argument.operator !== "=") return [];
    const { left, right } = argument;
    const isFree = left.type === "Identifier" && scopes.bindingOf(left) === undefined;
    const field = isFree ? fieldCalled(left.name, fields) : undefined;
    if (field === undefined) return [];
    edits.push(replaced(source, argument.start, right.start, `${keyText(field)}: `));
  }
  const [first, last] = [given[0] as Node, given.at(-1) as Node];
  return [inserted(first.start, "{ "), ...edits, inserted(last.end, " }")];
}

/** `'{"path":"x"}'`. */
function fromText(value: Node, { source, scopes }: SlipContext): readonly Edit[] | undefined {
  const text = valuesIn(scopes)(value).json;
  if (typeof text !== "string" || text.length > JSON_CHARS || !text.trimStart().startsWith("{"))
    return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const isPlain = isJsonObject(parsed) && !text.includes("__proto__");
    return isPlain ? [replaced(source, value.start, value.end, JSON.stringify(parsed))] : undefined;
  } catch {
    return undefined;
  }
}

/** One positional value, if one field is required or there is only one, and the value fits it. */
function placed(value: Node, fields: Fields, { scopes }: SlipContext): readonly Edit[] {
  const { names, required, schema } = fields;
  const only = required.length === 1 ? required[0] : names.length === 1 ? names[0] : undefined;
  const field =
    only === undefined ? undefined : (schema.properties as Readonly<Record<string, unknown>>)[only];
  const isText = value.type === "TemplateLiteral" && value.expressions.length > 0;
  const known = isText ? "" : valuesIn(scopes)(value).json;
  if (only === undefined || !isJsonObject(field) || field.type === undefined || known === undefined)
    return [];
  if (isText ? field.type !== "string" : !fits(known, field as Parameters<typeof fits>[1])) return [];
  return [inserted(value.start, `{ ${keyText(only)}: `), inserted(value.end, " }")];
}

/** `JSON.stringify({ path })`. */
function stringified(call: NodeOf<"CallExpression">, { source, scopes }: SlipContext): readonly Edit[] {
  const callee = withoutTypes(call.callee);
  const [inner, ...others] = call.arguments as readonly Node[];
  if (callee.type !== "MemberExpression" || inner === undefined || others.length > 0) return [];
  const { object, property } = callee;
  const isJson =
    object.type === "Identifier" && object.name === "JSON" && scopes.bindingOf(object) === undefined;
  const isIt = isJson && staticKey(property, callee.computed, scopes) === "stringify";
  if (!isIt || inner.type === "SpreadElement") return [];
  return [replaced(source, call.start, inner.start, ""), replaced(source, inner.end, call.end, "")];
}

/** `{ arguments: { path } }`. */
function unwrapped(
  { properties, start, end }: NodeOf<"ObjectExpression">,
  { names }: Fields,
  { source, scopes }: SlipContext,
): readonly Edit[] | undefined {
  const [only, ...others] = properties;
  if (only?.type !== "Property" || others.length > 0 || only.kind !== "init" || only.method) return undefined;
  const key = staticKey(only.key, only.computed, scopes);
  const inner = withoutTypes(only.value);
  if (key === undefined || !WRAPPERS.has(foldName(key)) || names.includes(key)) return undefined;
  if (inner.type !== "ObjectExpression") return undefined;
  return [replaced(source, start, inner.start, ""), replaced(source, inner.end, end, "")];
}

/** `{ filePath }` for `file_path`, if no other value is given for it. */
function respelt(
  { properties }: NodeOf<"ObjectExpression">,
  fields: Fields,
  { scopes }: SlipContext,
): readonly Edit[] {
  const { schema, names } = fields;
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) return [];
  const taken = new Set<string>();
  const wrong: { readonly property: NodeOf<"Property">; readonly key: string; readonly field: string }[] = [];
  for (const property of properties) {
    if (property.type !== "Property" || property.method) return [];
    const key = staticKey(property.key, property.computed, scopes);
    const field = key === undefined ? undefined : fieldCalled(key, fields);
    if (key === undefined || (field !== undefined && taken.has(field))) return [];
    taken.add(field ?? key);
    if (field !== undefined && !names.includes(key) && !property.computed)
      wrong.push({ property, key, field });
  }
  return wrong.map(({ property, field }) => {
    const name = keyText(field);
    if (property.shorthand) return inserted(property.start, `${name}: `);
    return { start: property.key.start - WRAPPER_CHARS, end: property.key.end - WRAPPER_CHARS, text: name };
  });
}
