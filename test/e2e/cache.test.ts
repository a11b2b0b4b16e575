/** The cache: which results are reused, for which users, and until when. */
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { type Answer, ask, errorOf, execute, rename, succeeds } from "../support/agent.js";
import { runInside } from "../support/inside-command.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, type TestGateway, useClient, useGateway } from "../support/test-gateway.js";

type Cached = Answer & { readonly cacheHit?: string };
type Input = Readonly<Record<string, unknown>>;

const mcpServers = { look: fixture("lookups") };
const approvals = { unannotated: "auto", scripted: true };

/** `count hit`, such as `1 execution`, or `2` of a run. */
async function answer(client: TestClient, input: Input): Promise<string> {
  const { result, cacheHit } = (await succeeds(client, input)) as Cached;
  const { count = result } = result as { count?: unknown };
  return cacheHit === undefined ? String(count) : `${count} ${cacheHit}`;
}

/** Code that calls a tool, and differs from all that has another mark. */
const lookup = (tool = "lookup", mark = "") =>
  `const mark = ${JSON.stringify(mark)};\nreturn await mcp.look.${tool}({ id: args.id });`;

/** Learns `name`, so that the next run of it may be answered. */
async function learn(client: TestClient, name: string, tool: string, id: string): Promise<void> {
  await learnCode(client, name, lookup(tool, name), id);
}

async function learnCode(client: TestClient, name: string, code: string, id: string): Promise<void> {
  await succeeds(client, { code, name, args: { id } });
}

interface Logged {
  readonly trigger: string;
  readonly entries: number;
  readonly capability?: string;
  readonly tool?: string;
  readonly by?: string;
}

async function log(gateway: TestGateway): Promise<readonly Logged[]> {
  return JSON.parse(await gateway.pml("cache", "log", "--json")).invalidations;
}

