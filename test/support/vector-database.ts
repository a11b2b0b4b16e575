/**
 * A real PostgreSQL with pgvector: PGlite in this process, because the servers that tests start lack the extension. It
 * claims to be a server, because the gateway uses pgvector only on servers. With `PML_TEST_POSTGRES`, the URL of a
 * superuser on a server with pgvector, a new database is created there instead.
 */
import { randomBytes } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import { vector } from "@electric-sql/pglite-pgvector";
import pg from "pg";
import { afterAll } from "vitest";
import type { Database, NamedStatement, Queryable, SqlValue } from "../../src/postgres/database.js";
import { SqlError, sqlErrorShape } from "../../src/postgres/sql-error.js";
import { pgStatement, SQL_TYPES } from "../../src/postgres/sql-types.js";
import { Transactions } from "../../src/postgres/transactions.js";

/** The URL of a server with pgvector; tests use PGlite if it is missing. */
export const VECTOR_POSTGRES = process.env.PML_TEST_POSTGRES;

/** A new database on {@link VECTOR_POSTGRES}, dropped after the test file. */
export async function newVectorDatabaseUrl(server: string): Promise<string> {
  const name = `pml_vector_${randomBytes(6).toString("hex")}`;
  const admin = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await admin(`create database ${name}`);
  afterAll(() => admin(`drop database ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Closed after the test file. */
export async function openVectorDatabase(): Promise<Database> {
  if (VECTOR_POSTGRES !== undefined) {
    const url = await newVectorDatabaseUrl(VECTOR_POSTGRES);
    const client = new pg.Client({ connectionString: url, types: SQL_TYPES });
    client.on("error", () => {});
    await client.connect();
    afterAll(() => client.end());
    return new VectorDatabase(client);
  }
  const pglite = await PGlite.create({ extensions: { vector } });
  const client = new pg.Client(Object.assign(createPgConfig(pglite), { types: SQL_TYPES }));
  await client.connect();
  const database = new VectorDatabase(client);
  afterAll(async () => {
    await client.end();
    await pglite.close();
  });
  return database;
}

class VectorDatabase implements Database {
  readonly kind = "postgres";
  readonly #client: pg.Client;
  readonly #transactions = new Transactions(true);
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async query<Row extends object>(statement: string | NamedStatement, values: readonly SqlValue[] = []) {
    this.#transactions.refuseInside("query the database");
    return await this.#next(() => this.#send<Row>(statement, values));
  }

  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    this.#transactions.refuseInside("begin a transaction");
    return await this.#next(() =>
      this.#transactions.run((statement, values = []) => this.#send(statement, values), work),
    );
  }

  async close(): Promise<void> {}

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #send<Row extends object>(statement: string | NamedStatement, values: readonly SqlValue[]) {
    try {
      const answer = await this.#client.query<Row & pg.QueryResultRow>(pgStatement(statement, values));
      return { rows: answer.rows as Row[], rowCount: answer.rowCount ?? 0, command: answer.command };
    } catch (thrown) {
      const shape = sqlErrorShape(thrown);
      throw shape === undefined ? thrown : new SqlError(shape, { cause: thrown });
    }
  }
}
