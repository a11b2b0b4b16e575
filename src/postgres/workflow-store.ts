/**
 * {@link WorkflowStore} on the tables `workflow_runs`, `workflow_calls` and `tool_approvals`.
 *
 * A statement that changes the state of a run also checks its old state: if several gateways try, one gets the row, and
 * the others check the row again after that change. Leases and expiry use the clock of the database, because the clocks
 * of gateways differ.
 *
 * @module
 */

import { canonicalJson } from "../base/canonical-json.js";
import type { ExecuteAnswer } from "../execution/ports/execute-answer.js";
import type {
  JournalEntry,
  Lease,
  NewWorkflow,
  RecordedCall,
  StandingApproval,
  Workflow,
  WorkflowDecision,
  WorkflowStore,
} from "../execution/wait/workflow-store.js";
import type { Scope } from "../registry/scope.js";
import type { ToolId } from "../registry/tool-id.js";
import { type NamedStatement, OnDatabase, type Queryable, type SqlValue, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";
import {
  CALL_COLUMNS,
  type CallRow,
  recordCalls,
  runLost,
  toCall,
  toWorkflow,
  WORKFLOW_COLUMNS,
  type WorkflowRow,
} from "./workflow-calls.js";

const CREATE = sql("workflow_create")`insert into workflow_runs
      (workflow_id, org, project, user_name, mode, state, request, fingerprint, seed, started_at, approval, owner,
       lease_until, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7::json, $8, $9, $10, $11::json, $12,
            now() + make_interval(secs => $13::double precision / 1000), $14)`;

const GET = sql("workflow_get")`
    select ${WORKFLOW_COLUMNS} from workflow_runs as run where run.workflow_id = $1`;

const FIND_OPEN = sql("workflow_find_open")`select ${WORKFLOW_COLUMNS} from workflow_runs as run
     where run.state in ('waiting', 'approved') and run.org = $1 and run.project = $2 and run.user_name = $3
       and run.fingerprint = $4 and run.expires_at > now()
     order by run.created_at desc, run.workflow_id desc limit 1`;

const COUNT_WAITING = sql("workflow_count_waiting")`select count(*)::integer as waiting from workflow_runs
     where state = 'waiting' and org = $1 and project = $2 and user_name = $3 and expires_at > now()`;

const WAITING = sql("workflow_waiting")`select ${WORKFLOW_COLUMNS} from workflow_runs as run
     where run.state = 'waiting' and run.org = $1 and run.project = $2 and run.expires_at > now()
     order by run.created_at, run.workflow_id limit $3`;

const APPROVED_IDS = sql("workflow_approved_ids")`select run.workflow_id from workflow_runs as run
     where run.state = 'approved' and run.org = $1 and run.project = $2 and run.expires_at > now()
     order by run.created_at desc, run.workflow_id limit $3`;

const DECIDE = sql("workflow_decide")`with decided as (
      update workflow_runs as run set
          state = $3, approved = $4::json, decided_by = $5, decided_at = now(), expires_at = $6
       where run.workflow_id = $1 and run.state = 'waiting' and run.expires_at > now() and run.approval::text = $2
      returning ${WORKFLOW_COLUMNS}),
    said as (
      update workflow_calls as call set doubt = about.doubt::json
        from decided, unnest($7::integer[], $8::text[]) as about (seq, doubt)
       where call.workflow_id = decided.workflow_id and call.seq = about.seq and call.state = 'sent')
    select * from decided`;

/** Even a gateway that ignores leases does not take over a run that it is running itself. */
const CLAIM = sql("workflow_claim")`update workflow_runs as run set
      state = 'running', owner = $2, lease_until = now() + make_interval(secs => $3::double precision / 1000)
    where run.workflow_id = $1 and (
        (run.state = 'approved' and run.expires_at > now())
        or (run.state = 'running' and (run.lease_until <= now() or ($4 and run.owner <> $2))))
    returning ${WORKFLOW_COLUMNS}`;

const RENEW = sql("workflow_renew")`
    update workflow_runs set lease_until = now() + make_interval(secs => $3::double precision / 1000)
    where workflow_id = any ($1::text[]) and owner = $2 and state = 'running'`;

const CALLS = sql("workflow_calls")`
    select ${CALL_COLUMNS} from workflow_calls where workflow_id = $1 order by seq`;

const WAIT = sql("workflow_wait")`update workflow_runs set
      state = 'waiting', approval = $3::json, expires_at = $4, fingerprint = coalesce($5, fingerprint), approved = null,
      decided_by = null, decided_at = null, owner = null, lease_until = null
    where workflow_id = $1 and owner = $2 and state = 'running'`;

const RELEASE = sql("workflow_release")`
    update workflow_runs set state = 'approved', expires_at = $3, owner = null, lease_until = null
    where workflow_id = $1 and owner = $2 and state = 'running'`;

const END = sql("workflow_end")`with ended as (
      update workflow_runs set state = 'ended', answer = $3::json, expires_at = $4, owner = null, lease_until = null
       where workflow_id = $1 and owner = $2 and state = 'running' returning workflow_id),
    forgotten as (delete from workflow_calls using ended where workflow_calls.workflow_id = ended.workflow_id)
    select workflow_id from ended`;

/** A run whose gateway was killed can be continued for one more day. */
const PRUNE = sql("workflow_prune")`delete from workflow_runs where expires_at < $1::timestamptz
      and (state <> 'running' or lease_until < $1::timestamptz - interval '1 day')`;

export class PostgresWorkflowStore extends OnDatabase implements WorkflowStore {
  async create(workflow: NewWorkflow): Promise<void> {
    const { scope, state } = workflow;
    await storeAction("save a run", () =>
      this.database.query(CREATE, [
        toSqlText(workflow.workflowId),
        scope.org,
        scope.project,
        scope.user,
        workflow.mode,
        state,
        JSON.stringify(workflow.request),
        workflow.fingerprint,
        workflow.seed,
        workflow.startedAt,
        state === "waiting" ? canonicalJson(workflow.approval) : null,
        state === "running" ? workflow.owner.owner : null,
        state === "running" ? workflow.owner.ms : null,
        workflow.expiresAt,
      ]),
    );
  }

  async get(workflowId: string): Promise<Workflow | undefined> {
    return await this.#one("read a run", GET, [toSqlText(workflowId)]);
  }

  async findOpen({ org, project, user }: Scope, fingerprint: string): Promise<Workflow | undefined> {
    return await this.#one("find a run", FIND_OPEN, [org, project, user, fingerprint]);
  }

  async countWaiting({ org, project, user }: Scope): Promise<number> {
    return await storeAction("count the runs that wait", async () => {
      const values = [org, project, user];
      const { rows } = await this.database.query<{ readonly waiting: number }>(COUNT_WAITING, values);
      return rows[0]?.waiting ?? 0;
    });
  }

  async waiting(org: string, project: string, most: number): Promise<readonly Workflow[]> {
    return await storeAction("list the runs that wait", async () => {
      const { rows } = await this.database.query<WorkflowRow>(WAITING, [org, project, most]);
      return rows.map(toWorkflow);
    });
  }

  async approvedIds(org: string, project: string, most: number): Promise<readonly string[]> {
    return await storeAction("list the runs that are approved", async () => {
      const { rows } = await this.database.query<{ workflow_id: string }>(APPROVED_IDS, [org, project, most]);
      return rows.map((row) => row.workflow_id);
    });
  }

  async decide(decision: WorkflowDecision): Promise<Workflow | undefined> {
    const { approved, doubts = new Map() } = decision;
    return await this.#one("decide about a run", DECIDE, [
      toSqlText(decision.workflowId),
      canonicalJson(decision.asked),
      approved === undefined ? "rejected" : "approved",
      approved === undefined ? null : JSON.stringify(approved),
      toSqlText(decision.by),
      decision.expiresAt,
      [...doubts.keys()],
      [...doubts.values()].map((doubt) => JSON.stringify(doubt)),
    ]);
  }

  async claim(workflowId: string, lease: Lease, ignoresLeases: boolean): Promise<Workflow | undefined> {
    const values = [toSqlText(workflowId), lease.owner, lease.ms, ignoresLeases];
    return await this.#one("take a run", CLAIM, values);
  }

  async renew(workflowIds: readonly string[], { owner, ms }: Lease): Promise<void> {
    await storeAction("renew the leases of runs", () =>
      this.database.query(RENEW, [workflowIds.map(toSqlText), owner, ms]),
    );
  }

  async calls(workflowId: string): Promise<readonly RecordedCall[]> {
    return await storeAction("read the calls of a run", async () => {
      const { rows } = await this.database.query<CallRow>(CALLS, [toSqlText(workflowId)]);
      return rows.map(toCall);
    });
  }

  async record(workflowId: string, owner: string, entries: readonly JournalEntry[]): Promise<void> {
    const record = () => recordCalls(this.database, workflowId, owner, entries);
    await storeAction("record the calls of a run", record, ["RUN_BUSY"]);
  }

  async wait(
    workflowId: string,
    owner: string,
    { approval, expiresAt, fingerprint }: Parameters<WorkflowStore["wait"]>[2],
  ): Promise<void> {
    const values = [canonicalJson(approval), expiresAt, fingerprint ?? null];
    await this.#leave("pause a run", WAIT, workflowId, owner, values);
  }

  async release(workflowId: string, owner: string, expiresAt: Date): Promise<void> {
    await storeAction("release a run", () =>
      this.database.query(RELEASE, [toSqlText(workflowId), owner, expiresAt]),
    );
  }

  async end(workflowId: string, owner: string, answer: ExecuteAnswer, keptUntil: Date): Promise<void> {
    await this.#leave("end a run", END, workflowId, owner, [JSON.stringify(answer), keptUntil]);
  }

  async prune(now: Date): Promise<number> {
    return await storeAction("delete old runs", async () => {
      const { rowCount } = await this.database.query(PRUNE, [now]);
      return rowCount;
    });
  }

  async approveAlways(approvals: readonly StandingApproval[]): Promise<void> {
    await storeAction("approve tools permanently", () => addApprovals(this.database, approvals));
  }

  async standingApprovals(): Promise<readonly StandingApproval[]> {
    return await storeAction("list the tools that are approved", () => listApprovals(this.database));
  }

  async revoke(org: string, project: string, tool: ToolId): Promise<boolean> {
    return await storeAction("revoke an approval", () => removeApproval(this.database, org, project, tool));
  }

  async #one(
    action: string,
    statement: NamedStatement,
    values: readonly SqlValue[],
  ): Promise<Workflow | undefined> {
    return await storeAction(action, async () => {
      const { rows } = await this.database.query<WorkflowRow>(statement, values);
      const [row] = rows;
      return row === undefined ? undefined : toWorkflow(row);
    });
  }

  /** Changes a run that `owner` has; throws `RUN_BUSY` if it no longer has it. */
  async #leave(
    action: string,
    statement: NamedStatement,
    workflowId: string,
    owner: string,
    values: readonly SqlValue[],
  ): Promise<void> {
    const leave = async (): Promise<void> => {
      const { rowCount } = await this.database.query(statement, [toSqlText(workflowId), owner, ...values]);
      if (rowCount === 0) throw runLost(workflowId);
    };
    await storeAction(action, leave, ["RUN_BUSY"]);
  }
}

