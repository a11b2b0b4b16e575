/** One client takes all that it can get; another one beside it is served as ever. */
import { setMaxListeners } from "node:events";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { until } from "../faults/support/pml.js";
import { ask, execute, fails, succeeds } from "../support/agent.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { sized } from "../support/sizes.js";
import type { ClientKind, TestClient } from "../support/test-client.js";
import { fixture, type Transport, useGateway } from "../support/test-gateway.js";

const config = { mcpServers: { work: fixture("work") }, approvals: { unannotated: "auto" } };
const FOREVER_MS = 500_000;

const WAYS: readonly { readonly transport: Transport; readonly kind: ClientKind; readonly over: string }[] = [
  { transport: "background", kind: "v2-2025", over: "stdio" },
  { transport: "http", kind: "v2-2025", over: "HTTP, with a session" },
  { transport: "http", kind: "v2-2026", over: "HTTP, without one" },
];

const SLEEPERS = sized(WAYS, WAYS.slice(-1));

describe.each(WAYS)("[TB-8] a greedy client over $over", ({ transport, kind }) => {
  const gateway = useGateway(transport, config);
  const both = () =>
    Promise.all([gateway().connect(kind, { name: "greedy" }), gateway().connect(kind, { name: "other" })]);

  /** Starts so many, until `has` says that they take all they get; the answer gives them up. */
  async function flood(
    count: number,
    start: (signal: AbortSignal, index: number) => Promise<unknown>,
    begun: () => Promise<number>,
    least: number,
  ): Promise<() => Promise<void>> {
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const all = Array.from({ length: count }, (_, index) => start(abort.signal, index).catch(() => {}));
    await until(`${least} have begun`, async () => (await begun()) >= least);
    return async () => {
      abort.abort();
      await Promise.all(all);
    };
  }

  const seen = async (client: TestClient, id: string) =>
    ((await client.call("work:seen", { id })).structuredContent as { count: number }).count;

  // Both are shared out by the same share of a client; in the usual size, runs without an MCP session say it for all.
  it.each(SLEEPERS.filter((one) => one.transport === transport && one.kind === kind))(
    "whose runs sleep does not hold up the run of another",
    async () => {
      const [greedy, other] = await both();
      const code = `await mcp.work.count({ id: "sleepers" });
      await new Promise((resolve) => setTimeout(resolve, ${FOREVER_MS}));`;
      const options = { timeout: FOREVER_MS };
      const giveUp = await flood(
        LIMITS.runsAtOnce + 4,
        (signal, index) =>
          greedy.call(
            "pml_execute",
            { intent: `sleep ${index}`, code: `${code} return ${index};`, options },
            { signal },
          ),
        () => seen(other, "sleepers"),
        LIMITS.runsAtOnce / 2,
      );
      expect((await succeeds(other, { code: "return await mcp.work.echo({ value: 1 });" })).result).toEqual({
        value: 1,
      });
      expect(await seen(other, "sleepers")).toBe(LIMITS.runsAtOnce / 2);
      await giveUp();
      expect((await succeeds(greedy, { code: "return 2;" })).result).toBe(2);
    },
  );

  it("whose calls hang does not hold up the call of another, and gets its places back by giving up", async () => {
    const [greedy, other] = await both();
    const giveUp = await flood(
      LIMITS.serverRequests + 20,
      (signal) => greedy.call("work:slow", { ms: FOREVER_MS, id: "hanging" }, { signal }),
      () => seen(other, "hanging"),
      LIMITS.serverRequests / 2,
    );
    expect(await ask(other, "work:echo", { value: 3 })).toEqual({ value: 3 });
    expect(await seen(other, "hanging")).toBe(LIMITS.serverRequests / 2);
    await giveUp();
    expect(await ask(greedy, "work:echo", { value: 4 })).toEqual({ value: 4 });
  });
});

