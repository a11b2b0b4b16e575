/**
 * Pins every tool object when it is first seen, and blocks calls of a tool that its server has changed until a person
 * accepts it.
 *
 * The store has the pins; {@link Quarantine} has the conclusions. A call of a tool that was not compared with its pin
 * yet waits for that. If the store cannot be read there is nothing to compare with, and calls are allowed.
 *
 * @module
 */

import type { Emits } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { within } from "../base/within.js";
import { toolGone, toolQuarantined } from "../execution/prepare/plan-run.js";
import type { OfferedTool, RealServers, ServerOffer } from "../mcp/real-servers.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type ServerName, splitToolId, type ToolId, toolId } from "../registry/tool-id.js";
import type { ToolPin, ToolSighting, ToolStore } from "../registry/tool-store.js";
import { changedFields, Quarantine, type QuarantinedTool, type ShownTool } from "./quarantine.js";

/** The reason why knowledge about a tool is outdated. */
type ToolChange = "schema" | "removed" | "accepted";

export interface ToolPinEvents {
  /** The stored pin of an offered tool was read. */
  readonly "tool.pinned": { readonly id: ToolId; readonly pin: ToolPin };
  readonly "tool.changed": { readonly id: ToolId; readonly why: ToolChange };
  /** Clients and code see a changed set of tools. */
  readonly "tools.shown": undefined;
  /** The trust of these capabilities has changed. */
  readonly "trust.changed": readonly Fqdn[];
}

export interface ToolPinsOptions {
  readonly servers: Pick<RealServers, "offers">;
  readonly store: Pick<ToolStore, "observe" | "accept" | "list">;
  readonly events: Emits<ToolPinEvents>;
  readonly log: Log;
  /** Whether the store has no pins at all. */
  readonly isNew?: boolean;
}

