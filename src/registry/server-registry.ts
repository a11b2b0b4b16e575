/**
 * Servers' records for all parts of the gateway: memory in front, the store behind it.
 *
 * The configured servers are written to the store before memory is used for the first time, and again whenever a server
 * has reported something new. A failed write delays no answer: it is repeated at the next change.
 *
 * @module
 */

import { compareTexts } from "../base/compare-texts.js";
import type { Log } from "../base/log.js";
import { nearest } from "../base/nearest.js";
import { messageOf, type PmlError } from "../base/pml-error.js";
import type { CapabilityFilter } from "./capability-list.js";
import { foldDisplayName } from "./display-name.js";
import { type Fqdn, fqdnLabel } from "./fqdn.js";
import { globMatcher } from "./glob.js";
import { notFoundError, shownText } from "./missing-capability.js";
import { parseReferenceTo, type ReferenceTarget } from "./reference.js";
import type { Scope } from "./scope.js";
import type { ServerRecord, ServerRecordStore, ServerSighting, ServerVersion } from "./server-record.js";
import type { ServerName } from "./tool-id.js";
import { resolveVersion, type VersionSpec } from "./version-spec.js";
import { canSee } from "./visibility.js";

export interface FoundServer {
  readonly record: ServerRecord;
  /** The requested version; default: the newest. */
  readonly version: ServerVersion;
  /** Whether this gateway has it configured. */
  readonly isConfigured: boolean;
}

export interface ServerRegistryOptions {
  readonly store: ServerRecordStore;
  readonly directory: ServerDirectory;
  /** The current state of the configured servers. */
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
  /** What was last written to the store. */
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

  /** Updates memory from the store, since another gateway may have changed records. Throws if that fails. */
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
   * The server that `text` means; undefined if it may mean a capability and is not a server. Throws
   * `CAPABILITY_NOT_FOUND` for a server's name without a server that the session may see, and `VERSION_NOT_FOUND`.
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

// Every server's record in memory, by all its names.
//
// Unlike the name of a capability, a server's name is found from every scope, because it is only looked up and nothing
// runs. Servers that this gateway has configured come first, then those nearest to the session, and built-in ones last,
// so that a configured server replaces a built-in one.

/** A server in this gateway's configuration. */
interface ConfiguredServer {
  readonly server: ServerName;
  /** Whether the configuration sets its visibility; by default every session of this gateway may see it. */
  readonly hasVisibility: boolean;
}

interface ServerResolution {
  readonly record: ServerRecord;
  /** As the reference requests; default: the latest. */
  readonly version?: VersionSpec;
}

/** Uses of servers are not counted, so ordering by usage falls back to the name. */
export type ServerFilter = Omit<CapabilityFilter, "named" | "tags" | "trust">;

type OrgAndProject = Pick<Scope, "org" | "project">;

/** Servers' names may contain dots, display names may not. */
const NAME = /^mcp:[A-Za-z0-9_.-]+$/i;
const isName = (text: string): text is string => NAME.test(text);

/** Whether `text` can only mean a server: `mcp:` names are not given to capabilities. */
export function isServerName(text: string): boolean {
  const kind = parseReferenceTo(text, isName)?.target.kind;
  return kind === "name" || kind === "scoped";
}

export class ServerDirectory {
  readonly #own: OrgAndProject;
  #configured: ReadonlyMap<ServerName, ConfiguredServer> = new Map();
  #byFqdn = new Map<Fqdn, ServerRecord>();

  /** `own` is the scope of the records that this gateway has configured. */
  constructor(own: OrgAndProject, configured: Iterable<ConfiguredServer>) {
    this.#own = own;
    this.configure(configured);
  }

  configure(configured: Iterable<ConfiguredServer>): void {
    this.#configured = new Map([...configured].map((entry) => [entry.server, entry]));
  }

  /** Replaces everything by the records of the store. */
  replace(records: Iterable<ServerRecord>): void {
    this.#byFqdn = new Map();
    this.put(records);
  }

  /** Updates some records. */
  put(records: Iterable<ServerRecord>): void {
    for (const record of records) this.#byFqdn.set(record.fqdn, record);
  }

  /** Whether this gateway has it configured. */
  isConfigured({ org, project, server }: Pick<ServerRecord, "org" | "project" | "server">): boolean {
    return org === this.#own.org && project === this.#own.project && this.#configured.has(server);
  }

