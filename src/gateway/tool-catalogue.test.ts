import type { Tool } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { silentLog } from "../base/log.js";
import type { RealServersEvents, ServerOffer } from "../mcp/real-servers.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { parseServerName } from "../registry/tool-id.js";
import { foldWireName, parseWireName } from "../registry/wire-name.js";
import type { WireNameEntry } from "../registry/wire-table.js";
import type { Operation } from "./operation.js";
import type { View } from "./session.js";
import { ToolCatalogue } from "./tool-catalogue.js";
import { type InventoryOptions, ToolInventory } from "./tool-inventory.js";
import { ToolListing } from "./tool-listing.js";

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...more };
}

function offer(server: string, tools: readonly Tool[], more: Partial<ServerOffer> = {}): ServerOffer {
  return {
    server: parseServerName(server),
    place: 0,
    naming: "prefixed",
    available: true,
    current: true,
    tools: tools.map((listed) => ({ tool: listed, raw: null, hash: `hash of ${listed.name}` })),
    prompts: [],
    resources: [],
    templates: [],
    ...more,
  };
}

/** `fs:read,write git:log`, a `?` for a server that is away and a `*` for one of bare names. */
function offers(text: string): ServerOffer[] {
  return text.split(" ").map((word) => {
    const [server = "", tools = ""] = word.split(":");
    return offer(
      server.replace(/[?*]/g, ""),
      tools.split(",").map((name) => tool(name)),
      { available: !server.includes("?"), naming: server.includes("*") ? "bare" : "prefixed" },
    );
  });
}

type Pins = NonNullable<InventoryOptions["pins"]>;

const SCOPE = { org: "local", project: "default", user: "me" };

function viewOf(exposure: View["exposure"]): View {
  return { exposure, scope: SCOPE };
}

function ownTool(id: string, name: string, who: "agent" | "reader" = "agent"): Operation {
  const answer = async () => ({ kind: "result" as const, result: {} });
  const _meta = { "anthropic/alwaysLoad": name === "pml_discover" };
  return { id, who, tool: { ...tool(name), _meta }, reachOf: () => undefined, answer };
}

class FakeServers {
  #now: readonly ServerOffer[];
  #listener: Partial<RealServersEvents> = {};

  constructor(now: readonly ServerOffer[]) {
    this.#now = now;
  }

  set now(offers: readonly ServerOffer[]) {
    this.#now = offers;
    this.#listener.offerChanged?.(parseServerName("any"), ["tools"]);
  }

  offers(): readonly ServerOffer[] {
    return this.#now;
  }

  statuses() {
    return [];
  }

  listen(events: RealServersEvents) {
    this.#listener = events;
    return () => {};
  }
}

function catalogue(
  given: string | readonly ServerOffer[],
  {
    own = [] as readonly Operation[],
    capabilities = new CapabilityDirectory(),
    history = [] as readonly WireNameEntry[],
    cost = 0,
    pins = { version: 0, showable: () => undefined, shown: (_, offered) => ({ offered }) } as Pins,
  } = {},
) {
  const servers = new FakeServers(typeof given === "string" ? offers(given) : given);
  const named: WireNameEntry[][] = [];
  const listing = new ToolListing({
    store: { load: async () => new Map(), save: async () => {} },
    budget: { tokens: 1_000, leanTokens: 1_000 },
    tokens: { of: async (listed) => listed.map(() => cost) },
    now: () => 0,
    log: silentLog,
  });
  const tools = new ToolCatalogue({
    listing,
    isStarting: () => false,
    isInUse: () => false,
    inventory: new ToolInventory({ servers, pins }),
    own,
    capabilities,
    onCapabilities() {},
    history: Promise.resolve(history),
    onNamed: (added) => named.push([...added]),
  });
  return { tools, servers, named };
}

async function names(tools: ToolCatalogue, exposure: "all" | "lean" = "all"): Promise<string> {
  return (await tools.list(viewOf(exposure))).map(({ name }) => name.replace(/_[0-9a-f]{6}$/, "#")).join(" ");
}

/** Offers in, names out; `#` stands for a suffix. */
async function check(given: string, expected: string): Promise<void> {
  expect(await names(catalogue(given).tools)).toBe(expected);
}

