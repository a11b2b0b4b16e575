/**
 * Data flow from the result of one call into the arguments of a later one.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { FieldMapping } from "../../registry/provides.js";
import type { Use } from "../names/references.js";
import { inputSchemaOf } from "../parameters/parameter-types.js";
import type { ProvidesEdge } from "../static-structure.js";
import { type Node, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import { fewFields } from "./argument-values.js";
import { callArguments, objectOf } from "./call-arguments.js";
import type { DataFlow, Origin, ResultOrigin } from "./data-flow.js";
import { fieldNames, hasField, type JsonPath, typesAgree, typesAt } from "./json-types.js";
import { providesCoverage } from "./provides-coverage.js";

export interface ProvidesContext {
  readonly uses: readonly Use[];
  readonly scopes: Scopes;
  readonly flow: DataFlow;
  /** The id of the node of a use. */
  readonly nodeOf: (use: Use) => string | undefined;
  /** A number that grows in order of evaluation. */
  readonly orderOf: (id: string) => number;
}

/** A part of a result that becomes a part of an argument. */
interface Flowing {
  readonly origin: ResultOrigin;
  /** The path in the argument; empty if it is only known that the result is somewhere in the argument. */
  readonly place: JsonPath;
  /** Whether types are compared by the part instead of the origin. */
  readonly isPart?: boolean;
}

/** The whole result, or the whole argument. */
const WHOLE = "$";
/** A key that no code and no schema has. */
const NO_KEY = "\u0000";
/** The maximum of distinguished parts of one argument, and of fields of one schema. */
const PARTS = 500;

/** Maximum number of edges; more would not be useful. */
const EDGES = 20_000;

export function providesEdges(context: ProvidesContext): readonly ProvidesEdge[] {
  const edges: ProvidesEdge[] = [];
  for (const use of context.uses) {
    const to = context.nodeOf(use);
    if (to === undefined) continue;
    for (const edge of edgesTo(use, to, context)) if (edges.length < EDGES) edges.push(edge);
  }
  return edges;
}

function edgesTo(consumer: Use, to: string, context: ProvidesContext): readonly ProvidesEdge[] {
  const { nodeOf, orderOf } = context;
  const inputSchema = inputSchemaOf(consumer);
  const byProducer = new Map<string, Flowing[]>();
  for (const flowing of flowsInto(consumer, inputSchema, context)) {
    const from = nodeOf(flowing.origin.use);
    if (from === undefined || orderOf(from) >= orderOf(to)) continue;
    const known = byProducer.get(from);
    if (known === undefined) byProducer.set(from, [flowing]);
    else known.push(flowing);
  }
  return [...byProducer]
    .sort(([one], [other]) => orderOf(one) - orderOf(other))
    .map(([from, flows]): ProvidesEdge => {
      const fieldMapping = mappingOf(flows, inputSchema);
      const fields = new Set(fieldMapping.map(({ toField }) => toField));
      return { from, to, type: "provides", coverage: providesCoverage(fields, inputSchema), fieldMapping };
    });
}

function outputSchemaOf({ meaning }: Use): Json | undefined {
  return meaning.kind === "tool" ? meaning.outputSchema : undefined;
}

function flowsInto(consumer: Use, inputSchema: Json, context: ProvidesContext): readonly Flowing[] {
  const { scopes, flow } = context;
  const args = consumer.call === undefined ? undefined : callArguments(consumer.call, scopes);
  if (args?.given === undefined) return args === undefined ? unwritten(consumer, inputSchema, flow) : [];
  const isChanged = flow.isChanged(withoutTypes(args.given));
  const written = isChanged
    ? []
    : fewFields(args.fields, consumer.call).flatMap(({ key, value }) => partsOf(value, [key], context));
  if (args.isComplete && !isChanged) return written;
  return [...written, ...unwritten(consumer, inputSchema, flow)];
}

