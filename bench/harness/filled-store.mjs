/**
 * Stores with many capabilities. They are inserted as rows, because learning them one by one would take longer than all
 * the measurements.
 */

export const ORG = "local";
export const PROJECT = "default";

const ROWS_A_STATEMENT = 10_000;

/** The start of every statement below: `n` is the number of the capability, and everything else is derived from it. */
const NUMBERED = `
  with numbered as (
    select n, encode(sha256(n::text::bytea), 'hex') as code_hash, md5(n::text)::uuid as pattern_id, n % 5 = 4 as unnamed
      from generate_series($1::int, $2::int) as n),
  named as (
    select *, 'ns' || n % 50 as namespace,
           case when unnamed then 'exec_' || left(code_hash, 8) else 'do_thing_' || n end as action,
           case when unnamed then 'unnamed_' || left(code_hash, 8) else 'ns' || n % 50 || ':do_thing_' || n end as name,
           case when n % 10 = 9 then 'elsewhere' else '${PROJECT}' end as project,
           case when unnamed then 'private' when n % 10 = 1 then 'org' when n % 10 = 2 then 'public' else 'project'
            end as visibility,
           'user' || n % 20 || '@${ORG}' as creator
      from numbered),
  made as (
    select *, '${ORG}.' || project || '.' || namespace || '.' || action || '.' || left(code_hash, 4) as fqdn from named)`;

const CODE = `'const found = await mcp.fs.read({ path: args.path, limit: args.limit }); // ' || repeat('x', 300) || n`;
const PARAMETERS = `json_build_object('type', 'object', 'properties', json_build_object(
    'path', json_build_object('type', 'string'), 'limit', json_build_object('type', 'number', 'default', n % 100)),
  'required', json_build_array('path'), 'additionalProperties', false)`;

const STATEMENTS = [
  `${NUMBERED}
   insert into workflow_pattern (pattern_id, source, intent, code, canonical_code, lifted_code, code_hash,
          parameters_schema, tools_used, created_at)
   select pattern_id, 'code', 'read the file number ' || n || ' and list what is in it, sorted by size',
          ${CODE}, ${CODE}, ${CODE}, code_hash, ${PARAMETERS}, array['fs:read', 'fs:list'],
          '2026-01-01'::timestamptz + n * interval '1 minute'
     from made`,
  `${NUMBERED}
   insert into capability_records (id, display_name, display_name_fold, org, project, namespace, action, hash, code_hash,
          workflow_pattern_id, created_by, creators, created_at, version_tag, usage_count, success_count,
          total_latency_ms, tags, visibility)
   select fqdn, name, replace(name, '_', ''), '${ORG}', project, namespace, action, left(code_hash, 4), code_hash,
          pattern_id, creator, array[creator], '2026-01-01'::timestamptz + n * interval '1 minute',
          case when n % 3 = 0 then 'v' || n % 4 || '.' || n % 7 || '.0' end, (n * 7919::bigint) % 1000 + 1, 1, 10,
          array['t' || n % 10, 'u' || n % 7], visibility
     from made`,
  `${NUMBERED}
   insert into capability_versions (capability_fqdn, version, code_snippet, canonical_code, code_hash,
          parameters_schema, tools_used, signature, public_key, signed_hash, updated_by)
   select fqdn, 1, ${CODE}, ${CODE}, code_hash, ${PARAMETERS}, array['fs:read', 'fs:list'], repeat('s', 88),
          repeat('k', 44), code_hash, creator
     from made`,
  `${NUMBERED}
   insert into capability_trust (capability_fqdn, version, state, first_args_hash)
   select fqdn, 1, case when n % 2 = 0 then 'verified' else 'provisional' end, code_hash from made`,
  `${NUMBERED}
   insert into capability_aliases (alias, alias_fold, org, project, target_fqdn)
   select 'old' || name, 'old' || replace(name, '_', ''), '${ORG}', project, fqdn
     from made where n % 5 = 0`,
];

/** Inserts `count` capabilities into an empty store. */
export async function fillStore(database, count) {
  for (let from = 1; from <= count; from += ROWS_A_STATEMENT) {
    const to = Math.min(count, from + ROWS_A_STATEMENT - 1);
    await database.transaction(async (transaction) => {
      for (const statement of STATEMENTS) await transaction.query(statement, [from, to]);
    });
  }
}

const TRACES = `${NUMBERED}
   insert into execution_trace (capability_id, capability_version, workflow_id, intent, executed_path, task_results,
          success, duration_ms, org, project, user_name, executed_at, args_hash)
   select fqdn, 1, md5(fqdn || '/' || run), 'read the file number ' || n, array['n1', 'n2'],
          '[{"taskId":"n1","tool":"fs:read","success":true,"durationMs":3},{"taskId":"n2","tool":"fs:list","success":true}]',
          true, 5 + run, '${ORG}', project, 'user' || n % 20, now() - run * interval '7 days' - n * interval '1 second',
          code_hash
     from made cross join generate_series(1, $3::int) as run`;

/** Inserts about `traces` runs for the capabilities 1 to `count`, the same number for each. */
export async function fillTraces(database, count, traces) {
  const each = Math.max(1, Math.round(traces / count));
  for (let from = 1; from <= count; from += ROWS_A_STATEMENT / 5) {
    const to = Math.min(count, from + ROWS_A_STATEMENT / 5 - 1);
    await database.query(TRACES, [from, to, each]);
  }
}
