/** The relay alone: what the client says goes in as text, what each gateway gets and the client is told comes out. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { type Link, Relay } from "./relay.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gateway of the test's own, that keeps what it gets. */
class FakeGateway {
  readonly got: string[] = [];
  #said: (line: string) => void = () => {};
  #gone: () => void = () => {};
  isEnded = false;

  readonly link: Link = {
    send: (line) => {
      this.got.push(short(line));
    },
    end: () => {
      this.isEnded = true;
    },
    destroy: () => this.#gone(),
    drained: () => undefined,
    listen: (said, gone) => {
      this.#said = said;
      this.#gone = gone;
    },
  };

  says(message: object): void {
    this.#said(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  dies(): void {
    this.#gone();
  }
}

/** One message in few words: `7 tools/call {…}`, `7 = {…}`, `7 ! CODE`, `notifications/…`. */
function short(line: string): string {
  if (!line.startsWith("{")) return line;
  const { id, method, params, result, error } = JSON.parse(line) as Record<string, unknown>;
  const rest = params === undefined ? "" : ` ${JSON.stringify(params)}`;
  if (method !== undefined) return `${id === undefined ? "" : `${id} `}${method}${rest}`;
  if (error !== undefined) return `${id} ! ${(error as { data?: { code?: string } }).data?.code ?? "error"}`;
  const { isError, content } = result as { isError?: boolean; content?: { text: string }[] };
  return `${id} ${isError === true ? `!! ${content?.[0]?.text.split("\n")[0]}` : `= ${JSON.stringify(result)}`}`;
}

function newRelay(greeting: (method: string) => object | undefined = () => undefined) {
  const told: string[] = [];
  const finished = vi.fn();
  const joins: { start(): void; refuse(error: unknown): void; accept(): FakeGateway }[] = [];
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const relay = new Relay({
    toClient: (line) => told.push(short(line)),
    greeting: ({ method }) => greeting(method),
    finished,
    join: (onStart) =>
      new Promise((resolve, reject) => {
        joins.push({
          start: onStart,
          refuse: reject,
          accept() {
            const gateway = new FakeGateway();
            resolve(gateway.link);
            return gateway;
          },
        });
      }),
  });
  relay.start();
  const next = async () => {
    const gateway = joins.at(-1)?.accept() ?? new FakeGateway();
    await settle();
    return gateway;
  };
  const says = (message: object) => relay.clientSaid(JSON.stringify({ jsonrpc: "2.0", ...message }));
  /** What the client was told since the last look. */
  const heard = () => told.splice(0);
  return { relay, joins, finished, next, says, heard, settle };
}

const INITIALIZE = { id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } };
const call = (id: number) => ({ id, method: "tools/call", params: { name: "files:write" } });

/** A client of 2025 that has its gateway. */
async function initialized() {
  const all = newRelay();
  const gateway = await all.next();
  all.says(INITIALIZE);
  gateway.says({ id: 0, result: {} });
  all.says({ method: "notifications/initialized" });
  all.heard();
  gateway.got.length = 0;
  return { ...all, gateway };
}

