/**
 * Finds the fields of tools and capabilities that parameters flow into, using data flow.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { objectOf } from "../data/call-arguments.js";
import type { DataFlow, Origin } from "../data/data-flow.js";
import type { References } from "../names/references.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import { inputSchemaOf, partOf, partsOf, type Schema, schemaAt } from "./parameter-types.js";

/** The maximum of visited places, in all calls together: one object may be an argument of each of them. */
const PLACES = 50_000;
/** How deep objects and lists are followed that are not literals in the call. */
const LEVELS = 4;

/** Returns the origins of an argument, or of a part of it. */
type Ask = (keys: readonly (string | undefined)[]) => readonly Origin[];

/** By name of the parameter, in order of the calls. */
export type ParameterFields = ReadonlyMap<string, ReadonlySet<Schema>>;

export function fieldsOfParameters(scopes: Scopes, { uses }: References, flow: DataFlow): ParameterFields {
  const fields = new Map<string, Set<Schema>>();
  /** Visited objects and lists, with their fields. */
  const seen = new Map<Node, Set<Schema>>();
  let left = PLACES;

  /** Whether a part of a value with these origins can be a parameter. */
  const note = (origins: readonly Origin[], schema: Schema): boolean => {
    let hasParts = false;
    for (const origin of origins) {
      if (origin.kind !== "parameter") continue;
      if (!origin.isItself) hasParts = true;
      else if (!fields.get(origin.name)?.add(schema)) fields.set(origin.name, new Set([schema]));
    }
    return hasParts;
  };

  /** A value that is not a literal: what flows into it, and into the parts that its schema names. */
  const flown = (ask: Ask, schema: Schema, root: Json, keys: readonly (string | undefined)[] = []): void => {
    left -= 1;
    if (left < 0 || !note(ask(keys), schema) || keys.length >= LEVELS) return;
    for (const [key, part] of partsOf(schema, root)) flown(ask, part, root, [...keys, key]);
  };

  const isNew = (node: Node, schema: Schema): boolean => {
    const known = seen.get(node);
    if (known?.has(schema)) return false;
    if (known === undefined) seen.set(node, new Set([schema]));
    else known.add(schema);
    return true;
  };

  const written = (given: Node, whole: Schema, root: Json): void => {
    const waiting: { readonly node: Node; readonly schema: Schema }[] = [{ node: given, schema: whole }];
    const push = (node: Node, schema: Schema | undefined): void => {
      if (schema !== undefined && !IS_NO_PARAMETER.has(node.type)) waiting.push({ node, schema });
    };
    for (let next = waiting.pop(); next !== undefined && left > 0; next = waiting.pop()) {
      left -= 1;
      const { schema } = next;
      const bare = withoutTypes(next.node);
      const node =
        bare.type === "Identifier" && !flow.isChanged(bare) ? (objectOf(bare, scopes) ?? bare) : bare;
      const isList = node.type === "ArrayExpression";
      if (!isList && node.type !== "ObjectExpression")
        flown((keys) => flow.origins(node, keys), schema, root);
      else if (isNew(node, schema)) {
        if (isList) for (const item of itemsOf(node)) push(item, partOf(schema, undefined, root));
        else
          for (const { key, value, computed } of propertiesOf(node)) {
            const name = staticKey(key, computed, scopes);
            if (name !== undefined) push(value, partOf(schema, name, root));
          }
        if (hasSpread(node)) flown((keys) => flow.origins(node, keys), schema, root);
      }
    }
  };

  for (const use of uses) {
    const root = inputSchemaOf(use);
    const schema = schemaAt(root, root);
    if (schema === undefined || left <= 0) continue;
    const [first] = (use.call?.arguments ?? []) as readonly (Node | undefined)[];
    if (use.call === undefined) flown((keys) => flow.given(use, keys), schema, root);
    else if (first !== undefined && first.type !== "SpreadElement") written(first, schema, root);
  }
  return fields;
}

/** Expressions that cannot contain a parameter, according to their syntax alone. */
const IS_NO_PARAMETER: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "Literal",
  "TemplateLiteral",
  "BinaryExpression",
  "UnaryExpression",
  "SpreadElement",
]);

function itemsOf({ elements }: NodeOf<"ArrayExpression">): readonly Node[] {
  return elements.filter((each) => each !== null);
}

function propertiesOf({ properties }: NodeOf<"ObjectExpression">): readonly NodeOf<"Property">[] {
  return properties.filter((each) => each.type === "Property");
}

function hasSpread(node: NodeOf<"ObjectExpression"> | NodeOf<"ArrayExpression">): boolean {
  const parts: readonly (Node | null)[] = node.type === "ArrayExpression" ? node.elements : node.properties;
  return parts.some((each) => each?.type === "SpreadElement");
}
