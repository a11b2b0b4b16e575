/**
 * Deletes old data in the background: traces, usage rows, runs that were never decided or continued, vectors of deleted
 * texts, and old links of the graph. Old days of the ledger are summed up. Learnt statistics stay.
 *
 * @module
 */
import { DAY_MS, dayOf } from "../base/day.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { VectorStore } from "../discovery/vector-index.js";
import type { TaskResultStore } from "../execution/run/task-results.js";
import type { WorkflowStore } from "../execution/wait/workflow-store.js";
import type { PruneRequest } from "../gateway/own/upkeep.js";
import type { Prunable, PruneBounds } from "../postgres/prunable-rows.js";
import type { SavingsStore } from "../registry/savings.js";
import type { TraceStore } from "../registry/trace-store.js";
import type { UsageStore } from "../registry/usage.js";

/** For this long an expired run is reported as expired, and after that as unknown. */
const EXPIRED_RUN_DAYS = 1;

export interface HousekeepingOptions {
  readonly traces: Pick<TraceStore, "prune">;
  readonly usage: Pick<UsageStore, "prune">;
  readonly savings: Pick<SavingsStore, "fold">;
  readonly workflows: Pick<WorkflowStore, "prune">;
  readonly results: Pick<TaskResultStore, "prune">;
  readonly prunable: (bounds: PruneBounds) => Promise<Prunable>;
  readonly vectors: Pick<VectorStore, "prune">;
  readonly graph: { prune(): Promise<number> };
  readonly traceDays: number;
  readonly log: Log;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Soon, after the requests that wait for the store, and then every hour. */
  start(): void {
    this.#plan(LIMITS.pruneFirstMs);
  }

  /** Resolves when nothing is in progress. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#working;
  }

  #plan(afterMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#prune().then(() => this.#plan(LIMITS.pruneEveryMs));
    }, afterMs);
    this.#timer.unref();
  }

  /** Prunes at a person's request. Bytes are the size of the rows before they are deleted. */
  async prune({ days, keep, isDryRun }: PruneRequest): Promise<Prunable> {
    const { traces, usage, workflows, results, prunable, traceDays } = this.#options;
    const bounds: PruneBounds = {
      tracesBefore: daysAgo(days ?? traceDays),
      perCapability: keep ?? LIMITS.capabilityTraces,
      withoutCapability: keep ?? LIMITS.otherTraces,
      callsBefore: daysAgo(days ?? LIMITS.usageKeepDays),
      resultsBefore: new Date(),
      runsBefore: daysAgo(Math.min(days ?? EXPIRED_RUN_DAYS, EXPIRED_RUN_DAYS)),
    };
    const { perCapability, withoutCapability, resultsBefore } = bounds;
    const found = await prunable(bounds);
    if (isDryRun) return found;
    const deleted = {
      traces: await traces.prune({ before: bounds.tracesBefore, perCapability, withoutCapability }),
      calls: await usage.prune(bounds.callsBefore),
      results: await results.prune(resultsBefore, daysAgo(EXPIRED_RUN_DAYS)),
      runs: await workflows.prune(bounds.runsBefore),
    };
    return {
      traces: { ...found.traces, rows: deleted.traces },
      calls: { ...found.calls, rows: deleted.calls },
      results: { ...found.results, rows: deleted.results },
      runs: { ...found.runs, rows: deleted.runs },
    };
  }

  async #prune(): Promise<void> {
    const { traces, usage, savings, workflows, vectors, graph, traceDays, log } = this.#options;
    try {
      const deleted = {
        traces: await traces.prune({
          before: daysAgo(traceDays),
          perCapability: LIMITS.capabilityTraces,
          withoutCapability: LIMITS.otherTraces,
        }),
        usage: await usage.prune(daysAgo(LIMITS.usageKeepDays)),
        savings: await savings.fold(dayOf(daysAgo(LIMITS.savedDays))),
        workflows: await workflows.prune(daysAgo(EXPIRED_RUN_DAYS)),
        vectors: await vectors.prune(daysAgo(LIMITS.vectorKeepDays)),
        sequences: await graph.prune(),
      };
      if (Object.values(deleted).some((number) => number > 0)) log.info("store.pruned", deleted);
    } catch (error) {
      log.warn("store.not_pruned", { message: messageOf(error) });
    }
  }
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}
