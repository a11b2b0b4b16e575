import {
  type KeptResult,
  type ResultKey,
  type RunOfResults,
  resultKey,
  type StoredPage,
  type TaskResultStore,
} from "../execution/run/task-results.js";
import { type Database, type NamedStatement, OnDatabase, sql } from "./database.js";
import type { PendingRows } from "./pending-rows.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, textOf, toSqlText } from "./sql-text.js";
import { addResults } from "./task-results-statement.js";

// Both functions count characters, and only the page leaves the database.
const PAGE = sql("task_results_page")`
    select org, project, user_name, expires_at, not_kept, substring(text from $3::integer for $4::integer) as content,
                char_length(text) as total
           from (select *, result::text as text from task_results
                  where workflow_id = $1 and task_id = $2 offset 0) as one`;

const WHOLE = sql("task_results_whole")`
    select org, project, user_name, expires_at, not_kept, result::text as content, 0 as total
           from task_results where workflow_id = $1 and task_id = $2`;

const RESULTS_OF_RUN = sql("task_results_run")`
    select org, project, user_name, task_id from task_results where workflow_id = $1 order by task_id`;

const TRACE_OF_RUN = sql("task_results_trace")`
    select org, project, user_name, task_results, executed_at from execution_trace
          where workflow_id = $1 order by (parent_trace_id is null) desc, executed_at desc limit 1`;

/** Above this, writing them twice takes longer than waiting for the store. */
const HELD_CHARS_MOST = 1024 * 1024;

/** PostgreSQL counts in 32 bits, and no text is that long. */
const MOST = 1_000_000_000;

interface ScopeRow {
  readonly org: string;
  readonly project: string;
  readonly user_name: string;
}

interface PageRow extends ScopeRow {
  readonly expires_at: Date;
  readonly not_kept: string | null;
  readonly content: string | null;
  readonly total: number | null;
}

interface TraceRow extends ScopeRow {
  readonly task_results: readonly { readonly taskId: string }[];
  readonly executed_at: Date;
}

/** {@link TaskResultStore} on table `task_results`. */
export class PostgresTaskResultStore extends OnDatabase implements TaskResultStore {
  readonly #pending: PendingRows | undefined;

  /** @param pending of an embedded store */
  constructor(database: Database, pending?: PendingRows) {
    super(database);
    this.#pending = pending;
  }

  async add(results: readonly KeptResult[]): Promise<void> {
    if (results.length === 0) return;
    await storeAction(`save ${results.length} results of tasks`, () => addResults(this.database, results));
  }

  hold(results: readonly KeptResult[]): boolean {
    if (this.#pending === undefined) return false;
    const chars = results.reduce((sum, { text = "" }) => sum + text.length, 0);
    if (chars > HELD_CHARS_MOST) return false;
    try {
      return this.#pending.add(results.map((result) => ({ kind: "result", id: resultKey(result), result })));
    } catch {
      // The store takes them instead, or says why not.
      return false;
    }
  }

  release(key: ResultKey): void {
    this.#pending?.done(resultKey(key));
  }

  page(key: ResultKey, offset: number, limit: number): Promise<StoredPage | undefined> {
    return this.#read(PAGE, key, [Math.min(offset, MOST) + 1, Math.min(limit, MOST)]);
  }

  whole(key: ResultKey): Promise<StoredPage | undefined> {
    return this.#read(WHOLE, key, []);
  }

  async run(workflowId: string): Promise<RunOfResults | undefined> {
    return await storeAction("look up a run", async () => {
      const id = toSqlText(workflowId);
      const [{ rows: results }, { rows: traces }] = await Promise.all([
        this.database.query<ScopeRow & { readonly task_id: string }>(RESULTS_OF_RUN, [id]),
        this.database.query<TraceRow>(TRACE_OF_RUN, [id]),
      ]);
      const [trace] = traces;
      const owner = results[0] ?? trace;
      if (owner === undefined) return undefined;
      const traced = trace?.task_results.map(({ taskId }) => taskId) ?? [];
      return {
        scope: scopeOf(owner),
        tasks: [...new Set([...traced, ...results.map(({ task_id }) => fromSqlText(task_id))])],
        ...(trace === undefined ? {} : { ranAt: trace.executed_at }),
      };
    });
  }

  async prune(now: Date, forget: Date): Promise<number> {
    return await storeAction("remove expired results", async () => {
      const emptied = await this.database.query(
        "update task_results set result = null where expires_at <= $1 and result is not null",
        [now],
      );
      const forgotten = await this.database.query("delete from task_results where expires_at <= $1", [
        forget,
      ]);
      const count = emptied.rowCount + forgotten.rowCount;
      // PGlite has no autovacuum: without this the space of removed results would never be used again.
      if (this.database.kind === "pglite" && count > 0) await this.database.query("vacuum task_results");
      return emptied.rowCount;
    });
  }

  #read(
    statement: NamedStatement,
    { workflowId, taskId }: ResultKey,
    more: readonly number[],
  ): Promise<StoredPage | undefined> {
    return storeAction("read the result of a task", async () => {
      const ids = [toSqlText(workflowId), toSqlText(taskId)];
      const { rows } = await this.database.query<PageRow>(statement, [...ids, ...more]);
      const [row] = rows;
      if (row === undefined) return undefined;
      const notKept = textOf(row.not_kept);
      return {
        scope: scopeOf(row),
        expiresAt: row.expires_at,
        total: row.total ?? 0,
        ...(row.content === null ? {} : { content: row.content }),
        ...(notKept === undefined ? {} : { notKept }),
      };
    });
  }
}

function scopeOf({ org, project, user_name }: ScopeRow): StoredPage["scope"] {
  return { org, project, user: user_name };
}