describe("[EX-14] results that are used again", () => {
  const gateway = useGateway("background", {
    mcpServers,
    approvals,
    // What these do to tools is to be seen by itself, and not that they are calls which may change something.
    cache: { readOnlyTools: ["look:break", "look:reword", "look:take_away"] },
  });
  const client = useClient(gateway, "v2-2025");

  it("are those of the same code and arguments, and the answer says so", async () => {
    const code = lookup();
    expect(await answer(client(), { code, args: { id: "a" }, name: "look:up" })).toBe("1");
    expect(await answer(client(), { code, args: { id: "a" } })).toBe("1 execution");
    expect(await answer(client(), { code: `${code} // the same`, args: { id: "a" } })).toBe("1 execution");
    expect(await answer(client(), { capability: "look:up", args: { id: "a" } })).toBe("1 execution");
    expect(await answer(client(), { code, args: { id: "b" } })).toBe("1");
    expect(await answer(client(), { code, args: { id: "a" }, options: { no_cache: true } })).toBe("2");
    expect(await answer(client(), { code, args: { id: "a" } })).toBe("2 execution");
    expect(await answer(client(), { code: `const { id } = args;\n${code}`, args: { id: "a" } })).toBe("3");
  });

  it("are fresh after five seconds where a tool does not declare itself stable", async () => {
    await learn(client(), "watch:it", "watch", "w");
    const call = { capability: "watch:it", args: { id: "w" } };
    expect(await answer(client(), call)).toBe("1 execution");
    await until("what changed by itself is seen", async () => (await answer(client(), call)) === "2");
    await ask(client(), "cap_rename", { name: "watch:it", ttl: 600 });
    const calls = [await answer(client(), call), await answer(client(), call)];
    expect(calls).toEqual(["3", "3 execution"]);
  });

  it("[FP-7] are told of in _meta of a capability that is called as a tool", async () => {
    await learn(client(), "meta:up", "lookup", "meta-1");
    const called = await client().call("meta:up", { id: "meta-2" });
    expect(called._meta?.["pml/run"]).not.toHaveProperty("cacheHit");
    const again = await client().call("meta:up", { id: "meta-2" });
    expect(again._meta?.["pml/run"]).toMatchObject({ cacheHit: "execution", version: 1 });
    expect(again.structuredContent).toEqual(called.structuredContent);
  });

  it("count as uses that say nothing about trust", async () => {
    await learn(client(), "count:up", "lookup", "uses");
    for (let i = 0; i < 3; i += 1)
      expect(await answer(client(), { capability: "count:up", args: { id: "uses" } })).toBe("1 execution");
    await until(
      "the uses are counted",
      async () => (await ask(client(), "cap_whois", { name: "count:up" })).usage_count === 4,
    );
    expect(await ask(client(), "cap_whois", { name: "count:up" })).toMatchObject({
      trust: { state: "provisional" },
    });
  });

  it("[FP-14] are not those of code that reads the time or draws randomness", async () => {
    for (const [code, name] of [
      ["return new Date(Date.now()).getFullYear() > 0;", "time:year"],
      ["return Math.random() < 2;", "random:less"],
      ["return crypto.randomUUID().length;", "random:uuid"],
      ["await mcp.look.lookup({ id: 'time' }); return Date.now() > 0;", "time:lookup"],
    ])
      for (let i = 0; i < 2; i += 1)
        expect(await answer(client(), { code, ...(i === 0 ? { name } : {}) })).not.toMatch(/ /);
    const code = "return args.n + 1;";
    expect(await answer(client(), { code, args: { n: 1 }, name: "pure:next" })).toBe("2");
    expect(await answer(client(), { code, args: { n: 1 } })).toBe("2 execution");
  });

  it("are not those of code that may change something, called by whatever name, or has not tried", async () => {
    const computed = "const tool = 'wri' + 'te';\nreturn await mcp.look[tool]({ id: args.id });";
    const untried = "if (args.id === 'never') await mcp.look.write(args);\nreturn 'read';";
    await learn(client(), "w:plain", "write", "w1");
    await learnCode(client(), "w:computed", computed, "w2");
    await learnCode(client(), "w:untried", untried, "w3");
    expect(await answer(client(), { capability: "w:plain", args: { id: "w1" } })).toBe("2");
    expect(await answer(client(), { capability: "w:computed", args: { id: "w2" } })).toBe("2");
    expect(await answer(client(), { capability: "w:untried", args: { id: "w3" } })).toBe("read");
    const reads = "const tool = 'look' + 'up';\nreturn await mcp.look[tool]({ id: args.id });";
    await learnCode(client(), "r:computed", reads, "r1");
    expect(await answer(client(), { capability: "r:computed", args: { id: "r1" } })).toBe("1 execution");
  });

  it("are not those of failures, nor of runs in which a call failed", async () => {
    const code = "try { await mcp.look.fragile({ id: 'x' }); return 'well'; } catch { return 'ill'; }";
    await client().call("look:break", {});
    expect(await answer(client(), { code, name: "fail:caught" })).toBe("ill");
    await client().call("look:break", {});
    expect(await answer(client(), { code })).toBe("well");
    expect(await answer(client(), { code })).toBe("well execution");
  });

  it("give code the name that it is sent with, all the same", async () => {
    const code = "const which = args.id;\nreturn await mcp.look.lookup({ id: which });";
    expect(await answer(client(), { code, args: { id: "n" } })).toBe("1");
    expect(await answer(client(), { code, args: { id: "n" }, name: "late:name" })).toBe("2");
    expect(await answer(client(), { capability: "late:name", args: { id: "n" } })).toBe("2 execution");
  });

  it("are for one user of one project", async () => {
    await learn(client(), "mine:up", "lookup", "mine");
    for (const scope of ["local/default/somebody", "local/elsewhere", "other/default"]) {
      const other = await gateway().connect("v2-2025", { scope });
      const { cacheHit } = (await succeeds(other, {
        code: lookup("lookup", "mine:up"),
        args: { id: "mine" },
      })) as Cached;
      expect(cacheHit, scope).toBeUndefined();
      await other.close();
    }
    expect(await answer(client(), { capability: "mine:up", args: { id: "mine" } })).toBe("1 execution");
  });

  it("follow what the code calls: a callee's next version makes another result", async () => {
    await succeeds(client(), { code: "return { count: 'one' };", name: "callee:it" });
    await succeeds(client(), { code: "return await mcp.callee.it({});", name: "caller:it" });
    expect(await answer(client(), { capability: "caller:it" })).toBe("one execution");
    await succeeds(client(), {
      code: "return { count: 'two' };",
      name: "callee:it",
      options: { update: true },
    });
    expect(await answer(client(), { capability: "caller:it" })).toBe("two");
    expect(await answer(client(), { capability: "caller:it" })).toBe("two execution");
  });

  it("go by the capability's policy, which a person may give what changes things, and an agent not", async () => {
    const policy = async (name: string, cache_policy: string) =>
      ask(client(), "cap_rename", { name, cache_policy });
    await learn(client(), "policy:read", "lookup", "p1");
    const read = { capability: "policy:read", args: { id: "p1" } };
    await policy("policy:read", "none");
    expect([await answer(client(), read), await answer(client(), read)]).toEqual(["2", "3"]);
    await policy("policy:read", "memoize");
    expect([await answer(client(), read), await answer(client(), read)]).toEqual(["4", "4 execution"]);

    await learn(client(), "policy:write", "write", "p2");
    const write = { capability: "policy:write", args: { id: "p2" } };
    await policy("policy:write", "persistent");
    expect([await answer(client(), write), await answer(client(), write)]).toEqual(["2", "3"]);
    await gateway().pml("cap", "rename", "policy:write", "--cache-policy", "persistent");
    expect([await answer(client(), write), await answer(client(), write)]).toEqual(["4", "4 execution"]);
    // The agent's next version is not what the person has spoken of.
    const code = lookup("write", "the next version");
    await succeeds(client(), { code, name: "policy:write", args: { id: "p2" }, options: { update: true } });
    expect([await answer(client(), write), await answer(client(), write)]).toEqual(["6", "7"]);
  });

  it("are dropped when a person says so, and the log says who", async () => {
    await learn(client(), "clear:one", "lookup", "c1");
    await learn(client(), "clear:two", "fragile", "c2");
    const one = { capability: "clear:one", args: { id: "c1" } };
    const two = { capability: "clear:two", args: { id: "c2" } };
    expect([await answer(client(), one), await answer(client(), two)]).toEqual([
      "1 execution",
      "1 execution",
    ]);
    expect(await gateway().pml("cache", "clear", "clear:one")).toMatch(
      /^Dropped [1-9]\d* results? of clear:one\n$/,
    );
    expect([await answer(client(), one), await answer(client(), two)]).toEqual(["2", "1 execution"]);
    await gateway().pml("cache", "clear", "--tool", "look:fragile");
    expect([await answer(client(), one), await answer(client(), two)]).toEqual(["2 execution", "2"]);
    await gateway().pml("cache", "clear", "--all");
    expect([await answer(client(), one), await answer(client(), two)]).toEqual(["3", "3"]);
    // What a test before has written may be noted late.
    const [all, tool, capability] = (await log(gateway())).filter(({ trigger }) => trigger === "manual");
    expect(all).toMatchObject({ trigger: "manual", by: expect.stringMatching(/@local$/) });
    expect(all?.entries).toBeGreaterThan(0);
    expect(tool).toMatchObject({ trigger: "manual", tool: "look:fragile" });
    expect(capability).toMatchObject({ trigger: "manual", capability: "clear:one" });
    expect(await gateway().pml("cache", "log")).toMatch(/everything +cleared by a person +\S+@local\n/);
    expect(await gateway().pml("cache")).toMatch(/execution +[1-9]/);
    await expect(gateway().pml("cache", "clear", "no:such")).rejects.toMatchObject({
      stderr: expect.stringContaining("CAPABILITY_NOT_FOUND"),
    });
  });

  it("cannot be dropped by an agent", async () => {
    for (const tool of ["pml_cache", "pml:cache"])
      await expect(client().call(tool, { action: "clear", all: true })).rejects.toMatchObject({
        code: -32602,
      });
  });

  it("are dropped after three failures of the capability in a row", async () => {
    await learn(client(), "three:times", "fragile", "good");
    const good = { capability: "three:times", args: { id: "good" } };
    await client().call("look:break", {});
    for (const id of ["x", "y"]) await execute(client(), { capability: "three:times", args: { id } });
    expect(await answer(client(), good)).toMatch(/execution$/);
    await execute(client(), { capability: "three:times", args: { id: "z" } });
    await client().call("look:break", {});
    expect(await answer(client(), good)).not.toMatch(/execution|capability/);
    expect(await log(gateway())).toContainEqual(
      expect.objectContaining({ trigger: "repeated_failures", capability: "three:times" }),
    );
  });

  it("[GW-5] are dropped when a tool has changed or is gone, and the log says which", async () => {
    await learn(client(), "tool:changing", "changing", "t1");
    await learn(client(), "tool:removable", "removable", "t2");
    const changing = { capability: "tool:changing", args: { id: "t1" } };
    const removable = { capability: "tool:removable", args: { id: "t2" } };
    expect([await answer(client(), changing), await answer(client(), removable)]).toEqual([
      "1 execution",
      "1 execution",
    ]);
    await client().call("look:reword", {});
    await client().call("look:take_away", {});
    const isLogged = async (trigger: string, tool: string) =>
      (await log(gateway())).some((row) => row.trigger === trigger && row.tool === tool && row.entries > 0);
    await until("the change is logged", () => isLogged("tool_schema_change", "look:changing"));
    await until("the removal is logged", () => isLogged("tool_removed", "look:removable"));
    for (const call of [changing, removable]) {
      const { cacheHit, error } = (await execute(client(), call)) as Cached;
      expect([cacheHit, error?.code]).not.toEqual([undefined, undefined]);
      expect(cacheHit).toBeUndefined();
    }
  });

  it("are told of by pml exec, which can do without", async () => {
    await learn(client(), "cli:up", "lookup", "cli");
    const exec = (...more: readonly string[]) => {
      const { config, dataDir, env } = gateway();
      const where = ["--config", config, "--data-dir", dataDir];
      const args = ["exec", "--capability", "cli:up", "--arg", "id=cli", ...more, ...where];
      return runInside(args, { env: env as Record<string, string>, cwd: process.cwd() });
    };
    await exec();
    const { stdout, stderr } = await exec();
    expect(JSON.parse(stdout)).toMatchObject({ id: "cli" });
    expect(stderr).toContain("From the cache: the result of an earlier run with the same code and arguments");
    expect((await exec("--no-cache")).stderr).not.toContain("From the cache");
  });
});

