import type { Fqdn } from "../../src/registry/fqdn.js";
import { type ServerRecord, serverDisplayName, serverLabel } from "../../src/registry/server-record.js";
import { parseServerName } from "../../src/registry/tool-id.js";

/** A record of `<org>.<project>:<server>`, valid except for `changes`. */
export function sampleServer(text: string, changes: Partial<ServerRecord> = {}): ServerRecord {
  const [scope = "", name = ""] = text.split(":");
  const [org = "", project = ""] = scope.split(".");
  const server = parseServerName(name);
  return {
    fqdn: `${org}.${project}.mcp.${serverLabel({ org, project, server }).action}.0000` as Fqdn,
    server,
    displayName: serverDisplayName(server),
    org,
    project,
    description: undefined,
    routing: "local",
    visibility: "project",
    codeUrl: `npm:${name}`,
    version: 1,
    versionTag: "1.0.0",
    createdBy: `ada@${org}`,
    creators: [`ada@${org}`],
    createdAt: new Date("2026-01-01T00:00:00Z"),
    updatedAt: undefined,
    isSeeded: scope === "pml.std",
    ...changes,
  };
}
