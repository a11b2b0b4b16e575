import type { Tool } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import type { RealServersEvents, ServerOffer } from "../mcp/real-servers.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { parseServerName } from "../registry/tool-id.js";
import { Gateway, type GatewayOptions } from "./gateway.js";
import type { View } from "./session.js";
import { ToolInventory } from "./tool-inventory.js";
import { ToolListing } from "./tool-listing.js";

const MANY: ServerOffer = {
  server: parseServerName("fs"),
  place: 0,
  naming: "prefixed",
  available: true,
  current: true,
  tools: Array.from({ length: 300 }, (_, at): ServerOffer["tools"][number] => {
    const tool: Tool = { name: `read_the_records_of_department_${at}`, inputSchema: { type: "object" } };
    return { tool, raw: null, hash: tool.name };
  }),
  prompts: [],
  resources: [],
  templates: [],
};

const VIEW: View = { exposure: "auto", scope: { org: "local", project: "default", user: "me" } };

function gatewayOf(offers: () => readonly ServerOffer[]) {
  const listeners: RealServersEvents[] = [];
  const servers = {
    offers,
    statuses: () => [],
    settled: async () => {},
    listen: (listener: RealServersEvents) => {
      listeners.push(listener);
      return () => {};
    },
  };
  const gateway = new Gateway({
    gate: {},
    own: [],
    invoker: { servers, usage: { flush: async () => {} } },
    registry: { directory: new CapabilityDirectory(), toolNames: { serve() {}, check() {} } },
    inventory: new ToolInventory({ servers }),
    listing: new ToolListing({
      store: { load: async () => new Map(), save: async () => {} },
      budget: { tokens: 1_000, leanTokens: 1_000 },
      tokens: { of: async (listed) => listed.map(() => 0) },
      now: () => 0,
      log: silentLog,
    }),
    wireNames: { load: async () => [], claim: async () => [] },
    nameHistory: Promise.resolve([]),
    log: silentLog,
    firstListWaitMs: 1_000,
  } as unknown as GatewayOptions);
  const changed = () => {
    for (const listener of listeners) listener.offerChanged(MANY.server, ["tools"]);
  };
  return { gateway, changed };
}

describe("[LP-1] Gateway", () => {
  it("decides nothing about lists while servers start because the configuration has changed", async () => {
    let now: readonly ServerOffer[] = [MANY];
    const { gateway, changed } = gatewayOf(() => now);
    const length = async () => (await gateway.tools.list(VIEW)).length;
    await gateway.firstServers("tools");
    gateway.connections.add({ id: "c", view: VIEW, listChanged() {}, resourceUpdated() {}, logged() {} });
    gateway.connections.noteSent("c", "tools", await gateway.tools.list(VIEW));
    expect(await length()).toBe(0);
    let ready = () => {};
    const started = new Promise<void>((resolve) => {
      ready = resolve;
    });
    now = [];
    changed();
    gateway.rulesChanged(started);
    expect(await length()).toBe(0);
    now = [MANY];
    changed();
    ready();
    await new Promise(setImmediate);
    expect(await length()).toBe(0);
    await gateway.stop();
  });
});
