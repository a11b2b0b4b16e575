/**
 * Reads all rows of a store as texts, and writes them back: for backups, and to move a store from one database to
 * another.
 *
 * Values are in the text format of PostgreSQL, which every version and PGlite read in the same way: nothing is lost or
 * rounded. Rows that concern only running gateways are excluded: announced changes, who curates, and who may connect. A
 * token that was revoked after a backup must not come back with it. Sign-ins to servers are excluded as well: a refresh
 * token is valid for one use, and using it again ends the sign-in everywhere.
 *
 * @module
 */
import type { Database, Queryable } from "./database.js";
import { checksumsOf, type Migration, migrate, readLedger } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { storeAction, storeFailed } from "./sql-error.js";

/** One value per column, in the order of the table's columns. */
export type TextRow = readonly (string | null)[];

export interface TableColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The applied migrations of a store, in order. */
export interface SchemaStep {
  readonly id: string;
  readonly checksum: string;
}

export interface RowReader {
  /** Called before any rows. */
  start(schema: readonly SchemaStep[], tables: readonly TableColumns[]): Promise<void>;
  rows(table: number, rows: readonly TextRow[]): Promise<void>;
}

const RUNNING = new Set(["change_log", "change_mark", "curation_runs", "access_tokens", "sign_ins"]);
const PAGE_CHARS = 1_048_576;
const PAGE_ROWS = 1_000;
const CREATED = /create table (\w+)/g;

/** All tables; each comes after the tables that it refers to. */
function tablesOf(migrations: readonly Migration[]): readonly string[] {
  const text = migrations.flatMap(({ statements }) => statements).join("\n");
  return [...text.matchAll(CREATED)].map(([, name = ""]) => name).filter((name) => !RUNNING.has(name));
}

/** Reads everything in one snapshot. An embedded store answers nothing else meanwhile. */
export async function readRows(database: Database, reader: RowReader): Promise<void> {
  await storeAction("read the store", () =>
    database.transaction(async (transaction) => {
      await transaction.query("set transaction isolation level repeatable read, read only");
      await plainTexts(transaction);
      const ledger = await readLedger(transaction);
      refuseNewer([...ledger.keys()].filter((id) => !MIGRATIONS.some((known) => known.id === id)));
      const schema = MIGRATIONS.flatMap(({ id }) => {
        const checksum = ledger.get(id)?.checksum;
        return checksum === undefined ? [] : [{ id, checksum }];
      });
      const tables: TableColumns[] = [];
      for (const table of tablesOf(MIGRATIONS.slice(0, schema.length))) {
        const columns = await columnsOf(transaction, table);
        tables.push({ table, columns: columns.map(({ name }) => name) });
      }
      await reader.start(schema, tables);
      for (const [index, one] of tables.entries())
        await readTable(transaction, one, (rows) => reader.rows(index, rows));
    }),
  );
}

/** Makes the texts of dates and numbers independent of the session's settings. */
async function plainTexts(transaction: Queryable): Promise<void> {
  for (const setting of ["timezone = 'UTC'", "datestyle = 'ISO'", "extra_float_digits = 1"])
    await transaction.query(`set local ${setting}`);
}

async function columnsOf(queryable: Queryable, table: string) {
  const { rows } = await queryable.query<{ readonly name: string; readonly type: string }>(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident($1))
        and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows;
}

/** Reads pages of about the same size in bytes, however large the rows are. */
async function readTable(
  transaction: Queryable,
  { table, columns }: TableColumns,
  take: (rows: readonly TextRow[]) => Promise<void>,
): Promise<void> {
  const texts = columns.map((name, at) => `${name}::text as c${at}`).join(", ");
  await transaction.query(`declare pml_rows no scroll cursor for select ${texts} from ${table}`);
  for (let count = 1; ; ) {
    const { rows } = await transaction.query<Record<string, string | null>>(`fetch ${count} from pml_rows`);
    if (rows.length === 0) break;
    const page = rows.map((row) => columns.map((_, at) => row[`c${at}`] ?? null));
    await take(page);
    const chars = page.reduce((sum, row) => sum + charsOf(row), 0);
    count = Math.min(PAGE_ROWS, count * 4, Math.max(1, Math.floor((PAGE_CHARS * rows.length) / chars)));
  }
  await transaction.query("close pml_rows");
}

export function charsOf(row: TextRow): number {
  return row.reduce((sum, value) => sum + 1 + (value?.length ?? 0), 0);
}

function refuseNewer(unknown: readonly string[]): void {
  if (unknown.length === 0) return;
  throw storeFailed("use this data", `a newer PML has written it (${unknown.join(", ")})`, {
    hint: "Use the newer PML.",
  });
}

/** Returns how many of PML's migrations a schema has. Throws if they are not migrations of this build. */
export async function knownSteps(schema: readonly SchemaStep[]): Promise<number> {
  const checksums = await checksumsOf(MIGRATIONS);
  refuseNewer(schema.filter(({ id }) => !checksums.has(id)).map(({ id }) => id));
  const isKnown = schema.every(
    ({ id, checksum }, at) => MIGRATIONS[at]?.id === id && checksums.get(id) === checksum,
  );
  if (!isKnown || schema.length === 0)
    throw storeFailed("use this data", "its schema belongs to no version of PML", {
      hint: "A development build wrote it; use that build.",
    });
  return schema.length;
}

