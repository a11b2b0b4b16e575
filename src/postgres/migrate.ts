/**
 * Brings a database to the schema of this build: numbered migrations, forward only, each in a transaction that
 * also records it. Everything goes into the first schema of the connection's search_path.
 *
 * @module
 */
import { sha256Hex } from "../base/sha256.js";
import type { Database, Queryable } from "./database.js";
import { storeAction, storeFailed } from "./sql-error.js";

/** A step of the schema. Once released it is never edited: its checksum is in people's databases. */
export interface Migration {
  /** `NNNN-what`; migrations are applied in the order of the list, which is also the order of their ids. */
  readonly id: string;
  /** One SQL statement each, in the SQL of PostgreSQL 15. */
  readonly statements: readonly string[];
  /**
   * Whether older builds can work on a store with this migration: it only adds tables and indexes, or columns that may
   * be null or have a default. Then gateways on one server can be upgraded one by one, and a gateway of the older build
   * can restart meanwhile.
   */
  readonly isAdditive?: boolean;
}

/** Any number, but the same in every PML ("pml" in ASCII). */
const MIGRATION_LOCK = 0x70_6d_6c;

/** Applies the missing migrations and returns their ids. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  return await storeAction("migrate the store", async () => {
    const checksums = await checksumsOf(migrations);
    const applied: string[] = [];
    // Most starts have nothing to migrate, and should not wait for the lock to find that out.
    const next = (queryable: Queryable) =>
      nextMigration(queryable, migrations, checksums, database.kind === "postgres");
    let pending = (await next(database)) !== undefined;
    while (pending) {
      const id = await database.transaction(async (transaction) => {
        await takeLock(database, transaction);
        await createLedger(transaction);
        const missing = await next(transaction);
        if (missing !== undefined) await apply(transaction, missing, checksums);
        return missing?.id;
      });
      if (id !== undefined) applied.push(id);
      pending = id !== undefined;
    }
    return applied;
  });
}

export async function checksumsOf(migrations: readonly Migration[]): Promise<ReadonlyMap<string, string>> {
  const pairs = migrations.map(
    async ({ id, statements }) => [id, await sha256Hex(statements.join("\n;\n"))] as const,
  );
  return new Map(await Promise.all(pairs));
}

async function takeLock(database: Database, transaction: Queryable): Promise<void> {
  // PGlite has one session and one owner, so a lock is not needed.
  if (database.kind === "pglite") return;
  // Migrating, and waiting for another gateway that migrates, has no time limit.
  await transaction.query("set local lock_timeout = 0");
  await transaction.query("set local statement_timeout = 0");
  await transaction.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
}

async function createLedger(transaction: Queryable): Promise<void> {
  await transaction.query(`create table if not exists pml_migration (
    id         text        primary key,
    applied_at timestamptz not null default now(),
    checksum   text        not null
  )`);
  // The first builds created the table without this column.
  const { rows } = await transaction.query(
    `select 1 from pg_attribute where attname = 'additive' and not attisdropped
        and attrelid = to_regclass(quote_ident(current_schema()) || '.pml_migration')`,
  );
  if (rows.length === 0)
    await transaction.query("alter table pml_migration add column additive boolean not null default false");
}

/** Returns the first migration that is not applied yet. Throws if this build must not touch the database. */
async function nextMigration(
  queryable: Queryable,
  migrations: readonly Migration[],
  checksums: ReadonlyMap<string, string>,
  isShared: boolean,
): Promise<Migration | undefined> {
  const ledger = await readLedger(queryable);
  const unknown = [...ledger.keys()].filter((id) => !checksums.has(id));
  // Only a shared store can be upgraded while an older build uses it.
  const mayGoOn = isShared && unknown.every((id) => ledger.get(id)?.isAdditive);
  if (unknown.length > 0 && !mayGoOn) {
    throw storeFailed("open the store", `a newer PML has written to it (${unknown.join(", ")})`, {
      hint: "Use the newer PML, or another store.",
      data: { unknown },
    });
  }
  for (const [id, { checksum }] of ledger) {
    if (checksum === checksums.get(id) || !checksums.has(id)) continue;
    throw storeFailed(
      "open the store",
      `migration "${id}" was applied with different content than in this build`,
      {
        hint: "A development build created this store; use that build, or another store.",
        data: { id },
      },
    );
  }
  return migrations.find(({ id }) => !ledger.has(id));
}

export interface AppliedMigration {
  readonly checksum: string;
  readonly isAdditive: boolean;
}

/** Returns the applied migrations by id; empty if the schema is still empty. */
export async function readLedger(queryable: Queryable): Promise<ReadonlyMap<string, AppliedMigration>> {
  const { rows: where } = await queryable.query<{ schema: string | null; ledger: boolean }>(
    `select current_schema() as schema,
            to_regclass(quote_ident(current_schema()) || '.pml_migration') is not null as ledger`,
  );
  const [place] = where;
  if (place === undefined || place.schema === null) {
    throw storeFailed("open the store", "no schema of the connection's search_path exists", {
      hint: "Create the schema, or remove search_path from store.url.",
    });
  }
  if (!place.ledger) return new Map();
  // Read through JSON, because the oldest tables lack the column.
  const { rows } = await queryable.query<{ id: string; checksum: string; additive: string | null }>(
    "select id, checksum, to_jsonb(pml_migration) ->> 'additive' as additive from pml_migration order by id",
  );
  return new Map(
    rows.map(({ id, checksum, additive }) => [id, { checksum, isAdditive: additive === "true" }]),
  );
}

async function apply(
  transaction: Queryable,
  { id, statements, isAdditive = false }: Migration,
  checksums: ReadonlyMap<string, string>,
): Promise<void> {
  for (const statement of statements) await transaction.query(statement);
  await transaction.query("insert into pml_migration (id, checksum, additive) values ($1, $2, $3)", [
    id,
    checksums.get(id) ?? "",
    isAdditive,
  ]);
}
