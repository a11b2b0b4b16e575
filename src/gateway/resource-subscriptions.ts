/**
 * The clients' subscriptions to resources; each server gets one subscription per resource.
 *
 * A client has a limited number of subscriptions. A listening stream counts as one, and each of its resources as one.
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
  /** What the stream itself counts, in addition to its resources. */
  readonly own: number;
}

export class ResourceSubscriptions {
  readonly #servers: RealServers;
  readonly #offers: OfferCatalogue;
  /** By connection, or by listening stream. */
  readonly #wanted = new Map<string, Wanted>();
  /** The number of subscriptions of each client. */
  readonly #counts = new Map<string, number>();

  constructor(servers: RealServers, offers: OfferCatalogue) {
    this.#servers = servers;
    this.#offers = offers;
  }

  /** Opens a listening stream of `client` for this many resources; throws if that exceeds its limit. */
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

  /** Removes the subscriptions of a disconnected client or a closed stream. */
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
 * Passes servers' resource changes on to clients: only those that a client has subscribed to on that server, and a
 * limited number per second of each resource.
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

  /** A server reports that a resource has changed; the resource may belong to another server. */
  updated(server: ServerName, uri: string): void {
    if (!this.#subscriptions.isWanted(server, uri)) return;
    const limit = this.#limits.get(uri) ?? this.#limitOf(uri);
    limit.take(uri);
  }

  #limitOf(uri: string): LatestOnly<string> {
    // The limiters of resources without subscribers are not needed, and all of them only remember one second.
    if (this.#limits.size >= LIMITS.clientSubscriptions) this.#limits.clear();
    const limit = new LatestOnly<string>(LIMITS.resourceUpdatesPerSecond, (changed) =>
      this.#connections.tell((target) => target.resourceUpdated(changed)),
    );
    this.#limits.set(uri, limit);
    return limit;
  }
}
