/**
 * The subscriptions of clients to one server's resources, across all its connections.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { anyResult } from "./any-result.js";
import { KeptStream } from "./kept-stream.js";

export class ServerSubscriptions {
  /** The number of subscribers of each resource; the server gets one subscription. */
  readonly #wanted = new Map<string, number>();
  /** On a 2026-era server each subscription is a separate stream. */
  readonly #streams = new Map<string, KeptStream>();

  /** Unanswered requests to the server: later subscribers of the same resource wait for them. */
  readonly #asking = new Map<string, Promise<void>>();

  readonly #onTrouble: (error: Error) => void;

  constructor(onTrouble: (error: Error) => void) {
    this.#onTrouble = onTrouble;
  }

  /** `client` is the server's current connection, if it has one; {@link renew} subscribes on a later one. */
  async add(uri: string, client: Client | undefined): Promise<void> {
    const count = this.#wanted.get(uri) ?? 0;
    this.#wanted.set(uri, count + 1);
    if (client === undefined) return;
    if (count === 0) this.#ask(uri, client);
    try {
      await this.#asking.get(uri);
    } catch (error) {
      // The request failed, so the next subscriber sends it again.
      const others = (this.#wanted.get(uri) ?? 1) - 1;
      if (others > 0) this.#wanted.set(uri, others);
      else this.#wanted.delete(uri);
      await this.#endStream(uri);
      throw error;
    }
  }

  #ask(uri: string, client: Client): void {
    const asking = this.#subscribe(uri, client).finally(() => {
      if (this.#asking.get(uri) === asking) this.#asking.delete(uri);
    });
    this.#asking.set(uri, asking);
  }

  async remove(uri: string, client: Client | undefined): Promise<void> {
    const count = this.#wanted.get(uri) ?? 0;
    if (count > 1) this.#wanted.set(uri, count - 1);
    if (count !== 1) return;
    this.#wanted.delete(uri);
    if (client === undefined) return;
    if (client.getProtocolEra() === "modern") await this.#endStream(uri);
    else await client.request({ method: "resources/unsubscribe", params: { uri } }, anyResult);
  }

  /** Subscribes again at a server that is connected again. */
  async renew(client: Client): Promise<void> {
    const again = (uri: string) =>
      this.#subscribe(uri, client).catch(() => this.#streams.get(uri)?.openLater());
    await Promise.all([...this.#wanted.keys()].map(again));
  }

  async #subscribe(uri: string, client: Client): Promise<void> {
    if (client.getProtocolEra() !== "modern") {
      await client.request({ method: "resources/subscribe", params: { uri } }, anyResult);
      return;
    }
    await this.#endStream(uri);
    const stream = new KeptStream(
      client,
      { resourceSubscriptions: [uri] },
      { resumed() {}, trouble: this.#onTrouble },
    );
    this.#streams.set(uri, stream);
    await stream.open();
  }

  async #endStream(uri: string): Promise<void> {
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    await stream?.close();
  }
}
