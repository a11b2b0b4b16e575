import { describeSuggestionStore } from "../../test/suites/suggestion-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresSuggestionStore } from "./suggestion-store.js";

/** One migrated schema per database: each test has a project of its own. */
function migrated({ open, openAgain }: TestDatabase): () => Promise<readonly [Database, Database]> {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const openBoth = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return () => {
    opened ??= openBoth();
    return opened;
  };
}

for (const target of DATABASES) {
  const open = migrated(target);
  describeSuggestionStore(target.name, async () => {
    const [database, again] = await open();
    return {
      store: new PostgresSuggestionStore(database),
      other: new PostgresSuggestionStore(again),
      capabilities: new PostgresCapabilityStore(database),
    };
  });
}
