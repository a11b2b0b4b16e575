/**
 * Servers' records for everybody in the gateway: memory in front, the store behind.
 *
 * What is configured is told to the store before memory is asked for the first time, and again whenever a server has
 * said something new. A store that cannot be written costs nobody an answer: it is told at the next change.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf, type PmlError } from "../base/pml-error.js";
import { notFoundError, shownText } from "./missing-capability.js";
import type { Scope } from "./scope.js";
import { isServerName, type ServerDirectory } from "./server-directory.js";
import type { ServerRecord, ServerRecordStore, ServerSighting, ServerVersion } from "./server-record.js";
import { resolveVersion, type VersionSpec } from "./version-spec.js";

export interface FoundServer {
  readonly record: ServerRecord;
  /** The one that was asked for, or the newest. */
  readonly version: ServerVersion;
  /** Whether this gateway has it configured. */
  readonly isConfigured: boolean;
}

export interface ServerRegistryOptions {
  readonly store: ServerRecordStore;
  readonly directory: ServerDirectory;
  /** What is configured, as it is now. */
  readonly sightings: () => readonly ServerSighting[];
  readonly log: Log;
}

export class ServerRegistry {
  readonly directory: ServerDirectory;
  readonly #options: ServerRegistryOptions;
  #loading: Promise<void> | undefined;
  #telling: Promise<void> | undefined;
  #hasNews = false;
  #isStopped = false;
  /** What the store was told last. */
  #told: string | undefined;

  constructor(options: ServerRegistryOptions) {
    this.#options = options;
    this.directory = options.directory;
  }

  /** Resolves when memory matches the store; if the store fails, the next caller tries again. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Another gateway may have changed records: memory is brought up to the store. Throws where that fails. */
  async refresh(): Promise<void> {
    this.directory.replace(await this.#options.store.load());
  }

  /** Writes the current configuration to the store, one write at a time. Resolves when it is done or has failed. */
  sight(): Promise<void> {
    this.#hasNews = !this.#isStopped;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  /** Stops writing; resolves when no write is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#hasNews = false;
    await this.#telling;
  }

  /**
   * The server that a caller's words mean; nothing where they may mean a capability and mean no server. Throws
   * `CAPABILITY_NOT_FOUND` for a server's name that means nothing the session may see, and `VERSION_NOT_FOUND`.
   */
  async lookUp(text: string, scope: Scope): Promise<FoundServer | undefined> {
    await this.loaded();
    const found = this.directory.resolve(text, scope);
    if (found === undefined) {
      if (isServerName(text)) throw this.notFound(text, scope);
      return undefined;
    }
    const { record, version } = found;
    return {
      record,
      version: await this.#versionOf(record, version, text),
      isConfigured: this.directory.isConfigured(record),
    };
  }

  /** Newest first. */
  async versions({ fqdn }: Pick<ServerRecord, "fqdn">): Promise<readonly ServerVersion[]> {
    return await this.#options.store.versions(fqdn);
  }

  notFound(text: string, scope: Scope): PmlError {
    const like = this.directory.nearest(shownText(text), scope);
    return notFoundError(text, like, 'cap_list { "type": "mcp-server" } lists the servers.');
  }

  async #load(): Promise<void> {
    await this.sight();
    try {
      await this.refresh();
    } catch (error) {
      this.#options.log.warn("servers.not_loaded", { message: messageOf(error) });
      throw error;
    }
  }

  async #tell(): Promise<void> {
    while (this.#hasNews) {
      this.#hasNews = false;
      const sightings = this.#options.sightings();
      const news = JSON.stringify(sightings);
      if (news === this.#told) continue;
      try {
        this.directory.put(await this.#options.store.sight(sightings));
        this.#told = news;
      } catch (error) {
        this.#options.log.warn("servers.not_told", { message: messageOf(error) });
      }
    }
  }

  async #versionOf(
    record: ServerRecord,
    spec: VersionSpec | undefined,
    text: string,
  ): Promise<ServerVersion> {
    const { version, versionTag, codeUrl, createdAt, updatedAt } = record;
    const newest = { version, versionTag, codeUrl, seenAt: updatedAt ?? createdAt };
    if (spec === undefined || spec.kind === "latest") return newest;
    const versions = await this.versions(record);
    const name = text.slice(0, text.indexOf("@"));
    const marks = versions.map((one) => ({ ...one, updatedAt: one.seenAt }));
    const number = resolveVersion(spec, marks, name);
    return versions.find((one) => one.version === number) ?? newest;
  }
}
