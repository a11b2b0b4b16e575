/**
 * Suggestions in the form for people: matches for an intent, their parameters, and chains of them.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { shown, table } from "./output.js";

type Answer = Exclude<AnswerOf<"pml:execute">, { readonly status: "dry_run" }>;
type Suggestions = NonNullable<Answer["suggestions"]>;
type Capability = Suggestions["capabilities"][number];

/** The tables, or a note that there are none. */
export function suggestionsText({ suggestions }: Answer, width?: number): string {
  const { tools = [], capabilities = [], chains = [], left_out: leftOut } = suggestions ?? {};
  const parts = [
    part(["CAPABILITY", "SCORE", "TRUST", "TAKES", "DESCRIPTION"], capabilities, capabilityRow, width),
    part(["TOOL", "SCORE", "TAKES", "DESCRIPTION"], tools, toolRow, width),
    part(["FROM", "TO", "FIELDS"], chains, chainRow, width),
    notRunText(capabilities),
  ].filter((text) => text !== "");
  const more = leftOut === undefined ? "" : `${leftOut} more below the minimum score`;
  if (parts.length === 0) return `Nothing matches this intent${more === "" ? "" : ` (${more})`}`;
  return [...parts, ...(more === "" ? [] : [more])].join("\n\n");
}

/** Why the best match was not run, if a run was requested. */
export function notRunNote({ mode, suggestions }: Answer): string | undefined {
  if (mode !== "speculation") return undefined;
  const [best] = suggestions?.capabilities ?? [];
  if (best === undefined) return "Nothing was run: no capability matches this intent";
  return `Nothing was run: ${shown(best.name)}: ${shown(best.notRun)}`;
}

function part<Row>(
  head: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => readonly string[],
  width: number | undefined,
): string {
  return rows.length === 0 ? "" : table([head, ...rows.map(cells)], width);
}

function capabilityRow({ name, score, trust, parameters, description }: Capability): readonly string[] {
  return [shown(name), shown(score), shown(trust), takes(parameters), firstLine(description)];
}

function toolRow({ id, score, inputSchema, description }: Suggestions["tools"][number]): readonly string[] {
  return [shown(id), shown(score), takes(inputSchema), firstLine(description)];
}

function chainRow({ from, to, fields }: Suggestions["chains"][number]): readonly string[] {
  return [shown(from), shown(to), fields.map(shown).join(", ")];
}

function notRunText(capabilities: readonly Capability[]): string {
  return capabilities
    .filter(({ notRun }) => notRun !== undefined)
    .map(({ name, notRun }) => `${shown(name)} was not run: ${shown(notRun)}`)
    .join("\n");
}

const FIELDS_SHOWN = 5;

/** `path, depth?` */
function takes(schema: unknown): string {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return "";
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(schema.properties).map(
    (name) => `${shown(name)}${required.includes(name) ? "" : "?"}`,
  );
  return [...names.slice(0, FIELDS_SHOWN), ...(names.length > FIELDS_SHOWN ? ["…"] : [])].join(", ");
}

function firstLine(value: unknown): string {
  return shown(value).split("\\u{a}", 1)[0] ?? "";
}
