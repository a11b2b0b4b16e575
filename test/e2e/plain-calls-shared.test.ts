/** What a user does by single calls at two gateways is counted together, and none of its values is in the database. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { openPostgres } from "../../src/postgres/pg-driver.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, type GatewayConfig, useGateway } from "../support/test-gateway.js";

const config: GatewayConfig = { ...(await sharedStoreConfig()), mcpServers: { shop: fixture("shop") } };
const NOTE = "Please call back before noon";

// biome-ignore lint/suspicious/noExplicitAny: answers of the fixture and of PML, which the assertions read.
const structured = (result: CallToolResult) => result.structuredContent as any;

/** Answers the values that were passed on. */
async function byHand(client: TestClient, email: string): Promise<readonly string[]> {
  const { customer } = structured(await client.call("mcp__shop__find_customer", { email }));
  const { order_id } = structured(await client.call("mcp__shop__latest_order", { customer_id: customer.id }));
  await client.call("mcp__shop__add_note", { order_id, text: NOTE, api_key: "k" });
  return [email, customer.id, order_id];
}

async function offered(client: TestClient): Promise<readonly string[]> {
  const intent = "add a note to the latest order of a customer";
  const filter = { type: "capability", minScore: 0 };
  const { results } = structured(await client.call("pml_discover", { intent, filter }));
  return (results as readonly { readonly name: string }[]).map(({ name }) => name);
}

/** All rows of all tables, as text. */
async function everyRow(url: string): Promise<string> {
  const database = await openPostgres(url, silentLog);
  try {
    const { rows: tables } = await database.query<{ readonly name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = current_schema()",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await database.query<{ readonly text: string }>(
        `select row_to_json(one)::text as text from ${name} as one`,
      );
      texts.push(...rows.map(({ text }) => `${name} ${text}`));
    }
    return texts.join("\n");
  } finally {
    await database.close();
  }
}

interface Found {
  readonly name: string;
  readonly tools: readonly string[];
  readonly times: number;
}

describe("[LC-2] [LC-5] two gateways on one PostgreSQL", () => {
  const one = useGateway("http", config);
  const two = useGateway("http", config);

  it("count together, and keep hashes and no values", async () => {
    const first = await one().connect("v2-2025");
    const second = await two().connect("v2-2025");
    const values = [...(await byHand(first, "ada@example.org")), ...(await byHand(first, "bob@example.org"))];
    const { url } = config.store as { readonly url: string };
    // The first has told what it has seen.
    await expect.poll(() => everyRow(url), { timeout: 60_000 }).toContain("observed_flows");
    expect(await offered(first)).toEqual([]);
    expect(await offered(second)).toEqual([]);
    values.push(...(await byHand(second, "eve@example.org")));
    const found = async () =>
      (JSON.parse(await two().pml("learn", "--json")) as { readonly candidates: readonly Found[] })
        .candidates;
    // On a slow machine the first two calls may be a candidate before the third is made.
    await expect.poll(async () => (await found())[0]?.tools, { timeout: 60_000 }).toHaveLength(3);
    const [{ name, times }] = (await found()) as [Found];
    expect(times).toBe(3);
    // The user finds it at both, and it works where it was not made.
    await expect.poll(() => offered(first), { timeout: 60_000, interval: 200 }).toEqual([name]);
    const args = { email: "zoe@example.org", text: "Sent", api_key: "k" };
    const ran = await first.call("pml_execute", { intent: "add a note", capability: name, args });
    expect(structured(ran)).toMatchObject({ status: "success" });
    const rows = (await everyRow(url)).split("\n");
    // The run by name was given other values.
    const learnt = rows.filter((row) => !row.startsWith("execution_trace "));
    expect(learnt.filter((row) => row.startsWith("observed_flows")).length).toBeGreaterThanOrEqual(3);
    expect(learnt.filter((row) => row.startsWith("observed_candidates"))).toHaveLength(1);
    for (const value of [...values, NOTE]) expect(learnt.filter((row) => row.includes(value))).toEqual([]);
  });
});
