/** A server that wants a sign-in, behind a gateway: its state, what a call is told, and a person who signs in. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AuthorizationServer, consent } from "../support/authorization-server.js";
import { runCommand, terminal, within } from "../support/inside-command.js";
import { clients, type TestClient } from "../support/test-client.js";
import { type GatewayConfig, useGateway } from "../support/test-gateway.js";

const SOON = { timeout: 20_000 };
const TOOL = "mcp__notes__whoami";
const as = await AuthorizationServer.start();
afterAll(() => as.close());

/** For the answer of a browser. */
async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  return port;
}
const ports = [await freePort(), await freePort()] as const;

const configAt = (port: number): GatewayConfig => ({
  mcpServers: {
    notes: { url: as.resource, auth: { redirectUrl: `http://127.0.0.1:${port}/callback` } } as never,
  },
  exposure: "all",
  approvals: { unannotated: "auto", scripted: true },
});

const whoami = (client: TestClient) =>
  client.call(TOOL, {}).then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  );
const toolNames = async (client: TestClient) => (await client.tools()).map(({ name }) => name);

describe("[DO-4, FP-25, GW-2] a server that wants a sign-in", () => {
  const gateway = useGateway("background", configAt(ports[0]));
  beforeAll(() => {
    // A browser whose user agrees to everything.
    const file = join(gateway().directory, "browser.mjs");
    writeFileSync(file, `#!${process.execPath}\nawait fetch(process.argv.at(-1));\n`, { mode: 0o700 });
    gateway().env.BROWSER = file;
  });
  const state = async () => {
    const { servers } = JSON.parse(await gateway().pml("servers", "--json")) as {
      servers: { name: string; state: string; error?: object; sign_in?: object }[];
    };
    return servers.find(({ name }) => name === "notes");
  };
  /** What a person does at a terminal: opens the address that is shown, and pastes where the browser was sent. */
  const pasted = async () => {
    const screen = terminal();
    screen.onShown = async () => {
      const [url] = /http:\S+\/authorize\S+/.exec(screen.shown()) ?? [];
      if (url === undefined || !screen.shown().includes("paste it here")) return;
      screen.onShown = () => {};
      screen.type(`${await consent(url)}\n`);
    };
    const { config, dataDir, env } = gateway();
    const code = await within({ ...screen, env: env as Record<string, string>, cwd: process.cwd() }, () =>
      runCommand(["login", "notes", "--paste", "--config", config, "--data-dir", dataDir]),
    );
    return `${code}\n${screen.shown()}`;
  };

  it("is in the state sign_in_required, with the command that helps", async () => {
    await vi.waitFor(
      async () =>
        expect(await state()).toMatchObject({
          state: "sign_in_required",
          error: { code: "SIGN_IN_REQUIRED", hint: "Run `pml login notes`." },
        }),
      SOON,
    );
    expect(await gateway().pml("servers")).toContain("sign_in_required");
  });

  it("is connected to at once when a person has signed in, and all clients hear of its tools", async () => {
    const client = await gateway().connect("v2-2025");
    expect(await toolNames(client)).not.toContain(TOOL);
    const told = await client.news.toolChangesAtRest();
    expect(JSON.parse(await gateway().pml("login", "notes", "--json"))).toMatchObject({
      server: "notes",
      issuer: as.origin,
      refreshable: true,
    });
    await client.news.until(({ toolChanges }) => toolChanges > told, SOON.timeout);
    expect(await toolNames(client)).toContain(TOOL);
    expect(await whoami(client)).toContain("ada");
    expect(await state()).toMatchObject({ state: "ready", sign_in: { issuer: as.origin, scope: "read" } });
    await client.close();
  });

  it("stays signed in after a restart; a sign-in that was ended leaves its tools listed, also after a restart", async () => {
    await gateway().restart();
    let client = await gateway().connect("v2-2025");
    await vi.waitFor(async () => expect(await whoami(client)).toContain("ada"), SOON);
    as.revokeAll();
    const refusal = await whoami(client);
    expect(refusal).toContain("SIGN_IN_REQUIRED");
    expect(refusal).toContain("Ask the user to run `pml login notes`, then call again.");
    expect(await toolNames(client)).toContain(TOOL);
    await client.close();
    await gateway().restart();
    client = await gateway().connect("v2-2025");
    expect(await toolNames(client)).toContain(TOOL);
    await vi.waitFor(async () => expect(await state()).toMatchObject({ state: "sign_in_required" }), SOON);
    expect(await whoami(client)).toContain("pml login notes");
    expect(as.count("reuse")).toBe(0);
    await client.close();
  });

  it("is signed in to with --paste, and signed out of with pml logout", async () => {
    const client = await gateway().connect("v2-2025");
    const said = await pasted();
    expect(said).toMatch(/^0\n/);
    expect(said).toContain("Signed in to notes");
    expect(await whoami(client)).toContain("ada");
    expect(JSON.parse(await gateway().pml("logout", "notes", "--json"))).toEqual({
      server: "notes",
      signed_out: true,
      revoked: true,
    });
    expect(await state()).toMatchObject({ state: "sign_in_required" });
    expect(await whoami(client)).toContain("pml login notes");
    await client.close();
  });

  it("cannot be signed in to by an agent: the operations are unknown to it", async () => {
    const client = await gateway().connect("v2-2025");
    for (const name of ["pml_login", "pml:login", "pml_login_finish", "pml_logout"])
      expect(String(await client.call(name, { server: "notes" }).catch(String))).toMatch(/Unknown tool/);
    expect(await toolNames(client)).not.toContain("pml_login");
    await client.close();
  });
});