describe("[EX-14] what was read, after a call that may have changed it", () => {
  const servers = { ...mcpServers, far: fixture("lookups") };
  const gateway = useGateway("background", { mcpServers: servers, approvals });
  const client = useClient(gateway, "v2-2025");
  const read = (name: string, id = name) => ({ capability: name, args: { id } });
  beforeAll(async () => {
    await learn(client(), "drop:read", "lookup", "learnt");
    await learn(client(), "drop:write", "write", "learnt");
    await learnCode(client(), "far:read", "return await mcp.far.lookup({ id: args.id });", "far:read");
  });

  const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["code", () => succeeds(client(), { code: "return await mcp.look.write({ id: 'code' });" })],
    [
      "code with a computed name",
      () => succeeds(client(), { code: "const t = 'wri' + 'te'; return await mcp.look[t]({ id: 'c' });" }),
    ],
    ["a capability", () => succeeds(client(), read("drop:write"))],
    ["a capability as a tool", () => client().call("drop:write", { id: "as a tool" })],
    [
      "a DAG",
      () =>
        succeeds(client(), { dag: { tasks: [{ id: "a", tool: "look:write", arguments: { id: "dag" } }] } }),
    ],
    ["a client's own call", () => client().call("look:write", { id: "own" })],
    ["a call that fails", () => client().call("look:refuse", {})],
  ];

  it.each(ways)("is read again: %s", async (way, write) => {
    expect(await answer(client(), read("drop:read", way))).toBe("1");
    expect(await answer(client(), read("drop:read", way))).toBe("1 execution");
    await write();
    expect(await answer(client(), read("drop:read", way))).toBe("2");
    expect(await answer(client(), read("drop:read", way))).toBe("2 execution");
    // Of another server nothing has changed.
    expect(await answer(client(), read("far:read"))).toBe("1 execution");
  });

  it("is not read again after a call that only reads", async () => {
    await learn(client(), "drop:stays", "lookup", "drop:stays");
    await client().call("look:lookup", { id: "another" });
    expect(await answer(client(), read("drop:stays"))).toBe("1 execution");
  });

  it("is told of in the log, with the tool that was called", async () => {
    const isLogged = async () =>
      (await log(gateway())).some((row) => row.trigger === "tool_called" && row.tool === "look:write");
    await until("the call is logged", isLogged);
    for (const row of await log(gateway())) {
      expect(row.entries).toBeGreaterThan(0);
      expect(row.tool).not.toMatch(/^far:|lookup/);
    }
    expect(await gateway().pml("cache", "log")).toMatch(
      / look:write +it may have changed the data that was read\n/,
    );
  });

  it("is not back after a restart, and what was read since is", async () => {
    await learn(client(), "drop:old", "lookup", "drop:old");
    await learn(client(), "drop:new", "lookup", "drop:new");
    const stored = async () => JSON.parse(await gateway().pml("cache", "--json")).store.entries;
    await until("both are in the store", async () => (await stored()) >= 2);
    await client().call("look:write", { id: "restart" });
    expect(await answer(client(), read("drop:new"))).toBe("2");
    await gateway().restart();
    const after = await gateway().connect("v2-2025");
    expect(await answer(after, read("drop:old"))).toBe("1");
    expect(await answer(after, read("drop:new"))).toBe("2 capability");
  });
});

