import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { inSchema, newSchemaName, postgresUrl } from "../../test/support/databases.js";
import { POSTGRES_PASSWORD } from "../../test/support/postgres-server.js";
import { sized } from "../../test/support/sizes.js";
import { type Log, silentLog } from "../base/log.js";
import { parseWireName } from "../registry/wire-name.js";
import type { Database } from "./database.js";
import { openStore } from "./open-store.js";
import { openPostgres } from "./pg-driver.js";

const MAJOR = sized(15, 18);
const opened: Database[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

async function open(url: string, log: Log = silentLog): Promise<Database> {
  const database = await openPostgres(url, log);
  opened.push(database);
  return database;
}

async function failureOf(url: string): Promise<Error & { hint?: string; data?: object }> {
  return await open(url).then(
    () => new Error("opened"),
    (thrown: Error) => thrown,
  );
}

/** All text of an error that a reader can see, including its causes. */
function wholeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [
    error.stack,
    JSON.stringify({ ...error }),
    error.cause === undefined ? "" : wholeText(error.cause),
  ].join("\n");
}

/** A port without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("PostgreSQL that cannot be used", () => {
  it("says where it was looked for when nothing answers", async () => {
    const port = await deadPort();
    const error = await failureOf(`postgres://pml:${POSTGRES_PASSWORD}@127.0.0.1:${port}/memory`);
    expect(error).toMatchObject({
      code: "STORE_FAILED",
      message: `Cannot reach PostgreSQL database "memory" at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
      data: { host: "127.0.0.1", port, database: "memory" },
    });
    expect(wholeText(error)).not.toContain(POSTGRES_PASSWORD);
  });

  it("says that the password is wrong, and never which it was", async () => {
    const url = new URL(await postgresUrl(18));
    url.password = "wrong-and-secret";
    const error = await failureOf(url.href);
    expect(error).toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining('password authentication failed for user "postgres"'),
      data: { sqlstate: "28P01" },
    });
    expect(wholeText(error)).not.toContain("wrong-and-secret");
  });

  it("says that there is no such database", async () => {
    const url = new URL(await postgresUrl(MAJOR));
    url.pathname = "/nowhere";
    expect(await failureOf(url.href)).toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining('database "nowhere" does not exist'),
    });
  });

  it.each(["postgres://pml:se/cret@host:port/db", "postgres://[pml:secret"])(
    "does not quote the malformed URL %s",
    async (url) => {
      const error = await failureOf(url);
      expect(error).toMatchObject({ code: "STORE_FAILED" });
      expect(wholeText(error)).not.toMatch(/se\/?cret/);
    },
  );

  it("does not take a URL of another kind", async () => {
    await expect(
      openStore({ url: "mysql://u:p@h/d", dataDir: "/nowhere", log: silentLog }),
    ).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: "Cannot open the store: store.url does not begin with postgres://",
    });
  });

  it("says that the schema of the search_path does not exist", async () => {
    const url = inSchema(await postgresUrl(MAJOR), newSchemaName());
    await expect(openStore({ url, dataDir: "/nowhere", log: silentLog })).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: "Cannot open the store: no schema of the connection's search_path exists",
    });
  });
});

describe("a lost connection", () => {
  const backends = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";

  /** A database, and a second one that can find and end its connections. */
  async function victimAndKiller(
    log: Log = silentLog,
  ): Promise<{ victim: Database; kill: () => Promise<void> }> {
    const url = new URL(await postgresUrl(18));
    const killer = await open(url.href);
    const name = newSchemaName();
    url.searchParams.set("application_name", name);
    const victim = await open(url.href, log);
    return { victim, kill: async () => void (await killer.query(backends, [name])) };
  }

  it("fails the query that was under way, not the process, and the next one gets a new connection", async () => {
    const { victim, kill } = await victimAndKiller();
    const sleeping = expect(victim.query("select pg_sleep(20)")).rejects.toMatchObject({
      code: "STORE_FAILED",
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await kill();
    await sleeping;
    expect((await victim.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  it("fails the transaction it was lost in, and only that", async () => {
    const { victim, kill } = await victimAndKiller();
    const interrupted = victim.transaction(async (transaction) => {
      await transaction.query("select 1");
      await kill();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await transaction.query("select 2");
    });
    await expect(interrupted).rejects.toMatchObject({ code: "STORE_FAILED" });
    const after = await victim.transaction((transaction) => transaction.query("select 3 as three"));
    expect(after.rows).toEqual([{ three: 3 }]);
  });

  it("is logged when it was idle", async () => {
    const warn = vi.fn<Log["warn"]>();
    const { victim, kill } = await victimAndKiller({ ...silentLog, warn });
    await victim.query("select 1");
    await kill();
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith("store.connection_lost", expect.anything()));
    expect((await victim.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});

it("throws a connection away that could not roll back: the next one would be inside its transaction", async () => {
  const database = await open(await postgresUrl(18));
  const query: (this: unknown, ...parts: unknown[]) => unknown = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: unknown,
    ...parts: unknown[]
  ) {
    const isRollback = (parts[0] as pg.QueryConfig).text === "rollback";
    return (isRollback ? Promise.reject(new Error("no")) : query.apply(this, parts)) as never;
  });
  await database.transaction((transaction) => transaction.query("selec 1")).catch(() => undefined);
  spy.mockRestore();
  expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

describe("listening", () => {
  const CHANNEL = 'a "channel"';

  it("hears what others notify, until it is stopped", async () => {
    const url = await postgresUrl(MAJOR);
    const [one, two] = [await open(url), await open(url)];
    const heard: string[] = [];
    const payload = newSchemaName();
    const lost = vi.fn();
    const hear = (text: string) => (text.startsWith(payload) ? void heard.push(text) : undefined);
    const stop = await two.listen?.(CHANNEL, hear, lost);
    await one.query("select pg_notify($1, $2)", [CHANNEL, `${payload} 1`]);
    await vi.waitFor(() => expect(heard).toEqual([`${payload} 1`]));
    await stop?.();
    await stop?.();
    await one.query("select pg_notify($1, $2)", [CHANNEL, `${payload} 2`]);
    expect([heard, lost.mock.calls]).toEqual([[`${payload} 1`], []]);
  });

  it("says once that it was lost, and not when it is over because the database is closed", async () => {
    const url = new URL(await postgresUrl(18));
    const killer = await open(url.href);
    url.searchParams.set("application_name", newSchemaName());
    const [victim, closed] = [await open(url.href), await open(url.href)];
    const lost = vi.fn<(error: Error) => void>();
    const lostByClosing = vi.fn();
    await closed.listen?.(CHANNEL, () => undefined, lostByClosing);
    await closed.close();
    await victim.listen?.(CHANNEL, () => undefined, lost);
    await killer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and query like 'listen %'",
      [url.searchParams.get("application_name")],
    );
    await vi.waitFor(() => expect(lost).toHaveBeenCalled());
    expect((await victim.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(lost.mock.calls).toEqual([[expect.objectContaining({ code: "STORE_FAILED" })]]);
    expect(lostByClosing).not.toHaveBeenCalled();
  });

  it("is refused where the server cannot be reached", async () => {
    const database = await open(await postgresUrl(MAJOR));
    const connect = vi.spyOn(pg.Client.prototype, "connect").mockRejectedValue(new Error("no") as never);
    const lost = vi.fn();
    await expect(database.listen?.(CHANNEL, () => undefined, lost)).rejects.toMatchObject({
      code: "STORE_FAILED",
    });
    connect.mockRestore();
    expect(lost).not.toHaveBeenCalled();
  });
});

describe("a closed database", () => {
  it("refuses queries, transactions and listening, and closes twice", async () => {
    const database = await open(await postgresUrl(MAJOR));
    await database.close();
    await database.close();
    const failure = { code: "STORE_FAILED", message: expect.stringMatching(/: it is closed$/) };
    await expect(database.query("select 1")).rejects.toMatchObject(failure);
    await expect(database.transaction(async () => undefined)).rejects.toMatchObject(failure);
    const listen = async () =>
      await database.listen?.(
        "channel",
        () => undefined,
        () => undefined,
      );
    await expect(listen()).rejects.toMatchObject(failure);
  });
});

it("[SC-3] closes in spite of a statement that does not end, and leaves no connection behind", async () => {
  const database = await openPostgres(await postgresUrl(MAJOR), silentLog, true, 200);
  const endless = database.query("select pg_sleep(60)").catch((error: unknown) => error);
  await database.close();
  // Otherwise it would keep the process alive.
  expect(await endless).toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("terminated"),
  });
});

describe("a server that no longer answers, and does not say so", () => {
  const ANSWER_MS = 1_000;

  /** A proxy for everything that is sent to the server, until it is silenced. */
  async function wireTo(url: string) {
    const target = new URL(url);
    const { port, hostname } = target;
    let isSilent = false;
    const sockets = new Set<Socket>();
    const wire = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from.on("error", () => {}).on("close", () => to.destroy()));
        from.on("data", (data: Buffer) => void (isSilent || to.write(data)));
      }
    });
    await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      wire.close();
    });
    target.port = String((wire.address() as AddressInfo).port);
    const silence = (silent: boolean): void => {
      isSilent = silent;
    };
    return { url: target.href, silence };
  }

  it("[SC-3] fails the statement, and the next one gets a new connection", async () => {
    const { url, silence } = await wireTo(await postgresUrl(MAJOR));
    const database = await openPostgres(url, silentLog, true, 200, ANSWER_MS);
    opened.push(database);
    silence(true);
    const unanswered = {
      code: "STORE_FAILED",
      message: expect.stringContaining(`no answer in ${ANSWER_MS} ms`),
    };
    await expect(database.query("select 1")).rejects.toMatchObject(unanswered);
    silence(false);
    await database
      .transaction(async (transaction) => {
        silence(true);
        await expect(transaction.query("select 1")).rejects.toMatchObject(unanswered);
        silence(false);
        await expect(transaction.query("select 1")).rejects.toMatchObject({ code: "STORE_FAILED" });
      })
      .catch(() => undefined);
    expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  it("[SC-3] is not listened to, and not waited for", async () => {
    const { url, silence } = await wireTo(await postgresUrl(MAJOR));
    const database = await openPostgres(url, silentLog, true, 200, ANSWER_MS);
    opened.push(database);
    const connect: () => Promise<unknown> = pg.Client.prototype.connect;
    vi.spyOn(pg.Client.prototype, "connect").mockImplementationOnce(async function (this: pg.Client) {
      await connect.call(this);
      silence(true);
    } as never);
    const lost = vi.fn();
    await expect(database.listen?.("channel", () => undefined, lost)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining(`no answer in ${ANSWER_MS} ms`),
    });
    expect(lost).not.toHaveBeenCalled();
  });

  it("[SC-3] waits for a statement whose transaction has taken the limit off", async () => {
    const database = await openPostgres(await postgresUrl(MAJOR), silentLog, true, 200, ANSWER_MS);
    opened.push(database);
    const slow = "select pg_sleep(1.5)";
    await expect(database.query(slow)).rejects.toMatchObject({ code: "STORE_FAILED" });
    await database.transaction(async (transaction) => {
      await transaction.query("set local statement_timeout = 0");
      await transaction.query(slow);
    });
  });
});

describe("openStore on PostgreSQL", () => {
  it("[ST-3] lets two gateways open one empty database at once and share what they keep", async () => {
    const url = await postgresUrl(MAJOR);
    const schema = newSchemaName();
    const admin = await open(url);
    await admin.query(`create schema ${schema}`);
    const options = { url: inSchema(url, schema), dataDir: "/nowhere", log: silentLog };
    const [one, two] = await Promise.all([openStore(options), openStore(options)]);
    opened.push(one.database, two.database);
    await one.wireNames.keep([{ id: "fs:read", name: parseWireName("fs_read") }]);
    expect(await two.wireNames.load()).toEqual([{ id: "fs:read", name: "fs_read" }]);
  });
});
