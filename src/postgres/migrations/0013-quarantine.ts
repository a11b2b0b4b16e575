import type { Migration } from "../migrate.js";

/** Who accepted changed tools, and which capabilities are degraded because their tools changed or are gone. */
export const quarantine: Migration = {
  id: "0013-quarantine",
  statements: [
    `alter table tool_schema
       add column gone_at timestamptz,
       add column accepted_by text,
       add column accepted_at timestamptz`,
    // Separate from the earned trust, which counts again when the tool is as it was. An accepted trouble stays until
    // the version has succeeded with the changed tool.
    `create table capability_troubles (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       tool_id         text collate "C" not null,
       kind            text collate "C" not null check (kind in ('changed', 'gone')),
       since           timestamptz not null default now(),
       accepted_at     timestamptz,
       primary key (capability_fqdn, version, tool_id, kind),
       constraint capability_troubles_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    "create index capability_troubles_tool on capability_troubles (tool_id)",
    // Tools that changed before this table existed.
    `insert into capability_troubles (capability_fqdn, version, tool_id, kind, since)
     select record.id, record.version, tool.server || ':' || tool.name, 'changed', tool.changed_at
       from tool_schema as tool
       join workflow_pattern as pattern on pattern.tools_used @> array[tool.server || ':' || tool.name]
       join capability_records as record on record.workflow_pattern_id = pattern.pattern_id
      where tool.changed_at is not null`,
    "alter table change_log drop constraint change_log_kind_check",
    `alter table change_log add constraint change_log_kind_check
       check (kind in ('capability', 'server', 'key', 'cache', 'tool'))`,
    `create function pml_log_tool() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id) values ('tool', new.server) on conflict do nothing;
       perform pg_notify('pml_change', tg_table_schema);
       return null;
     end $$`,
    // Gateways compare the tools of their servers with the pins themselves, so the others must know when a pin has
    // changed.
    `create trigger tool_schema_accepted after update on tool_schema for each row
       when (old.pinned_hash <> new.pinned_hash and current_setting('pml.feed', true) is distinct from 'off')
       execute function pml_log_tool()`,
  ],
};
