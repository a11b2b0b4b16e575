/** HTTP beyond this machine: with TLS of its own, and behind a proxy that the configuration names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSigned } from "../support/certificate.js";
import { type Page, visit } from "../support/page-visitor.js";
import { fixture, type TestGateway, useGateway } from "../support/test-gateway.js";

const NAME = "pml.test";
const directory = mkdtempSync(join(tmpdir(), "pml-tls-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const { cert: ca, key } = selfSigned(NAME);
const tls = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem") };
writeFileSync(tls.cert, ca);
writeFileSync(tls.key, key, { mode: 0o600 });

const COMMON = {
  mcpServers: { work: fixture("work"), gone: { command: "/no/such/place/server", args: [] } },
  approvals: { scripted: true },
};

/** Where it is reached from this machine: it listens at all addresses. */
const addressOf = (gateway: TestGateway) => gateway.url.replace("0.0.0.0", "127.0.0.1");

async function tokenOf(gateway: TestGateway, role: string): Promise<string> {
  const made = await gateway.pml("token", "create", `a-${role}`, "--role", role, "--json");
  return (JSON.parse(made) as { token: string }).token;
}

interface From {
  readonly token?: string;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of a client of 2025, without a session. */
function send(
  url: string,
  method: string,
  params: object,
  { token, from, headers }: From = {},
): Promise<Page> {
  return visit(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    ca,
    ...(from === undefined ? {} : { from }),
  });
}

const BEGIN = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "far", version: "1" },
};

/** What a call of a tool is answered, in a session of its own. */
async function called(url: string, from: From, name: string, args: object): Promise<string> {
  const opened = await send(url, "initialize", BEGIN, from);
  const session = String(opened.headers["mcp-session-id"]);
  const headers = { ...from.headers, "mcp-session-id": session };
  return (await send(url, "tools/call", { name, arguments: args }, { ...from, headers })).text;
}

