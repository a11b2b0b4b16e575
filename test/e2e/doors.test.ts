/** Every door × every operation, and two tenants on one gateway, over HTTP with tokens. */
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/app/operations.js";
import { HttpDoorClient } from "../support/http-door.js";
import { fixture, useGateway } from "../support/test-gateway.js";

const gateway = useGateway("http", {
  mcpServers: { work: fixture("work") },
  approvals: { scripted: true, unannotated: "auto" },
});

const tokens = new Map<string, string>();

async function door(name: string): Promise<HttpDoorClient> {
  return HttpDoorClient.connect(gateway().url, tokens.get(name));
}

async function makeToken(name: string, role: string, scope: string): Promise<void> {
  const said = await gateway().pml("token", "create", name, "--role", role, "--scope", scope, "--json");
  tokens.set(name, (JSON.parse(said) as { token: string }).token);
}

beforeAll(async () => {
  for (const role of ["agent", "person", "reader"]) {
    await makeToken(`a-${role}`, role, "acme/web/ada");
    await makeToken(`b-${role}`, role, "other/shop/bob");
  }
});

const FORBIDDEN = ["a-agent", "a-reader", "nobody"];
/** Whose calls an agent may make, and a reader may not. */
const CHANGING = OPERATIONS.filter(({ who }) => who === "agent");
const PERSONAL = OPERATIONS.filter(({ who }) => who === "person");

describe("[DO-2] what only a person may do", () => {
  it.each(FORBIDDEN)("is refused over HTTP as %s, by every name", async (name) => {
    const client = await door(name);
    for (const { id } of PERSONAL)
      for (const called of [id, id.replace(":", "_")]) {
        const { text } = await client.call(called);
        expect(text, called).toMatch(/Unknown tool|CAPABILITY_NOT_FOUND/);
      }
  });

  it("is refused in code and graphs of tasks", async () => {
    const client = await door("a-agent");
    for (const { id } of PERSONAL) {
      const [server, tool] = id.split(":") as [string, string];
      for (const how of [
        { code: `return await mcp[${JSON.stringify(server)}][${JSON.stringify(tool)}]({});` },
        { code: "return await mcp[args.server][args.tool]({});", args: { server, tool } },
        { dag: { tasks: [{ id: "t", tool: id, arguments: {} }] } },
      ]) {
        const { text, body } = await client.call("pml_execute", { intent: "try it", ...how });
        expect(JSON.stringify(body), text).not.toMatch(/"status":"success"/);
      }
    }
  }, 60_000);

  it("is done by a person with a token, but for what concerns the machine", async () => {
    const agent = await door("a-agent");
    await agent.call("pml_execute", { intent: "seven", code: "return 7;", name: "num:seven" });
    const person = await door("a-person");
    expect((await person.call("cap_verify", { name: "num:seven" })).text).toMatch(/verified/);
    const far = PERSONAL.filter(
      (one) => "reach" in one && one.reach !== undefined && !("reachesWhen" in one),
    );
    expect(far.map(({ id }) => id)).toContain("pml:tools_accept");
    for (const { id } of far)
      expect((await person.call(id, { file: "/tmp/x", tools: [] })).text, id).toMatch(/NOT_ALLOWED/);
    expect(
      (await person.call("pml_tokens", { action: "create", name: "x", scope: "other/shop/eve" })).text,
    ).toMatch(/NOT_ALLOWED/);
  });

  it("is in the audit, with the name of the token", async () => {
    const { entries } = JSON.parse(await gateway().pml("audit", "--verify", "--json")) as {
      entries: readonly { operation: string; via: string; subject: string }[];
    };
    expect(entries).toContainEqual(
      expect.objectContaining({ operation: "cap:verify", via: "token a-person", subject: "num:seven" }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ operation: "pml:tokens create", via: "terminal" }),
    );
    for (const token of tokens.values()) expect(JSON.stringify(entries)).not.toContain(token);
  });
});

describe("[DO-2] a reader", () => {
  it("is shown and may call what reads, and nothing of it reaches a server", async () => {
    const reader = await door("a-reader");
    const { result } = (await reader.list()).body as { result: { tools: readonly { name: string }[] } };
    const readers = OPERATIONS.filter(({ who }) => who === "reader").map(({ id }) => id.replace(":", "_"));
    expect(result.tools.map(({ name }) => name).filter((name) => !readers.includes(name))).toEqual([]);
    expect((await reader.call("cap_lookup", { name: "num:seven" })).text).toMatch(/num:seven/);
    for (const { id } of CHANGING) expect((await reader.call(id)).text, id).toMatch(/NOT_ALLOWED/);
    expect((await reader.call("mcp__num__seven")).text).toMatch(/NOT_ALLOWED/);
    for (const method of ["prompts/get", "resources/read", "resources/subscribe"]) {
      const { text } = await reader.request(method, { name: "x", uri: "x:y" });
      expect(text, method).toMatch(/"error"/);
    }
  });
});

