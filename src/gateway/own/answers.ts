/**
 * What the `cap_*` tools answer, as it stands in `structuredContent`: keys as on the wire, times as ISO 8601 in UTC.
 *
 * @module
 */
import type {
  CachePolicy,
  CapabilitySource,
  ParametersSchema,
  Routing,
  RoutingSource,
  TrustState,
  Visibility,
} from "../../registry/capability.js";
import type { Learned, RenameRequest } from "../../registry/capability-store.js";
import type { Dag, ToolDelegate } from "../../registry/definition.js";
import type { LearningAnswer, RunSummary } from "./run-view.js";
import type { ServerAnswer } from "./server-view.js";

export type { RunsAnswer, TraceAnswer } from "./run-view.js";
export type {
  ServerAnswer as ServerLookupAnswer,
  ServerHistoryAnswer,
  ServerWhoisAnswer,
} from "./server-view.js";

/** What every answer may have beside its own fields. */
export interface WithWarnings {
  /** What the caller should know, such as that the name is a former one; left out where there is nothing. */
  readonly warnings?: readonly string[];
}

/** What a capability is. Version, tag, signature and parameters are those of the version that was asked for. */
export interface CapabilityRecord extends WithWarnings {
  readonly display_name: string;
  /** Never changes, whatever the capability is called. */
  readonly fqdn: string;
  /** UUID of the pattern; the same as `capabilityId` in the answer to a run. */
  readonly id: string;
  readonly type: "capability";
  /** What was said about it, else what it was run or saved for. */
  readonly description: string;
  /** How code calls it, in TypeScript. */
  readonly signature: string;
  /** JSON Schema of the arguments. */
  readonly parameters: ParametersSchema;
  readonly routing: Routing;
  readonly version: number;
  /** Semantic tag, where the version has one. */
  readonly version_tag?: string;
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  /** Former names that still resolve, oldest first. */
  readonly aliases: readonly string[];
  readonly usage_count: number;
  /** Between 0 and 1; 0 where it was never used. */
  readonly success_rate: number;
}

/** A capability that another one calls or is called by. */
export interface RelatedCapability {
  readonly name: string;
  readonly fqdn: string;
  /** Its newest version. */
  readonly version: number;
  /** The one version that is called for good; left out where the newest is called, whatever it is. */
  readonly pinned?: number;
  /** Calls of it fail since then. */
  readonly deleted_at?: string;
}

interface Relations {
  /** What it calls itself, in the order of its first calls; what the session may not see is left out. */
  readonly dependencies: readonly RelatedCapability[];
  /** Those whose newest code calls it, any version of it. */
  readonly dependents: readonly RelatedCapability[];
}

/** What is not trusted as it should be; nothing is said of all else. */
export interface Doubts {
  readonly trust?: Extract<TrustState, "suspect" | "degraded">;
  /** Which of its tools changed or are gone, where that is why. */
  readonly trust_reason?: string;
}

/** `cap_lookup` of a capability. */
export interface LookupAnswer extends CapabilityRecord, Relations, Doubts {}

/** `cap_rename`. */
export interface RenameAnswer extends CapabilityRecord {
  readonly cache_policy: CachePolicy;
  /** Seconds. */
  readonly ttl?: number;
}

/** One row of `cap_list`. */
export interface CapabilitySummary extends Doubts {
  readonly id: string;
  /** What to call it by; with its scope, where it is of another project. */
  readonly name: string;
  /** `user@org` who made it, where it is of another project. */
  readonly owner?: string;
  readonly description: string;
  readonly usage_count: number;
  readonly success_rate: number;
  readonly parameters: ParametersSchema;
}

/** One row of `cap_list` for `type: "mcp-server"`. */
export interface ServerSummary extends ServerAnswer {
  /** The same as `display_name`. */
  readonly name: string;
}

/** `cap_list`: one page. */
export interface ListAnswer<Row = CapabilitySummary> {
  readonly capabilities: readonly Row[];
  /** On all pages together. */
  readonly total: number;
  /** Where the next page begins; left out on the last one. */
  readonly next_offset?: number;
  /** What could be done about those that have no name, where they are many. */
  readonly hint?: string;
}

/** How far a version is trusted, and who says so. */
export interface TrustAnswer {
  /** `degraded` where a tool that it uses is gone; left out of an older version, whose trust nobody asks for any more. */
  readonly state?: TrustState;
  /** Which of its tools changed or are gone, where that takes trust away. */
  readonly reason?: string;
  /** Tools that it uses and that no connected server offers now. */
  readonly missing_tools?: readonly string[];
  /** Base64 of the Ed25519 signature of the version, and of the public key that made it. */
  readonly signature: string;
  readonly public_key: string;
  /** `this installation`, what a person calls a trusted key, or `unknown key`. */
  readonly signed_by: string;
  /** Whether the version may run here, as far as its key goes. */
  readonly trusted: boolean;
}

