/** The numbers of a gateway after real runs: each adds up. */
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, execute, fails, succeeds } from "../support/agent.js";
import { type ParsedFamily, parsePrometheus, sampleOf } from "../support/prometheus.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const ADR_028 = [
  "capabilities_searched_total",
  "capabilities_matched_total",
  "capabilities_match_rate",
  "capabilities_executed_total",
  "capabilities_cache_hits",
  "capabilities_success_rate",
  "suggestions_generated_total",
  "suggestions_accepted_total",
  "patterns_detected_total",
  "capabilities_promoted_total",
  "promotion_rate",
];

const gateway = useGateway("http", {
  mcpServers: { work: fixture("work"), dead: { command: "/no/such", args: [] } },
});
const client = useClient(gateway, "v2-2025");

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** `fetch` cannot send another Host. */
function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const req = request(new URL(path, gateway().url), { method, headers }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      res.on("end", () => resolve({ status: res.statusCode ?? 0, type: res.headers["content-type"], text }));
    });
    req.on("error", reject);
    req.end();
  });
}

async function metrics(): Promise<ReadonlyMap<string, ParsedFamily>> {
  const { status, type, text } = await get("/metrics");
  expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return parsePrometheus(text);
}

describe("/metrics", () => {
  it("[UX-3] [FP-13] has every name from the start, well-formed", async () => {
    await until("the store is open", async () => (await metrics()).has("promotion_rate"));
    const families = await metrics();
    for (const name of ADR_028) expect([...families.keys()], name).toContain(name);
    expect(sampleOf(families, "patterns_detected_total")).toBe(0);
    expect(sampleOf(families, "promotion_rate")).toBeNaN();
    expect(sampleOf(families, "pml_store_up")).toBe(1);
    expect(sampleOf(families, "pml_server_up", { server: "work" })).toBe(1);
    expect(sampleOf(families, "pml_server_up", { server: "dead" })).toBe(0);
  });

  it("[UX-3] [EX-13] [FP-19] counts what was run, by whichever door, and adds up", async () => {
    const add = "return (await mcp.work.echo({ value: args.a + 1 })).value;";
    await succeeds(client(), { code: add, args: { a: 1 }, name: "math:add", options: { no_cache: true } });
    for (const a of [2, 3])
      await succeeds(client(), { capability: "math:add", args: { a }, options: { no_cache: true } });
    await ask(client(), "mcp__math__add", { a: 4 });
    await succeeds(client(), {
      code: "return 1 + (await mcp.math.add({ a: 5 }));",
      options: { no_cache: true },
    });
    await fails(client(), { code: "await mcp.work.fail({});" });
    await fails(client(), { capability: "math:add", args: {} });
    await execute(client(), { code: add, options: { dry_run: true } });
    await client().call("mcp__work__fail");
    const families = await metrics();
    const at = (name: string, labels?: Record<string, string>) => sampleOf(families, name, labels);
    expect({
      direct: at("pml_runs_total", { mode: "direct", status: "success" }),
      failed: at("pml_runs_total", { mode: "direct", status: "error" }),
      dry: at("pml_runs_total", { mode: "direct", status: "dry_run" }),
      byName: at("pml_runs_total", { mode: "call_by_name", status: "success" }),
      refused: at("pml_runs_total", { mode: "call_by_name", status: "error" }),
      timed: at("pml_run_duration_seconds_count", { mode: "direct", status: "success" }),
    }).toEqual({ direct: 2, failed: 1, dry: 1, byName: 3, refused: 1, timed: 2 });
    expect({
      work: at("pml_tool_calls_total", { server: "work", outcome: "success" }),
      workFailed: at("pml_tool_calls_total", { server: "work", outcome: "tool_error" }),
      timed: at("pml_tool_call_duration_seconds_count", { server: "work" }),
      // Of pml_execute only the answer says that it failed.
      own: at("pml_tool_calls_total", { server: "pml-std", outcome: "success" }),
      ownFailed: at("pml_tool_calls_total", { server: "pml-std", outcome: "tool_error" }),
    }).toEqual({ work: 5, workFailed: 2, timed: 7, own: 5, ownFailed: 2 });
    // Twice by name, once as a tool, once by code; and once with arguments that were refused.
    expect(at("capabilities_executed_total")).toBe(5);
    expect(at("patterns_detected_total")).toBe(2);
    await until(
      "what was used is written",
      async () => (sampleOf(await metrics(), "capabilities_promoted_total") ?? 0) === 1,
    );
    expect(sampleOf(await metrics(), "promotion_rate")).toBe(0.5);
    // [LP-6] Twice by name, once as a tool.
    expect(sampleOf(await metrics(), "pml_saved_runs_total")).toBe(3);
  });

  it("[UX-3] [EX-14] counts what a cache has answered", async () => {
    const code = 'return (await mcp.work.read_file({ path: "a.json" })).content;';
    await succeeds(client(), { code });
    const before = sampleOf(await metrics(), "capabilities_cache_hits", { level: "execution" }) ?? 0;
    const again = await succeeds(client(), { code });
    const after = sampleOf(await metrics(), "capabilities_cache_hits", { level: "execution" }) ?? 0;
    expect([after - before, (again as { cacheHit?: string }).cacheHit]).toEqual([1, "execution"]);
  });

  it("[UX-3] labels nothing with what users say or tools are given", async () => {
    await succeeds(client(), {
      code: 'return await mcp.work.echo({ value: "SECRET_VALUE" });',
      name: "secret:name_of",
    });
    await client().call("mcp__work__echo", { value: "SECRET_VALUE" });
    const { text } = await get("/metrics");
    expect(text).not.toMatch(/SECRET_VALUE|secret:name_of|name_of/);
    const names = [...parsePrometheus(text).values()].flatMap(({ samples }) =>
      samples.flatMap(({ labels }) => Object.keys(labels)),
    );
    expect(new Set(names)).toEqual(
      new Set([
        "level",
        "basis",
        "trust",
        "mode",
        "status",
        "le",
        "server",
        "outcome",
        "decision",
        "engine",
        "version",
      ]),
    );
  });

  it("[UX-3] [GW-3] is guarded like the rest, and only read", async () => {
    expect((await get("/metrics", { host: "evil.example" })).status).toBe(403);
    expect((await get("/metrics", { origin: "https://evil.example" })).status).toBe(403);
    expect((await get("/metrics", {}, "POST")).status).toBe(405);
  });
});

describe("pml stats", () => {
  it("[UX-1] says the same to a person", async () => {
    const numbers = JSON.parse(await gateway().pml("stats", "--json"));
    expect(numbers).toMatchObject({
      project: "local/default",
      capabilities: {
        total: 4,
        named: 2,
        most_used: [{ name: "math:add" }, expect.anything(), expect.anything(), expect.anything()],
      },
      runs: { running: 0, waiting: 0 },
      approvals: { waiting: 0 },
      cache: { hits: { execution: 1 } },
    });
    expect(numbers.runs.today.failed).toBe(1);
    const echo = numbers.tools.find(({ id }: { id: string }) => id === "work:echo");
    expect(echo).toMatchObject({ calls: 7, failed: 0 });
    const page = await gateway().pml("stats");
    expect(page).toContain("capabilities  4, 2 named");
    expect(page).toMatch(/math:add +\d+ +/);
  });

  it("[UX-1] is for people: agents do not have it", async () => {
    expect((await client().tools()).map(({ name }) => name)).not.toContain("pml_stats");
    await expect(client().call("pml_stats")).rejects.toThrow();
  });
});
