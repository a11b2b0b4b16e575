/**
 * {@link CapabilityCacheStore} on the tables `capability_cache` and `cache_invalidation_log`.
 *
 * @module
 */
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type {
  CacheTotals,
  CapabilityCacheStore,
  Invalidation,
  InvalidationTrigger,
  LoggedInvalidation,
  NewStoredResult,
  StoredKey,
  StoredResult,
  ToolPart,
} from "../execution/cache/cache-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type ServerName, splitToolId, type ToolId, toolId } from "../registry/tool-id.js";
import { takeLocks } from "./capability-names.js";
import { type Database, type Queryable, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const FIND = sql("cache_find")`select id::text as id, result::text as result, tools, depends_on,
                extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as lives_ms
      from capability_cache
     where capability_id = $1 and org = $2 and project = $3 and user_name = $4 and params_hash = $5
       and expires_at > clock_timestamp()`;

const HASHES = sql("cache_hashes")`
    select distinct params_hash from capability_cache where capability_id = $1`;

/**
 * Stores nothing if the capability is deleted, or if the result was dropped after its run: otherwise a gateway that
 * does not know of the drop yet would bring the result back. (Drops after calls of tools are announced to gateways,
 * which then drop their own results.)
 */
const KEEP = sql("cache_keep")`insert into capability_cache
      (capability_id, capability_version, org, project, user_name, params_hash, result, tools, depends_on, expires_at)
    select $1::uuid, $2, $3, $4, $5, $6, $7::json, $8::json, $9::text[],
           clock_timestamp() + $10::float8 * interval '1 ms'
      where exists (select from capability_records where workflow_pattern_id = $1::uuid and deleted_at is null)
        and not exists (
          select from cache_invalidation_log as log
            left join capability_records as dropped on dropped.workflow_pattern_id = log.capability_id
           where log.timestamp > clock_timestamp() - $11::float8 * interval '1 ms'
             and log.trigger_type <> 'tool_called'
             and (log.tool_id is null or log.tool_id = any ($9::text[]))
             and (log.capability_id is null or log.capability_id = $1::uuid or dropped.id = any ($9::text[])))
    on conflict (capability_id, org, project, user_name, params_hash) do update set
      capability_version = excluded.capability_version, result = excluded.result, tools = excluded.tools,
      depends_on = excluded.depends_on, hit_count = 0, created_at = excluded.created_at,
      expires_at = excluded.expires_at`;

const FORGET = sql("cache_forget")`delete from capability_cache
     where capability_id = $1 and org = $2 and project = $3 and user_name = $4 and params_hash = $5`;

/** The lock that is held while results are stored or dropped. */
const CACHE_LOCK = "cache";

/** Deletes expired results first, then the oldest. */
const MAKE_ROOM = sql("cache_make_room")`delete from capability_cache where id in (
      select id from capability_cache where capability_id = $1
       order by expires_at <= clock_timestamp(), created_at desc, id desc offset $2)`;

const COUNT_HITS = sql("cache_count_hits")`
    update capability_cache as cached set hit_count = cached.hit_count + hit.count
      from unnest($1::bigint[], $2::bigint[]) as hit (id, count) where cached.id = hit.id`;

const DROP_ALL = sql("cache_drop_all")`delete from capability_cache`;

const DROP_DEPENDENT = sql("cache_drop_dependent")`
    delete from capability_cache where depends_on @> array[$1::text]`;

const DROP_CAPABILITY = sql("cache_drop_capability")`delete from capability_cache
     where depends_on @> array[$1::text]
        or capability_id = (select workflow_pattern_id from capability_records where id = $1)`;

const ADD_LOG = sql("cache_log_add")`
    insert into cache_invalidation_log (trigger_type, tool_id, capability_id, entries_invalidated, invalidated_by)
    values ($1, $2, (select workflow_pattern_id from capability_records where id = $3), $4, $5)`;

/** Notifies the other gateways, if there may be any. */
const TELL = sql("cache_tell")`with told as (
      insert into change_log (kind, id)
        select 'cache', $1 where current_setting('pml.feed', true) is distinct from 'off'
        on conflict do nothing returning kind
    ) select pg_notify('pml_change', current_schema()) from told`;

const SELECT_LOG = `select log.id::text as id, log.trigger_type, log.tool_id, record.id as fqdn,
         log.entries_invalidated, log.invalidated_by, log.timestamp
    from cache_invalidation_log as log
    left join capability_records as record on record.workflow_pattern_id = log.capability_id`;

const LOG = sql("cache_log")`${SELECT_LOG} order by log.id desc limit $1`;

const LOGGED = sql("cache_logged")`${SELECT_LOG} where log.id = any ($1::bigint[]) order by log.id`;

const TOTALS = sql("cache_totals")`
    select count(*) as entries, coalesce(sum(octet_length(result::text)), 0)::int8 as bytes,
                coalesce(sum(hit_count), 0)::int8 as hits
      from capability_cache where expires_at > clock_timestamp()`;

const PRUNE = sql("cache_prune")`delete from capability_cache where expires_at <= clock_timestamp()`;

const PRUNE_LOG = sql("cache_log_prune")`delete from cache_invalidation_log where timestamp < $1`;

interface ResultRow {
  readonly id: string;
  readonly result: string;
  readonly tools: readonly ToolPart[];
  readonly depends_on: readonly string[];
  readonly lives_ms: number;
}

interface LogRow {
  readonly id: string;
  readonly trigger_type: InvalidationTrigger;
  readonly tool_id: string | null;
  readonly fqdn: string | null;
  readonly entries_invalidated: number;
  readonly invalidated_by: string | null;
  readonly timestamp: Date;
}

export class PostgresCacheStore implements CapabilityCacheStore {
  readonly #database: Database;
  /**
   * Identifies this gateway. It also receives its own notifications of calls, and must ignore them: it may have read
   * newer results since.
   */
  readonly #teller = crypto.randomUUID();

  /**
   * The hashes of each capability whose results the store may have; undefined if other processes write to the store
   * too.
   */
  readonly #known: Map<string, Promise<Set<string>>> | undefined;

  /**
   * With `isAlone`, no other process writes to the database, so the store need not be asked for results that were never
   * stored.
   */
  constructor(database: Database, { isAlone = false }: { readonly isAlone?: boolean } = {}) {
    this.#database = database;
    this.#known = isAlone ? new Map() : undefined;
  }

  async find({ capabilityId, scope, paramsHash }: StoredKey): Promise<StoredResult | undefined> {
    return await storeAction("find a result", async () => {
      if ((await this.#hashesOf(capabilityId))?.has(paramsHash) === false) return undefined;
      const { org, project, user } = scope;
      const values = [capabilityId, org, project, user, paramsHash];
      const [row] = (await this.#database.query<ResultRow>(FIND, values)).rows;
      if (row === undefined) return undefined;
      const parts = new Set<string>(row.tools.map(({ id }) => id));
      const others = row.depends_on.map(fromSqlText).filter((one) => !parts.has(one));
      return {
        id: row.id,
        text: row.result,
        tools: row.tools,
        servers: others.flatMap((one) => (one.endsWith(":") ? [one.slice(0, -1) as ServerName] : [])),
        capabilities: others.flatMap((one) => (one.endsWith(":") ? [] : [one as Fqdn])),
        livesMs: row.lives_ms,
      };
    });
  }

  async keep(results: readonly NewStoredResult[]): Promise<void> {
    await this.#willKeep(results);
    await storeAction(`save ${results.length} results`, () =>
      this.#database.transaction(async (transaction) => {
        const most = new Map(results.map(({ capabilityId, maxEntries }) => [capabilityId, maxEntries]));
        // Without the lock, two gateways that each make room for one result would leave one too many.
        await takeLocks(transaction, [CACHE_LOCK]);
        for (const result of results) await keepOne(transaction, result);
        for (const [id, entries] of most) await transaction.query(MAKE_ROOM, [id, entries]);
      }),
    );
  }

  async forget({ capabilityId, scope, paramsHash }: StoredKey): Promise<void> {
    const { org, project, user } = scope;
    await storeAction("delete a result", () =>
      this.#database.query(FORGET, [capabilityId, org, project, user, paramsHash]),
    );
  }

  /** The hashes of one capability, read once. A hash whose result was dropped later costs one query. */
  #hashesOf(capabilityId: string): Promise<Set<string>> | undefined {
    if (this.#known === undefined) return undefined;
    const known = this.#known;
    const read = known.get(capabilityId);
    const hashes = read ?? this.#readHashes(capabilityId);
    keepNewest(known, capabilityId, hashes, LIMITS.cachedEntries);
    // A failed read is not cached.
    if (read === undefined) hashes.catch(() => known.delete(capabilityId));
    return hashes;
  }

  async #readHashes(capabilityId: string): Promise<Set<string>> {
    const { rows } = await this.#database.query<{ readonly params_hash: string }>(HASHES, [capabilityId]);
    return new Set(rows.map((row) => row.params_hash));
  }

  /** Notes the hashes before the results are written: the store must never have a result whose hash is missing here. */
  async #willKeep(results: readonly NewStoredResult[]): Promise<void> {
    for (const { capabilityId, paramsHash } of results) {
      const hashes = await this.#known?.get(capabilityId)?.catch(() => undefined);
      hashes?.add(paramsHash);
      // Most of these results are probably dropped by now, so the next lookup reads the remaining hashes from the
      // store.
      if (hashes !== undefined && hashes.size > LIMITS.cachedEntries) this.#known?.delete(capabilityId);
    }
  }

  async countHits(hits: ReadonlyMap<string, number>): Promise<void> {
    await storeAction("count hits", () =>
      this.#database.query(COUNT_HITS, [[...hits.keys()], [...hits.values()]]),
    );
  }

  async invalidate(invalidation: Invalidation, inMemory: number): Promise<number> {
    return await storeAction("drop results", () =>
      this.#database.transaction(async (transaction) => {
        const { trigger, tool, capability, by, again = false } = invalidation;
        // The lock makes sure that a result that is being stored is either dropped too or sees this invalidation.
        if (trigger !== "tool_called") await takeLocks(transaction, [CACHE_LOCK]);
        const entries = inMemory + (await dropStored(transaction, invalidation));
        if ((entries > 0 && !again) || by !== undefined)
          await transaction.query(ADD_LOG, [
            trigger,
            tool === undefined ? null : toSqlText(tool),
            capability ?? null,
            entries,
            by ?? null,
          ]);
        if (trigger === "tool_called" && (entries > 0 || !again))
          await transaction.query(TELL, [JSON.stringify([this.#teller, tool, again])]);
        return entries;
      }),
    );
  }

  async log(most: number): Promise<readonly LoggedInvalidation[]> {
    return await storeAction("read the invalidation log", async () =>
      (await this.#database.query<LogRow>(LOG, [most])).rows.map(toLogged),
    );
  }

  async droppedElsewhere(ids: readonly string[]): Promise<readonly Invalidation[]> {
    return await storeAction("read dropped results", async () => {
      const called = ids.flatMap((id) => (isRow(id) ? [] : this.#calledElsewhere(id)));
      const rows = ids.filter(isRow);
      if (rows.length === 0) return called;
      const logged = (await this.#database.query<LogRow>(LOGGED, [rows])).rows.map(toLogged);
      // Calls are announced to the other gateways even if they are not in the log.
      return [...called, ...logged.filter(({ trigger }) => trigger !== "tool_called")];
    });
  }

  #calledElsewhere(text: string): readonly Invalidation[] {
    const [teller, tool, again] = JSON.parse(text) as [string, ToolId, boolean];
    return teller === this.#teller ? [] : [{ trigger: "tool_called", tool, ...(again ? { again } : {}) }];
  }

  async totals(): Promise<CacheTotals> {
    return await storeAction("count results", async () => {
      const [totals] = (await this.#database.query<CacheTotals>(TOTALS)).rows;
      return totals ?? { entries: 0, bytes: 0, hits: 0 };
    });
  }

  async prune(loggedBefore: Date): Promise<void> {
    await storeAction("delete old results", async () => {
      await this.#database.query(PRUNE);
      await this.#database.query(PRUNE_LOG, [loggedBefore]);
    });
  }
}

async function keepOne(transaction: Queryable, result: NewStoredResult): Promise<void> {
  const { capabilityId, version, scope, paramsHash, text, tools, servers, capabilities } = result;
  const { livesMs, ageMs } = result;
  // A result does not depend on a tool whose changes do not affect it.
  const followed = tools.flatMap(({ id, hash }) => (hash === null ? [] : [id]));
  const dependsOn = [...followed, ...servers.map(serverMark), ...capabilities];
  await transaction.query(KEEP, [
    capabilityId,
    version,
    scope.org,
    scope.project,
    scope.user,
    paramsHash,
    text,
    JSON.stringify(tools),
    dependsOn.map(toSqlText),
    livesMs,
    ageMs,
  ]);
}

/**
 * The mark of a server among the dependencies of a result. It is unique: every tool has a name, and references of
 * capabilities have no colon.
 */
function serverMark(server: ServerName): string {
  return toolId(server, "");
}

/** Whether the id is that of a row; announcements without a row have other ids. */
function isRow(id: string): boolean {
  return /^\d+$/.test(id);
}

async function dropStored(
  transaction: Queryable,
  { trigger, tool, capability }: Invalidation,
): Promise<number> {
  if (trigger === "tool_called" && tool !== undefined)
    return (await transaction.query(DROP_DEPENDENT, [serverMark(splitToolId(tool).server)])).rowCount;
  if (tool !== undefined) return (await transaction.query(DROP_DEPENDENT, [toSqlText(tool)])).rowCount;
  if (capability !== undefined) return (await transaction.query(DROP_CAPABILITY, [capability])).rowCount;
  return (await transaction.query(DROP_ALL)).rowCount;
}

function toLogged(row: LogRow): LoggedInvalidation {
  return {
    id: row.id,
    trigger: row.trigger_type,
    ...(row.tool_id === null ? {} : { tool: fromSqlText(row.tool_id) as ToolId }),
    ...(row.fqdn === null ? {} : { capability: row.fqdn as Fqdn }),
    ...(row.invalidated_by === null ? {} : { by: row.invalidated_by }),
    entries: row.entries_invalidated,
    at: row.timestamp,
  };
}
