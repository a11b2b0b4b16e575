import { describeVectorStore, type OpenedVectorStore } from "../../test/suites/vector-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresVectorStore } from "./vector-store.js";

/** One migrated schema per database, emptied for each test. */
function emptied({ open }: TestDatabase): () => Promise<OpenedVectorStore> {
  let migrated: Promise<Database> | undefined;
  const openMigrated = async (): Promise<Database> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return database;
  };
  return async () => {
    migrated ??= openMigrated();
    const database = await migrated;
    await database.query("truncate embeddings");
    return {
      store: new PostgresVectorStore(database),
      age: async (days) => {
        await database.query("update embeddings set used_at = now() - $1 * interval '1 day'", [days]);
      },
    };
  };
}

for (const target of DATABASES) describeVectorStore(target.name, emptied(target));
