/**
 * The runs that this gateway owns, as rows of the store. It renews their leases while it has them: another gateway may
 * take over a run whose lease has expired.
 *
 * @module
 */
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import { within } from "../../base/within.js";
import { formatScope, type Scope } from "../../registry/scope.js";
import type { ApprovalRequest, ExecuteAnswer } from "../ports/execute-answer.js";
import type { RunCaller } from "../run/runner.js";
import { approvalExpired, keptAnswer, runNotFound, whyOver } from "./durable-answers.js";
import type { JournalEntry, Lease, NewWorkflow, Workflow, WorkflowStore } from "./workflow-store.js";

export interface HeldRunsOptions {
  readonly workflows: WorkflowStore;
  /** The shell command for a person to decide about a run of that scope. */
  readonly approveCommand: (workflowId: string, scope: Scope) => string;
  /** How long a run waits for a person, and an approval for its use. */
  readonly expiresMs: number;
  /** How long the answer of a run is kept, for a client that did not receive it. */
  readonly keptMs: number;
  /** No other gateway uses the store: a run that is in progress there was left by an earlier gateway. */
  readonly isOnlyGateway: boolean;
  readonly log: Log;
}

const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
/** A cancelled run is released within milliseconds, unless the store is slow. */
const LEAVING_MS = 5_000;

type Asker = Pick<RunCaller, "scope" | "signal">;

type NewRun = Omit<Extract<NewWorkflow, { state: "running" }>, "state" | "expiresAt" | "owner">;

export class HeldRuns {
  readonly #options: HeldRunsOptions;
  readonly #lease: Lease = { owner: crypto.randomUUID(), ms: LEASE_MS };
  /** The number of holders of each run: the request that continues it, and the run itself. */
  readonly #held = new Map<string, number>();
  readonly #underWay = new Set<Asker & { readonly work: Promise<unknown> }>();
  #renewing: ReturnType<typeof setInterval> | undefined;

  constructor(options: HeldRunsOptions) {
    this.#options = options;
  }

  async during<T>(workflowId: string, { scope, signal }: Asker, work: () => Promise<T>): Promise<T> {
    this.#held.set(workflowId, (this.#held.get(workflowId) ?? 0) + 1);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS);
    const underWay = { scope, signal, work: work() };
    this.#underWay.add(underWay);
    try {
      return await underWay.work;
    } finally {
      this.#underWay.delete(underWay);
      const others = (this.#held.get(workflowId) ?? 1) - 1;
      if (others > 0) this.#held.set(workflowId, others);
      else this.#held.delete(workflowId);
    }
  }

  /** Resolves when the runs that this user has cancelled are released: a later request can then continue them. */
  async settled(scope: Scope): Promise<void> {
    const who = formatScope(scope);
    const leaving = [...this.#underWay].filter((one) => one.signal.aborted && formatScope(one.scope) === who);
    if (leaving.length > 0) await within(LEAVING_MS, Promise.allSettled(leaving.map(({ work }) => work)));
  }

  /** If the work fails, releases the run, so that a later request can continue it. */
  async orReleased<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
    const { workflows, log } = this.#options;
    try {
      return await work();
    } catch (error) {
      await workflows.release(workflowId, this.#lease.owner, this.#expiry()).catch((thrown: unknown) => {
        log.warn("run.not_released", { workflowId, message: messageOf(thrown) });
      });
      throw error;
    }
  }

  has(workflowId: string): boolean {
    return this.#held.has(workflowId);
  }

  /** Stores a run that waits for `approval`, or runs from now on. */
  create(run: NewRun, approval?: ApprovalRequest): Promise<void> {
    return this.#options.workflows.create(
      approval === undefined
        ? { ...run, state: "running", owner: this.#lease, expiresAt: this.#expiry() }
        : { ...run, state: "waiting", approval, expiresAt: new Date(approval.expiresAt) },
    );
  }

  /** Throws if this gateway may not continue it. */
  async claim(workflowId: string): Promise<Workflow> {
    const { workflows, isOnlyGateway } = this.#options;
    const workflow = await workflows.claim(workflowId, this.#lease, isOnlyGateway);
    if (workflow !== undefined) return workflow;
    const other = await workflows.get(workflowId);
    throw other === undefined ? runNotFound(workflowId) : (whyOver(other) ?? approvalExpired(other));
  }

  record(workflowId: string, entries: readonly JournalEntry[]): Promise<void> {
    return this.#options.workflows.record(workflowId, this.#lease.owner, entries);
  }

  /** The run asks a person, and waits. */
  wait(approval: ApprovalRequest, fingerprint?: string): Promise<void> {
    const { workflowId, expiresAt } = approval;
    const asks = {
      approval,
      expiresAt: new Date(expiresAt),
      ...(fingerprint !== undefined && { fingerprint }),
    };
    return this.#options.workflows.wait(workflowId, this.#lease.owner, asks);
  }

  end(answer: ExecuteAnswer): Promise<void> {
    const { workflows, keptMs } = this.#options;
    const keptUntil = new Date(Date.now() + keptMs);
    return workflows.end(answer.workflowId, this.#lease.owner, keptAnswer(answer), keptUntil);
  }

  /** The facts about a run that every question contains. */
  about(workflowId: string, scope: Scope) {
    const command = this.#options.approveCommand(workflowId, scope);
    return { workflowId, expiresAt: this.#expiry(), command };
  }

  stop(): void {
    clearInterval(this.#renewing);
  }

  #renew(): void {
    if (this.#held.size === 0) return;
    this.#options.workflows.renew([...this.#held.keys()], this.#lease).catch((error: unknown) => {
      this.#options.log.warn("run.lease_not_renewed", { message: messageOf(error) });
    });
  }

  #expiry(): Date {
    return new Date(Date.now() + this.#options.expiresMs);
  }
}