/** Brings an embedded store without rows to an earlier schema. */
export async function makeSchema(database: Database, steps: number): Promise<void> {
  if (steps === MIGRATIONS.length) return;
  await database.query("drop schema public cascade");
  await database.query("create schema public");
  await migrate(database, MIGRATIONS.slice(0, steps));
}

/** Rows that the migrations create, by table; a table comes after those that refer to it. */
const BUILT_IN: Readonly<Record<string, string>> = {
  server_versions: "record_id like 'pml.std.%'",
  capability_records: "org = 'pml' and project = 'std'",
};

/** Throws if a store has rows that no migration created. */
export async function refuseRows(queryable: Queryable): Promise<void> {
  for (const table of await existing(queryable)) {
    const isOwn = BUILT_IN[table] ?? "false";
    const { rows } = await queryable.query(`select 1 from ${table} where not (${isOwn}) limit 1`);
    if (rows.length > 0)
      throw storeFailed("restore into this store", `it is not empty: ${table} has rows`, {
        hint: "Name an empty database in store.url, or an empty schema: ?options=-csearch_path%3DNAME.",
      });
  }
}

async function existing(queryable: Queryable): Promise<readonly string[]> {
  const { rows } = await queryable.query<{ readonly name: string }>(
    "select tablename::text as name from pg_tables where schemaname = current_schema()",
  );
  const names = new Set(rows.map(({ name }) => name));
  return tablesOf(MIGRATIONS).filter((table) => names.has(table));
}

/** The incoming rows include those that migrations created. */
async function removeBuiltIn(transaction: Queryable): Promise<void> {
  const tables = new Set(await existing(transaction));
  for (const [table, isOwn] of Object.entries(BUILT_IN)) {
    if (!tables.has(table)) continue;
    await transaction.query(`alter table ${table} disable trigger user`);
    await transaction.query(`delete from ${table} where ${isOwn}`);
    await transaction.query(`alter table ${table} enable trigger user`);
  }
}

/** Writes rows into an empty store in one transaction, which is committed after `work`. */
export async function writeRows(
  database: Database,
  work: (write: (table: TableColumns, rows: readonly TextRow[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  await storeAction("write to the store", () =>
    database.transaction(async (transaction) => {
      await plainTexts(transaction);
      await refuseRows(transaction);
      await removeBuiltIn(transaction);
      const selfReferences = await dropSelfReferences(transaction);
      const inserts = new Map<string, string>();
      await work(async (one, rows) => {
        const statement = inserts.get(one.table) ?? (await insertInto(transaction, one));
        inserts.set(one.table, statement);
        await transaction.query(
          statement,
          one.columns.map((_, at) => rows.map((row) => row[at] ?? null)),
        );
      });
      for (const statement of [...selfReferences, ...(await sequences(transaction))])
        await transaction.query(statement);
    }),
  );
}

async function insertInto(transaction: Queryable, { table, columns }: TableColumns): Promise<string> {
  const types = new Map((await columnsOf(transaction, table)).map(({ name, type }) => [name, type]));
  const unknown = columns.filter((name) => !types.has(name));
  if (!tablesOf(MIGRATIONS).includes(table) || unknown.length > 0)
    throw storeFailed("write to the store", `the store has no place for ${table} (${unknown.join(", ")})`);
  const values = columns.map((name, at) => `c${at}::${types.get(name)}`);
  const given = columns.map((_, at) => `$${at + 1}::text[]`);
  const names = columns.map((_, at) => `c${at}`);
  return `insert into ${table} (${columns.join(", ")}) overriding system value
    select ${values.join(", ")} from unnest(${given.join(", ")}) as given (${names.join(", ")})`;
}

/**
 * A row may come before the row of the same table that it refers to. Returns the statements that restore the
 * constraints.
 */
async function dropSelfReferences(transaction: Queryable): Promise<readonly string[]> {
  const { rows } = await transaction.query<Record<"table" | "name" | "definition", string>>(
    `select relname::text as table, conname::text as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_class t on t.oid = c.conrelid
      where c.contype = 'f' and c.conrelid = c.confrelid
        and c.connamespace = to_regnamespace(quote_ident(current_schema()))`,
  );
  for (const { table, name } of rows) await transaction.query(`alter table ${table} drop constraint ${name}`);
  return rows.map(
    ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
  );
}

/** Moves the sequences on, so that used numbers are not given again. */
async function sequences(transaction: Queryable): Promise<readonly string[]> {
  const { rows } = await transaction.query<Record<"table" | "column", string>>(
    `select table_name::text as table, column_name::text as column from information_schema.columns
      where table_schema = current_schema() and is_identity = 'YES'`,
  );
  return rows.map(
    ({ table, column }) =>
      `select setval(pg_get_serial_sequence('${table}', '${column}'), max(${column})) from ${table} having max(${column}) is not null`,
  );
}
