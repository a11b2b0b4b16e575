import { describe, expect, it } from "vitest";
import { storeDatabases } from "../../test/support/databases.js";
import { DAY_MS } from "../base/day.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { prunable } from "./prunable-rows.js";
import { PostgresTaskResultStore } from "./task-result-store.js";
import { PostgresTraceStore } from "./trace-store.js";
import { PostgresUsageStore } from "./usage-store.js";
import { PostgresWorkflowStore } from "./workflow-store.js";

const NOW = new Date("2026-11-17T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const AGES = [0, 1, 2, 3, 5, 8, 13, 21];

/** Inserts rows of all ages and kinds, some of them exactly at a limit. */
async function fill(database: Database): Promise<void> {
  // The capabilities of these traces do not exist.
  await database.query("alter table execution_trace drop constraint execution_trace_version");
  for (const age of AGES) {
    const at = daysAgo(age);
    for (const [capability, project] of [
      ["a", "p"],
      ["b", "p"],
      ["b", "q"],
      [null, "p"],
      [null, "q"],
    ])
      await database.query(
        `insert into execution_trace (capability_id, capability_version, success, duration_ms, org, project, user_name, executed_at)
         values ($1::text, case when $1::text is null then null else 1 end, true, 1, 'o', $2, 'u', $3)`,
        [capability ?? null, project ?? "", at],
      );
    await database.query(
      `insert into tool_usage (server_id, tool_name, org, project, user_name, called_at, duration_ms, success)
       values ('s', 't', 'o', 'p', 'u', $1, 1, true)`,
      [at],
    );
    for (const result of ["1", null])
      await database.query(
        `insert into task_results (workflow_id, task_id, org, project, user_name, result, expires_at)
         values ($1, $2, 'o', 'p', 'u', $3::json, $4)`,
        [`w${age}`, `${result}`, result, at],
      );
    for (const [state, lease] of [
      ["approved", null],
      ["rejected", null],
      ["running", daysAgo(age)],
      ["running", daysAgo(age - 5)],
    ] as const)
      await database.query(
        `insert into workflow_runs (workflow_id, org, project, user_name, mode, state, request, fingerprint, seed, started_at,
           expires_at, owner, lease_until)
         values (gen_random_uuid()::text, 'o', 'p', 'u', 'm', $1::text, '{}', 'f', 's', 0, $2,
           case when $1::text = 'running' then 'me' end, $3)`,
        [state, at, lease],
      );
  }
}

for (const { name, open } of storeDatabases())
  describe(`[SC-4] what pruning would delete, on ${name}`, () => {
    it("is what the stores delete, of each kind, and nothing is left", async () => {
      const database = await open();
      await migrate(database, MIGRATIONS);
      await fill(database);
      const bounds = {
        tracesBefore: daysAgo(13),
        perCapability: 4,
        withoutCapability: 5,
        callsBefore: daysAgo(3),
        resultsBefore: daysAgo(2),
        runsBefore: daysAgo(5),
      };
      const found = await prunable(database, bounds);
      const { tracesBefore: before, perCapability, withoutCapability } = bounds;
      const deleted = {
        traces: await new PostgresTraceStore(database).prune({ before, perCapability, withoutCapability }),
        calls: await new PostgresUsageStore(database).prune(bounds.callsBefore),
        results: await new PostgresTaskResultStore(database).prune(bounds.resultsBefore, daysAgo(30)),
        runs: await new PostgresWorkflowStore(database).prune(bounds.runsBefore),
      };
      const rows = (of: typeof found) =>
        Object.fromEntries(Object.entries(of).map(([kind, one]) => [kind, one.rows]));
      expect(rows(found)).toEqual(deleted);
      expect(Object.values(deleted).every((number) => number > 0)).toBe(true);
      expect(Object.values(found).every(({ bytes }) => bytes > 0)).toBe(true);
      expect(Object.values(rows(await prunable(database, bounds)))).toEqual([0, 0, 0, 0]);
    });
  });