describe("ToolCatalogue, the list", () => {
  it("[WIRE-2] lists server:tool as mcp__server__tool", () =>
    check("fs:read git:log", "mcp__fs__read mcp__git__log"));
  it("[WIRE-5] lists in the order of ids, whatever the servers' own", () =>
    check("git:status,log fs:write,read", "mcp__fs__read mcp__fs__write mcp__git__log mcp__git__status"));
  it("[WIRE-1, WIRE-2] tells apart what clients would fold together", () =>
    check("my-fs:read my_fs:read", "mcp__my-fs__read mcp__my_fs__read#"));
  it("[WIRE-2] lists the tools of a server by their own names where it says so", () =>
    check("fs*:read git:log", "mcp__git__log read"));
  it("[WIRE-1, WIRE-2] gives a bare name once", () => check("a*:read b*:read", "read read#"));
  it("[WIRE-3] lets no server shadow PML's own tools", () =>
    check("fs*:pml_execute,cap_lookup,CAP-x,pmlx", "pmlx x_CAP-x# x_cap_lookup# x_pml_execute#"));
  it("[WIRE-3] lets no server shadow another's prefix", () =>
    check(
      "a*:mcp__b__read,MCP--b--list b:read,list",
      "mcp__a__MCP--b--list mcp__a__mcp__b__read mcp__b__list mcp__b__read",
    ));

  it("[WIRE-1] says the id in _meta and a readable name in title", async () => {
    const given = [
      offer("fs", [
        tool("a", { title: "The A", _meta: { mine: 1 } }),
        tool("b", { annotations: { title: "The B" } }),
        tool("c"),
      ]),
    ];
    const listed = await catalogue(given).tools.list(viewOf("all"));
    expect(listed.map(({ title, _meta }) => ({ title, _meta }))).toEqual([
      { title: "fs: The A", _meta: { mine: 1, "pml/id": "fs:a" } },
      { title: "fs: The B", _meta: { "pml/id": "fs:b" } },
      { title: "fs: c", _meta: { "pml/id": "fs:c" } },
    ]);
  });

  it("[WIRE-1] lets no server say another id", async () => {
    const given = [offer("fs", [tool("a", { _meta: { "pml/id": "git:push" } })])];
    expect((await catalogue(given).tools.list(viewOf("all")))[0]?._meta).toEqual({ "pml/id": "fs:a" });
  });

  it("has no server in the title of a bare tool", async () => {
    expect((await catalogue("fs*:read").tools.list(viewOf("all")))[0]?.title).toBe("read");
  });

  it("[GW-5] has no invisible characters in a title that is made of a name", async () => {
    const given = [offer("fs", [tool("re\u200bad")])];
    const [listed] = await catalogue(given).tools.list(viewOf("all"));
    expect(listed?.title).toBe("fs: read");
    expect(listed?._meta).toEqual({ "pml/id": "fs:re\u200bad" });
  });

  it("keeps all else of a tool as its server said it", async () => {
    const said = tool("a", {
      description: "does",
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object" },
    });
    expect((await catalogue([offer("fs", [said])]).tools.list(viewOf("all")))[0]).toMatchObject({
      ...said,
      name: "mcp__fs__a",
    });
  });

  it("[GW-2] marks the tools of a server that is away, and keeps them listed", async () => {
    const given = [offer("fs", [tool("a", { description: "does" }), tool("b")], { available: false })];
    const listed = await catalogue(given).tools.list(viewOf("all"));
    expect(listed.map(({ description, _meta }) => [description, _meta])).toEqual([
      [
        '(Unavailable now: server "fs" is not connected.) does',
        { "pml/id": "fs:a", "pml/unavailable": true },
      ],
      ['(Unavailable now: server "fs" is not connected.) ', { "pml/id": "fs:b", "pml/unavailable": true }],
    ]);
  });

  it("[WIRE-5] lists PML's own tools first, and the entry points alone where the exposure is lean", async () => {
    const own = [ownTool("pml:discover", "pml_discover"), ownTool("cap:lookup", "cap_lookup")];
    const { tools } = catalogue("fs:read", { own });
    expect(await names(tools)).toBe("pml_discover cap_lookup mcp__fs__read");
    expect(await names(tools, "lean")).toBe("pml_discover");
  });

  it("is the same object until its content changes", async () => {
    const { tools, servers } = catalogue("fs:read");
    const first = await tools.list(viewOf("all"));
    servers.now = offers("fs:read");
    expect(await tools.list(viewOf("all"))).toBe(first);
    servers.now = offers("fs:read,write");
    expect(await tools.list(viewOf("all"))).not.toBe(first);
  });

  it("[WIRE-6] shows a change in the very next listing", async () => {
    const { tools, servers } = catalogue("fs:read");
    await tools.list(viewOf("all"));
    servers.now = offers("fs:read git:log");
    expect(await names(tools)).toBe("mcp__fs__read mcp__git__log");
  });

  it("[WIRE-6] shows a change that came while the list was built", async () => {
    const { tools, servers } = catalogue("fs:read");
    const listing = names(tools);
    servers.now = offers("fs:read git:log");
    expect(await listing).toBe("mcp__fs__read mcp__git__log");
  });

  it("[WIRE-2] gives a name again that was given before a restart", async () => {
    const history = [{ id: "b:read", name: parseWireName("read") }];
    const { tools } = catalogue("a*:read b*:read", { history });
    expect((await tools.resolve("b:read", SCOPE))?.listed.name).toBe("read");
    expect((await tools.resolve("a:read", SCOPE))?.listed.name).toMatch(/^read_[0-9a-f]{6}$/);
  });

  it("[WIRE-2] tells of the names of its history, which the store may not have, and adopts them once", async () => {
    const history = [{ id: "gone:read", name: parseWireName("mcp__gone__read") }];
    const { tools, named } = catalogue("fs:read", { history });
    await tools.list(viewOf("all"));
    tools.invalidate();
    await tools.list(viewOf("all"));
    expect(named.map((entries) => entries.map(({ id }) => id).join(" "))).toEqual(["gone:read", "fs:read"]);
  });

  it("[WIRE-2] tells of each new name once", async () => {
    const { tools, servers, named } = catalogue("fs:read");
    await tools.list(viewOf("all"));
    tools.invalidate();
    await tools.list(viewOf("all"));
    servers.now = offers("fs:read git:log");
    await tools.list(viewOf("all"));
    expect(named).toEqual([
      [{ id: "fs:read", name: "mcp__fs__read" }],
      [{ id: "git:log", name: "mcp__git__log" }],
    ]);
  });

  it("[WIRE-1, WIRE-5] has unique names of the grammar and a stable order, whatever servers offer", async () => {
    const server = fc.constantFrom("fs", "FS", "my-fs", "my_fs", "my.fs", "a");
    const given = fc.uniqueArray(
      fc.record({
        server,
        naming: fc.constantFrom("prefixed" as const, "bare" as const),
        tools: fc.uniqueArray(
          fc.oneof(
            fc.constantFrom("read", "Read", "re-ad", "re_ad", "pml_x", "読む"),
            fc.string({ minLength: 1 }),
          ),
          { maxLength: 6 },
        ),
      }),
      { selector: (one) => one.server },
    );
    await fc.assert(
      fc.asyncProperty(given, async (all) => {
        const now = all.map((one) =>
          offer(
            one.server,
            one.tools.map((name) => tool(name)),
            { naming: one.naming },
          ),
        );
        const listed = await catalogue(now).tools.list(viewOf("all"));
        for (const { name } of listed) expect(name).toMatch(NAME);
        expect(new Set(listed.map(({ name }) => foldWireName(name))).size).toBe(
          all.reduce((sum, { tools }) => sum + tools.length, 0),
        );
        const again = await catalogue(now.toReversed()).tools.list(viewOf("all"));
        expect(again).toEqual(listed);
      }),
    );
  });
});

