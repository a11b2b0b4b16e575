/**
 * Servers' records in the form for agents.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import type { ServerStatus } from "../../mcp/real-servers.js";
import type { ServerRecord, ServerVersion } from "../../registry/server-record.js";
import type { FoundServer } from "../../registry/server-registry.js";
import { list } from "../operation.js";

export const visibility = z.enum(["private", "project", "org", "public"]);
export const routing = z.enum(["local", "cloud"]);

/** `cap_lookup` of a server. */
export const serverAnswer = z.strictObject({
  /** `mcp:<name>`. */
  display_name: z.string(),
  fqdn: z.string(),
  type: z.literal("mcp-server"),
  /** The server's own description. */
  description: z.string().exactOptional(),
  /** The address of its source code, if known. */
  code_url: z.string().exactOptional(),
  /** As the server reports it; the number of the version if it has reported nothing yet. */
  version: z.union([z.string(), z.int()]),
  visibility,
  routing,
});

/** One version of a server, and when it was first seen. */
const serverVersion = z.strictObject({
  version: z.int(),
  version_tag: z.string().exactOptional(),
  code_url: z.string().exactOptional(),
  date: z.string(),
});

/** `cap_whois` of a server: the complete record. */
export const serverWhoisAnswer = serverAnswer.extend({
  org: z.string(),
  project: z.string(),
  /** `user@org`. */
  created_by: z.string(),
  /** Everyone whose gateway has it configured. */
  creators: list(z.string()),
  created_at: z.string(),
  updated_at: z.string().exactOptional(),
  /** Whether this gateway has it configured. */
  configured: z.boolean(),
  /** Whether every installation knows it. */
  seeded: z.boolean(),
  /** The status of the connected server, if there is one. */
  status: z.enum(["connecting", "ready", "sign_in_required", "unavailable", "stopped"]).exactOptional(),
  /** Newest first. */
  versions: list(serverVersion),
});

/** `cap_history` of a server; versions newest first. */
export const serverHistoryAnswer = z.strictObject({
  display_name: z.string(),
  fqdn: z.string(),
  type: z.literal("mcp-server"),
  versions: list(serverVersion),
  total_versions: z.int(),
});

export type ServerLookupAnswer = z.infer<typeof serverAnswer>;
type ServerVersionAnswer = z.infer<typeof serverVersion>;
export type ServerWhoisAnswer = z.infer<typeof serverWhoisAnswer>;
export type ServerHistoryAnswer = z.infer<typeof serverHistoryAnswer>;

/** Of the requested version; default: the newest. */
export function serverAnswerOf(
  record: ServerRecord,
  { version, versionTag, codeUrl }: Pick<ServerVersion, "version" | "versionTag" | "codeUrl"> = record,
): ServerLookupAnswer {
  const { description } = record;
  return {
    display_name: record.displayName,
    fqdn: record.fqdn,
    type: "mcp-server",
    ...defined({ description, code_url: codeUrl }),
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
    ...defined({ updated_at: updatedAt?.toISOString() }),
    configured: isConfigured,
    seeded: record.isSeeded,
    ...defined({ status }),
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
    ...defined({ version_tag: versionTag, code_url: codeUrl }),
    date: seenAt.toISOString(),
  };
}
