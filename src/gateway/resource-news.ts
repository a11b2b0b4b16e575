/**
 * Changes of resources that servers tell of, on their way to clients: only of what a client has subscribed to on that
 * very server, and of each resource so often a second.
 *
 * @module
 */
import { LatestOnly } from "../base/latest-only.js";
import { LIMITS } from "../base/limits.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ClientConnections } from "./client-connections.js";
import type { ResourceSubscriptions } from "./resource-subscriptions.js";

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
    // Those of resources that nobody has subscribed to any more are of no use; a second is all that they remember.
    if (this.#limits.size >= LIMITS.clientSubscriptions) this.#limits.clear();
    const limit = new LatestOnly<string>(LIMITS.resourceUpdatesPerSecond, (changed) =>
      this.#connections.tell((target) => target.resourceUpdated(changed)),
    );
    this.#limits.set(uri, limit);
    return limit;
  }
}
