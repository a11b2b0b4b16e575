/**
 * Decides what needs a person's approval: tools by their rules unless they are permanently approved, and every call
 * that names one of PML's own files.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ApprovalTool } from "../ports/execute-answer.js";
import type { SandboxCall } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { Approval } from "../prepare/approval-policy.js";
import { type OwnFileCheck, ownFileReason } from "../prepare/own-files.js";
import type { RunPlan, ToolNeedingApproval } from "../prepare/plan-run.js";
import type { ShownUnit } from "../prepare/shown-calls.js";
import { approvalTool } from "./ask-person.js";
import { type MadeCall, recordedTask } from "./run-journal.js";
import type { StandingApprovals } from "./standing-approvals.js";
import type { WorkflowApproval } from "./workflow-store.js";

export interface ApprovalNeedsOptions {
  readonly approvalOf: (tool: KnownTool) => Approval;
  readonly standing: StandingApprovals;
  readonly ownFiles: OwnFileCheck;
}

export class ApprovalNeeds {
  readonly #options: ApprovalNeedsOptions;

  constructor(options: ApprovalNeedsOptions) {
    this.#options = options;
  }

  /** Whether the tool needs approval according to the rules. */
  ofTool(tool: KnownTool, scope: Scope): boolean {
    const { approvalOf, standing } = this.#options;
    return approvalOf(tool).mode === "hil" && !standing.has(tool, scope);
  }

  isDenied(tool: KnownTool): boolean {
    return this.#options.approvalOf(tool).mode === "deny";
  }

  ofCall(tool: KnownTool, args: Json, scope: Scope): boolean {
    return this.ofTool(tool, scope) || this.ownFile(tool, args) !== undefined;
  }

  /** The text in a value that names one of PML's own files. */
  ownFile({ server, operation }: KnownTool, value: Json): string | undefined {
    return operation === undefined ? this.#options.ownFiles(server, value) : undefined;
  }

  /** Whether a call may turn out to need approval when it is made. */
  mayCome({ hasComputedCalls, tools }: RunPlan): boolean {
    return hasComputedCalls || tools.length > 0;
  }

  unapproved(needed: readonly ToolNeedingApproval[], scope: Scope): readonly ToolNeedingApproval[] {
    return needed.filter(({ tool, isAskedEachTime }) => isAskedEachTime === true || this.ofTool(tool, scope));
  }

  /** The tools that need approval, among calls that are about to be made. */
  ofCalls(made: readonly MadeCall[], scope: Scope): readonly ApprovalTool[] {
    const needed = new Map<ToolId, ToolNeedingApproval>();
    for (const { tool, args } of made) {
      if (tool === undefined) continue;
      const ownFile = this.ownFile(tool, args);
      if (ownFile !== undefined)
        needed.set(tool.id, { tool, reason: ownFileReason(ownFile), isAskedEachTime: true });
      else if (!needed.has(tool.id) && this.ofTool(tool, scope))
        needed.set(tool.id, { tool, reason: this.#options.approvalOf(tool).reason });
    }
    return Array.from(needed.values(), approvalTool);
  }
}

/** Whether the whole run was approved, including this tool. */
export function coversTool(approved: WorkflowApproval | undefined, { id }: KnownTool): boolean {
  return approved?.kind === "run" && approved.tools.includes(id);
}

/** True if the call is one that a person was shown, and counts it; otherwise throws the error for the code. */
export function isAsShown(
  { id }: KnownTool,
  call: SandboxCall,
  shown: ShownUnit | undefined,
  isFree?: (value: Json) => boolean,
): boolean {
  if (shown?.makes(id, call.node, call.args, isFree) === true) return true;
  throw new PmlError(
    "APPROVAL_REQUIRED",
    `${id} was not called: the approval of this run does not cover this call with these arguments`,
    {
      hint: "Write the name and the arguments as literals in the call, or run with options.per_layer_validation, which asks before each call.",
      data: { tool: id },
    },
  );
}

/** Whether a person must be asked before this call. */
export function asksAbout(
  made: MadeCall,
  approved: WorkflowApproval | undefined,
  needs: (tool: KnownTool, args: Json) => boolean,
): boolean {
  const { tool, args, argsHash } = made;
  if (tool === undefined || !needs(tool, args)) return false;
  if (approved?.kind !== "calls") return true;
  const taskId = recordedTask(made);
  return !approved.calls.some(
    (call) => call.taskId === taskId && call.tool === tool.id && call.argsHash === argsHash,
  );
}
