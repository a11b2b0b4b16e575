/**
 * The tables for vectors: one for each model and collection, so that vectors of two models cannot be mixed, and the
 * type of the column refuses a wrong length.
 *
 * They are created on first use and not by a migration: whether the extension pgvector is available depends on the
 * server, and may change.
 *
 * @module
 */

import { sha256 } from "../base/sha256.js";
import type { VectorSpaceName } from "../discovery/vector-index.js";
import type { Database, NamedStatement, Queryable } from "./database.js";
import { SqlError } from "./sql-error.js";
import { toSqlText } from "./sql-text.js";

export interface VectorSpaceOptions extends VectorSpaceName {
  readonly database: Database;
}

export interface VectorSpace {
  readonly table: string;
  /** The schema of pgvector, quoted: it need not be in the search_path. */
  readonly schema: string;
}

/** The indexes of pgvector support no more dimensions. */
const DIMENSIONS_MOST = 2_000;
/** Since 0.8, scans of an index continue until enough is found. */
const OLDEST_VERSION = [0, 8] as const;
/** Any number, but the same in every PML ("vec" in ASCII). */
const CREATION_LOCK = 0x76_65_63;
/** Tables of models that were not used for this long are dropped. */
const FORGET_DAYS = 30;

/** The database cannot have vector tables. This is not an error: vectors are then searched in memory. */
export interface NoVectorSpace {
  /** The reason, as half a sentence. */
  readonly problem: string;
}

export async function openVectorSpace(options: VectorSpaceOptions): Promise<VectorSpace | NoVectorSpace> {
  const { database, dimensions } = options;
  if (!(dimensions >= 1 && dimensions <= DIMENSIONS_MOST))
    return {
      problem: `pgvector indexes vectors of at most ${DIMENSIONS_MOST} dimensions, and these have ${dimensions}`,
    };
  const extension = await openExtension(database);
  if ("problem" in extension) return extension;
  const { schema } = extension;
  const table = tableOf(options);
  await database.transaction(async (transaction) => {
    if (database.kind === "postgres")
      await transaction.query("select pg_advisory_xact_lock($1)", [CREATION_LOCK]);
    await transaction.query(`create table if not exists vector_space (
      name       text        primary key,
      model      text        not null,
      collection text        not null,
      dimensions integer     not null,
      used_at    timestamptz not null default now()
    )`);
    await transaction.query(
      `insert into vector_space (name, model, collection, dimensions) values ($1, $2, $3, $4)
       on conflict (name) do update set used_at = now()`,
      [table, toSqlText(options.model), toSqlText(options.collection), dimensions],
    );
    await transaction.query(`create table if not exists ${table} (
      id        uuid        primary key,
      used_at   timestamptz not null default now(),
      embedding ${schema}.vector(${dimensions}) not null
    )`);
    await dropForgotten(transaction);
  });
  return { table, schema };
}

/** Letters and digits only, so that it is safe in a statement. */
function tableOf({ model, collection, dimensions }: VectorSpaceOptions): string {
  const text = JSON.stringify([model, collection, dimensions]);
  return `vector_item_${sha256(text).slice(0, 24)}`;
}

/** The reason why pgvector cannot be used, as far as reading can tell; this does not create it. */
export async function extensionProblem(database: Database): Promise<string | undefined> {
  const found = await findExtension(database);
  if (found === undefined) return "PostgreSQL does not have the extension pgvector";
  if (found.version !== null)
    return isOlder(found.version)
      ? `pgvector ${found.version} is older than ${OLDEST_VERSION.join(".")}`
      : undefined;
  return found.creatable ? undefined : "this user may not create the extension pgvector";
}

async function openExtension(database: Database): Promise<{ readonly schema: string } | NoVectorSpace> {
  const problem = await extensionProblem(database);
  if (problem !== undefined) return { problem };
  try {
    await database.query("create extension if not exists vector");
  } catch (thrown) {
    // It was refused, or another gateway has created it at the same moment.
    if (!(thrown instanceof SqlError)) throw thrown;
    if ((await findExtension(database))?.version == null)
      return { problem: `pgvector could not be created: ${thrown.message}` };
  }
  const { schema } = (await findExtension(database)) ?? {};
  return schema == null ? { problem: "PostgreSQL does not have the extension pgvector" } : { schema };
}

interface Extension {
  /** Null if it is not created yet. */
  readonly version: string | null;
  readonly schema: string | null;
  /** Whether this user may create it. */
  readonly creatable: boolean;
}

