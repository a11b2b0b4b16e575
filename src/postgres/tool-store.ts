import type { Json } from "../base/canonical-json.js";
import type { ToolTrouble } from "../registry/capability.js";
import type { Fqdn } from "../registry/fqdn.js";
import { isObserved, merge, type ObservedSchema } from "../registry/observed-schema.js";
import { parseServerName, type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import type { Acceptance, Observed, ToolPin, ToolSighting, ToolStore } from "../registry/tool-store.js";
import { type Database, type NamedStatement, OnDatabase, type Queryable, sql } from "./database.js";
import { changeNames, type LearnAhead } from "./learn-ahead.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

interface ToolRow {
  readonly server: string;
  readonly name: string;
  readonly pinned_hash: string;
  readonly pinned_tool: Json;
  readonly current_hash: string | null;
  readonly current_tool: Json;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly changed_at: Date | null;
  readonly gone_at: Date | null;
  readonly accepted_by: string | null;
  readonly observed_output_schema: Json;
}

/** What a tool was at the last sighting. */
type SightedRow = Pick<ToolRow, "name" | "current_hash" | "pinned_hash" | "gone_at">;

/** One statement may be rather large but not huge: PGlite holds it several times in a memory that never shrinks. */
const BATCH_CHARS = 4_000_000;
const BATCH_TOOLS = 500;

const COLUMNS = `server, name, pinned_hash, pinned_tool, current_hash, current_tool,
  first_seen_at, last_seen_at, changed_at, gone_at, accepted_by, observed_output_schema`;

/** Locked by name, so that gateways that observe one server come one after the other and cannot deadlock. */
const BEFORE = sql("tool_schema_before")`
    select name, pinned_hash, current_hash, gone_at from tool_schema where server = $1
     order by name for no key update`;

const GONE = sql("tool_schema_gone")`
    update tool_schema set gone_at = now() where server = $1 and name = any ($2::text[])`;

/** Newer sightings of another gateway are not overwritten. */
const ACCEPT = sql("tool_schema_accept")`
    update tool_schema set pinned_hash = $3, pinned_tool = $4::json, accepted_by = $5, accepted_at = now(),
      current_hash = case when current_hash <> $3 then current_hash end,
      current_tool = case when current_hash <> $3 then current_tool end,
      changed_at   = case when current_hash <> $3 then changed_at end,
      observed_output_schema = case when current_hash is not null then observed_output_schema end
    where server = $1 and name = $2 and pinned_hash = $6`;

const OBSERVE = sql("tool_schema_observe")`
    insert into tool_schema as kept (server, name, pinned_hash, pinned_tool)
    select $1, seen.name, seen.hash, seen.tool::json
      from unnest($2::text[], $3::text[], $4::text[]) as seen (name, hash, tool)
    on conflict (server, name) do update set
      last_seen_at = now(), gone_at = null,
      observed_output_schema = case when excluded.pinned_hash = coalesce(kept.current_hash, kept.pinned_hash)
        then kept.observed_output_schema end,
      current_hash = case when excluded.pinned_hash <> kept.pinned_hash then excluded.pinned_hash end,
      current_tool = case when excluded.pinned_hash <> kept.pinned_hash then excluded.pinned_tool end,
      changed_at   = case when excluded.pinned_hash <> kept.pinned_hash then coalesce(kept.changed_at, now()) end
    returning ${COLUMNS}`;

const LIST = sql("tool_schema_list")`select ${COLUMNS} from tool_schema order by server, name`;

/** Locked, so that of two gateways that learn at the same time the second adds to what the first has written. */
const OUTPUT = sql("tool_schema_output")`select observed_output_schema from tool_schema
     where server = $1 and name = $2 and coalesce(current_hash, pinned_hash) = $3 for no key update`;

const KEEP_OUTPUT = sql("tool_schema_keep_output")`
    update tool_schema set observed_output_schema = $3::json where server = $1 and name = $2`;

/** {@link ToolStore} on table `tool_schema`. */
export class PostgresToolStore extends OnDatabase implements ToolStore {
  readonly #ahead: LearnAhead | undefined;

  constructor(database: Database, ahead?: LearnAhead) {
    super(database);
    this.#ahead = ahead;
  }

  async observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<Observed> {
    return await storeAction(`pin the tools of server "${server}"`, () =>
      changeNames(this.database, this.#ahead, async (transaction) => {
        const { rows: before } = await transaction.query<SightedRow>(BEFORE, [server]);
        const pins = new Map<string, ToolPin>();
        for (const batch of batches(inLockOrder(sightings))) {
          const { rows } = await transaction.query<ToolRow>(OBSERVE, [
            server,
            batch.map(({ name }) => name),
            batch.map(({ hash }) => hash),
            batch.map(({ tool }) => tool),
          ]);
          for (const row of rows) {
            const pin = toPin(row);
            pins.set(pin.name, pin);
          }
        }
        const news = newsOf(before, pins);
        if (news.gone.length > 0) await transaction.query(GONE, [server, news.gone.map(toSqlText)]);
        const idsOf = (names: readonly string[]) => names.map((name) => toolId(server, name));
        const touched = await applyToolNews(transaction, {
          changed: idsOf(news.changed),
          unchanged: idsOf(news.unchanged),
          gone: idsOf(news.gone),
          back: idsOf(news.back),
        });
        return {
          pins: sightings.flatMap(({ name }) => pins.get(name) ?? []),
          changed: news.other,
          gone: news.gone,
          touched,
        };
      }),
    );
  }

  async accept({ server, tool, pinnedHash, acceptedBy }: Acceptance): Promise<readonly Fqdn[] | undefined> {
    const { name, hash } = tool;
    return await storeAction(`accept a tool of server "${server}"`, () =>
      changeNames(this.database, this.#ahead, async (transaction) => {
        const { rowCount } = await transaction.query(ACCEPT, [
          server,
          toSqlText(name),
          hash,
          JSON.stringify(tool.tool),
          toSqlText(acceptedBy),
          pinnedHash,
        ]);
        return rowCount === 0 ? undefined : await acceptTool(transaction, toolId(server, name));
      }),
    );
  }

  async list(): Promise<readonly ToolPin[]> {
    return await storeAction("list the pinned tools", async () => {
      const { rows } = await this.database.query<ToolRow>(LIST);
      return rows.map(toPin);
    });
  }

  async before(fqdn: Fqdn, version: number): Promise<ReadonlyMap<ToolId, Json>> {
    return await storeAction("read what changed tools were", async () => {
      const { rows } = await this.database.query<{ readonly tool_id: string; readonly tool: Json }>(
        BEFORE_TROUBLE,
        [fqdn, version],
      );
      return new Map(rows.map(({ tool_id, tool }) => [fromSqlText(tool_id) as ToolId, tool]));
    });
  }

  async learnOutput(
    server: ServerName,
    { name, hash }: Pick<ToolSighting, "name" | "hash">,
    seen: ObservedSchema,
  ): Promise<ObservedSchema | undefined> {
    const key = [server, toSqlText(name)];
    return await storeAction(`save the result shape of a tool of "${server}"`, () =>
      this.database.transaction(async (transaction) => {
        const { rows } = await transaction.query<Pick<ToolRow, "observed_output_schema">>(OUTPUT, [
          ...key,
          hash,
        ]);
        const [row] = rows;
        if (row === undefined) return undefined;
        const known = row.observed_output_schema;
        const all = isObserved(known) ? merge(known, seen) : seen;
        const text = JSON.stringify(all);
        if (text !== JSON.stringify(known)) await transaction.query(KEEP_OUTPUT, [...key, text]);
        return all;
      }),
    );
  }
}