describe("[TB-8] sessions over HTTP", () => {
  const gateway = useGateway("http", config);

  async function post(body: object, session?: string): Promise<Response> {
    const response = await fetch(gateway().url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
    return new Response(await response.text(), response);
  }

  async function open(name: string): Promise<Response> {
    const clientInfo = { name, version: "1" };
    return post({
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
  }

  const idOf = (response: Response) => response.headers.get("mcp-session-id") ?? "";
  const lists = async (session: string) => (await post({ method: "tools/list" }, session)).status;

  it("of others outlive any number of new ones, whose owner has a bound", async () => {
    const victim = idOf(await open("victim"));
    const namesake = idOf(await open("greedy"));
    expect([await lists(victim), await lists(namesake)]).toEqual([200, 200]);
    for (let n = 0; n < LIMITS.httpSessions + 30; n += 1) expect((await open("greedy")).status).toBe(200);
    expect([await lists(victim), await lists(namesake)]).toEqual([200, 200]);

    const used: string[] = [];
    for (let response = await open("busy"); response.status === 200; response = await open("busy")) {
      used.push(idOf(response));
      expect(await lists(idOf(response))).toBe(200);
    }
    expect(used).toHaveLength(LIMITS.httpOwnerSessions);
    const refused = await open("busy");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({
      error: { data: { code: "LIMIT_EXCEEDED" }, message: expect.stringContaining("httpOwnerSessions") },
    });
    expect(await Promise.all(used.map(lists))).toEqual(used.map(() => 200));
    expect((await open("victim")).status).toBe(200);
  });
});

describe("[TB-8] subscriptions of a client of 2026", () => {
  const gateway = useGateway("http", config);

  it("are refused beyond their bound", async () => {
    const uris = Array.from({ length: LIMITS.clientSubscriptions }, (_, n) => `x://${n}`);
    const response = await fetch(gateway().url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 5,
        method: "subscriptions/listen",
        params: {
          notifications: { resourceSubscriptions: uris },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ id: 5, error: { data: { code: "LIMIT_EXCEEDED" } } });
  });
});

describe("[TB-8] memory of all runs together", () => {
  // For two processes, of which one client has one.
  const sandbox = { totalMemoryMb: 2 * (LIMITS.runMemoryMb + LIMITS.runBesideMb) };
  const gateway = useGateway("background", { ...config, sandbox });

  it("bounds how many run at once", async () => {
    const [greedy, other] = await Promise.all([gateway().connect("v2-2025"), gateway().connect("v2-2025")]);
    const abort = new AbortController();
    const options = { timeout: FOREVER_MS };
    const sleepers = [1, 2, 3, 4].map((n) => {
      const code = `await mcp.work.count({ id: "large" });
        await new Promise((resolve) => setTimeout(resolve, ${FOREVER_MS})); return ${n};`;
      const input = { intent: `sleep ${n}`, code, options };
      return greedy.call("pml_execute", input, { signal: abort.signal }).catch(() => {});
    });
    const begun = async () => ((await ask(other, "work:seen", { id: "large" })) as { count: number }).count;
    await until("one has begun", async () => (await begun()) > 0);
    for (const n of [1, 2, 3]) expect((await succeeds(other, { code: `return ${n};` })).result).toBe(n);
    expect(await begun()).toBe(1);
    abort.abort();
    await Promise.all(sleepers);
  });
});

describe("[TB-8] a locked table", async () => {
  const shared = await sharedStoreConfig();
  const gateway = useGateway("http", shared);

  const locked = async (work: () => Promise<void>) => {
    const locker = new pg.Client({ connectionString: (shared.store as { url: string }).url });
    await locker.connect();
    try {
      await locker.query("begin");
      await locker.query("lock table workflow_pattern in access exclusive mode");
      await work();
    } finally {
      await locker.end();
    }
  };

  it("does not hang a run: it fails with a clear error, or succeeds with a warning where it has run", async () => {
    const client = await gateway().connect("v2-2025");
    const code = 'await mcp.work.slow({ ms: 3_000, id: "locked" }); return 2;';
    const running = execute(client, { code, name: "locked:after" });
    const begun = async () => ((await ask(client, "work:seen", { id: "locked" })) as { count: number }).count;
    await until("it runs", async () => (await begun()) > 0);
    await locked(async () => {
      // Both wait for the whole of the limit, and side by side.
      const refused = fails(client, { code: "return 3;", name: "locked:now" });
      const { status, result, warnings } = await running;
      expect({ status, result }).toEqual({ status: "success", result: 2 });
      expect(warnings?.join()).toContain("storeLockMs");
      const error = await refused;
      expect(error).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("storeLockMs") });
    });
    await succeeds(client, { code: "return 4;", name: "locked:later" });
  });
});
