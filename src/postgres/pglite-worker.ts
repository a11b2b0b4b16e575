/**
 * The worker thread that runs PGlite: PostgreSQL blocks the thread that calls it, and the gateway's main thread must
 * stay free. It runs one statement after the other; the main thread manages turns and transactions.
 *
 * `pg` connects to PGlite through PGlite's own adapter. That gives named statements (half the time of a lookup) and the
 * same type parsers as the other driver. Nothing else may use the PGlite instance at the same time: mixing the adapter
 * with native queries has broken the protocol.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import pg from "pg";
import { messageOf } from "../base/pml-error.js";
import type { NamedStatement } from "./database.js";
import { DirectoryRefused, markDirectory, prepareDirectory } from "./pglite-directory.js";
import type { FromWorker, ToWorker, WorkerSettings } from "./pglite-protocol.js";
import { sqlErrorShape } from "./sql-error.js";
import { pgStatement, SQL_TYPES } from "./sql-types.js";

/**
 * The complete postgresql.conf: PGlite writes it at each start. 16 MB of buffers halve the idle memory without slower
 * lookups; more than 64 MB of WAL brings nothing without fsync. The store has one gateway, so no other gateway reads
 * the change log. A statement is planned once, not for each of its first five values: planning is slow in WebAssembly,
 * and without statistics the values make no difference.
 */
const POSTGRESQL_CONF = [
  "shared_buffers=16MB",
  "max_wal_size=64MB",
  "min_wal_size=2MB",
  "timezone=UTC",
  "pml.feed=off",
  "plan_cache_mode=force_generic_plan",
];
/** Segments of 1 MB instead of 16 MB: each project's data directory is 10 MB smaller. */
const INITDB = ["--wal-segsize=1"];

const port = parentPort;
if (port === null) throw new Error("pglite-worker is started as a worker thread");
const say = (message: FromWorker): void => port.postMessage(message);

try {
  const { origin, client, close } = await open(workerData as WorkerSettings);
  port.on("message", (message: ToWorker) => {
    // Each branch sends its own answer and never rejects; `pg` queues statements in the order of arrival.
    if (message.kind === "query") void run(client, message);
    else void close();
  });
  say({ kind: "ready", origin });
} catch (thrown) {
  const hint = thrown instanceof DirectoryRefused ? thrown.hint : undefined;
  say({ kind: "refused", why: messageOf(thrown), ...(hint === undefined ? {} : { hint }) });
  port.close();
}

async function open(settings: WorkerSettings) {
  const origin = await prepareDirectory(settings, async (directory) => {
    const cluster = await PGlite.create(directory, {
      postgresqlconf: POSTGRESQL_CONF,
      initDbStartParams: INITDB,
    });
    await cluster.close();
  });
  const pglite = await PGlite.create(settings.directory, { postgresqlconf: POSTGRESQL_CONF });
  markDirectory(settings.directory);
  const client = new pg.Client(Object.assign(createPgConfig(pglite), { types: SQL_TYPES }));
  await client.connect();
  const close = async (): Promise<void> => {
    try {
      await client.end();
      await pglite.close();
    } finally {
      // Nothing else keeps the thread alive.
      port?.close();
    }
  };
  return { origin, client, close };
}

/** Texts of named statements that the main thread has sent. */
const texts = new Map<string, string>();

function whole(statement: Extract<ToWorker, { kind: "query" }>["statement"]): string | NamedStatement {
  if (typeof statement === "string") return statement;
  const { name, text = texts.get(name) } = statement;
  if (text === undefined) throw new Error(`The statement ${name} has no text`);
  texts.set(name, text);
  return { name, text };
}

async function run(client: pg.Client, message: Extract<ToWorker, { kind: "query" }>): Promise<void> {
  const { id, values } = message;
  try {
    const { rows, rowCount, command } = await client.query<object & pg.QueryResultRow>(
      pgStatement(whole(message.statement), values),
    );
    say({ kind: "rows", id, rows, rowCount: rowCount ?? 0, command });
  } catch (thrown) {
    const error = sqlErrorShape(thrown);
    say(
      error === undefined
        ? { kind: "failed", id, message: messageOf(thrown) }
        : { kind: "sql-error", id, error },
    );
  }
}
