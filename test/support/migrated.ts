import type { Database } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import type { TestDatabase } from "./databases.js";

/**
 * One migrated schema for all tests of a file, with two connections: a migration for each test takes ten times as long.
 */
export function migratedOnce({
  open,
  openAgain,
}: TestDatabase): () => Promise<readonly [Database, Database]> {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const migrated = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return () => {
    opened ??= migrated();
    return opened;
  };
}
