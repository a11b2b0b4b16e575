import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { Database } from "./database.js";

export interface KeptListeningOptions {
  readonly database: Database;
  readonly log: Log;
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  /** Listening has begun, or has begun again: what was notified before was not heard. */
  readonly onHearing: () => void;
}

/**
 * Hears a channel until it is stopped: a connection that is lost is made anew, after pauses that grow. Nobody may
 * depend on it, because it does not say when it hears nothing.
 */
export class KeptListening {
  readonly #options: KeptListeningOptions;
  #failures = 0;
  #isDeaf = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;
  #connecting: Promise<void>;
  #end: (() => Promise<void>) | undefined;

  constructor(options: KeptListeningOptions) {
    this.#options = options;
    this.#connecting = this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#connecting;
    await this.#end?.();
  }

  async #connect(): Promise<void> {
    const { database, log, channel, onNotice, onHearing } = this.#options;
    try {
      const since = performance.now();
      this.#end = await database.listen?.(channel, onNotice, (error) => {
        // One that held was a good one; one that did not is no reason to try again at once.
        if (performance.now() - since > LIMITS.reconnectMostMs) this.#failures = 0;
        this.#fail(error);
      });
      if (this.#isDeaf) log.info("store.listening_again", { channel });
      this.#isDeaf = false;
      onHearing();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.#end = undefined;
    if (this.#isStopped) return;
    const { log, channel } = this.#options;
    if (!this.#isDeaf) log.warn("store.listening_lost", { channel, message: messageOf(thrown) });
    this.#isDeaf = true;
    const pause = Math.min(LIMITS.reconnectFirstMs * 2 ** this.#failures, LIMITS.reconnectMostMs);
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect();
    }, pause);
    this.#retry.unref();
  }
}
