/**
 * The resources of one server that clients want to hear of, over as many connections as the server needs.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { anyResult } from "./any-result.js";
import { KeptStream } from "./kept-stream.js";

export class ServerSubscriptions {
  /** How many clients want each resource; the server hears of it once. */
  readonly #wanted = new Map<string, number>();
  /** On a 2026-era server each subscription is a stream of its own. */
  readonly #streams = new Map<string, KeptStream>();

  /** Requests that the server has not answered yet: all who want the resource meanwhile wait for it. */
  readonly #asking = new Map<string, Promise<void>>();

  readonly #onTrouble: (error: Error) => void;

  constructor(onTrouble: (error: Error) => void) {
    this.#onTrouble = onTrouble;
  }

  /** `client` is the server's connection, if it has one now; a later one is told by {@link renew}. */
  async add(uri: string, client: Client | undefined): Promise<void> {
    const count = this.#wanted.get(uri) ?? 0;
    this.#wanted.set(uri, count + 1);
    if (client === undefined) return;
    if (count === 0) this.#ask(uri, client);
    try {
      await this.#asking.get(uri);
    } catch (error) {
      // Not wanted after all: the next one asks anew.
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

  /** Tells a server that has come back. */
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
