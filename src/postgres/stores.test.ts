import { describeCapabilityCalls } from "../../test/suites/capability-calls.suite.js";
import {
  describeCapabilityStore,
  type OpenedCapabilityStore,
} from "../../test/suites/capability-store.suite.js";
import { describeSavingsStore } from "../../test/suites/savings-store.suite.js";
import { describeToolListStore } from "../../test/suites/tool-list-store.suite.js";
import { describeToolStore } from "../../test/suites/tool-store.suite.js";
import { describeToolTroubles } from "../../test/suites/tool-troubles.suite.js";
import { describeUsageStore } from "../../test/suites/usage-store.suite.js";
import { describeWireNameStore } from "../../test/suites/wire-name-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresSavingsStore } from "./savings-store.js";
import { PostgresToolListStore } from "./tool-list-store.js";
import { PostgresToolStore } from "./tool-store.js";
import { PostgresUsageStore } from "./usage-store.js";
import { PostgresWireNameStore } from "./wire-name-store.js";

/** One migrated schema per database, emptied for each test: a migration for each takes ten times as long. */
function emptied({ open }: TestDatabase): () => Promise<Database> {
  let migrated: Promise<Database> | undefined;
  const openMigrated = async (): Promise<Database> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return database;
  };
  return async () => {
    migrated ??= openMigrated();
    const database = await migrated;
    await database.query("truncate tool_schema, tool_usage, wire_name, tool_list");
    return database;
  };
}

/** Opens a second pool if the database supports one. */
function twoWays(
  { openAgain }: TestDatabase,
  open: () => Promise<Database>,
): () => Promise<OpenedCapabilityStore> {
  let again: Promise<Database> | undefined;
  return async () => {
    const database = await open();
    again ??= openAgain();
    return {
      store: new PostgresCapabilityStore(database),
      other: new PostgresCapabilityStore(await again),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
    };
  };
}

for (const target of storeDatabases()) {
  const open = emptied(target);
  describeToolStore(target.name, async () => new PostgresToolStore(await open()));
  describeWireNameStore(target.name, async () => new PostgresWireNameStore(await open()));
  describeToolListStore(target.name, async () => new PostgresToolListStore(await open()));
  const openTwice = twoWays(target, open);
  describeCapabilityStore(target.name, openTwice);
  describeCapabilityCalls(target.name, openTwice);
  describeSavingsStore(target.name, async () => ({
    ...(await openTwice()),
    savings: new PostgresSavingsStore(await open()),
  }));
  describeToolTroubles(target.name, async () => {
    const database = await open();
    return {
      tools: new PostgresToolStore(database),
      capabilities: new PostgresCapabilityStore(database),
    };
  });
  describeUsageStore(target.name, async () => new PostgresUsageStore(await open()));
}