describe("[DO-1] tokens", () => {
  it("name the user at the terminal as their maker, and not the user that they are for", async () => {
    const { tokens: all } = JSON.parse(await gateway().pml("token", "list", "--json")) as {
      tokens: readonly { scope: string; created_by: string }[];
    };
    expect(all.map(({ scope }) => scope)).toContain("acme/web/ada");
    expect(all.filter(({ created_by }) => !created_by.endsWith("@local"))).toEqual([]);
  });

  it("[FP-25] that are wrong are refused everywhere, also on loopback", async () => {
    const { url } = gateway();
    for (const path of ["/mcp", "/metrics"]) {
      const response = await fetch(new URL(path, url), { headers: { authorization: "Bearer pml_wrong" } });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="pml", error="invalid_token"',
      ]);
    }
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
  });

  it("do not open the sessions of others", async () => {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const begin = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    });
    const as = (name: string) => ({ ...headers, authorization: `Bearer ${tokens.get(name)}` });
    const opened = await fetch(gateway().url, { method: "POST", headers: as("a-person"), body: begin });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    await opened.text();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} });
    const statusOf = async (from: Record<string, string>) =>
      (await fetch(gateway().url, { method: "POST", headers: { ...from, ...session }, body })).status;
    expect([await statusOf(as("a-person")), await statusOf(as("a-agent")), await statusOf(headers)]).toEqual([
      200, 404, 404,
    ]);
  });

  it("end when they are revoked, with the sessions that they opened", async () => {
    await makeToken("brief", "agent", "acme/web/ada");
    const client = await door("brief");
    expect((await client.list()).status).toBe(200);
    await gateway().pml("token", "revoke", "brief");
    expect((await client.list()).status).toBe(401);
  });
});

describe("[DO-2] two tenants on one gateway", () => {
  const SECRET = /num:zebra|num__zebra|num:seven|ada@acme|a-person|a-agent/;

  /** All that a tenant can see, without what differs from call to call. */
  async function viewOf(name: string): Promise<Readonly<Record<string, string>>> {
    const agent = await door(`${name}-agent`);
    const person = await door(`${name}-person`);
    const view: Record<string, string> = {};
    const note = async (what: string, answer: Promise<{ readonly body: unknown }>) => {
      const { result, error } = (await answer).body as {
        result?: { structuredContent?: object };
        error?: object;
      };
      const text = JSON.stringify(result?.structuredContent ?? result ?? error);
      view[what] = text.replaceAll(/,?"(?:since|last_used_at)":"[^"]*"/g, "");
    };
    await note("list", agent.list());
    await note(
      "found",
      agent.call("pml_discover", { intent: "zebra stripes of the day", include_suggestions: true }),
    );
    await note("capabilities", agent.call("cap_list", {}));
    for (const known of ["num:zebra", "num:nothing"]) {
      const { text } = await agent.call("cap_lookup", { name: known });
      view[`lookup ${known}`] = text.replaceAll(known, "it").replaceAll(/"id":\d+/g, "");
    }
    await note("traces", agent.call("pml_trace", {}));
    await note("all traces", person.call("pml_trace", {}));
    await note("stats", person.call("pml_stats", {}));
    await note("approvals", person.call("pml_approvals", {}));
    await note("keys", person.call("pml_keys", { action: "list" }));
    await note("tokens", person.call("pml_tokens", { action: "list" }));
    await note("audit", person.call("pml_audit", {}));
    await note("cache", person.call("pml_cache", { action: "stats" }));
    return view;
  }

  it("see nothing of each other, whatever the other does", async () => {
    const other = await door("b-agent");
    await other.call("pml_execute", { intent: "mine", code: "return 1;", name: "own:one" });
    await viewOf("b");
    const before = await viewOf("b");
    const busy = await door("a-agent");
    for (let n = 0; n < 5; n++)
      await busy.call("pml_execute", {
        intent: `zebra stripes of the day ${n}`,
        code: `return { stripes: ${n} + args.n };`,
        args: { n },
        name: n === 0 ? "num:zebra" : `num:zebra_${n}`,
      });
    await (await door("a-person")).call("cap_verify", { name: "num:zebra" });
    const after = await viewOf("b");
    expect(after).toEqual(before);
    expect(JSON.stringify(Object.values(after))).not.toMatch(SECRET);
    // What is hidden looks like what does not exist.
    expect(after["lookup num:zebra"]).toBe(after["lookup num:nothing"]);
  }, 60_000);

  it("do not read the other's recordings, nor what servers say of everybody's calls", async () => {
    const [ada, bob] = await Promise.all([door("a-person"), door("b-person")]);
    const code = "return { zebra: args.n };";
    await ada.call("pml_execute", { intent: "see", code, args: { n: 7 }, name: "num:shared" });
    await ada.call("cap_rename", { name: "num:shared", visibility: "public" });
    expect((await ada.call("pml_test_record", { name: "num:shared" })).text).toMatch(/"added":1/);
    const { body } = await ada.call("cap_lookup", { name: "num:shared" });
    const { fqdn } = (body as { result: { structuredContent: { fqdn: string } } }).result.structuredContent;
    expect((await bob.call("cap_lookup", { name: fqdn })).text).toContain("num:shared");
    for (const tool of ["pml_test_export", "pml_test"])
      expect((await bob.call(tool, { names: [fqdn] })).text, tool).toMatch(/NOT_ALLOWED/);
    expect((await bob.call("pml_graph")).text).toMatch(/NOT_ALLOWED/);
    expect((await bob.call("pml_servers", { server: "work" })).text).toMatch(/"log":\[\]/);
  });

  it("read no numbers of the whole gateway", async () => {
    for (const name of ["a-agent", "b-agent", "b-reader", "b-person"]) {
      const headers = { authorization: `Bearer ${tokens.get(name)}` };
      expect((await fetch(new URL("/metrics", gateway().url), { headers })).status, name).toBe(403);
    }
  });
});
