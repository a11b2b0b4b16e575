import { describe, expect, it } from "vitest";
import type { Executor } from "../../execution/executor.js";
import type { ServerName } from "../../registry/tool-id.js";
import { pmlExecute } from "./execute.js";

const SERVERS = Array.from({ length: 60 }, (_, at) => `server-${at}`);

function toolFor(servers: readonly string[]) {
  const statuses = () => servers.map((name) => ({ name: name as ServerName, state: "ready" as const }));
  return pmlExecute.with({ executor: {} as Executor, servers: { statuses } }).tool;
}

describe("[WIRE-6] what an agent is told of pml_execute", () => {
  it("names what is behind the gateway", () =>
    expect(toolFor(["filesystem", "memory"]).description).toContain("Servers: filesystem, memory."));

  it("says so where nothing is", () =>
    expect(toolFor([]).description).toContain("No server is configured yet."));

  it("names as many as there are tokens for", () =>
    expect(toolFor(SERVERS).description).toMatch(/Servers: server-0, server-1, .* and \d+ more\./));

  it("[LP-4] says when to use it", () =>
    expect(toolFor([]).description).toContain("two or more calls, loops over results"));

  it("[FP-5] can be asked to run nothing", () =>
    expect(toolFor([]).inputSchema).toMatchObject({
      properties: { options: { description: expect.stringContaining("dry_run: true") } },
    }));

  it("has a schema that every provider takes: no references", () =>
    expect(JSON.stringify(toolFor([]).inputSchema)).not.toMatch(/"\$(?:ref|defs|schema)":/));
});
