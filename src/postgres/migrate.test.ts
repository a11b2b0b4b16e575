import { expect, it } from "vitest";
import { describeMigrations } from "../../test/suites/migrations.suite.js";
import { describeSchema } from "../../test/suites/schema.suite.js";
import { databases } from "../../test/support/databases.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

it("migrations are numbered without a gap, and listed in order", () => {
  const numbers = MIGRATIONS.map(({ id }) => Number(/^(\d{4})-[a-z-]+$/.exec(id)?.[1]));
  expect(numbers).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

/** A version that was written at noon, and runs of it: when, how long, and whether they succeeded. */
const OLDER = `
  insert into workflow_pattern (pattern_id, source, intent, code, canonical_code, code_hash)
    values ('11111111-1111-4111-8111-111111111111', 'code', 'read', 'x', 'x', repeat('a', 64));
  insert into capability_records (id, display_name, display_name_fold, org, project, namespace, action, hash, code_hash,
      workflow_pattern_id, created_by)
    values ('o.p.fs.read.aaaa', 'fs:read', 'fs:read', 'o', 'p', 'fs', 'read', 'aaaa', repeat('a', 64),
      '11111111-1111-4111-8111-111111111111', 'me');
  insert into capability_versions (capability_fqdn, version, code_snippet, canonical_code, code_hash, updated_by, updated_at)
    select 'o.p.fs.read.aaaa', version, 'x', 'x', repeat('a', 64), 'me', '2026-11-01T12:00Z' from generate_series(1, 2) as version;
  insert into execution_trace (capability_id, capability_version, executed_at, duration_ms, success, org, project, user_name)
    select 'o.p.fs.read.aaaa', version, at::timestamptz, ms, success, 'o', 'p', 'me' from (values
      (1, '2026-11-01T11:59:58Z', 5, false), (1, '2026-11-01T11:59:59Z', 700, true), (1, '2026-11-01T12:00:01Z', 3, true),
      (2, '2026-11-01T12:00:01Z', 9, true)) as run (version, at, ms, success)`;

async function coldRuns(database: Database): Promise<readonly object[]> {
  const at = MIGRATIONS.findIndex(({ id }) => id === "0022-ledger");
  await migrate(database, MIGRATIONS.slice(0, at));
  for (const statement of OLDER.split(";")) await database.query(statement);
  await migrate(database, MIGRATIONS);
  return (await database.query("select version, cold_ms from capability_versions order by version")).rows;
}

for (const target of databases()) {
  describeMigrations(target);
  it(`[LP-6] ${target.name}: knows the cold run of older versions, where its trace is kept`, async () => {
    const database = await target.open();
    expect(await coldRuns(database)).toEqual([
      { version: 1, cold_ms: 700 },
      { version: 2, cold_ms: null },
    ]);
    await expect(database.query("update capability_versions set cold_ms = 1")).rejects.toThrow("append-only");
  });
  describeSchema(target.name, async () => {
    const database = await target.open();
    await migrate(database, MIGRATIONS);
    return database;
  });
}
