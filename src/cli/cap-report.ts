/**
 * Capabilities in the form for people, from the answers of the operations `cap:*`.
 *
 * @module
 */

import type { AnswerOf, InputOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { ANY_WIDTH, shown, table, visible, visibleLines } from "./output.js";
import { inCommandWords, pasteable } from "./pasteable.js";

type Listed = AnswerOf<"cap:list">;

const ABOUT_EXAMPLES = "Examples are records that every installation has; they are not configured here.";

/** A page of a listing, and the offset of the next one. */
export function listText(
  { capabilities: rows, total, hint }: Listed,
  offset: number,
  kind: "capabilities" | "servers" = "capabilities",
  width?: number,
): string {
  if (rows.length === 0)
    return total === 0 ? `No ${kind}` : `No entry at offset ${offset}: there are ${total} ${kind}`;
  const heads =
    kind === "servers"
      ? ["NAME", "VERSION", "ROUTING", "VISIBILITY", "DESCRIPTION"]
      : ["NAME", "USED", "SUCCESS", "DESCRIPTION"];
  const end = offset + rows.length;
  const more = end < total ? `\n\n${offset + 1} to ${end} of ${total}; next: --offset ${end}` : "";
  const advice = hint === undefined ? "" : `\n\n${shown(inCommandWords(hint))}`;
  const examples = rows.some((row) => "example" in row) ? `\n\n${ABOUT_EXAMPLES}` : "";
  return table([heads, ...rows.map(rowText)], width) + more + advice + examples;
}

function rowText(row: Listed["capabilities"][number]): readonly string[] {
  const { name, description } = row;
  const cells =
    "routing" in row
      ? [row.version, row.routing, row.visibility].map(shown)
      : [shown(row.usage_count), percent(row.success_rate)];
  const note = "example" in row ? "example: " : "";
  return [shown(name), ...cells, `${note}${firstLine(description)}`];
}

/** A record: one line per field, and a table of the parameters. */
export function recordText(answer: object): string {
  const { parameters, warnings: _, ...rest } = answer as Readonly<Record<string, unknown>>;
  const lines = Object.entries(rest).flatMap(([key, value]) => fieldLines(key.replaceAll("_", " "), value));
  return [table(lines, ANY_WIDTH), ...parametersText(parameters)].join("\n\n");
}

/** A table of the parameters, with a title; empty without parameters. */
export function parametersText(schema: unknown): readonly string[] {
  const rows = parameterRows(schema);
  return rows.length === 0 ? [] : [`parameters\n${indented(table(rows, ANY_WIDTH))}`];
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

const SAVED: Readonly<Record<string, string>> = {
  created: "Saved",
  known: "Already known",
  named: "Already known, now named",
  updated: "Saved as a new version",
};

/** The result of saving, and how to run the code. */
export function savedText({ saved, ...record }: AnswerOf<"cap:save">): string {
  return `${SAVED[saved] ?? "Saved"}: ${versionText(record)}\n${runHint(record)}`;
}

export function forkedText(answer: AnswerOf<"cap:fork">, source: string): string {
  if (answer.saved !== "created") return savedText(answer);
  return `Forked ${visible(source)} as ${versionText(answer)}; the two are independent now\n${runHint(answer)}`;
}

/** Includes the code that joins the sources, which PML may have just generated. */
export function mergedText({ code, ...answer }: AnswerOf<"cap:merge">, sources: readonly string[]): string {
  const done =
    answer.saved === "created"
      ? `Merged ${visible(sources.join(" and "))} into ${versionText(answer)}\n${runHint(answer)}`
      : savedText(answer);
  return `${done}\n\ncode\n${indented(visibleLines(code))}`;
}

/** The changes, and whether the old name still works. */
export function renamedText(answer: AnswerOf<"cap:rename">, asked: InputOf<"cap:rename">): string {
  const { name, new_name, ...changes } = asked;
  const fields = Object.keys(changes).map((field) => field.replaceAll("_", " "));
  const now = shown(answer.display_name);
  if (new_name === undefined || name === answer.display_name)
    return `Changed the ${fields.length === 0 ? "name" : fields.join(", ")} of ${now}`;
  const alias = answer.aliases.includes(name) ? "; the old name stays as an alias" : "";
  const more = fields.length === 0 ? "" : `; also changed: ${fields.join(", ")}`;
  return `Renamed ${visible(name)} to ${now}${alias}${more}`;
}

export function verifiedText(answer: AnswerOf<"cap:verify">): string {
  const { trust } = answer;
  const state = trust === "verified" ? "" : `; it is still ${shown(trust)}: \`pml cap whois\` says why`;
  return `Verified ${versionText(answer)}${state}`;
}

function versionText({
  display_name,
  version,
}: Pick<AnswerOf<"cap:save">, "display_name" | "version">): string {
  return `${shown(display_name)}@${shown(version)}`;
}

function runHint({
  display_name: name,
  parameters,
}: Pick<AnswerOf<"cap:save">, "display_name" | "parameters">): string {
  const needed = (parameters?.required ?? []).map((key) => ` --arg ${visible(key)}=…`).join("");
  return pasteable(`  run it: \`pml exec --capability ${shown(name)}${needed}\``);
}

/** What was deleted, and until when it can be restored. */
export function deletedText({ display_name, reserved_until }: AnswerOf<"cap:delete">): string {
  const until = reserved_until?.slice(0, "2026-11-16".length);
  const undelete = `\`pml cap undelete ${shown(display_name)}\``;
  const back = until === undefined ? "" : `; until ${shown(until)} ${undelete} restores it`;
  return pasteable(`Deleted ${shown(display_name)}${back}`);
}

/** One line, or one line for each field of an object; none for an empty value. */
function fieldLines(label: string, value: unknown): readonly (readonly string[])[] {
  if (isJsonObject(value) && !isRelated(value))
    return Object.entries(value).flatMap(([key, field]) =>
      fieldLines(`${label} ${key.replaceAll("_", " ")}`, field),
    );
  const text = label === "success rate" ? percent(value) : valueText(value);
  return text === "" ? [] : [[label, text]];
}

function valueText(value: unknown): string {
  if (isRelated(value)) return relatedText(value);
  return Array.isArray(value) ? value.map(valueText).join(", ") : shown(value);
}

/** Whether a value is another capability, in the form of records. */
function isRelated(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.fqdn === "string";
}

export function relatedText({ name, pinned, deleted_at }: Readonly<Record<string, unknown>>): string {
  const version = pinned === undefined ? "" : `@${shown(pinned)}`;
  return `${shown(name)}${version}${deleted_at === undefined ? "" : " (deleted)"}`;
}

function parameterRows(schema: unknown): readonly (readonly string[])[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { type, description, default: fallback } = isJsonObject(property) ? property : {};
    const need = required.includes(name) ? "required" : "optional";
    const without = fallback === undefined ? need : `${need}, ${JSON.stringify(fallback)} by default`;
    return [visible(name), type === undefined ? "any" : shown(type), visible(without), shown(description)];
  });
}

function firstLine(value: unknown): string {
  return typeof value === "string" ? visible(value.trim().split("\n")[0] ?? "") : "";
}

export function percent(rate: unknown): string {
  return typeof rate === "number" ? `${Math.round(rate * 100)} %` : "–";
}
