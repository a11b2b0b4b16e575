/**
 * Which client wants to hear of which resource; the servers behind hear of each resource once.
 *
 * A client has a bounded number of subscriptions. A listening stream counts as one, and each of its resources as one.
 *
 * @module
 */
import { LatestOnly } from "../base/latest-only.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ClientConnections } from "./client-connections.js";
import type { OfferCatalogue } from "./offer-catalogue.js";

interface Wanted {
  readonly client: string;
  /** The server of each resource. */
  readonly uris: Map<string, ServerName>;
  /** What it counts for beside its resources. */
  readonly own: number;
}

export class ResourceSubscriptions {
  readonly #servers: RealServers;
  readonly #offers: OfferCatalogue;
  /** By connection, or by listening stream. */
  readonly #wanted = new Map<string, Wanted>();
  /** How many each client has. */
  readonly #counts = new Map<string, number>();

  constructor(servers: RealServers, offers: OfferCatalogue) {
    this.#servers = servers;
    this.#offers = offers;
  }

  /** A listening stream of `client` begins, for so many resources; throws where that is more than it may have. */
  open(stream: string, client: string, uris: number): void {
    this.#refuseOver(client, 1 + uris);
    this.#wanted.set(stream, { client, uris: new Map(), own: 1 });
    this.#count(client, 1);
  }

  async subscribe(connection: string, uri: string, client = connection): Promise<void> {
    const mine = this.#wanted.get(connection) ?? { client, uris: new Map<string, ServerName>(), own: 0 };
    if (mine.uris.has(uri)) return;
    this.#refuseOver(client, 1);
    const server = this.#offers.serverOf(uri);
    this.#wanted.set(connection, mine);
    mine.uris.set(uri, server);
    this.#count(client, 1);
    try {
      await this.#servers.subscribe(server, uri);
    } catch (error) {
      if (mine.uris.delete(uri) && this.#wanted.get(connection) === mine) this.#count(client, -1);
      throw error;
    }
  }

  async unsubscribe(connection: string, uri: string): Promise<void> {
    const mine = this.#wanted.get(connection);
    const server = mine?.uris.get(uri);
    if (mine === undefined || server === undefined) return;
    mine.uris.delete(uri);
    this.#count(mine.client, -1);
    await this.#servers.unsubscribe(server, uri);
  }

  has(connection: string, uri: string): boolean {
    return this.#wanted.get(connection)?.uris.has(uri) === true;
  }

  /** Whether any client is subscribed to `uri` of that server. */
  isWanted(server: ServerName, uri: string): boolean {
    for (const { uris } of this.#wanted.values()) if (uris.get(uri) === server) return true;
    return false;
  }

  /** A client has left, or one of its listening streams. */
  async drop(connection: string): Promise<void> {
    const keys = [...this.#wanted.keys()].filter(
      (key) => key === connection || key.startsWith(`${connection}#`),
    );
    for (const key of keys) {
      const mine = this.#wanted.get(key);
      this.#wanted.delete(key);
      if (mine === undefined) continue;
      this.#count(mine.client, -mine.own - mine.uris.size);
      for (const [uri, server] of mine.uris) await this.#servers.unsubscribe(server, uri).catch(() => {});
    }
  }

  #count(client: string, by: number): void {
    const count = (this.#counts.get(client) ?? 0) + by;
    if (count === 0) this.#counts.delete(client);
    else this.#counts.set(client, count);
  }

  #refuseOver(client: string, more: number): void {
    const count = this.#counts.get(client) ?? 0;
    if (count + more <= LIMITS.clientSubscriptions) return;
    throw new PmlError(
      "LIMIT_EXCEEDED",
      `Cannot subscribe: ${count} and ${more} more are over ${LIMITS.clientSubscriptions}, the limit of clientSubscriptions`,
      { hint: "Unsubscribe from resources that are not needed, or close listening streams." },
    );
  }
}

/**
 * Changes of resources that servers tell of, on their way to clients: only of what a client has subscribed to on that
 * very server, and of each resource so often a second.
 */
export class ResourceNews {
  readonly #subscriptions: Pick<ResourceSubscriptions, "isWanted">;
  readonly #connections: Pick<ClientConnections, "tell">;
  readonly #limits = new Map<string, LatestOnly<string>>();

  constructor(
    subscriptions: Pick<ResourceSubscriptions, "isWanted">,
    connections: Pick<ClientConnections, "tell">,
  ) {
    this.#subscriptions = subscriptions;
    this.#connections = connections;
  }

  /** A server says that a resource has changed; it may be another server's. */
  updated(server: ServerName, uri: string): void {
    if (!this.#subscriptions.isWanted(server, uri)) return;
    const limit = this.#limits.get(uri) ?? this.#limitOf(uri);
    limit.take(uri);
  }

  #limitOf(uri: string): LatestOnly<string> {
    // Limits of resources without subscribers are not needed, and the others remember only one second.
    if (this.#limits.size >= LIMITS.clientSubscriptions) this.#limits.clear();
    const limit = new LatestOnly<string>(LIMITS.resourceUpdatesPerSecond, (changed) =>
      this.#connections.tell((target) => target.resourceUpdated(changed)),
    );
    this.#limits.set(uri, limit);
    return limit;
  }
}
