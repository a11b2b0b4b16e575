import { describeToolStore } from "../../test/suites/tool-store.suite.js";
import { describeUsageStore } from "../../test/suites/usage-store.suite.js";
import { describeWireNameStore } from "../../test/suites/wire-name-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresToolStore } from "./tool-store.js";
import { PostgresUsageStore } from "./usage-store.js";
import { PostgresWireNameStore } from "./wire-name-store.js";

/** One migrated schema per database, emptied for each test: migrating for each takes ten times as long. */
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
    await database.query("truncate tool_schema, tool_usage, wire_name");
    return database;
  };
}

for (const target of DATABASES) {
  const open = emptied(target);
  describeToolStore(target.name, async () => new PostgresToolStore(await open()));
  describeWireNameStore(target.name, async () => new PostgresWireNameStore(await open()));
  describeUsageStore(target.name, async () => new PostgresUsageStore(await open()));
}
