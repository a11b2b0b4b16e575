/**
 * What a person is asked about a run: put together from its plan, or from the calls that it waits with.
 *
 * @module
 */
import type { StructureNode } from "../analysis/static-structure.js";
import { visible } from "../base/visible-text.js";
import type { CapabilityRef } from "../registry/capability-ref.js";
import type { ToolId } from "../registry/tool-id.js";
import type { ApprovalCall, ApprovalReason, ApprovalRequest, ApprovalTool } from "./approval-request.js";
import type { ToolNeedingApproval } from "./plan-run.js";
import type { PreparedRun } from "./prepared-run.js";
import { shownArguments } from "./shown-arguments.js";
import type { RecordedCall } from "./workflow-store.js";

interface Question {
  readonly workflowId: string;
  readonly reason: ApprovalReason;
  readonly tools: readonly ApprovalTool[];
  readonly calls: readonly ApprovalCall[];
  readonly expiresAt: Date;
  readonly message: string;
}

/** Before anything has run. */
export function askBeforeRun(
  prepared: PreparedRun,
  needed: readonly ToolNeedingApproval[],
  about: Pick<Question, "workflowId" | "expiresAt"> & { readonly reason?: ApprovalReason },
): ApprovalRequest {
  const { plan, request } = prepared;
  const tools = needed.map(approvalTool);
  const ids = new Set<string>(tools.map(({ tool }) => tool));
  const { reason = "run" } = about;
  const changed = CHANGED[reason] ?? "";
  const what = plan.main.name === "this code" ? "code that an agent sent" : plan.main.name;
  return question({
    ...about,
    reason,
    tools,
    calls: knownCalls(prepared, ids),
    message:
      request.tool === undefined
        ? `${changed}May ${what} call ${listed(tools)}? Its purpose, as the agent says: ${firstLine(request.intent)}`
        : `${changed}May an agent call ${listed(tools)}?`,
  });
}

/** Before calls that are pending together. */
export function askBeforeLayer(
  needed: readonly ApprovalTool[],
  held: readonly Pick<RecordedCall, "taskId" | "tool" | "args">[],
  done: number,
  about: Pick<Question, "workflowId" | "expiresAt">,
): ApprovalRequest {
  const ids = new Set<string>(needed.map(({ tool }) => tool));
  return question({
    ...about,
    reason: "layer",
    tools: needed,
    calls: held.map((call) => exactCall(call, ids)),
    message: `${done === 0 ? "Nothing was called yet" : `${done} ${done === 1 ? "call is" : "calls are"} done`}. May the run go on with ${listed(needed)}?`,
  });
}

/** After a call was sent of which nobody knows whether it happened. */
export function askAboutDoubt(
  approved: readonly ApprovalTool[],
  inDoubt: readonly RecordedCall[],
  about: Pick<Question, "workflowId" | "expiresAt">,
): ApprovalRequest {
  return question({
    ...about,
    reason: "in_doubt",
    tools: approved,
    calls: inDoubt.map((call) => exactCall(call, new Set([call.tool]))),
    message: `The gateway stopped while ${inDoubt.map(({ tool, taskId }) => `${tool} (${taskId})`).join(", ")} ${inDoubt.length === 1 ? "was" : "were"} under way. Did it happen, is it to be called again, or is the run to be given up?`,
  });
}

export function approvalTool({ tool, reason, via }: ToolNeedingApproval): ApprovalTool {
  return { tool: tool.id, hash: tool.hash, reason, ...(via === undefined ? {} : { via }) };
}

const CHANGED: Partial<Record<ApprovalReason, string>> = {
  changed: "What was approved is not what would run now: a capability or a tool has changed since. ",
  interrupted: "The run was cancelled before it had ended; what it did so far stays done. ",
};

function question({ workflowId, reason, message, tools, calls, expiresAt }: Question): ApprovalRequest {
  const how =
    reason === "in_doubt" ? "--done, --repeat or --reject" : "--always or --reject where so decided";
  return {
    workflowId,
    reason,
    message: visible(message),
    tools,
    calls,
    expiresAt: expiresAt.toISOString(),
    next: `A person decides with \`pml approve ${workflowId}\` (${how}); then continue with pml_execute { "intent": "…", "resume": "${workflowId}" }.`,
  };
}

function knownCalls(prepared: PreparedRun, needing: ReadonlySet<string>): readonly ApprovalCall[] {
  const { plan } = prepared;
  const { nodes } = plan.main.analysis.structure;
  return nodes.flatMap((node): readonly ApprovalCall[] => {
    if (node.type !== "task" && node.type !== "capability") return [];
    return [
      {
        taskId: plan.taskNames?.get(node.id) ?? node.id,
        tool: node.type === "task" ? node.tool : (node.name as ToolId),
        arguments: shownArguments(node, prepared),
        needsApproval: reaches(plan, undefined, node, needing),
      },
    ];
  });
}

/** Whether a call is one of these tools, or of a capability that calls one. */
function reaches(
  plan: PreparedRun["plan"],
  unit: CapabilityRef | undefined,
  node: StructureNode,
  tools: ReadonlySet<string>,
): boolean {
  if (node.type === "task") return tools.has(node.tool);
  if (node.type !== "capability") return false;
  const callee = plan.targetOf(unit, node.id) as CapabilityRef | undefined;
  const nodes = callee === undefined ? undefined : plan.structureOf(callee)?.nodes;
  return nodes?.some((inner) => reaches(plan, callee, inner, tools)) ?? true;
}

function exactCall(
  { taskId, tool, args }: Pick<RecordedCall, "taskId" | "tool" | "args">,
  needing: ReadonlySet<string>,
): ApprovalCall {
  return { taskId, tool, arguments: args, needsApproval: needing.has(tool as ToolId) };
}

function listed(tools: readonly ApprovalTool[]): string {
  return tools.map(({ tool, via }) => (via === undefined ? tool : `${tool} (through ${via})`)).join(", ");
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
