import { describeVectorStore, type OpenedVectorStore } from "../../test/suites/vector-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresVectorStore } from "./vector-store.js";

/** The table is emptied for each test. */
function emptied(target: TestDatabase): () => Promise<OpenedVectorStore> {
  const open = migratedOnce(target);
  return async () => {
    const [database] = await open();
    await database.query("truncate embeddings");
    return {
      store: new PostgresVectorStore(database),
      age: async (days) => {
        await database.query("update embeddings set used_at = now() - $1 * interval '1 day'", [days]);
      },
    };
  };
}

for (const target of storeDatabases()) describeVectorStore(target.name, emptied(target));
