/**
 * Table `change_log`, as one gateway reads it: what others have committed since it last looked.
 *
 * How far somebody has read is a snapshot of PostgreSQL's transactions: news is what was not visible in it and is
 * visible now. That loses nothing, whatever order transactions begin and commit in, and tells nothing twice; and a
 * transaction that stays open for hours holds back no news but its own.
 *
 * @module
 */
import type { Database, NamedStatement } from "./database.js";
import { storeFailed } from "./sql-error.js";

/** The position of a reader. */
export interface LogMark {
  /** `xmin:xmax:xip,…`, as PostgreSQL writes it. */
  readonly snapshot: string;
  /** By the server's clock: a computer that slept does not know for how long. */
  readonly takenAt: Date;
  /** One run of a server. The next may lack what was committed: a replica has taken over, or a backup came back. */
  readonly server: string;
}

export interface Change {
  readonly kind: "capability" | "server" | "key" | "tool" | "cache";
  readonly id: string;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where all pages of this reading end. */
  readonly mark: LogMark;
}

const MARK = "now() as taken_at, pg_postmaster_start_time()::text as server";

const BEGIN: NamedStatement = {
  name: "change_log_begin",
  text: `select pg_current_snapshot()::text as snapshot, ${MARK}, current_schema() as schema`,
};

/**
 * From $1 to $2, or to now; what follows ($3, $4). What $1 did not see was begun after it or was under way, and is
 * asked for so that the index finds both; without the upper bound, a planner without statistics reads the whole log.
 * One statement, so that the rows and the mark are of one snapshot.
 */
const READ: NamedStatement = {
  name: "change_log_read",
  text: `select upto.snapshot::text as snapshot, ${MARK}, news.kind, news.id
      from (select coalesce($2::pg_snapshot, pg_current_snapshot()) as snapshot) as upto
      left join lateral (
        select distinct log.kind, log.id
          from (select * from change_log
                 where xid >= pg_snapshot_xmax($1::pg_snapshot) and xid < pg_snapshot_xmax(upto.snapshot)
                union all
                select * from change_log where xid = any (array(select pg_snapshot_xip($1::pg_snapshot)))) as log
         where pg_visible_in_snapshot(log.xid, upto.snapshot) and (log.kind, log.id) > ($3, $4)
         order by log.kind, log.id limit $5
      ) as news on true`,
};

/**
 * What was committed before the mark, once that is old enough; then the mark is moved. A mark from another cluster,
 * which a copy of the data may have brought along, says nothing here.
 */
const PRUNE: NamedStatement = {
  name: "change_log_prune",
  text: `with due as (
      select snapshot from change_mark where taken_at <= now() - $1 * interval '1 ms' for update skip locked
    ), pruned as (
      delete from change_log using due
       where change_log.xid < pg_snapshot_xmin(due.snapshot)
         and pg_snapshot_xmax(due.snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
    )
    update change_mark set snapshot = pg_current_snapshot(), taken_at = now() from due`,
};

interface MarkRow {
  readonly snapshot: string;
  readonly taken_at: Date;
  readonly server: string;
}

type PageRow = MarkRow & { readonly kind: Change["kind"] | null; readonly id: string | null };

export class ChangeLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The current start position of a new reader, and the schema of the store. */
  async begin(): Promise<{ readonly mark: LogMark; readonly schema: string }> {
    const row = first((await this.#database.query<MarkRow & { readonly schema: string }>(BEGIN)).rows);
    return { mark: markOf(row), schema: row.schema };
  }

  /** At most `limit` of what was committed after `from`, in order; with a previous page, those that follow it. */
  async read(from: LogMark, limit: number, previous?: ChangePage): Promise<ChangePage> {
    const last = previous?.changes.at(-1);
    const { rows } = await this.#database.query<PageRow>(READ, [
      from.snapshot,
      previous?.mark.snapshot ?? null,
      last?.kind ?? "",
      last?.id ?? "",
      limit,
    ]);
    return {
      changes: rows.flatMap(({ kind, id }) => (kind === null || id === null ? [] : [{ kind, id }])),
      mark: previous?.mark ?? markOf(first(rows)),
    };
  }

  /** Deletes what every reader active within the last `keepMs` has read. One gateway does it, the others skip it. */
  async prune(keepMs: number): Promise<void> {
    await this.#database.query(PRUNE, [keepMs]);
  }
}

/** Of statements that always answer with one. */
function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw storeFailed("read changes", "the answer is empty");
  return row;
}

function markOf({ snapshot, taken_at, server }: MarkRow): LogMark {
  return { snapshot, takenAt: taken_at, server };
}
