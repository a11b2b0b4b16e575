import { BackgroundWriter, WaitingRows } from "../../base/background-writer.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { CapabilityUse, RunTrace, ServedUse } from "../../registry/capability-store.js";
import type { UsageRow } from "../../registry/usage.js";

const BATCH_RUNS = 500;

/** Counts runs in memory and writes them in the background. */
export class RunRecorder {
  readonly #usage: (row: UsageRow) => void;
  readonly #uses = new WaitingRows<CapabilityUse>(BATCH_RUNS);
  readonly #served = new WaitingRows<ServedUse>(BATCH_RUNS);
  readonly #traces = new WaitingRows<RunTrace>(BATCH_RUNS);
  readonly #writer: BackgroundWriter;

  /** `written` receives the counted runs with their state afterwards. */
  constructor(
    registry: CapabilityRegistry,
    log: Log,
    usage: (row: UsageRow) => void = () => {},
    written: (capability: Capability) => void = () => {},
  ) {
    this.#usage = usage;
    const { store, directory } = registry;
    const counted = async (counting: Promise<readonly Capability[]>) => {
      for (const capability of await counting) {
        directory.put(capability);
        written(capability);
      }
    };
    this.#writer = new BackgroundWriter({
      write: async () => {
        await this.#uses.drain((batch) => counted(store.addUses(batch)));
        await this.#served.drain((batch) => counted(store.addServed(batch)));
        await this.#traces.drain((batch) => store.addTraces(batch));
        const all = [this.#uses, this.#served, this.#traces];
        const rows = all.reduce((sum, waiting) => sum + waiting.takeDropped(), 0);
        if (rows > 0) log.warn("runs.dropped", { rows });
      },
      failed: (error) => log.warn("runs.not_written", { runs: this.#uses.size, message: messageOf(error) }),
    });
  }

  use(use: CapabilityUse): void {
    this.#uses.add(use);
    this.#writer.plan();
  }

  /** A capability was answered from a cache: it counts as used, although nothing ran. */
  served(served: ServedUse): void {
    this.#served.add(served);
    this.#writer.plan();
  }

  /** Records what a run has called, as uses of capabilities and as calls of tools. */
  nested(uses: readonly CapabilityUse[], called: readonly UsageRow[]): void {
    for (const row of called) this.#usage(row);
    for (const use of uses) this.use(use);
  }

  /** A run that belongs to no capability, or proves nothing about it. */
  trace(trace: RunTrace): void {
    this.#traces.add(trace);
    this.#writer.plan();
  }

  stop(): Promise<void> {
    return this.#writer.stop();
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }
}
