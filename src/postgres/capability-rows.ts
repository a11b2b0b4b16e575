/**
 * The rows of the capability tables, and their conversion to values outside of the database.
 *
 * @module
 */
import type {
  CachePolicy,
  Capability,
  CapabilitySource,
  CapabilityVersion,
  ParametersSchema,
  Routing,
  RoutingSource,
  ToolTrouble,
  TrustState,
  Visibility,
} from "../registry/capability.js";
import type { CapabilityRef } from "../registry/capability-ref.js";
import type { Renamed, VersionSummary } from "../registry/capability-store.js";
import { readDefinition } from "../registry/definition.js";
import { isUnnamed, parseDisplayName } from "../registry/display-name.js";
import { parseFqdn } from "../registry/fqdn.js";
import type { TrialVersion } from "../registry/rollout.js";
import type { ToolId } from "../registry/tool-id.js";
import { trustWith } from "../registry/trust.js";
import { fromSqlText, textOf } from "./sql-text.js";

const NO_PARAMETERS: ParametersSchema = {
  type: "object",
  properties: {},
  required: [],
  additionalProperties: false,
};

/** The columns of `capability_records` that a capability is built from; its other columns are in `workflow_pattern`. */
export const RECORD_COLUMNS = [
  "id",
  "display_name",
  "org",
  "project",
  "namespace",
  "action",
  "code_hash",
  "created_by",
  "created_at",
  "updated_by",
  "updated_at",
  "version",
  "version_tag",
  "public_key",
  "cache_policy",
  "ttl",
  "cache_person_version",
  "forked_from",
  "merged_from",
  "routing",
  "routing_source",
  "deleted_at",
  "reserved_until",
  "usage_count",
  "success_count",
  "total_latency_ms",
  "tags",
  "visibility",
  "creators",
  "revision",
  "other_intents",
  "promoted_version",
  "newest_version",
] as const satisfies readonly (keyof CapabilityRow)[];

export const PATTERN_COLUMNS = [
  "pattern_id",
  "source",
  "intent",
  "description",
  "parameters_schema",
  "tools_used",
  "dependencies",
  "analysis_version",
  "last_used_at",
] as const satisfies readonly (keyof CapabilityRow)[];

/** The trust of a version without a row in `capability_trust`. */
export const FIRST_TRUST: TrustState = "unproven";

/** A row of `capability_troubles`, as {@link TroubleRow}. */
export const TROUBLE_JSON = `json_build_object('tool', tool_id, 'kind', kind,
  'since', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'accepted', accepted_at is not null)`;

export interface TroubleRow extends Omit<ToolTrouble, "tool"> {
  readonly tool: string;
}

/** The versions of a `record` that are on trial for some users, as {@link TrialRow}s; newest first. */
export const TRIAL_JSON = `(
  select json_agg(json_build_object('version', stored.version, 'by', stored.updated_by, 'tag', stored.version_tag,
      'source', coalesce(facts.source, 'code'), 'parameters', stored.parameters_schema, 'tools', stored.tools_used,
      'dependencies', stored.dependencies, 'key', stored.public_key, 'trust', coalesce(trust.state, '${FIRST_TRUST}'),
      'runs', coalesce(trust.runs, 0), 'successes', coalesce(trust.successes, 0),
      'troubles', (select json_agg(${TROUBLE_JSON} order by tool_id, kind) from capability_troubles as trouble
        where trouble.capability_fqdn = record.id and trouble.version = stored.version)) order by stored.version desc)
    from capability_versions as stored
    left join capability_version_facts as facts
      on facts.capability_fqdn = stored.capability_fqdn and facts.version = stored.version
    left join capability_trust as trust
      on trust.capability_fqdn = stored.capability_fqdn and trust.version = stored.version
   where stored.capability_fqdn = record.id and stored.version between record.promoted_version and record.version
     and coalesce((select kind from capability_promotions as decided
          where decided.capability_fqdn = record.id and decided.version = stored.version and decided.kind <> 'held'
          order by decided.id desc limit 1), 'promoted') <> 'rolled_back')`;

/**
 * Selects capabilities with the public part of their patterns, including deleted ones; a condition may follow. Trust
 * and aliases are looked up row by row, through their indexes: PGlite gathers no statistics, and without them a join
 * may read a whole table for each row of the other.
 */
