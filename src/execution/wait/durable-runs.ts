/**
 * Runs that need a person: kept in the store before anything happens, so that they survive whatever becomes of the
 * gateway, and continued from the record of their calls.
 *
 * What was approved is what is kept here, and nothing else: who continues a run names it, and cannot change it.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf, type PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { RunTrace } from "../../registry/capability-store.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ResultCache } from "../cache/run-cache.js";
import type { ExecuteAnswer, ExecuteRequest } from "../ports/execute-answer.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import { fingerprintOf, type PreparedRun } from "../prepare/prepared-run.js";
import { ShownUnit } from "../prepare/shown-calls.js";
import { answerRun, type RunStart } from "../run/answer-run.js";
import { keptError } from "../run/given-values.js";
import { randomSeed } from "../run/run-program.js";
import type { EndedRun, RunCaller, Runner } from "../run/runner.js";
import type { TaskResults } from "../run/task-results.js";
import {
  ApprovalNeeds,
  type ApprovalNeedsOptions,
  asksAbout,
  coversTool,
  isAsShown,
} from "./approval-needs.js";
import { askAboutDoubt, askBeforeLayer, askBeforeRun, callsShown } from "./ask-person.js";
import {
  approvalExpired,
  directAnswer,
  doubtAnswer,
  isAskedBy,
  isExpired,
  keptAnswer,
  missingCall,
  runBusy,
  runEnded,
  runNotFound,
  runRejected,
  startOf,
  stillWaiting,
  toldAgain,
  tooManyWaiting,
  waitingAnswer,
  wasSent,
} from "./durable-answers.js";
import { diverged, isRepeatable, type MadeCall, RunJournal, recordedTask } from "./run-journal.js";
import type { Lease, RecordedCall, Workflow, WorkflowStore } from "./workflow-store.js";

export interface DurableRunsOptions extends ApprovalNeedsOptions {
  readonly workflows: WorkflowStore;
  readonly runner: Runner;
  /** Prepares what was asked for once more. */
  readonly prepare: (request: ExecuteRequest, caller: RunCaller, start: RunStart) => Promise<PreparedRun>;
  readonly cache?: ResultCache | undefined;
  readonly results?: TaskResults | undefined;
  /** Told of a run that took another path: it says nothing about the capability that it is of. */
  readonly onDiverged: (trace: RunTrace) => void;
  /** What a person pastes into a shell to decide about a run of that scope. */
  readonly approveCommand: (workflowId: string, scope: Scope) => string;
  /** How long a run waits for a person, and an approval for its use. */
  readonly expiresMs: number;
  /** How long the answer of a run is kept, for who did not hear it. */
  readonly keptMs: number;
  /** No other gateway uses the store: what is under way there was so before this one started. */
  readonly isOnlyGateway: boolean;
  readonly log: Log;
}

/** What a run is run from. */
type Beginning = Pick<Workflow, "workflowId" | "seed" | "startedAt" | "approved">;

export class DurableRuns {
  readonly #options: DurableRunsOptions;
  readonly #leases: RunLeases;
  readonly #needs: ApprovalNeeds;

  constructor(options: DurableRunsOptions) {
    this.#options = options;
    this.#needs = new ApprovalNeeds(options);
    this.#leases = new RunLeases(options.workflows, options.log);
  }

