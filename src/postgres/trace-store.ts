import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import type { Fqdn } from "../registry/fqdn.js";
import type {
  DecisionStatistics,
  KeptTask,
  KeptTrace,
  Learning,
  LoopStatistics,
  PathTaken,
  PruneOptions,
  RunsFilter,
  RunsOf,
  SucceededIntent,
  TraceStore,
} from "../registry/trace-store.js";
import { dominantPath } from "./capability-learning.js";
import { type NamedStatement, OnDatabase, type SqlValue, sql } from "./database.js";
import { pruneTraces } from "./execution-traces.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, textOf } from "./sql-text.js";

const PATHS = sql("capability_paths_list")`
    select path, runs, successes, path_hash = '' as is_other, count(*) filter (where path_hash <> '') over () as total
      from capability_paths where capability_fqdn = $1 and version = $2
     order by is_other desc, runs desc, last_run_at desc, path limit $3 + 1`;

const DECISIONS = sql("capability_decisions_list")`select node_id, outcome, times from capability_decisions
     where capability_fqdn = $1 and version = $2 order by node_id, times desc, outcome`;

const LOOPS = sql("capability_loops_list")`
    select node_id, runs, iterations, fewest, most from capability_loops
     where capability_fqdn = $1 and version = $2 order by node_id`;

/** The pattern has the structure of the newest version only. */
const STRUCTURE = sql("capability_structure")`select pattern.dag_structure as structure
      from capability_records as record
      join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
     where record.id = $1 and record.version = $2`;

const COLUMNS = `trace_id::text as trace_id, parent_trace_id::text as parent_trace_id, task_id, workflow_id, capability_id,
    capability_version, intent, executed_path, decisions, task_results, success, duration_ms, error_code, error_message,
    org, project, user_name, executed_at`;

const WHOSE = "org = $2 and project = $3 and ($4::text is null or user_name = $4)";

const OF_CAPABILITY = sql("execution_trace_of_capability")`
    select ${COLUMNS} from execution_trace where capability_id = $1 and ${WHOSE}
     order by executed_at desc, trace_id limit $5`;

/** A caller comes before its callees. */
const OF_WORKFLOW = sql("execution_trace_of_workflow")`
    select ${COLUMNS} from execution_trace where workflow_id = $1 and ${WHOSE}
     order by parent_trace_id is not null, executed_at, task_id, trace_id limit $5`;

const LATEST = sql("execution_trace_latest")`select ${COLUMNS} from execution_trace
     where parent_trace_id is null and org = $1 and project = $2 and ($3::text is null or user_name = $3)
     order by executed_at desc, trace_id limit $4`;

const FILTERED = sql("execution_trace_filtered")`select ${COLUMNS} from execution_trace
     where parent_trace_id is null and org = $1 and project = $2 and ($3::text is null or user_name = $3)
       and ($5::text is null or capability_id = $5) and ($6::boolean is null or success = $6)
       and ($7::timestamptz is null or executed_at <= $7)
       and ($7::timestamptz is null or executed_at < $7 or trace_id > $8::uuid)
     order by executed_at desc, trace_id limit $4`;

/** Reads only the newest traces: reading a million takes PGlite half a minute, in which it answers nothing else. */
const INTENTS = sql("execution_trace_intents")`select fqdn, intent, org, project, user_name from (
       select capability_id as fqdn, intent, org, project, user_name, max(executed_at) as said_at,
         row_number() over (
           partition by org, project, user_name order by max(executed_at) desc, capability_id, intent
         ) as nth
       from (
         select capability_id, intent, org, project, user_name, executed_at, success, parent_trace_id
           from execution_trace order by executed_at desc limit $3) as newest
       where success and parent_trace_id is null and capability_id is not null and intent is not null
       group by org, project, user_name, capability_id, intent) said
     where nth <= $2 order by said_at desc, fqdn, intent, org, project, user_name limit $1`;

interface IntentRow {
  readonly fqdn: Fqdn;
  readonly intent: string;
  readonly org: string;
  readonly project: string;
  readonly user_name: string;
}

