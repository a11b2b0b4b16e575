/**
 * Writes what is learnt from runs: how often each path was taken and how it ended, the outcomes of decisions, and the
 * iterations of loops. These are kept per version, and only ever added to. They are never computed from traces, so
 * traces can be deleted.
 *
 * A transaction locks the records of the capabilities before it adds, always in the same order. So concurrent
 * additions, also by several gateways, are all counted.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { CapabilityUse, RunTrace } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type Queryable, type SqlValue, sql } from "./database.js";
import { toSqlText } from "./sql-text.js";

/**
 * Paths come as JSON, because a list of lists would have to be rectangular. If a version already has many paths, new
 * ones are counted together, in the row with the empty hash.
 */
const ADD_PATHS = sql("capability_paths_add")`insert into capability_paths as kept
      (capability_fqdn, version, path_hash, path, runs, successes, total_ms, last_run_at)
    select fqdn, version, path_hash, path, sum(runs), sum(successes), sum(total_ms), max(last_run_at)
      from (
        select fqdn, version, runs, successes, total_ms, last_run_at,
               case when has_room then path_hash else '' end as path_hash,
               case when has_room then path else '{}' end as path
          from (
            select taken.*, known.path_hash is not null or row_number() over
                     (partition by taken.fqdn, taken.version, known.path_hash is null
                          order by taken.last_run_at, taken.path_hash)
                   + (select count(*) from capability_paths as all_paths
                       where all_paths.capability_fqdn = taken.fqdn and all_paths.version = taken.version
                         and all_paths.path_hash <> '') <= $8 as has_room
              from (
                select hashed.*, encode(sha256(convert_to(array_to_json(path)::text, 'UTF8')), 'hex') as path_hash
                  from (
                    select fqdn, version, array(select json_array_elements_text(path::json)) as path, runs, successes,
                           total_ms, last_run_at
                      from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[],
                                  $6::double precision[], $7::timestamptz[])
                        as used (fqdn, version, path, runs, successes, total_ms, last_run_at)) as hashed) as taken
              left join capability_paths as known
                on known.capability_fqdn = taken.fqdn and known.version = taken.version
               and known.path_hash = taken.path_hash) as placed) as counted
     group by fqdn, version, path_hash, path
    on conflict (capability_fqdn, version, path_hash) do update set
      runs = kept.runs + excluded.runs, successes = kept.successes + excluded.successes,
      total_ms = kept.total_ms + excluded.total_ms, last_run_at = greatest(kept.last_run_at, excluded.last_run_at)`;

const ADD_DECISIONS = sql("capability_decisions_add")`insert into capability_decisions as kept
      (capability_fqdn, version, node_id, outcome_hash, outcome, runs, times)
    select fqdn, version, node_id, encode(sha256(convert_to(outcome, 'UTF8')), 'hex'), outcome, runs, times
      from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
        as taken (fqdn, version, node_id, outcome, runs, times)
    on conflict (capability_fqdn, version, node_id, outcome_hash) do update set
      runs = kept.runs + excluded.runs, times = kept.times + excluded.times`;

const ADD_LOOPS = sql("capability_loops_add")`insert into capability_loops as kept
      (capability_fqdn, version, node_id, runs, iterations, fewest, most)
    select * from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    on conflict (capability_fqdn, version, node_id) do update set
      runs = kept.runs + excluded.runs, iterations = kept.iterations + excluded.iterations,
      fewest = least(kept.fewest, excluded.fewest), most = greatest(kept.most, excluded.most)`;

const DOMINANT_PATH = sql("capability_dominant_path")`select path from capability_paths
     where capability_fqdn = $1 and version = $2 and path_hash <> '' and successes > 0
     order by successes desc, last_run_at desc, path limit 1`;

type OfVersion = Pick<CapabilityUse, "fqdn" | "version">;

/** The decisions and loops of one run of a version. */
interface FlowUse extends OfVersion {
  readonly trace: Pick<RunTrace, "decisions" | "loops">;
}

interface PathCount {
  readonly use: OfVersion;
  readonly path: string;
  runs: number;
  successes: number;
  totalMs: number;
  lastRunAt: Date;
}

interface DecisionCount {
  readonly use: OfVersion;
  readonly nodeId: string;
  readonly outcome: string;
  runs: number;
  times: number;
}

