/**
 * The databases that every store suite runs on. Each `open` gives its own empty schema. A new schema costs almost
 * nothing, but a new PGlite takes most of a second, so all test files of a process share one.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
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
  /** A database whose search_path is a new and empty schema. No other test uses it before the test file has ended. */
  open(): Promise<Database>;
  /** Opens the last schema again: with a second pool, or the same PGlite, which has only one session. */
  openAgain(): Promise<Database>;
}

/** For one test file; the oldest PostgreSQL only in the full size. */
export function databases(): readonly TestDatabase[] {
  return [PGLITE, ...(IS_FULL ? [postgresDatabase(15)] : []), postgresDatabase(18)];
}

/**
 * For suites whose statements are the same on both kinds: in the usual size one server, with several connections. All
 * gateways of tests run the same statements on PGlite, and suites of statements that differ use `databases()`.
 */
export function storeDatabases(): readonly TestDatabase[] {
  return IS_FULL ? databases() : [postgresDatabase(18)];
}

/** The URL of a running PostgreSQL of that major version. */
export async function postgresUrl(major: PostgresMajor): Promise<string> {
  const response = await fetch(`${inject("postgresStarter")}/${major}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** The URL of a new and empty schema of PostgreSQL. */
export async function emptySchema(major: PostgresMajor = 18): Promise<string> {
  const url = await postgresUrl(major);
  const schema = newSchemaName();
  const admin = await openPostgres(url, silentLog);
  await admin.query(`create schema ${schema}`);
  await admin.close();
  return inSchema(url, schema);
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

/** One connection for all test files of a process; only one file uses it at a time. */
export const PGLITE: TestDatabase = { name: "PGlite", open: openPgliteSchema, openAgain: sharedPglite };
let shared: Promise<Database> | undefined;

function sharedPglite(): Promise<Database> {
  if (shared !== undefined) return shared;
  // `own-home.ts` removes it after all tests.
  const home = process.env.XDG_DATA_HOME ?? tmpdir();
  mkdirSync(home, { recursive: true });
  const directory = mkdtempSync(join(home, "store-"));
  shared = openPglite({ directory: join(directory, "pgdata"), log: silentLog });
  return shared;
}

async function openPgliteSchema(): Promise<Database> {
  const database = await sharedPglite();
  const schema = newSchemaName();
  await database.query(`create schema ${schema}`);
  await database.query(`set search_path to ${schema}`);
  return database;
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
    schemaUrl = await emptySchema(major);
    return await openAgain();
  };
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
  });
  return { name: `PostgreSQL ${major}`, open, openAgain };
}
