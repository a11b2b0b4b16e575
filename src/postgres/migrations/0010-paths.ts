import type { Migration } from "../migrate.js";

/** The paths and decisions of runs, counted separately from the traces, so that traces can be pruned. */
export const paths: Migration = {
  id: "0010-paths",
  statements: [
    "alter table execution_trace add column task_id text",
    // Finds the last top-level runs of a project.
    `create index execution_trace_project on execution_trace (org, project, executed_at)
       where parent_trace_id is null`,
    // Identified by hash, because a path may be too long for an index. The empty hash counts all paths that came after
    // there were too many to count separately.
    `create table capability_paths (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       path_hash       text collate "C" not null,
       path            text[] not null,
       runs            bigint not null check (runs > 0),
       successes       bigint not null check (successes between 0 and runs),
       total_ms        double precision not null check (total_ms >= 0),
       last_run_at     timestamptz not null,
       primary key (capability_fqdn, version, path_hash),
       constraint capability_paths_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    // The outcome of a switch is the text of its case, which may be long.
    `create table capability_decisions (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       node_id         text collate "C" not null,
       outcome_hash    text collate "C" not null,
       outcome         text not null,
       runs            bigint not null check (runs > 0),
       times           bigint not null check (times >= runs),
       primary key (capability_fqdn, version, node_id, outcome_hash),
       constraint capability_decisions_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    `create table capability_loops (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       node_id         text collate "C" not null,
       runs            bigint not null check (runs > 0),
       iterations      bigint not null,
       fewest          bigint not null check (fewest >= 0),
       most            bigint not null check (most >= fewest),
       primary key (capability_fqdn, version, node_id),
       constraint capability_loops_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    `insert into capability_paths
       (capability_fqdn, version, path_hash, path, runs, successes, total_ms, last_run_at)
     select capability_id, capability_version, path_hash, path, sum(runs), sum(successes), sum(total_ms), max(last_run_at)
       from (
         select capability_id, capability_version, runs, successes, total_ms, last_run_at,
                case when rank <= 1000
                  then encode(sha256(convert_to(array_to_json(executed_path)::text, 'UTF8')), 'hex') else '' end
                  as path_hash,
                case when rank <= 1000 then executed_path else '{}' end as path
           from (
             select capability_id, capability_version, executed_path, count(*) as runs,
                    count(*) filter (where success) as successes, sum(duration_ms) as total_ms,
                    max(executed_at) as last_run_at,
                    row_number() over (partition by capability_id, capability_version order by count(*) desc) as rank
               from execution_trace where capability_id is not null
              group by capability_id, capability_version, executed_path) as counted) as kept
      group by capability_id, capability_version, path_hash, path`,
    // An entry with an outcome is a decision, one with iterations a loop.
    `insert into capability_decisions (capability_fqdn, version, node_id, outcome_hash, outcome, runs, times)
     select capability_id, capability_version, step ->> 'nodeId',
            encode(sha256(convert_to(step ->> 'outcome', 'UTF8')), 'hex'), step ->> 'outcome', count(*),
            sum(coalesce((step ->> 'count')::bigint, 1))
       from execution_trace cross join lateral jsonb_array_elements(decisions) as step
      where capability_id is not null and step ->> 'outcome' is not null and step ->> 'nodeId' is not null
      group by capability_id, capability_version, step ->> 'nodeId', step ->> 'outcome'`,
    `insert into capability_loops (capability_fqdn, version, node_id, runs, iterations, fewest, most)
     select capability_id, capability_version, step ->> 'nodeId', count(*), sum((step ->> 'iterations')::bigint),
            min((step ->> 'iterations')::bigint), max((step ->> 'iterations')::bigint)
       from execution_trace cross join lateral jsonb_array_elements(decisions) as step
      where capability_id is not null and step ->> 'iterations' is not null and step ->> 'nodeId' is not null
      group by capability_id, capability_version, step ->> 'nodeId'`,
  ],
};
