import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  countRecord,
  insertRecord,
  newId,
  Told,
  tagRecord,
  withAnswers,
} from "../../test/support/change-feeds.js";
import { inSchema, newSchemaName, postgresUrl } from "../../test/support/databases.js";
import { sized } from "../../test/support/sizes.js";
import { type Log, silentLog } from "../base/log.js";
import { type ChangeFeedOptions, PostgresChangeFeed } from "./change-feed.js";
import type { Database, Queryable } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openPostgres } from "./pg-driver.js";

const NEVER_MS = 2 ** 31 - 1;

describe.each(sized([15, 18] as const, [18] as const))("the change feed on PostgreSQL %i", (major) => {
  let url: string;
  let writer: Database;
  let reader: Database;
  const feeds: PostgresChangeFeed[] = [];
  const opened: Database[] = [];

  beforeAll(async () => {
    const schema = newSchemaName();
    url = inSchema(await postgresUrl(major), schema);
    writer = await open();
    await writer.query(`create schema ${schema}`);
    await migrate(writer, MIGRATIONS);
    reader = await open();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
  });

  async function open(applicationName = "pml"): Promise<Database> {
    const named = new URL(url);
    named.searchParams.set("application_name", applicationName);
    const database = await openPostgres(named.href, silentLog);
    opened.push(database);
    return database;
  }

  async function start(
    options: Partial<ChangeFeedOptions> = {},
    told = new Told(),
  ): Promise<{ feed: PostgresChangeFeed; told: Told }> {
    const feed = new PostgresChangeFeed({ database: reader, log: silentLog, ...options });
    feeds.push(feed);
    await feed.start(told);
    return { feed, told };
  }

  it("[ST-3] tells another gateway of what is added, changed, renamed and deleted", async () => {
    const id = newId();
    const { told } = await start();
    const said: string[] = [];
    const tellsOf = async (text: string, write: () => Promise<unknown>) => {
      await write();
      said.push(text);
      await told.waitFor(...said);
    };
    await tellsOf(id, () => insertRecord(writer, id));
    await tellsOf(id, () => tagRecord(writer, id));
    await tellsOf(id, () =>
      writer.transaction(async (transaction) => {
        await transaction.query("update capability_records set display_name = 'new' || id where id = $1", [
          id,
        ]);
        await transaction.query(
          `insert into capability_aliases (alias, alias_fold, org, project, target_fqdn)
           values ($1, $1, 'local', 'default', $1)`,
          [id],
        );
      }),
    );
    await tellsOf(id, () =>
      writer.query("update capability_records set deleted_at = now() where id = $1", [id]),
    );
    await tellsOf(id, () =>
      writer.transaction(async (transaction) => {
        await transaction.query("delete from capability_aliases where alias = $1", [id]);
        await transaction.query("delete from capability_records where id = $1", [id]);
      }),
    );
    await tellsOf("servers", () =>
      writer.query(
        `insert into capability_records (id, display_name, display_name_fold, record_type, org, project, namespace,
           action, hash, created_by)
         values ($1, $1, $1, 'mcp-server', 'local', 'default', 'mcp', $1, '0000', 'me')`,
        [newId()],
      ),
    );
    await tellsOf("keys", () =>
      writer.query("insert into trusted_keys (public_key, name, trusted_by) values ($1, 'x', 'me')", [id]),
    );
    await tellsOf("keys", () =>
      writer.query("update trusted_keys set name = 'y' where public_key = $1", [id]),
    );
    await tellsOf("keys", () => writer.query("delete from trusted_keys where public_key = $1", [id]));
  });

  it("[ST-3] tells a capability once that one transaction has changed several times", async () => {
    const [one, two] = [newId(), newId()];
    const { told } = await start();
    await writer.transaction(async (transaction) => {
      await insertRecord(transaction, one);
      await insertRecord(transaction, two);
      await tagRecord(transaction, one);
      await countRecord(transaction, one);
    });
    await told.waitFor(`${one} ${two}`);
  });

  it("[ST-3] tells a capability once that several transactions have changed since", async () => {
    const [first, often] = [newId(), newId()];
    const { told } = await start();
    let release = (): void => undefined;
    const isTelling = new Promise<void>((resolve) => {
      told.before = () => {
        resolve();
        return new Promise((go) => {
          release = go;
        });
      };
    });
    await insertRecord(writer, first);
    await isTelling;
    await insertRecord(writer, often);
    await tagRecord(writer, often);
    told.before = () => Promise.resolve();
    release();
    await told.waitFor(first, often);
  });

  it("[ST-3] loses nothing of a transaction that began first and commits last, and tells nothing twice", async () => {
    const [late, early, last] = [newId(), newId(), newId()];
    const { told } = await start();
    await writer.transaction(async (transaction) => {
      await insertRecord(transaction, late);
      // While this transaction is open, it does not delay the changes of others.
      await insertRecord(writerBeside(), early);
      await told.waitFor(early);
    });
    await told.waitFor(early, late);
    await insertRecord(writer, last);
    await told.waitFor(early, late, last);
  });

  /** Used inside a transaction of the writer. */
  function writerBeside(): Queryable {
    return reader;
  }

  it("[ST-3] tells of a transaction that was under way when it was started", async () => {
    const id = newId();
    const told = new Told();
    await writer.transaction(async (transaction) => {
      await insertRecord(transaction, id);
      await start({}, told);
    });
    await told.waitFor(id);
  });

  it("tells nothing of what was rolled back, also of a part of a transaction", async () => {
    const [gone, undone, kept] = [newId(), newId(), newId()];
    const { told } = await start();
    const rolledBack = writer.transaction(async (transaction) => {
      await insertRecord(transaction, gone);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await writer.transaction(async (transaction) => {
      await transaction.query("savepoint part");
      await insertRecord(transaction, undone);
      await transaction.query("rollback to savepoint part");
      await transaction.query("savepoint part");
      await insertRecord(transaction, kept);
      await transaction.query("release savepoint part");
    });
    await told.waitFor(kept);
  });

  it("[ST-3] is woken by those who change something", async () => {
    const [first, second] = [newId(), newId()];
    const { told } = await start({ pollMs: NEVER_MS });
    // The first may be found when listening begins.
    await insertRecord(writer, first);
    await told.waitFor(first);
    await insertRecord(writer, second);
    await told.waitFor(first, second);
  });

  it("[ST-3] finds changes without a notification", async () => {
    const id = newId();
    const { told } = await start({ database: withAnswers(reader, (ask) => ask()) });
    await insertRecord(writer, id);
    await told.waitFor(id);
  });

  it("does not wake anybody for counters, which are found all the same", async () => {
    const [counted, changed] = [newId(), newId()];
    await insertRecord(writer, counted);
    await insertRecord(writer, changed);
    const { rows } = await writer.query<{ schema: string }>("select current_schema() as schema");
    const heard: string[] = [];
    // Stores share servers in these tests, so notifications of other schemas arrive too.
    const hear = (schema: string) => (schema === rows[0]?.schema ? void heard.push(schema) : undefined);
    const stop = await reader.listen?.("pml_change", hear, () => undefined);
    const { told } = await start();
    await countRecord(writer, counted);
    await told.waitFor(counted);
    await tagRecord(writer, changed);
    await told.waitFor(counted, changed);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    await stop?.();
  });

  it("[ST-3] listens again after its connection was lost, and says so once", async () => {
    const name = newSchemaName();
    const warn = vi.fn<Log["warn"]>();
    const info = vi.fn<Log["info"]>();
    const database = await open(name);
    const { told } = await start({ database, pollMs: NEVER_MS, log: { ...silentLog, warn, info } });
    const [before, during, after] = [newId(), newId(), newId()];
    await insertRecord(writer, before);
    await told.waitFor(before);
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = $1 and query like 'listen %'`;
    await vi.waitFor(async () => expect((await writer.query(kill, [name])).rowCount).toBe(1));
    await insertRecord(writer, during);
    await told.waitFor(before, during);
    await vi.waitFor(() => expect(info).toHaveBeenCalledWith("store.listening_again", expect.anything()), {
      timeout: 20_000,
    });
    await insertRecord(writer, after);
    await told.waitFor(before, during, after);
    expect(warn.mock.calls.map(([event]) => event)).toEqual(["store.listening_lost"]);
  });

  it("[ST-3] tells again what its listener has failed to take, and says so once", async () => {
    const warn = vi.fn<Log["warn"]>();
    const info = vi.fn<Log["info"]>();
    const { told } = await start({ log: { ...silentLog, warn, info } });
    let failures = 0;
    told.before = async () => {
      failures += 1;
      if (failures < 3) throw new Error("the store is away");
    };
    const id = newId();
    await insertRecord(writer, id);
    await told.waitFor(id);
    expect(failures).toBe(3);
    expect(warn.mock.calls).toEqual([["store.changes_unknown", { message: "the store is away" }]]);
    await vi.waitFor(() => expect(info).toHaveBeenCalledWith("store.changes_known"));
  });

  it("tells many changes in pages", async () => {
    const ids = [newId(), newId(), newId(), newId(), newId()];
    for (const id of ids) await insertRecord(writer, id);
    const { told } = await start({ pageItems: 2 });
    await writer.transaction(async (transaction) => {
      for (const id of ids) await tagRecord(transaction, id);
      await transaction.query("delete from trusted_keys");
    });
    await told.waitFor(`${ids[0]} ${ids[1]}`, `${ids[2]} ${ids[3]}`, `${ids[4]}`, "keys");
  });

  it.each([
    ["the server was started anew", { server: "another run" }],
    ["the log may have been pruned since", { taken_at: new Date(Date.now() + 31 * 60_000) }],
  ])("has everything read again when %s, once", async (_, answer) => {
    let changed = {};
    const database = withAnswers(reader, async (ask) =>
      (await ask()).map((row) => ("taken_at" in row ? { ...row, ...changed } : row)),
    );
    const { told } = await start({ database });
    changed = answer;
    await told.waitFor("all");
    const id = newId();
    await insertRecord(writer, id);
    await told.waitFor("all", id);
  });

  it("[ST-3] knows the newest state of everything after three gateways have written at once", async () => {
    const ids = Array.from({ length: 20 }, newId);
    for (const id of ids) await insertRecord(writer, id);
    const memory = new Map<string, number>();
    const told = new Told();
    const states = "select id, revision from capability_records where id = any ($1::text[]) order by id";
    const learn = async (database: Database, wanted: readonly string[]) => {
      const { rows } = await database.query<{ id: string; revision: number }>(states, [wanted]);
      return rows.map(({ id, revision }) => [id, revision] as const);
    };
    told.before = async (text) => {
      for (const [id, revision] of await learn(reader, text.split(" "))) memory.set(id, revision);
    };
    await start({}, told);
    const write = async (seed: number) => {
      const database = await open();
      for (let round = 0; round < 200; round += 1) {
        const first = (round * 7 + seed * 5) % ids.length;
        const both = [first, (first + 1 + (round % 3)) % ids.length].sort((a, b) => a - b);
        await database.transaction(async (transaction) => {
          for (const index of both)
            await (round % 4 === 0 ? countRecord : tagRecord)(transaction, `${ids[index]}`);
          if (round % 5 === seed) await transaction.query("select pg_sleep(0.005)");
        });
      }
    };
    await Promise.all([write(0), write(1), write(2)]);
    const truth = await learn(writer, ids);
    await vi.waitFor(() => expect(memory).toEqual(new Map(truth)), { timeout: 20_000 });
  });

  describe("whether memory is fresh", () => {
    function letTimePass(): void {
      const now = performance.now.bind(performance);
      vi.spyOn(performance, "now").mockImplementation(() => now() + 2_000);
    }

    it("[ST-3] is known at once after a reading, and else after the next", async () => {
      const database = withAnswers(reader, (ask) => ask());
      const { feed, told } = await start({ database, pollMs: NEVER_MS });
      await vi.waitFor(() => expect(feed.fresh()).toBeUndefined());
      const id = newId();
      await insertRecord(writer, id);
      letTimePass();
      await feed.fresh();
      expect(told.texts).toEqual([id]);
      expect(feed.fresh()).toBeUndefined();
    });

    it("is not waited for when the store is away, or does not answer", async () => {
      let answer: (ask: () => Promise<object[]>) => Promise<object[]> = (ask) => ask();
      const database = withAnswers(reader, (ask) => answer(ask));
      const { feed, told } = await start({ database, pollMs: NEVER_MS });
      letTimePass();
      answer = () => Promise.reject(new Error("away"));
      await feed.fresh();
      let release = (): void => undefined;
      answer = (ask) =>
        new Promise((resolve) => {
          release = () => resolve(ask());
        });
      // The second call does not wait as long as the first.
      await feed.fresh();
      await feed.fresh();
      expect(told.texts).toEqual([]);
      release();
    });
  });

  it("waits for its listener when it is stopped, gives its connection back, and tells nothing more", async () => {
    const name = newSchemaName();
    const { feed, told } = await start({ database: await open(name), pollMs: NEVER_MS });
    let release = (): void => undefined;
    const isTelling = new Promise<void>((resolve) => {
      told.before = () => {
        resolve();
        return new Promise((go) => {
          release = go;
        });
      };
    });
    const [taken, missed] = [newId(), newId()];
    await insertRecord(writer, taken);
    await isTelling;
    let isStopped = false;
    const stopped = feed.stop().then(() => {
      isStopped = true;
    });
    await insertRecord(writer, missed);
    const listening = "select from pg_stat_activity where application_name = $1 and query like 'listen %'";
    await vi.waitFor(async () => expect((await writer.query(listening, [name])).rowCount).toBe(0));
    expect(isStopped).toBe(false);
    release();
    await stopped;
    expect(told.texts).toEqual([taken]);
    expect(feed.fresh()).toBeUndefined();
  });

  it("cannot be started on a store that is away", async () => {
    const database = withAnswers(reader, () => Promise.reject(new Error("away")));
    await expect(start({ database })).rejects.toThrow("away");
  });
});
