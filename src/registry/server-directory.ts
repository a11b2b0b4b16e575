/**
 * Every server's record in memory, by every form of its name.
 *
 * Unlike a capability's, a server's name is found from every scope: nothing runs because of it, it is only looked up.
 * What this gateway has configured comes first, then what is nearest to the session, and what every installation knows
 * comes last, so that a configured server takes the place of the seeded one.
 *
 * @module
 */
import { nearest } from "../base/nearest.js";
import type { Visibility } from "./capability.js";
import { foldDisplayName } from "./display-name.js";
import { type Fqdn, fqdnLabel, isFqdn, isFqdnLabel } from "./fqdn.js";
import { globMatcher } from "./glob.js";
import type { Scope } from "./scope.js";
import type { ServerRecord } from "./server-record.js";
import type { ServerName } from "./tool-id.js";
import { parseVersionSpec, type VersionSpec } from "./version-spec.js";
import { canSee } from "./visibility.js";

/** What this gateway has configured. */
export interface ConfiguredServer {
  readonly server: ServerName;
  /** Set if the configuration says who may see it; by default every session of this gateway may. */
  readonly hasVisibility: boolean;
}

export interface ServerResolution {
  readonly record: ServerRecord;
  /** As the reference asks for; latest when left out. */
  readonly version?: VersionSpec;
}

export interface ServerFilter {
  /** `*` stands for any text; case does not count. */
  readonly pattern?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly versionTag?: string | undefined;
  /** Uses of servers are not counted, so this order is by name. */
  readonly sortBy: "usage" | "name" | "created";
}

type OrgAndProject = Pick<Scope, "org" | "project">;

type Target =
  | { readonly kind: "name"; readonly name: string; readonly of?: OrgAndProject }
  | { readonly kind: "fqdn"; readonly fqdn: Fqdn }
  | { readonly kind: "label"; readonly label: string };

interface ServerReference {
  readonly target: Target;
  readonly version?: VersionSpec;
}

/** Servers' names may hold dots, which display names may not. */
const NAME = /^mcp:[A-Za-z0-9_.-]+$/i;
const SCOPED = /^([a-z0-9_-]+)\.([a-z0-9_-]+):(mcp:.+)$/i;
const CAP_PREFIX = "cap:";

/** Whether `text` can mean nothing but a server: `mcp:` names are not given to capabilities. */
export function isServerName(text: string): boolean {
  return parseServerReference(text)?.target.kind === "name";
}

export class ServerDirectory {
  readonly #own: OrgAndProject;
  readonly #configured: ReadonlyMap<ServerName, ConfiguredServer>;
  #byFqdn = new Map<Fqdn, ServerRecord>();

  /** `own` is where this gateway keeps the records of what it has configured. */
  constructor(own: OrgAndProject, configured: Iterable<ConfiguredServer>) {
    this.#own = own;
    this.#configured = new Map([...configured].map((entry) => [entry.server, entry]));
  }

  /** Takes over all that the store has. */
  replace(records: Iterable<ServerRecord>): void {
    this.#byFqdn = new Map();
    this.put(records);
  }

  /** Takes over some as they are now. */
  put(records: Iterable<ServerRecord>): void {
    for (const record of records) this.#byFqdn.set(record.fqdn, record);
  }

  /** Whether this gateway has it configured. */
  isConfigured({ org, project, server }: Pick<ServerRecord, "org" | "project" | "server">): boolean {
    return org === this.#own.org && project === this.#own.project && this.#configured.has(server);
  }

  /** Finds what `text` means in `scope`, or nothing where it means no server that the session may see. */
  resolve(text: string, scope: Scope): ServerResolution | undefined {
    const reference = parseServerReference(text);
    if (reference === undefined) return undefined;
    const { target, version } = reference;
    const [record] = this.#matching(target)
      .filter((found) => this.#canSee(found, scope))
      .sort(this.#order(target, scope));
    if (record === undefined) return undefined;
    return version === undefined ? { record } : { record, version };
  }

  /** What the session may see, without those seeded ones whose place another has taken. */
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

  /** Names that look like `text` and that the session may see, best first. */
  nearest(text: string, scope: Scope, most = 3): readonly string[] {
    const names = new Set<string>();
    for (const record of this.#byFqdn.values())
      if (this.#canSee(record, scope)) names.add(record.displayName);
    return nearest(text, names, most);
  }

  #matching(target: Target): ServerRecord[] {
    if (target.kind === "fqdn") {
      const record = this.#byFqdn.get(target.fqdn);
      return record === undefined ? [] : [record];
    }
    const all = [...this.#byFqdn.values()];
    if (target.kind === "label") return all.filter(({ fqdn }) => fqdnLabel(fqdn) === target.label);
    const { name, of } = target;
    const fold = foldDisplayName(name);
    return all.filter((record) => foldOf(record) === fold && (of === undefined || isIn(record, of)));
  }

  #canSee(record: ServerRecord, scope: Scope): boolean {
    const isOpen = this.isConfigured(record) && this.#configured.get(record.server)?.hasVisibility === false;
    return isOpen || canSee(record, scope);
  }

  /** Of those that a reference may mean, the one that it means first. */
  #order(target: Target, scope: Scope): (a: ServerRecord, b: ServerRecord) => number {
    const misspelt = ({ displayName }: ServerRecord) => Number(displayName !== spellingOf(target));
    return (a, b) =>
      this.#distance(a, scope) - this.#distance(b, scope) ||
      misspelt(a) - misspelt(b) ||
      a.createdAt.getTime() - b.createdAt.getTime() ||
      compare(a.fqdn, b.fqdn);
  }

  #distance(record: ServerRecord, scope: Scope): number {
    if (this.isConfigured(record)) return 0;
    if (record.isSeeded) return 4;
    if (record.org !== scope.org) return 3;
    return record.project === scope.project ? 1 : 2;
  }
}

function parseServerReference(text: string): ServerReference | undefined {
  const at = text.indexOf("@");
  const named = at < 0 ? text : text.slice(0, at);
  const target = parseTarget(named.startsWith(CAP_PREFIX) ? named.slice(CAP_PREFIX.length) : named);
  if (target === undefined || at < 0) return target && { target };
  return { target, version: parseVersionSpec(text.slice(at + 1)) };
}

function parseTarget(text: string): Target | undefined {
  if (NAME.test(text)) return { kind: "name", name: text };
  if (isFqdn(text)) return { kind: "fqdn", fqdn: text };
  if (isFqdnLabel(text)) return { kind: "label", label: text };
  const [, org, project, name = ""] = SCOPED.exec(text) ?? [];
  if (org === undefined || project === undefined || !NAME.test(name)) return undefined;
  return { kind: "name", name, of: { org, project } };
}

/** How what is meant is written, as far as the reference tells. */
function spellingOf(target: Target): string | undefined {
  if (target.kind === "name") return target.name;
  return target.kind === "label" ? `mcp:${target.label.slice(target.label.lastIndexOf(".") + 1)}` : undefined;
}

function isIn(record: ServerRecord, { org, project }: OrgAndProject): boolean {
  return record.org === org && record.project === project;
}

function foldOf({ displayName }: ServerRecord): string {
  return foldDisplayName(displayName);
}

function byName(a: ServerRecord, b: ServerRecord): number {
  return compare(a.displayName, b.displayName) || compare(a.fqdn, b.fqdn);
}

function byCreation(a: ServerRecord, b: ServerRecord): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || byName(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
