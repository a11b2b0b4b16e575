/**
 * A notification stream of a 2026-era server, requested again whenever the server ends it, while the connection lives.
 * Servers restart behind a proxy, and proxies close idle streams.
 *
 * @module
 */
import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { ProtocolError } from "@modelcontextprotocol/client";
import { LIMITS } from "../base/limits.js";
import { BackOff } from "./back-off.js";

const METHOD_NOT_FOUND = -32601;

interface KeptStreamEvents {
  /** The stream is open again; changes in the meantime were not reported. */
  resumed(): void;
  trouble(error: Error): void;
}

export class KeptStream {
  readonly #client: Client;
  readonly #filter: SubscriptionFilter;
  readonly #events: KeptStreamEvents;
  readonly #backOff = new BackOff();
  #subscription: McpSubscription | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(client: Client, filter: SubscriptionFilter, events: KeptStreamEvents) {
    this.#client = client;
    this.#filter = filter;
    this.#events = events;
  }

  /** Requests the stream; rejects if the server refuses it. */
  async open(): Promise<void> {
    const subscription = await this.#client.listen(this.#filter, { timeout: LIMITS.healthAnswerMs });
    if (this.#isClosed) return subscription.close();
    this.#subscription = subscription;
    this.#backOff.connected();
    void subscription.closed.then((by) => {
      if (by !== "local") this.openLater();
    });
  }

  /** Requests the stream after a pause, and retries until it is open. */
  openLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#reopen(), this.#backOff.nextPauseMs());
    this.#retry.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#subscription?.close();
  }

  async #reopen(): Promise<void> {
    // After the connection is closed, its client has no transport.
    if (this.#isClosed || this.#client.transport === undefined) return;
    try {
      await this.open();
      if (!this.#isClosed) this.#events.resumed();
    } catch (error) {
      this.#events.trouble(error as Error);
      if (!(error instanceof ProtocolError && error.code === METHOD_NOT_FOUND)) this.openLater();
    }
  }
}
