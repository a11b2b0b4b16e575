/** Rules that the registry's tables must keep after any operations in any order. */

export type Rows = (sql: string, values: readonly string[]) => Promise<readonly object[]>;

const RULES: Readonly<Record<string, string>> = {
  "a name has one holder": `
    select org, project, fold, count(*) from (
        select org, project, display_name_fold as fold from capability_records
         where deleted_at is null and project = any ($1::text[])
        union all
        select former.org, former.project, alias_fold from capability_aliases as former
          join capability_records as record on record.id = target_fqdn
         where record.deleted_at is null and former.project = any ($1::text[])) as held
     group by org, project, fold having count(*) > 1`,
  "an alias is of its holder's project, and not its name": `
    select alias, target_fqdn from capability_aliases as former
      join capability_records as record on record.id = target_fqdn
     where former.project = any ($1::text[]) and
           (record.org <> former.org or record.project <> former.project or record.display_name_fold = alias_fold)`,
  "every former name is an alias of its capability, or its name again, unless it is a tool's": `
    select distinct past.capability_fqdn, past.old_name from rename_history as past
      join capability_records as record on record.id = past.capability_fqdn
     where record.project = any ($1::text[]) and record.deleted_at is null
       and not exists (select from rename_history as given where given.capability_fqdn = record.id
             and given.gave_way_to is not null and given.old_name = past.old_name)
       and replace(replace(lower(past.old_name), '_', ''), '-', '') <> record.display_name_fold
       and not exists (select from capability_aliases as former where former.target_fqdn = record.id
             and former.alias_fold = replace(replace(lower(past.old_name), '_', ''), '-', ''))`,
  "one code is one capability, but for forks": `
    select org, project, code_hash from capability_records
     where project = any ($1::text[]) and deleted_at is null and forked_from is null
     group by org, project, code_hash having count(*) > 1`,
  "versions are 1 to n, and the newest is the record's": `
    select record.id, count(*), record.version from capability_records as record
      left join capability_versions as stored on stored.capability_fqdn = record.id
     where record.project = any ($1::text[]) group by record.id
    having count(stored.version) = 0 or min(stored.version) <> 1 or max(stored.version) <> count(*)
        or max(stored.version) <> record.version`,
  "uses add up": `
    select record.id from capability_records as record
      join workflow_pattern as pattern on pattern_id = workflow_pattern_id
      left join lateral (select count(*) as uses, count(*) filter (where success) as successes
             from execution_trace where capability_id = record.id) as trace on true
     where record.project = any ($1::text[])
       and (record.usage_count, record.success_count, record.usage_count, record.success_count)
           <> (trace.uses, trace.successes, pattern.usage_count, pattern.success_count)`,
};

/** The rules that are broken in these projects, with the rows that break them. */
export async function brokenRules(
  rows: Rows,
  projects: readonly string[],
): Promise<Readonly<Record<string, readonly object[]>>> {
  const broken: Record<string, readonly object[]> = {};
  for (const [rule, sql] of Object.entries(RULES)) {
    const found = await rows(sql, [`{${projects.join(",")}}`]);
    if (found.length > 0) broken[rule] = found;
  }
  return broken;
}
