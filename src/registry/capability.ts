/**
 * What a capability is: its name card (record), its versions, and its learning.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { CapabilityRef } from "./capability-ref.js";
import type { Definition } from "./definition.js";
import type { DisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { ToolId } from "./tool-id.js";

/** Who made the code: whoever wrote it, or PML of a graph of tasks or for a tool. */
export type CapabilitySource = "code" | "dag" | "tool";
export type Visibility = "private" | "project" | "org" | "public";
export type Routing = "local" | "cloud";
/** `tools`: follows from the tools that the newest code uses. `explicit`: somebody has said so, and it stays. */
export type RoutingSource = "tools" | "explicit";
/** `unproven`: saved or imported, and has not succeeded here yet. */
export type TrustState = "unproven" | "provisional" | "verified" | "suspect" | "degraded";
/** A tool that the newest version uses and that is not as it was. */
export interface ToolTrouble {
  readonly tool: ToolId;
  readonly kind: "changed" | "gone";
  /** ISO 8601. */
  readonly since: string;
  /** Somebody has accepted the tool as it is now, and the version has not succeeded with it yet. */
  readonly accepted: boolean;
}
/** `auto`: what only reads may be cached. */
export type CachePolicy = "auto" | "none" | "memoize" | "persistent";

/** JSON Schema of the arguments: an object schema. */
export interface ParametersSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  /** True where the code uses its arguments as a whole. */
  readonly additionalProperties: boolean;
}

/** The record of a capability with what everybody may see of its pattern; no code. */
export interface Capability {
  readonly fqdn: Fqdn;
  /** The pattern's UUID: `id` and `capabilityId` on the wire. */
  readonly id: string;
  readonly displayName: DisplayName;
  /** False while it is called `unnamed_<hash>`. */
  readonly isNamed: boolean;
  readonly org: string;
  readonly project: string;
  readonly namespace: string;
  readonly action: string;
  /** Of the newest version. */
  readonly source: CapabilitySource;
  /** SHA-256 of the canonical code of version 1. */
  readonly codeHash: string;
  readonly intent: string;
  /** Others that a run had which named it, or made an earlier version; newest first. */
  readonly otherIntents?: readonly string[];
  readonly description: string | undefined;
  readonly parameters: ParametersSchema;
  /** Of the newest version. */
  readonly toolsUsed: readonly ToolId[];
  /** What the newest version calls, in the order of the first calls. */
  readonly dependencies: readonly CapabilityRef[];
  readonly routing: Routing;
  readonly routingSource: RoutingSource;
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  readonly version: number;
  readonly versionTag: string | undefined;
  /** Of the newest version, and what its tools leave of that. */
  readonly trust: TrustState;
  /** Why tools take trust away; left out where none does. */
  readonly troubles?: readonly ToolTrouble[];
  readonly usageCount: number;
  readonly successCount: number;
  readonly totalLatencyMs: number;
  /** `user@org`. */
  readonly createdBy: string;
  /** Everyone who ran it, as `user@org`: who may see it while it is private. */
  readonly creators: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date | undefined;
  /** `user@org` of who changed the record last. */
  readonly updatedBy: string | undefined;
  readonly lastUsedAt: Date | undefined;
  /** Base64 of the public key that the newest version is signed with. */
  readonly signedBy: string;
  readonly cachePolicy: CachePolicy;
  readonly ttlSeconds: number | undefined;
  /** The version of which a person has said how it is cached; left out where an agent did, or nobody. */
  readonly cachePersonVersion?: number | undefined;
  /** What its code was copied from. A fork is another capability, though it begins as the same code. */
  readonly forkedFrom: Fqdn | undefined;
  /** What it was put together from. */
  readonly mergedFrom: readonly CapabilityRef[];
  /** Set once it is deleted; until `reservedUntil` its names are nobody else's, and it can be undeleted. */
  readonly deletedAt?: Date;
  readonly reservedUntil?: Date;
  /** Former display names that still resolve, oldest first. */
  readonly aliases: readonly DisplayName[];
  /** Which analysis made what is stored of the newest code. */
  readonly analysisVersion?: number;
  /** Grows with every change of the record in the store: of two states of one capability the higher is the later. */
  readonly revision?: number;
}

/** What a version is made of. */
export interface VersionContent {
  readonly versionTag: string | undefined;
  /** As it was written. */
  readonly code: string;
  /** The same with references to capabilities rewritten to FQDNs: what is analysed and run. */
  readonly savedCode: string;
  readonly canonicalCode: string;
  readonly codeHash: string;
  readonly parameters: ParametersSchema;
  readonly toolsUsed: readonly ToolId[];
  readonly dependencies: readonly CapabilityRef[];
  readonly changeSummary: string | undefined;
  /** What its code was made of; left out where somebody wrote it. */
  readonly definition?: Definition;
}

/** One version as it is stored. Only its signature is ever replaced, by one of the same content. */
export interface CapabilityVersion extends VersionContent {
  readonly fqdn: Fqdn;
  readonly version: number;
  /** `signedHash` of the version before; null for version 1, and where the version before is missing. */
  readonly previousHash: string | null;
  /** Base64 of the Ed25519 signature of {@link signedText}, and of the public key that made it. */
  readonly signature: string;
  readonly publicKey: string;
  readonly updatedBy: string;
  readonly updatedAt: Date;
}

const SUCCESS_SHARE = 0.6;
const USAGE_SHARE = 0.4;
/** So many uses are half of all that usage can tell. */
const HALFWAY_USES = 5;

/** Between 0 and 1: its success rate, and how often it was used. What was never used is nowhere. */
export function reliabilityOf({
  usageCount,
  successCount,
}: Pick<Capability, "usageCount" | "successCount">): number {
  if (usageCount <= 0) return 0;
  return (
    SUCCESS_SHARE * (successCount / usageCount) + USAGE_SHARE * (usageCount / (usageCount + HALFWAY_USES))
  );
}
