/**
 * Counts calls in memory and writes them in batches, so that no call waits for the store.
 *
 * A clean stop writes everything; a kill loses at most what came in since the last batch. While the store is not
 * open yet or has failed, rows wait here, the oldest leaving first when there are too many.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { UsageRow, UsageStore } from "../registry/usage.js";

const BATCH_ROWS = 1_000;

export class UsageRecorder {
  readonly #store: UsageStore;
  readonly #log: Log;
  readonly #onRow: (row: UsageRow) => void;
  #rows: UsageRow[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `onRow` is told of each row as it comes. */
  constructor(store: UsageStore, log: Log, onRow: (row: UsageRow) => void = () => {}) {
    this.#store = store;
    this.#log = log;
    this.#onRow = onRow;
  }

  record(row: UsageRow): void {
    this.#onRow(row);
    this.#rows.push(row);
    this.#dropOldest();
    this.#timer ??= setTimeout(() => void this.flush(), LIMITS.usageFlushMs);
  }

  /** Writes what there is; resolves when it is written or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#rows.length > 0) {
        await this.#writeBatch(this.#rows.splice(0, BATCH_ROWS));
      }
      if (this.#dropped > 0) this.#log.warn("usage.dropped", { rows: this.#dropped });
      this.#dropped = 0;
    } catch (error) {
      this.#log.warn("usage.write_failed", { rows: this.#rows.length, message: messageOf(error) });
      this.#timer ??= setTimeout(() => void this.flush(), LIMITS.usageFlushMs * 10);
      this.#timer.unref();
    }
  }

  async #writeBatch(batch: UsageRow[]): Promise<void> {
    try {
      await this.#store.add(batch);
    } catch (error) {
      this.#rows = [...batch, ...this.#rows];
      this.#dropOldest();
      throw error;
    }
  }

  #dropOldest(): void {
    const tooMany = this.#rows.length - LIMITS.usageBufferRows;
    if (tooMany <= 0) return;
    this.#rows.splice(0, tooMany);
    this.#dropped += tooMany;
  }
}
