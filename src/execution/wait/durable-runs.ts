/**
 * Runs that need a person: stored before anything happens, so that they survive the end of the gateway, and continued
 * from the record of their calls.
 *
 * The approved request itself is stored here: a client that continues a run only names it, and cannot change it.
 *
 * @module
 */
import { canonicalJson } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { messageOf } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ExecuteAnswer, ExecuteRequest, RunStart } from "../ports/execute-answer.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import { fingerprintOf, type PreparedRun } from "../prepare/prepared-run.js";
import type { CurrentTools } from "../prepare/tool-index.js";
import { type RunKeeper, randomSeed } from "../run/run-keeper.js";
import type { RunCaller } from "../run/runner.js";
import { ApprovalNeeds, type ApprovalNeedsOptions, coversTool } from "./approval-needs.js";
import { askAboutDoubt, askBeforeRun } from "./ask-person.js";
import {
  approvalExpired,
  directAnswer,
  doubtAnswer,
  isAskedBy,
  isExpired,
  isPerLayer,
  runBusy,
  runNotFound,
  runRejected,
  startOf,
  stillWaiting,
  toldAgain,
  tooManyWaiting,
  waitingAnswer,
  wasSent,
} from "./durable-answers.js";
import { HeldRuns, type HeldRunsOptions } from "./held-runs.js";
import { type Beginning, KeptRun } from "./kept-run.js";
import { diverged, isRepeatable } from "./run-journal.js";
import type { RecordedCall, Workflow } from "./workflow-store.js";

export interface DurableRunsOptions extends ApprovalNeedsOptions, HeldRunsOptions {
  readonly tools: CurrentTools;
  readonly prepare: (request: ExecuteRequest, scope: Scope, start: RunStart) => Promise<PreparedRun>;
  readonly run: (
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    keeper: RunKeeper,
  ) => Promise<ExecuteAnswer>;
}

/** A tool's answer to a client that called it itself. */
export interface DirectResult<T> {
  readonly value: T;
  /** The answer in the form for code. */
  readonly answer: SandboxCallAnswer;
}

export type DirectCall<T> =
  | { readonly kind: "called"; readonly value: T }
  /** A person must approve the call first. */
  | { readonly kind: "waits"; readonly answer: ExecuteAnswer };

export class DurableRuns {
  readonly #options: DurableRunsOptions;
  readonly #held: HeldRuns;
  readonly #needs: ApprovalNeeds;

  constructor(options: DurableRunsOptions) {
    this.#options = options;
    this.#needs = new ApprovalNeeds(options);
    this.#held = new HeldRuns(options);
  }

