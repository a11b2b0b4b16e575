/**
 * What calls have made old, on its way out of the store: one statement for a server, however many calls there were.
 *
 * @module
 */
import { type ServerName, splitToolId, type ToolId } from "../../registry/tool-id.js";
import type { CapabilityCacheStore } from "./cache-store.js";

interface Drop {
  /** The first that was called. */
  readonly tool: ToolId;
  /** Results that were dropped from memory. */
  readonly inMemory: number;
  /** It was called through another gateway, which has dropped all but what this one wrote meanwhile. */
  readonly again: boolean;
}

export class ServerDrops {
  readonly #store: Pick<CapabilityCacheStore, "invalidate">;
  readonly #isShared: boolean;
  readonly #onDropped: () => void;
  readonly #waiting = new Map<ServerName, Drop>();
  readonly #writing = new Map<ServerName, Drop>();
  /** Servers of which this gateway has nothing in the store: it has dropped all, and written none since. */
  readonly #without = new Set<ServerName>();

  constructor(
    store: Pick<CapabilityCacheStore, "invalidate">,
    isShared: boolean,
    onDropped: () => void = () => {},
  ) {
    this.#store = store;
    this.#isShared = isShared;
    this.#onDropped = onDropped;
  }

  /** How many servers wait for their statement. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Results that are read from these servers are on their way into the store. */
  written(servers: readonly ServerName[]): void {
    for (const server of servers) this.#without.delete(server);
  }

  /** A tool was called that may change something. Other gateways of the store may have results of what it changes. */
  called(tool: ToolId, inMemory: number): void {
    const { server } = splitToolId(tool);
    if (inMemory === 0 && !this.#isShared && this.#without.has(server)) return;
    this.#add(server, { tool, inMemory, again: false });
  }

  calledElsewhere(tool: ToolId): void {
    const { server } = splitToolId(tool);
    if (!this.#without.has(server)) this.#add(server, { tool, inMemory: 0, again: true });
  }

  /** Servers of which the store may still have what is not to be used. */
  servers(): readonly ServerName[] {
    return [...this.#waiting.keys(), ...this.#writing.keys()];
  }

  /** What could not be dropped waits for the next time; rejects then. */
  async write(): Promise<void> {
    for (const [server, drop] of this.#waiting) this.#writing.set(server, drop);
    this.#waiting.clear();
    try {
      for (const [server, { tool, inMemory, again }] of this.#writing) {
        this.#without.add(server);
        const dropped = await this.#store.invalidate(
          { trigger: "tool_called", tool, ...(again ? { again } : {}) },
          inMemory,
        );
        if (dropped > 0) this.#onDropped();
        this.#writing.delete(server);
      }
    } finally {
      for (const [server, drop] of this.#writing) this.#add(server, drop);
      this.#writing.clear();
    }
  }

  #add(server: ServerName, { tool, inMemory, again }: Drop): void {
    const known = this.#waiting.get(server);
    this.#waiting.set(server, {
      tool: known === undefined || known.again ? tool : known.tool,
      inMemory: inMemory + (known?.inMemory ?? 0),
      again: again && known?.again !== false,
    });
  }
}