export const SELECT_CAPABILITIES = `
  select ${RECORD_COLUMNS.map((column) => `record.${column}`).join(", ")},
         ${PATTERN_COLUMNS.map((column) => `pattern.${column}`).join(", ")}, coalesce(
           (select state from capability_trust
             where capability_fqdn = record.id and capability_trust.version = record.version),
           '${FIRST_TRUST}') as trust,
         (select json_agg(${TROUBLE_JSON} order by tool_id, kind) from capability_troubles
           where capability_fqdn = record.id and capability_troubles.version = record.version) as troubles,
         array(select alias from capability_aliases where target_fqdn = record.id
                order by created_at, alias) as aliases,
         case when record.promoted_version is not null then ${TRIAL_JSON} end as trial
    from capability_records as record
    join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
   where record.record_type = 'capability'`;

export interface CapabilityRow {
  readonly other_intents: readonly string[];
  readonly id: string;
  readonly display_name: string;
  readonly org: string;
  readonly project: string;
  readonly namespace: string;
  readonly action: string;
  readonly code_hash: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date | null;
  readonly version: number;
  readonly version_tag: string | null;
  readonly updated_by: string | null;
  readonly public_key: string | null;
  readonly cache_policy: CachePolicy;
  readonly ttl: number | null;
  readonly cache_person_version: number | null;
  readonly forked_from: string | null;
  readonly merged_from: readonly string[];
  readonly routing_source: RoutingSource;
  readonly deleted_at: Date | null;
  readonly reserved_until: Date | null;
  readonly last_used_at: Date | null;
  readonly usage_count: number;
  readonly success_count: number;
  readonly total_latency_ms: number;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly routing: Routing;
  readonly creators: readonly string[];
  readonly revision: number;
  readonly pattern_id: string;
  readonly source: CapabilitySource;
  readonly intent: string;
  readonly description: string | null;
  readonly parameters_schema: ParametersSchema | null;
  readonly tools_used: readonly string[];
  readonly dependencies: readonly string[];
  readonly analysis_version: number;
  /** The trust that its runs have earned, without troubles. */
  readonly trust: TrustState;
  readonly troubles: readonly TroubleRow[] | null;
  readonly aliases: readonly string[];
  readonly promoted_version: number | null;
  readonly newest_version: number | null;
  readonly trial: readonly TrialRow[] | null;
}

export interface TrialRow {
  readonly version: number;
  readonly by: string;
  readonly tag: string | null;
  readonly source: CapabilitySource;
  readonly parameters: ParametersSchema | null;
  readonly tools: readonly string[];
  readonly dependencies: readonly string[];
  readonly key: string | null;
  readonly trust: TrustState;
  readonly runs: number;
  readonly successes: number;
  readonly troubles: readonly TroubleRow[] | null;
}

export function toCapability(row: CapabilityRow): Capability {
  const displayName = parseDisplayName(row.display_name);
  const capability: Capability = {
    fqdn: parseFqdn(row.id),
    id: row.pattern_id,
    displayName,
    isNamed: !isUnnamed(displayName),
    org: row.org,
    project: row.project,
    namespace: row.namespace,
    action: row.action,
    source: row.source,
    codeHash: row.code_hash,
    intent: fromSqlText(row.intent),
    otherIntents: row.other_intents.map(fromSqlText),
    description: row.description === null ? undefined : fromSqlText(row.description),
    parameters: row.parameters_schema ?? NO_PARAMETERS,
    toolsUsed: row.tools_used.map(toToolId),
    dependencies: row.dependencies as readonly CapabilityRef[],
    routing: row.routing,
    routingSource: row.routing_source,
    visibility: row.visibility,
    tags: row.tags.map(fromSqlText),
    version: row.version,
    versionTag: textOf(row.version_tag),
    trust: row.trust,
    usageCount: row.usage_count,
    successCount: row.success_count,
    totalLatencyMs: row.total_latency_ms,
    createdBy: row.created_by,
    creators: row.creators,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? undefined,
    updatedBy: row.updated_by ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    // Empty if there is no signature.
    signedBy: row.public_key ?? "",
    cachePolicy: row.cache_policy,
    ttlSeconds: row.ttl ?? undefined,
    cachePersonVersion: row.cache_person_version ?? undefined,
    forkedFrom: row.forked_from === null ? undefined : parseFqdn(row.forked_from),
    mergedFrom: row.merged_from as readonly CapabilityRef[],
    aliases: row.aliases.map(parseDisplayName),
    analysisVersion: row.analysis_version,
    revision: row.revision,
  };
  // A plain object literal is created quickly, and there may be a million of them.
  const isPlain = row.promoted_version === null && (row.newest_version ?? row.version) === row.version;
  if (row.deleted_at === null && row.troubles === null && isPlain) return capability;
  return { ...capability, ...deletionOf(row), ...troublesOf(row), ...(isPlain ? {} : rolloutOf(row)) };
}

