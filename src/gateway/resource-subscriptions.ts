/**
 * Which client wants to hear of which resource; the servers behind hear of each resource once.
 *
 * @module
 */
import type { RealServers } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { OfferCatalogue } from "./offer-catalogue.js";

export class ResourceSubscriptions {
  readonly #servers: RealServers;
  readonly #offers: OfferCatalogue;
  /** By connection, the resources it subscribed to and the server of each. */
  readonly #wanted = new Map<string, Map<string, ServerName>>();

  constructor(servers: RealServers, offers: OfferCatalogue) {
    this.#servers = servers;
    this.#offers = offers;
  }

  async subscribe(connection: string, uri: string): Promise<void> {
    const mine = this.#wanted.get(connection) ?? new Map<string, ServerName>();
    this.#wanted.set(connection, mine);
    if (mine.has(uri)) return;
    const server = this.#offers.serverOf(uri);
    mine.set(uri, server);
    try {
      await this.#servers.subscribe(server, uri);
    } catch (error) {
      mine.delete(uri);
      throw error;
    }
  }

  async unsubscribe(connection: string, uri: string): Promise<void> {
    const server = this.#wanted.get(connection)?.get(uri);
    if (server === undefined) return;
    this.#wanted.get(connection)?.delete(uri);
    await this.#servers.unsubscribe(server, uri);
  }

  has(connection: string, uri: string): boolean {
    return this.#wanted.get(connection)?.has(uri) === true;
  }

  /** A client has left, or one of its listening streams. */
  async drop(connection: string): Promise<void> {
    const keys = [...this.#wanted.keys()].filter(
      (key) => key === connection || key.startsWith(`${connection}#`),
    );
    for (const key of keys) {
      const mine = this.#wanted.get(key) ?? [];
      this.#wanted.delete(key);
      for (const [uri, server] of mine) await this.#servers.unsubscribe(server, uri).catch(() => {});
    }
  }
}
