import { describe, expect, it } from "vitest";
import { NOBODY, subject, suggestNames } from "../../test/support/naming.js";
import type { NamedTool } from "./naming-subject.js";

function namespace(code: string, tools?: readonly NamedTool[]): string {
  const [suggestion] = suggestNames([subject("", code, tools === undefined ? {} : { tools })], NOBODY);
  return suggestion?.name.split(":")[0] ?? "";
}

const call = (server: string, tool: string, args = "{}") => `return await mcp.${server}.${tool}(${args});`;

describe("the namespace of one server", () => {
  it.each([
    ["filesystem", "read_file", "fs"],
    ["fetch", "fetch", "api"],
    ["postgres", "query", "db"],
    ["github", "list_commits", "git"],
    ["gitlab", "list_pipelines", "git"],
    ["terminal", "run", "shell"],
    ["ollama", "generate", "ai"],
    ["slack", "post_message", "slack"],
    ["acme_crm", "list_leads", "acme_crm"],
    ["mcp_server_sentry", "list_issues", "sentry"],
  ])("[CU-2] %s:%s is %s", (server, tool, expected) => {
    expect(namespace(call(server, tool))).toBe(expected);
  });

  it.each([
    ["warehouse", "run_query", "db"],
    ["pg_prod", "execute_sql", "db"],
    ["forge", "list_pull_requests", "git"],
    ["workspace", "read_text_file", "fs"],
    ["box7", "run_command", "shell"],
    ["gateway7", "http_get", "api"],
  ])("[CU-2] %s:%s is %s, which its tools say", (server, tool, expected) => {
    expect(namespace(call(server, tool))).toBe(expected);
  });

  it.each([
    ["octo", "lookup", "GitHub API: repositories, issues and pull requests", "git"],
    ["blue", "ask", "Talks to large language models", "ai"],
    ["silo", "get", "Read-only access to our PostgreSQL data warehouse", "db"],
    ["acme", "lookup", "Customers of Acme and what they bought", "acme"],
  ])("[CU-2] %s is what it says of itself: %s", (server, tool, about, expected) => {
    expect(namespace(call(server, tool), [{ id: `${server}:${tool}`, about }])).toBe(expected);
  });

  it.each([
    ["notion", "query_database"],
    ["docker_registry", "list_repositories"],
    ["kubernetes", "exec"],
    ["shopify", "graphql"],
    ["todoist", "complete"],
    ["webshop", "checkout"],
  ])("[CU-2] %s keeps its name, though others have a tool %s", (server, tool) => {
    expect(namespace(call(server, tool))).toBe(server);
  });

  it("[CU-2] a drive with files is no file system", () => {
    expect(namespace(call("google_drive", "read_file"))).toBe("google_drive");
  });

  it.each(["pml", "cap", "mcp"])("[CU-2] a server %s gets none that is reserved", (server) => {
    expect(namespace(call(server, "list_things"), [{ id: `${server}:list_things` }])).not.toBe(server);
  });
});

describe("the namespace of several servers", () => {
  it("[CU-2] is that of the most telling, not of the most frequent", () => {
    const code = `const a = await mcp.filesystem.list_directory({ path: "a" });
const b = await mcp.filesystem.read_file({ path: "b" });
const c = await mcp.filesystem.read_file({ path: "c" });
await mcp.slack.post_message({ text: [a, b, c].join() });
return true;`;
    expect(namespace(code)).toBe("slack");
  });

  it("[CU-2] is that of what is changed, not of what is read", () => {
    const code = `const { issues } = await mcp.jira.search_issues({ jql: "x" });
for (const issue of issues) await mcp.linear.create_issue({ title: issue.title });
return issues.length;`;
    expect(namespace(code)).toBe("linear");
  });
});

describe("the namespace of code without tools", () => {
  it.each([
    ["Convert a duration to seconds", "transform"],
    ["Compute the median of the values", "data"],
    ["Check that a password is long enough", "util"],
  ])("[CU-2] %s: %s", (intent, expected) => {
    const [suggestion] = suggestNames([subject(intent, "return args.value * 2;")], NOBODY);
    expect(suggestion?.name.split(":")[0]).toBe(expected);
  });
});