/** The results that flow into the parts of a literal value, or into any other value as a whole. */
function partsOf(value: Node, at: JsonPath, { scopes, flow }: ProvidesContext): readonly Flowing[] {
  const flows: Flowing[] = [];
  const found = (origins: readonly Origin[], place: JsonPath, isPart: boolean): void => {
    for (const origin of origins) if (origin.kind === "result") flows.push({ origin, place, isPart });
  };
  const waiting: { readonly node: Node; readonly place: JsonPath }[] = [{ node: value, place: at }];
  for (let count = 0; waiting.length > 0; count += 1) {
    const { node: given, place } = waiting.pop() as { node: Node; place: JsonPath };
    const bare = withoutTypes(given);
    const node = flow.isChanged(bare) ? bare : (objectOf(bare, scopes) ?? bare);
    const later: { readonly node: Node; readonly place: JsonPath }[] = [];
    if (count >= PARTS) found(flow.origins(node), place, true);
    else if (node.type === "ObjectExpression") {
      for (const property of node.properties) {
        if (property.type === "SpreadElement") found(flow.origins(property.argument), place, true);
        else {
          const key = staticKey(property.key, property.computed, scopes);
          later.push({ node: property.value, place: [...place, key] });
        }
      }
    } else if (node.type === "ArrayExpression") {
      for (const element of node.elements) {
        if (element?.type === "SpreadElement") found(flow.origins(element.argument), place, true);
        else if (element !== null) later.push({ node: element, place: [...place, undefined] });
      }
    } else found(flow.origins(node), place, false);
    while (later.length > 0) waiting.push(later.pop() as { node: Node; place: JsonPath });
  }
  return flows;
}

/**
 * The results that flow into an argument that is not a literal: field by field, as far as the schema names the fields.
 * A result that is passed unchanged provides its own fields.
 */
function unwritten(consumer: Use, inputSchema: Json, flow: DataFlow): readonly Flowing[] {
  const flows: Flowing[] = [];
  // Results that flow in under a key that no value has would flow in under any key.
  const anywhere = resultsOf(flow.given(consumer, [NO_KEY]));
  const wholes = new Map<string, ResultOrigin>();
  for (const origin of anywhere) {
    if (origin.path.at(-1) !== NO_KEY) flows.push({ origin, place: [] });
    else {
      const whole = { ...origin, path: origin.path.slice(0, -1) };
      wholes.set(wholeKey(whole), whole);
    }
  }
  const isCovered = new Set<string>();
  for (const name of fieldNames(inputSchema).slice(0, PARTS)) {
    for (const origin of resultsOf(flow.given(consumer, [name]))) {
      if (anywhere.includes(origin)) continue;
      const path = origin.path.slice(0, -1);
      const key = wholeKey({ ...origin, path });
      const isOfWhole = origin.path.at(-1) === name && wholes.has(key);
      if (isOfWhole && !hasField(outputSchemaOf(origin.use), path, name)) continue;
      if (isOfWhole) isCovered.add(key);
      flows.push({ origin, place: [name] });
    }
  }
  for (const [key, origin] of wholes) if (!isCovered.has(key)) flows.push({ origin, place: [] });
  return flows;
}

function resultsOf(origins: readonly Origin[]): readonly ResultOrigin[] {
  return origins.filter((origin) => origin.kind === "result");
}

function wholeKey({ use, path, form }: ResultOrigin): string {
  const { start, end } = use.call ?? use.node;
  return JSON.stringify([start, end, form, path.map((key) => key ?? null)]);
}

function mappingOf(flows: readonly Flowing[], inputSchema: Json): readonly FieldMapping[] {
  const mappings = new Map<string, FieldMapping>();
  for (const { origin, place, isPart } of flows) {
    const [fromField, toField] = [fromFieldOf(origin), place[0] ?? WHOLE];
    const agree =
      isPart === true || place.length === 0 || typesAgree(typesOf(origin), typesAt(inputSchema, place));
    const key = JSON.stringify([fromField, toField]);
    const before = mappings.get(key)?.typeCompatible ?? true;
    mappings.set(key, { fromField, toField, typeCompatible: before && agree });
  }
  return [...mappings.values()];
}

function fromFieldOf({ use, path }: ResultOrigin): string {
  const [first] = path;
  if (first === undefined || /^\d+$/.test(first)) return WHOLE;
  // The length of a list is not a field of it.
  const isLength = first === "length" && path.length === 1 && !hasField(outputSchemaOf(use), [], first);
  return isLength ? WHOLE : first;
}

function typesOf({ use, path, form }: ResultOrigin): ReadonlySet<string> | undefined {
  if (form === "other") return undefined;
  return form === "value" ? typesAt(outputSchemaOf(use), path) : new Set([form]);
}
