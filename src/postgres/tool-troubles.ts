/**
 * Table `capability_troubles`: which capabilities are worse off by tools that changed or are gone, inside a transaction
 * that writes about the tools.
 *
 * @module
 */
import type { ToolTrouble } from "../registry/capability.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";
import type { NamedStatement, Queryable } from "./database.js";
import { toSqlText } from "./sql-text.js";

/** The newest versions that use the tools, deleted ones too: those may be brought back. */
const ADD: NamedStatement = {
  name: "capability_troubles_add",
  text: `insert into capability_troubles (capability_fqdn, version, tool_id, kind)
    select record.id, record.version, tool.id, $2
      from unnest($1::text[]) as tool (id)
      join workflow_pattern as pattern on pattern.tools_used @> array[tool.id]
      join capability_records as record on record.workflow_pattern_id = pattern.pattern_id
    on conflict do nothing returning capability_fqdn as fqdn`,
};

/** What was accepted has not been proven by the tool's being as accepted again. */
const END: NamedStatement = {
  name: "capability_troubles_end",
  text: `delete from capability_troubles
    where tool_id = any ($1::text[]) and kind = $2 and accepted_at is null returning capability_fqdn as fqdn`,
};

const ACCEPT: NamedStatement = {
  name: "capability_troubles_accept",
  text: `update capability_troubles set accepted_at = now()
    where tool_id = $1 and kind = 'changed' and accepted_at is null returning capability_fqdn as fqdn`,
};

/** Locked in the same order as in the statements that count uses. */
const TOUCH: NamedStatement = {
  name: "capability_troubles_touch",
  text: `update capability_records set revision = revision + 1 where id in (
      select id from capability_records where id = any ($1::text[]) order by id for no key update)`,
};

interface Touched {
  readonly fqdn: Fqdn;
}

/** Tools by what has become of them. */
export interface ToolNews {
  readonly changed: readonly ToolId[];
  /** As pinned again. */
  readonly unchanged: readonly ToolId[];
  readonly gone: readonly ToolId[];
  readonly back: readonly ToolId[];
}

/** Answers the capabilities that are trusted otherwise now. */
export async function applyToolNews(transaction: Queryable, news: ToolNews): Promise<readonly Fqdn[]> {
  const steps: readonly (readonly [NamedStatement, readonly ToolId[], ToolTrouble["kind"]])[] = [
    [ADD, news.changed, "changed"],
    [END, news.unchanged, "changed"],
    [ADD, news.gone, "gone"],
    [END, news.back, "gone"],
  ];
  const touched = new Set<Fqdn>();
  for (const [statement, tools, kind] of steps) {
    if (tools.length === 0) continue;
    const { rows } = await transaction.query<Touched>(statement, [tools.map(toSqlText), kind]);
    for (const { fqdn } of rows) touched.add(fqdn);
  }
  return await touch(transaction, touched);
}

/** The capabilities that have to succeed with the tool before they are trusted as before. */
export async function acceptTool(transaction: Queryable, tool: ToolId): Promise<readonly Fqdn[]> {
  const { rows } = await transaction.query<Touched>(ACCEPT, [toSqlText(tool)]);
  return await touch(transaction, new Set(rows.map(({ fqdn }) => fqdn)));
}

/** Caches of capabilities treat the higher revision as the later state. */
async function touch(transaction: Queryable, fqdns: ReadonlySet<Fqdn>): Promise<readonly Fqdn[]> {
  const touched = [...fqdns].sort((a, b) => (a < b ? -1 : 1));
  if (touched.length > 0) await transaction.query(TOUCH, [touched]);
  return touched;
}
