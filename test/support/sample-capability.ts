import { createHash } from "node:crypto";
import type { Capability } from "../../src/registry/capability.js";
import {
  type DisplayName,
  isUnnamed,
  parseDisplayName,
  recordPartsOf,
} from "../../src/registry/display-name.js";
import { formatFqdn } from "../../src/registry/fqdn.js";

/** A capability called `name` as the store returns it, valid except for `changes`. */
export function sampleCapability(name: string, changes: Partial<Capability> = {}): Capability {
  const { org = "local", project = "default" } = changes;
  const displayName: DisplayName = parseDisplayName(name);
  const codeHash = changes.codeHash ?? createHash("sha256").update(`${org} ${project} ${name}`).digest("hex");
  const isNamed = !isUnnamed(displayName);
  const parts = recordPartsOf(isNamed ? displayName : undefined, "util", codeHash);
  return {
    fqdn: formatFqdn({ org, project, ...parts, hash: codeHash.slice(0, 4) }),
    id: codeHash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    displayName,
    isNamed,
    org,
    project,
    ...parts,
    source: "code",
    codeHash,
    intent: `do ${name}`,
    description: undefined,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    toolsUsed: [],
    dependencies: [],
    routing: "local",
    routingSource: "tools",
    visibility: isNamed ? "project" : "private",
    tags: [],
    version: 1,
    versionTag: undefined,
    trust: "provisional",
    usageCount: 1,
    successCount: 1,
    totalLatencyMs: 10,
    createdBy: "ada@local",
    creators: ["ada@local"],
    createdAt: new Date("2026-11-15T12:00:00.000Z"),
    updatedAt: undefined,
    updatedBy: undefined,
    lastUsedAt: undefined,
    signedBy: "key",
    cachePolicy: "auto",
    ttlSeconds: undefined,
    forkedFrom: undefined,
    mergedFrom: [],
    aliases: [],
    ...changes,
  };
}
