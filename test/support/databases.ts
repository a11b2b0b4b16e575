/**
 * The databases that every store suite runs on. Each `open` gives an empty schema of its own on a database that
 * the test file keeps open: a new schema costs nothing, a new PGlite costs most of a second.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject } from "vitest";
import { silentLog } from "../../src/base/log.js";
import type { Database } from "../../src/postgres/database.js";
import { openPostgres } from "../../src/postgres/pg-driver.js";
import { openPglite } from "../../src/postgres/pglite-driver.js";
import type { PostgresMajor } from "./postgres-server.js";
import { IS_FULL } from "./sizes.js";

export interface TestDatabase {
  readonly name: string;
  /** A database whose search_path is a new and empty schema. It is closed at the end of the test file. */
  open(): Promise<Database>;
  /** Another way into the schema that was opened last: a second pool, or the same PGlite, which has one way in. */
  openAgain(): Promise<Database>;
}

/** The oldest PostgreSQL in the full size only. */
export const DATABASES: readonly TestDatabase[] = [
  pgliteDatabase(),
  ...(IS_FULL ? [postgresDatabase(15)] : []),
  postgresDatabase(18),
];

/** The URL of a running PostgreSQL of that major version. */
export async function postgresUrl(major: PostgresMajor): Promise<string> {
  const response = await fetch(`${inject("postgresStarter")}/${major}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** `url` with `schema` as the search_path. */
export function inSchema(url: string, schema: string): string {
  const changed = new URL(url);
  changed.searchParams.set("options", `-c search_path=${schema}`);
  return changed.href;
}

export function newSchemaName(): string {
  return `test_${randomBytes(6).toString("hex")}`;
}

/** A directory that is removed at the end of the test file. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "pml-store-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function pgliteDatabase(): TestDatabase {
  let opened: Promise<Database> | undefined;
  let directory: string | undefined;
  const open = async (): Promise<Database> => {
    directory ??= mkdtempSync(join(tmpdir(), "pml-store-"));
    opened ??= openPglite({ directory: join(directory, "pgdata"), log: silentLog });
    const database = await opened;
    const schema = newSchemaName();
    await database.query(`create schema ${schema}`);
    await database.query(`set search_path to ${schema}`);
    return database;
  };
  const openAgain = async (): Promise<Database> => (await opened) ?? (await open());
  afterAll(async () => {
    await (await opened)?.close();
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });
  return { name: "PGlite", open, openAgain };
}

function postgresDatabase(major: PostgresMajor): TestDatabase {
  const opened: Database[] = [];
  let schemaUrl: string | undefined;
  const openAgain = async (): Promise<Database> => {
    if (schemaUrl === undefined) throw new Error("openAgain comes after open");
    const database = await openPostgres(schemaUrl, silentLog);
    opened.push(database);
    return database;
  };
  const open = async (): Promise<Database> => {
    const url = await postgresUrl(major);
    const schema = newSchemaName();
    const admin = await openPostgres(url, silentLog);
    await admin.query(`create schema ${schema}`);
    await admin.close();
    schemaUrl = inSchema(url, schema);
    return await openAgain();
  };
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
  });
  return { name: `PostgreSQL ${major}`, open, openAgain };
}
