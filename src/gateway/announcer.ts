/**
 * Tells clients that a list has changed: once per burst of changes, and only when what they would be sent differs.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { OfferKind } from "../mcp/real-servers.js";
import type { ClientConnections } from "./client-connections.js";

export class Announcer {
  readonly #connections: ClientConnections;
  readonly #content: (kind: OfferKind) => Promise<string>;
  readonly #announced = new Map<OfferKind, string>();
  readonly #pending = new Set<OfferKind>();
  #timer: NodeJS.Timeout | undefined;

  /** `content` gives a text that is equal exactly when the list is. */
  constructor(connections: ClientConnections, content: (kind: OfferKind) => Promise<string>) {
    this.#connections = connections;
    this.#content = content;
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
      const content = await this.#content(kind);
      if (this.#announced.get(kind) === content) continue;
      this.#announced.set(kind, content);
      this.#connections.tell((target) => target.listChanged(kind));
    }
  }
}
