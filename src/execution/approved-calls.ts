import type { Json } from "../base/canonical-json.js";
import { PmlError } from "../base/pml-error.js";
import { type MadeCall, recordedTask } from "./run-journal.js";
import type { SandboxCall } from "./sandbox.js";
import type { ShownUnit } from "./shown-calls.js";
import type { KnownTool } from "./tool-box.js";
import type { WorkflowApproval } from "./workflow-store.js";

/** Whether the whole run was approved, and this tool among those that it needed. */
export function coversTool(approved: WorkflowApproval | undefined, { id }: KnownTool): boolean {
  return approved?.kind === "run" && approved.tools.includes(id);
}

/** True where a call is one that a person was shown, and counts it; else throws what the code is told. */
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

/** Whether a person must be asked before this very call. */
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