describe("[GW-4, DO-1] with http.tls", () => {
  const gateway = useGateway("http", { ...COMMON, http: { host: "0.0.0.0", tls, allowedHosts: [NAME] } });
  let token: string;
  beforeAll(async () => {
    token = await tokenOf(gateway(), "agent");
  });

  it("serves HTTPS, and nothing without it", async () => {
    const url = addressOf(gateway());
    expect(url).toMatch(/^https:/);
    expect((await visit(url.replace("/mcp", "/healthz"), { ca })).status).toBe(200);
    await expect(visit(url.replace("/mcp", "/healthz"))).rejects.toThrow(/self-signed/);
    await expect(visit(url.replace("https:", "http:"))).rejects.toThrow();
  });

  it("needs a token everywhere but for /healthz", async () => {
    const url = addressOf(gateway());
    expect((await send(url, "initialize", BEGIN, { token })).status).toBe(200);
    for (const from of [{}, { token: "pml_wrong" }]) {
      const refused = await send(url, "initialize", BEGIN, from);
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("TOKEN_REFUSED")]);
      expect(refused.headers["www-authenticate"]).toContain('Bearer realm="pml"');
    }
    for (const path of ["/metrics", "/api/session"])
      expect([path, (await visit(url.replace("/mcp", path), { ca })).status]).toEqual([path, 401]);
  });

  it("takes requests to addresses and to names that the configuration has, and no others", async () => {
    const url = addressOf(gateway());
    const statusAs = async (host: string, more = {}) =>
      (await send(url, "initialize", BEGIN, { token, headers: { host, ...more } })).status;
    expect(await statusAs(NAME)).toBe(200);
    expect(await statusAs("192.0.2.1:7423")).toBe(200);
    expect(await statusAs("evil.test")).toBe(403);
    expect(await statusAs(NAME, { origin: "https://evil.test" })).toBe(403);
  });

  it("asks a person before a client calls a sensitive tool directly", async () => {
    const said = await called(addressOf(gateway()), { token }, "mcp__work__destroy", { what: "far" });
    expect(said).toContain("APPROVAL_REQUIRED");
    expect(said).toContain("A person decides with");
  });

  it("[TB-7] tells clients elsewhere how a person decides, and no path of this machine", async () => {
    const url = addressOf(gateway());
    const person = await tokenOf(gateway(), "person");
    const code = 'return await mcp.work.destroy({ what: "far" });';
    const asked = { intent: "destroy it", code };
    const said = [
      await called(url, { token }, "mcp__work__destroy", { what: "far" }),
      await called(url, { token }, "pml_execute", asked),
      await called(url, { token: person }, "pml_execute", asked),
      await called(url, { token: person }, "pml_approvals", {}),
      await called(url, { token: person }, "pml_servers", {}),
    ];
    for (const text of said)
      for (const path of [gateway().directory, "main.js", "/no/such/place"]) expect(text).not.toContain(path);
    const { waiting } = JSON.parse(await gateway().pml("approve", "--list", "--json")) as {
      waiting: readonly { workflowId: string }[];
    };
    const ids = waiting.map(({ workflowId }) => workflowId);
    const [command = "", id = ""] = /pml approve ([0-9a-f-]+) --scope [^ `]+/.exec(said[1] ?? "") ?? [];
    expect(ids).toContain(id);
    // As it is told, it decides on this machine.
    expect(await gateway().pml(...command.split(" ").slice(1), "--reject")).toContain(`Rejected: ${id}`);
  });
});

describe("approvals.direct: pass beyond this machine", () => {
  const gateway = useGateway("http", {
    ...COMMON,
    approvals: { ...COMMON.approvals, direct: "pass" },
    http: { host: "0.0.0.0", tls },
  });

  it("lets a client call a sensitive tool directly", async () => {
    const token = await tokenOf(gateway(), "agent");
    const said = await called(addressOf(gateway()), { token }, "mcp__work__destroy", { what: "far" });
    expect(said).toContain("count");
    expect(said).not.toContain("APPROVAL_REQUIRED");
  });
});

describe("[GW-4, DO-1] with http.trustProxy", () => {
  const PROXY = "127.0.0.9";
  const gateway = useGateway("http", {
    ...COMMON,
    http: { host: "0.0.0.0", trustProxy: [PROXY], publicUrl: `https://${NAME}` },
  });
  let token: string;
  beforeAll(async () => {
    token = await tokenOf(gateway(), "agent");
  });
  const passedOn = (address: string) => ({
    host: NAME,
    "x-forwarded-for": address,
    "x-forwarded-proto": "https",
  });

  it("takes what the proxy passes on with a token, and nothing without one, also from this machine", async () => {
    const url = addressOf(gateway());
    const headers = passedOn("203.0.113.1");
    expect((await send(url, "initialize", BEGIN, { from: PROXY, token, headers })).status).toBe(200);
    expect((await send(url, "initialize", BEGIN, { from: PROXY, headers })).status).toBe(401);
    expect((await send(url, "initialize", BEGIN, { headers: { host: NAME } })).status).toBe(401);
    const said = await called(url, { from: PROXY, token, headers }, "mcp__work__destroy", { what: "far" });
    expect(said).toContain("APPROVAL_REQUIRED");
  });

  it("trusts X-Forwarded-For of the proxy, and of no other sender", async () => {
    const url = addressOf(gateway());
    // Failed attempts are counted by address: as many addresses as attempts are never too many.
    const statuses = async (from: string) => {
      const sent = Array.from({ length: 40 }, (_, n) =>
        send(url, "initialize", BEGIN, { from, token: "pml_wrong", headers: passedOn(`198.51.100.${n}`) }),
      );
      return new Set((await Promise.all(sent)).map(({ status }) => status));
    };
    expect(await statuses(PROXY)).toEqual(new Set([401]));
    expect(await statuses("127.0.0.8")).toEqual(new Set([401, 429]));
  });
});

describe("[GW-4] without TLS and without a proxy", () => {
  const gateway = useGateway("background", { ...COMMON, http: { host: "0.0.0.0" } });

  it("nothing is served beyond this machine, and the error says what to set", async () => {
    const failed = await gateway()
      .pml("serve", "--http", "0")
      .catch((error: Error) => error.message);
    expect(failed).toContain("BIND_REFUSED");
    expect(failed).toContain("http.tls");
    expect(failed).toContain("http.trustProxy");
  });
});
