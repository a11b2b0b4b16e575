import type { MadeCall } from "./run-journal.js";
import type { KnownTool } from "./tool-box.js";
import type { WorkflowApproval } from "./workflow-store.js";

/** Whether the whole run was approved, and this tool among those that it needed. */
export function coversTool(approved: WorkflowApproval | undefined, { id }: KnownTool): boolean {
  return approved?.kind === "run" && approved.tools.includes(id);
}

/** Whether a person must be asked before this very call. */
export function asksAbout(
  { tool, taskId: now, argsHash, recorded }: MadeCall,
  approved: WorkflowApproval | undefined,
  needs: (tool: KnownTool) => boolean,
): boolean {
  if (tool === undefined || !needs(tool)) return false;
  if (approved?.kind !== "calls") return true;
  // Which round of a loop it was may have been another one before.
  const taskId = recorded?.taskId ?? now;
  return !approved.calls.some(
    (call) => call.taskId === taskId && call.tool === tool.id && call.argsHash === argsHash,
  );
}
