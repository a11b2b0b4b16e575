/**
 * Tells clients that a list has changed: once per burst of changes, and only those for whom it differs from what
 * they had before.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { OfferKind } from "../mcp/real-servers.js";
import type { ClientConnections, ListFor } from "./client-connections.js";

export class Announcer {
  readonly #connections: ClientConnections;
  readonly #listFor: ListFor;
  readonly #pending = new Set<OfferKind>();
  #timer: NodeJS.Timeout | undefined;
  #announcing: Promise<void> | undefined;

  constructor(connections: ClientConnections, listFor: ListFor) {
    this.#connections = connections;
    this.#listFor = listFor;
  }

  changed(kinds: readonly OfferKind[]): void {
    for (const kind of kinds) {
      this.#pending.add(kind);
      this.#connections.changing(kind);
    }
    this.#timer ??= setTimeout(() => {
      this.#announcing = this.#announce();
    }, LIMITS.burstMs);
  }

  /**
   * Tells one client at once of what is to be announced, before the answer to the call that may have caused it. It is
   * not told again when the burst is over. `tell` is used instead of its own way to hear news.
   */
  async tellNow(id: string, tell?: () => Promise<void>): Promise<void> {
    await this.#announcing;
    if (!this.#pending.has("tools")) return;
    // A list that cannot be made now is announced later.
    await this.#connections.tellNow(id, "tools", this.#listFor, tell).catch(() => {});
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
        await this.#connections.announce(kind, this.#listFor);
      } catch {
        // The list cannot be made now; who asks for it is told why.
        this.changed([kind]);
      }
    }
  }
}