describe("[EX-14] results in the store", () => {
  const gateway = useGateway("background", { mcpServers, approvals });

  it("survive the gateway, and those of memory do not", async () => {
    const before = await gateway().connect("v2-2025");
    await learn(before, "kept:up", "lookup", "k");
    await succeeds(before, { capability: "kept:up", args: { id: "k2" } });
    await learn(before, "memo:up", "fragile", "m");
    await ask(before, "cap_rename", { name: "memo:up", cache_policy: "memoize" });
    await succeeds(before, { capability: "memo:up", args: { id: "m2" } });
    await gateway().restart();
    const after = await gateway().connect("v2-2025");
    expect(await answer(after, { capability: "kept:up", args: { id: "k2" } })).toBe("1 capability");
    expect(await answer(after, { capability: "kept:up", args: { id: "k2" } })).toBe("1 execution");
    expect(await answer(after, { capability: "memo:up", args: { id: "m2" } })).toBe("1");
    await rename(after, "kept:up", "kept:renamed");
    expect(await answer(after, { capability: "kept:renamed", args: { id: "k2" } })).toBe("1 execution");
    await until("the hit is counted", async () => {
      const { store } = JSON.parse(await gateway().pml("cache", "--json"));
      return store.hits === 1 && store.entries >= 1;
    });
  });
});

