import type { OpenedCapabilityStore } from "../../test/suites/capability-store.suite.js";
import { describeImport } from "../../test/suites/import.suite.js";
import { describeKeyStore } from "../../test/suites/key-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { PostgresKeyStore } from "./key-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

/** One migrated schema for all tests: each has a project of its own. */
function opener({ open, openAgain }: TestDatabase): () => Promise<readonly [Database, Database]> {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const openOnce = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return () => {
    opened ??= openOnce();
    return opened;
  };
}

for (const target of DATABASES) {
  const open = opener(target);
  describeImport(target.name, async (): Promise<OpenedCapabilityStore> => {
    const [database, again] = await open();
    return {
      store: new PostgresCapabilityStore(database),
      other: new PostgresCapabilityStore(again),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
    };
  });
  describeKeyStore(target.name, async () => {
    const [database, again] = await open();
    return { store: new PostgresKeyStore(database), other: new PostgresKeyStore(again) };
  });
}
