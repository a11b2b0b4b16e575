/**
 * The arguments of each call of a tool or capability, field by field: literals, results of other calls, parameters.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import type { Arguments, ArgumentValue } from "../static-structure.js";
import { type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import type { ValueReader } from "../syntax/known-values.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import { type ArgumentField, callArguments, writtenFields } from "./call-arguments.js";
import type { DataFlow } from "./data-flow.js";

export interface ArgumentContext {
  readonly source: SourceText;
  readonly scopes: Scopes;
  readonly flow: DataFlow;
  readonly knownOf: ValueReader;
  /** The id of the node of a use. */
  readonly nodeOf: (use: Use) => string | undefined;
}

/** Longer expressions are truncated. */
const EXPRESSION_CHARS = 500;
const SPREAD_FIELDS = 64;
/** JSON that is nested deeper is shown as an expression. */
const LITERAL_LEVELS = 100;
/** How deep the fields of nested objects are distinguished. */
const DEPTH = 32;

/** The known fields; `undefined` if the use is not a call. */
export function argumentsOf(use: Use, context: ArgumentContext): Arguments | undefined {
  if (use.call === undefined) return undefined;
  const { given, fields } = callArguments(use.call, context.scopes);
  // Values that were added to the object later may be in any of its fields.
  if (given === undefined || context.flow.isChanged(withoutTypes(given))) return {};
  return valuesOf(fewFields(fields, use.call), context, 0);
}

/** The source text of the arguments, if not all of their fields are known. */
export function openArguments({ call }: Use, { source, scopes, flow }: ArgumentContext): string | undefined {
  if (call === undefined) return undefined;
  const { given, fields, isComplete } = callArguments(call, scopes);
  if (given === undefined) return undefined;
  const isKnown =
    isComplete && !flow.isChanged(withoutTypes(given)) && fewFields(fields, call).length === fields.length;
  return isKnown ? undefined : expressionOf(given, source);
}

/**
 * All fields that the call itself writes, and some of those spread into it, since other calls may spread the same
 * object.
 */
export function fewFields(
  fields: readonly ArgumentField[],
  call: Node | undefined,
): readonly ArgumentField[] {
  let spread = 0;
  return fields.filter(({ property }) => {
    if (call !== undefined && property.start >= call.start && property.end <= call.end) return true;
    spread += 1;
    return spread <= SPREAD_FIELDS;
  });
}

function argumentValue(value: Node, context: ArgumentContext, depth: number): ArgumentValue {
  const { json, levels } = context.knownOf(value);
  if (json !== undefined && levels <= LITERAL_LEVELS) return { type: "literal", value: json };
  const node = withoutTypes(value);
  const parts = node.type === "ObjectExpression" && depth < DEPTH ? partsOf(node, context, depth) : undefined;
  const written = { expression: expressionOf(value, context.source), ...parts };
  let parameterName: string | undefined;
  const uses: Use[] = [];
  for (const origin of context.flow.origins(value)) {
    if (origin.kind === "result") uses.push(origin.use);
    else parameterName ??= origin.name;
  }
  const isReference = uses.length > 0 || hasReference(parts?.fields);
  if (!isReference && parameterName !== undefined) return { type: "parameter", parameterName, ...written };
  const producers = producersOf(uses, context);
  const [producer] = producers;
  return {
    type: "reference",
    ...written,
    ...(producer !== undefined && { producer }),
    ...(producers.length > 1 && { producers }),
  };
}

function hasReference(fields: Arguments | undefined): boolean {
  return fields !== undefined && Object.values(fields).some(({ type }) => type === "reference");
}

function partsOf(
  object: NodeOf<"ObjectExpression">,
  context: ArgumentContext,
  depth: number,
): { readonly fields: Arguments; readonly isOpen?: true } {
  const { fields, isComplete } = writtenFields(object, context.scopes);
  const few = fewFields(fields, object);
  const isOpen = !isComplete || few.length < fields.length;
  return { fields: valuesOf(few, context, depth + 1), ...(isOpen ? { isOpen } : {}) };
}

function valuesOf(fields: readonly ArgumentField[], context: ArgumentContext, depth: number): Arguments {
  return Object.fromEntries(fields.map(({ key, value }) => [key, argumentValue(value, context, depth)]));
}

/** Without duplicates, in order of evaluation. */
function producersOf(uses: readonly Use[], { scopes, nodeOf }: ArgumentContext): readonly string[] {
  if (uses.length < 2) return uses.flatMap((use) => nodeOf(use) ?? []);
  const rank = (use: Use): number => scopes.rank(use.call ?? use.node);
  const ordered = [...new Set(uses)].sort((a, b) => rank(a) - rank(b));
  return [...new Set(ordered.flatMap((use) => nodeOf(use) ?? []))];
}

function expressionOf(node: Node, source: SourceText): string {
  const text = source.text.slice(node.start - WRAPPER_CHARS, node.end - WRAPPER_CHARS);
  // A surrogate pair must not be split.
  return text.length <= EXPRESSION_CHARS
    ? text
    : text.slice(0, EXPRESSION_CHARS).replace(/[\ud800-\udbff]$/, "");
}
