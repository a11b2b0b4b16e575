import { messageOf, PmlError } from "../../base/pml-error.js";
import type { JournalEntry } from "./workflow-store.js";

/** Writes entries in the order in which they come; those that come while others are being written go together. */
export class JournalWriter {
  readonly #write: (entries: readonly JournalEntry[]) => Promise<void>;
  readonly #onFailure: (error: PmlError) => void;
  #waiting: JournalEntry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #hasFailed = false;

  constructor(
    write: (entries: readonly JournalEntry[]) => Promise<void>,
    onFailure: (error: PmlError) => void,
  ) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** Resolves when it is written, and never where it could not be: then the run is over. */
  async put(entry: JournalEntry): Promise<void> {
    this.#waiting.push(entry);
    this.#next ??= this.#writing.then(() => {
      const entries = this.#waiting;
      this.#waiting = [];
      this.#next = undefined;
      this.#writing = this.#hasFailed ? Promise.resolve() : this.#writeAll(entries);
      return this.#writing;
    });
    await this.#next;
    if (this.#hasFailed) await new Promise<never>(() => {});
  }

  /** Resolves when nothing waits to be written, or writing has failed. */
  async flushed(): Promise<void> {
    await (this.#next ?? this.#writing);
  }

  async #writeAll(entries: readonly JournalEntry[]): Promise<void> {
    try {
      await this.#write(entries);
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure(
        error instanceof PmlError ? error : new PmlError("STORE_FAILED", messageOf(error), { cause: error }),
      );
    }
  }
}
