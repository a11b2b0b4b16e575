import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { scratchDirectory } from "../../test/support/databases.js";
import { sized } from "../../test/support/sizes.js";
import { type Log, silentLog } from "../base/log.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openStore } from "./open-store.js";
import { openPglite } from "./pglite-driver.js";
import { PGLITE_POSTGRES_MAJOR, pgliteVersion } from "./pglite-version.js";

const scratch = scratchDirectory();
const opened: Database[] = [];
let count = 0;

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

function newDirectory(): string {
  count += 1;
  mkdirSync(join(scratch, `${count}`));
  return join(scratch, `${count}`, "pgdata");
}

async function open(directory: string, archive?: string | null): Promise<Database> {
  const database = await openPglite({
    directory,
    log: silentLog,
    ...(archive === undefined ? {} : { archive }),
  });
  opened.push(database);
  return database;
}

/** The log events while a store is opened and closed. */
async function eventsOf(dataDir: string): Promise<readonly unknown[]> {
  const info = vi.fn<Log["info"]>();
  const store = await openStore({ dataDir, log: { ...silentLog, info } });
  await store.close();
  return info.mock.calls;
}

/** The number that PostgreSQL keeps in its control file: 1 is a clean shutdown. */
function controlState(directory: string): number {
  return readFileSync(join(directory, "global", "pg_control")).readInt32LE(16);
}

describe("PGlite in a worker", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openPglite({ directory: newDirectory(), log: silentLog });
  });
  afterAll(async () => {
    await database.close();
  });

  it("[ST-1] runs the PostgreSQL that its directories are marked with", async () => {
    const { rows } = await database.query<{ version: string }>("select version()");
    expect(rows[0]?.version).toContain(`PostgreSQL ${PGLITE_POSTGRES_MAJOR}.`);
    expect(rows[0]?.version).toContain(`PGlite ${pgliteVersion()}`);
  });

  it("does not hold up the event loop during a long query", async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await database.query("select sum(g) from generate_series(1, 500000) g");
    clearInterval(timer);
    // There would be no ticks at all if it ran on the main thread.
    expect(ticks).toBeGreaterThan(10);
  });

  it("keeps its memory small: the buffers and the WAL that are asked for are in force", async () => {
    const { rows } = await database.query(
      `select current_setting('shared_buffers') as buffers, current_setting('max_wal_size') as wal,
              current_setting('timezone') as timezone`,
    );
    expect(rows).toEqual([{ buffers: "16MB", wal: "64MB", timezone: "UTC" }]);
  });

  it("sends statements without waiting, and answers each with its own rows", async () => {
    const asked = Array.from({ length: 200 }, (_, index) => index);
    const answers = await Promise.all(
      asked.map((value) =>
        database.query<{ value: number }>({ name: "echo", text: "select $1::int as value" }, [value]),
      ),
    );
    expect(answers.map(({ rows }) => rows[0]?.value)).toEqual(asked);
  });

  it("refuses a value that cannot be sent, and goes on", async () => {
    const unsendable = [() => 1] as unknown as string[];
    await expect(database.query("select $1::text", unsendable)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("could not be cloned"),
    });
    expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("the end of PGlite", () => {
  it("keeps data over close and open, and shuts the cluster down cleanly", async () => {
    const directory = newDirectory();
    const before = await open(directory);
    await before.query("create table kept (id int)");
    await before.query("insert into kept values (7)");
    await before.close();
    expect(controlState(directory)).toBe(1);
    const after = await open(directory);
    expect((await after.query("select id from kept")).rows).toEqual([{ id: 7 }]);
  });

  it("finishes what was asked before close, and refuses what comes after", async () => {
    const database = await open(newDirectory());
    const before = database.transaction((transaction) => transaction.query("select 1 as one"));
    const closing = database.close();
    await expect(database.query("select 2")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringMatching(/^Cannot use the store in ".*": it is closed$/),
    });
    expect((await before).rows).toEqual([{ one: 1 }]);
    await closing;
    await database.close();
  });

  it("closes in spite of a statement that does not end", async () => {
    const database = await openPglite({ directory: newDirectory(), log: silentLog, closeMs: 200 });
    const endless = database.query("select sum(g) from generate_series(1, 10000000000) g");
    const failed = expect(endless).rejects.toMatchObject({ code: "STORE_FAILED" });
    await database.close();
    await failed;
  });

  it("fails everything that waits, and everything after, when the worker dies", async () => {
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const database = await open(newDirectory());
    const long = database.query("select sum(g) from generate_series(1, 100000000) g");
    const inside = database.transaction(async (transaction) => await transaction.query("select 1"));
    await vi.waitFor(() => expect(sent).toHaveBeenCalledTimes(2));
    const worker = sent.mock.contexts.at(-1) as Worker;
    sent.mockRestore();
    await worker.terminate();
    const failure = { code: "STORE_FAILED", message: expect.stringContaining("its thread has ended") };
    await expect(long).rejects.toMatchObject(failure);
    await expect(inside).rejects.toMatchObject(failure);
    await expect(database.query("select 1")).rejects.toMatchObject(failure);
  });
});

describe("opening a directory", () => {
  it("unpacks the prebuilt cluster, migrations and all, the first time", async () => {
    const dataDir = join(newDirectory(), "..");
    expect(await eventsOf(dataDir)).toEqual([
      ["store.opened", expect.objectContaining({ origin: "archive" })],
    ]);
    expect(await eventsOf(dataDir)).toEqual([
      ["store.opened", expect.objectContaining({ origin: "existing" })],
    ]);
  });

  it("runs initdb without a prebuilt cluster, and gives the same", async () => {
    const database = await open(newDirectory(), null);
    expect(await migrate(database, MIGRATIONS)).toEqual(MIGRATIONS.map(({ id }) => id));
  });

  it("says why a directory is refused, which it is, and what to do", async () => {
    const directory = newDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "PG_VERSION"), "17\n");
    await expect(open(directory)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining(
        `Cannot use the store in "${directory}": it was written by PostgreSQL 17`,
      ),
      hint: expect.stringContaining("pml backup"),
    });
  });

  it("says so when the data is damaged, and the process goes on", async () => {
    const directory = newDirectory();
    await (await open(directory)).close();
    writeFileSync(join(directory, "global", "pg_control"), "nonsense");
    await expect(open(directory)).rejects.toMatchObject({ code: "STORE_FAILED" });
  });
});

it("[ST-2] loses no acknowledged write when its process is killed", async () => {
  const script = fileURLToPath(new URL("../../scripts/kill-rounds.mjs", import.meta.url));
  const rounds = sized(10, 2);
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(rounds)]);
  expect(JSON.parse(stdout)).toMatchObject({ rounds, lost: 0, torn: 0, unopenable: 0 });
});
