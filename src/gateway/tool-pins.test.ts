import type { Tool } from "@modelcontextprotocol/server";
import { describe, expect, it, vi } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { EventStream } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import type { Fqdn } from "../registry/fqdn.js";
import { parseServerName, type ServerName, toolId } from "../registry/tool-id.js";
import type { Acceptance, Observed, ToolPin, ToolSighting, ToolStore } from "../registry/tool-store.js";
import { type ToolPinEvents, ToolPins, whatChanged } from "./tool-pins.js";

/** Pins in memory, as `test/suites/tool-store.suite.ts` asks for. */
class MemoryToolStore implements Pick<ToolStore, "observe" | "accept"> {
  readonly pins = new Map<string, ToolPin>();
  readonly observed: string[] = [];
  failures = 0;
  /** Nothing is answered before it is resolved. */
  opened: Promise<void> = Promise.resolve();
  #offered = new Map<ServerName, readonly ToolSighting[]>();

  async observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<Observed> {
    await this.opened;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.observed.push(`${server}(${sightings.map(({ name }) => name).join(" ")})`);
    const before = this.#offered.get(server) ?? [];
    this.#offered.set(server, sightings);
    const now = new Map(sightings.map(({ name, hash }) => [name, hash]));
    const other = before.filter(({ name, hash }) => now.get(name) !== hash);
    return {
      pins: sightings.map(({ name, hash, tool }) => this.#observe(server, name, hash, tool)),
      changed: other.flatMap(({ name }) => (now.has(name) ? [name] : [])),
      gone: other.flatMap(({ name }) => (now.has(name) ? [] : [name])),
      touched: other.map(({ name }) => `uses ${name}` as Fqdn),
    };
  }

  async list(): Promise<readonly ToolPin[]> {
    await this.opened;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    return [...this.pins.values()];
  }

  async accept({ server, tool, pinnedHash }: Acceptance): Promise<readonly Fqdn[] | undefined> {
    const pin = this.pins.get(`${server}:${tool.name}`);
    if (pin?.pinnedHash !== pinnedHash) return undefined;
    const { changedAt: _, ...kept } = pin;
    this.pins.set(`${server}:${tool.name}`, { ...kept, pinnedHash: tool.hash, pinnedTool: tool.tool });
    return [];
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
    place: 0,
    naming: "prefixed",
    available: isCurrent,
    current: isCurrent,
    tools: tools.split(",").flatMap((word) => {
      const [name = "", hash = ""] = word.split("=");
      if (name === "") return [];
      const tool: Tool = { name, description: `text ${hash}`, inputSchema: { type: "object" } };
      return [{ tool, raw: tool as unknown as Json, hash }];
    }),
    prompts: [],
    resources: [],
    templates: [],
  };
}

function watching(isNew = false) {
  const store = new MemoryToolStore();
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (event, fields) => void warnings.push(`${event} ${fields?.tool ?? fields?.message}`),
  };
  let offers: readonly ServerOffer[] = [];
  const events = new EventStream<ToolPinEvents>(silentLog);
  const pins = new ToolPins({ servers: { offers: () => offers }, store, events, log, isNew });
  const told: string[] = [];
  const news: string[] = [];
  events.on("tool.pinned", ({ id, pin }) => told.push(`${id}=${pin.currentHash}`));
  events.on("tool.changed", ({ id, why }) => news.push(`${id} ${why}`));
  events.on("tools.shown", () => news.push("shown"));
  events.on("trust.changed", (fqdns) => news.push(fqdns.join()));
  const offer = (text: string, isCurrent = true) => {
    const fresh = offerOf(text, isCurrent);
    offers = [...offers.filter(({ server }) => server !== fresh.server), fresh];
    return pins.observe(fresh.server);
  };
  const see = async (text: string, isCurrent = true) => {
    await offer(text, isCurrent);
    return pins.changed().join(" ");
  };
  /** What agents see of a tool of `fs`: its hash, with a `!` where it is quarantined. */
  const shown = (name: string) => {
    const offered = offers.flatMap(({ tools }) => tools).find(({ tool }) => tool.name === name);
    if (offered === undefined) return "nothing";
    const { offered: seen, quarantined } = pins.shown(fs(name), offered);
    return `${seen.hash}${quarantined === undefined ? "" : "!"}`;
  };
  /** What a call of a tool of `fs` comes to. */
  const call = async (name: string) => {
    try {
      await pins.admit(fs(name));
      return "sent";
    } catch (error) {
      return error instanceof PmlError ? error.code : String(error);
    }
  };
  return { store, warnings, pins, offer, see, told, news, shown, call };
}

const fs = (name: string) => toolId(parseServerName("fs"), name);

