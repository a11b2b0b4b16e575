import type { NamedStatement } from "./database.js";
import type { VectorSpace } from "./pgvector-space.js";

/** An unused row is deleted after this many days. */
const ROW_DAYS = 30;
/** A row that is used is marked when it was not for so long: what is read should not be written each time. */
const MARK_DAYS = 15;
/** A row that one gateway has let go stays for so long, in which others that use it say so. */
const LET_GO_DAYS = 2;

/** Of 50,000, ten were right .92 of the time with 40, which is what pgvector takes by itself, and .97 with 100. */
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
    // In order, so that two gateways that write the same vectors do not wait for each other.
    put: named(
      "put",
      `insert into ${table} as old (id, embedding)
       select one.id, one.embedding::${schema}.vector
         from unnest($1::uuid[], $2::text[]) as one (id, embedding) order by one.id
       on conflict (id) do update set used_at = now()`,
    ),
    /** Those that are there, which are marked as used. What is deleted at the same moment is not among them. */
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
    /** A space that is not marked as used is dropped. */
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
    /** In one transaction: what is larger than the memory it may take is built many times as slowly, and workers would
     * need as much shared memory, which containers do not have. */
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