describe("[EX-14] the configuration of caches", () => {
  const gateway = useGateway("background", {
    mcpServers,
    approvals,
    cache: {
      dropOnWrite: false,
      intent: true,
      readOnlyTools: ["look:unsaid"],
      capabilities: { "conf:write": { cacheable: true, ttl_seconds: 600 }, "conf:off": { cacheable: false } },
    },
  });
  const client = useClient(gateway, "v2-2025");

  it("says which tools only read, and what else is cached or not", async () => {
    for (const [name, tool, second] of [
      ["conf:unsaid", "unsaid", "1 execution"],
      ["conf:write", "write", "1 execution"],
      ["conf:off", "lookup", "2"],
      ["conf:other", "write", "2"],
    ] as const) {
      await learn(client(), name, tool, name);
      // Before it had its name, nothing was known of it.
      const first = await answer(client(), { capability: name, args: { id: `${name} again` } });
      expect(first).toBe("1");
      expect(await answer(client(), { capability: name, args: { id: `${name} again` } }), name).toBe(second);
    }
  });

  it("says whether what was read is used again after a call that may have changed it", async () => {
    await learn(client(), "keep:read", "lookup", "k");
    await client().call("look:write", { id: "k" });
    expect(await answer(client(), { capability: "keep:read", args: { id: "k" } })).toBe("1 execution");
  });

  it("says whether an intent that is nearly the same is answered with the same", async () => {
    const intent = "look up the weather station of the given id in the register of weather stations";
    const code = lookup("lookup", "weather");
    await succeeds(client(), { code, name: "weather:station", args: { id: "s1" }, intent });
    await succeeds(client(), { capability: "weather:station", args: { id: "s2" }, intent });
    expect(await answer(client(), { intent, context: { id: "s2" } })).toBe("1 intent");
    expect(await answer(client(), { intent: `${intent}.`, context: { id: "s2" } })).toBe("1 intent");
    const fresh = { intent, context: { id: "s2" }, options: { no_cache: true } };
    expect(await answer(client(), fresh)).not.toContain("intent");
  });
});

