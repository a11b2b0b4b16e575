/**
 * What a statement of SQL does, read from its words: enough for a name, and never wrong about reading or writing.
 *
 * @module
 */
import type { VerbKind } from "../lexicon/verbs.js";
import { TELLING } from "../lexicon/words.js";
import { nameWords } from "./name-words.js";

const SQL_CHARS = 4_000;
const TABLES =
  /\b(?:from|join|into|update|table|view|on|index)\s+(?:if\s+(?:not\s+)?exists\s+|only\s+|concurrently\s+)?["`[]?([a-z_][\w.]*)\b(?!\s*\()/gi;

export function sqlDeed(given: string): {
  readonly verb: string;
  readonly kind: VerbKind;
  readonly objects: readonly string[];
} {
  const sql = given
    .slice(0, SQL_CHARS)
    .replace(/--[^\n]*/g, " ")
    .replace(/\/\*[^*]*\*\//g, " ")
    .toLowerCase();
  const [verb, kind] = actOf(sql);
  const objects: string[] = [];
  for (const [, name = ""] of sql.matchAll(TABLES)) {
    const table = name.split(".").at(-1) ?? "";
    if (/^(?:select|lateral|unnest|generate_series|set|where|pg_\w+|information_schema)$/.test(table))
      continue;
    for (const word of nameWords(table)) if (!objects.includes(word) && word.length > 2) objects.push(word);
    if (objects.length > 4) break;
  }
  // Rows that point to what is not there.
  if (
    /\bleft\s+(?:outer\s+)?join\s+[\w."]+\s+(?:as\s+)?(\w+)\s+on\s+(?:\1\.id\s*=|[\w.]+\s*=\s*\1\.id\b)/.test(
      sql,
    ) &&
    /\bis\s+null\b/.test(sql)
  )
    objects.unshift("orphan");
  // `status = 'pending'`, `deleted_at is null`: which of them.
  for (const [, text = ""] of sql.matchAll(/=\s*'([a-z_]{3,20})'/g))
    for (const word of nameWords(text))
      if (TELLING.has(word) && !objects.includes(word)) objects.unshift(word);
  return { verb, kind, objects };
}

function actOf(sql: string): readonly [string, VerbKind] {
  if (/\bdelete\s+from\b/.test(sql)) return ["delete", "remove"];
  if (/\btruncate\b(?!\s*\()/.test(sql) && /^\s*truncate/.test(sql)) return ["clear", "remove"];
  if (/\bpg_(?:terminate|cancel)_backend\s*\(|^\s*kill\b/.test(sql)) return ["kill", "remove"];
  if (/^\s*drop\b/.test(sql)) return ["drop", "remove"];
  if (/\binsert\s+(?:(?:ignore|or\s+\w+)\s+)?into\b/.test(sql)) return ["insert", "change"];
  if (/(?:^|\)|;)\s*update\s+[\w."]+\s+(?:as\s+\w+\s+|\w+\s+)?set\b/.test(sql)) return ["update", "change"];
  if (/^\s*merge\s+into\b/.test(sql)) return ["upsert", "change"];
  if (/^\s*create\b/.test(sql)) return ["create", "change"];
  if (/^\s*alter\b/.test(sql)) return ["alter", "change"];
  if (/^\s*refresh\b/.test(sql)) return ["refresh", "change"];
  if (/^\s*(?:vacuum|analyze)\b/.test(sql)) return ["vacuum", "run"];
  if (/^\s*explain\b/.test(sql)) return ["explain", "ask"];
  if (/^\s*grant\b/.test(sql)) return ["grant", "change"];
  if (/^\s*select\s+count\s*\(/.test(sql)) return ["count", "compute"];
  if (/^\s*select\s+(?:\w+\(\s*)?(?:sum|avg|min|max|percentile_\w+)\s*\(/.test(sql))
    return ["compute", "compute"];
  return ["list", "ask"];
}