const CHANGED = ["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`);

describe("a gateway that lives [ST-2]", () => {
  it("gets every line as it was, and its answers reach the client", async () => {
    const { relay, gateway, says, heard } = await initialized();
    says(call(1));
    relay.clientSaid("no JSON");
    relay.clientSaid('[{"id": 1}]');
    expect(gateway.got).toEqual(['1 tools/call {"name":"files:write"}', "no JSON", '[{"id": 1}]']);
    gateway.says({ id: 1, result: { ok: 1 } });
    gateway.says({ method: "notifications/message", params: { data: 1 } });
    expect(heard()).toEqual(['1 = {"ok":1}', 'notifications/message {"data":1}']);
  });

  it("asks its client under ids of the relay's own, and gets the answers under its own", async () => {
    const { gateway, says, heard } = await initialized();
    gateway.says({ id: 0, method: "elicitation/create" });
    expect(heard()).toEqual(["pml-1 elicitation/create"]);
    says({ id: "pml-1", result: { action: "accept" } });
    expect(gateway.got).toEqual(['0 = {"action":"accept"}']);
    gateway.says({ id: 1, method: "elicitation/create" });
    gateway.says({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(heard()).toEqual(["pml-2 elicitation/create", 'notifications/cancelled {"requestId":"pml-2"}']);
  });

  it("is told when the client has nothing more to say, and ends it", async () => {
    const { relay, gateway, finished, says, heard } = await initialized();
    says(call(1));
    relay.clientEnded();
    expect([gateway.isEnded, finished.mock.calls]).toEqual([true, []]);
    gateway.dies();
    expect([heard(), finished.mock.calls]).toEqual([[], [[undefined]]]);
  });
});

describe("a gateway that ends [FH-6]", () => {
  it("is replaced at once each time, however soon it ends after an answer", async () => {
    const { gateway, says, heard, joins, next } = await initialized();
    gateway.dies();
    for (let id = 1; id <= 5; id += 1) {
      says(call(id));
      expect(joins.length).toBe(id + 1);
      const another = await next();
      another.says({ id: `pml-replay-${id}`, result: {} });
      another.says({ id, result: {} });
      expect(heard().at(-1)).toBe(`${id} = {}`);
      another.dies();
    }
  });

  it("is replaced with the next request, which goes to one that knows the client", async () => {
    const { gateway, says, heard, joins, next } = await initialized();
    says({ id: 1, method: "logging/setLevel", params: { level: "debug" } });
    says({ id: 2, method: "resources/subscribe", params: { uri: "a:b" } });
    says({ id: 3, method: "resources/subscribe", params: { uri: "a:c" } });
    says({ id: 4, method: "resources/unsubscribe", params: { uri: "a:c" } });
    for (const id of [1, 2, 3, 4]) gateway.says({ id, result: {} });
    heard();
    gateway.dies();
    // A stopped gateway stays stopped until a client needs it.
    expect([heard(), joins.length]).toEqual([[], 1]);
    says(call(5));
    expect(joins.length).toBe(2);
    const second = await next();
    expect(second.got).toEqual(['pml-replay-1 initialize {"protocolVersion":"2025-06-18"}']);
    second.says({ id: "pml-replay-1", result: {} });
    expect(second.got.slice(1)).toEqual([
      "notifications/initialized",
      'pml-replay-2 logging/setLevel {"level":"debug"}',
      'pml-replay-3 resources/subscribe {"uri":"a:b"}',
      '5 tools/call {"name":"files:write"}',
    ]);
    second.says({ id: "pml-replay-2", result: {} });
    second.says({ id: 5, result: { done: true } });
    expect(heard()).toEqual([...CHANGED, '5 = {"done":true}']);
  });

  it("leaves no request unanswered: calls are in doubt, and reads are made again, once", async () => {
    const { gateway, says, heard, next, joins } = await initialized();
    says(call(1));
    says({ id: 2, method: "tools/list" });
    says({ id: 3, method: "resources/read", params: {} });
    says(call(4));
    says({ method: "notifications/cancelled", params: { requestId: 4 } });
    gateway.dies();
    expect(heard()).toEqual([
      '1 !! GATEWAY_RESTARTED: Cannot tell whether "files:write" was done: the gateway ended before it answered',
      "3 ! GATEWAY_RESTARTED",
    ]);
    const second = await next();
    second.says({ id: "pml-replay-1", result: {} });
    expect(second.got.at(-1)).toBe("2 tools/list");
    heard();
    second.dies();
    expect([heard(), joins.length]).toEqual([["2 ! GATEWAY_RESTARTED"], 2]);
  });

  it("answers the call of a 2026 client in the form of that revision", async () => {
    const { says, heard, next } = newRelay();
    const gateway = await next();
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    says({ id: 1, method: "tools/call", params: { name: "a", _meta } });
    gateway.dies();
    expect(heard()[0]).toContain("1 !! GATEWAY_RESTARTED");
    const again = await next();
    says({ id: 2, method: "tools/list", params: { _meta } });
    expect(again.got).toEqual([]);
  });

  it("keeps listening streams of 2026 clients open, and tells them to list again", async () => {
    const { says, heard, next } = newRelay();
    const gateway = await next();
    const of = (id: string) => ({ _meta: { "io.modelcontextprotocol/subscriptionId": id } });
    const acknowledged = (id: string) => ({
      method: "notifications/subscriptions/acknowledged",
      params: of(id),
    });
    const listen = (id: string) => ({
      id,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["a:b"] } },
    });
    says(listen("a"));
    gateway.says(acknowledged("a"));
    says(listen("b"));
    gateway.says(acknowledged("b"));
    says({ method: "notifications/cancelled", params: { requestId: "b" } });
    expect(heard().length).toBe(2);
    // In good order, as a gateway does that is stopped.
    gateway.says({ id: "a", result: of("a") });
    gateway.dies();
    expect(heard()).toEqual([]);
    says({ id: 1, method: "tools/list" });
    const second = await next();
    expect(second.got.map((line) => line.split(" {")[0])).toEqual(["a subscriptions/listen", "1 tools/list"]);
    second.says(acknowledged("a"));
    expect(heard()).toEqual([`notifications/tools/list_changed ${JSON.stringify(of("a"))}`]);
  });

  it("takes its questions back, and no answer to them reaches the next one", async () => {
    const { gateway, says, heard, next } = await initialized();
    gateway.says({ id: 0, method: "elicitation/create" });
    heard();
    gateway.dies();
    expect(heard()).toEqual(['notifications/cancelled {"requestId":"pml-1"}']);
    says(call(1));
    const second = await next();
    second.says({ id: "pml-replay-1", result: {} });
    second.says({ id: 0, method: "elicitation/create" });
    says({ id: "pml-1", result: { action: "accept" } });
    expect(second.got.filter((line) => line.includes("accept"))).toEqual([]);
    says({ id: "pml-2", result: { action: "accept" } });
    expect(second.got.at(-1)).toBe('0 = {"action":"accept"}');
  });

  it("is not missed by a client that only pings", async () => {
    const { gateway, says, heard, joins } = await initialized();
    gateway.dies();
    says({ id: 1, method: "ping" });
    says({ method: "notifications/roots/list_changed" });
    expect([heard(), joins.length]).toEqual([["1 = {}"], 1]);
  });
});

describe("a gateway that cannot be joined again [FH-6]", () => {
  const broken = () => new PmlError("CONFIG_INVALID", "Cannot read it", { hint: "Repair it." });

  it("is told of to everybody who waits, and tried again later and later", async () => {
    const { gateway, says, heard, joins, settle } = await initialized();
    gateway.dies();
    says(call(1));
    says({ id: 2, method: "tools/list" });
    joins[1]?.refuse(broken());
    await settle();
    expect(heard()).toEqual(["1 !! CONFIG_INVALID: Cannot read it", "2 ! CONFIG_INVALID"]);
    // Requests without end, for a minute: a few of them try.
    for (let at = 0; at < 60_000; at += 50) {
      const count = joins.length;
      says(call(at));
      if (joins.length > count) joins.at(-1)?.refuse(broken());
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(heard().length).toBe(1_200);
    expect(joins.length).toBeLessThan(10);
    expect(joins.length).toBeGreaterThan(5);
  });

  it("is given up on after a time, however far it came", async () => {
    const { gateway, says, heard, next } = await initialized();
    gateway.dies();
    says(call(1));
    // It never answers the initialization.
    await next();
    await vi.advanceTimersByTimeAsync(LIMITS.relayWaitMs - 1);
    expect(heard()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(heard()).toEqual([
      `1 !! GATEWAY_UNREACHABLE: Cannot join the gateway: no gateway was ready within ${LIMITS.relayWaitMs} ms, the limit of relayWaitMs`,
    ]);
  });

  it("holds a bounded number of requests, and drops those that are cancelled", async () => {
    const { gateway, says, heard, next } = await initialized();
    gateway.dies();
    for (let id = 1; id <= LIMITS.relayHeld + 1; id += 1) says(call(id));
    expect(heard()).toEqual([expect.stringContaining(`${LIMITS.relayHeld + 1} !! LIMIT_EXCEEDED`)]);
    says({ method: "notifications/cancelled", params: { requestId: 1 } });
    const second = await next();
    second.says({ id: "pml-replay-1", result: {} });
    expect(second.got[2]).toContain("2 tools/call");
    expect(second.got.length).toBe(LIMITS.relayHeld + 1);
  });

  it("forgets clients that have closed the stream", async () => {
    const { relay, gateway, says, finished, joins, settle } = await initialized();
    gateway.dies();
    says(call(1));
    relay.clientEnded();
    expect(finished.mock.calls).toEqual([[undefined]]);
    const late = joins[1]?.accept();
    await settle();
    expect(late?.got).toEqual([]);
  });
});

describe("the first gateway [GW-3]", () => {
  it("ends the relay with its reason where it cannot be started", async () => {
    const { joins, says, heard, finished, settle } = newRelay();
    says(INITIALIZE);
    const error = new PmlError("STORE_FAILED", "Cannot open it");
    joins[0]?.refuse(error);
    await settle();
    expect([heard(), finished.mock.calls]).toEqual([["0 ! STORE_FAILED"], [[error]]]);
  });

  it("is introduced while it is started, and learns of the client then", async () => {
    const { joins, says, heard, next } = newRelay((method) =>
      method === "tools/list" ? undefined : { of: method },
    );
    says(INITIALIZE);
    expect(heard()).toEqual([]);
    joins[0]?.start();
    expect(heard()).toEqual(['0 = {"of":"initialize"}']);
    says({ method: "notifications/initialized" });
    says({ id: 1, method: "tools/list" });
    says({ id: 2, method: "server/discover" });
    expect(heard()).toEqual(['2 = {"of":"server/discover"}']);
    const gateway = await next();
    gateway.says({ id: "pml-replay-1", result: {} });
    expect(gateway.got.slice(1)).toEqual(["notifications/initialized", "1 tools/list"]);
    gateway.says({ id: 1, result: {} });
    expect(heard()).toEqual(["1 = {}"]);
  });

  it("answers itself where it runs already", async () => {
    const { says, heard, next } = newRelay(() => ({ of: "nobody" }));
    says(INITIALIZE);
    const gateway = await next();
    gateway.says({ id: 0, result: { of: "gateway" } });
    expect(heard()).toEqual(['0 = {"of":"gateway"}']);
  });

  it("still answers a client that has closed the stream after its requests", async () => {
    const { relay, says, next, finished, heard } = newRelay();
    says({ id: 1, method: "tools/list" });
    relay.clientEnded();
    const gateway = await next();
    expect([gateway.got, gateway.isEnded, finished.mock.calls]).toEqual([["1 tools/list"], true, []]);
    gateway.says({ id: 1, result: {} });
    gateway.dies();
    expect([heard(), finished.mock.calls]).toEqual([["1 = {}"], [[undefined]]]);
  });
});
