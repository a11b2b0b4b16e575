import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inferNamespace, serverNamespace } from "./namespace.js";
import type { ToolId } from "./tool-id.js";

const from = (tools: string, more: Partial<Parameters<typeof inferNamespace>[0]> = {}) =>
  inferNamespace({ tools: tools.split(" ").filter(Boolean) as ToolId[], ...more });

describe("[CU-2] the namespace of a server", () => {
  it.each([
    ["fs", "filesystem fs files File-System my_files local-filesystem filesystem-mcp fileServer"],
    ["api", "fetch http http-client REST api my-api web mcp-server-fetch graphql"],
    ["db", "postgres postgresql PG mysql mssql sqlite sqlite3 duckdb database my-db mcp.sqlite sql"],
    ["git", "git github GitLab bitbucket gitea github-enterprise github_api"],
    ["shell", "shell bash terminal mcp-shell powershell"],
    ["ai", "openai anthropic ollama llm my-llm ai azure_openai"],
  ])("is %s for %s", (namespace, servers) => {
    for (const server of servers.split(" "))
      expect(`${server}: ${serverNamespace(server)}`).toBe(`${server}: ${namespace}`);
  });

  it.each([
    ["slack", "slack"],
    ["Google_Drive", "google_drive"],
    ["zephyr.crm", "zephyr_crm"],
    ["weather-api", "weather-api"],
    ["fireflies_ai", "fireflies_ai"],
    ["profiles", "profiles"],
    ["mongodb", "mongodb"],
    ["nosql", "nosql"],
    ["digital-twin", "digital-twin"],
    ["mcp-server", "mcp-server"],
  ])("of another kind, %s, is its own name: %s", (server, expected) => {
    expect(serverNamespace(server)).toBe(expected);
  });

  it("[ID-1] always fits an FQDN", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (server) => {
        expect(serverNamespace(server)).toMatch(/^[a-z0-9_-]+$/);
      }),
    );
  });
});

describe("[CU-2] the namespace of a capability", () => {
  it("is that of its server", () => expect(from("filesystem:read_file filesystem:write_file")).toBe("fs"));
  it("[LP-3] is not that of operations of PML", () => {
    expect(from("cap:list cap:rename pml:trace redis:get")).toBe("redis");
    expect(from("cap:list", { called: ["fs"] })).toBe("fs");
  });
  it("is that of the server with most of its tools", () =>
    expect(from("fetch:fetch redis:get redis:set")).toBe("redis"));
  it("is that of the server that is called first where several have as many", () =>
    expect(from("github:list_commits slack:post_message")).toBe("git"));
  it("splits the id of a tool at its first colon", () => expect(from("slack:a:b")).toBe("slack"));
  it("is that of the first capability that it calls, without tools of its own", () =>
    expect(from("", { called: ["db", "fs"], code: "args" })).toBe("db"));
  it("is util for code that takes nothing", () => expect(from("", { code: "return 1" })).toBe("util"));
  it("is transform for code that takes something", () =>
    expect(from("", { code: "return args.text.trim()" })).toBe("transform"));
  it("is data where the intent speaks of it", () =>
    expect(from("", { code: "return args.list", intent: "Pivot these rows" })).toBe("data"));
});
