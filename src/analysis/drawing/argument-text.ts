/**
 * The arguments of a call in the form for people: `{ path: ← path, content: ⇐ n1.content, mode: "text" }`.
 *
 * @module
 */
import type {
  Arguments,
  ArgumentValue,
  CapabilityNode,
  ReferenceArgument,
  StaticStructure,
  TaskNode,
} from "../static-structure.js";

const VALUE_CHARS = 48;
const FIELDS_SHOWN = 12;
const LEVELS_SHOWN = 3;
/** A variable, or a field of one: its text adds nothing to its source. */
const A_FIELD = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\??\.[\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u;

/** Empty for a call without arguments, or if they are known only at run time. */
export function argumentsText(node: TaskNode | CapabilityNode, structure: StaticStructure): string {
  if (node.arguments === undefined || Object.keys(node.arguments).length === 0) return "";
  return fieldsText(node.arguments, fieldsOf(node.id, structure), 1);
}

/** On one line, truncated. */
export function oneLine(text: string, chars: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const signs = [...flat.slice(0, 2 * chars + 2)];
  return signs.length > chars ? `${signs.slice(0, chars - 1).join("")}…` : flat;
}

/** For each field of a call, its source in the result of another: `n1.content`. */
type Sources = ReadonlyMap<string, string>;

function fieldsOf(consumer: string, { edges }: StaticStructure): Sources {
  const sources = new Map<string, string>();
  for (const edge of edges) {
    if (edge.type !== "provides" || edge.to !== consumer) continue;
    for (const { fromField, toField } of edge.fieldMapping)
      if (!sources.has(toField)) sources.set(toField, resultField(edge.from, fromField));
  }
  return sources;
}

function resultField(node: string, field: string): string {
  if (field === "$") return node;
  return field.startsWith("[") ? `${node}${field}` : `${node}.${field}`;
}

function fieldsText(fields: Arguments, sources: Sources, level: number): string {
  const entries = Object.entries(fields);
  const shown = entries
    .slice(0, FIELDS_SHOWN)
    .map(([name, value]) => `${oneLine(name, VALUE_CHARS)}: ${valueText(name, value, sources, level)}`);
  return `{ ${[...shown, ...(entries.length > shown.length ? ["…"] : [])].join(", ")} }`;
}

function valueText(field: string, value: ArgumentValue, sources: Sources, level: number): string {
  if (value.type === "literal") return oneLine(JSON.stringify(value.value), VALUE_CHARS);
  if (value.fields !== undefined && level < LEVELS_SHOWN)
    return fieldsText(value.fields, new Map(), level + 1);
  const expression = oneLine(value.expression, VALUE_CHARS);
  if (value.type === "parameter") {
    const name = oneLine(value.parameterName, VALUE_CHARS);
    return isPlain(value) ? `← ${name}` : `← ${name} (${expression})`;
  }
  return referenceText(value, expression, sources.get(field));
}

function isPlain({ expression, parameterName }: Extract<ArgumentValue, { type: "parameter" }>): boolean {
  return expression === parameterName || expression === `args.${parameterName}`;
}

function referenceText(
  { producer, producers }: ReferenceArgument,
  expression: string,
  source: string | undefined,
): string {
  if (producer === undefined) return `= ${expression}`;
  if (producers !== undefined || source === undefined)
    return `⇐ ${(producers ?? [producer]).join(", ")} (${expression})`;
  return A_FIELD.test(expression) ? `⇐ ${source}` : `⇐ ${source} (${expression})`;
}
