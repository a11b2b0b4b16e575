import { describe, expect, it } from "vitest";
import { sampleServer } from "../../../test/support/sample-server.js";
import type { ServerVersion } from "../../registry/server-record.js";
import { parseServerName } from "../../registry/tool-id.js";
import { serverAnswerOf, serverHistoryOf, serverWhoisOf } from "./server-view.js";

const RECORD = sampleServer("acme.web:files", {
  version: 2,
  versionTag: "1.2.0",
  description: "Files",
  updatedAt: new Date("2026-02-01T00:00:00Z"),
});
const VERSIONS: readonly ServerVersion[] = [
  { version: 2, versionTag: "1.2.0", codeUrl: "npm:files", seenAt: new Date("2026-02-01T00:00:00Z") },
  { version: 1, versionTag: undefined, codeUrl: undefined, seenAt: new Date("2026-01-01T00:00:00Z") },
];
const [NEWEST, FIRST] = VERSIONS as [ServerVersion, ServerVersion];
const SHOWN = [
  { version: 2, version_tag: "1.2.0", code_url: "npm:files", date: "2026-02-01T00:00:00.000Z" },
  { version: 1, date: "2026-01-01T00:00:00.000Z" },
];

describe("[ID-14] what is answered about a server", () => {
  it("cap_lookup", () =>
    expect(serverAnswerOf(RECORD)).toEqual({
      display_name: "mcp:files",
      fqdn: "acme.web.mcp.files.0000",
      type: "mcp-server",
      description: "Files",
      code_url: "npm:files",
      version: "1.2.0",
      visibility: "project",
      routing: "local",
    }));

  it("cap_lookup of a version without a tag", () =>
    expect(serverAnswerOf(RECORD, FIRST)).toEqual({
      display_name: "mcp:files",
      fqdn: "acme.web.mcp.files.0000",
      type: "mcp-server",
      description: "Files",
      version: 1,
      visibility: "project",
      routing: "local",
    }));

  it("cap_whois", () => {
    const found = { record: RECORD, version: NEWEST, isConfigured: true };
    const statuses = [{ name: parseServerName("files"), state: "ready" }] as const;
    expect(serverWhoisOf(found, VERSIONS, statuses)).toEqual({
      ...serverAnswerOf(RECORD),
      org: "acme",
      project: "web",
      created_by: "ada@acme",
      creators: ["ada@acme"],
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-02-01T00:00:00.000Z",
      configured: true,
      seeded: false,
      status: "ready",
      versions: SHOWN,
    });
    // Another project's server of that name is not the one behind this gateway.
    expect(serverWhoisOf({ ...found, isConfigured: false }, VERSIONS, statuses)).not.toHaveProperty("status");
  });

  it("cap_history, newest first", () =>
    expect(serverHistoryOf(RECORD, VERSIONS, 1)).toEqual({
      display_name: "mcp:files",
      fqdn: "acme.web.mcp.files.0000",
      type: "mcp-server",
      versions: SHOWN.slice(0, 1),
      total_versions: 2,
    }));
});
