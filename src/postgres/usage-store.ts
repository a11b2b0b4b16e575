import type { Scope } from "../registry/scope.js";
import type { CountedRuns, RunCounts, UsageRow, UsageStore, UsageTotals } from "../registry/usage.js";
import { OnDatabase, type Queryable, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const BATCH_ROWS = 5_000;

const ADD = sql("tool_usage_add")`insert into tool_usage
      (server_id, tool_name, org, project, user_name, called_at, duration_ms, success, error_code)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
      $6::timestamptz[], $7::double precision[], $8::boolean[], $9::text[])`;

const TOTALS = sql("tool_usage_totals")`
    select server_id, tool_name, count(*) as calls, count(*) filter (where success) as successes,
                sum(duration_ms) as total_duration_ms, max(called_at) as last_called_at
           from tool_usage
          where ($1::text is null or org = $1) and ($2::text is null or project = $2)
          group by server_id, tool_name
          order by calls desc, server_id, tool_name`;

interface TotalsRow {
  readonly server_id: string;
  readonly tool_name: string;
  readonly calls: number;
  readonly successes: number;
  readonly total_duration_ms: number;
  readonly last_called_at: Date;
}

/** {@link UsageStore} on table `tool_usage`. */
export class PostgresUsageStore extends OnDatabase implements UsageStore {
  async add(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return;
    await storeAction(`add ${rows.length} usage rows`, () =>
      rows.length <= BATCH_ROWS
        ? addBatch(this.database, rows)
        : this.database.transaction(async (transaction) => {
            for (let start = 0; start < rows.length; start += BATCH_ROWS)
              await addBatch(transaction, rows.slice(start, start + BATCH_ROWS));
          }),
    );
  }

  async totals(of?: Pick<UsageRow, "org" | "project">): Promise<readonly UsageTotals[]> {
    return await storeAction("total the usage", async () => {
      const { rows } = await this.database.query<TotalsRow>(TOTALS, [of?.org ?? null, of?.project ?? null]);
      return rows.map((row) => ({
        serverId: fromSqlText(row.server_id),
        toolName: fromSqlText(row.tool_name),
        calls: row.calls,
        successes: row.successes,
        totalDurationMs: row.total_duration_ms,
        lastCalledAt: row.last_called_at,
      }));
    });
  }

  async prune(before: Date): Promise<number> {
    return await storeAction("prune old usage", async () => {
      const { rowCount } = await this.database.query("delete from tool_usage where called_at < $1", [before]);
      // PGlite has no autovacuum: without this, the space of deleted rows would never be reused.
      if (this.database.kind === "pglite" && rowCount > 0) await this.database.query("vacuum tool_usage");
      return rowCount;
    });
  }
}

async function addBatch(to: Queryable, batch: readonly UsageRow[]): Promise<void> {
  await to.query(ADD, [
    batch.map(({ serverId }) => toSqlText(serverId)),
    batch.map(({ toolName }) => toSqlText(toolName)),
    batch.map(({ org }) => toSqlText(org)),
    batch.map(({ project }) => toSqlText(project)),
    batch.map(({ user }) => toSqlText(user)),
    batch.map(({ calledAt }) => calledAt),
    batch.map(({ durationMs }) => durationMs),
    batch.map(({ success }) => success),
    batch.map(({ errorCode }) => errorCode ?? null),
  ]);
}

const SINCE = sql("execution_trace_since")`
    select count(*) as total, count(*) filter (where not success) as failed from execution_trace
          where org = $1 and project = $2 and executed_at >= $3 and parent_trace_id is null`;

/** {@link RunCounts} on table `execution_trace`. */
export class PostgresRunCounts extends OnDatabase implements RunCounts {
  async since({ org, project }: Pick<Scope, "org" | "project">, time: Date): Promise<CountedRuns> {
    return await storeAction("count runs", async () => {
      const { rows } = await this.database.query<CountedRuns>(SINCE, [org, project, time]);
      const { total = 0, failed = 0 } = rows[0] ?? {};
      return { total, failed };
    });
  }
}
