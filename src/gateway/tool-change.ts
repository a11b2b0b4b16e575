/**
 * What has changed of a tool object: in a few words for agents, which must not read the new text before a person has
 * accepted it, and as a diff for people.
 *
 * @module
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { cutDiff } from "./own/code-diff.js";

/** Words of ours: a server names other fields as it likes. */
const FIELDS = ["title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];
const HINTS = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const DIFF_LINES = 2_000;
const DIFF_MS = 1_000;
const DIFF_CHARS = 100_000;

/** `description`, `annotations.readOnlyHint`, …: at least one. */
export function changedFields(before: Json, after: Json): readonly string[] {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const fields = differing(from, to, FIELDS).flatMap((field) => {
    if (field !== "annotations") return [field];
    const hints = differing(fieldsOf(from.annotations), fieldsOf(to.annotations), HINTS);
    return hints.map((hint) => (hint === OTHERS ? "annotations" : `annotations.${hint}`));
  });
  return fields.length === 0 ? [OTHERS] : fields;
}

/** The two objects as JSON, line by line, with everything spelt out that a screen would not show. */
export function toolDiff(label: string, before: Json, after: Json): string {
  const [from, to] = [linesOf(before), linesOf(after)];
  const diff = createTwoFilesPatch(`${label} (pinned)`, `${label} (now)`, from, to, undefined, undefined, {
    context: 3,
    maxEditLength: DIFF_LINES,
    timeout: DIFF_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const { text, isCut } = cutDiff(diff ?? allOf(from, to), DIFF_CHARS);
  return isCut ? `${text}… the diff is truncated\n` : text;
}

const OTHERS = "other fields";

/** What looks like nothing, or like a space and is none. */
const UNSEEN = /(?![\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

type Fields = Readonly<Record<string, Json>>;

function fieldsOf(value: Json | undefined): Fields {
  return isJsonObject(value) ? (value as Fields) : {};
}

function differing(before: Fields, after: Fields, known: readonly string[]): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => jsonText(before[name]) !== jsonText(after[name]),
  );
  const named = known.filter((name) => names.includes(name));
  return names.length > named.length ? [...named, OTHERS] : named;
}

function jsonText(value: Json | undefined): string {
  return value === undefined ? "" : canonicalJson(value);
}

/** In one order of keys, which is not part of what is pinned. */
function linesOf(tool: Json): string {
  const text = JSON.stringify(JSON.parse(canonicalJson(tool)), undefined, 2);
  return `${text.replace(UNSEEN, escaped)}\n`;
}

function escaped(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}

function allOf(before: string, after: string): string {
  const marked = (text: string, mark: string) => text.replace(/^(?=.)/gm, mark);
  return `${marked(before, "-")}${marked(after, "+")}`;
}
