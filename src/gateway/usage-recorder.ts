import { BackgroundWriter, WaitingRows } from "../base/background-writer.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { UsageRow, UsageStore } from "../registry/usage.js";

/** Counts calls in memory and writes them in the background. */
export class UsageRecorder {
  readonly #onRow: (row: UsageRow) => void;
  readonly #rows = new WaitingRows<UsageRow>(1_000);
  readonly #writer: BackgroundWriter;

  /** `onRow` is called with each row. */
  constructor(store: UsageStore, log: Log, onRow: (row: UsageRow) => void = () => {}) {
    this.#onRow = onRow;
    this.#writer = new BackgroundWriter({
      write: async () => {
        await this.#rows.drain((batch) => store.add(batch));
        const rows = this.#rows.takeDropped();
        if (rows > 0) log.warn("usage.dropped", { rows });
      },
      failed: (error) => log.warn("usage.write_failed", { rows: this.#rows.size, message: messageOf(error) }),
    });
  }

  record(row: UsageRow): void {
    this.#onRow(row);
    this.#rows.add(row);
    this.#writer.plan();
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }
}
