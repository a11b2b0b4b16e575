/** Tools that come and go while clients are connected. */
import { describe, expect, it } from "vitest";
import { IS_FULL } from "../support/sizes.js";
import { CLIENTS, type ClientKind, type TestClient } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const ERAS = [
  { id: "old", server: "a server of 2025" },
  { id: "new", server: "a server of 2026-07-28" },
];

const mcpServers = {
  old: fixture("growing"),
  new: { ...fixture("growing"), protocol: "2026" },
};

/** Every pair in the full size; otherwise each client with one era, and each era with one client. */
const USUAL: Readonly<Record<ClientKind, string>> = { v1: "old", "v2-2025": "new", "v2-2026": "new" };

/** More than twice the time within which the gateway makes several changes one. */
const SILENCE_MS = 500;

/** Resolves when nothing was told for a while: of what must not come, nothing says that it did not. */
async function silence({ news }: TestClient): Promise<void> {
  for (;;) {
    const { toolChanges: told } = news;
    const wasTold = await news
      .until(({ toolChanges }) => toolChanges > told, SILENCE_MS)
      .then(
        () => true,
        () => false,
      );
    if (!wasTold) return;
  }
}

const names = async (client: TestClient) => (await client.tools()).map(({ name }) => name);

describe.each(transports("http"))("[WIRE-6] over $over", ({ transport }) => {
  const gateway = useGateway(transport, { mcpServers });

  describe.each(CLIENTS)("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it.each(ERAS.filter(({ id }) => IS_FULL || id === USUAL[kind]))(
      "is told once of a burst of changes of $server, and its next list shows them",
      async ({ id }) => {
        await client().watchLists();
        await client().tools();
        const tool = (n: number) => `${kind}_${n}`;
        const wire = (n: number) => `mcp__${id}__${tool(n)}`;
        // The gateway's own start may be news as well; after this only the test makes any.
        await client().call(`${id}:grow`, { names: [tool(0)] });
        await silence(client());
        expect(await names(client())).toContain(wire(0));
        const before = client().news.toolChanges;

        await client().call(`${id}:grow`, { names: [tool(1), tool(2), tool(3)] });
        await client().news.until(({ toolChanges }) => toolChanges > before);
        expect(await names(client())).toEqual(expect.arrayContaining([wire(1), wire(2), wire(3)]));
        expect((await client().call(wire(3))).content).toMatchObject([{ text: `${tool(3)} was here` }]);

        // No list is announced that has not changed, nor one change twice.
        await client().call(`${id}:cry_wolf`);
        await silence(client());
        expect(client().news.toolChanges).toBe(before + 1);

        await client().call(`${id}:shrink`, { names: [tool(0), tool(1), tool(2), tool(3)] });
        await client().news.until(({ toolChanges }) => toolChanges > before + 1);
        expect(await names(client())).not.toContain(wire(1));
        expect(client().news.toolChanges).toBe(before + 2);
      },
    );
  });

  it("tells every connected client, of either era", async () => {
    const clients = await Promise.all(CLIENTS.map(({ kind }) => gateway().connect(kind)));
    for (const client of clients) {
      await client.watchLists();
      await client.tools();
    }
    const before = clients.map(({ news }) => news.toolChanges);
    await clients[0]?.call("old:grow", { names: ["for_all"] });
    for (const [index, client] of clients.entries()) {
      await client.news.until(({ toolChanges }) => toolChanges > (before[index] ?? 0));
      expect(await names(client)).toContain("mcp__old__for_all");
    }
  });
});

describe("[LP-1] a list that comes to cost more than its budget", () => {
  const gateway = useGateway("http", { mcpServers, listing: { tokens: 3_000 } });

  it("stays as it is while a client without a session listens, and is lean for who comes later", async () => {
    const client = await gateway().connect("v2-2026");
    await client.watchLists();
    expect(await names(client)).toContain("cap_lookup");
    const grown = Array.from({ length: 80 }, (_, at) => `records_of_department_${at}`);
    await client.call("old:grow", { names: grown });
    await expect.poll(() => names(client)).toContain(`mcp__old__${grown[0]}`);
    await silence(client);
    expect(await names(client)).toContain("cap_lookup");
    await client.close();
    const later = await gateway().connect("v2-2026");
    await expect.poll(() => names(later)).toEqual(["pml_discover", "pml_execute"]);
    await later.close();
  });
});
