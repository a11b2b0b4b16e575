/**
 * Counts runs in memory and writes them in batches, so that no run waits for the store.
 *
 * A clean stop writes everything; a kill loses at most what came in since the last batch.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { CapabilityUse, RunTrace, ServedUse } from "../registry/capability-store.js";
import type { UsageRow } from "../registry/usage.js";

const BATCH_RUNS = 500;

export class RunRecorder {
  readonly #registry: CapabilityRegistry;
  readonly #log: Log;
  readonly #usage: (row: UsageRow) => void;
  #uses: CapabilityUse[] = [];
  #served: ServedUse[] = [];
  #traces: RunTrace[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(registry: CapabilityRegistry, log: Log, usage: (row: UsageRow) => void = () => {}) {
    this.#registry = registry;
    this.#log = log;
    this.#usage = usage;
  }

  /** A run of a capability. */
  use(use: CapabilityUse): void {
    this.#uses.push(use);
    this.#plan();
  }

  /** A capability was answered for from a cache: it was used, and nothing ran. */
  served(served: ServedUse): void {
    this.#served.push(served);
    this.#plan();
  }

  /** What a run has called: as uses, and as calls. */
  nested(uses: readonly CapabilityUse[], called: readonly UsageRow[]): void {
    for (const row of called) this.#usage(row);
    for (const use of uses) this.use(use);
  }

  /** A run that belongs to no capability, or says nothing about it. */
  trace(trace: RunTrace): void {
    this.#traces.push(trace);
    this.#plan();
  }

  /** Writes what there is, for the last time. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.flush();
  }

  /** Writes what there is; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #plan(): void {
    const tooMany = this.#uses.length - LIMITS.usageBufferRows;
    if (tooMany > 0) this.#uses.splice(0, tooMany);
    if (this.#served.length > LIMITS.usageBufferRows) this.#served.shift();
    if (this.#traces.length > LIMITS.usageBufferRows) this.#traces.shift();
    this.#timer ??= setTimeout(() => void this.flush(), LIMITS.usageFlushMs);
  }

  async #write(): Promise<void> {
    try {
      await drain(this.#uses, async (batch) => {
        for (const capability of await this.#registry.store.addUses(batch))
          this.#registry.directory.put(capability);
      });
      await drain(this.#served, async (batch) => {
        for (const capability of await this.#registry.store.addServed(batch))
          this.#registry.directory.put(capability);
      });
      await drain(this.#traces, (batch) => this.#registry.store.addTraces(batch));
    } catch (error) {
      this.#log.warn("runs.not_written", { runs: this.#uses.length, message: messageOf(error) });
      if (!this.#isStopped) this.#timer ??= setTimeout(() => void this.flush(), LIMITS.usageFlushMs * 10);
    }
  }
}

/** Takes from `items` only what was written. */
async function drain<T>(items: T[], write: (batch: readonly T[]) => Promise<void>): Promise<void> {
  while (items.length > 0) {
    const batch = items.slice(0, BATCH_RUNS);
    await write(batch);
    items.splice(0, batch.length);
  }
}
