/** Embedded stores that answer new code before they have it, one database for all tests of a file. */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Log, silentLog } from "../../src/base/log.js";
import { PostgresCapabilityStore } from "../../src/postgres/capability-store.js";
import type { Database, NamedStatement, SqlValue } from "../../src/postgres/database.js";
import { LearnAhead } from "../../src/postgres/learn-ahead.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { PendingRows } from "../../src/postgres/pending-rows.js";
import type { ExpectedCode, NewCapability } from "../../src/registry/capability-store.js";
import type { Scope } from "../../src/registry/scope.js";
import { sign } from "../suites/capability-samples.js";
import { PGLITE, scratchDirectory } from "./databases.js";

export const pendingText = (directory: string) => readFileSync(join(directory, "pml-pending.jsonl"), "utf8");
export const never = new Promise<never>(() => {});

/** Before a capability is written, what `before` returns is awaited. Otherwise statements stay in their order. */
export function withGate(database: Database, before: () => Promise<void> | undefined): Database {
  const after = <T>(work: () => Promise<T>): Promise<T> => before()?.then(work) ?? work();
  return {
    kind: database.kind,
    query: (statement: string | NamedStatement, values?: readonly SqlValue[]) => {
      const isWritten = typeof statement !== "string" && statement.name === "capability_create";
      return isWritten ? after(() => database.query(statement, values)) : database.query(statement, values);
    },
    transaction: (work) => after(() => database.transaction(work)),
    close: () => database.close(),
  } as Database;
}

/** To be called once in a test file. */
export function aheadStores() {
  const scratch = scratchDirectory();
  const newDirectory = () => mkdtempSync(join(scratch, "cluster-"));

  let migrated: Promise<Database> | undefined;
  async function openDatabase(): Promise<Database> {
    migrated ??= PGLITE.open().then(async (database) => {
      await migrate(database, MIGRATIONS);
      return database;
    });
    return migrated;
  }

  /** As after the start of a gateway. */
  async function read(pending: PendingRows): Promise<PendingRows> {
    await pending.replay(await openDatabase(), silentLog);
    return pending;
  }

  /** A store as a gateway has it, and `learn` as a run does it. */
  async function opened(before: () => Promise<void> | undefined = () => undefined, log: Log = silentLog) {
    const database = await openDatabase();
    const directory = newDirectory();
    const gated = withGate(database, before);
    const pending = await read(new PendingRows(directory));
    const ahead = new LearnAhead(gated, pending, log);
    const store = new PostgresCapabilityStore(ahead.database, undefined, ahead);
    const expected = ({
      scope,
      name,
      codeHash,
      inferredNamespace,
      toolsUsed,
    }: NewCapability): ExpectedCode => ({
      scope,
      name,
      codeHash,
      inferredNamespace,
      toolsUsed,
    });
    const learn = (fresh: NewCapability) => {
      store.expect(expected(fresh));
      return store.learn(fresh, sign);
    };
    const count = async ({ project }: Scope) => {
      const { rows } = await database.query<{ n: number }>(
        "select count(*)::int as n from capability_records where project = $1",
        [project],
      );
      return rows[0]?.n;
    };
    return { database, directory, ahead, store, expected, learn, count };
  }

  return { newDirectory, openDatabase, read, opened };
}