describe("[LP-1] ToolCatalogue, the choice of a list", () => {
  it("does not depend on whether servers are there, nor on what is said of tools meanwhile", async () => {
    const own = [ownTool("pml:discover", "pml_discover")];
    const many = Array.from({ length: 45 }, (_, at) => `read_records_${at}`).join(",");
    const { tools, servers } = catalogue(`fs:${many}`, { own });
    expect(await tools.list(viewOf("auto"))).toHaveLength(46);
    servers.now = offers(`fs?:${many}`);
    const [, away, ...others] = await tools.list(viewOf("auto"));
    expect(others).toHaveLength(44);
    expect(away?.description).toContain("Unavailable now");
  });
});

describe("[LP-4] ToolCatalogue, whether a list is lean", () => {
  it("is known of a client that got its list from a gateway before this one", async () => {
    const own = [ownTool("pml:discover", "pml_discover")];
    const many = Array.from({ length: 300 }, (_, at) => `read_the_records_of_department_${at}`).join(",");
    expect(await catalogue(`fs:${many}`, { own }).tools.isLean(viewOf("auto"))).toBe(true);
    expect(await catalogue("fs:read", { own }).tools.isLean(viewOf("auto"))).toBe(false);
    expect(await catalogue("fs:read", { own }).tools.isLean(viewOf("lean"))).toBe(true);
  });
});

