import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { localTime } from "./when.js";
import * as report from "./whois-report.js";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-16T01:05:30.000Z") }));
afterEach(() => void vi.useRealTimers());

const whoisText = loosely(report.whoisText);

describe("[UX-1] all about a capability", () => {
  it("[EX-9] has a line for each task of the graph that it was made of", () =>
    expect(
      whoisText({
        display_name: "conf:both",
        version: 1,
        source: "dag",
        learning: { paths: [], decisionStats: [] },
        traces: [],
        dag: {
          tasks: [
            { id: "app", tool: "fs:read", arguments: { path: "a" } },
            { id: "then\u001b", capability: "conf:check", dependsOn: ["app"] },
          ],
        },
      }),
    ).toBe(
      [
        "conf:both, version 1",
        "",
        "used       never",
        "made from  dag",
        "",
        "tasks",
        '  app         fs:read     {"path":"a"}',
        "  then\\u{1b}  conf:check                after app",
      ].join("\n"),
    ));

  const known = {
    type: "capability",
    display_name: "fs:copy",
    version: 2,
    version_tag: "v1.1.0",
    description: "Copy a file",
    intent: "copy a\u001b file",
    signature: "mcp.fs.copy(args: { from: string })",
    parameters: { type: "object", required: ["from"], properties: { from: { type: "string" } } },
    tools_used: ["files:read", "files:write"],
    dependencies: [{ name: "fs:keep", fqdn: "l.d.fs.keep.1234", version: 3, pinned: 2 }],
    dependents: [{ name: "fs:all", fqdn: "l.d.fs.all.1234", version: 1 }],
    usage_count: 12,
    success_rate: 0.75,
    average_latency_ms: 34,
    last_used_at: "2026-11-16T01:02:03.000Z",
    trust: { state: "suspect", reason: "it failed", signed_by: "this installation", trusted: true },
    provenance: { source: "code" },
    source: "code",
    created_by: "ada@acme",
    created_at: "2026-11-15T01:02:03.000Z",
    visibility: "project",
    routing: "local",
    cache_policy: "memoize",
    ttl: 60,
    aliases: ["fs:cp"],
    tags: [],
    id: "0b0f9d56",
    fqdn: "l.d.fs.copy.1234",
    code_hash: "abcd",
    code: "// Copy\n\nreturn 1;\u001b\n",
    learning: { paths: [], decisionStats: [] },
    traces: [],
  };
  const shared = [
    "signature  mcp.fs.copy(args: { from: string })",
    "intent     copy a\\u{1b} file",
    "tools      files:read, files:write",
    "calls      fs:keep@2",
  ];
  const parameters = ["", "parameters", "  from  string  required"];

  it("[FH-5] shows the code, how it is called, its tools and its trust", () =>
    expect(report.showText(known as never).split("\n")).toEqual([
      "fs:copy, version 2 (v1.1.0)",
      "Copy a file",
      "",
      ...shared,
      "used       12 times, 75 % successful, 34 ms on average, last 3 min ago",
      "trust      suspect; it failed; signed by this installation",
      ...parameters,
      "",
      "code",
      "  // Copy",
      "",
      "  return 1;\\u{1b}",
    ]));

  it("[FH-5] is a page that people read", () => {
    const made = localTime(known.created_at).slice(0, 16);
    expect(whoisText(known).split("\n")).toEqual([
      "fs:copy, version 2 (v1.1.0)",
      "Copy a file",
      "",
      ...[...shared, "called by  fs:all"].map((line) => line.replace("  ", "   ")),
      "used        12 times, 75 % successful, 34 ms on average, last 3 min ago",
      "trust       suspect; it failed; signed by this installation",
      "made from   code",
      `made by     ada@acme, ${made}`,
      "visibility  project",
      "routing     local",
      "caching     memoize, for 60 s",
      "aliases     fs:cp",
      "id          0b0f9d56",
      "fqdn        l.d.fs.copy.1234",
      "code hash   abcd",
      ...parameters,
    ]);
  });
});
