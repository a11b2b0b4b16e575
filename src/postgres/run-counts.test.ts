import { describe, expect, it } from "vitest";
import { storeDatabases } from "../../test/support/databases.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresRunCounts } from "./usage-store.js";

describe.each(storeDatabases())("RunCounts: $name", ({ open }) => {
  it("[UX-1] counts runs of a project since a time, and not those inside of others", async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    const noon = "2026-11-16T12:00:00Z";
    for (const [project, at, success, parent] of [
      ["default", noon, true, null],
      ["default", "2026-11-16T13:00:00Z", false, null],
      ["default", "2026-11-16T13:00:00Z", true, "00000000-0000-4000-8000-000000000000"],
      ["default", "2026-11-16T11:59:59Z", true, null],
      ["other", "2026-11-16T13:00:00Z", true, null],
    ] as const)
      await database.query(
        `insert into execution_trace (success, duration_ms, org, project, user_name, executed_at, parent_trace_id)
         values ($1, 1, 'local', $2, 'ada', $3, $4)`,
        [success, project, at, parent],
      );
    const counts = new PostgresRunCounts(database);
    expect(await counts.since({ org: "local", project: "default" }, new Date(noon))).toEqual({
      total: 2,
      failed: 1,
    });
    expect(await counts.since({ org: "acme", project: "default" }, new Date(noon))).toEqual({
      total: 0,
      failed: 0,
    });
  });
});