/** A repeated approval replaces the earlier one: the newest approval of the tool counts. */
const ADD = sql("tool_approvals_add")`
    insert into tool_approvals (org, project, tool, hash, approved_by, approved_at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
    on conflict (org, project, tool, hash) do update
      set approved_by = excluded.approved_by, approved_at = excluded.approved_at`;

const LIST = sql("tool_approvals_list")`
    select org, project, tool, hash, approved_by, approved_at from tool_approvals
     order by approved_at, org, project, tool, hash`;

const REVOKE = sql("tool_approvals_revoke")`
    delete from tool_approvals where org = $1 and project = $2 and tool = $3`;

interface ApprovalRow {
  readonly org: string;
  readonly project: string;
  readonly tool: string;
  readonly hash: string;
  readonly approved_by: string;
  readonly approved_at: Date;
}

async function addApprovals(queryable: Queryable, approvals: readonly StandingApproval[]): Promise<void> {
  await queryable.query(ADD, [
    approvals.map(({ org }) => org),
    approvals.map(({ project }) => project),
    approvals.map(({ tool }) => toSqlText(tool)),
    approvals.map(({ hash }) => hash),
    approvals.map(({ approvedBy }) => toSqlText(approvedBy)),
    approvals.map(({ approvedAt }) => approvedAt),
  ]);
}

async function listApprovals(queryable: Queryable): Promise<readonly StandingApproval[]> {
  const { rows } = await queryable.query<ApprovalRow>(LIST);
  return rows.map((row) => ({
    org: row.org,
    project: row.project,
    tool: fromSqlText(row.tool) as ToolId,
    hash: row.hash,
    approvedBy: fromSqlText(row.approved_by),
    approvedAt: row.approved_at,
  }));
}

/** False if the tool had no permanent approval. */
async function removeApproval(
  queryable: Queryable,
  org: string,
  project: string,
  tool: ToolId,
): Promise<boolean> {
  const { rowCount } = await queryable.query(REVOKE, [org, project, toSqlText(tool)]);
  return rowCount > 0;
}
