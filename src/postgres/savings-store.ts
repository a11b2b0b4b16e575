import { dayOf } from "../base/day.js";
import type { CapabilityUse, ServedUse } from "../registry/capability-store.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import {
  CHARS_PER_TOKEN,
  type CodeTokens,
  type Saved,
  type SavedByCapability,
  type SavedByDay,
  type SavingsStore,
  type UncountedCode,
} from "../registry/savings.js";
import type { Scope } from "../registry/scope.js";
import { creatorOf } from "../registry/visibility.js";
import { OnDatabase, type Queryable, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText } from "./sql-text.js";

/** How much code is counted at once: versions, and characters, unless the first version alone has more. */
const COUNTED_VERSIONS = 200;
const COUNTED_CHARS = 2_000_000;

/** Every sum is incremented, so concurrent additions are not lost. */
const GROW = `runs = capability_savings.runs + excluded.runs,
      code_runs = capability_savings.code_runs + excluded.code_runs,
      sent_tokens = capability_savings.sent_tokens + excluded.sent_tokens,
      result_tokens = capability_savings.result_tokens + excluded.result_tokens,
      ms = capability_savings.ms + excluded.ms`;

const COLUMNS = "(capability_fqdn, version, day, runs, code_runs, sent_tokens, result_tokens, ms)";

/** What a client would have sent: code, or a graph of tasks. Code that stands for one tool was never sent. */
const SENT = `case when stored.definition is null then stored.code_snippet
      when stored.definition -> 'tasks' is not null then stored.definition::text else '' end`;

/** A run whose arguments are longer than the code saves no code; it does not reduce the savings of other runs. */
const ADD = sql("capability_savings_add")`insert into capability_savings ${COLUMNS}
    select run.fqdn, run.version, run.day::date, count(*), count(run.sent_tokens),
           coalesce(sum(least(run.sent_tokens, coalesce(counted.tokens, length(${SENT}))))
             filter (where run.sent_tokens is not null), 0),
           sum(coalesce(run.result_tokens, stored.cold_result_tokens, 0)),
           sum(round(greatest(0, coalesce(stored.cold_ms - run.duration_ms, 0))))
      from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[], $6::double precision[])
        as run (fqdn, version, day, sent_tokens, result_tokens, duration_ms)
      join capability_versions as stored on stored.capability_fqdn = run.fqdn and stored.version = run.version
      left join capability_code_tokens as counted
        on counted.capability_fqdn = run.fqdn and counted.version = run.version
     group by run.fqdn, run.version, run.day
    on conflict (capability_fqdn, version, day) do update set ${GROW}`;

/** Adds what runs saved, in the transaction that counts them and has locked their capabilities. */
export async function addSavings(
  transaction: Queryable,
  uses: readonly (CapabilityUse | ServedUse)[],
): Promise<void> {
  const runs = uses.flatMap(({ fqdn, version, saved }) =>
    saved === undefined ? [] : { fqdn, version, saved },
  );
  if (runs.length === 0) return;
  await transaction.query(ADD, [
    runs.map(({ fqdn }) => fqdn),
    runs.map(({ version }) => version),
    runs.map(({ saved }) => dayOf(saved.at)),
    runs.map(({ saved }) => saved.sentTokens ?? null),
    runs.map(({ saved }) => saved.resultTokens ?? null),
    runs.map(({ saved }) => saved.durationMs ?? null),
  ]);
}

/**
 * For runs from before the code was counted, the sent text is limited by its characters, so a row may claim too little,
 * but never too much.
 */
const SUMS = `coalesce(sum(saved.runs), 0)::bigint as runs,
      coalesce(sum(greatest(0, saved.code_runs * counted.tokens - saved.sent_tokens)), 0)::bigint as measured,
      coalesce(sum(saved.result_tokens + case when counted.tokens is not null then 0 else
        greatest(0, saved.code_runs * (length(${SENT}) / ${CHARS_PER_TOKEN}) - saved.sent_tokens) end), 0)::bigint
        as estimated,
      coalesce(sum(saved.ms), 0)::bigint as ms
      from capability_savings as saved
      join capability_versions as stored on stored.capability_fqdn = saved.capability_fqdn and stored.version = saved.version
      left join capability_code_tokens as counted
        on counted.capability_fqdn = saved.capability_fqdn and counted.version = saved.version`;

const VISIBLE = `${SUMS} join capability_records as record on record.id = saved.capability_fqdn
     where record.org = $1 and record.project = $2 and (record.visibility <> 'private' or $3 = any(record.creators))
       and saved.day >= $4::text::date`;

const TOTAL = sql("capability_savings_total")`select ${VISIBLE}`;

const BY_DAY = sql("capability_savings_by_day")`
    select to_char(saved.day, 'YYYY-MM-DD') as day, ${VISIBLE} and saved.day > '-infinity'
     group by saved.day order by saved.day desc`;

const BY_CAPABILITY = sql("capability_savings_by_capability")`select * from (
      select record.display_name, record.deleted_at is not null as is_deleted, ${VISIBLE}
       group by record.id) as sums
     order by measured + estimated desc, ms desc, runs desc, display_name limit $5`;

const OF = sql("capability_savings_of")`select ${SUMS} where saved.capability_fqdn = $1`;

