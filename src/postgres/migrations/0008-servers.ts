import type { Migration } from "../migrate.js";

/**
 * MCP servers as records: the built-in ones that every installation has, and every version of a server that was seen.
 */
export const servers: Migration = {
  id: "0008-servers",
  statements: [
    // The description of a capability is in its pattern; a server has no pattern.
    "alter table capability_records add column description text",
    // There are few servers among many capabilities, and all of them are read at every start.
    `create index capability_records_servers on capability_records (display_name)
       where record_type = 'mcp-server'`,
    `create table server_versions (
       record_id   text collate "C" not null references capability_records (id),
       version     integer not null check (version >= 1),
       version_tag text,
       code_url    text,
       seen_at     timestamptz not null default now(),
       primary key (record_id, version)
     )`,
    `create trigger server_versions_append_only before update or delete on server_versions
       for each row execute function pml_refuse_change()`,
    `create trigger server_versions_no_truncate before truncate on server_versions
       for each statement execute function pml_refuse_change()`,
    // Configurations distinguish servers by their exact names, so the fold of a server's name is the name itself. The
    // hash is that of the display name.
    `insert into capability_records
       (id, org, project, namespace, action, hash, display_name, display_name_fold, record_type, visibility, routing,
        created_by, creators, version_tag, code_url, description)
     select 'pml.std.mcp.' || action || '.' || hash, 'pml', 'std', 'mcp', action, hash, 'mcp:' || action,
            'mcp:' || action, 'mcp-server', 'public', 'local', 'pml@pml', array['pml@pml'], tag, code_url, description
       from (values
         ('filesystem', '807a', '2026.8.31', 'npm:@modelcontextprotocol/server-filesystem',
          'Reads, writes and searches files below the directories that it is given'),
         ('shell', '2e6b', '1.0.0', 'pypi:mcp-shell-server',
          'Runs those commands of the operating system that it is told to allow'),
         ('sqlite', '5321', '0.6.2', 'pypi:mcp-server-sqlite',
          'Queries and changes one SQLite database')
       ) as known (action, hash, tag, code_url, description)`,
    `insert into server_versions (record_id, version, version_tag, code_url)
     select id, version, version_tag, code_url from capability_records where record_type = 'mcp-server'`,
  ],
};