describe("[GW-5] ToolPins", () => {
  it("pins the whole object as the server sent it, when first seen", async () => {
    const { store, see } = watching();
    expect(await see("fs:read=1")).toBe("");
    expect(store.pins.get("fs:read")).toMatchObject({ pinnedHash: "1", pinnedTool: { name: "read" } });
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
    expect(warnings).toEqual(["tool.changed fs:list", "tool.changed fs:write"]);
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
    expect(await see("fs:write=1")).toBe("");
    expect(await see("fs:read=2,write=1")).toBe("fs:read");
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

describe("[GW-5] a tool that changed", () => {
  it("is shown as it is pinned, and is not called, until it is as pinned again", async () => {
    const { see, shown, call } = watching();
    await see("fs:read=1,write=1");
    await see("fs:read=2,write=1");
    expect([shown("read"), await call("read")]).toEqual(["1!", "TOOL_QUARANTINED"]);
    expect([shown("write"), await call("write")]).toEqual(["1", "sent"]);
    await see("fs:read=1,write=1");
    expect([shown("read"), await call("read")]).toEqual(["1", "sent"]);
  });

  it("is so from the moment that it is offered, before the store has said anything", async () => {
    const { store, see, offer, shown, call } = watching();
    await see("fs:read=1");
    store.opened = new Promise(() => {});
    void offer("fs:read=2");
    expect([shown("read"), await call("read")]).toEqual(["1!", "TOOL_QUARANTINED"]);
  });

  it("stays so while its server is away", async () => {
    const { see, shown, pins } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    expect(await see("fs:read=2", false)).toBe("fs:read");
    expect(shown("read")).toBe("1!");
    expect(() => pins.refuse(fs("read"))).toThrow(/fs:read is quarantined/);
  });

  it("says what has changed in words of ours, and how to accept it", async () => {
    const { see, pins } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    expect(pins.quarantined().map(whatChanged)).toEqual(["description"]);
    expect(() => pins.refuse(fs("read"))).toThrow(
      expect.objectContaining({
        message: "fs:read is quarantined: it has changed since it was first seen (description)",
        hint: expect.stringContaining("pml tools accept fs:read"),
      }),
    );
  });

  it("is free when a person has accepted what they have seen", async () => {
    const { see, shown, call, pins, news } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    news.length = 0;
    await pins.accept(fs("read"), "2", "ada@home");
    expect([shown("read"), await call("read")]).toEqual(["2", "sent"]);
    expect(news).toEqual(["fs:read accepted", "shown"]);
    expect(await see("fs:read=1")).toBe("fs:read");
  });

  it("is not accepted as something else than what was seen", async () => {
    const { store, see, call, pins } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    await see("fs:read=3");
    await expect(pins.accept(fs("read"), "2", "ada@home")).rejects.toThrow("has changed again");
    const pin = store.pins.get("fs:read") as ToolPin;
    store.pins.set("fs:read", { ...pin, pinnedHash: "9" });
    await expect(pins.accept(fs("read"), "3", "ada@home")).rejects.toThrow("has changed again");
    expect(await call("read")).toBe("TOOL_QUARANTINED");
    await expect(pins.accept(fs("write"), "1", "ada@home")).rejects.toThrow("nothing to accept");
  });

  it("tells who keeps something of it: changed, gone, and which capabilities use it", async () => {
    const { see, news } = watching();
    await see("fs:read=1,write=1");
    expect(news).toEqual([]);
    await see("fs:read=2,write=1");
    expect(news.splice(0)).toEqual(["fs:read schema", "uses read"]);
    await see("fs:write=1");
    expect(news).toEqual(["fs:read removed", "uses read"]);
  });

  it("is free on this gateway when it was accepted on another", async () => {
    const { store, see, pins, call, news } = watching();
    await see("fs:read=1");
    await see("fs:read=2");
    const { changedAt: _, ...pin } = store.pins.get("fs:read") as ToolPin;
    store.pins.set("fs:read", { ...pin, pinnedHash: "2" });
    news.length = 0;
    pins.observeAgain();
    await pins.compared();
    expect([await call("read"), news.join()]).toEqual(["sent", "shown"]);
  });
});

describe("[GW-5] a tool that was not compared yet", () => {
  const late = () => {
    const watched = watching();
    let open = () => {};
    watched.store.opened = new Promise((resolve) => {
      open = resolve;
    });
    return { ...watched, open: () => open() };
  };
  const pinnedAs = (hash: string, tools = "read") =>
    new Map(
      tools.split(" ").map((name): [string, ToolPin] => [
        `fs:${name}`,
        {
          server: parseServerName("fs"),
          name,
          pinnedHash: hash,
          pinnedTool: { name, inputSchema: { type: "object" } },
          currentHash: hash,
          currentTool: null,
          firstSeenAt: new Date(0),
          lastSeenAt: new Date(0),
        },
      ]),
    );

  it("is called when it has turned out to be as pinned, and not before", async () => {
    const { store, offer, call, open } = late();
    for (const [id, pin] of pinnedAs("1")) store.pins.set(id, pin);
    void offer("fs:read=1");
    let isSent = false;
    const sent = call("read").finally(() => {
      isSent = true;
    });
    await new Promise(setImmediate);
    expect(isSent).toBe(false);
    open();
    expect(await sent).toBe("sent");
  });

  it("is not called when it has turned out to be another", async () => {
    const { store, offer, call, open } = late();
    for (const [id, pin] of pinnedAs("1")) store.pins.set(id, pin);
    void offer("fs:read=2");
    const sent = call("read");
    open();
    expect(await sent).toBe("TOOL_QUARANTINED");
  });

  it("is shown as it was listed the last time", async () => {
    const { store, offer, shown, open, pins } = late();
    for (const [id, pin] of pinnedAs("1", "read write")) store.pins.set(id, pin);
    void offer("fs:read=1", false);
    void offer("fs:read=2,write=2");
    expect(shown("read")).toBe("1!");
    const showable = pins.showable();
    open();
    await showable;
    expect([shown("read"), shown("write")]).toEqual(["1!", "1!"]);
  });

  it("delays no list if it was listed the last time, or if nothing was ever pinned", async () => {
    const { offer, pins } = late();
    void offer("fs:read=1", false);
    void offer("fs:read=1");
    expect(pins.showable()).toBe(undefined);
    const fresh = watching(true);
    fresh.store.opened = new Promise(() => {});
    void fresh.offer("fs:read=1");
    expect([fresh.pins.showable(), await fresh.call("read")]).toEqual([undefined, "sent"]);
  });

  it("is called at once where it is what was listed the last time, and only then", async () => {
    const { store, offer, call, open } = late();
    for (const [id, pin] of pinnedAs("1", "read write")) store.pins.set(id, pin);
    void offer("fs:read=1,write=1", false);
    void offer("fs:read=1,write=2");
    expect(await call("read")).toBe("sent");
    const other = call("write");
    open();
    expect(await other).toBe("TOOL_QUARANTINED");
  });

  it("delays no list that has a new tool, once all pins are known", async () => {
    const { store, offer, pins, shown } = watching();
    for (const [id, pin] of pinnedAs("1", "hidden")) store.pins.set(id, pin);
    await offer("fs:read=1");
    store.opened = new Promise(() => {});
    void offer("fs:read=1,new=1,hidden=2");
    expect(pins.showable()).toBe(undefined);
    expect([shown("new"), shown("hidden")]).toEqual(["1", "1!"]);
  });

  it("is pinned as it was first seen, also where it changed before there was a store", async () => {
    const { store, offer, shown, call, see } = watching(true);
    let open = () => {};
    store.opened = new Promise((resolve) => {
      open = resolve;
    });
    void offer("fs:read=1");
    void offer("fs:read=2,write=1");
    expect(shown("read")).toBe("1!");
    open();
    expect(await see("fs:read=2,write=1")).toBe("fs:read");
    expect([shown("read"), await call("read"), await call("write")]).toEqual([
      "1!",
      "TOOL_QUARANTINED",
      "sent",
    ]);
  });

  it("is called where the store cannot be read, with a warning", async () => {
    const { store, offer, call, warnings } = watching();
    store.failures = 1;
    void offer("fs:read=1");
    expect(await call("read")).toBe("sent");
    expect(warnings).toEqual(["pins.not_kept the store is away", "pins.not_compared fs:read"]);
  });

  it("is compared once more after a pause, however often its server came while the store was away", async () => {
    vi.useFakeTimers();
    try {
      const { store, offer, warnings } = watching();
      store.failures = 100;
      for (let times = 0; times < 3; times += 1) await offer("fs:read=1");
      for (let pauses = 0; pauses < 2; pauses += 1) await vi.advanceTimersByTimeAsync(LIMITS.storeRetryMs);
      expect(warnings).toHaveLength(3 + 2);
      store.failures = 0;
      await vi.advanceTimersByTimeAsync(LIMITS.storeRetryMs);
      expect([...store.pins.keys()]).toEqual(["fs:read"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not called where its server does not offer it", async () => {
    const { see, call } = watching();
    await see("fs:read=1");
    await see("fs:");
    expect(await call("read")).toBe("TOOL_NOT_FOUND");
  });
});
