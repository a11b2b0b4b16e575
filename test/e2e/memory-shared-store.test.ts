/** Two gateways on one PostgreSQL: what one learns the other finds, though it has never loaded it. */

import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, counted, errorOf, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import type { TestClient } from "../support/test-client.js";
import { useGateway } from "../support/test-gateway.js";

const config = await sharedStoreConfig();

describe("[ST-4] two gateways on one PostgreSQL", () => {
  const one = useGateway("http", config);
  const two = useGateway("http", config);
  let first: TestClient;
  let second: TestClient;

  beforeAll(async () => {
    first = await one().connect("v2-2025");
    second = await two().connect("v2-2025");
    // Both have loaded what there is: nothing.
    for (const client of [first, second]) expect(await ask(client, "cap_list")).toMatchObject({ total: 0 });
  });

  it("find by name what the other has learnt, and run it", async () => {
    const { capabilityFqdn = "" } = await succeeds(second, {
      code: "return { of: 'two', x: args.x ?? 1 };",
      name: "far:by_name",
    });
    expect((await execute(first, { capability: "far:byName" })).result).toEqual({ of: "two", x: 1 });
    expect(await lookUp(first, "far:by_name")).toMatchObject({ fqdn: capabilityFqdn });
    expect((await ask(first, "cap_list")).total).toBe(1);
  });

  it("find it as a tool, by FQDN, by scope, and in code", async () => {
    const learn = (name: string) => succeeds(second, { code: `return { is: "${name}" };`, name });
    await learn("far:tool");
    expect(await ask(first, "far:tool")).toEqual({ is: "far:tool" });
    const { capabilityFqdn } = await learn("far:fqdn");
    expect((await execute(first, { capability: capabilityFqdn })).result).toEqual({ is: "far:fqdn" });
    await learn("far:scoped");
    expect((await execute(first, { capability: "local.default:far:scoped@v1" })).result).toEqual({
      is: "far:scoped",
    });
    await learn("far:code");
    const code = "return [await mcp.far.code({})];";
    expect((await succeeds(first, { code, name: "near:caller" })).result).toEqual([{ is: "far:code" }]);
    expect((await execute(second, { capability: "near:caller" })).result).toEqual([{ is: "far:code" }]);
  });

  it("find what calls a capability that they do not know either", async () => {
    await succeeds(second, { code: "return 'callee';", name: "far:callee" });
    await succeeds(second, { code: "return [await mcp.far.callee({})];", name: "far:middle" });
    await succeeds(second, { code: "return [await mcp.far.middle({})];", name: "far:outer" });
    expect((await execute(first, { capability: "far:outer" })).result).toEqual([["callee"]]);
  });

  it("find what the other has renamed, by its new name and its old one", async () => {
    await succeeds(second, { code: "return 'renamed';", name: "far:old" });
    await rename(second, "far:old", "far:new");
    // Until the news has come, it is what it was called.
    await until(
      "the first has heard of it",
      async () => (await execute(first, { capability: "far:old" })).warnings !== undefined,
    );
    expect((await execute(first, { capability: "far:old" })).warnings).toEqual([
      'Deprecated: Using alias "far:old" for capability "far:new". Update your code.',
    ]);
    expect((await execute(first, { capability: "far:new" })).result).toBe("renamed");
    await rename(first, "far:new", "far:newest");
    expect((await execute(second, { capability: "far:newest" })).result).toBe("renamed");
  });

  it("[ID-3] refuse a name that the other has given, before anything runs", async () => {
    await succeeds(second, { code: "return 'holder';", name: "far:held" });
    const code = "await mcp.work.count({ id: 'held' });\nreturn 'mine';";
    expect((await fails(first, { code, name: "far:Held" })).code).toBe("NAME_TAKEN");
    expect(await counted(first, "held")).toBe(0);
    await succeeds(first, { code: "return 'another';", name: "near:free" });
    const refused = await first.call("cap_rename", { name: "near:free", new_name: "far:held" });
    expect(errorOf(refused)?.code).toBe("NAME_TAKEN");
  });

  it("[ID-8] know the same code for the same capability", async () => {
    const code = "return 'sent to both';";
    const [a, b] = await Promise.all([first, second].map((client) => succeeds(client, { code })));
    expect(a?.capabilityId).toBe(b?.capabilityId);
  });
});
