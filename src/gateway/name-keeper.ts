/**
 * Saves given names in the store, as soon as it is available. The store wins if it has another owner for a name.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { WireNameEntry, WireNameStore } from "../registry/wire-table.js";
import { keepNames, type WireTable } from "../registry/wire-table.js";

export class NameKeeper {
  readonly #store: WireNameStore;
  readonly #log: Log;
  readonly #onLost: () => void;
  #waiting: WireNameEntry[] = [];
  #working: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** `onLost` is called when a name already belongs to another tool, so that its former owner needs a new one. */
  constructor(store: WireNameStore, log: Log, onLost: () => void) {
    this.#store = store;
    this.#log = log;
    this.#onLost = onLost;
  }

  keep(table: WireTable, entries: readonly WireNameEntry[]): void {
    this.#waiting.push(...entries);
    clearTimeout(this.#retry);
    this.#working ??= this.#work(table).finally(() => {
      this.#working = undefined;
    });
  }

  stop(): void {
    clearTimeout(this.#retry);
  }

  async #work(table: WireTable): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        if ((await keepNames(table, this.#store, entries)).length > 0) this.#onLost();
      } catch (error) {
        this.#log.warn("names.not_kept", { names: entries.length, message: messageOf(error) });
        this.#waiting = [...entries, ...this.#waiting];
        this.#retry = setTimeout(() => this.keep(table, []), LIMITS.storeRetryMs);
        this.#retry.unref();
        return;
      }
    }
  }
}
