import type { StandingApproval } from "../execution/workflow-store.js";
import type { ToolId } from "../registry/tool-id.js";
import type { NamedStatement, Queryable } from "./database.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

/** A repeated approval replaces the earlier one: the newest approval of the tool counts. */
const ADD: NamedStatement = {
  name: "tool_approvals_add",
  text: `insert into tool_approvals (org, project, tool, hash, approved_by, approved_at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
    on conflict (org, project, tool, hash) do update
      set approved_by = excluded.approved_by, approved_at = excluded.approved_at`,
};

const LIST: NamedStatement = {
  name: "tool_approvals_list",
  text: `select org, project, tool, hash, approved_by, approved_at from tool_approvals
     order by approved_at, org, project, tool, hash`,
};

const REVOKE: NamedStatement = {
  name: "tool_approvals_revoke",
  text: "delete from tool_approvals where org = $1 and project = $2 and tool = $3",
};

interface ApprovalRow {
  readonly org: string;
  readonly project: string;
  readonly tool: string;
  readonly hash: string;
  readonly approved_by: string;
  readonly approved_at: Date;
}

export async function addApprovals(
  queryable: Queryable,
  approvals: readonly StandingApproval[],
): Promise<void> {
  await queryable.query(ADD, [
    approvals.map(({ org }) => org),
    approvals.map(({ project }) => project),
    approvals.map(({ tool }) => toSqlText(tool)),
    approvals.map(({ hash }) => hash),
    approvals.map(({ approvedBy }) => toSqlText(approvedBy)),
    approvals.map(({ approvedAt }) => approvedAt),
  ]);
}

export async function listApprovals(queryable: Queryable): Promise<readonly StandingApproval[]> {
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

/** False where there was none. */
export async function removeApproval(
  queryable: Queryable,
  org: string,
  project: string,
  tool: ToolId,
): Promise<boolean> {
  const { rowCount } = await queryable.query(REVOKE, [org, project, toSqlText(tool)]);
  return rowCount > 0;
}
