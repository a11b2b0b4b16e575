/**
 * Pins every tool object when it is first seen, and notices when a server changes one afterwards.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { RealServers } from "../mcp/real-servers.js";
import { type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import type { ToolPin, ToolStore } from "../registry/tool-store.js";

export class ToolPins {
  readonly #servers: RealServers;
  readonly #store: Pick<ToolStore, "observe">;
  readonly #log: Log;
  readonly #onPin: (id: ToolId, pin: ToolPin) => void;
  readonly #changed = new Map<ToolId, string>();
  #work: Promise<void> = Promise.resolve();

  /** `onPin` is told what the store has of every tool that is offered. */
  constructor(
    servers: RealServers,
    store: Pick<ToolStore, "observe">,
    log: Log,
    onPin: (id: ToolId, pin: ToolPin) => void = () => {},
  ) {
    this.#servers = servers;
    this.#store = store;
    this.#log = log;
    this.#onPin = onPin;
  }

  /** Tools that are not as they were when first seen. */
  changed(): readonly ToolId[] {
    return [...this.#changed.keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Compares what a server offers now with its pins; one server after another. */
  observe(server: ServerName): Promise<void> {
    this.#work = this.#work
      .then(() => this.#observe(server))
      .catch((error: unknown) => {
        this.#log.warn("pins.not_kept", { server, message: messageOf(error) });
        setTimeout(() => void this.observe(server), LIMITS.storeRetryMs).unref();
      });
    return this.#work;
  }

  async #observe(server: ServerName): Promise<void> {
    const offer = this.#servers.offers().find((candidate) => candidate.server === server);
    if (offer === undefined || !offer.current) return;
    const pins = await this.#store.observe(
      server,
      offer.tools.map(({ tool, raw, hash }) => ({ name: tool.name, hash, tool: raw })),
    );
    for (const pin of pins) {
      const id = toolId(server, pin.name);
      this.#onPin(id, pin);
      if (pin.changedAt === undefined) this.#changed.delete(id);
      else if (this.#changed.get(id) !== pin.currentHash) {
        this.#changed.set(id, pin.currentHash);
        this.#log.warn("tool.changed", { tool: id, pinned: pin.pinnedHash, now: pin.currentHash });
      }
    }
  }
}
