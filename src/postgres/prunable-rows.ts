/**
 * Counts what pruning would delete: rows, and about how many bytes they take. The conditions are the same as in the
 * `prune` of each store; a test compares both.
 *
 * @module
 */
import { type Database, sql } from "./database.js";
import { storeAction } from "./sql-error.js";

/** The rows that would be deleted, and their size. */
export type Prunable = Readonly<
  Record<"traces" | "calls" | "results" | "runs", { readonly rows: number; readonly bytes: number }>
>;
type PrunableRows = Prunable["traces"];

export interface PruneBounds {
  readonly tracesBefore: Date;
  /** The number of newest traces to keep: of each capability, and of other code in a project. */
  readonly perCapability: number;
  readonly withoutCapability: number;
  readonly callsBefore: Date;
  /** Results and runs that expired before this time are deleted. */
  readonly resultsBefore: Date;
  readonly runsBefore: Date;
}

const FOUND = "count(*)::int as rows, coalesce(sum(pg_column_size(found.*)), 0)::float8 as bytes";

const TRACES = sql("prunable_traces")`select ${FOUND} from
    (select *, row_number() over (partition by capability_id,
              case when capability_id is null then org end, case when capability_id is null then project end
              order by executed_at desc, trace_id) as place from execution_trace) as found
   where executed_at < $1 or place > case when capability_id is null then $3::int else $2::int end`;

const CALLS = sql("prunable_calls")`select ${FOUND} from tool_usage as found where called_at < $1`;

const RESULTS = sql("prunable_results")`select ${FOUND} from task_results as found
   where expires_at <= $1 and result is not null`;

const RUNS = sql(
  "prunable_runs",
)`select ${FOUND} from workflow_runs as found where expires_at < $1::timestamptz
   and (state <> 'running' or lease_until < $1::timestamptz - interval '1 day')`;

export async function prunable(database: Database, bounds: PruneBounds): Promise<Prunable> {
  const { tracesBefore, perCapability, withoutCapability, callsBefore, resultsBefore, runsBefore } = bounds;
  const found = async (...asked: Parameters<Database["query"]>): Promise<PrunableRows> => {
    const { rows } = await database.query<PrunableRows>(...asked);
    return rows[0] ?? { rows: 0, bytes: 0 };
  };
  return await storeAction("look for what can be pruned", async () => ({
    traces: await found(TRACES, [tracesBefore, perCapability, withoutCapability]),
    calls: await found(CALLS, [callsBefore]),
    results: await found(RESULTS, [resultsBefore]),
    runs: await found(RUNS, [runsBefore]),
  }));
}