function rolloutOf({
  version,
  newest_version: newest,
  promoted_version: promoted,
  trial,
}: CapabilityRow): Pick<Capability, "newestVersion" | "trial"> {
  return {
    ...(newest !== null && newest !== version && { newestVersion: newest }),
    ...(promoted !== null && trial !== null && { trial: { promoted, versions: trial.map(toTrialVersion) } }),
  };
}

function toTrialVersion(row: TrialRow): TrialVersion {
  return {
    version: row.version,
    by: fromSqlText(row.by),
    versionTag: textOf(row.tag),
    source: row.source,
    parameters: row.parameters ?? NO_PARAMETERS,
    toolsUsed: row.tools.map(toToolId),
    dependencies: row.dependencies as readonly CapabilityRef[],
    signedBy: row.key ?? "",
    runs: row.runs,
    successes: row.successes,
    ...troublesOf(row),
  };
}

function deletionOf(row: CapabilityRow): Pick<Capability, "deletedAt" | "reservedUntil"> {
  if (row.deleted_at === null) return {};
  const { deleted_at: deletedAt, reserved_until: reservedUntil } = row;
  return { deletedAt, ...(reservedUntil === null ? {} : { reservedUntil }) };
}

function troublesOf({
  trust,
  troubles,
}: Pick<CapabilityRow, "trust" | "troubles">): Pick<Capability, "trust" | "troubles"> {
  if (troubles === null) return { trust };
  const known = troubles.map((trouble) => ({ ...trouble, tool: toToolId(trouble.tool) }));
  return { trust: trustWith(trust, known), troubles: known };
}

export const SUMMARY_COLUMNS = "version, version_tag, code_hash, updated_by, updated_at, change_summary";

/** The columns of {@link VersionRow}; the table `capability_versions` must have no alias in the statement. */
export const VERSION_COLUMNS = `${SUMMARY_COLUMNS}, capability_fqdn, code_snippet, saved_code, canonical_code,
      parameters_schema, tools_used, dependencies, signature, public_key, definition, signed_hash,
      (select before.signed_hash from capability_versions as before
        where before.capability_fqdn = capability_versions.capability_fqdn
          and before.version = capability_versions.version - 1) as previous_hash`;

export interface SummaryRow {
  readonly version: number;
  readonly version_tag: string | null;
  readonly code_hash: string;
  readonly updated_by: string;
  readonly updated_at: Date;
  readonly change_summary: string | null;
}

export function toSummary(row: SummaryRow): VersionSummary {
  return {
    version: row.version,
    versionTag: textOf(row.version_tag),
    codeHash: row.code_hash,
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
    changeSummary: textOf(row.change_summary),
  };
}

export interface RenamedRow {
  readonly old_name: string;
  readonly new_name: string;
  readonly actor: Renamed["actor"];
  readonly renamed_by: string;
  readonly renamed_at: Date;
  readonly curated_by: string | null;
  readonly gave_way_to: string | null;
}

export function toRenamed(row: RenamedRow): Renamed {
  return {
    oldName: row.old_name,
    newName: row.new_name,
    actor: row.actor,
    renamedBy: row.renamed_by,
    renamedAt: row.renamed_at,
    ...(row.curated_by === null ? {} : { curatedBy: fromSqlText(row.curated_by) }),
    ...(row.gave_way_to === null ? {} : { gaveWayTo: fromSqlText(row.gave_way_to) }),
  };
}

export interface VersionRow extends SummaryRow {
  readonly capability_fqdn: string;
  readonly code_snippet: string;
  readonly saved_code: string | null;
  readonly canonical_code: string;
  readonly parameters_schema: ParametersSchema | null;
  readonly tools_used: readonly string[];
  readonly dependencies: readonly string[];
  readonly signature: string | null;
  readonly public_key: string | null;
  readonly definition: unknown;
  /** Null if it was signed before versions formed a chain. */
  readonly signed_hash: string | null;
  readonly previous_hash: string | null;
}

export function toVersion(row: VersionRow): CapabilityVersion {
  const definition = row.definition === null ? undefined : readDefinition(row.definition);
  return {
    ...toSummary(row),
    fqdn: parseFqdn(row.capability_fqdn),
    code: fromSqlText(row.code_snippet),
    savedCode: fromSqlText(row.saved_code ?? row.code_snippet),
    canonicalCode: fromSqlText(row.canonical_code),
    parameters: row.parameters_schema ?? NO_PARAMETERS,
    toolsUsed: row.tools_used.map(toToolId),
    dependencies: row.dependencies as readonly CapabilityRef[],
    previousHash: row.previous_hash,
    // An empty signature never verifies.
    signature: row.signature ?? "",
    publicKey: row.public_key ?? "",
    ...(definition === undefined ? {} : { definition }),
  };
}

function toToolId(text: string): ToolId {
  return fromSqlText(text) as ToolId;
}