describe("[WIRE-6] ToolCatalogue, lists of the same content", () => {
  it("are one and the same in a lean list, though a capability changes that is not in it", async () => {
    const all = Array.from({ length: 200 }, (_, at) =>
      sampleCapability(`num:c${at}`, { usageCount: 200 - at, trust: "verified" }),
    );
    const capabilities = new CapabilityDirectory(all);
    const { tools } = catalogue("fs:read", { capabilities, cost: 100 });
    const before = await tools.list(viewOf("lean"));
    expect(before).toHaveLength(10);
    capabilities.put({ ...(all[150] as Capability), description: "Counts otherwise" });
    expect(await tools.list(viewOf("lean"))).toBe(before);
    capabilities.put({ ...(all[1] as Capability), description: "Counts otherwise" });
    expect(await tools.list(viewOf("lean"))).not.toBe(before);
  });

  it("are one and the same, also for those who ask at once", async () => {
    const own = [ownTool("pml:discover", "pml_discover")];
    for (const exposure of ["all", "lean", "auto"] as const) {
      const { tools, servers } = catalogue("fs:read", { own });
      const [one, other] = await Promise.all([tools.list(viewOf(exposure)), tools.list(viewOf(exposure))]);
      expect(other).toBe(one);
      servers.now = offers("fs:read git:log");
      const [after, again] = await Promise.all([tools.list(viewOf(exposure)), tools.list(viewOf(exposure))]);
      expect(again).toBe(after);
      expect(await tools.list(viewOf(exposure))).toBe(after);
    }
  });
});

describe("[WIRE-6] ToolCatalogue, lists of many users", () => {
  it("stay the same while their content does", async () => {
    const { tools } = catalogue("fs:read");
    const views = Array.from({ length: 500 }, (_, at) => ({
      ...viewOf("all"),
      scope: { ...SCOPE, user: `user-${at}` },
    }));
    const before = [];
    for (const view of views) before.push(await tools.list(view));
    for (const [at, view] of views.entries()) expect(await tools.list(view)).toBe(before[at]);
  });
});

describe("ToolCatalogue, the list of a reader", () => {
  const own = [
    ownTool("pml:discover", "pml_discover", "reader"),
    ownTool("cap:list", "cap_list", "reader"),
    ownTool("cap:save", "cap_save"),
  ];
  const reader = { ...viewOf("auto"), role: "reader" as const };

  it("[LP-1] is all while what a reader is shown is within the budget", async () => {
    const many = Array.from({ length: 300 }, (_, at) => `read_the_records_of_department_${at}`).join(",");
    const { tools } = catalogue(`fs:${many}`, { own });
    expect((await tools.list(viewOf("auto"))).map(({ name }) => name)).toEqual(["pml_discover"]);
    expect((await tools.list(reader)).map(({ name }) => name)).toEqual(["pml_discover", "cap_list"]);
  });

  it("[WIRE-6] stays the same where tools of servers change", async () => {
    const { tools, servers } = catalogue("fs:read", { own });
    const before = await tools.list(reader);
    servers.now = offers("fs:read git:log");
    expect(await tools.list(reader)).toBe(before);
  });
});

