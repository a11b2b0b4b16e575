import { describeSuggestionStore } from "../../test/suites/suggestion-store.suite.js";
import { storeDatabases } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { PostgresSuggestionStore } from "./suggestion-store.js";

for (const target of storeDatabases()) {
  const open = migratedOnce(target);
  describeSuggestionStore(target.name, async () => {
    const [database, again] = await open();
    return {
      store: new PostgresSuggestionStore(database),
      other: new PostgresSuggestionStore(again),
      capabilities: new PostgresCapabilityStore(database),
    };
  });
}