describe("[EX-14] no caches", () => {
  const gateway = useGateway("foreground", { mcpServers, approvals, cache: { enabled: false } });
  const client = useClient(gateway, "v2-2025");

  it("where the configuration says so", async () => {
    await learn(client(), "off:up", "lookup", "o");
    expect(await answer(client(), { capability: "off:up", args: { id: "o" } })).toBe("2");
  });
});

describe("[EX-14, ST-4] two gateways on one store", async () => {
  const config = { ...(await sharedStoreConfig()), mcpServers };
  const one = useGateway("http", config);
  const two = useGateway("http", config);
  let first: TestClient;
  let second: TestClient;
  beforeAll(async () => {
    first = await one().connect("v2-2025");
    second = await two().connect("v2-2025");
  });
  const call = { capability: "far:up", args: { id: "far" } };

  it("read again what a call through the other may have changed", async () => {
    await learn(first, "near:up", "lookup", "near");
    const near = { capability: "near:up", args: { id: "near" } };
    const isHit = async () => ((await succeeds(second, near)) as Cached).cacheHit !== undefined;
    await until("the second has it", isHit);
    await first.call("look:write", { id: "near" });
    await until("the second has heard", async () => !(await isHit()));
    await until("the second has it again", isHit);
  });

  it("share what is in the store, and drop what the other has dropped", async () => {
    await learn(first, "far:up", "lookup", "first");
    expect(await answer(first, call)).toBe("1");
    await until("the second has it from the store", async () => {
      const { cacheHit } = (await succeeds(second, call)) as Cached;
      return cacheHit === "capability" || cacheHit === "execution";
    });
    expect(await answer(second, call)).toMatch(/execution$/);
    await one().pml("cache", "clear", "far:up");
    // As late as other changes: a second at most.
    await until("the second has heard", async () => {
      const { cacheHit } = (await succeeds(second, { ...call, options: {} })) as Cached;
      return cacheHit === undefined;
    });
    expect(errorOf(await first.call("cap_rename", { name: "far:up", cache_policy: "none" }))).toBeUndefined();
    await until("the second has heard of the policy", async () => {
      await succeeds(second, call);
      return ((await succeeds(second, call)) as Cached).cacheHit === undefined;
    });
  });
});
