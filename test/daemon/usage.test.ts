/** Every call is counted, and none is lost when the gateway is stopped, nor more than a second's when it is killed. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { dataDirOf, fixture, newPlace, pml, ROOT, serve } from "../faults/support/pml.js";

// The built one: it has a worker thread beside it.
const { openStore } = (await import(
  join(ROOT, "dist/postgres/open-store.js")
)) as typeof import("../../src/postgres/open-store.js");

const place = newPlace();
/** One that is killed in its start, one in its work. */
const ROUNDS = 2;

describe("usage [ST-2, ST-4]", () => {
  it("is complete after a clean stop, for all callers and endings", async () => {
    const config = place.config({
      mcpServers: { healthy: fixture("healthy"), hanging: { ...fixture("odd", "hangs"), timeoutMs: 150 } },
    });
    const args = ["--config", config];
    const clients = [await serve(place, args), await serve(place, [...args, "--scope", "acme/shop/ann"])];
    const [first, second] = clients;
    const calls = clients.flatMap((client) =>
      Array.from({ length: 150 }, (_, index) => client.call("healthy:echo", { text: String(index) })),
    );
    await Promise.all(calls);
    await first?.call("healthy:refuse");
    await second?.call("healthy:echo", { text: 5 });
    await second?.call("hanging:hang");
    await first?.call("healthy:no-such-tool");
    // These are still in memory when the gateway is told to stop.
    await Promise.all(Array.from({ length: 20 }, () => first?.call("mcp__healthy__echo", { text: "last" })));
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0 });

    const store = await openStore({ dataDir: dataDirOf(place, config), log: silentLog });
    try {
      const { rows } = await store.database.query(
        `select org, server_id, tool_name, coalesce(error_code, '') as error, success, count(*) as n
           from tool_usage group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4`,
      );
      expect(rows).toEqual([
        {
          org: "acme",
          server_id: "hanging",
          tool_name: "hang",
          error: "LIMIT_EXCEEDED",
          success: false,
          n: 1,
        },
        { org: "acme", server_id: "healthy", tool_name: "echo", error: "", success: true, n: 150 },
        {
          org: "acme",
          server_id: "healthy",
          tool_name: "echo",
          error: "ARGUMENTS_INVALID",
          success: false,
          n: 1,
        },
        { org: "local", server_id: "healthy", tool_name: "echo", error: "", success: true, n: 170 },
        { org: "local", server_id: "healthy", tool_name: "refuse", error: "isError", success: false, n: 1 },
      ]);
    } finally {
      await store.close();
    }
  });

  it("survives SIGKILL but for the last second, as do names and pins", async () => {
    const script = join(ROOT, "scripts/kill-gateway-rounds.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script, String(ROUNDS)]);
    const found = JSON.parse(stdout) as { callsThatMustBeKept: number };
    expect(found).toMatchObject({
      rounds: ROUNDS,
      lostRows: 0,
      extraRows: 0,
      renamed: 0,
      repinned: 0,
      unopenable: 0,
    });
    expect(found.callsThatMustBeKept).toBeGreaterThan(0);
  }, 240_000);
});
