/**
 * All real servers behind the gateway, connected in parallel: none waits for another.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
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
import { formatScope, type Scope } from "../registry/scope.js";
import type { ServerName } from "../registry/tool-id.js";
import { RealServer } from "./real-server.js";
import type { ServerEntry } from "./server-entry.js";
import type { SignInEntry, SignIns } from "./sign-in/sign-ins.js";
import type { TokenKeeper } from "./sign-in/token-keeper.js";

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];

export class ServerPool implements RealServers {
  /** By name, in code-unit order. */
  #servers: ReadonlyMap<ServerName, RealServer>;
  #places: ReadonlyMap<ServerName, number>;
  readonly #listeners = new Set<RealServersEvents>();
  readonly #log: Log;
  #logLevel: LogMessage["level"] | undefined;
  /** One for each removed server whose process has not ended yet. */
  readonly #leaving = new Set<Promise<void>>();

  readonly #hide: (text: string) => string;
  readonly #signIns: SignIns | undefined;
  /** For servers that each user signs in to: the user whose sign-in is used to list the tools. */
  readonly #ownUser: string;
  /** Connections of other users to such servers, by server and user. */
  readonly #ofUsers = new Map<string, RealServer>();

  /** `entries` in the order of the configuration. `hide` removes the values of secrets from texts about servers. */
  constructor(
    entries: readonly ServerEntry[],
    log: Log,
    hide = (text: string) => text,
    { signIns, scope }: { readonly signIns?: SignIns; readonly scope?: Scope } = {},
  ) {
    this.#log = log;
    this.#signIns = signIns;
    this.#ownUser = scope === undefined ? "" : formatScope(scope);
    this.#hide = hide;
    this.#places = placesOf(entries);
    this.#servers = new Map(inOrder(entries).map((entry) => [entry.name, this.#server(entry)]));
  }

  /**
   * Continues with other entries: stops removed servers, restarts those in `changed`, and starts new ones. The others
   * keep their processes. Resolves when everything started is ready, or has failed.
   */
  async replace(entries: readonly ServerEntry[], changed: ReadonlySet<ServerName>): Promise<void> {
    const before = this.#servers;
    const now = new Map(
      inOrder(entries).map((entry) => [entry.name, before.get(entry.name) ?? this.#server(entry)]),
    );
    this.#places = placesOf(entries);
    this.#servers = now;
    const gone = [...before].filter(([name]) => !now.has(name));
    for (const [id, server] of this.#ofUsers) {
      if (now.has(server.entry.name) && !changed.has(server.entry.name)) continue;
      this.#ofUsers.delete(id);
      void this.#leave(server);
    }
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
    const all = [...this.#servers.values(), ...this.#ofUsers.values()];
    await Promise.all([...this.#leaving, ...all.map((server) => server.stop())]);
    this.#signIns?.stop();
  }

  #leave(server: RealServer): Promise<void> {
    const left = server.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    return left;
  }

  /** Uses the tools that a server listed earlier, until it is connected. */
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
    return this.#for(server, request.scope).request(request, caller);
  }

  /** The entry of a server with sign-in. Throws if it has none. */
  signInEntry(name: string): SignInEntry {
    const { entry } = this.#get(name as ServerName);
    if (entry.transport !== "stdio" && entry.auth !== undefined && entry.problem === undefined)
      return { ...entry, auth: entry.auth };
    const why =
      entry.problem !== undefined
        ? "its entry in the configuration cannot be used"
        : entry.transport === "stdio"
          ? "it is a program on this machine, and not an HTTP server"
          : "its entry has an authorization of its own, or auth is false";
    throw new PmlError("SIGN_IN_FAILED", `Cannot sign in to "${name}": ${why}`, {
      hint: "`pml servers` shows the servers and their states.",
    });
  }

  /** The user of the sign-in; empty if the installation shares it. */
  ownerOf({ auth }: SignInEntry, scope: Scope): string {
    return auth.per === "user" ? formatScope(scope) : "";
  }

  /** Whether all users of the gateway share the sign-in to the server, if it has one. */
  isSignInShared(name: string): boolean {
    const entry = this.#servers.get(name as ServerName)?.entry;
    return entry !== undefined && entry.transport !== "stdio" && entry.auth?.per !== "user";
  }

  /** Whether a call in this scope would have to wait for a person to sign in. */
  needsSignIn(name: ServerName, scope: Scope): boolean {
    return this.#servers.has(name) && this.#for(name, scope).needsSignIn;
  }

  /** The connection that a request of this scope uses. */
  #for(name: ServerName, scope: Scope | undefined): RealServer {
    const server = this.#get(name);
    const { entry } = server;
    if (scope === undefined || entry.transport === "stdio" || entry.auth?.per !== "user") return server;
    const user = formatScope(scope);
    if (user === this.#ownUser) return server;
    const id = JSON.stringify([name, user]);
    const known = this.#ofUsers.get(id);
    if (known !== undefined && known.entry === entry) return known;
    if (known !== undefined) void this.#leave(known);
    for (const [oldest, left] of this.#ofUsers) {
      if (this.#ofUsers.size < LIMITS.signInUsers) break;
      this.#ofUsers.delete(oldest);
      void this.#leave(left);
    }
    const made = this.#server(entry, user);
    this.#ofUsers.set(id, made);
    made.start();
    return made;
  }

  abandon(connection: string): void {
    for (const server of [...this.#servers.values(), ...this.#ofUsers.values()]) server.abandon(connection);
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

  /** @param user if the connection belongs to one user; its tools are not listed */
  #server(entry: ServerEntry, user?: string): RealServer {
    const { name } = entry;
    const made: RealServer = new RealServer(
      entry,
      {
        offerChanged: (kinds) => {
          if (user === undefined) this.#tell((to) => to.offerChanged(name, kinds));
          // Until the gateway's own user signs in, the list of another user is used.
          else if (kinds.includes("tools")) this.#servers.get(name)?.remember(made.offer().tools);
        },
        resourceUpdated: (uri) => this.#tell((to) => to.resourceUpdated(entry.name, uri)),
        logged: (message) => this.#tell((to) => to.logged(message)),
        said: (lines) => this.#tell((to) => to.said?.(entry.name, lines)),
      },
      this.#log,
      this.#hide,
      (of) => this.#keeperOf(of, user),
    );
    return made;
  }

  #keeperOf(entry: ServerEntry, user = this.#ownUser): TokenKeeper | undefined {
    if (entry.transport === "stdio" || entry.auth === undefined || entry.problem !== undefined)
      return undefined;
    const { auth } = entry;
    return this.#signIns?.keeper({ ...entry, auth }, auth.per === "user" ? user : "");
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
