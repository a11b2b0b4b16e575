/**
 * Writes to the store in the background and in batches, so that no caller waits for the store.
 *
 * A clean stop writes everything. A kill loses at most the rows since the last batch. Rows wait while the store is not
 * open yet or has failed; the oldest are dropped when there are too many, and a row that the store rejects because of
 * its content is dropped at once: it would block all others for ever.
 *
 * @module
 */
import { LIMITS } from "./limits.js";
import { PmlError } from "./pml-error.js";

const RETRY_MS = 10 * LIMITS.usageFlushMs;

export interface BackgroundWriterOptions {
  /** Writes all waiting rows. */
  readonly write: () => Promise<void>;
  /** Reports a failed write; the writer retries. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds that a planned write still has to wait. */
  readonly early?: () => number;
}

/** Runs one write at a time: a little after it was planned, and again after a failure. */
export class BackgroundWriter {
  readonly #options: BackgroundWriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: BackgroundWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the started writes have ended. */
  get writing(): Promise<void> {
    return this.#writing;
  }

  plan(ms: number = LIMITS.usageFlushMs): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const early = this.#options.early?.() ?? 0;
      if (early > 0) this.plan(early);
      else void this.flush();
    }, ms);
  }

  /** Writes at once; resolves when everything is written or the write has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes for the last time: a failure is not retried. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.flush();
    // New rows arrived during the write.
    if (this.#timer !== undefined) await this.flush();
  }

  async #write(): Promise<void> {
    try {
      await this.#options.write();
    } catch (error) {
      this.#options.failed(error);
      if (this.#isStopped) return;
      this.plan(RETRY_MS);
      // A process that ends does not wait for an unavailable store.
      this.#timer?.unref();
    }
  }
}

/** Rows that wait to be written, in order. */
export class WaitingRows<Row> {
  readonly #batchRows: number;
  #rows: Row[] = [];
  #dropped = 0;

  constructor(batchRows: number) {
    this.#batchRows = batchRows;
  }

  get size(): number {
    return this.#rows.length;
  }

  add(row: Row): void {
    this.#rows.push(row);
    this.#dropOldest();
  }

  /**
   * Hands out the waiting rows, in batches. A batch that could not be written waits again, before the others.
   *
   * Rows that arrive meanwhile wait for the next call: written at once, they would be many small batches, and the store
   * would never be idle.
   */
  async drain(write: (batch: readonly Row[]) => Promise<void>): Promise<void> {
    let left = this.#rows.length;
    while (left > 0) {
      const batch = this.#rows.splice(0, Math.min(left, this.#batchRows));
      left -= batch.length;
      try {
        await write(batch);
      } catch (error) {
        if (!isRefused(error)) this.#giveBack(batch, error);
        await this.#writeEach(batch, write);
      }
    }
  }

  /** Writes the rows one by one, and drops the rejected ones. */
  async #writeEach(batch: readonly Row[], write: (batch: readonly Row[]) => Promise<void>): Promise<void> {
    for (const [index, row] of batch.entries()) {
      try {
        await write([row]);
      } catch (error) {
        if (!isRefused(error)) this.#giveBack(batch.slice(index), error);
        this.#dropped += 1;
      }
    }
  }

  #giveBack(rows: readonly Row[], error: unknown): never {
    this.#rows = [...rows, ...this.#rows];
    this.#dropOldest();
    throw error;
  }

  /** The number of rows that were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #dropOldest(): void {
    const tooMany = this.#rows.length - LIMITS.usageBufferRows;
    if (tooMany <= 0) return;
    this.#rows.splice(0, tooMany);
    this.#dropped += tooMany;
  }
}

/** SQLSTATEs of invalid values: a retry would not help. */
const MISFIT = /^2[23]/;

function isRefused(error: unknown): boolean {
  return error instanceof PmlError && MISFIT.test(String(error.data.sqlstate ?? ""));
}
