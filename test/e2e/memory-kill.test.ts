/** A gateway that is killed as soon as it has answered: what the answer named is there when it comes back. */
import { describe, expect, it } from "vitest";
import { readOwner } from "../../src/daemon/owner-file.js";
import { isAlive, until } from "../faults/support/pml.js";
import { ask, execute, lookUp, rename, succeeds, wireNames } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, type TestGateway, useGateway } from "../support/test-gateway.js";

async function killed(gateway: TestGateway): Promise<TestClient> {
  const pid = readOwner(gateway.dataDir)?.pid;
  if (pid === undefined) throw new Error("Nobody owns the data directory");
  process.kill(pid, "SIGKILL");
  await until("the gateway has ended", () => !isAlive(pid));
  await gateway.restart();
  return gateway.connect("v2-2025");
}

describe("[EX-4, ST-2] a gateway that is killed right after an answer", () => {
  const gateway = useGateway("http", { mcpServers: { work: fixture("work") } }, { isProcess: true });

  it("keeps names, versions, new names and what has none", async () => {
    let client = await gateway().connect("v2-2025");
    const code = "return (await mcp.work.readFile({ path: args.path })).content;";
    const args = { path: "a.json" };
    const first = await succeeds(client, { code, args, name: "kept:one" });
    client = await killed(gateway());
    expect(await wireNames(client)).toContain("mcp__kept__one");
    expect(await lookUp(client, "kept:one")).toMatchObject({ fqdn: first.capabilityFqdn, usage_count: 1 });
    expect(await ask(client, "mcp__kept__one", args)).toEqual({ result: first.result });

    await succeeds(client, { code: "return 'two';", name: "kept:two" });
    const update = { code: "return 'two, again';", name: "kept:two", options: { update: true } };
    const [unnamed] = await Promise.all([
      succeeds(client, { code: "return 'no name';" }),
      succeeds(client, update),
      rename(client, "kept:one", "kept:renamed"),
    ]);
    client = await killed(gateway());
    expect(await wireNames(client)).toEqual(expect.arrayContaining(["mcp__kept__renamed", "mcp__kept__two"]));
    expect((await execute(client, { capability: "kept:one", args })).result).toEqual(first.result);
    expect((await execute(client, { capability: unnamed.capabilityName })).result).toBe("no name");
    expect((await execute(client, { capability: "kept:two" })).result).toBe("two, again");
    expect((await execute(client, { capability: "kept:two@v1" })).result).toBe("two");
  });
});
