/**
 * Writes the content of a capability inside a transaction: its versions, and its pattern, which is the content of the
 * newest version.
 *
 * @module
 */

import type { CapabilitySource, VersionContent } from "../registry/capability.js";
import type { NewCapability } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type Signature, signedHash } from "../registry/signature.js";
import { isSameTag, tagTaken } from "../registry/version-spec.js";
import { type Queryable, sql } from "./database.js";
import { fromSqlText, textOrNull, toSqlText } from "./sql-text.js";

export const ADD_PATTERN = sql("capability_add_pattern")`insert into workflow_pattern
      (source, intent, description, code, canonical_code, code_hash, parameters_schema, tools_used, dependencies,
       dag_structure, analysis_version, lifted_code)
    values ($1, $2, $3, $4, $5, $6, $7::json, $8::text[], $9::text[], $10::json, $11, $12) returning pattern_id`;

/** Removes the embedding, because it belongs to the old intent. */
export const CHANGE_PATTERN = sql("capability_change_pattern")`update workflow_pattern set
      source = $1, intent = $2, description = coalesce($3, description), code = $4, canonical_code = $5,
      code_hash = $6, parameters_schema = $7::json, tools_used = $8::text[], dependencies = $9::text[],
      dag_structure = $10::json, analysis_version = $11, lifted_code = $12, intent_embedding = null,
      embedding_model = null
    where pattern_id = (select workflow_pattern_id from capability_records where id = $13)`;

/** `updated_at` defaults to now. */
const ADD_VERSION = sql("capability_add_version")`insert into capability_versions
      (capability_fqdn, version, version_tag, code_snippet, saved_code, canonical_code, code_hash,
       parameters_schema, tools_used, dependencies, signature, public_key, updated_by, change_summary, updated_at,
       definition, signed_hash, cold_ms, cold_result_tokens)
    values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9::text[], $10::text[], $11, $12, $13, $14,
       coalesce($15::timestamptz, now()), $16::json, $17, $18, $19)`;

/** The troubles of the tools in `used (id)`. */
export const TROUBLES_OF_TOOLS = `
      join tool_schema as tool
        on tool.server = split_part(used.id, ':', 1) collate "C"
       and tool.name = substr(used.id, strpos(used.id, ':') + 1) collate "C"
      cross join lateral (
        values ('changed', tool.changed_at), ('gone', tool.gone_at)) as trouble (kind, since)
     where trouble.since is not null`;

/** The same for an insert into `capability_troubles`. */
export const TROUBLES_OF_USED = `${TROUBLES_OF_TOOLS}
    on conflict do nothing`;

/** Tools that are in trouble when a version is written are in trouble for this version too. */
const NOTE_TROUBLES = sql("capability_note_troubles")`
    insert into capability_troubles (capability_fqdn, version, tool_id, kind, since, before_hash)
    select $1, $2, used.id, trouble.kind, trouble.since, tool.pinned_hash
      from unnest($3::text[]) as used (id) ${TROUBLES_OF_USED}`;

/** The content of a pattern. */
export type PatternContent = Pick<
  NewCapability,
  | "intent"
  | "description"
  | "code"
  | "canonicalCode"
  | "codeHash"
  | "parameters"
  | "toolsUsed"
  | "dependencies"
  | "structure"
  | "analysisVersion"
  | "liftedCode"
> & { readonly source: CapabilitySource };

export function patternValues(fresh: PatternContent) {
  return [
    fresh.source,
    toSqlText(fresh.intent),
    textOrNull(fresh.description),
    toSqlText(fresh.code),
    toSqlText(fresh.canonicalCode),
    fresh.codeHash,
    JSON.stringify(fresh.parameters),
    fresh.toolsUsed.map(toSqlText),
    fresh.dependencies,
    JSON.stringify(fresh.structure),
    fresh.analysisVersion,
    toSqlText(fresh.liftedCode),
  ] as const;
}

/** The identity of a version, and its signature. */
export interface VersionMark extends Signature {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly previousHash: string | null;
  readonly updatedBy: string;
  readonly updatedAt?: Date;
}

export async function writeVersion(
  transaction: Queryable,
  mark: VersionMark,
  content: VersionContent & Pick<NewCapability, "cold">,
): Promise<void> {
  const { fqdn, version, signature, publicKey, updatedBy, updatedAt } = mark;
  await transaction.query(ADD_VERSION, [
    fqdn,
    version,
    textOrNull(content.versionTag),
    toSqlText(content.code),
    content.savedCode === content.code ? null : toSqlText(content.savedCode),
    toSqlText(content.canonicalCode),
    content.codeHash,
    JSON.stringify(content.parameters),
    content.toolsUsed.map(toSqlText),
    content.dependencies,
    signature,
    publicKey,
    updatedBy,
    textOrNull(content.changeSummary),
    updatedAt ?? null,
    content.definition === undefined ? null : JSON.stringify(content.definition),
    await signedHash({ ...content, ...mark }),
    content.cold?.programMs ?? null,
    content.cold?.resultTokens ?? null,
  ]);
  if (content.toolsUsed.length > 0)
    await transaction.query(NOTE_TROUBLES, [fqdn, version, content.toolsUsed.map(toSqlText)]);
}

const TAGS = sql("capability_tags")`select stored.version, stored.version_tag, record.display_name
      from capability_versions as stored
      join capability_records as record on record.id = stored.capability_fqdn
     where stored.capability_fqdn = $1 and stored.version_tag is not null order by stored.version`;

interface TagRow {
  readonly version: number;
  readonly version_tag: string;
  readonly display_name: string;
}

/** Throws `TAG_TAKEN` if a version already has one of the tags of the new versions. */
export async function checkNewTags(
  transaction: Queryable,
  fqdn: Fqdn,
  tags: readonly (string | undefined)[],
): Promise<void> {
  if (tags.every((tag) => tag === undefined)) return;
  const { rows } = await transaction.query<TagRow>(TAGS, [fqdn]);
  for (const tag of tags) {
    if (tag === undefined) continue;
    const taken = rows.find(({ version_tag }) => isSameTag(fromSqlText(version_tag), tag));
    if (taken !== undefined) throw tagTaken(taken.display_name, tag, taken.version);
  }
}
