/** Who is told, and how often, that the list of tools has other capabilities. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, execute, rename, succeeds, wireNames } from "../support/agent.js";
import { CLIENTS, type TestClient } from "../support/test-client.js";
import { transports, useClient, useGateway } from "../support/test-gateway.js";

/** Changes within this time are announced as one. */
const BURST_MS = 200;
const MANY = Array.from({ length: 10 }, (_, index) => index);

describe.each(transports("background"))("[WIRE-6] clients of each kind over $over", ({ transport }) => {
  const gateway = useGateway(transport, { mcpServers: {} });
  const agent = useClient(gateway, "v2-2025");
  let clients: readonly TestClient[];

  beforeAll(async () => {
    clients = await Promise.all(CLIENTS.map(({ kind }) => gateway().connect(kind)));
    await Promise.all(clients.map((client) => client.watchLists()));
    await Promise.all(clients.map((client) => client.tools()));
  });

  const atRest = () => Promise.all(clients.map(({ news }) => news.toolChangesAtRest()));
  const lists = () => Promise.all(clients.map(wireNames));
  const learn = (name: string, code = `return "${name}";`) => succeeds(agent(), { code, name });

  /** How often each was told of what `change` does. */
  async function told(change: () => Promise<unknown>): Promise<readonly number[]> {
    const before = await atRest();
    await change();
    return (await atRest()).map((after, index) => after - (before[index] ?? 0));
  }

  it("are told once of a name, a new name and a new version, and their next list shows it", async () => {
    const naming = await told(async () => {
      await learn("list:one");
      // Whether or not they were told by now.
      for (const names of await lists()) expect(names).toContain("mcp__list__one");
    });
    expect(naming).toEqual([1, 1, 1]);

    expect(await told(() => rename(agent(), "list:one", "list:two"))).toEqual([1, 1, 1]);
    for (const names of await lists()) {
      expect(names).toContain("mcp__list__two");
      expect(names).not.toContain("mcp__list__one");
    }

    const code = "return args.x ?? 'newer';";
    const update = () => succeeds(agent(), { code, name: "list:two", options: { update: true } });
    expect(await told(update)).toEqual([1, 1, 1]);
    for (const tools of await Promise.all(clients.map((client) => client.tools())))
      expect(tools.find(({ name }) => name === "mcp__list__two")?.inputSchema.properties).toHaveProperty("x");
  });

  it.each(CLIENTS)("are told before the answer of what they name themselves: $client", async ({ kind }) => {
    const client = clients.find((one) => one.kind === kind) as TestClient;
    const before = await atRest();
    const name = `list:own_${kind.replaceAll("-", "_")}`;
    const answer = await succeeds(client, { code: `return "own ${kind}";`, name });
    expect(answer).toMatchObject({ callAgain: { capability: name } });
    const index = clients.indexOf(client);
    // A listening stream over HTTP is another connection than the answer's: it may be read a little later.
    if (transport === "http" && kind === "v2-2026")
      await client.news.until(({ toolChanges }) => toolChanges > (before[index] ?? 0), BURST_MS / 2);
    expect(client.news.toolChanges).toBe((before[index] ?? 0) + 1);
    expect((await atRest()).map((after, at) => after - (before[at] ?? 0))).toEqual([1, 1, 1]);
    const again = await execute(client, { capability: name });
    expect(again).toMatchObject({ result: `own ${kind}` });
    expect(again).not.toHaveProperty("callAgain");
  });

  it("are told once of many names that come at the same time", async () => {
    let bursts = 0;
    const times = await told(async () => {
      const startedAt = performance.now();
      await Promise.all(MANY.map((index) => learn(`list:burst_${index}`)));
      // A busy machine may take several times as long, and then tells as often.
      bursts = 1 + Math.ceil((performance.now() - startedAt) / BURST_MS);
    });
    for (const time of times) {
      expect(time).toBeGreaterThan(0);
      expect(time).toBeLessThanOrEqual(bursts);
    }
    for (const names of await lists())
      expect(names).toEqual(expect.arrayContaining(MANY.map((index) => `mcp__list__burst_${index}`)));
  });

  it("are not told of what changes no list: no name, more usage, tags, the same name again", async () => {
    const name = "list:quiet";
    const code = "return 'quiet';";
    await learn(name, code);
    const times = await told(async () => {
      await succeeds(agent(), { code: "return 'no name';" });
      await succeeds(agent(), { capability: name });
      await learn(name, code);
      await ask(agent(), "cap_rename", { name, tags: ["quiet"] });
    });
    expect(times).toEqual([0, 0, 0]);
  });
});
