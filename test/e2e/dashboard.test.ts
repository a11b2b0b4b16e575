/** The dashboard over HTTP: access, the rights of each role in `/api`, and live events. */
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/app/operations.js";
import { until } from "../faults/support/pml.js";
import { execute, succeeds } from "../support/agent.js";
import { type Browser, enter, visit } from "../support/page-visitor.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CONFIG = {
  mcpServers: { work: fixture("work") },
  approvals: { unannotated: "auto", scripted: true },
  scope: { org: "acme", project: "web", user: "ada" },
};
const DESTROY = "return (await mcp.work.destroy({ what: args.what })).count";

const gateway = useGateway("http", CONFIG);
const client = useClient(gateway, "v2-2025", { can: [] });
const origin = () => new URL(gateway().url).origin;
const link = async () => (JSON.parse(await gateway().pml("open", "--json")) as { url: string }).url;

let browser: Browser;
beforeAll(async () => {
  browser = await enter(await link());
});

describe("[DA-1] the way in", () => {
  it("is a link to the endpoint that is served, which works once and sets a cookie that no script reads", async () => {
    const url = await link();
    expect(new URL(url).origin).toBe(origin());
    const first = await visit(url);
    expect([first.status, first.headers.location]).toEqual([303, "/"]);
    expect(String(first.headers["set-cookie"])).toMatch(
      /^pml_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const again = await visit(url);
    expect([again.status, again.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(again.text).toContain("Run pml open again");
  });

  it("shows the page to anybody, and nothing else", async () => {
    const [without, with_] = await Promise.all([
      visit(`${origin()}/`, { headers: { accept: "text/html" } }),
      visit(`${origin()}/runs/abc`, { headers: { accept: "text/html", cookie: browser.cookie } }),
    ]);
    expect([without.status, without.text]).toEqual([200, with_.text]);
    for (const path of ["/api/session", "/api/events"]) {
      const refused = await visit(origin() + path);
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([401, "SESSION_REQUIRED"]);
    }
  });

  it("is a page that loads from here only, and cannot be framed", async () => {
    const { headers } = await visit(`${origin()}/`, { headers: { "accept-encoding": "br" } });
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'/);
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({
      "content-encoding": "br",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });

  it.each(["/.well-known/oauth-protected-resource", "/register", "/dashboard.js", "/package.json"])(
    "%s is not a page",
    async (path) => {
      expect((await visit(origin() + path)).status).toBe(404);
    },
  );
});

describe("[DA-1] a call", () => {
  const refusal = async (headers: Readonly<Record<string, string>>) => {
    const { status, text } = await browser.post("cap:list", {}, headers);
    return `${status} ${status === 200 ? "" : JSON.parse(text).error.code}`.trim();
  };

  it.each([
    [{}, "200"],
    [{ "x-pml-csrf": "" }, "403 CSRF_INVALID"],
    [{ "x-pml-csrf": "x".repeat(43) }, "403 CSRF_INVALID"],
    [{ origin: "http://127.0.0.1:1" }, "403 NOT_ALLOWED"],
    [{ origin: "http://localhost:3000" }, "403 NOT_ALLOWED"],
    [{ "sec-fetch-site": "same-site" }, "403 NOT_ALLOWED"],
    [{ "sec-fetch-site": "same-origin" }, "200"],
    [{ "content-type": "text/plain" }, "400 MESSAGE_INVALID"],
    [{ cookie: "pml_1=x" }, "401 SESSION_REQUIRED"],
    [{ authorization: "Bearer x" }, "401 TOKEN_REFUSED"],
  ])("with %j is %s", async (headers, expected) => {
    expect(await refusal(headers)).toBe(expected);
  });

  it("that is nested too deep is refused, whatever it calls", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const call = `{"tool":"a:b","arguments":{},"result":${deep}}`;
    const bodies: Readonly<Record<string, string>> = {
      "pml:learn": `{"action":"from","sessions":[{"id":"s","calls":[${call}]}]}`,
      "pml:execute": `{"intent":"x","code":"return 1","args":{"a":${deep}}}`,
      "pml:approve": `{"workflow_id":"x","decision":"done","result":${deep}}`,
    };
    for (const [id, body] of Object.entries(bodies)) {
      const { status, text } = await browser.post(id, body);
      expect([id, status, text]).toEqual([
        id,
        400,
        expect.stringContaining("nested deeper than 1000 levels"),
      ]);
    }
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep}}}}`;
    const answer = await visit(gateway().url, { method: "POST", headers, body: message });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining("nested deeper than 1000 levels"),
    ]);
  });

  it("from another site is refused before it is looked at", async () => {
    expect((await browser.post("cap:list", {}, { origin: "https://example.org" })).status).toBe(403);
    expect((await browser.post("cap:list", {}, { host: "example.org" })).status).toBe(403);
  });

  it.each([
    ["cap:list", {}, 200],
    ["cap%3Alist", {}, 200],
    ["cap_list", {}, 200],
    ["cap:list", { limit: "x" }, 400],
    ["cap:whois", { name: "no:such" }, 404],
    ["no:such", {}, 404],
    ["work:destroy", { what: "x" }, 404],
    ["mcp__work__destroy", { what: "x" }, 404],
    ["pml:backup", { file: "x" }, 403],
    ["pml:open", {}, 403],
  ])("%s with %j answers %i", async (id, input, status) => {
    expect((await browser.post(id, input)).status).toBe(status);
  });
});

describe("[FP-26] /api", () => {
  it("[DO-2] gives each role the operations that it has", async () => {
    const tokens = Object.fromEntries(
      await Promise.all(
        (["agent", "reader", "person"] as const).map(async (role) => {
          const made = await gateway().pml("token", "create", `t-${role}`, "--role", role, "--json");
          return [role, (JSON.parse(made) as { token: string }).token] as const;
        }),
      ),
    );
    for (const { id, who, ...rest } of OPERATIONS) {
      // The tokens are of the gateway's own project.
      const isTooFar = "reach" in rest && rest.reach !== undefined && rest.reach !== "shared";
      for (const role of ["agent", "reader", "person"] as const) {
        // No operation takes this: who may call it is told so, and nothing happens.
        const { status, text } = await visit(`${origin()}/api/${id}`, {
          method: "POST",
          headers: { authorization: `Bearer ${tokens[role]}`, "content-type": "application/json" },
          body: JSON.stringify({ no_such_field: true, resume: "x" }),
        });
        const answer = JSON.parse(text) as { error?: { code: string }; status?: string };
        const mayCall =
          role === "person" ? !isTooFar : role === "agent" ? who !== "person" : who === "reader";
        const expected = mayCall ? "reached" : who === "person" && role !== "person" ? 404 : 403;
        const isReached = answer.error?.code === "ARGUMENTS_INVALID" || answer.status === "error";
        expect([id, role, isReached ? "reached" : status]).toEqual([id, role, expected]);
      }
    }
  });

  it("gives a person what agents are not shown", async () => {
    await succeeds(client(), { code: "return 7", name: "num:seven" });
    const { capabilities } = await browser.call("cap:list", { pattern: "num:*" });
    expect(capabilities).toMatchObject([
      { name: "num:seven", details: { named: true, trust: "provisional" } },
    ]);
    expect(await browser.call("cap:whois", { name: "num:seven" })).toMatchObject({
      code: "return 7",
      structure: { nodes: [], edges: [] },
    });
    const stats = await browser.call("pml:stats");
    expect(stats).toMatchObject({ runs: { week: { failed: 0 } } });
    expect(JSON.stringify(stats)).toContain("num:seven");
  });

  it("[UX-2] shows a run with its structure, lines and times", async () => {
    const { workflowId } = (await succeeds(client(), {
      code: "const a = await mcp.work.echo({ value: 1 });\nreturn a",
      name: "num:echo",
    })) as unknown as { workflowId: string };
    expect(await browser.call("pml:trace", { workflow_id: workflowId })).toMatchObject({
      executedPath: ["n1"],
      tasks: [{ taskId: "n1", startMs: expect.any(Number) }],
      structure: { nodes: [{ id: "n1", tool: "work:echo" }], lines: { n1: 1 } },
    });
  });

  it("lists runs in pages, by capability and outcome", async () => {
    await succeeds(client(), { code: "return 8", name: "num:eight" });
    await succeeds(client(), { capability: "num:eight", options: { no_cache: true } });
    await execute(client(), { code: "throw new Error('no')" });
    const list = (input: object) =>
      browser.call("pml:trace", input) as Promise<{
        runs: { workflowId: string; success: boolean }[];
        next?: string;
      }>;
    const all = await list({ capability: "num:eight" });
    expect(all.runs).toHaveLength(2);
    const first = await list({ capability: "num:eight", limit: 1 });
    const second = await list({ capability: "num:eight", limit: 1, after: first.next });
    expect([...first.runs, ...second.runs]).toEqual(all.runs);
    expect(second.next).toBeUndefined();
    const failed = await list({ status: "error" });
    expect(failed.runs.length).toBeGreaterThan(0);
    expect(failed.runs.every(({ success }) => !success)).toBe(true);
    expect((await browser.post("pml:trace", { after: "x" })).status).toBe(400);
  });

  it("shows a server with its tools, and the graph as a map", async () => {
    expect(await browser.call("pml:servers", { server: "work" })).toMatchObject({
      detail: {
        server: "work",
        tools: expect.arrayContaining([expect.objectContaining({ id: "work:destroy" })]),
      },
    });
    expect((await browser.post("pml:servers", { server: "wrok" })).status).toBe(404);
    const map = (await browser.call("pml:graph")) as {
      nodes: { id: string; x: number }[];
      total_nodes: number;
    };
    expect(map.nodes.map(({ id }) => id)).toContain("work:destroy");
    expect(map.nodes.every(({ x }) => Number.isFinite(x))).toBe(true);
  });
});

describe("[DA-3] /api/events", () => {
  it("tells of a run, an approval and its decision, and the agent continues", async () => {
    const { heard, close } = await browser.listen();
    const kinds = () => heard.map(({ event }) => event);
    const asked = (await execute(client(), { code: DESTROY, args: { what: "events" } })) as unknown as {
      workflowId: string;
      approval: { expiresAt: string };
    };
    const { workflowId: workflow_id } = asked;
    await until("the approval is told", () => kinds().includes("approval.waiting"));
    const { waiting } = await browser.call("pml:approvals", { workflow_id });
    expect(waiting).toMatchObject([{ workflowId: workflow_id, code: DESTROY }]);
    const shown = asked.approval.expiresAt;
    await browser.call("pml:approve", { workflow_id, decision: "once", shown });
    await until("the decision is told", () => kinds().includes("approval.decided"));
    expect(await execute(client(), { resume: workflow_id })).toMatchObject({ status: "success" });
    await until("the end is told", () => kinds().includes("run.ended"));
    expect(kinds()).toEqual(expect.arrayContaining(["run.started", "run.progress", "run.ended"]));
    expect(JSON.stringify(heard)).not.toContain('"what"');
    close();
    // Who comes back is told what was missed.
    const since = heard.find(({ event }) => event === "approval.decided")?.id ?? "";
    // Which says nothing of how much else happened.
    expect(since).toMatch(/^[\w-]{22}$/);
    const again = await browser.listen(since);
    await until("what was missed", () => again.heard.some(({ event }) => event === "run.ended"));
    expect(again.heard.some(({ event }) => event === "approval.waiting")).toBe(false);
    again.close();
    for (const unknown of ["999999", "0", "A".repeat(22)]) {
      const lost = await browser.listen(unknown);
      await until("an answer", () => lost.heard.length > 0);
      expect(lost.heard[0]?.event).toBe("resync");
      lost.close();
    }
  });

  it("shows a run while it runs", async () => {
    const run = execute(client(), { code: "await mcp.work.slow({ ms: 3000 }); return 1" });
    await until("the run is listed", async () => {
      const { running = [] } = await browser.call("pml:trace", { status: "running" });
      const [one] = running as { workflowId: string; calls: number }[];
      if (one === undefined || one.calls === 0) return false;
      expect(await browser.call("pml:trace", { workflow_id: one.workflowId })).toMatchObject({
        status: "running",
        tasks: [{ taskId: "n1", tool: "work:slow" }],
        structure: { nodes: [{ id: "n1" }] },
      });
      return true;
    });
    await run;
  });
});

it("[DA-2] the graph is there after a restart, before anybody has run anything", async () => {
  await gateway().restart();
  const again = await enter(await link());
  const { nodes } = (await again.call("pml:graph")) as { nodes: { name: string; kind: string }[] };
  expect(nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(["num:echo", "work:destroy"]));
});