async function findExtension(database: Database): Promise<Extension | undefined> {
  const { rows } = await database.query<Extension>(
    `select extversion as version, quote_ident(nspname) as schema,
            (select rolsuper from pg_roles where rolname = current_user)
              or (coalesce(trusted, false) and has_database_privilege(current_database(), 'create')) as creatable
       from pg_available_extensions as available
       left join pg_available_extension_versions as newest
         on newest.name = available.name and newest.version = available.default_version
       left join pg_extension on extname = available.name
       left join pg_namespace on pg_namespace.oid = extnamespace
      where available.name = 'vector'`,
  );
  return rows[0];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

async function dropForgotten(transaction: Queryable): Promise<void> {
  const { rows } = await transaction.query<{ readonly name: string }>(
    "delete from vector_space where used_at < now() - make_interval(days => $1) returning name",
    [FORGET_DAYS],
  );
  for (const { name } of rows) await transaction.query(`drop table if exists ${name}`);
}

/** An unused row is deleted after this many days. */
const ROW_DAYS = 30;
/** A row in use is marked again only after this time, so that not every read causes a write. */
const MARK_DAYS = 15;
/** A row that one gateway has released stays this long, so that other gateways that use it can mark it. */
const LET_GO_DAYS = 2;

/**
 * Measured with 50,000 vectors: of the ten nearest, 92 % were right with 40, the default of pgvector, and 97 % with
 * 100.
 */
const SEARCH_SETTINGS = {
  "hnsw.ef_search": "200",
  "hnsw.iterative_scan": "strict_order",
  "hnsw.max_scan_tuples": "100000",
};

export type VectorStatements = ReturnType<typeof vectorStatements>;

export function vectorStatements({ table, schema }: VectorSpace) {
  const cosine = `-(embedding operator(${schema}.<#>) $1::${schema}.vector)`;
  const named = (name: string, text: string): NamedStatement => ({ name: `${table}_${name}`, text });
  return {
    // Ordered, so that two gateways that write the same vectors do not deadlock.
    put: named(
      "put",
      `insert into ${table} as old (id, embedding)
       select one.id, one.embedding::${schema}.vector
         from unnest($1::uuid[], $2::text[]) as one (id, embedding) order by one.id
       on conflict (id) do update set used_at = now()`,
    ),
    /** Returns the ids that exist and marks them as used. Rows that are deleted at the same moment are not returned. */
    use: named(
      "use",
      `with asked as (
         select id from ${table} where id = any($1::uuid[]) and used_at < now() - interval '${MARK_DAYS} days'
          order by id for update),
       used as (update ${table} as old set used_at = now() from asked where old.id = asked.id returning old.id)
       select id from used
       union all
       select id from ${table} where id = any($1::uuid[]) and used_at >= now() - interval '${MARK_DAYS} days'`,
    ),
    letGo: named(
      "let_go",
      `with gone as (select id from ${table} where id = any($1::uuid[]) order by id for update)
       update ${table} as old set used_at = least(used_at, now() - interval '${ROW_DAYS - LET_GO_DAYS} days')
         from gone where old.id = gone.id`,
    ),
    /** A space that is not marked as used is dropped later. */
    useSpace: named("use_space", `update vector_space set used_at = now() where name = '${table}'`),
    prune: named("prune", `delete from ${table} where used_at < now() - interval '${ROW_DAYS} days'`),
    some: named("some", `select id, ${cosine} as cosine from ${table} where id = any($2::uuid[])`),
    near: named(
      "near",
      `select id, ${cosine} as cosine from ${table}
        order by embedding operator(${schema}.<#>) $1::${schema}.vector limit $2`,
    ),
    sample: named("sample", `select id, ${cosine} as cosine from ${table} tablesample system ($2::real)`),
    rows: named("rows", `select id, embedding::text as numbers from ${table} where id = any($1::uuid[])`),
    settings: { name: "vector_search_settings", text: settingsText(SEARCH_SETTINGS) },
    /**
     * Runs in one transaction. An index that exceeds the memory limit is built many times slower, so the limit is
     * raised. Parallel workers would need as much shared memory, which containers do not have.
     */
    build: [
      `select set_config('maintenance_work_mem', greatest(setting::bigint, 262144)::text || 'kB', true),
              set_config('max_parallel_maintenance_workers', '0', true),
              set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)
         from pg_settings where name = 'maintenance_work_mem'`,
      `create index if not exists ${table}_near on ${table} using hnsw (embedding ${schema}.vector_ip_ops)`,
      `analyze ${table}`,
    ],
    isBuilt: `select to_regclass('${table}_near') is not null as built`,
  };
}

function settingsText(settings: Readonly<Record<string, string>>): string {
  return `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(", ")}`;
}