  /** Whether a run needs a person now, or may come to. */
  async isNeeded({ plan, request }: PreparedRun, scope: Scope): Promise<boolean> {
    const isLayered = isPerLayer(request);
    if (plan.needsApproval.length === 0 && !(isLayered && this.#needs.mayCome(plan))) return false;
    await this.#options.standing.fresh();
    return isLayered || this.#needs.unapproved(plan.needsApproval, scope).length > 0;
  }

  /** Asks before the run, or, where its layers are to be validated, runs until somebody must be asked. */
  async start(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { workflows } = this.#options;
    const { scope } = caller;
    const fingerprint = await fingerprintOf(prepared);
    const open = await workflows.findOpen(scope, fingerprint);
    // Who sends the same once more goes on with what was approved, or is told what it waits for.
    if (open?.state === "approved") return this.#continue(open.workflowId, caller, start);
    if (open?.approval !== undefined) return stillWaiting(startOf(open, start), open.approval);
    if ((await workflows.countWaiting(scope)) >= LIMITS.approvalsWaiting) throw tooManyWaiting();
    const { workflowId, mode } = start;
    const about = this.#about(workflowId, scope);
    const workflow = {
      workflowId,
      scope,
      mode,
      request: prepared.again,
      fingerprint,
      seed: randomSeed(),
      startedAt: Date.now(),
      expiresAt: about.expiresAt,
    };
    if (isPerLayer(prepared.request)) {
      await workflows.create({ ...workflow, state: "running", owner: this.#leases.lease });
      return this.#run({ ...workflow, approved: undefined }, [], prepared, caller, start).catch(
        async (error: unknown) => {
          await this.#release(workflowId);
          throw error;
        },
      );
    }
    const unapproved = this.#needs.unapproved(prepared.plan.needsApproval, scope);
    const approval = askBeforeRun(prepared, unapproved, about);
    await workflows.create({ ...workflow, state: "waiting", approval });
    return waitingAnswer(start, approval, { prepared });
  }

  /** Continues a run that waited, or was interrupted. */
  async resume(workflowId: string, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
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

  /** A call that a client makes itself: made when a person has approved it, and written down like every other. */
  async direct<T>(
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    call: () => Promise<DirectResult<T>>,
  ): Promise<DirectCall<T>> {
    const { workflows, isOnlyGateway } = this.#options;
    if (!(await this.isNeeded(prepared, caller.scope)))
      return { kind: "called", value: (await call()).value };
    const open = await workflows.findOpen(caller.scope, await fingerprintOf(prepared));
    if (open?.state !== "approved")
      return { kind: "waits", answer: await this.start(prepared, caller, start) };
    const { workflowId } = open;
    const { args, plan } = prepared;
    // It was sent before, and a person has decided about it since: only who continues that run goes by it.
    if ((await workflows.calls(workflowId)).length > 0) throw wasSent(workflowId);
    const argsHash = await sha256Hex(canonicalJson(args));
    if ((await workflows.claim(workflowId, this.#leases.lease, isOnlyGateway)) === undefined)
      throw await this.#unclaimed(workflowId);
    const taskId = plan.main.analysis.structure.nodes[0]?.id ?? "n1";
    const tool = plan.tools[0]?.id ?? ("" as ToolId);
    const release = this.#leases.hold(workflowId);
    try {
      const sent = { seq: 1, taskId, tool, args, argsHash, seen: 0, state: "sent" } as const;
      const about = startOf(open, start);
      const asSent = workflows.record(workflowId, this.#leases.owner, [{ kind: "call", call: sent }]);
      await asSent.catch(async (error: unknown) => {
        await this.#release(workflowId);
        throw error;
      });
      const { value, answer } = await call().catch(async (error: unknown) => {
        // Whether it happened or not, the approval is used up: who calls again is asked again.
        await this.#endDirect(about, { kind: "error", code: "TOOL_FAILED", message: messageOf(error), tool });
        throw error;
      });
      await this.#endDirect(about, answer);
      return { kind: "called", value };
    } finally {
      release();
    }
  }

  async #endDirect(start: RunStart, answer: SandboxCallAnswer): Promise<void> {
    const { workflows, keptMs } = this.#options;
    const kept = directAnswer(start, answer);
    await workflows.end(start.workflowId, this.#leases.owner, kept, new Date(Date.now() + keptMs));
  }

  async stop(): Promise<void> {
    this.#leases.stop();
  }

  async #continue(workflowId: string, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { workflows, isOnlyGateway } = this.#options;
    if (this.#leases.has(workflowId)) throw runBusy(workflowId);
    // Before anything is waited for: of two who come at once, one goes on.
    const release = this.#leases.hold(workflowId);
    try {
      const workflow = await workflows.claim(workflowId, this.#leases.lease, isOnlyGateway);
      if (workflow === undefined) throw await this.#unclaimed(workflowId);
      try {
        return await this.#goOn(workflow, caller, startOf(workflow, start));
      } catch (error) {
        // Whatever it was, nothing is lost: who asks again continues from here.
        await this.#release(workflowId);
        throw error;
      }
    } finally {
      release();
    }
  }

  async #goOn(workflow: Workflow, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { workflows, runner } = this.#options;
    const { workflowId, request, approved } = workflow;
    const calls = await workflows.calls(workflowId);
    const unanswered = calls.filter(({ state, tool }) => state === "sent" && tool !== "");
    // Whether one may be repeated is said by its tool, whose server may still be starting.
    if (unanswered.length > 0) await runner.settled();
    const doubted = unanswered.filter((call) => !this.#mayRepeat(call));
    if (doubted.length > 0) return this.#doubt(workflow, doubted, start);
    const prepared = await this.#options.prepare(request, caller, start);
    const { needsApproval } = prepared.plan;
    const fingerprint = await fingerprintOf(prepared);
    const isChanged = fingerprint !== workflow.fingerprint;
    if (isChanged && calls.length > 0)
      throw diverged("a capability that it calls, or one of its tools, has changed since it began");
    await this.#options.standing.fresh();
    const unapproved = this.#needs.unapproved(needsApproval, caller.scope);
    const isCovered = unapproved.every(({ tool }) => coversTool(approved, tool));
    if (!isPerLayer(request) && (isChanged || !isCovered)) {
      const about = { ...this.#about(workflowId, caller.scope), reason: "changed" as const };
      const approval = askBeforeRun(prepared, unapproved, about);
      await workflows.wait(workflowId, this.#leases.owner, { ...about, approval, fingerprint });
      return waitingAnswer(start, approval, { prepared });
    }
    return this.#run(workflow, calls, prepared, caller, start);
  }

  async #run(
    beginning: Beginning,
    recorded: readonly RecordedCall[],
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const { workflows, runner, approvalOf } = this.#options;
    const { workflowId, seed, startedAt, approved } = beginning;
    const isLayered = isPerLayer(prepared.request);
    const needs = (tool: KnownTool) => this.#needs.ofTool(tool, caller.scope);
    const ownFileIn = (tool: KnownTool, value: Json) => this.#needs.ownFile(tool, value);
    const stopper = new AbortController();
    const journal = new RunJournal({
      recorded,
      write: (entries) => workflows.record(workflowId, this.#leases.owner, entries),
      ...(isLayered
        ? {
            asks: (call) =>
              asksAbout(call, approved, (tool, args) => needs(tool) || ownFileIn(tool, args) !== undefined),
          }
        : {}),
      stop: () => stopper.abort(),
    });
    const release = this.#leases.hold(workflowId);
    try {
      const signal = AbortSignal.any([caller.signal, stopper.signal]);
      const ended = await runner.run(prepared, { ...caller, signal }, start, {
        seed,
        startedAt,
        clock: recorded.flatMap(({ clock = [] }) => clock),
        journal,
        shown: isLayered ? undefined : new ShownUnit(callsShown(prepared)),
        allows: (tool, call, shown, ownFile) => {
          if (approvalOf(tool).mode === "deny") return false;
          if (isLayered) return true;
          if (ownFile === undefined && !needs(tool)) return true;
          // A value that names one of PML's own files was shown as it is, or the call is not made.
          const isFree = (value: Json) => ownFile === undefined || ownFileIn(tool, value) === undefined;
          return coversTool(approved, tool) && isAsShown(tool, call, shown, isFree);
        },
      });
      await journal.close();
      return await this.#ended(journal, ended, prepared, caller, start);
    } finally {
      release();
    }
  }

  async #ended(
    journal: RunJournal,
    ended: EndedRun,
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const { workflows, results, cache, keptMs } = this.#options;
    const { workflowId } = start;
    const { owner } = this.#leases;
    const { end } = journal;
    if (end?.kind === "paused") return this.#paused(end.held, ended, prepared, caller, start);
    // Another gateway has it, or the store is gone: what was recorded is all that there is to go on from.
    if (end?.kind === "failed" && end.error.code !== "RUN_DIVERGED") throw end.error;
    if (end === undefined && ended.error?.code === "SANDBOX_FAILED") throw ended.error;
    if (end === undefined && ended.error?.code === "RUN_CANCELLED") {
      const about = { ...this.#about(workflowId, caller.scope), reason: "interrupted" as const };
      const approval = askBeforeRun(prepared, prepared.plan.needsApproval, about);
      await workflows.wait(workflowId, owner, { approval, expiresAt: about.expiresAt });
      return answerRun(start, ended);
    }
    const error = end?.error ?? missingCall(journal.missing, ended);
    if (error === undefined) await cache?.keep(prepared, ended, caller);
    if (error !== undefined)
      this.#options.onDiverged({ ...ended.trace, success: false, ...keptError(error, ended.report.given) });
    const ending = error === undefined ? await prepared.finish(ended) : { ...ended, error };
    await results?.settled(workflowId);
    const answer = answerRun(start, ending);
    await workflows.end(workflowId, owner, keptAnswer(answer), new Date(Date.now() + keptMs));
    return answer;
  }

  async #paused(
    held: readonly MadeCall[],
    { report }: EndedRun,
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const { workflows, results } = this.#options;
    const { workflowId } = start;
    const waits = new Set(held.map(({ taskId }) => taskId));
    const tasks = report.tasks.filter(({ taskId }) => !waits.has(taskId));
    const about = this.#about(workflowId, caller.scope);
    const pending = held.flatMap((made) =>
      made.tool === undefined ? [] : [{ taskId: recordedTask(made), tool: made.tool.id, args: made.args }],
    );
    const needed = this.#needs.ofCalls(held, caller.scope);
    const approval = askBeforeLayer(needed, pending, tasks.length, about);
    await workflows.wait(workflowId, this.#leases.owner, { approval, expiresAt: about.expiresAt });
    await results?.settled(workflowId);
    return waitingAnswer(start, approval, { prepared, tasks });
  }

  async #doubt(
    { workflowId, scope, approval: asked }: Workflow,
    doubted: readonly RecordedCall[],
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const about = this.#about(workflowId, scope);
    const approval = askAboutDoubt(asked?.tools ?? [], doubted, about);
    await this.#options.workflows.wait(workflowId, this.#leases.owner, { ...about, approval });
    return doubtAnswer(start, approval);
  }

  async #release(workflowId: string): Promise<void> {
    const { workflows, log } = this.#options;
    await workflows.release(workflowId, this.#leases.owner, this.#expiry()).catch((error: unknown) => {
      log.warn("run.not_released", { workflowId, message: messageOf(error) });
    });
  }

  #mayRepeat({ tool: id, doubt }: RecordedCall): boolean {
    if (doubt !== undefined) return true;
    const tool = this.#options.runner.tools().find([id]);
    return tool !== undefined && isRepeatable(tool);
  }

  async #unclaimed(workflowId: string): Promise<PmlError> {
    const workflow = await this.#options.workflows.get(workflowId);
    if (workflow === undefined) return runNotFound(workflowId);
    if (workflow.state === "running") return runBusy(workflowId);
    if (workflow.state === "rejected") return runRejected(workflow);
    return workflow.state === "ended" ? runEnded(workflow) : approvalExpired(workflow);
  }

  /** What every question says of its run. */
  #about(workflowId: string, scope: Scope) {
    const command = this.#options.approveCommand(workflowId, scope);
    return { workflowId, expiresAt: this.#expiry(), command };
  }

  #expiry(): Date {
    return new Date(Date.now() + this.#options.expiresMs);
  }
}

function isPerLayer({ options }: ExecuteRequest): boolean {
  return options?.per_layer_validation === true;
}

/** Another gateway may take over a run of one that has not been heard of for this long. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** The runs that this gateway has, and says so of for as long as it does. */
export class RunLeases {
  readonly lease: Lease = { owner: crypto.randomUUID(), ms: LEASE_MS };
  readonly #store: Pick<WorkflowStore, "renew">;
  readonly #log: Log;
  /** How many hold each: who continues a run, and the run itself. */
  readonly #held = new Map<string, number>();
  #renewing: ReturnType<typeof setInterval> | undefined;

  constructor(store: Pick<WorkflowStore, "renew">, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Which gateway this is, to the store. */
  get owner(): string {
    return this.lease.owner;
  }

  has(workflowId: string): boolean {
    return this.#held.has(workflowId);
  }

  /** Until what is answered is called. */
  hold(workflowId: string): () => void {
    this.#held.set(workflowId, (this.#held.get(workflowId) ?? 0) + 1);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS);
    return () => {
      const others = (this.#held.get(workflowId) ?? 1) - 1;
      if (others > 0) this.#held.set(workflowId, others);
      else this.#held.delete(workflowId);
    };
  }

  stop(): void {
    clearInterval(this.#renewing);
  }

  #renew(): void {
    if (this.#held.size === 0) return;
    this.#store.renew([...this.#held.keys()], this.lease).catch((error: unknown) => {
      this.#log.warn("run.lease_not_renewed", { message: messageOf(error) });
    });
  }
}

/** What a tool answered to a client that called it itself. */
export interface DirectResult<T> {
  readonly value: T;
  /** The same as code would have been answered. */
  readonly answer: SandboxCallAnswer;
}

export type DirectCall<T> =
  | { readonly kind: "called"; readonly value: T }
  /** A person must approve it first. */
  | { readonly kind: "waits"; readonly answer: ExecuteAnswer };
