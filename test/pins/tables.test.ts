import { describe, expect, it } from "vitest";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { PGLITE } from "../support/databases.js";

/** People query these, back them up and move them: a table or column may be added, none renamed. */
const PINNED = `
access_tokens: name hash role org project user_name created_by created_at expires_at signature last_used_at
adaptive_threshold: org project kind threshold successes failures updated_at
audit_log: number at actor role via org project operation subject outcome previous hash
cache_invalidation_log: id trigger_type tool_id capability_id entries_invalidated invalidated_by timestamp
capability_aliases: alias alias_fold org project target_fqdn created_at
capability_cache: id capability_id capability_version org project user_name params_hash result tools depends_on hit_count created_at expires_at
capability_code_tokens: capability_fqdn version tokens
capability_decisions: capability_fqdn version node_id outcome_hash outcome runs times
capability_loops: capability_fqdn version node_id runs iterations fewest most
capability_paths: capability_fqdn version path_hash path runs successes total_ms last_run_at
capability_promotions: id capability_fqdn version kind to_version reason decided_by decided_at
capability_recordings: capability_fqdn version digest body made_by made_at
capability_records: id display_name display_name_fold record_type org project namespace action hash code_hash workflow_pattern_id created_by created_at updated_by updated_at version version_tag verified signature usage_count success_count total_latency_ms tags visibility routing code_url cache_policy ttl parent_id forked_from deleted_at reserved_until creators revision routing_source merged_from public_key description cache_person_version other_intents promoted_version newest_version observed_for
capability_results: capability_fqdn version schema updated_at
capability_savings: capability_fqdn version day runs code_runs sent_tokens result_tokens ms
capability_troubles: capability_fqdn version tool_id kind since accepted_at before_hash
capability_trust: capability_fqdn version state first_args_hash failures_in_a_row updated_at runs successes
capability_version_facts: capability_fqdn version source intent description dag_structure analysis_version lifted_code routing
capability_versions: id capability_fqdn version version_tag code_snippet canonical_code code_hash parameters_schema signature public_key updated_by updated_at change_summary saved_code tools_used dependencies definition signed_hash cold_ms cold_result_tokens
change_log: xid kind id
change_mark: is_only snapshot taken_at
curation_runs: org project user_name owner lease_until is_open started_at
embeddings: model_id content_hash vector used_at
execution_trace: trace_id parent_trace_id workflow_id capability_id capability_version code_hash intent executed_path decisions task_results success duration_ms error_code error_message org project user_name executed_at args_hash task_id
name_suggestions: capability_fqdn basis name confidence tools_part intent_part uniqueness_part reasons description tags near suggested_by suggested_at
observed_candidates: org project user_name calls_hash capability_fqdn state support evidence created_at decided_at
observed_flows: org project user_name flow_hash occurrence_hash seen_at
pml_migration: id applied_at checksum additive
rename_history: id capability_fqdn old_name new_name actor renamed_by renamed_at curated_by gave_way_to
server_versions: record_id version version_tag code_url seen_at
sign_ins: server address owner key_id issuer sealed updated_at
task_results: workflow_id task_id org project user_name result created_at expires_at not_kept
tool_approvals: org project tool hash approved_by approved_at
tool_list: view mode ranked fresh ranked_at
tool_objects: hash tool
tool_schema: server name pinned_hash pinned_tool current_hash current_tool changed_at first_seen_at last_seen_at observed_output_schema gone_at accepted_by accepted_at
tool_sequence: from_id to_id uses period updated_at
tool_usage: id server_id tool_name org project user_name called_at duration_ms success error_code
trusted_keys: public_key name trusted_by trusted_at orgs signature
wire_name: id name fold given_at
workflow_calls: workflow_id seq task_id tool args args_hash seen clock state answer_seq answer duration_ms sent_at doubt
workflow_pattern: pattern_id source intent description code canonical_code lifted_code code_hash parameters_schema tools_used dag_structure intent_embedding embedding_model analysis_version usage_count success_count total_latency_ms created_at last_used_at dependencies
workflow_runs: workflow_id org project user_name mode state request fingerprint seed started_at approval approved decided_by decided_at owner lease_until created_at expires_at answer
`.trim();

describe("the store", () => {
  it("has these tables and columns", async () => {
    const database = await PGLITE.open();
    await migrate(database, MIGRATIONS);
    const { rows } = await database.query<{ readonly line: string }>(
      `select table_name || ': ' || string_agg(column_name, ' ' order by ordinal_position) as line
         from information_schema.columns where table_schema = current_schema()
        group by table_name order by table_name collate "C"`,
    );
    expect(rows.map(({ line }) => line).join("\n")).toBe(PINNED);
  });

  it("has these migrations", () => {
    expect(MIGRATIONS.map(({ id }) => id)).toEqual([
      "0001-tools",
      "0002-capabilities",
      "0003-executions",
      "0004-learning",
      "0005-calls",
      "0006-registry",
      "0007-changes",
      "0008-servers",
      "0009-workflows",
      "0010-paths",
      "0011-caches",
      "0012-sources",
      "0013-quarantine",
      "0014-results",
      "0015-vectors",
      "0016-graph",
      "0017-curation",
      "0018-signatures",
      "0019-names",
      "0020-memory",
      "0021-tool-lists",
      "0022-ledger",
      "0023-doors",
      "0024-sign-ins",
      "0025-watched-runs",
      "0026-observation",
      "0027-well",
      "0028-version-tools",
      "0029-observed-apart",
    ]);
  });
});
