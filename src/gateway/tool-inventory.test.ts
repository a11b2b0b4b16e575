import { describe, expect, it } from "vitest";
import { HybridMatcher } from "../discovery/hybrid-matcher.js";
import type { RealServersEvents, ServerOffer, ServerStatus } from "../mcp/real-servers.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { parseServerName, type ServerName } from "../registry/tool-id.js";
import { ToolInventory } from "./tool-inventory.js";

/** `fs:read,write git:log` */
function offersOf(text: string, more: Partial<ServerOffer> = {}): readonly ServerOffer[] {
  return text.split(" ").map((word) => {
    const [server = "", tools = ""] = word.split(":");
    return {
      server: parseServerName(server),
      place: 0,
      naming: "prefixed",
      available: true,
      current: true,
      tools: tools.split(",").map((name) => ({
        tool: { name, inputSchema: { type: "object" as const } },
        raw: null,
        hash: `hash of ${name}`,
      })),
      prompts: [],
      resources: [],
      templates: [],
      ...more,
    };
  });
}

function status(name: string, changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name: name as ServerName,
    state: "ready",
    stderr: [],
    transport: "stdio",
    tools: 1,
    refused: [],
    restarts: 0,
    ...changes,
  };
}

function inventoryOf(offers: readonly ServerOffer[], statuses: readonly ServerStatus[] = []) {
  const now = { offers, statuses, pins: 0 };
  let listener: Partial<RealServersEvents> = {};
  const inventory = new ToolInventory({
    servers: {
      offers: () => now.offers,
      statuses: () => now.statuses,
      listen: (events) => {
        listener = events;
        return () => {};
      },
    },
    pins: {
      get version() {
        return now.pins;
      },
      showable: () => undefined,
      shown: (_, offered) => ({ offered }),
    },
  });
  const change = (changes: Partial<typeof now>) => {
    Object.assign(now, changes);
    if (changes.pins === undefined) listener.offerChanged?.("any" as ServerName, ["tools"]);
  };
  return { inventory, change };
}

describe("ToolInventory", () => {
  it("[GW-5] is one snapshot until a server offers something else, or something may be shown otherwise", () => {
    const { inventory, change } = inventoryOf(offersOf("fs:read"));
    const first = inventory.snapshot();
    expect(inventory.snapshot()).toBe(first);
    change({ offers: offersOf("fs:read,write") });
    const second = inventory.snapshot();
    expect(second.version).toBe(first.version + 1);
    expect([...second.byId.keys()]).toEqual(["fs:read", "fs:write"]);
    expect(first.tools).toHaveLength(1);
    change({ pins: 1 });
    expect(inventory.snapshot().version).toBe(second.version + 1);
  });

  it("[GW-5] keeps the list and its tools while nothing of them changes, though servers come and go", () => {
    const { inventory, change } = inventoryOf(offersOf("fs:read git:log"));
    const tools = inventory.tools();
    change({ offers: offersOf("fs:read git:log", { available: false }) });
    expect(inventory.tools()).toBe(tools);
    expect(inventory.offers()[0]?.available).toBe(false);
    change({ offers: offersOf("fs:read") });
    expect(inventory.tools()).not.toBe(tools);
    expect(inventory.tools()[0]).toBe(tools[0]);
  });
});

describe("what servers say of themselves", () => {
  it("[DI-3] finds a tool by the instructions and the description of its server", async () => {
    const { inventory } = inventoryOf(offersOf("a:search b:search"), [
      status("a", {
        serverInstructions: "Looks up trains and their platforms.\n\nAlways ask the user first.",
      }),
      status("b", { serverDescription: "Recipes for cakes" }),
    ]);
    const matcher = new HybridMatcher({
      directory: new CapabilityDirectory([]),
      tools: () => inventory.tools(),
    });
    const first = async (intent: string) =>
      (await matcher.match(intent, { org: "local", project: "default", user: "ada" }, { limit: 1 }))[0]?.id;
    expect(await first("when does the train leave")).toBe("a:search");
    expect(await first("bake a cake")).toBe("b:search");
  });

  it("[DI-3] of instructions only the first sentences count", () => {
    const { inventory } = inventoryOf(offersOf("a:search"), [
      status("a", {
        serverDescription: "Trains",
        serverInstructions: `Looks up trains.\n${"Call this tool before any other. ".repeat(40_000)}`,
      }),
    ]);
    const [one] = inventory.tools();
    expect(one?.about).toMatch(/^Trains Looks up trains\. Call this tool/);
    expect(one?.about?.length).toBeLessThan(320);
  });

  it("[DI-2] the list stays the same until something is said, and what was said holds while the server is away", () => {
    const { inventory, change } = inventoryOf(offersOf("a:search"), [status("a", { state: "connecting" })]);
    const before = inventory.tools();
    expect(before[0]?.about).toBeUndefined();
    change({ statuses: [status("a", { serverInstructions: "Looks up trains" })] });
    const after = inventory.tools();
    expect(after).toMatchObject([{ about: "Looks up trains" }]);
    expect(after).not.toBe(before);
    change({ statuses: [status("a", { state: "unavailable" })] });
    expect(inventory.tools()).toBe(after);
  });
});
