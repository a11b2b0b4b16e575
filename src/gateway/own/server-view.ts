/**
 * Servers' records as agents read them.
 *
 * @module
 */
import type { ServerStatus } from "../../mcp/real-servers.js";
import type { Routing, Visibility } from "../../registry/capability.js";
import type { ServerRecord, ServerVersion } from "../../registry/server-record.js";
import type { FoundServer } from "../../registry/server-registry.js";

/** `cap_lookup` of a server, and one row of `cap_list { type: "mcp-server" }`. */
export interface ServerAnswer {
  /** `mcp:<name>`. */
  readonly display_name: string;
  readonly fqdn: string;
  readonly type: "mcp-server";
  /** What the server says that it is; left out where it says nothing. */
  readonly description?: string;
  /** Where its code is; left out where nobody knows. */
  readonly code_url?: string;
  /** As the server says it; the number of the version where it has said nothing yet. */
  readonly version: string | number;
  readonly visibility: Visibility;
  readonly routing: Routing;
}

/** One version of a server. */
interface ServerVersionAnswer {
  readonly version: number;
  readonly version_tag?: string;
  readonly code_url?: string;
  /** When it was first seen. */
  readonly date: string;
}

/** `cap_whois` of a server: the complete record. */
export interface ServerWhoisAnswer extends ServerAnswer {
  readonly org: string;
  readonly project: string;
  /** `user@org`. */
  readonly created_by: string;
  /** Everyone whose gateway has it configured. */
  readonly creators: readonly string[];
  readonly created_at: string;
  readonly updated_at?: string;
  /** Whether this gateway has it configured. */
  readonly configured: boolean;
  /** Whether every installation knows it. */
  readonly seeded: boolean;
  /** Of the server behind this gateway; left out where there is none. */
  readonly status?: ServerStatus["state"];
  /** Newest first. */
  readonly versions: readonly ServerVersionAnswer[];
}

/** `cap_history` of a server. */
export interface ServerHistoryAnswer {
  readonly display_name: string;
  readonly fqdn: string;
  readonly type: "mcp-server";
  /** Newest first. */
  readonly versions: readonly ServerVersionAnswer[];
  readonly total_versions: number;
}

/** Of the version that was asked for; the newest where none was. */
export function serverAnswerOf(
  record: ServerRecord,
  { version, versionTag, codeUrl }: Pick<ServerVersion, "version" | "versionTag" | "codeUrl"> = record,
): ServerAnswer {
  const { description } = record;
  return {
    display_name: record.displayName,
    fqdn: record.fqdn,
    type: "mcp-server",
    ...(description === undefined ? {} : { description }),
    ...(codeUrl === undefined ? {} : { code_url: codeUrl }),
    version: versionTag ?? version,
    visibility: record.visibility,
    routing: record.routing,
  };
}

export function serverWhoisOf(
  { record, version, isConfigured }: FoundServer,
  versions: readonly ServerVersion[],
  statuses: readonly Pick<ServerStatus, "name" | "state">[],
): ServerWhoisAnswer {
  const { updatedAt } = record;
  const status = isConfigured ? statuses.find(({ name }) => name === record.server)?.state : undefined;
  return {
    ...serverAnswerOf(record, version),
    org: record.org,
    project: record.project,
    created_by: record.createdBy,
    creators: record.creators,
    created_at: record.createdAt.toISOString(),
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt.toISOString() }),
    configured: isConfigured,
    seeded: record.isSeeded,
    ...(status === undefined ? {} : { status }),
    versions: versions.map(versionOf),
  };
}

/** The newest `most` of them. */
export function serverHistoryOf(
  { displayName, fqdn }: ServerRecord,
  versions: readonly ServerVersion[],
  most: number,
): ServerHistoryAnswer {
  return {
    display_name: displayName,
    fqdn,
    type: "mcp-server",
    versions: versions.slice(0, most).map(versionOf),
    total_versions: versions.length,
  };
}

function versionOf({ version, versionTag, codeUrl, seenAt }: ServerVersion): ServerVersionAnswer {
  return {
    version,
    ...(versionTag === undefined ? {} : { version_tag: versionTag }),
    ...(codeUrl === undefined ? {} : { code_url: codeUrl }),
    date: seenAt.toISOString(),
  };
}