export class ToolPins {
  readonly #options: ToolPinsOptions;
  readonly #quarantine: Quarantine;
  /** Hashes that a warning was logged for. */
  readonly #warned = new Map<ToolId, string>();
  readonly #unpinned = new Set<ServerName>();
  /** Servers to compare again after a pause. */
  readonly #later = new Set<ServerName>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: ToolPinsOptions) {
    this.#options = options;
    this.#quarantine = new Quarantine(options.isNew);
  }

  /** Changes whenever a tool may be shown differently. */
  get version(): number {
    return this.#quarantine.version;
  }

  /** Tools that differ from their pin. */
  quarantined(): readonly QuarantinedTool[] {
    return this.#quarantine.all();
  }

  /** The ids of the quarantined tools. */
  changed(): readonly ToolId[] {
    return this.quarantined().map(({ id }) => id);
  }

  /** The form of an offered tool that agents may see. */
  shown(id: ToolId, offered: OfferedTool): ShownTool {
    return this.#quarantine.shown(id, offered);
  }

  /** Throws if the tool is known to be quarantined. */
  refuse(id: ToolId): void {
    const verdict = this.#quarantine.verdict(id);
    if (verdict !== undefined && verdict !== "free") throw quarantineError(verdict);
  }

  /** Must be awaited when the server is available, right before a call is sent; throws if the call is not allowed. */
  admit(id: ToolId): Promise<void> | undefined {
    const verdict = this.#quarantine.verdict(id);
    if (verdict === "free") return undefined;
    if (verdict !== undefined) throw quarantineError(verdict);
    return this.#admitLate(id);
  }

  /** Resolves when all offered tools are compared, or that has failed or took too long. */
  compared(): Promise<void> {
    return within(LIMITS.storeOpenWaitMs, this.#work);
  }

  /**
   * Resolves when every offered tool can be shown in its right form; undefined if nothing has to be awaited, as usual.
   */
  showable(): Promise<void> | undefined {
    const offers = this.#options.servers.offers();
    return offers.every((offer) => this.#quarantine.knows(offer)) ? undefined : this.compared();
  }

  /** Compares a server's current offer with its pins; one server after another. */
  observe(server: ServerName): Promise<void> {
    const offer = this.#offerOf(server);
    if (offer !== undefined) this.#quarantine.offered(offer);
    this.#work = this.#work
      .then(() => this.#observe(server))
      .catch((error: unknown) => {
        this.#options.log.warn("pins.not_kept", { server, message: messageOf(error) });
        this.#observeLater(server);
      });
    return this.#work;
  }

  /** Another gateway may have moved pins: of these servers, or of any. */
  observeAgain(servers: readonly ServerName[] = this.#options.servers.offers().map(({ server }) => server)) {
    for (const server of servers) void this.observe(server);
  }

  /** Pins the current form of a tool, if a person was shown this form. */
  async accept(id: ToolId, hash: string, acceptedBy: string): Promise<void> {
    const { server } = splitToolId(id);
    const tool = this.quarantined().find((one) => one.id === id);
    if (tool === undefined)
      throw new PmlError("TOOL_NOT_FOUND", `"${id}" is not quarantined: there is nothing to accept`, {
        hint: "`pml tools changed` shows the tools that are.",
      });
    const { pinned, current } = tool;
    const touched =
      current.hash === hash
        ? await this.#options.store.accept({
            server,
            tool: sightingOf(current),
            pinnedHash: pinned.hash,
            acceptedBy,
          })
        : undefined;
    if (touched === undefined)
      throw new PmlError("TOOL_QUARANTINED", `"${id}" has changed again since it was shown`, {
        hint: "`pml tools changed` shows the new change.",
        data: { tool: id },
      });
    this.#options.log.info("tool.accepted", { tool: id, hash, by: acceptedBy });
    this.#options.events.emit("tool.changed", { id, why: "accepted" });
    if (touched.length > 0) this.#options.events.emit("trust.changed", touched);
    await this.observe(server);
  }

  /** One retry at a time, however often it has failed: servers come and go while a store is away. */
  #observeLater(server: ServerName): void {
    if (this.#later.has(server)) return;
    this.#later.add(server);
    setTimeout(() => {
      this.#later.delete(server);
      void this.observe(server);
    }, LIMITS.storeRetryMs).unref();
  }

  async #admitLate(id: ToolId): Promise<void> {
    await this.compared();
    if (this.#quarantine.verdict(id) === "free") return;
    this.refuse(id);
    const { server, tool } = splitToolId(id);
    const offer = this.#offerOf(server);
    // Otherwise a server could hide a tool from comparison and still answer its calls.
    if (offer?.current === true && !offer.tools.some((one) => one.tool.name === tool)) throw toolGone(id);
    if (this.#unpinned.has(server)) return;
    this.#unpinned.add(server);
    this.#options.log.warn("pins.not_compared", { server, tool: id });
  }

  async #observe(server: ServerName): Promise<void> {
    const offer = this.#offerOf(server);
    if (offer === undefined || !offer.current) return;
    const { store } = this.#options;
    if (!this.#quarantine.isComplete) await this.#readAll();
    // Creating a store takes a while, and a change of a tool in that time must be noticed.
    const first = this.#quarantine.firstSeen(server);
    if (first.length > 0) await store.observe(server, first.map(sightingOf));
    const { pins, changed, gone, touched } = await store.observe(server, offer.tools.map(sightingOf));
    // Compare with the current offer of the server, which may have changed meanwhile.
    const offered = new Map((this.#offerOf(server)?.tools ?? []).map((one) => [one.tool.name, one]));
    const before = this.#shownOf(server);
    for (const pin of pins) {
      const id = toolId(server, pin.name);
      this.#quarantine.kept(pin, offered.get(pin.name));
      this.#options.events.emit("tool.pinned", { id, pin });
    }
    this.#warn(server);
    if (this.#shownOf(server) !== before) this.#options.events.emit("tools.shown", undefined);
    for (const name of changed)
      this.#options.events.emit("tool.changed", { id: toolId(server, name), why: "schema" });
    for (const name of gone)
      this.#options.events.emit("tool.changed", { id: toolId(server, name), why: "removed" });
    if (touched.length > 0) this.#options.events.emit("trust.changed", touched);
  }

  /** Only once: a tool that a server has hidden for a while is compared with its earlier form. */
  async #readAll(): Promise<void> {
    const pins = await this.#options.store.list();
    for (const pin of pins)
      this.#quarantine.kept(
        pin,
        this.#offerOf(pin.server)?.tools.find(({ tool }) => tool.name === pin.name),
      );
    this.#quarantine.isComplete = true;
  }

  /** Changes whenever the forms change that agents see of a server's tools. */
  #shownOf(server: ServerName): string {
    return (this.#offerOf(server)?.tools ?? [])
      .map((one) => {
        const { offered, quarantined } = this.shown(toolId(server, one.tool.name), one);
        return `${offered.hash} ${quarantined === undefined}`;
      })
      .join();
  }

  #warn(server: ServerName): void {
    const changed = this.quarantined().filter((tool) => tool.server === server);
    const ids = new Set(changed.map(({ id }) => id));
    for (const id of this.#warned.keys())
      if (splitToolId(id).server === server && !ids.has(id)) this.#warned.delete(id);
    for (const { id, pinned, current } of changed) {
      if (this.#warned.get(id) === current.hash) continue;
      this.#warned.set(id, current.hash);
      this.#options.log.warn("tool.changed", { tool: id, pinned: pinned.hash, now: current.hash });
    }
  }

  #offerOf(server: ServerName): ServerOffer | undefined {
    return this.#options.servers.offers().find((offer) => offer.server === server);
  }
}

/** The fields that differ, without any text of the server. */
export function whatChanged({ pinned, current }: QuarantinedTool): string {
  return changedFields(pinned.raw, current.raw).join(", ");
}

function sightingOf({ tool, raw, hash }: OfferedTool): ToolSighting {
  return { name: tool.name, hash, tool: raw };
}

function quarantineError(tool: QuarantinedTool): PmlError {
  return toolQuarantined(tool.id, whatChanged(tool));
}
