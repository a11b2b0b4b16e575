/**
 * Deletes traces that are too old or too many, in steps that are each a short transaction.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { PruneOptions } from "../registry/trace-store.js";
import type { Database, NamedStatement, Queryable, SqlValue } from "./database.js";

/** Any number will do that no other lock has. */
const PRUNE_LOCK = 0x70_6d_6c_74;

const TOO_OLD: NamedStatement = {
  name: "execution_trace_too_old",
  text: `delete from execution_trace where trace_id in
      (select trace_id from execution_trace where executed_at < $1 order by executed_at limit $2)`,
};

const CROWDED: NamedStatement = {
  name: "execution_trace_crowded",
  text: `select capability_id from execution_trace where capability_id is not null
     group by capability_id having count(*) > $1`,
};

const CROWDED_PROJECTS: NamedStatement = {
  name: "execution_trace_crowded_projects",
  text: `select org, project from execution_trace where capability_id is null
     group by org, project having count(*) > $1`,
};

/** The oldest of those beyond the newest, so that a step that is the last one for now leaves the rest in order. */
const TOO_MANY: NamedStatement = {
  name: "execution_trace_too_many",
  text: `delete from execution_trace where trace_id in
      (select trace_id from
         (select trace_id, executed_at from execution_trace where capability_id = $1
           order by executed_at desc, trace_id offset $2) as beyond
        order by executed_at limit $3)`,
};

const TOO_MANY_OF_PROJECT: NamedStatement = {
  name: "execution_trace_too_many_of_project",
  text: `delete from execution_trace where trace_id in
      (select trace_id from
         (select trace_id, executed_at from execution_trace where capability_id is null and org = $1 and project = $2
           order by executed_at desc, trace_id offset $3) as beyond
        order by executed_at limit $4)`,
};

export async function pruneTraces(database: Database, options: PruneOptions): Promise<number> {
  const { before, perCapability, withoutCapability } = options;
  let deleted = await deleteAll(database, TOO_OLD, [before]);
  const crowded = await database.query<{ readonly capability_id: string }>(CROWDED, [perCapability]);
  for (const { capability_id } of crowded.rows)
    deleted += await deleteAll(database, TOO_MANY, [capability_id, perCapability]);
  const projects = await database.query<{ readonly org: string; readonly project: string }>(
    CROWDED_PROJECTS,
    [withoutCapability],
  );
  for (const { org, project } of projects.rows)
    deleted += await deleteAll(database, TOO_MANY_OF_PROJECT, [org, project, withoutCapability]);
  // PGlite has no autovacuum: without this the space of deleted rows would never be used again.
  if (database.kind === "pglite" && deleted > 0) await database.query("vacuum execution_trace");
  return deleted;
}

async function deleteAll(
  database: Database,
  statement: NamedStatement,
  values: readonly SqlValue[],
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const step = await database.transaction(async (transaction) => {
      if (!(await isAlone(database, transaction))) return 0;
      return (await transaction.query(statement, [...values, LIMITS.pruneRows])).rowCount;
    });
    deleted += step;
    if (step < LIMITS.pruneRows) return deleted;
  }
}

/** Another gateway that is at it does all there is to do. An embedded store has one gateway. */
async function isAlone({ kind }: Database, transaction: Queryable): Promise<boolean> {
  if (kind === "pglite") return true;
  const { rows } = await transaction.query<{ readonly taken: boolean }>(
    "select pg_try_advisory_xact_lock($1) as taken",
    [PRUNE_LOCK],
  );
  return rows[0]?.taken === true;
}