describe("[WIRE-3] ToolCatalogue, the way back", () => {
  const own = [ownTool("cap:lookup", "cap_lookup")];

  /** The id of what a call with this name would reach. */
  async function check(name: string, expected: string | undefined): Promise<void> {
    const { tools } = catalogue("fs:read_file,a:b my-fs:Read", { own });
    expect((await tools.resolve(name, SCOPE))?.id).toBe(expected);
  }

  it.each([
    ["mcp__fs__read_file", "fs:read_file"],
    ["MCP__FS__READ_FILE", "fs:read_file"],
    ["mcp--fs--read-file", "fs:read_file"],
    ["mcp__my_fs__read", "my-fs:Read"],
    ["fs:read_file", "fs:read_file"],
    ["my-fs:Read", "my-fs:Read"],
    ["cap_lookup", "cap:lookup"],
    ["cap-lookup", "cap:lookup"],
    ["cap:lookup", "cap:lookup"],
    ["my-fs:read", undefined],
    ["fs", undefined],
    ["read_file", undefined],
    ["", undefined],
  ])("takes %j for %s", check);

  it("finds a tool by its id where the name holds a colon", async () => {
    const { tools } = catalogue([offer("fs", [tool("a:b")])]);
    expect((await tools.resolve("fs:a:b", SCOPE))?.id).toBe("fs:a:b");
  });

  it("knows server, own name and hash of what it finds", async () => {
    const { tools } = catalogue("fs:read");
    expect(await tools.resolve("mcp__fs__read", SCOPE)).toMatchObject({
      kind: "real",
      server: "fs",
      tool: { name: "read" },
      hash: "hash of read",
    });
  });

  it("[GW-5] lists a quarantined tool as it is pinned, and says so; then as it is", async () => {
    const pinned = { tool: tool("read", { description: "Reads" }), raw: null, hash: "old" };
    let isFree = false;
    const pins: Pins = {
      get version() {
        return isFree ? 1 : 0;
      },
      showable: () => undefined,
      shown: (id, offered) => {
        if (isFree || id !== "fs:read") return { offered };
        const quarantined = {
          id,
          server: parseServerName("fs"),
          pinned,
          current: offered,
          since: new Date(0),
        };
        return { offered: pinned, quarantined };
      },
    };
    const changed = [offer("fs", [tool("read", { description: "Reads and sends" }), tool("write")])];
    const { tools } = catalogue(changed, { pins });
    const mark =
      "(Quarantined: changed since it was first seen; a person must accept it with pml tools accept";
    expect(await tools.list(viewOf("all"))).toMatchObject([
      { description: `${mark} fs:read.) Reads`, _meta: { "pml/id": "fs:read", "pml/quarantined": true } },
      { name: "mcp__fs__write", _meta: { "pml/id": "fs:write" } },
    ]);
    expect(await tools.resolve("mcp__fs__read", SCOPE)).toMatchObject({ hash: "old" });
    isFree = true;
    const [read] = await tools.list(viewOf("all"));
    expect(read).toMatchObject({ description: "Reads and sends", _meta: { "pml/id": "fs:read" } });
    expect(read?._meta).not.toHaveProperty("pml/quarantined");
  });

  it("[GW-5] is not made before it is known what may be shown", async () => {
    let isKnown = () => {};
    const known = new Promise<void>((resolve) => {
      isKnown = resolve;
    });
    const pins: Pins = { version: 0, showable: () => known, shown: (_, offered) => ({ offered }) };
    const { tools } = catalogue("fs:read", { pins });
    let isListed = false;
    const listed = tools.list(viewOf("all")).finally(() => {
      isListed = true;
    });
    await new Promise(setImmediate);
    expect(isListed).toBe(false);
    isKnown();
    expect(await listed).toHaveLength(1);
  });

  it("finds nothing that has gone", async () => {
    const { tools, servers } = catalogue("fs:read");
    await tools.list(viewOf("all"));
    servers.now = [];
    expect(await tools.resolve("mcp__fs__read", SCOPE)).toBeUndefined();
  });

  it("[WIRE-5] calls in lean exposure whatever is not listed", async () => {
    const { tools } = catalogue("fs:read", { own });
    expect(await names(tools, "lean")).toBe("");
    expect((await tools.resolve("mcp__fs__read", SCOPE))?.id).toBe("fs:read");
  });

  it("has hints in the form that was asked in", async () => {
    const { tools } = catalogue("fs:read_file git:log");
    expect(await tools.nearest("fs:read_fil", viewOf("all"))).toEqual(["fs:read_file"]);
    expect(await tools.nearest("mcp__fs__read_fil", viewOf("all"))).toEqual(["mcp__fs__read_file"]);
  });
});