interface LoopCount {
  readonly use: OfVersion;
  readonly nodeId: string;
  runs: number;
  iterations: number;
  fewest: number;
  most: number;
}

/** The versions must exist, and their records must be locked. */
export async function addLearning(transaction: Queryable, uses: readonly CapabilityUse[]): Promise<void> {
  if (uses.length === 0) return;
  await addPaths(transaction, uses);
  await addFlow(transaction, uses);
}

/** Adds decisions and loops only. */
export async function addFlow(transaction: Queryable, uses: readonly FlowUse[]): Promise<void> {
  await addDecisions(transaction, uses);
  await addLoops(transaction, uses);
}

/** The path that most successful runs of a version took; if several are equal, the one that was taken last. */
export async function dominantPath(
  queryable: Queryable,
  fqdn: Fqdn,
  version: number,
): Promise<readonly string[] | undefined> {
  const { rows } = await queryable.query<{ readonly path: readonly string[] }>(DOMINANT_PATH, [
    fqdn,
    version,
  ]);
  return rows[0]?.path;
}

async function addPaths(transaction: Queryable, uses: readonly CapabilityUse[]): Promise<void> {
  const counts = new Map<string, PathCount>();
  for (const use of uses) {
    const { executedPath, success, durationMs, executedAt } = use.trace;
    const path = JSON.stringify(executedPath.map(toSqlText));
    const key = JSON.stringify([use.fqdn, use.version, path]);
    const count = counted(counts, key, {
      use,
      path,
      runs: 0,
      successes: 0,
      totalMs: 0,
      lastRunAt: executedAt,
    });
    count.runs += 1;
    count.successes += success ? 1 : 0;
    count.totalMs += Math.max(0, durationMs);
    if (executedAt > count.lastRunAt) count.lastRunAt = executedAt;
  }
  const all = [...counts.values()];
  await transaction.query(ADD_PATHS, [
    ...versionsOf(all),
    all.map(({ path }) => path),
    all.map(({ runs }) => runs),
    all.map(({ successes }) => successes),
    all.map(({ totalMs }) => totalMs),
    all.map(({ lastRunAt }) => lastRunAt),
    LIMITS.learntPaths,
  ]);
}

async function addDecisions(transaction: Queryable, uses: readonly FlowUse[]): Promise<void> {
  const counts = new Map<string, DecisionCount>();
  for (const use of uses)
    for (const { nodeId, outcome, count: times = 1 } of use.trace.decisions) {
      const key = JSON.stringify([use.fqdn, use.version, nodeId, outcome]);
      const count = counted(counts, key, { use, nodeId, outcome: toSqlText(outcome), runs: 0, times: 0 });
      count.runs += 1;
      count.times += times;
    }
  const all = [...counts.values()];
  if (all.length === 0) return;
  await transaction.query(ADD_DECISIONS, [
    ...versionsOf(all),
    all.map(({ nodeId }) => nodeId),
    all.map(({ outcome }) => outcome),
    all.map(({ runs }) => runs),
    all.map(({ times }) => times),
  ]);
}

async function addLoops(transaction: Queryable, uses: readonly FlowUse[]): Promise<void> {
  const counts = new Map<string, LoopCount>();
  for (const use of uses)
    for (const { nodeId, iterations } of use.trace.loops) {
      const key = JSON.stringify([use.fqdn, use.version, nodeId]);
      const fresh = { use, nodeId, runs: 0, iterations: 0, fewest: iterations, most: iterations };
      const count = counted(counts, key, fresh);
      count.runs += 1;
      count.iterations += iterations;
      count.fewest = Math.min(count.fewest, iterations);
      count.most = Math.max(count.most, iterations);
    }
  const all = [...counts.values()];
  if (all.length === 0) return;
  await transaction.query(ADD_LOOPS, [
    ...versionsOf(all),
    all.map(({ nodeId }) => nodeId),
    all.map(({ runs }) => runs),
    all.map(({ iterations }) => iterations),
    all.map(({ fewest }) => fewest),
    all.map(({ most }) => most),
  ]);
}

function counted<T>(counts: Map<string, T>, key: string, fresh: T): T {
  const known = counts.get(key);
  if (known !== undefined) return known;
  counts.set(key, fresh);
  return fresh;
}

function versionsOf(counts: readonly { readonly use: OfVersion }[]): readonly SqlValue[] {
  return [counts.map(({ use }) => use.fqdn), counts.map(({ use }) => use.version)];
}
