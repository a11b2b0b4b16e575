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

async function migrated({ open }: TestDatabase): Promise<Database> {
  const database = await open();
  await migrate(database, MIGRATIONS);
  return database;
}

for (const target of DATABASES) {
  describeToolStore(target.name, async () => new PostgresToolStore(await migrated(target)));
  describeWireNameStore(target.name, async () => new PostgresWireNameStore(await migrated(target)));
  describeUsageStore(target.name, async () => new PostgresUsageStore(await migrated(target)));
}
