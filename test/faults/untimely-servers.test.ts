/** Servers that do a usual thing at an awkward time, as the gateway's own side of them sees it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { silentLog } from "../../src/base/log.js";
import type { Caller, OfferKind, ServerAnswer } from "../../src/mcp/real-servers.js";
import type { ServerName } from "../../src/registry/tool-id.js";
import { ServerPool } from "../../src/upstream/server-pool.js";
import { fixture, isAlive, until } from "./support/pml.js";

const directory = mkdtempSync(join(tmpdir(), "untimely-"));
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

const NAME = "odd" as ServerName;
let places = 0;

function start(how: string, more: { protocol?: "2025" | "2026"; callTimeoutMs?: number } = {}) {
  places += 1;
  const file = join(directory, String(places));
  const warnings: string[] = [];
  const pool = new ServerPool(
    [
      {
        name: NAME,
        naming: "prefixed",
        transport: "stdio",
        protocol: "2025",
        callTimeoutMs: 20_000,
        env: { PATH: process.env.PATH ?? "" },
        cwd: directory,
        ...fixture("untimely", how, file),
        ...more,
      },
    ],
    { ...silentLog, warn: (event, fields) => warnings.push(`${event} ${fields?.kind ?? ""}`) },
  );
  const news: OfferKind[] = [];
  const updated: string[] = [];
  pool.listen({
    offerChanged: (_server, kinds) => news.push(...kinds),
    resourceUpdated: (_server, uri) => updated.push(uri),
    logged() {},
  });
  pool.start();
  onTestFinished(() => pool.stop());
  const offered = () => {
    const [offer] = pool.offers();
    return {
      tools: offer?.tools.map(({ tool }) => tool.name).join(" "),
      prompts: offer?.prompts.map(({ name }) => name).join(" "),
      resources: offer?.resources.map(({ uri }) => uri).join(" "),
    };
  };
  const state = () => pool.statuses()[0]?.state;
  const call = (name: string, args: object, caller: Partial<Caller> = {}) =>
    pool.request(
      NAME,
      { method: "tools/call", params: { name, arguments: args } },
      {
        connection: "a",
        capabilities: { elicitation: { form: {} } },
        signal: new AbortController().signal,
        isAskedWithinRequest: true,
        onLog() {},
        ...caller,
      },
    );
  return { pool, file, warnings, news, updated, offered, state, call };
}

function said({ result }: ServerAnswer): string {
  return (result as { content?: { text: string }[] }).content?.[0]?.text ?? JSON.stringify(result);
}

describe("[GW-2] lists beside the tools", () => {
  it("has the tools of a server that offers prompts and cannot list them, with a warning", async () => {
    const { pool, warnings, offered, state } = start("cannot-list-prompts");
    await Promise.all([pool.settled("prompts", 20_000), pool.settled("resources", 20_000)]);
    expect(state()).toBe("ready");
    expect(offered()).toEqual({ tools: "work", prompts: "", resources: "note://one" });
    expect(warnings).toEqual(["server.list_failed prompts"]);
  });

  it("has the tools and prompts of a server that is slow to list its resources, and tells of those later", async () => {
    const { pool, file, news, offered, state } = start("lists-resources-late");
    await Promise.all([pool.settled("tools", 20_000), pool.settled("prompts", 20_000)]);
    expect(state()).toBe("ready");
    expect(offered()).toEqual({ tools: "work", prompts: "plan", resources: "" });
    let isSettled = false;
    const settled = pool.settled("resources", 20_000).then(() => {
      isSettled = true;
    });
    await pool.settled("resources", 50);
    expect(isSettled).toBe(false);
    news.length = 0;
    writeFileSync(file, "");
    await settled;
    expect(offered().resources).toBe("note://one");
    expect(news).toEqual(["resources"]);
  });

  it("reads again what changed while it was read for the first time", async () => {
    const { offered } = start("changes-while-it-lists");
    await until("the change is read", () => offered().tools === "old new", 5_000);
  });
});

describe("[GW-2] calls of a server that is away", () => {
  it("are not made when their client has given them up meanwhile", async () => {
    const { file, call } = start("starts-late");
    await until("it is being started", () => existsSync(`${file}.asked`));
    const client = new AbortController();
    const given = call("work", { mark: "given up" }, { signal: client.signal });
    client.abort(new Error("changed my mind"));
    await expect(given).rejects.toThrow("changed my mind");
    const wanted = call("work", { mark: "wanted" });
    writeFileSync(file, "");
    expect(said(await wanted)).toBe("wanted");
    expect(readFileSync(`${file}.calls`, "utf8")).toBe("wanted\n");
  });

  it("are not made when their client had given them up before", async () => {
    const { file, call } = start("starts-late");
    writeFileSync(file, "");
    expect(said(await call("work", { mark: "wanted" }))).toBe("wanted");
    const given = call("work", { mark: "given up" }, { signal: AbortSignal.abort(new Error("never mind")) });
    await expect(given).rejects.toThrow("never mind");
    expect(said(await call("work", { mark: "too" }))).toBe("too");
    expect(readFileSync(`${file}.calls`, "utf8")).toBe("wanted\ntoo\n");
  });

  it.runIf(process.platform !== "win32")(
    "fail at once when it dies, although a process it left holds its stdout; that one is ended too",
    async () => {
      const { file, call, pool } = start("leaves-a-helper");
      await pool.settled("tools", 20_000);
      const started = performance.now();
      await expect(call("work", {})).rejects.toMatchObject({ code: "SERVER_UNAVAILABLE" });
      expect(performance.now() - started).toBeLessThan(5_000);
      const helper = Number(readFileSync(file, "utf8"));
      await until("the helper is gone", () => !isAlive(helper), 5_000);
    },
  );
});

describe("[GW-1, GW-2] questions", () => {
  it("do not use up the time of the call while they are open", async () => {
    const { call, pool } = start("asks", { callTimeoutMs: 300 });
    await pool.settled("tools", 20_000);
    const asked = await call("ask", { count: 1, message: "Day?" });
    // Two calls that take all the time they may, one after the other: the user takes longer than that.
    for (const _ of [1, 2])
      await expect(call("hang", {})).rejects.toMatchObject({
        code: "LIMIT_EXCEEDED",
        message: "Cannot wait longer for the server: no result within 300 ms, the limit of timeoutMs",
      });
    const input = {
      responses: { question_1: { action: "decline" } },
      state: String((asked.result as { requestState?: string }).requestState),
    };
    expect(said(await call("ask", { count: 1, message: "Day?" }, { input }))).toBe("answered 1");
  });

  it("are refused beyond the limit, with a reason for the server", async () => {
    const { call, file, pool } = start("asks");
    await pool.settled("tools", 20_000);
    expect((await call("ask", { count: LIMITS.inputWaits + 1, message: "Day?" })).kind).toBe(
      "input-required",
    );
    await until("one is refused", () => existsSync(file));
    expect(readFileSync(file, "utf8")).toBe(
      "Cannot forward elicitation/create: 1000 questions already wait for an answer, the limit of inputWaits",
    );
  });

  describe("that nobody answers", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    /** A question of client a is open; the answer is for calls of others. */
    async function asked(isAskedWithinRequest: boolean) {
      const { call, pool } = start("asks");
      await pool.settled("tools", 20_000);
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      await call("ask", { count: 1, message: "Day?" }, { isAskedWithinRequest });
      return (connection: string) => call("echo", {}, { connection });
    }

    it("give way to another client after 45 seconds, where their own may be gone", async () => {
      const call = await asked(false);
      await vi.advanceTimersByTimeAsync(1_000);
      let isIn = false;
      const echo = call("b").then((answer) => {
        isIn = true;
        return answer;
      });
      await vi.advanceTimersByTimeAsync(43_999);
      expect(isIn).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(said(await echo)).toBe("echo");
    });

    it("give way at once to a client that comes later than that", async () => {
      const call = await asked(false);
      await vi.advanceTimersByTimeAsync(LIMITS.inputWaitMs / 2);
      expect(said(await call("b"))).toBe("echo");
    });

    it("[TB-8] keep their place where their client is known to be there, and others go on beside them", async () => {
      const call = await asked(true);
      let isIn = false;
      const echo = call("b").then((answer) => {
        isIn = true;
        return answer;
      });
      await vi.advanceTimersByTimeAsync(LIMITS.laneTurnMs - 1);
      expect(isIn).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(said(await echo)).toBe("echo");
      expect(said(await call("c"))).toBe("echo");
    });
  });
});

