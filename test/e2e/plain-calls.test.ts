/** What a client does by single calls three times is offered as one: through real clients, to no other user. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { HttpDoorClient } from "../support/http-door.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CONFIG = {
  approvals: { unannotated: "auto", scripted: true },
  mcpServers: { shop: fixture("shop") },
} as const;
const NOTE = "Please call back before noon";

// biome-ignore lint/suspicious/noExplicitAny: answers of the fixture and of PML, which the assertions read.
const structured = (result: CallToolResult) => result.structuredContent as any;

async function byHand(client: TestClient, email: string, more: object = {}): Promise<void> {
  const { customer } = structured(await client.call("mcp__shop__find_customer", { email }));
  const { order_id } = structured(await client.call("mcp__shop__latest_order", { customer_id: customer.id }));
  await client.call("mcp__shop__add_note", { order_id, text: NOTE, ...more });
}

async function offered(client: TestClient): Promise<string | undefined> {
  const intent = "add a note to the latest order of a customer";
  const answer = await client.call("pml_discover", { intent, filter: { type: "capability", minScore: 0 } });
  const { results } = structured(answer);
  return results[0]?.name;
}

describe("[LC-3] three plain repetitions through an MCP client", () => {
  const gateway = useGateway("background", CONFIG);
  const client = useClient(gateway, "v1");

  it("[LC-2] [LC-5] become a capability that needs only what varied, and does the same in one call", async () => {
    const key = "sk-live-0123456789abcdef";
    for (const who of ["ada", "bob", "eve"]) await byHand(client(), `${who}@example.org`, { api_key: key });
    // It is found before it has its name.
    await expect.poll(() => offered(client()), { timeout: 60_000, interval: 200 }).toMatch(/^shop:/);
    const name = (await offered(client())) ?? "";
    const looked = structured(await client().call("cap_lookup", { name }));
    // The note was the same every time, and is remembered in memory; a key is remembered nowhere.
    expect(new Set(Object.keys(looked.parameters.properties))).toEqual(new Set(["api_key", "email"]));
    const whois = JSON.stringify(structured(await client().call("cap_whois", { name })));
    expect(whois).toContain('"source":"observed"');
    expect(whois).toContain("unproven");
    expect(whois).not.toContain(NOTE);
    const run = await client().call("pml_execute", {
      intent: "add a note",
      capability: name,
      args: { email: "zoe@example.org", api_key: "k" },
    });
    expect(JSON.stringify(run.structuredContent)).toContain(NOTE);
    const related = await client().call("pml_execute", {
      intent: "find a customer",
      code: "return await mcp.shop.findCustomer({ email: args.email });",
      args: { email: "zoe@example.org" },
    });
    expect(JSON.stringify(related.structuredContent)).toMatch(/You have made these 3 calls 3 times/);
  });

  it("[LC-5] in no list of tools, and an agent cannot show it to others", async () => {
    const name = (await offered(client())) ?? "";
    const listed = (await client().tools()).map(({ _meta }) => _meta?.["pml/id"]);
    expect(listed).not.toContain(name);
    const refused = await client().call("cap_rename", { name, visibility: "public" });
    expect(JSON.stringify(refused)).toContain("NOT_ALLOWED");
    const learnt = await client()
      .call("pml_learn", { action: "accept", name })
      .catch((error: unknown) => ({ isError: true, error: String(error) }));
    expect(learnt.isError).toBe(true);
  });
});

describe("[LC-5] two users of a project", () => {
  const gateway = useGateway("http", CONFIG);

  async function person(user: string): Promise<HttpDoorClient> {
    const scope = `acme/web/${user}`;
    const said = await gateway().pml("token", "create", user, "--role", "person", "--scope", scope, "--json");
    return HttpDoorClient.connect(gateway().url, (JSON.parse(said) as { token: string }).token);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of the fixture and of PML, which the assertions read.
  const answer = async (client: HttpDoorClient, tool: string, args: object): Promise<any> =>
    structured(((await client.call(tool, args)).body as { result: CallToolResult }).result);

  const noteOf = (user: string) => `Private words of ${user} for the order`;

  async function byToken(client: HttpDoorClient, text: string): Promise<void> {
    for (const who of ["ada", "bob", "eve"]) {
      const found = await answer(client, "mcp__shop__find_customer", { email: `${who}@example.org` });
      const args = { customer_id: found.customer.id };
      const { order_id } = await answer(client, "mcp__shop__latest_order", args);
      await answer(client, "mcp__shop__add_note", { order_id, text, api_key: "k" });
    }
  }

  it("never get the values that the other always gave, also of a program that everybody sees", async () => {
    const [ada, bob] = await Promise.all([person("ada"), person("bob")]);
    await byToken(ada, noteOf("ada"));
    const listed = async () => JSON.stringify(await answer(ada, "pml_learn", { action: "list" }));
    await expect.poll(listed, { timeout: 60_000, interval: 200 }).toContain(noteOf("ada"));
    const [{ name }] = (await answer(ada, "pml_learn", { action: "list" })).candidates;
    await answer(ada, "cap_rename", { name, visibility: "project" });
    await byToken(bob, noteOf("bob"));
    const { properties } = (await answer(bob, "cap_lookup", { name })).parameters;
    expect(Object.keys(properties)).toContain("text");
    const args = { email: "zoe@example.org", api_key: "k" };
    const ran = await bob.call("pml_execute", { intent: "add a note", capability: name, args });
    expect(ran.text).toMatch(/ARGUMENTS_INVALID/);
    expect(ran.text).not.toContain(noteOf("ada"));
    expect(await listed()).not.toContain(noteOf("bob"));
  });

  it("are both offered the program for the same calls, and neither is told of the other's", async () => {
    const [cat, dan] = await Promise.all([person("cat"), person("dan")]);
    const candidate = async (client: HttpDoorClient) =>
      (await answer(client, "pml_learn", { action: "list" })).candidates[0];
    const names: string[] = [];
    for (const [client, user] of [
      [cat, "cat"],
      [dan, "dan"],
    ] as const) {
      // Other calls than in the test before, whose program the project has.
      for (const who of ["ada", "bob", "eve"]) {
        const found = await answer(client, "mcp__shop__find_customer", { email: `${who}@example.org` });
        await answer(client, "mcp__shop__latest_order", { customer_id: found.customer.id });
      }
      await expect
        .poll(() => candidate(client), { timeout: 20_000, interval: 200, message: user })
        .toBeDefined();
      const { name, times } = await candidate(client);
      expect(times).toBe(3);
      names.push(name);
      const args = { email: "zoe@example.org" };
      const ran = await client.call("pml_execute", { intent: "find an order", capability: name, args });
      expect(ran.text).toContain("ord_");
      expect(ran.text).not.toContain(user === "cat" ? "dan" : "cat");
    }
    expect(new Set(names).size).toBe(2);
    const [catName, danName] = names as [string, string];
    expect((await dan.call("cap_whois", { name: catName })).text).toContain("CAPABILITY_NOT_FOUND");
    await answer(cat, "pml_learn", { action: "reject", name: catName });
    expect(await candidate(cat)).toBeUndefined();
    expect((await candidate(dan)).name).toBe(danName);
  });

  it("do not get what the other imports", async () => {
    const [ada, bob] = await Promise.all([person("ann"), person("ben")]);
    const calls = [{ tool: "shop:find_customer", arguments: { email: "a@b" }, result: {} }];
    await answer(ada, "pml_learn", { action: "from", sessions: [{ id: "s", calls }], last: false });
    expect(await answer(bob, "pml_learn", { action: "from", sessions: [] })).toMatchObject({ sessions: 0 });
  });
});

describe("[LC-1] learning.observe: false", () => {
  const gateway = useGateway("background", { ...CONFIG, learning: { observe: false } });
  const client = useClient(gateway, "v1");

  it("[LC-4] leaves recorded sessions, of which tools that the gateway lacks are named", async () => {
    const file = join(gateway().directory, "calls.jsonl");
    const sessions = ["a", "b", "c"].map((id) => ({
      id,
      calls: [
        { tool: "shop:latest_order", arguments: { customer_id: "c" }, result: {} },
        { tool: "crm:find", arguments: { email: `${id}@example.org` }, result: { id: `crm-${id}-0815` } },
        { tool: "crm:close", arguments: { id: `crm-${id}-0815` }, result: {} },
      ],
    }));
    writeFileSync(file, sessions.map((one) => JSON.stringify(one)).join("\n"));
    expect(
      await gateway().pml("learn", "--from", file),
    ).toBe(`3 sessions with 9 calls read; no calls of tools that this gateway has occur three times with the same data flow.

This gateway does not have 2 tools of these sessions: crm:find, crm:close.
Programs that call them are not offered. Add their servers with \`pml add\` or \`pml init\`, under the same names, and run this again.
`);
  });

  it("switches it off", async () => {
    for (const who of ["ada", "bob", "eve", "joe"]) await byHand(client(), `${who}@example.org`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await offered(client())).toBeUndefined();
  });
});