interface PathRow {
  readonly path: readonly string[];
  readonly runs: number;
  readonly successes: number;
  readonly is_other: boolean;
  readonly total: number;
}

interface DecisionRow {
  readonly node_id: string;
  readonly outcome: string;
  readonly times: number;
}

interface LoopRow {
  readonly node_id: string;
  readonly runs: number;
  readonly iterations: number;
  readonly fewest: number;
  readonly most: number;
}

interface TraceRow {
  readonly trace_id: string;
  readonly parent_trace_id: string | null;
  readonly task_id: string | null;
  readonly workflow_id: string | null;
  readonly capability_id: Fqdn | null;
  readonly capability_version: number | null;
  readonly intent: string | null;
  readonly executed_path: readonly string[];
  readonly decisions: unknown;
  readonly task_results: unknown;
  readonly success: boolean;
  readonly duration_ms: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly org: string;
  readonly project: string;
  readonly user_name: string;
  readonly executed_at: Date;
}

/** {@link TraceStore} on `execution_trace` and the tables of learning. */
export class PostgresTraceStore extends OnDatabase implements TraceStore {
  async learning(fqdn: Fqdn, version: number, most: number): Promise<Learning> {
    return await storeAction(`look up what was learnt about ${fqdn}`, async () => {
      const key = [fqdn, version];
      const paths = (await this.database.query<PathRow>(PATHS, [...key, most])).rows;
      const decisions = (await this.database.query<DecisionRow>(DECISIONS, key)).rows;
      const loops = (await this.database.query<LoopRow>(LOOPS, key)).rows;
      const structure = (await this.database.query<{ readonly structure: unknown }>(STRUCTURE, key)).rows[0];
      const conditions = conditionsOf(structure?.structure);
      const other = paths.find(({ is_other }) => is_other);
      return {
        paths: paths
          .filter(({ is_other }) => !is_other)
          .slice(0, most)
          .map(toPath),
        totalPaths: paths[0]?.total ?? 0,
        otherPaths: other === undefined ? undefined : { runs: other.runs, successes: other.successes },
        dominantPath: await dominantPath(this.database, fqdn, version),
        decisions: inOrder(toDecisions(decisions, conditions), [...conditions.keys()]),
        loops: inOrder(loops.map(toLoop), []),
      };
    });
  }

  async runsOf(fqdn: Fqdn, whose: RunsOf, most: number): Promise<readonly KeptTrace[]> {
    return await storeAction(`look up runs of ${fqdn}`, () =>
      this.#traces(OF_CAPABILITY, [fqdn, ...valuesOf(whose), most]),
    );
  }

  async ofWorkflow(workflowId: string, whose: RunsOf, most: number): Promise<readonly KeptTrace[]> {
    return await storeAction(`look up the run ${workflowId}`, () =>
      this.#traces(OF_WORKFLOW, [workflowId, ...valuesOf(whose), most]),
    );
  }

  async latest(whose: RunsOf, most: number, filter?: RunsFilter): Promise<readonly KeptTrace[]> {
    const values = [...valuesOf(whose), most];
    return await storeAction("list the last runs", () => {
      if (filter === undefined) return this.#traces(LATEST, values);
      const { fqdn = null, success = null, after } = filter;
      const place = [after?.executedAt ?? null, after?.traceId ?? null];
      return this.#traces(FILTERED, [...values, fqdn, success, ...place]);
    });
  }

  async succeededIntents(most: number, perUser: number): Promise<readonly SucceededIntent[]> {
    return await storeAction("read past intents", async () => {
      const { rows } = await this.database.query<IntentRow>(INTENTS, [most, perUser, LIMITS.intentTraces]);
      return rows.map(({ fqdn, intent, org, project, user_name: user }) => ({
        fqdn,
        intent: fromSqlText(intent),
        scope: { org, project, user },
      }));
    });
  }

  async prune(options: PruneOptions): Promise<number> {
    return await storeAction("prune old traces", () => pruneTraces(this.database, options));
  }

  async #traces(statement: NamedStatement, values: readonly SqlValue[]): Promise<readonly KeptTrace[]> {
    const { rows } = await this.database.query<TraceRow>(statement, values);
    return rows.map(toTrace);
  }
}