  /** Whether a run needs a person now, or may need one later. */
  async isNeeded({ plan, request }: PreparedRun, scope: Scope): Promise<boolean> {
    const isLayered = isPerLayer(request);
    if (plan.needsApproval.length === 0 && !(isLayered && this.#needs.mayCome(plan))) return false;
    await this.#options.standing.fresh();
    return isLayered || this.#needs.unapproved(plan.needsApproval, scope).length > 0;
  }

  /** Asks before the run; with validated layers, runs until a person must be asked. */
  async start(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { workflows } = this.#options;
    const { scope } = caller;
    const fingerprint = await fingerprintOf(prepared);
    await this.#held.settled(scope);
    const open = await workflows.findOpen(scope, fingerprint);
    // If a client sends the same request again, the approved run continues, or the answer says what it waits
    // for.
    if (open?.state === "approved") return this.#continue(open.workflowId, caller, start);
    if (open?.approval !== undefined) return stillWaiting(startOf(open, start), open.approval);
    if ((await workflows.countWaiting(scope)) >= LIMITS.approvalsWaiting) throw tooManyWaiting();
    const { workflowId, mode } = start;
    const seed = randomSeed();
    const startedAt = Date.now();
    const run = { workflowId, scope, mode, request: prepared.again, fingerprint, seed, startedAt };
    if (isPerLayer(prepared.request)) {
      await this.#held.create(run);
      const beginning = { ...run, approved: undefined };
      return this.#held.during(workflowId, caller, () =>
        this.#held.orReleased(workflowId, () => this.#run(beginning, [], prepared, caller, start)),
      );
    }
    const unapproved = this.#needs.unapproved(prepared.plan.needsApproval, scope);
    const approval = askBeforeRun(prepared, unapproved, this.#held.about(workflowId, scope));
    await this.#held.create(run, approval);
    return waitingAnswer(start, approval, { prepared });
  }

  /** Continues a run that waited, or was interrupted. */
  async resume(workflowId: string, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    await this.#held.settled(caller.scope);
    const workflow = await this.#options.workflows.get(workflowId);
    if (workflow === undefined || !isAskedBy(workflow, caller.scope)) throw runNotFound(workflowId);
    switch (workflow.state) {
      case "rejected":
        throw runRejected(workflow);
      case "ended":
        return toldAgain(workflow);
      case "waiting":
        if (isExpired(workflow) || workflow.approval === undefined) throw approvalExpired(workflow);
        return stillWaiting(startOf(workflow, start), workflow.approval);
      default:
        return this.#continue(workflowId, caller, start);
    }
  }

  /** A call that a client makes itself: made when a person has approved it, and recorded like every other. */
  async direct<T>(
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    call: () => Promise<DirectResult<T>>,
  ): Promise<DirectCall<T>> {
    const { workflows, log } = this.#options;
    if (!(await this.isNeeded(prepared, caller.scope)))
      return { kind: "called", value: (await call()).value };
    await this.#held.settled(caller.scope);
    const open = await workflows.findOpen(caller.scope, await fingerprintOf(prepared));
    if (open?.state !== "approved")
      return { kind: "waits", answer: await this.start(prepared, caller, start) };
    const { workflowId } = open;
    const { args, plan } = prepared;
    this.#waited(open, start);
    // The call was sent before, and a person has decided about it since: that decision counts only for
    // `resume`.
    if ((await workflows.calls(workflowId)).length > 0) throw wasSent(workflowId);
    const argsHash = await sha256Hex(canonicalJson(args));
    await this.#held.claim(workflowId);
    const taskId = plan.main.analysis.structure.nodes[0]?.id ?? "n1";
    const tool = plan.tools[0]?.id ?? ("" as ToolId);
    const sent = { seq: 1, taskId, tool, args, argsHash, seen: 0, state: "sent" } as const;
    // The tool has done its work: its answer is returned even if it cannot be stored.
    const end = (answer: SandboxCallAnswer) =>
      this.#held.end(directAnswer(startOf(open, start), answer)).catch((error: unknown) => {
        log.warn("run.not_ended", { workflowId, message: messageOf(error) });
      });
    return this.#held.during(workflowId, caller, async () => {
      await this.#held.orReleased(workflowId, () =>
        this.#held.record(workflowId, [{ kind: "call", call: sent }]),
      );
      const { value, answer } = await call().catch(async (error: unknown) => {
        // The approval is used up, whether the call succeeded or not: a new call needs a new approval.
        await end({ kind: "error", code: "TOOL_FAILED", message: messageOf(error), tool });
        throw error;
      });
      await end(answer);
      return { kind: "called", value };
    });
  }

  stop(): void {
    this.#held.stop();
  }

  async #continue(workflowId: string, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    if (this.#held.has(workflowId)) throw runBusy(workflowId);
    // Set before the first `await`, so that only one of two simultaneous requests continues the run.
    return this.#held.during(workflowId, caller, async () => {
      const workflow = await this.#held.claim(workflowId);
      return this.#held.orReleased(workflowId, () => this.#goOn(workflow, caller, startOf(workflow, start)));
    });
  }

  async #goOn(workflow: Workflow, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { workflows, tools, standing, prepare } = this.#options;
    const { workflowId, request, approved, approval: asked } = workflow;
    const { scope } = caller;
    this.#waited(workflow, start);
    const calls = await workflows.calls(workflowId);
    const unanswered = calls.filter(({ state, tool }) => state === "sent" && tool !== "");
    // The tool's annotations say whether a call may be repeated; its server may still be starting.
    if (unanswered.length > 0) await tools.settled();
    const doubted = unanswered.filter((call) => !this.#mayRepeat(call));
    if (doubted.length > 0) {
      const about = this.#held.about(workflowId, workflow.scope);
      const approval = askAboutDoubt(asked?.tools ?? [], doubted, about);
      await this.#held.wait(approval);
      return doubtAnswer(start, approval);
    }
    const prepared = await prepare(request, scope, start);
    const fingerprint = await fingerprintOf(prepared);
    const isChanged = fingerprint !== workflow.fingerprint;
    if (isChanged && calls.length > 0)
      throw diverged("a capability that it calls, or one of its tools, has changed since it started");
    await standing.fresh();
    const unapproved = this.#needs.unapproved(prepared.plan.needsApproval, scope);
    const isCovered = unapproved.every(({ tool }) => coversTool(approved, tool));
    if (isPerLayer(request) || (!isChanged && isCovered))
      return this.#run(workflow, calls, prepared, caller, start);
    const about = { ...this.#held.about(workflowId, scope), reason: "changed" as const };
    const approval = askBeforeRun(prepared, unapproved, about);
    await this.#held.wait(approval, fingerprint);
    return waitingAnswer(start, approval, { prepared });
  }

  async #run(
    beginning: Beginning,
    recorded: readonly RecordedCall[],
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const [needs, held] = [this.#needs, this.#held];
    const kept = new KeptRun({ beginning, recorded, prepared, caller, start, needs, held });
    return this.#options.run(prepared, kept.caller, start, kept);
  }

  /**
   * Adds the waiting time to the trace when the run continues: while waiting, it is only a row, perhaps of another
   * gateway.
   */
  #waited({ workflowId, approval }: Workflow, { trace }: RunStart): void {
    if (approval === undefined) return;
    const startedAt = Date.parse(approval.expiresAt) - this.#options.expiresMs;
    const attributes = { "pml.workflow_id": workflowId, "pml.reason": approval.reason };
    trace?.child("pml.approval_wait", { startedAt, attributes }).end();
  }

  #mayRepeat({ tool: id, doubt }: RecordedCall): boolean {
    if (doubt !== undefined) return true;
    const tool = this.#options.tools.tools().find([id]);
    return tool !== undefined && isRepeatable(tool);
  }
}
