/**
 * A stream of news of a 2026-era server, asked for again whenever the server ends it, for as long as the connection
 * lives. Servers restart behind a proxy, and proxies cut what is quiet for too long.
 *
 * @module
 */
import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { ProtocolError } from "@modelcontextprotocol/client";
import { LIMITS } from "../base/limits.js";
import { BackOff } from "./back-off.js";

const METHOD_NOT_FOUND = -32601;

interface KeptStreamEvents {
  /** It flows again; what happened meanwhile was not told. */
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

  /** Asks for the stream; rejects where the server refuses it. */
  async open(): Promise<void> {
    const subscription = await this.#client.listen(this.#filter, { timeout: LIMITS.healthAnswerMs });
    if (this.#isClosed) return subscription.close();
    this.#subscription = subscription;
    this.#backOff.connected();
    void subscription.closed.then((by) => {
      if (by !== "local") this.openLater();
    });
  }

  /** Asks for the stream after a pause, and again until it flows. */
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
    // Once the connection is closed, its client has no transport any more.
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
