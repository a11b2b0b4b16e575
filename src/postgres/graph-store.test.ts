import { describe, expect, it } from "vitest";
import { newScope, sign, succeeded } from "../../test/suites/capability-samples.js";
import { describeGraphStore } from "../../test/suites/graph-store.suite.js";
import { describeThresholdStore } from "../../test/suites/threshold-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { PostgresGraphStore } from "./graph-store.js";
import { PostgresThresholdStore } from "./threshold-store.js";

/** The tables are emptied for each test. */
function emptied(target: TestDatabase): () => Promise<readonly [Database, Database]> {
  const open = migratedOnce(target);
  return async () => {
    const both = await open();
    await both[0].query("truncate tool_sequence, adaptive_threshold");
    return both;
  };
}

for (const target of storeDatabases()) {
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
