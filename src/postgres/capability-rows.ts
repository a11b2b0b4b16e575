/**
 * Rows of the capability tables, and what they are outside of the database.
 *
 * @module
 */
import type {
  Capability,
  CapabilitySource,
  CapabilityVersion,
  ParametersSchema,
  Routing,
  TrustState,
  Visibility,
} from "../registry/capability.js";
import type { VersionSummary } from "../registry/capability-store.js";
import { isUnnamed, parseDisplayName } from "../registry/display-name.js";
import { parseFqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";
import { fromSqlText } from "./sql-text.js";

const NO_PARAMETERS: ParametersSchema = {
  type: "object",
  properties: {},
  required: [],
  additionalProperties: false,
};

/**
 * Live capabilities with what everybody may see of their patterns; a condition may follow. Trust and aliases are
 * looked up row by row, through their indexes: without statistics, which nothing gathers on PGlite, a join of them
 * may read the one table for each row of the other.
 */
export const SELECT_CAPABILITIES = `
  select record.id, record.display_name, record.org, record.project, record.namespace, record.action,
         record.code_hash, record.created_by, record.created_at, record.updated_at, record.version,
         record.version_tag, record.usage_count, record.success_count, record.total_latency_ms, record.tags,
         record.visibility, record.routing, record.creators, record.revision,
         pattern.pattern_id, pattern.source, pattern.intent, pattern.description, pattern.parameters_schema,
         pattern.tools_used, pattern.dependencies, pattern.analysis_version, coalesce(
           (select state from capability_trust
             where capability_fqdn = record.id and capability_trust.version = record.version),
           'provisional') as trust,
         array(select alias from capability_aliases where target_fqdn = record.id
                order by created_at, alias) as aliases
    from capability_records as record
    join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
   where record.record_type = 'capability' and record.deleted_at is null`;

export interface CapabilityRow {
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
  readonly trust: TrustState;
  readonly aliases: readonly string[];
}

export function toCapability(row: CapabilityRow): Capability {
  const displayName = parseDisplayName(row.display_name);
  return {
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
    description: row.description === null ? undefined : fromSqlText(row.description),
    parameters: row.parameters_schema ?? NO_PARAMETERS,
    toolsUsed: row.tools_used.map(toToolId),
    dependencies: row.dependencies.map(parseFqdn),
    routing: row.routing,
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
    aliases: row.aliases.map(parseDisplayName),
    analysisVersion: row.analysis_version,
    revision: row.revision,
  };
}

export const SUMMARY_COLUMNS = "version, version_tag, code_hash, updated_by, updated_at, change_summary";

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
}

export function toVersion(row: VersionRow): CapabilityVersion {
  return {
    ...toSummary(row),
    fqdn: parseFqdn(row.capability_fqdn),
    code: fromSqlText(row.code_snippet),
    savedCode: fromSqlText(row.saved_code ?? row.code_snippet),
    canonicalCode: fromSqlText(row.canonical_code),
    parameters: row.parameters_schema ?? NO_PARAMETERS,
    toolsUsed: row.tools_used.map(toToolId),
    dependencies: row.dependencies.map(parseFqdn),
    // What is not signed does not verify.
    signature: row.signature ?? "",
    publicKey: row.public_key ?? "",
  };
}

function toToolId(text: string): ToolId {
  return fromSqlText(text) as ToolId;
}

function textOf(text: string | null): string | undefined {
  return text === null ? undefined : fromSqlText(text);
}
