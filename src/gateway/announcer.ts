/**
 * Tells clients that a list has changed: once per burst of changes, and only those for whom it differs from what
 * they were sent last.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { OfferKind } from "../mcp/real-servers.js";
import type { ClientConnections } from "./client-connections.js";
import type { Exposure } from "./tool-catalogue.js";

/** Gives the lists as they are now, each the same object as long as it has the same content. */
export type CurrentLists = (kind: OfferKind) => Promise<Readonly<Record<Exposure, unknown>>>;

export class Announcer {
  readonly #connections: ClientConnections;
  readonly #current: CurrentLists;
  readonly #pending = new Set<OfferKind>();
  #timer: NodeJS.Timeout | undefined;

  constructor(connections: ClientConnections, current: CurrentLists) {
    this.#connections = connections;
    this.#current = current;
  }

  changed(kinds: readonly OfferKind[]): void {
    for (const kind of kinds) this.#pending.add(kind);
    this.#timer ??= setTimeout(() => void this.#announce(), LIMITS.burstMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #announce(): Promise<void> {
    this.#timer = undefined;
    const kinds = [...this.#pending];
    this.#pending.clear();
    for (const kind of kinds) {
      try {
        this.#connections.announce(kind, await this.#current(kind));
      } catch {
        // The list cannot be made now; who asks for it is told why.
        this.changed([kind]);
      }
    }
  }
}
