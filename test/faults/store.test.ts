/** A store that cannot be opened: calls are served all the same, and it is said what is wrong. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { doctor, fixture, newPlace, pml, serve } from "./support/pml.js";

const place = newPlace({ isProcess: true });
const mcpServers = { healthy: fixture("healthy") };

describe("a store that fails [ST-1]", () => {
  it("is reported, while calls go on, when PostgreSQL is not there", async () => {
    const args = [
      "--config",
      place.config({ mcpServers, store: { url: "postgres://u:s3cret@127.0.0.1:9/x" } }),
    ];
    const client = await serve(place, args);
    expect(await client.call("healthy:echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    const servers = (await client.tools()).filter(({ name }) => name.startsWith("mcp__"));
    expect(servers).toHaveLength(6);
    const { findings, code } = await doctor(place, args);
    expect(code).toBe(1);
    const store = findings.find(({ part }) => part === "store");
    expect(store).toMatchObject({ state: "problem", advice: expect.stringContaining("store.url") });
    expect(store?.detail).toContain("127.0.0.1:9");
    expect(JSON.stringify(findings)).not.toContain("s3cret");
    expect(await client.close()).toBe(0);
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0 });
  });

  it("is reported, while calls go on, when the embedded one is not what it should be", async () => {
    const config = place.config({ mcpServers }, "embedded.json");
    const dataDir = join(place.directory, "spoilt");
    const args = ["--config", config, "--data-dir", dataDir];
    expect(await pml(place, ["doctor", ...args])).toMatchObject({ code: 0 });
    rmSync(join(dataDir, "pgdata"), { recursive: true });
    mkdirSync(join(dataDir, "pgdata"));
    writeFileSync(join(dataDir, "pgdata", "PG_VERSION"), "9.4\n");
    const client = await serve(place, args);
    expect(await client.call("healthy:echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    const { findings } = await doctor(place, args);
    expect(findings.find(({ part }) => part === "store")).toMatchObject({ state: "problem" });
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0 });
  });
});
