/**
 * The gateway in front: everything that all client connections share.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import type { LogMessage, OfferKind, RealServers } from "../mcp/real-servers.js";
import type { UsageStore } from "../registry/usage.js";
import type { WireNameEntry, WireNameStore } from "../registry/wire-name-store.js";
import { keepNames } from "../registry/wire-table.js";
import { Announcer } from "./announcer.js";
import { ArgumentCheck } from "./argument-check.js";
import { ClientConnections } from "./client-connections.js";
import { moreTalkative } from "./log-level.js";
import { OfferCatalogue } from "./offer-catalogue.js";
import type { OwnTool } from "./own-tool.js";
import { ResourceSubscriptions } from "./resource-subscriptions.js";
import { type Exposure, ToolCatalogue } from "./tool-catalogue.js";
import { UsageRecorder } from "./usage-recorder.js";

export interface GatewayOptions {
  readonly servers: RealServers;
  readonly own: readonly OwnTool[];
  /** Both come when the store is open; the gateway answers before that. */
  readonly usage: Promise<UsageStore>;
  readonly wireNames: Promise<WireNameStore>;
  /** Names given before; resolved with none at once where the store is new. */
  readonly nameHistory: Promise<readonly WireNameEntry[]>;
  readonly log: Log;
  /** How long a listing waits for servers that have not been reached yet. */
  readonly firstListWaitMs: number;
}

export class Gateway {
  readonly servers: RealServers;
  readonly log: Log;
  readonly connections = new ClientConnections();
  readonly tools: ToolCatalogue;
  readonly offers: OfferCatalogue;
  readonly subscriptions: ResourceSubscriptions;
  readonly usage: UsageRecorder;
  readonly argumentCheck = new ArgumentCheck();
  readonly #announcer: Announcer;
  readonly #firstListWaitMs: number;
  readonly #stopListening: () => void;
  readonly #settled = new Map<OfferKind, Promise<void>>();
  #logLevel: LogMessage["level"] | undefined;

  constructor(options: GatewayOptions) {
    const { servers, log } = options;
    this.servers = servers;
    this.log = log;
    this.#firstListWaitMs = options.firstListWaitMs;
    this.usage = new UsageRecorder(options.usage, log);
    this.offers = new OfferCatalogue(servers);
    this.subscriptions = new ResourceSubscriptions(servers, this.offers);
    this.tools = new ToolCatalogue({
      servers,
      own: options.own,
      history: options.nameHistory,
      onNamed: (added, table) => {
        options.wireNames
          .then((store) => keepNames(table, store, added))
          .then((lost) => {
            if (lost.length > 0) this.#offerChanged(["tools"]);
          })
          .catch((error: unknown) => log.warn("names.not_kept", { message: String(error) }));
      },
    });
    this.#announcer = new Announcer(this.connections, (kind) => this.#current(kind));
    this.#stopListening = servers.listen({
      offerChanged: (_server, kinds) => this.#offerChanged(kinds),
      resourceUpdated: (uri) => this.connections.tell((target) => target.resourceUpdated(uri)),
      logged: (message) => this.connections.tell((target) => target.logged(message)),
    });
  }

  /** Waits, once and within a bound, for servers that are still starting: a client may list only once. */
  firstServers(kind: OfferKind): Promise<void> {
    const known = this.#settled.get(kind) ?? this.servers.settled(kind, this.#firstListWaitMs);
    this.#settled.set(kind, known);
    return known;
  }

  /** Servers log at the most talkative level that a client asked for; each client is sent its own. */
  wantLogLevel(level: LogMessage["level"]): void {
    const wanted = moreTalkative(this.#logLevel, level);
    if (wanted === undefined || wanted === this.#logLevel) return;
    this.#logLevel = wanted;
    this.servers.setLogLevel(wanted);
  }

  /** A client's connection has ended, however it did. */
  clientGone(connection: string): void {
    this.servers.abandon(connection);
    void this.subscriptions.drop(connection);
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#announcer.stop();
    await this.usage.flush();
  }

  #offerChanged(kinds: readonly OfferKind[]): void {
    this.tools.invalidate();
    this.offers.invalidate();
    this.#announcer.changed(kinds);
  }

  async #current(kind: OfferKind): Promise<Readonly<Record<Exposure, unknown>>> {
    if (kind === "tools") return { all: await this.tools.list("all"), lean: await this.tools.list("lean") };
    const list = kind === "prompts" ? this.offers.prompts() : this.offers.allResources();
    return { all: list, lean: list };
  }
}