describe("[GW-2] log messages", () => {
  it.each([
    ["reach the one client with calls under way, once", ["a", "a"], "a"],
    ["reach nobody while calls of two clients are under way", ["a", "b"], ""],
  ] as const)("%s", async (_what, [first, second], expected) => {
    const { call, file } = start("logs");
    const heard: string[] = [];
    const by = (connection: string) => ({ connection, onLog: () => heard.push(connection) });
    const calls = [call("work", { mark: "first" }, by(first)), call("work", { mark: "second" }, by(second))];
    await until("both are under way", () => existsSync(`${file}.first`) && existsSync(`${file}.second`));
    writeFileSync(`${file}.log`, "");
    await until("it has logged", () => existsSync(`${file}.logged`));
    writeFileSync(`${file}.end`, "");
    await Promise.all(calls);
    expect(heard.join(" ")).toBe(expected);
  });
});

describe("[GW-2] streams of news of a 2026-era server", () => {
  it("are asked for again when the server ends them, and the lists are read again", async () => {
    const { pool, file, offered, updated } = start("ends-its-streams", { protocol: "2026" });
    await pool.settled("tools", 20_000);
    expect(offered().tools).toBe("old");
    await pool.subscribe(NAME, "note://one");
    await until("the lists are read again", () => offered().tools === "old new", 10_000);
    await until("news of the resource arrive", () => updated.includes("note://one"), 10_000);
    expect(readFileSync(file, "utf8").split("\n").sort()).toEqual([
      "",
      "lists",
      "lists",
      "note://one",
      "note://one",
    ]);
  });
});