function valuesOf({ org, project, user }: RunsOf): readonly (string | null)[] {
  return [org, project, user ?? null];
}

function toPath({ path, runs, successes }: PathRow): PathTaken {
  return { path, runs, successes };
}

function toDecisions(
  rows: readonly DecisionRow[],
  conditions: ReadonlyMap<string, string>,
): readonly DecisionStatistics[] {
  const nodes = new Map<string, { outcome: string; times: number }[]>();
  for (const { node_id, outcome, times } of rows) {
    const taken = { outcome: fromSqlText(outcome), times };
    const outcomes = nodes.get(node_id);
    if (outcomes === undefined) nodes.set(node_id, [taken]);
    else outcomes.push(taken);
  }
  return Array.from(nodes, ([nodeId, outcomes]) => {
    const condition = conditions.get(nodeId);
    return { nodeId, ...(condition === undefined ? {} : { condition }), outcomes };
  });
}

function toLoop({ node_id: nodeId, runs, iterations, fewest, most }: LoopRow): LoopStatistics {
  return { nodeId, runs, iterations, fewest, most };
}

/** The conditions of the structure's decisions, in its order. */
function conditionsOf(structure: unknown): ReadonlyMap<string, string> {
  const kept = isJsonObject(structure) ? structure.static_structure : undefined;
  const nodes = isJsonObject(kept) && Array.isArray(kept.nodes) ? kept.nodes.filter(isJsonObject) : [];
  return new Map(
    nodes.flatMap(({ id, type, condition }): [string, string][] =>
      type === "decision" && typeof id === "string" && typeof condition === "string" ? [[id, condition]] : [],
    ),
  );
}

/** Sorts in the order of `ids`; other nodes follow, by number. */
function inOrder<T extends { readonly nodeId: string }>(
  nodes: readonly T[],
  ids: readonly string[],
): readonly T[] {
  const rank = new Map(ids.map((id, index) => [id, index]));
  const rankOf = ({ nodeId }: T) => rank.get(nodeId) ?? ids.length;
  return [...nodes].sort(
    (a, b) => rankOf(a) - rankOf(b) || a.nodeId.localeCompare(b.nodeId, "en", { numeric: true }),
  );
}

function toTrace(row: TraceRow): KeptTrace {
  const steps = listOf(row.decisions);
  const { capability_id: fqdn, capability_version: version } = row;
  const errorMessage = textOf(row.error_message);
  const taskId = textOf(row.task_id);
  return {
    traceId: row.trace_id,
    ...(row.parent_trace_id === null ? {} : { parentTraceId: row.parent_trace_id }),
    ...(taskId === undefined ? {} : { taskId }),
    workflowId: textOf(row.workflow_id) ?? "",
    ...(fqdn === null || version === null ? {} : { fqdn, version }),
    intent: textOf(row.intent) ?? "",
    executedPath: row.executed_path.map(fromSqlText),
    decisions: steps
      .filter(({ outcome }) => typeof outcome === "string")
      .map(({ nodeId, outcome, count }) => ({
        nodeId: String(nodeId),
        outcome: fromSqlText(String(outcome)),
        ...(typeof count === "number" ? { count } : {}),
      })),
    loops: steps
      .filter(({ iterations }) => typeof iterations === "number")
      .map(({ nodeId, iterations }) => ({ nodeId: String(nodeId), iterations: Number(iterations) })),
    tasks: listOf(row.task_results).map(toTask),
    success: row.success,
    durationMs: row.duration_ms,
    ...(row.error_code === null ? {} : { errorCode: row.error_code }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    executedAt: row.executed_at,
    scope: { org: row.org, project: row.project, user: row.user_name },
  };
}

function toTask(kept: Readonly<Record<string, unknown>>): KeptTask {
  const { taskId, tool, success, status, durationMs, startMs } = kept;
  return {
    taskId: String(taskId),
    tool: String(tool),
    success: success === true,
    ...(typeof status === "string" ? { status } : {}),
    durationMs: Number(durationMs),
    ...(typeof startMs === "number" ? { startMs } : {}),
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
