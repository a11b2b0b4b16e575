import { describe, expect, it } from "vitest";
import { newScope, sign, succeeded } from "../../test/suites/capability-samples.js";
import { describeGraphStore } from "../../test/suites/graph-store.suite.js";
import { describeThresholdStore } from "../../test/suites/threshold-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { PostgresGraphStore } from "./graph-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresThresholdStore } from "./threshold-store.js";

/** One migrated schema per database, emptied for each test. */
function emptied({ open, openAgain }: TestDatabase): () => Promise<readonly [Database, Database]> {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const migrated = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return async () => {
    opened ??= migrated();
    const [database] = await opened;
    await database.query("truncate tool_sequence, adaptive_threshold");
    return await opened;
  };
}

for (const target of DATABASES) {
  const open = emptied(target);
  describeGraphStore(target.name, async () => {
    const [database, again] = await open();
    return { store: new PostgresGraphStore(database), other: new PostgresGraphStore(again) };
  });
  describeThresholdStore(target.name, async () => {
    const [database, again] = await open();
    return { store: new PostgresThresholdStore(database), other: new PostgresThresholdStore(again) };
  });

  describe(`structures: ${target.name}`, () => {
    it("[DI-5] has what analysis found in the newest code of capabilities", async () => {
      const [database] = await open();
      const structure = { static_structure: { nodes: [], edges: [] } };
      const code = { ...succeeded(newScope(), "return 1"), structure };
      const { capability } = await new PostgresCapabilityStore(database).learn(code, sign);
      const graph = new PostgresGraphStore(database);
      const missing = "local.default.no.such.0000" as typeof capability.fqdn;
      expect(await graph.structures([capability.fqdn, missing])).toEqual(
        new Map([[capability.fqdn, structure]]),
      );
    });
  });
}
