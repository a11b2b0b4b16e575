/**
 * The gateway: everything that all client connections share.
 *
 * @module
 */

import type { Emits } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import type { SpanEvents } from "../base/trace-context.js";
import { within } from "../base/within.js";
import type { LogMessage, OfferKind, RealServers } from "../mcp/real-servers.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { WireNameEntry, WireNameStore } from "../registry/wire-table.js";
import type { AppViews } from "./app-views.js";
import { Announcer, ClientConnections } from "./client-connections.js";
import type { DecisionGate } from "./decision-gate.js";
import type { ToolInvoker } from "./invoke-tool.js";
import { NameKeeper } from "./name-keeper.js";
import { OfferCatalogue } from "./offer-catalogue.js";
import type { Operation } from "./operation.js";
import { ResourceNews, ResourceSubscriptions } from "./resource-subscriptions.js";
import type { Session, View } from "./session.js";
import { ToolCatalogue } from "./tool-catalogue.js";
import type { ToolInventory } from "./tool-inventory.js";
import type { ToolListing } from "./tool-listing.js";

export interface GatewayOptions {
  /** The gate for decisions of people. */
  readonly gate: DecisionGate;
  readonly own: readonly Operation[];
  /** Calls tools. */
  readonly invoker: ToolInvoker;
  readonly registry: CapabilityRegistry;
  /** Whether a visible capability is in the session's list; default: all are. */
  readonly isListed?: (capability: Capability) => boolean;
  readonly inventory: ToolInventory;
  /** Chooses what is listed. */
  readonly listing: ToolListing;
  /** Waits until the store is open; the gateway answers before that. */
  readonly wireNames: WireNameStore;
  /** Names given earlier; the first listing waits for them. */
  readonly nameHistory: Promise<readonly WireNameEntry[]>;
  readonly log: Log;
  /** Receives the spans of traces; absent if none are recorded. */
  readonly spans?: Emits<SpanEvents> | undefined;
  /** What clients can show next to an answer; absent if there is nothing. */
  readonly views?: AppViews;
  /** How long a listing waits for servers that have not been reached yet. */
  readonly firstListWaitMs: number;
}

export class Gateway {
  readonly servers: RealServers;
  readonly log: Log;
  readonly spans: Emits<SpanEvents> | undefined;
  readonly connections = new ClientConnections();
  readonly tools: ToolCatalogue;
  readonly offers: OfferCatalogue;
  readonly subscriptions: ResourceSubscriptions;
  readonly invoker: ToolInvoker;
  readonly gate: DecisionGate;
  readonly registry: CapabilityRegistry;
  readonly views: AppViews | undefined;
  readonly #announcer: Announcer;
  readonly #names: NameKeeper;
  readonly #resourceNews: ResourceNews;
  readonly #firstListWaitMs: number;
  readonly #stopListening: () => void;
  readonly #settled = new Map<OfferKind, Promise<void>>();
  #remembered: Promise<void> | undefined;
  /** True until it is known what all servers offer, or the time limit has passed. */
  #isStarting = true;
  /** The same for servers that start after a change of the configuration. */
  #restarts = 0;
  #logLevel: LogMessage["level"] | undefined;

  constructor(options: GatewayOptions) {
    const { inventory, invoker, registry, log } = options;
    const { servers } = invoker;
    this.servers = servers;
    this.invoker = invoker;
    this.gate = options.gate;
    this.registry = registry;
    this.log = log;
    this.spans = options.spans;
    this.views = options.views;
    this.#firstListWaitMs = options.firstListWaitMs;
    this.#names = new NameKeeper(options.wireNames, log, () => this.listingChanged());
    this.offers = new OfferCatalogue(inventory);
    this.subscriptions = new ResourceSubscriptions(servers, this.offers);
    this.#resourceNews = new ResourceNews(this.subscriptions, this.connections);
    this.tools = new ToolCatalogue({
      inventory,
      own: options.own,
      capabilities: registry.directory,
      isListed: options.isListed,
      onCapabilities: () => this.#announcer.changed(["tools"]),
      listing: options.listing,
      isStarting: () => this.#isStarting || this.#restarts > 0,
      isInUse: (view) => this.connections.hasList("tools", view),
      onScope: (scope) => registry.toolNames.serve(scope),
      history: options.nameHistory,
      onNamed: (added, table) => this.#names.keep(table, added),
    });
    this.#announcer = new Announcer(this.connections, (kind, view) => this.#list(kind, view));
    this.#stopListening = servers.listen({
      offerChanged: (_server, kinds) => {
        this.#announcer.changed(kinds);
        if (kinds.includes("tools")) registry.toolNames.check();
      },
      resourceUpdated: (server, uri) => this.#resourceNews.updated(server, uri),
      logged: (message) => this.connections.tell((target) => target.logged(message)),
    });
  }

  /** Waits, once and for a limited time, for servers that are still starting: a client may list only once. */
  firstServers(kind: OfferKind): Promise<void> {
    const known = this.#settled.get(kind) ?? this.#settle(kind);
    this.#settled.set(kind, known);
    return known;
  }

  async #settle(kind: OfferKind): Promise<void> {
    await this.servers.settled(kind, this.#firstListWaitMs);
    if (kind === "tools") this.#isStarting = false;
  }

  /** Waits, for a limited time, until the capabilities are known: a list without them would be wrong. */
  firstCapabilities(): Promise<void> {
    this.#remembered ??= within(LIMITS.storeOpenWaitMs, this.registry.listable()).catch(() => {
      this.#remembered = undefined;
    });
    return this.#remembered;
  }

  /** Servers log at the most detailed level that any client asked for; each client is sent only its own level. */
  wantLogLevel(level: LogMessage["level"]): void {
    const wanted = moreTalkative(this.#logLevel, level);
    if (wanted === undefined || wanted === this.#logLevel) return;
    this.#logLevel = wanted;
    this.servers.setLogLevel(wanted);
  }

  /** Something else that the list depends on has changed. */
  listingChanged(): void {
    this.tools.invalidate();
    this.#announcer.changed(["tools"]);
  }

  /**
   * Rules and servers have changed: clients are notified once, when the servers that start now are ready or the time
   * limit has passed.
   */
  rulesChanged(servers: Promise<unknown>): void {
    this.#restarts += 1;
    const over = () => {
      this.#restarts -= 1;
    };
    this.#announcer.hold(within(this.#firstListWaitMs, servers).then(over, over));
    this.listingChanged();
  }

  /** Must be called before a client's call is answered: its next turn must see what the call has changed. */
  tellCaller(session: Session, tell?: () => Promise<void>): Promise<void> {
    return this.#announcer.tellNow(session.newsId ?? session.id, tell);
  }

  /** A client's connection has ended, for any reason. */
  clientGone(connection: string): void {
    this.servers.abandon(connection);
    void this.subscriptions.drop(connection);
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#announcer.stop();
    this.#names.stop();
    await this.invoker.usage.flush();
  }

  async #list(kind: OfferKind, view: View): Promise<unknown> {
    if (kind === "tools") return this.tools.list(view);
    return kind === "prompts" ? this.offers.prompts() : this.offers.allResources();
  }
}

type Level = LogMessage["level"];

const LEVELS: readonly Level[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The more detailed of two levels; an unknown level is ignored. */
export function moreTalkative(a: Level | undefined, b: Level | undefined): Level | undefined {
  const places = [a, b]
    .map((level) => (level === undefined ? -1 : LEVELS.indexOf(level)))
    .filter((place) => place >= 0);
  return places.length === 0 ? undefined : LEVELS[Math.min(...places)];
}