describe("[DO-4] a call of a server that needs a sign-in", () => {
  const gateway = useGateway("http", configAt(ports[1]));
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    for (const role of ["person", "agent"]) {
      const made = await gateway().pml("token", "create", `a-${role}`, "--role", role, "--json");
      tokens.set(role, (JSON.parse(made) as { token: string }).token);
    }
    // So that its tools are known.
    const { url } = await begun();
    await fetch(url);
    await vi.waitFor(async () => expect(await toolNames(await client("agent"))).toContain(TOOL), SOON);
  });

  /** A sign-in as the dashboard begins it. */
  async function begun(): Promise<{ url: string }> {
    const response = await fetch(new URL("/api/pml:login", gateway().url), {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.get("person")}`, "content-type": "application/json" },
      body: JSON.stringify({ server: "notes" }),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringContaining("/authorize?")]);
    return JSON.parse(text) as { url: string };
  }

  const client = (
    role: string,
    can: ("addresses" | "elicitation")[] = [],
    kind: TestClient["kind"] = "v2-2025",
  ) => gateway().connect(kind, { can, token: tokens.get(role) ?? "" });

  describe.each(clients("v2-2025", "v2-2026"))("with $client", ({ kind }) => {
    it("shows the address to the user of a client that can, and goes on when the browser is done", async () => {
      as.revokeAll();
      const shows = await client("person", ["addresses"], kind);
      const addresses: string[] = [];
      shows.answerWith(async (_, address = "") => {
        addresses.push(address);
        await fetch(address);
        return { action: "accept" };
      });
      // The first call finds out that the sign-in has ended.
      const first = await whoami(shows);
      const second = first.includes("SIGN_IN_REQUIRED") ? await whoami(shows) : first;
      expect(second).toContain("ada");
      expect(addresses).toEqual([expect.stringContaining(`${as.origin}/authorize?`)]);
      expect(shows.questions).toEqual([expect.stringContaining('PML asks: sign in to the server "notes".')]);
      await shows.close();
    });

    it("answers with the command where the user opens nothing, the client shows no addresses, or it is an agent's", async () => {
      as.revokeAll();
      for (const [role, can] of [
        ["person", ["addresses"]],
        ["person", ["elicitation"]],
        ["person", []],
        ["agent", ["addresses"]],
      ] as const) {
        const one = await client(role, [...can], kind);
        one.answerWith(() => ({ action: "decline" }));
        await whoami(one);
        const said = await whoami(one);
        expect(said, `${role} ${can}`).toContain("SIGN_IN_REQUIRED");
        expect(said).toContain("pml login notes");
        expect(one.questions.length > 0, `${role} ${can}`).toBe(role === "person" && can[0] === "addresses");
        await one.close();
      }
      await fetch((await begun()).url);
      const again = await client("agent", [], kind);
      await vi.waitFor(async () => expect(await whoami(again)).toContain("ada"), SOON);
      await again.close();
    });
  });
});
