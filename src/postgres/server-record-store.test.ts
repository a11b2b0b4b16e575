import {
  describeServerRecordStore,
  type OpenedServerRecordStore,
} from "../../test/suites/server-record-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresServerRecordStore } from "./server-record-store.js";

/** One migrated schema for all tests: each has its own project. */
function opener({ open, openAgain }: TestDatabase): () => Promise<OpenedServerRecordStore> {
  let opened: Promise<OpenedServerRecordStore> | undefined;
  const openOnce = async (): Promise<OpenedServerRecordStore> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return {
      store: new PostgresServerRecordStore(database),
      other: new PostgresServerRecordStore(await openAgain()),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
    };
  };
  return () => {
    opened ??= openOnce();
    return opened;
  };
}

for (const target of storeDatabases()) describeServerRecordStore(target.name, opener(target));
