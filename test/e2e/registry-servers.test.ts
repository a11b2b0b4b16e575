/** Servers as records: configured ones with what they say of themselves, and those that every installation knows. */
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ask, errorOf, lookUp } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

type Named = readonly { readonly name: string }[];

describe("[ID-14] servers", () => {
  const gateway = useGateway("http", {
    mcpServers: { versioned: fixture("versioned", "1.2.0", "Has a version"), filesystem: fixture("work") },
  });
  let client: TestClient;

  beforeAll(async () => {
    client = await gateway().connect("v2-2025");
    await saysVersion("1.2.0");
  });

  /** What a server says of itself is written once it is connected. */
  const saysVersion = (version: string) =>
    vi.waitFor(async () => expect(await lookUp(client, "mcp:versioned")).toMatchObject({ version }), {
      timeout: 15_000,
    });

  async function startedAs(version: string): Promise<void> {
    await gateway().restart(async () => {
      const config = readFileSync(gateway().config, "utf8");
      writeFileSync(gateway().config, config.replace(/"1\.\d\.0"|"2\.0\.0"/, `"${version}"`));
    });
    client = await gateway().connect("v2-2025");
    await saysVersion(version);
  }

  it("are looked up by name, with or without a version", async () => {
    const answer = {
      type: "mcp-server",
      display_name: "mcp:versioned",
      version: "1.2.0",
      description: "Has a version",
      visibility: "project",
      routing: "local",
    };
    const forms = ["", "@latest", "@v1.2.0", "@v1.2", "@v1"].map((spec) => `mcp:versioned${spec}`);
    for (const name of [...forms, "cap:mcp:versioned", "local.default:mcp:versioned"])
      expect(await lookUp(client, name), name).toMatchObject(answer);
    expect(errorOf(await client.call("cap_lookup", { name: "mcp:versioned@v9" }))).toMatchObject({
      code: "VERSION_NOT_FOUND",
      message: expect.stringContaining("mcp:versioned"),
    });
    expect(errorOf(await client.call("cap_lookup", { name: "mcp:nothing" }))?.code).toBe(
      "CAPABILITY_NOT_FOUND",
    );
  });

  it("are known where every installation knows them, and replaced where they are configured", async () => {
    for (const name of ["mcp:shell", "mcp:sqlite", "mcp:shell@v1"])
      expect(await lookUp(client, name), name).toMatchObject({
        type: "mcp-server",
        visibility: "public",
        routing: "local",
        code_url: expect.stringMatching(/^(https|npm|pypi):/),
      });
    const configured = { visibility: "project", version: "1.0.0" };
    await expect.poll(() => lookUp(client, "mcp:filesystem"), { timeout: 15_000 }).toMatchObject(configured);
    expect(await ask(client, "cap_whois", { name: "mcp:filesystem" })).toMatchObject({ configured: true });
  });

  it("[FP-9] have a list of their own, without those that are replaced", async () => {
    const { capabilities, total } = await ask(client, "cap_list", { type: "mcp-server" });
    expect((capabilities as Named).map(({ name }) => name)).toEqual([
      "mcp:filesystem",
      "mcp:shell",
      "mcp:sqlite",
      "mcp:versioned",
    ]);
    expect(total).toBe(4);
    expect(await ask(client, "cap_list", { type: "mcp-server", pattern: "mcp:s*" })).toMatchObject({
      total: 2,
    });
    expect(await ask(client, "cap_list")).toMatchObject({ total: 0 });
  });

  it("are not for changing or running", async () => {
    for (const [tool, args] of [
      ["cap_rename", { name: "mcp:versioned", new_name: "my:server" }],
      ["cap_delete", { name: "mcp:versioned" }],
      ["cap_fork", { source: "mcp:versioned", name: "my:server" }],
      ["cap_merge", { sources: ["mcp:versioned", "mcp:shell"], name: "my:server" }],
      ["pml_execute", { intent: "x", capability: "mcp:versioned" }],
    ] as const) {
      const error = errorOf(await client.call(tool, args));
      expect(`${tool}: ${error?.code}`).toMatch(/: (NOT_ALLOWED|CAPABILITY_NOT_FOUND)$/);
    }
  });

  it("[ID-11] keep the versions that they had", async () => {
    await startedAs("2.0.0");
    expect(await lookUp(client, "mcp:versioned@v1")).toMatchObject({ version: "1.2.0" });
    expect(await lookUp(client, "mcp:versioned@v2")).toMatchObject({ version: "2.0.0" });
    expect(await ask(client, "cap_history", { name: "mcp:versioned" })).toMatchObject({
      versions: [{ version_tag: "2.0.0" }, { version_tag: "1.2.0" }],
    });
    await startedAs("1.2.0");
    expect(await lookUp(client, "mcp:versioned@v2.0.0")).toMatchObject({ version: "2.0.0" });
    await startedAs("1.2.0");
    const { versions } = await ask(client, "cap_history", { name: "mcp:versioned" });
    expect((versions as readonly unknown[]).length).toBe(3);
  });
});
