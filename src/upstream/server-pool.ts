/**
 * All real servers behind the gateway, connected side by side: none waits for another.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { within } from "../base/within.js";
import { listedForm, whyNotShown } from "../mcp/listed-form.js";
import {
  type Caller,
  isTool,
  type LogMessage,
  type OfferKind,
  type RealServers,
  type RealServersEvents,
  type ServerAnswer,
  type ServerOffer,
  type ServerRequest,
  type ServerStatus,
} from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import { RealServer } from "./real-server.js";
import type { ServerEntry } from "./server-entry.js";

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];

export class ServerPool implements RealServers {
  /** By name, in code-unit order. */
  #servers: ReadonlyMap<ServerName, RealServer>;
  #places: ReadonlyMap<ServerName, number>;
  readonly #listeners = new Set<RealServersEvents>();
  readonly #log: Log;
  #logLevel: LogMessage["level"] | undefined;
  /** One for each server that is gone and whose process has not ended yet. */
  readonly #leaving = new Set<Promise<void>>();

  readonly #hide: (text: string) => string;

  /** `entries` in the order of the configuration. `hide` takes the values of secrets out of what is told of servers. */
  constructor(entries: readonly ServerEntry[], log: Log, hide = (text: string) => text) {
    this.#log = log;
    this.#hide = hide;
    this.#places = placesOf(entries);
    this.#servers = new Map(inOrder(entries).map((entry) => [entry.name, this.#server(entry)]));
  }

  /**
   * Goes on with other entries: stops servers that are gone, restarts those in `changed`, and starts new ones. The others
   * keep their processes. Resolves when all that has started is ready, or has failed.
   */
  async replace(entries: readonly ServerEntry[], changed: ReadonlySet<ServerName>): Promise<void> {
    const before = this.#servers;
    const now = new Map(
      inOrder(entries).map((entry) => [entry.name, before.get(entry.name) ?? this.#server(entry)]),
    );
    this.#places = placesOf(entries);
    this.#servers = now;
    const gone = [...before].filter(([name]) => !now.has(name));
    for (const [name] of gone) this.#tell((to) => to.offerChanged(name, ALL_KINDS));
    await Promise.all([
      ...gone.map(([, server]) => this.#leave(server)),
      ...entries.map(async (entry) => {
        const server = now.get(entry.name);
        if (!before.has(entry.name)) {
          if (this.#logLevel !== undefined) server?.setLogLevel(this.#logLevel);
          server?.start();
          await server?.known("tools");
        } else if (changed.has(entry.name)) await server?.restart(entry);
      }),
    ]);
  }

  start(): void {
    for (const server of this.#servers.values()) server.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#leaving, ...[...this.#servers.values()].map((server) => server.stop())]);
  }

  #leave(server: RealServer): Promise<void> {
    const left = server.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    return left;
  }

  /** Takes tools that a server listed before for its offer, until it is reached. */
  remember(name: ServerName, tools: readonly { readonly hash: string; readonly tool: Json }[]): void {
    const offered = tools.flatMap(({ hash, tool }) =>
      isTool(tool) && whyNotShown(tool) === undefined ? { hash, raw: tool, tool: listedForm(tool) } : [],
    );
    this.#servers.get(name)?.remember(offered);
  }

  async settled(kind: OfferKind, ms: number): Promise<void> {
    const attempts = Promise.all([...this.#servers.values()].map((server) => server.known(kind)));
    await within(ms, attempts);
  }

  offers(): readonly ServerOffer[] {
    return [...this.#servers].map(([name, server]) => ({
      ...server.offer(),
      place: this.#places.get(name) ?? 0,
    }));
  }

  statuses(): readonly ServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status());
  }

  async request(server: ServerName, request: ServerRequest, caller: Caller): Promise<ServerAnswer> {
    return this.#get(server).request(request, caller);
  }

  abandon(connection: string): void {
    for (const server of this.#servers.values()) server.abandon(connection);
  }

  async subscribe(server: ServerName, uri: string): Promise<void> {
    await this.#get(server).subscribe(uri);
  }

  async unsubscribe(server: ServerName, uri: string): Promise<void> {
    await this.#get(server).unsubscribe(uri);
  }

  setLogLevel(level: LogMessage["level"]): void {
    this.#logLevel = level;
    for (const server of this.#servers.values()) server.setLogLevel(level);
  }

  listen(events: RealServersEvents): () => void {
    this.#listeners.add(events);
    return () => this.#listeners.delete(events);
  }

  #get(name: ServerName): RealServer {
    const server = this.#servers.get(name);
    if (server === undefined)
      throw new PmlError("SERVER_UNAVAILABLE", `Cannot reach server "${name}": it is not configured`);
    return server;
  }

  #server(entry: ServerEntry): RealServer {
    return new RealServer(
      entry,
      {
        offerChanged: (kinds) => this.#tell((to) => to.offerChanged(entry.name, kinds)),
        resourceUpdated: (uri) => this.#tell((to) => to.resourceUpdated(entry.name, uri)),
        logged: (message) => this.#tell((to) => to.logged(message)),
        said: (lines) => this.#tell((to) => to.said?.(entry.name, lines)),
      },
      this.#log,
      this.#hide,
    );
  }

  #tell(what: (to: RealServersEvents) => void): void {
    for (const listener of this.#listeners) what(listener);
  }
}

function placesOf(entries: readonly ServerEntry[]): ReadonlyMap<ServerName, number> {
  return new Map(entries.map(({ name }, place) => [name, place]));
}

function inOrder(entries: readonly ServerEntry[]): readonly ServerEntry[] {
  return [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
}