/** Names of tools by what they are now and were before. */
function newsOf(before: readonly SightedRow[], pins: ReadonlyMap<string, ToolPin>) {
  const news = {
    changed: [] as string[],
    unchanged: [] as string[],
    gone: [] as string[],
    back: [] as string[],
    /** Not the object of the last sighting. */
    other: [] as string[],
  };
  for (const row of before) {
    const name = fromSqlText(row.name);
    const pin = pins.get(name);
    if (pin === undefined) {
      if (row.gone_at === null) news.gone.push(name);
      continue;
    }
    if (row.gone_at !== null) news.back.push(name);
    if (pin.currentHash !== (row.current_hash ?? row.pinned_hash)) news.other.push(name);
    const isChanged = pin.changedAt !== undefined;
    if (isChanged !== (row.current_hash !== null)) (isChanged ? news.changed : news.unchanged).push(name);
  }
  return news;
}

interface Sighted {
  readonly name: string;
  readonly hash: string;
  /** As JSON text. */
  readonly tool: string;
}

/**
 * By name, so that two gateways that observe one server lock its rows in one order and cannot deadlock. Of a
 * tool that is listed twice the first counts: one statement cannot write a row twice.
 */
function inLockOrder(sightings: readonly ToolSighting[]): readonly Sighted[] {
  const byName = new Map<string, Sighted>();
  for (const { name, hash, tool } of sightings) {
    const key = toSqlText(name);
    if (!byName.has(key)) byName.set(key, { name: key, hash, tool: JSON.stringify(tool) });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function* batches(sighted: readonly Sighted[]): Generator<readonly Sighted[]> {
  let batch: Sighted[] = [];
  let chars = 0;
  for (const one of sighted) {
    if (batch.length === BATCH_TOOLS || (batch.length > 0 && chars + one.tool.length > BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(one);
    chars += one.tool.length;
  }
  if (batch.length > 0) yield batch;
}

function toPin(row: ToolRow): ToolPin {
  const isChanged = row.current_hash !== null;
  return {
    server: parseServerName(row.server),
    name: fromSqlText(row.name),
    pinnedHash: row.pinned_hash,
    pinnedTool: row.pinned_tool,
    currentHash: row.current_hash ?? row.pinned_hash,
    currentTool: isChanged ? row.current_tool : row.pinned_tool,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    ...(row.changed_at === null ? {} : { changedAt: row.changed_at }),
    ...(row.gone_at === null ? {} : { goneAt: row.gone_at }),
    ...(row.accepted_by === null ? {} : { acceptedBy: fromSqlText(row.accepted_by) }),
    ...(isObserved(row.observed_output_schema) ? { observedOutput: row.observed_output_schema } : {}),
  };
}

// Table `capability_troubles`: which capabilities are worse off by tools that changed or are gone, inside a transaction
// that writes about the tools.

/**
 * All versions that use the tools: others get an older one while the newest is on trial, and a version may be rolled back
 * later. Deleted ones too: those may be brought back.
 */
const ADD = sql("capability_troubles_add")`
    insert into capability_troubles (capability_fqdn, version, tool_id, kind, before_hash)
    select stored.capability_fqdn, stored.version, tool.id, $2, pinned.pinned_hash
      from unnest($1::text[]) as tool (id)
      join tool_schema as pinned on pinned.server = split_part(tool.id, ':', 1)
       and pinned.name = substr(tool.id, strpos(tool.id, ':') + 1)
      join capability_versions as stored on stored.tools_used @> array[tool.id]
    on conflict do nothing returning capability_fqdn as fqdn`;

/** What capabilities know of these tools, before the pins move on. */
const KEEP_OBJECTS = sql("tool_objects_keep")`
    insert into tool_objects (hash, tool)
    select pinned.pinned_hash, pinned.pinned_tool
      from unnest($1::text[]) as tool (id)
      join tool_schema as pinned on pinned.server = split_part(tool.id, ':', 1)
       and pinned.name = substr(tool.id, strpos(tool.id, ':') + 1)
    on conflict do nothing`;

const BEFORE_TROUBLE = sql("tool_objects_before")`
    select trouble.tool_id, object.tool from capability_troubles as trouble
      join tool_objects as object on object.hash = trouble.before_hash
     where trouble.capability_fqdn = $1 and trouble.version = $2 order by trouble.tool_id`;

/**
 * An accepted change stays recorded when the tool returns to its accepted form, because no run has proven the
 * capability yet.
 */
const END = sql("capability_troubles_end")`delete from capability_troubles
    where tool_id = any ($1::text[]) and kind = $2 and accepted_at is null returning capability_fqdn as fqdn`;

const ACCEPT_CHANGED = sql("capability_troubles_accept")`update capability_troubles set accepted_at = now()
    where tool_id = $1 and kind = 'changed' and accepted_at is null returning capability_fqdn as fqdn`;

/** Locked in the same order as in the statements that count uses. */
const TOUCH = sql("capability_troubles_touch")`
    update capability_records set revision = revision + 1 where id in (
      select id from capability_records where id = any ($1::text[]) order by id for no key update)`;

interface Touched {
  readonly fqdn: Fqdn;
}

/** Tools by what has become of them. */
interface ToolNews {
  readonly changed: readonly ToolId[];
  /** As pinned again. */
  readonly unchanged: readonly ToolId[];
  readonly gone: readonly ToolId[];
  readonly back: readonly ToolId[];
}

/** Answers the capabilities that are trusted otherwise now. */
async function applyToolNews(transaction: Queryable, news: ToolNews): Promise<readonly Fqdn[]> {
  const steps: readonly (readonly [NamedStatement, readonly ToolId[], ToolTrouble["kind"]])[] = [
    [ADD, news.changed, "changed"],
    [END, news.unchanged, "changed"],
    [ADD, news.gone, "gone"],
    [END, news.back, "gone"],
  ];
  const touched = new Set<Fqdn>();
  for (const [statement, tools, kind] of steps) {
    if (tools.length === 0) continue;
    if (statement === ADD) await transaction.query(KEEP_OBJECTS, [tools.map(toSqlText)]);
    const { rows } = await transaction.query<Touched>(statement, [tools.map(toSqlText), kind]);
    for (const { fqdn } of rows) touched.add(fqdn);
  }
  return await touch(transaction, touched);
}

/** The capabilities that have to succeed with the tool before they are trusted as before. */
async function acceptTool(transaction: Queryable, tool: ToolId): Promise<readonly Fqdn[]> {
  const { rows } = await transaction.query<Touched>(ACCEPT_CHANGED, [toSqlText(tool)]);
  return await touch(transaction, new Set(rows.map(({ fqdn }) => fqdn)));
}

/** Caches of capabilities treat the higher revision as the later state. */
async function touch(transaction: Queryable, fqdns: ReadonlySet<Fqdn>): Promise<readonly Fqdn[]> {
  const touched = [...fqdns].sort((a, b) => (a < b ? -1 : 1));
  if (touched.length > 0) await transaction.query(TOUCH, [touched]);
  return touched;
}
