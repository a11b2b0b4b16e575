import type {
  CurationClaim,
  CurationLease,
  KeptSuggestion,
  SuggestionStore,
} from "../curation/suggestion-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const KEPT = sql("name_suggestions_kept")`
    select capability_fqdn, basis, name, confidence, tools_part, intent_part, uniqueness_part, reasons,
      description, tags, near, suggested_by from name_suggestions where capability_fqdn = any ($1::text[])`;

// Ordered, so that two writers of the same rows do not deadlock.
const KEEP = sql("name_suggestions_keep")`
    insert into name_suggestions (capability_fqdn, basis, name, confidence, tools_part, intent_part,
        uniqueness_part, reasons, description, tags, near, suggested_by)
    select made.* from json_to_recordset($1::json) as made (capability_fqdn text, basis text, name text,
        confidence double precision, tools_part double precision, intent_part double precision,
        uniqueness_part double precision, reasons text[], description text, tags text[], near text[],
        suggested_by text)
      join capability_records as record on record.id = made.capability_fqdn
     order by made.capability_fqdn collate "C"
    on conflict (capability_fqdn) do update set
      basis = excluded.basis, name = excluded.name, confidence = excluded.confidence,
      tools_part = excluded.tools_part, intent_part = excluded.intent_part,
      uniqueness_part = excluded.uniqueness_part, reasons = excluded.reasons,
      description = excluded.description, tags = excluded.tags, near = excluded.near,
      suggested_by = excluded.suggested_by, suggested_at = clock_timestamp()`;

const FORGET = sql("name_suggestions_forget")`
    delete from name_suggestions where capability_fqdn = any ($1::text[])`;

const CODES = sql("name_suggestions_codes")`
    select record.id, newest.code_snippet from capability_records as record
      join capability_versions as newest on newest.capability_fqdn = record.id and newest.version = record.version
     where record.id = any ($1::text[])`;

const BEGIN = sql("curation_runs_begin")`
    insert into curation_runs (org, project, user_name, owner, lease_until, is_open)
    values ($1, $2, $3, '', '-infinity', false) on conflict do nothing`;

const LOCK = sql("curation_runs_lock")`
    select is_open, is_open and owner <> $4 and lease_until > clock_timestamp() as is_held,
      case when is_open then extract(epoch from lease_until - clock_timestamp()) * 1000 else 0 end::float8 as ms
    from curation_runs where org = $1 and project = $2 and user_name = $3 for update`;

const TAKE = sql("curation_runs_take")`
    update curation_runs set owner = $4, is_open = true, started_at = clock_timestamp(),
      lease_until = clock_timestamp() + $5::float8 * interval '1 millisecond'
    where org = $1 and project = $2 and user_name = $3`;

const RENEW = sql("curation_runs_renew")`
    update curation_runs set lease_until = clock_timestamp() + $5::float8 * interval '1 millisecond'
    where org = $1 and project = $2 and user_name = $3 and owner = $4 and is_open`;

const FINISH = sql("curation_runs_finish")`update curation_runs set is_open = false
    where org = $1 and project = $2 and user_name = $3 and owner = $4`;

const OPEN = sql("curation_runs_open")`
    select from curation_runs where org = $1 and project = $2 and user_name = $3 and is_open`;

interface SuggestionRow {
  readonly capability_fqdn: Fqdn;
  readonly basis: string;
  readonly name: string;
  readonly confidence: number;
  readonly tools_part: number;
  readonly intent_part: number;
  readonly uniqueness_part: number;
  readonly reasons: readonly string[];
  readonly description: string;
  readonly tags: readonly string[];
  readonly near: readonly string[];
  readonly suggested_by: string;
}

/** {@link SuggestionStore} on tables `name_suggestions` and `curation_runs`. */
export class PostgresSuggestionStore extends OnDatabase implements SuggestionStore {
  async kept(fqdns: readonly Fqdn[]): Promise<readonly KeptSuggestion[]> {
    if (fqdns.length === 0) return [];
    return await storeAction("read suggested names", async () => {
      const { rows } = await this.database.query<SuggestionRow>(KEPT, [fqdns]);
      return rows.map(toKept);
    });
  }

  async keep(suggestions: readonly KeptSuggestion[]): Promise<void> {
    if (suggestions.length === 0) return;
    await storeAction(`save ${suggestions.length} suggested names`, () =>
      this.database.query(KEEP, [JSON.stringify(suggestions.map(toRow))]),
    );
  }

  async forget(fqdns: readonly Fqdn[]): Promise<void> {
    if (fqdns.length === 0) return;
    await storeAction("delete suggested names", () => this.database.query(FORGET, [fqdns]));
  }

  async codes(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, string>> {
    if (fqdns.length === 0) return new Map();
    return await storeAction(`read the code of ${fqdns.length} capabilities`, async () => {
      const { rows } = await this.database.query<{ readonly id: Fqdn; readonly code_snippet: string }>(
        CODES,
        [fqdns],
      );
      return new Map(rows.map(({ id, code_snippet }) => [id, fromSqlText(code_snippet)]));
    });
  }

  async claim(scope: Scope, { owner, ms }: CurationLease): Promise<CurationClaim> {
    const whose = scopeParts(scope);
    return await storeAction("start curating", () =>
      this.database.transaction(async (transaction): Promise<CurationClaim> => {
        await transaction.query(BEGIN, whose);
        const { rows } = await transaction.query<{
          readonly is_open: boolean;
          readonly is_held: boolean;
          readonly ms: number;
        }>(LOCK, [...whose, owner]);
        const [run] = rows;
        if (run?.is_held === true) return { kind: "held", forMs: Math.max(0, run.ms) };
        await transaction.query(TAKE, [...whose, owner, ms]);
        return { kind: "claimed", wasOpen: run?.is_open === true };
      }),
    );
  }

  async renew(scope: Scope, { owner, ms }: CurationLease): Promise<boolean> {
    return await storeAction("continue curating", async () => {
      const { rowCount } = await this.database.query(RENEW, [...scopeParts(scope), owner, ms]);
      return rowCount > 0;
    });
  }

  async finish(scope: Scope, owner: string): Promise<void> {
    await storeAction("end curating", () => this.database.query(FINISH, [...scopeParts(scope), owner]));
  }

  async isOpen(scope: Scope): Promise<boolean> {
    return await storeAction("check which gateway curates", async () => {
      const { rowCount } = await this.database.query(OPEN, scopeParts(scope));
      return rowCount > 0;
    });
  }
}

function scopeParts({ org, project, user }: Scope): readonly string[] {
  return [org, project, user];
}

function toRow({ fqdn, basis, suggestion }: KeptSuggestion): SuggestionRow {
  const { name, confidence, parts, reasons, description, tags, near, by } = suggestion;
  return {
    capability_fqdn: fqdn,
    basis: toSqlText(basis),
    name,
    confidence,
    tools_part: parts.tools,
    intent_part: parts.intent,
    uniqueness_part: parts.uniqueness,
    reasons: reasons.map(toSqlText),
    description: toSqlText(description),
    tags: tags.map(toSqlText),
    near: near.map(toSqlText),
    suggested_by: toSqlText(by),
  };
}

function toKept(row: SuggestionRow): KeptSuggestion {
  return {
    fqdn: row.capability_fqdn,
    basis: fromSqlText(row.basis),
    suggestion: {
      id: row.capability_fqdn,
      name: row.name,
      confidence: row.confidence,
      parts: { tools: row.tools_part, intent: row.intent_part, uniqueness: row.uniqueness_part },
      reasons: row.reasons.map(fromSqlText),
      description: fromSqlText(row.description),
      tags: row.tags.map(fromSqlText),
      near: row.near.map(fromSqlText),
      by: fromSqlText(row.suggested_by),
    },
  };
}
