import { describeCandidateStore } from "../../test/suites/candidate-store.suite.js";
import { databases } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresCandidateStore } from "./candidate-store.js";

for (const target of databases()) {
  const open = migratedOnce(target);
  describeCandidateStore(target.name, async () => {
    const [database, again] = await open();
    return { store: new PostgresCandidateStore(database), other: new PostgresCandidateStore(again) };
  });
}
