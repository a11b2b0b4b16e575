import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../base/log.js";
import type { RealServers, ServerOffer } from "../mcp/real-servers.js";
import { parseServerName, type ServerName } from "../registry/tool-id.js";
import type { ToolPin, ToolSighting, ToolStore } from "../registry/tool-store.js";
import { ToolPins } from "./tool-pins.js";

/** Pins in memory, as `test/suites/tool-store.suite.ts` asks for. */
class MemoryToolStore implements Pick<ToolStore, "observe" | "list"> {
  readonly pins = new Map<string, ToolPin>();
  readonly observed: string[] = [];
  failures = 0;

  async observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<readonly ToolPin[]> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.observed.push(`${server}(${sightings.map(({ name }) => name).join(" ")})`);
    return sightings.map(({ name, hash, tool }) => this.#observe(server, name, hash, tool));
  }

  async list(): Promise<readonly ToolPin[]> {
    return [...this.pins.values()];
  }

  #observe(server: ServerName, name: string, hash: string, tool: ToolSighting["tool"]): ToolPin {
    const seen = new Date(0);
    const first = this.pins.get(`${server}:${name}`) ?? {
      server,
      name,
      pinnedHash: hash,
      pinnedTool: tool,
      firstSeenAt: seen,
    };
    const { changedAt: _before, ...pinned } = first as ToolPin;
    const pin: ToolPin = {
      ...pinned,
      currentHash: hash,
      currentTool: tool,
      lastSeenAt: seen,
      ...(hash === first.pinnedHash ? {} : { changedAt: seen }),
    };
    this.pins.set(`${server}:${name}`, pin);
    return pin;
  }
}

/** `fs:read=1,write=2`: server, tools, and a hash for each. */
function offerOf(text: string, isCurrent = true): ServerOffer {
  const [server = "", tools = ""] = text.split(":");
  return {
    server: parseServerName(server),
    naming: "prefixed",
    available: isCurrent,
    current: isCurrent,
    tools: tools.split(",").map((word) => {
      const [name = "", hash = ""] = word.split("=");
      return { tool: { name, inputSchema: { type: "object" } }, raw: `raw ${name}`, hash };
    }),
    prompts: [],
    resources: [],
    templates: [],
  };
}

function watching() {
  const store = new MemoryToolStore();
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (event, fields) => void warnings.push(`${event} ${fields?.tool ?? fields?.message}`),
  };
  let offers: readonly ServerOffer[] = [];
  const servers = { offers: () => offers } as unknown as RealServers;
  const told: string[] = [];
  const pins = new ToolPins(
    servers,
    store,
    log,
    (id, { currentHash }) => void told.push(`${id}=${currentHash}`),
  );
  const see = async (text: string, isCurrent = true) => {
    const offer = offerOf(text, isCurrent);
    offers = [...offers.filter(({ server }) => server !== offer.server), offer];
    await pins.observe(offer.server);
    return pins.changed().join(" ");
  };
  return { store, warnings, pins, see, told };
}

describe("[GW-5] ToolPins", () => {
  it("pins the whole object as the server sent it, when first seen", async () => {
    const { store, see } = watching();
    expect(await see("fs:read=1")).toBe("");
    expect(store.pins.get("fs:read")).toMatchObject({ pinnedHash: "1", pinnedTool: "raw read" });
  });

  it("has nothing to say while a tool stays as it is", async () => {
    const { warnings, see } = watching();
    await see("fs:read=1");
    expect(await see("fs:read=1")).toBe("");
    expect(warnings).toEqual([]);
  });

  it("notices each tool that changed, and warns of it once", async () => {
    const { warnings, see } = watching();
    await see("fs:read=1,write=1,list=1");
    expect(await see("fs:read=1,write=2,list=2")).toBe("fs:list fs:write");
    expect(await see("fs:read=1,write=2,list=2")).toBe("fs:list fs:write");
    expect(warnings).toEqual(["tool.changed fs:write", "tool.changed fs:list"]);
  });

  it("warns again where a changed tool changes again", async () => {
    const { warnings, see } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    await see("fs:read=3");
    expect(warnings).toEqual(["tool.changed fs:read", "tool.changed fs:read"]);
  });

  it("forgets a change that was taken back", async () => {
    const { see } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    expect(await see("fs:read=1")).toBe("");
  });

  it("does not forget a change where the tool is hidden for a while", async () => {
    const { see } = watching();
    await see("fs:read=1,write=1");
    await see("fs:read=2,write=1");
    expect(await see("fs:write=1")).toBe("fs:read");
  });

  it("[AN-5] tells what the store has of every tool that is offered, as it is now", async () => {
    const { see, told } = watching();
    await see("fs:read=1,write=1");
    await see("fs:read=2");
    expect(told).toEqual(["fs:read=1", "fs:write=1", "fs:read=2"]);
  });

  it("keeps servers apart", async () => {
    const { see } = watching();
    await see("a:read=1");
    expect(await see("b:read=2")).toBe("");
  });

  it("pins nothing that is only remembered of a server", async () => {
    const { store, see } = watching();
    await see("fs:read=1", false);
    expect(store.observed).toEqual([]);
  });

  it("passes over a server that is not there", async () => {
    const { store, pins } = watching();
    await pins.observe(parseServerName("nobody"));
    expect(store.observed).toEqual([]);
  });

  it("goes on after a store that failed", async () => {
    const { store, warnings, see } = watching();
    store.failures = 1;
    await see("fs:read=1");
    expect(warnings).toEqual(["pins.not_kept the store is away"]);
    await see("fs:read=1");
    expect(store.observed).toEqual(["fs(read)"]);
  });

  it("observes one server after the other, in the order asked", async () => {
    const { store, pins, see } = watching();
    await see("a:x=1");
    await see("b:y=1");
    store.observed.length = 0;
    const [a, b] = [parseServerName("a"), parseServerName("b")];
    await Promise.all([pins.observe(b), pins.observe(a), pins.observe(b)]);
    expect(store.observed).toEqual(["b(y)", "a(x)", "b(y)"]);
  });
});
