import { type MadeCall, recordedTask } from "./run-journal.js";
import type { KnownTool } from "./tool-box.js";
import type { WorkflowApproval } from "./workflow-store.js";

/** Whether the whole run was approved, and this tool among those that it needed. */
export function coversTool(approved: WorkflowApproval | undefined, { id }: KnownTool): boolean {
  return approved?.kind === "run" && approved.tools.includes(id);
}

/** Whether a person must be asked before this very call. */
export function asksAbout(
  made: MadeCall,
  approved: WorkflowApproval | undefined,
  needs: (tool: KnownTool) => boolean,
): boolean {
  const { tool, argsHash } = made;
  if (tool === undefined || !needs(tool)) return false;
  if (approved?.kind !== "calls") return true;
  const taskId = recordedTask(made);
  return !approved.calls.some(
    (call) => call.taskId === taskId && call.tool === tool.id && call.argsHash === argsHash,
  );
}