  /** Finds what `text` means in `scope`; undefined if it means no server that the session may see. */
  resolve(text: string, scope: Scope): ServerResolution | undefined {
    const reference = parseReferenceTo(text, isName);
    if (reference === undefined) return undefined;
    const { target, version } = reference;
    const [record] = this.#matching(target)
      .filter((found) => this.#canSee(found, scope))
      .sort(this.#order(target, scope));
    if (record === undefined) return undefined;
    return version === undefined ? { record } : { record, version };
  }

  /** The servers that the session may see, without built-in ones that a configured server replaces. */
  list(filter: ServerFilter, scope: Scope): readonly ServerRecord[] {
    const visible = [...this.#byFqdn.values()].filter((record) => this.#canSee(record, scope));
    const taken = new Set(visible.filter(({ isSeeded }) => !isSeeded).map(foldOf));
    const name = globMatcher(filter.pattern);
    const creator = globMatcher(filter.createdBy);
    const tag = globMatcher(filter.versionTag);
    return visible
      .filter(
        (record) =>
          !(record.isSeeded && !this.isConfigured(record) && taken.has(foldOf(record))) &&
          (filter.visibility === undefined || record.visibility === filter.visibility) &&
          (name === undefined || name(record.displayName)) &&
          (creator === undefined || creator(record.createdBy)) &&
          (tag === undefined || (record.versionTag !== undefined && tag(record.versionTag))),
      )
      .sort(filter.sortBy === "created" ? byCreation : byName);
  }

  /** Names similar to `text` that the session may see, best first. */
  nearest(text: string, scope: Scope, most = 3): readonly string[] {
    const names = new Set<string>();
    for (const record of this.#byFqdn.values())
      if (this.#canSee(record, scope)) names.add(record.displayName);
    return nearest(text, names, most);
  }

  #matching(target: ReferenceTarget<string>): ServerRecord[] {
    if (target.kind === "fqdn") {
      const record = this.#byFqdn.get(target.fqdn);
      return record === undefined ? [] : [record];
    }
    const all = [...this.#byFqdn.values()];
    if (target.kind === "label") return all.filter(({ fqdn }) => fqdnLabel(fqdn) === target.label);
    if (target.kind === "id") return [];
    const fold = foldDisplayName(target.name);
    return all.filter(
      (record) => foldOf(record) === fold && (target.kind === "name" || isIn(record, target)),
    );
  }

  #canSee(record: ServerRecord, scope: Scope): boolean {
    const isOpen = this.isConfigured(record) && this.#configured.get(record.server)?.hasVisibility === false;
    return isOpen || canSee(record, scope);
  }

  /** Sorts the servers that a reference may mean; the one that it means comes first. */
  #order(target: ReferenceTarget<string>, scope: Scope): (a: ServerRecord, b: ServerRecord) => number {
    const misspelt = ({ displayName }: ServerRecord) => Number(displayName !== spellingOf(target));
    return (a, b) =>
      this.#distance(a, scope) - this.#distance(b, scope) ||
      misspelt(a) - misspelt(b) ||
      a.createdAt.getTime() - b.createdAt.getTime() ||
      compareTexts(a.fqdn, b.fqdn);
  }

  #distance(record: ServerRecord, scope: Scope): number {
    if (this.isConfigured(record)) return 0;
    if (record.isSeeded) return 4;
    if (record.org !== scope.org) return 3;
    return record.project === scope.project ? 1 : 2;
  }
}

/** The server's name as the reference spells it, if it contains one. */
function spellingOf(target: ReferenceTarget<string>): string | undefined {
  if (target.kind === "name" || target.kind === "scoped") return target.name;
  return target.kind === "label" ? `mcp:${target.label.slice(target.label.lastIndexOf(".") + 1)}` : undefined;
}

function isIn(record: ServerRecord, { org, project }: OrgAndProject): boolean {
  return record.org === org && record.project === project;
}

function foldOf({ displayName }: ServerRecord): string {
  return foldDisplayName(displayName);
}

function byName(a: ServerRecord, b: ServerRecord): number {
  return compareTexts(a.displayName, b.displayName) || compareTexts(a.fqdn, b.fqdn);
}

function byCreation(a: ServerRecord, b: ServerRecord): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || byName(a, b);
}
