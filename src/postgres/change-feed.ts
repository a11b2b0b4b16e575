/**
 * Reads what other gateways on the same PostgreSQL have changed.
 *
 * A gateway that changes something wakes the others with NOTIFY, and they read the log of changes. They also poll the
 * log from time to time, so that nothing depends on NOTIFY: a connection can be lost without an error, and some
 * connection pools do not pass NOTIFY on.
 *
 * @module
 */

import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { ChangeFeed, ChangeListener } from "../registry/change-feed.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ServerName } from "../registry/tool-id.js";
import { type Database, sql } from "./database.js";
import { storeFailed } from "./sql-error.js";

/** The channel of all notifications from migrations; the payload is the schema of the store that has changed. */
const CHANNEL = "pml_change";

export interface ChangeFeedOptions {
  readonly database: Database;
  readonly log: Log;
  readonly pollMs?: number;
  readonly keepMs?: number;
  readonly pageItems?: number;
}

/** The state between start and stop. */
interface Run {
  readonly listener: ChangeListener;
  readonly listening: KeptListening;
  readonly timers: readonly NodeJS.Timeout[];
}

export class PostgresChangeFeed implements ChangeFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #changes: ChangeLog;
  readonly #pollMs: number;
  readonly #keepMs: number;
  readonly #pageItems: number;
  #run: Run | undefined;
  #mark: LogMark | undefined;
  /** When the newest reading began whose changes were all passed to the listener. */
  #freshAt = 0;
  /** The current readings, one after the other. Never rejects. */
  #reading: Promise<void> | undefined;
  /** Something may have been written since the newest reading began. */
  #isDue = false;
  #waiting: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #isFailing = false;

  constructor({ database, log, pollMs, keepMs, pageItems }: ChangeFeedOptions) {
    this.#database = database;
    this.#log = log;
    this.#changes = new ChangeLog(database);
    this.#pollMs = pollMs ?? LIMITS.changePollMs;
    this.#keepMs = keepMs ?? LIMITS.changeKeepMs;
    this.#pageItems = pageItems ?? LIMITS.changePageItems;
  }

  async start(listener: ChangeListener): Promise<void> {
    const began = performance.now();
    const { mark, schema } = await this.#changes.begin();
    this.#mark = mark;
    this.#freshAt = began;
    // Not awaited: until it listens, the log is polled.
    const listening = new KeptListening({
      database: this.#database,
      log: this.#log,
      channel: CHANNEL,
      onNotice: (changed) => {
        if (changed === schema) void this.#read();
      },
      onHearing: () => void this.#read(),
    });
    const poll = setInterval(() => {
      if (this.#reading === undefined) void this.#read();
    }, this.#pollMs);
    const prune = setInterval(() => this.#prune(), LIMITS.changePruneMs);
    this.#run = { listener, listening, timers: [poll.unref(), prune.unref()] };
    this.#prune();
  }

  fresh(): Promise<void> | undefined {
    if (this.#run === undefined || performance.now() - this.#freshAt < LIMITS.changeLagMs) return undefined;
    // Kept until the reading ends: if a reading hangs for longer than the limit, later callers do not wait for it
    // again.
    this.#waiting ??= within(
      LIMITS.changeWaitMs,
      this.#read().finally(() => {
        this.#waiting = undefined;
      }),
    ).catch(() => undefined);
    return this.#waiting;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    for (const timer of run.timers) clearInterval(timer);
    await Promise.all([run.listening.stop(), this.#reading, this.#pruning]);
  }

  /** Resolves after a reading that began after this call has ended, or after one has failed. */
  async #read(): Promise<void> {
    if (this.#run === undefined) return;
    this.#isDue = true;
    this.#reading ??= this.#readWhileDue();
    await this.#reading;
  }

  async #readWhileDue(): Promise<void> {
    while (this.#isDue && this.#run !== undefined) {
      this.#isDue = false;
      const began = performance.now();
      try {
        await this.#tell(this.#run.listener);
        this.#freshAt = began;
        if (this.#isFailing) this.#log.info("store.changes_known");
        this.#isFailing = false;
      } catch (thrown) {
        if (!this.#isFailing) this.#log.warn("store.changes_unknown", { message: messageOf(thrown) });
        this.#isFailing = true;
        break;
      }
    }
    this.#reading = undefined;
  }

  /** Passes all new changes to the listener, and only then moves the mark. */
  async #tell(listener: ChangeListener): Promise<void> {
    const from = this.#mark;
    if (from === undefined) return;
    let page = await this.#page(from);
    const upTo = page.mark;
    if (this.#isLogIncomplete(from, upTo)) await listener.allChanged();
    else {
      await tellPage(page.changes, listener);
      while (page.changes.length === this.#pageItems) {
        page = await this.#page(from, page);
        await tellPage(page.changes, listener);
      }
    }
    this.#mark = upTo;
  }

  /** Has a time limit, because a server that is gone never answers. */
  #page(from: LogMark, previous?: ChangePage): Promise<ChangePage> {
    const ms = LIMITS.changeReadMs;
    return within(ms, this.#changes.read(from, this.#pageItems, previous), () =>
      storeFailed("poll for changes", `no answer in ${ms} ms`),
    );
  }

  /** Uses half the time, because clocks are sometimes adjusted. */
  #isLogIncomplete(from: LogMark, upTo: LogMark): boolean {
    const gapMs = upTo.takenAt.getTime() - from.takenAt.getTime();
    return gapMs > this.#keepMs / 2 || upTo.server !== from.server;
  }

  #prune(): void {
    this.#pruning ??= this.#changes
      .prune(this.#keepMs)
      .catch((thrown: unknown) => this.#log.debug("store.changes_kept", { message: messageOf(thrown) }))
      .finally(() => {
        this.#pruning = undefined;
      });
  }
}

async function tellPage(changes: readonly Change[], listener: ChangeListener): Promise<void> {
  const fqdns = changes.flatMap(({ kind, id }) => (kind === "capability" ? [id as Fqdn] : []));
  if (fqdns.length > 0) await listener.capabilitiesChanged(fqdns);
  if (changes.some(({ kind }) => kind === "server")) await listener.serversChanged();
  if (changes.some(({ kind }) => kind === "key")) await listener.keysChanged();
  const dropped = changes.flatMap(({ kind, id }) => (kind === "cache" ? [id] : []));
  if (dropped.length > 0) await listener.cachesDropped?.(dropped);
  const servers = changes.flatMap(({ kind, id }) => (kind === "tool" ? [id as ServerName] : []));
  if (servers.length > 0) await listener.toolsChanged(servers);
  for (const kind of ["run", "approval"] as const) {
    const projects = changes.flatMap((change) => (change.kind === kind ? [change.id] : []));
    if (projects.length > 0) listener.watchedChanged?.(kind, projects);
  }
}

interface KeptListeningOptions {
  readonly database: Database;
  readonly log: Log;
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  /** Called when listening has started or restarted; earlier notifications were missed. */
  readonly onHearing: () => void;
}

/**
 * Listens to a channel until it is stopped, and reconnects after growing pauses. Callers must not depend on it, because
 * it does not report when it hears nothing.
 */
class KeptListening {
  readonly #options: KeptListeningOptions;
  #failures = 0;
  #isDeaf = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;
  #connecting: Promise<void>;
  #end: (() => Promise<void>) | undefined;

  constructor(options: KeptListeningOptions) {
    this.#options = options;
    this.#connecting = this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#connecting;
    await this.#end?.();
  }

  async #connect(): Promise<void> {
    const { database, log, channel, onNotice, onHearing } = this.#options;
    try {
      const since = performance.now();
      this.#end = await database.listen?.(channel, onNotice, (error) => {
        // After a connection that lasted, retry soon; after one that failed at once, wait longer.
        if (performance.now() - since > LIMITS.reconnectMostMs) this.#failures = 0;
        this.#fail(error);
      });
      if (this.#isDeaf) log.info("store.listening_again", { channel });
      this.#isDeaf = false;
      onHearing();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.#end = undefined;
    if (this.#isStopped) return;
    const { log, channel } = this.#options;
    if (!this.#isDeaf) log.warn("store.listening_lost", { channel, message: messageOf(thrown) });
    this.#isDeaf = true;
    const pause = Math.min(LIMITS.reconnectFirstMs * 2 ** this.#failures, LIMITS.reconnectMostMs);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect();
    }, pause);
    this.#retry.unref();
  }
}

// The table `change_log` as one gateway reads it: what others have committed since the last reading.
//
// The position of a reader is a snapshot of PostgreSQL's transactions: a row is new if it was not visible in that
// snapshot and is visible now. So nothing is lost or repeated, in any order of begins and commits, and a transaction
// that stays open for hours delays only its own rows.

/** The position of a reader. */
interface LogMark {
  /** In PostgreSQL's own format `xmin:xmax:xip,…`. */
  readonly snapshot: string;
  /** By the server's clock: a computer that was asleep does not know for how long. */
  readonly takenAt: Date;
  /**
   * Identifies one run of the server. After a restart committed rows may be missing: a replica took over, or a backup
   * was restored.
   */
  readonly server: string;
}

interface Change {
  readonly kind: "capability" | "server" | "key" | "tool" | "cache" | "run" | "approval";
  readonly id: string;
}

interface ChangePage {
  readonly changes: readonly Change[];
  /** The position at which all pages of this reading end. */
  readonly mark: LogMark;
}

const MARK = "now() as taken_at, pg_postmaster_start_time()::text as server";

const BEGIN = sql("change_log_begin")`
    select pg_current_snapshot()::text as snapshot, ${MARK}, current_schema() as schema`;

/**
 * Reads the changes from $1 to $2 (default: now) that follow ($3, $4). A row that $1 did not see belongs to a
 * transaction that began later or was running; both are conditions, so that the index finds them. Without the upper
 * bound, a planner without statistics reads the whole log. It is one statement, so that the rows and the mark come from
 * one snapshot.
 */
const READ = sql("change_log_read")`select upto.snapshot::text as snapshot, ${MARK}, news.kind, news.id
      from (select coalesce($2::pg_snapshot, pg_current_snapshot()) as snapshot) as upto
      left join lateral (
        select distinct log.kind, log.id
          from (select * from change_log
                 where xid >= pg_snapshot_xmax($1::pg_snapshot) and xid < pg_snapshot_xmax(upto.snapshot)
                union all
                select * from change_log where xid = any (array(select pg_snapshot_xip($1::pg_snapshot)))) as log
         where pg_visible_in_snapshot(log.xid, upto.snapshot) and (log.kind, log.id) > ($3, $4)
         order by log.kind, log.id limit $5
      ) as news on true`;

/**
 * Deletes what was committed before the mark, once the mark is old enough; then moves the mark. A mark of another
 * cluster, which may be in a copied database, is ignored.
 */
const PRUNE = sql("change_log_prune")`with due as (
      select snapshot from change_mark where taken_at <= now() - $1 * interval '1 ms' for update skip locked
    ), pruned as (
      delete from change_log using due
       where change_log.xid < pg_snapshot_xmin(due.snapshot)
         and pg_snapshot_xmax(due.snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
    )
    update change_mark set snapshot = pg_current_snapshot(), taken_at = now() from due`;

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

  /**
   * Returns at most `limit` changes that were committed after `from`, in order; with a previous page, those that follow
   * it.
   */
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

  /**
   * Deletes changes that every reader active within the last `keepMs` has read. One gateway does this; the others skip
   * it.
   */
  async prune(keepMs: number): Promise<void> {
    await this.#database.query(PRUNE, [keepMs]);
  }
}

/** The first row, for statements that always return one. */
function first<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw storeFailed("read changes", "the answer is empty");
  return row;
}

function markOf({ snapshot, taken_at, server }: MarkRow): LogMark {
  return { snapshot, takenAt: taken_at, server };
}
