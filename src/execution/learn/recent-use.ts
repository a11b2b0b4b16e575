/**
 * What each connection has just used: the context in which it asks for more, and what follows what from one request to
 * the next.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";
import type { GraphNode } from "../../registry/tool-graph.js";

/** What comes later has nothing to do with it any more. */
const SOON_MS = 600_000;
const CONNECTIONS = 1_000;
const PER_CONNECTION = 16;

interface Used {
  readonly node: GraphNode;
  readonly at: number;
}

export class RecentUse {
  readonly #now: () => number;
  readonly #used = new Map<string, readonly Used[]>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** In the order of their use; answers what the first of them follows, and it. */
  add(connection: string, nodes: readonly GraphNode[]): readonly (readonly [GraphNode, GraphNode])[] {
    const [first] = nodes;
    if (first === undefined) return [];
    const at = this.#now();
    const before = this.#recent(connection);
    const all = [...before, ...nodes.map((node) => ({ node, at }))].slice(-PER_CONNECTION);
    keepNewest(this.#used, connection, all, CONNECTIONS);
    const last = before.at(-1)?.node;
    return last === undefined ? [] : [[last, first]];
  }

  /** The last thing last. */
  of(connection: string): readonly GraphNode[] {
    return this.#recent(connection).map(({ node }) => node);
  }

  #recent(connection: string): readonly Used[] {
    const since = this.#now() - SOON_MS;
    return this.#used.get(connection)?.filter(({ at }) => at >= since) ?? [];
  }
}
