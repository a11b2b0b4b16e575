/**
 * The clients that are connected now, of either era and over any transport, as far as news for them goes.
 *
 * @module
 */
import type { LogMessage, OfferKind } from "../mcp/real-servers.js";

/** Something that can be told news: a connection, or all listening streams of the stateless HTTP leg at once. */
export interface NewsTarget {
  listChanged(kind: OfferKind): void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
}

export class ClientConnections {
  readonly #targets = new Set<NewsTarget>();

  /** Adds a target; the answer removes it. */
  add(target: NewsTarget): () => void {
    this.#targets.add(target);
    return () => this.#targets.delete(target);
  }

  get size(): number {
    return this.#targets.size;
  }

  tell(what: (target: NewsTarget) => void): void {
    for (const target of this.#targets) what(target);
  }
}
