/**
 * The configured servers as records: the facts from the configuration, and from the server itself once it has answered.
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
  /** Excludes servers that are disabled or cannot be used. */
  readonly live: { readonly now: ConfiguredServers };
  /** The scope of the installation, not of a session. */
  readonly scope: Scope;
  readonly servers: RealServers;
  readonly log: Log;
  /** Whether a text contains a secret: an address with one is not shown. */
  readonly isSecret?: (text: string) => boolean;
}

type ConfiguredServers = Pick<LiveState, "entries" | "config"> & {
  readonly rules: Pick<LiveState["rules"], "permissions">;
};

/** Servers may send texts of any length; a record has room for a name and a sentence. */
const VERSION_CHARS = 100;
const DESCRIPTION_CHARS = 500;

type Said = Pick<ServerSighting, "versionTag" | "description">;

export class ServerRecords {
  readonly registry: ServerRegistry;
  readonly #options: ServerRecordsOptions;
  #configured: readonly Omit<ServerSighting, keyof Said>[] = [];
  #code: ReadonlyMap<ServerName, ServerCode> = new Map();
  /** What each server reported at its last connection: it stays while the server is away. */
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

  /** Must be called when other servers are configured: updates the store. */
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

  /** Writes the configured servers to the store, and from then on their self-descriptions. */
  start(): void {
    this.#stopListening = this.#options.servers.listen({
      offerChanged: () => void this.registry.sight(),
      resourceUpdated() {},
      logged() {},
    });
    this.registry.loaded().catch(() => {});
  }

  /** Resolves when nothing is being written. */
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

  /** A server that reports no version gets the one that its entry requests. */
  #saidBy({ name, serverVersion, serverDescription }: ServerStatus): Said {
    return {
      versionTag: shortened(serverVersion, VERSION_CHARS) ?? this.#code.get(name)?.version,
      description: shortened(serverDescription, DESCRIPTION_CHARS),
    };
  }
}

/** Undefined if nothing is left of it. */
function shortened(text: string | undefined, chars: number): string | undefined {
  const cleaned = cleanText(text ?? "").trim();
  // By code points, so that no surrogate pair is split.
  return cleaned === ""
    ? undefined
    : Array.from(cleaned.slice(0, 2 * chars))
        .slice(0, chars)
        .join("");
}
