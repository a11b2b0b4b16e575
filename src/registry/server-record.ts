/**
 * The record of an MCP server, `mcp:<name>`: a configured server, or one of the built-in examples.
 *
 * @module
 */
import type { Routing, Visibility } from "./capability.js";
import type { Fqdn, FqdnLabel } from "./fqdn.js";
import type { Scope } from "./scope.js";
import type { ServerName } from "./tool-id.js";

/** The first part of servers' names, and the namespace of their FQDNs. */
export const SERVER_NAMESPACE = "mcp";

/** The scope of the built-in records. */
export const SEEDED_SCOPE: Pick<Scope, "org" | "project"> = { org: "pml", project: "std" };

/** One observed version of a server: never changed afterwards. */
export interface ServerVersion {
  readonly version: number;
  /** As the server reports it: `1.2.0`. */
  readonly versionTag: string | undefined;
  readonly codeUrl: string | undefined;
  readonly seenAt: Date;
}

/** The current state of a configured server. */
export interface ServerSighting {
  readonly server: ServerName;
  readonly org: string;
  readonly project: string;
  /** `user@org` of the user who configured it; `pml@pml` for built-in records. */
  readonly createdBy: string;
  readonly routing: Routing;
  readonly visibility: Visibility;
  readonly codeUrl: string | undefined;
  /** Unknown until the server has answered. */
  readonly versionTag: string | undefined;
  readonly description: string | undefined;
}

export interface ServerRecord extends ServerSighting {
  /** `<org>.<project>.mcp.<name>.<hash>`; the hash is that of the display name, since a server has no code. */
  readonly fqdn: Fqdn;
  /** `mcp:<name>`. */
  readonly displayName: string;
  readonly version: number;
  /** Users whose gateways have it configured; they may see it while it is private. */
  readonly creators: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date | undefined;
  /** True for built-in records that are not configured. */
  readonly isSeeded: boolean;
}

export interface ServerRecordStore {
  /** All records, by display name, including built-in ones. */
  load(): Promise<readonly ServerRecord[]>;
  /**
   * Creates or updates the records of the configured servers; another version tag or code URL is a new version. A
   * sighting without a version tag changes no version: version 1 is complete when the server has answered for the first
   * time. A sighting without news writes nothing. Returns the resulting records in the same order.
   */
  sight(sightings: readonly ServerSighting[]): Promise<readonly ServerRecord[]>;
  /** Newest first; for a server that has never answered, the version in its record. */
  versions(fqdn: Fqdn): Promise<readonly ServerVersion[]>;
}

export function serverDisplayName(server: ServerName): string {
  return `${SERVER_NAMESPACE}:${server}`;
}

/**
 * Names of servers may contain capitals and dots, parts of an FQDN may not: names that differ only in these share a
 * label.
 */
export function serverLabel({
  org,
  project,
  server,
}: Pick<ServerSighting, "org" | "project" | "server">): FqdnLabel {
  return {
    org,
    project,
    namespace: SERVER_NAMESPACE,
    action: server.toLowerCase().replace(/[^a-z0-9_-]/g, "_"),
  };
}
