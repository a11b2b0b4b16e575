/**
 * Runs that need a person: kept in the store before anything happens, so that they survive whatever becomes of the
 * gateway, and continued from the record of their calls.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Scope } from "../registry/scope.js";
import type { RunStart } from "./answer-run.js";
import type { ExecuteAnswer } from "./execute-answer.js";
import type { PreparedRun } from "./prepared-run.js";
import type { RunCaller } from "./runner.js";

export class DurableRuns {
  /** Whether a run needs a person now, or may come to. */
  async isNeeded(prepared: PreparedRun, _scope: Scope): Promise<boolean> {
    return prepared.plan.needsApproval.length > 0;
  }

  async start(prepared: PreparedRun, _caller: RunCaller, _start: RunStart): Promise<ExecuteAnswer> {
    const [first] = prepared.plan.needsApproval;
    throw new PmlError("APPROVAL_REQUIRED", `${first?.tool.id} needs a person's approval: ${first?.reason}`);
  }

  async resume(_workflowId: string, _caller: RunCaller, _start: RunStart): Promise<ExecuteAnswer> {
    throw new PmlError("RUN_NOT_FOUND", "No such run");
  }

  async stop(): Promise<void> {}
}