/** Selects the versions that match `which` and have not been counted. */
const uncounted = (which: string) => `select fqdn, version, text from (
      select *, sum(length(text)) over (order by fqdn, version) - length(text) as before from (
        select stored.capability_fqdn as fqdn, stored.version, ${SENT} as text
          from capability_versions as stored
         where ${which} and exists (select from capability_savings as saved
                        where saved.capability_fqdn = stored.capability_fqdn and saved.version = stored.version
                          and saved.code_runs > 0)
           and not exists (select from capability_code_tokens as counted
                            where counted.capability_fqdn = stored.capability_fqdn
                              and counted.version = stored.version)
         order by fqdn, version limit ${COUNTED_VERSIONS}) as listed) as sized
     where before < ${COUNTED_CHARS}`;

const UNCOUNTED = sql("capability_savings_uncounted")`${uncounted("true")}`;
const UNCOUNTED_OF = sql("capability_savings_uncounted_of")`${uncounted("stored.capability_fqdn = $1")}`;

const KEEP_COUNTS = sql("capability_code_tokens_keep")`
    insert into capability_code_tokens (capability_fqdn, version, tokens)
    select * from unnest($1::text[], $2::integer[], $3::bigint[]) order by 1, 2 on conflict do nothing`;

/**
 * One statement, so that a reader always sees each day exactly once. Gateways that fold at the same time take turns.
 */
const FOLD = sql("capability_savings_fold")`
    with old as (
      select capability_fqdn, version, day from capability_savings
       where day < $1::text::date and day > '-infinity' order by capability_fqdn, version, day for update),
    removed as (
      delete from capability_savings as saved using old
       where saved.capability_fqdn = old.capability_fqdn and saved.version = old.version and saved.day = old.day
      returning saved.*),
    folded as (
      insert into capability_savings ${COLUMNS}
      select capability_fqdn, version, '-infinity', sum(runs), sum(code_runs),
             sum(least(sent_tokens, code_runs * coalesce(counted.tokens, sent_tokens))), sum(result_tokens), sum(ms)
        from removed left join capability_code_tokens as counted using (capability_fqdn, version)
       group by capability_fqdn, version
      on conflict (capability_fqdn, version, day) do update set ${GROW})
    select count(*) as folded from removed`;

interface SumRow {
  readonly runs: number;
  readonly measured: number;
  readonly estimated: number;
  readonly ms: number;
}

function savedOf({ runs, measured, estimated, ms }: SumRow): Saved {
  return { runs, tokensMeasured: measured, tokensEstimated: estimated, ms };
}

const NOTHING: Saved = { runs: 0, tokensMeasured: 0, tokensEstimated: 0, ms: 0 };
const EVER = "-infinity";

/** {@link SavingsStore} on tables `capability_savings` and `capability_code_tokens`. */
export class PostgresSavingsStore extends OnDatabase implements SavingsStore {
  async total(scope: Scope, since = EVER): Promise<Saved> {
    return await storeAction("add up what was saved", async () => {
      const { rows } = await this.database.query<SumRow>(TOTAL, [...asker(scope), since]);
      return rows.map(savedOf)[0] ?? NOTHING;
    });
  }

  async byDay(scope: Scope): Promise<readonly SavedByDay[]> {
    return await storeAction("add up what was saved by day", async () => {
      const { rows } = await this.database.query<SumRow & Pick<SavedByDay, "day">>(BY_DAY, [
        ...asker(scope),
        EVER,
      ]);
      return rows.map((row) => ({ day: row.day, ...savedOf(row) }));
    });
  }

  async byCapability(scope: Scope, most: number, since = EVER): Promise<readonly SavedByCapability[]> {
    return await storeAction("add up what was saved by capability", async () => {
      const { rows } = await this.database.query<
        SumRow & { readonly display_name: DisplayName; readonly is_deleted: boolean }
      >(BY_CAPABILITY, [...asker(scope), since, most]);
      return rows.map((row) => ({ name: row.display_name, isDeleted: row.is_deleted, ...savedOf(row) }));
    });
  }

  async of(fqdn: Fqdn): Promise<Saved> {
    return await storeAction(`add up what ${fqdn} saved`, async () => {
      const { rows } = await this.database.query<SumRow>(OF, [fqdn]);
      return rows.map(savedOf)[0] ?? NOTHING;
    });
  }

  async uncounted(fqdn?: Fqdn): Promise<readonly UncountedCode[]> {
    return await storeAction("look for code whose tokens are not counted", async () => {
      const { rows } =
        fqdn === undefined
          ? await this.database.query<UncountedCode>(UNCOUNTED)
          : await this.database.query<UncountedCode>(UNCOUNTED_OF, [fqdn]);
      return rows.map(({ fqdn, version, text }) => ({ fqdn, version, text: fromSqlText(text) }));
    });
  }

  async keepCounts(counts: readonly CodeTokens[]): Promise<void> {
    await storeAction("save counted tokens", () =>
      this.database.query(KEEP_COUNTS, [
        counts.map(({ fqdn }) => fqdn),
        counts.map(({ version }) => version),
        counts.map(({ tokens }) => tokens),
      ]),
    );
  }

  async fold(before: string): Promise<number> {
    return await storeAction("fold old days of the ledger", async () => {
      const { rows } = await this.database.query<{ readonly folded: number }>(FOLD, [before]);
      const folded = rows[0]?.folded ?? 0;
      // PGlite has no autovacuum: without this, the space of deleted rows would never be reused.
      if (this.database.kind === "pglite" && folded > 0)
        await this.database.query("vacuum capability_savings");
      return folded;
    });
  }
}

function asker(scope: Scope): readonly [string, string, string] {
  return [scope.org, scope.project, creatorOf(scope)];
}