/** Where a capability comes from. */
export interface Provenance {
  readonly source: CapabilitySource;
  /** What its code was copied from, where the session may see that. */
  readonly forked_from?: RelatedCapability;
  /** What it was put together from. */
  readonly merged_from?: readonly RelatedCapability[];
}

/** `cap_whois` of a capability: the complete record. */
export interface WhoisAnswer extends CapabilityRecord, Relations {
  /** Of the version that is asked for. */
  readonly source: CapabilitySource;
  /** With source `dag`: the graph that the code was made of. */
  readonly dag?: Dag;
  /** With source `tool`: the tool, and the arguments that need not be given. */
  readonly delegates_to?: ToolDelegate;
  /** What its newest version was run or saved for. */
  readonly intent: string;
  /** `user@org`. */
  readonly created_by: string;
  /** Everyone who ran it while it had no name, as `user@org`. */
  readonly creators: readonly string[];
  readonly created_at: string;
  readonly updated_by?: string;
  readonly updated_at?: string;
  readonly last_used_at?: string;
  /** `explicit` where somebody has said so, `tools` where it follows from the tools. */
  readonly routing_source: RoutingSource;
  readonly cache_policy: CachePolicy;
  /** Seconds that a result may be used again. */
  readonly ttl?: number;
  /** SHA-256 of the canonical code of the version. */
  readonly code_hash: string;
  readonly tools_used: readonly string[];
  readonly success_count: number;
  readonly average_latency_ms: number;
  readonly trust: TrustAnswer;
  readonly provenance: Provenance;
  /** Who gave it the name that it has, and how; left out where it was made with it. */
  readonly naming?: HistoryRename;
  /** Of the version that was asked for. */
  readonly learning: LearningAnswer;
  /** The last runs of any version, newest first: the asker's own, and of the whole project for a person. */
  readonly traces: readonly RunSummary[];
}

/** One version in `cap_history`. */
export interface HistoryVersion {
  readonly version: number;
  readonly version_tag?: string;
  /** `user@org`. */
  readonly author: string;
  readonly date: string;
  readonly change_summary?: string;
  /** SHA-256 of the canonical code. */
  readonly code_hash: string;
  /** Unified diff of the code as written to the version before; the first one is all added. */
  readonly diff?: string;
  /** Why there is no diff, or not all of it. */
  readonly diff_note?: string;
}

/** One renaming in `cap_history`. */
export interface HistoryRename {
  readonly from: string;
  readonly to: string;
  /** `user@org`; `pml` where the capability gave way to a tool. */
  readonly by: string;
  /** `auto`: curation gave it by itself, or the capability gave way to a tool. */
  readonly actor: RenameRequest["actor"];
  /** Who thought of the name, where curation did: `heuristics`, or a model. */
  readonly curated_by?: string;
  /** The id of the tool of a server that has the former name now. */
  readonly gave_way_to?: string;
  readonly date: string;
}

/** `cap_history` of a capability. */
export interface HistoryAnswer extends WithWarnings {
  readonly display_name: string;
  readonly fqdn: string;
  readonly type: "capability";
  /** Newest first. */
  readonly versions: readonly HistoryVersion[];
  readonly total_versions: number;
  /** Newest first. */
  readonly renames: readonly HistoryRename[];
}

/** `cap_save`. */
export interface SaveAnswer extends CapabilityRecord {
  /** `created`: new. `known`: the code was there. `named`: it was there unnamed, and took the name. `updated`: a new version. */
  readonly saved: Learned["kind"];
}

/** `cap_fork`. */
export interface ForkAnswer extends SaveAnswer {
  /** FQDN of what was copied. */
  readonly forked_from?: string;
}

/** `cap_merge`. */
export interface MergeAnswer extends SaveAnswer {
  /** FQDNs of what it was put together from, with `@<version>` where that was asked for. */
  readonly merged_from: readonly string[];
  /** What was generated, or given. */
  readonly code: string;
}

/** `cap_delete`; brought back, there are none of these fields. */
export interface DeleteAnswer extends CapabilityRecord {
  readonly deleted_at?: string;
  /** Until then nobody else can take its names, and it can be brought back. */
  readonly reserved_until?: string;
  /** Saved code that calls it, and that fails from now on. */
  readonly dependents?: readonly RelatedCapability[];
  /** How many more that the session may not see. */
  readonly other_dependents?: number;
}

/** `cap_verify`. */
export interface VerifyAnswer extends CapabilityRecord {
  readonly trust: TrustState;
}
