/**
 * The configured servers as records: what the configuration says of each, and what the server itself says once it has
 * answered.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { serverRouting } from "../execution/prepare/approval-policy.js";
import { cleanText } from "../mcp/clean-text.js";
import type { RealServers, ServerStatus } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import type { ServerRecordStore, ServerSighting } from "../registry/server-record.js";
import { ServerDirectory, ServerRegistry } from "../registry/server-registry.js";
import type { ServerName } from "../registry/tool-id.js";
import { creatorOf } from "../registry/visibility.js";
import type { ServerEntry } from "../upstream/server-entry.js";
import type { LiveState } from "./live-config.js";
import { type ServerCode, serverCode } from "./server-code-url.js";

export interface ServerRecordsOptions {
  readonly store: ServerRecordStore;
  /** What is disabled, or cannot be used, is not configured. */
  readonly live: { readonly now: ConfiguredServers };
  /** Of the installation, not of a session. */
  readonly scope: Scope;
  readonly servers: RealServers;
  readonly log: Log;
  /** Whether a text has a secret: an address with one is not told. */
  readonly isSecret?: (text: string) => boolean;
}

type ConfiguredServers = Pick<LiveState, "entries" | "config"> & {
  readonly rules: Pick<LiveState["rules"], "permissions">;
};

/** Servers write what they like; a record has room for a name and a sentence. */
const VERSION_CHARS = 100;
const DESCRIPTION_CHARS = 500;

type Said = Pick<ServerSighting, "versionTag" | "description">;

export class ServerRecords {
  readonly registry: ServerRegistry;
  readonly #options: ServerRecordsOptions;
  #configured: readonly Omit<ServerSighting, keyof Said>[] = [];
  #code: ReadonlyMap<ServerName, ServerCode> = new Map();
  /** What each server said when it was last connected: it stays while it is away. */
  readonly #said = new Map<ServerName, Said>();
  #stopListening: () => void = () => {};

  constructor(options: ServerRecordsOptions) {
    const { scope, store, log } = options;
    this.#options = options;
    this.registry = new ServerRegistry({
      store,
      directory: new ServerDirectory(scope, []),
      sightings: () => this.#sightings(),
      log,
    });
    this.#configure();
  }

  /** To be called when other servers are configured: the store is told. */
  configured(): void {
    this.#configure();
    void this.registry.sight();
  }

  #configure(): void {
    const { entries: all, config } = this.#options.live.now;
    const entries = all.filter(({ problem }) => problem === undefined);
    this.#code = new Map(entries.map((entry) => [entry.name, serverCode(entry)]));
    this.#configured = entries.map((entry) => this.#configuredOf(entry));
    this.registry.directory.configure(
      entries.map(({ name }) => ({
        server: name,
        hasVisibility: config.mcpServers?.[name]?.visibility !== undefined,
      })),
    );
  }

  /** Tells the store what is configured, and from then on what servers say of themselves. */
  start(): void {
    this.#stopListening = this.#options.servers.listen({
      offerChanged: () => void this.registry.sight(),
      resourceUpdated() {},
      logged() {},
    });
    this.registry.loaded().catch(() => {});
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.registry.stop();
  }

  #configuredOf(entry: ServerEntry): Omit<ServerSighting, keyof Said> {
    const { live, scope, isSecret = () => false } = this.#options;
    const { config, rules } = live.now;
    const { name: server } = entry;
    const given = config.mcpServers?.[server];
    const codeUrl = given?.codeUrl ?? this.#code.get(server)?.codeUrl;
    return {
      server,
      org: scope.org,
      project: scope.project,
      createdBy: creatorOf(scope),
      routing: serverRouting(entry, rules.permissions),
      visibility: given?.visibility ?? "project",
      codeUrl: codeUrl === undefined || isSecret(codeUrl) ? undefined : codeUrl,
    };
  }

  #sightings(): readonly ServerSighting[] {
    for (const status of this.#options.servers.statuses())
      if (status.state === "ready") this.#said.set(status.name, this.#saidBy(status));
    return this.#configured.map((configured) => ({
      ...configured,
      versionTag: undefined,
      description: undefined,
      ...this.#said.get(configured.server),
    }));
  }

  /** A server that gives no version is of the one that its entry asks for. */
  #saidBy({ name, serverVersion, serverDescription }: ServerStatus): Said {
    return {
      versionTag: shortened(serverVersion, VERSION_CHARS) ?? this.#code.get(name)?.version,
      description: shortened(serverDescription, DESCRIPTION_CHARS),
    };
  }
}

/** Nothing where nothing is left of it. */
function shortened(text: string | undefined, chars: number): string | undefined {
  const cleaned = cleanText(text ?? "").trim();
  // By code points, so that no surrogate pair is cut in two.
  return cleaned === ""
    ? undefined
    : Array.from(cleaned.slice(0, 2 * chars))
        .slice(0, chars)
        .join("");
}
