/**
 * Reads past intents from the store, once, in the background. If the store is down when the gateway starts, it retries
 * until the store answers.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { ALL_INTENTS, OWNERS_INTENTS } from "../discovery/past-intents.js";
import type { SucceededIntent, TraceStore } from "../registry/trace-store.js";

export interface PastIntentReaderOptions {
  readonly traces: Pick<TraceStore, "succeededIntents">;
  readonly remember: (past: SucceededIntent) => void;
  readonly log: Log;
}

const RETRY_MS = 30_000;
/** Takes a few milliseconds. */
const INTENTS_AT_ONCE = 200;

export class PastIntentReader {
  readonly #options: PastIntentReaderOptions;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #isStopped = false;

  constructor(options: PastIntentReaderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#read().catch((error: unknown) => {
      if (this.#isStopped) return;
      // Logged once, not for each attempt while it is down.
      if (!this.#hasFailed)
        this.#options.log.warn("discovery.intents_not_read", { message: messageOf(error) });
      this.#hasFailed = true;
      this.#timer = setTimeout(() => this.start(), RETRY_MS);
      this.#timer.unref();
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const { traces, remember } = this.#options;
    const intents = await traces.succeededIntents(ALL_INTENTS, OWNERS_INTENTS);
    // The newest is added last, and so stays longest.
    for (const [index, past] of intents.toReversed().entries()) {
      if (this.#isStopped) return;
      remember(past);
      if (index % INTENTS_AT_ONCE === INTENTS_AT_ONCE - 1) await new Promise(setImmediate);
    }
  }
}
