import { describe, expect, it } from "vitest";
import { describeVectorIndex } from "../../test/suites/vector-index.suite.js";
import { databases } from "../../test/support/databases.js";
import { openVectorDatabase } from "../../test/support/vector-database.js";
import { mixture, randomFrom, unit } from "../../test/support/vectors.js";
import { silentLog } from "../base/log.js";
import { MemoryVectorIndex } from "../discovery/vectors/memory-index.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openPgVectorIndex, type PgVectorIndexOptions } from "./pgvector-index.js";
import { PostgresVectorStore } from "./vector-store.js";

let database: Promise<Database> | undefined;
const open = (): Promise<Database> => {
  database ??= openVectorDatabase();
  return database;
};

async function tableOf(collection: string): Promise<string> {
  const { rows } = await (await open()).query<{ readonly name: string }>(
    "select name from vector_space where collection = $1",
    [collection],
  );
  return rows[0]?.name ?? "";
}

async function rowsOf(collection: string) {
  return (await (await open()).query(`select id, xmin::text from ${await tableOf(collection)} order by id`))
    .rows;
}

let collections = 0;
async function openIndex(dimensions: number, more: Partial<PgVectorIndexOptions> = {}) {
  collections += 1;
  const opened = await openPgVectorIndex<string>({
    database: await open(),
    log: silentLog,
    model: "a model",
    collection: `collection ${collections}`,
    dimensions,
    ...more,
  });
  if (opened.index === undefined) throw new Error(opened.problem);
  const { index } = opened;
  await index.ready();
  return { index, settled: () => index.flush() };
}

const options = { log: silentLog, model: "m", collection: "c", dimensions: 3 };
const x = unit([1, 0, 0]);
const y = unit([0, 1, 0]);

describe("a database without pgvector", () => {
  it.each(databases())("[DI-2] $name has no index of its own, and is not asked again", async (target) => {
    const database = await target.open();
    expect(await openPgVectorIndex({ ...options, database })).toEqual({
      problem: "PostgreSQL does not have the extension pgvector",
    });
    const { rows } = await database.query("select 1 from pg_tables where tablename like 'vector_%'");
    expect(rows).toEqual([]);
  });

  it("[DI-2] has none where the user may not create the extension", async () => {
    const database = await open();
    // Roles belong to the whole server, so an earlier test may have created it.
    await database.query("drop role if exists guest");
    await database.query("create role guest");
    await database.query("set role guest");
    const refused = await openPgVectorIndex({ ...options, database });
    await database.query("reset role");
    expect(refused).toEqual({ problem: "this user may not create the extension pgvector" });
    expect(await openPgVectorIndex({ ...options, database })).toHaveProperty("index");
  });

  it("[DI-2] has none where pgvector is too old", async () => {
    const database = await open();
    await openPgVectorIndex({ ...options, database });
    const [{ version }] = (
      await database.query<{ readonly version: string }>(
        "select extversion as version from pg_extension where extname = 'vector'",
      )
    ).rows as [{ readonly version: string }];
    const pretend = (other: string) =>
      database.query("update pg_extension set extversion = $1 where extname = 'vector'", [other]);
    await pretend("0.7.4");
    const old = await openPgVectorIndex({ ...options, database });
    await pretend(version);
    expect(old).toEqual({ problem: "pgvector 0.7.4 is older than 0.8" });
  });

  it("[DI-2] has none for vectors that are longer than its indexes take", async () => {
    expect(await openPgVectorIndex({ ...options, database: await open(), dimensions: 2_001 })).toEqual({
      problem: "pgvector indexes vectors of at most 2000 dimensions, and these have 2001",
    });
  });
});

describeVectorIndex("pgvector, one by one", (dimensions) => openIndex(dimensions));
describeVectorIndex("pgvector, HNSW", (dimensions) => openIndex(dimensions, { indexedFrom: 1 }));

describe("vectors in PostgreSQL", () => {
  it("[DI-2] are one row for all who have the same, and each finds its own", async () => {
    const collection = "shared";
    const { index: one } = await openIndex(3, { collection });
    const { index: other } = await openIndex(3, { collection });
    one.put("a", x);
    one.put("b", y);
    other.put("c", x);
    await one.flush();
    await other.flush();
    expect((await one.search(x, { limit: 5 })).nearest.map(({ key }) => key)).toEqual(["a", "b"]);
    expect((await other.search(x, { limit: 5 })).nearest.map(({ key }) => key)).toEqual(["c"]);
    expect(await rowsOf(collection)).toHaveLength(2);
    one.put("a", y);
    one.remove("b");
    await one.flush();
    expect((await other.search(x, { limit: 5 })).nearest).toEqual([{ key: "c", cosine: 1 }]);
    expect((await one.search(y, { limit: 5 })).nearest).toEqual([{ key: "a", cosine: 1 }]);
  });

  it.each([1, 2_000])(
    "[DI-2] are found once while they wait, though another gateway has written them (index from %i)",
    async (indexedFrom) => {
      const collection = `waiting ${indexedFrom}`;
      const { index: one } = await openIndex(3, { collection, indexedFrom });
      const { index: other } = await openIndex(3, { collection, indexedFrom });
      one.put("a", x);
      other.put("b", unit([0.8, 0.6, 0]));
      other.put("d", y);
      await one.flush();
      await other.flush();
      other.put("c", x);
      const found = await other.search(x, { limit: 2 });
      expect(found.nearest.map(({ key }) => key)).toEqual(["c", "b"]);
      expect(found.mean).toBeCloseTo(0.6, 6);
    },
  );

  it("[DI-2] go when the last who has them has let them go, after some days", async () => {
    const collection = "going";
    const { index: one } = await openIndex(3, { collection });
    const { index: other } = await openIndex(3, { collection });
    for (const [key, vector] of Object.entries({ x, y })) one.put(key, vector);
    other.put("x", x);
    await one.flush();
    await other.flush();
    one.remove("x");
    one.remove("y");
    await one.flush();
    const aged = async (days: number) => {
      const database = await open();
      await database.query(
        `update ${await tableOf(collection)} set used_at = used_at - make_interval(days => $1)`,
        [days],
      );
    };
    await one.keep();
    expect(await rowsOf(collection)).toHaveLength(2);
    await aged(1);
    await other.keep();
    await aged(2);
    await one.keep();
    expect(await rowsOf(collection)).toHaveLength(1);
    expect((await other.search(x, { limit: 5 })).nearest).toEqual([{ key: "x", cosine: 1 }]);
    // The vector is added again although its row is gone.
    one.put("y", y);
    await one.flush();
    expect((await one.search(y, { limit: 5 })).nearest).toEqual([{ key: "y", cosine: 1 }]);
    other.close();
    await aged(31);
    await one.keep();
    expect(await rowsOf(collection)).toHaveLength(1);
  });

  it("[DI-2] are not written again by a gateway that starts, though what it has is rounded", async () => {
    const database = await open();
    const collection = "unchanged";
    const store = new PostgresVectorStore(database);
    await migrate(database, MIGRATIONS);
    const { index } = await openIndex(3, { collection });
    const fresh = new Map([
      ["aa", unit([1, 2, 3])],
      ["bb", unit([-3, 5, 0.1])],
    ]);
    for (const [key, vector] of fresh) index.put(key, vector);
    await index.flush();
    await store.put("m", fresh);
    const before = await rowsOf(collection);
    const { index: next } = await openIndex(3, { collection });
    for (const [key, vector] of await store.get("m", [...fresh.keys()])) next.put(key, vector);
    await next.flush();
    expect(await rowsOf(collection)).toEqual(before);
    expect(next.size).toBe(2);
    next.put("aa", y);
    await next.flush();
    expect(await rowsOf(collection)).toHaveLength(3);
  });

  it("[DI-2] are all told, with what waits to be written", async () => {
    const { index } = await openIndex(3);
    for (const [key, vector] of Object.entries({ a: x, b: x, c: y })) index.put(key, vector);
    await index.flush();
    const z = unit([0, 0, 1]);
    index.put("d", z);
    const told = new Map<string, Float32Array>();
    for await (const [key, vector] of index.entries()) told.set(key, vector);
    expect(told).toEqual(new Map(Object.entries({ a: x, b: x, c: y, d: z })));
  });

  it("[DI-2] of two models, or of two collections, never meet", async () => {
    const { index: one } = await openIndex(3, { model: "one", collection: "c" });
    const { index: other } = await openIndex(3, { model: "other", collection: "c" });
    const { index: third } = await openIndex(3, { model: "one", collection: "d" });
    one.put("a", x);
    other.put("a", y);
    await one.flush();
    await other.flush();
    expect((await one.search(x, { limit: 5 })).nearest).toEqual([{ key: "a", cosine: 1 }]);
    expect((await other.search(x, { limit: 5 })).nearest).toEqual([{ key: "a", cosine: 0 }]);
    expect((await third.search(x, { limit: 5 })).nearest).toEqual([]);
  });

  it("[DI-2] of a gateway that runs for months are not dropped", async () => {
    const database = await open();
    const { index } = await openIndex(3, { model: "steady", collection: "c" });
    index.put("a", x);
    await index.flush();
    await database.query(
      "update vector_space set used_at = now() - interval '31 days' where model = 'steady'",
    );
    await index.keep();
    await openIndex(3);
    expect((await index.search(x, { limit: 1 })).nearest).toEqual([{ key: "a", cosine: 1 }]);
  });

  it("[DI-2] of a model that was not used for a month are dropped", async () => {
    const database = await open();
    const { index } = await openIndex(3, { model: "old", collection: "c" });
    index.put("a", x);
    await index.flush();
    await database.query("update vector_space set used_at = now() - interval '31 days' where model = 'old'");
    await openIndex(3);
    await expect(index.search(x, { limit: 1 })).rejects.toMatchObject({ code: "STORE_FAILED" });
    const { index: again } = await openIndex(3, { model: "old", collection: "c" });
    expect(again.size).toBe(0);
  });

  it("[DI-2] are kept and written later, when the store does not take them", async () => {
    const database = await open();
    let isDown = false;
    const query: Database["query"] = async (statement, values) => {
      if (isDown) throw new Error("gone");
      return await database.query(statement, values);
    };
    const flaky: Database = {
      ...database,
      kind: "postgres",
      query,
      transaction: (work) => database.transaction(work),
      close: async () => {},
    };
    const { index } = await openIndex(3, { database: flaky });
    isDown = true;
    index.put("a", x);
    index.put("b", x);
    await expect(index.flush()).rejects.toMatchObject({ code: "STORE_FAILED" });
    index.put("b", y);
    isDown = false;
    const both = [
      { key: "a", cosine: 1 },
      { key: "b", cosine: 0 },
    ];
    expect((await index.search(x, { limit: 5 })).nearest).toEqual(both);
    await index.flush();
    expect((await index.search(x, { limit: 5 })).nearest).toEqual(both);
  });

  it("[DI-1] [DI-2] are found by their index as they are in memory, also where few are accepted", async () => {
    const draw = mixture(randomFrom(1), 32, 100, 0.7);
    const { index } = await openIndex(32);
    const memory = new MemoryVectorIndex<string>();
    for (let item = 0; item < 2_500; item += 1) {
      const vector = draw();
      index.put(`${item}`, vector);
      memory.put(`${item}`, vector);
    }
    await index.flush();
    const { rows } = await (await open()).query(
      "select 1 from pg_indexes where indexname like 'vector_item_%_near' and tablename = any(select name from vector_space where dimensions = 32)",
    );
    expect(rows).toHaveLength(1);
    for (const accepts of [
      undefined,
      (key: string) => Number(key) % 3 === 0,
      (key: string) => Number(key) % 300 === 0,
    ]) {
      let shared = 0;
      let all = 0;
      for (let time = 0; time < 10; time += 1) {
        const query = draw();
        const search = { limit: 10, ...(accepts && { accepts }) };
        const [expected, found] = [await memory.search(query, search), await index.search(query, search)];
        const keys = new Set(found.nearest.map(({ key }) => key));
        all += expected.nearest.length;
        shared += expected.nearest.filter(({ key }) => keys.has(key)).length;
        expect(found.nearest).toHaveLength(expected.nearest.length);
        expect(Math.abs(found.mean - expected.mean)).toBeLessThan(expected.deviation / 3);
        expect(found.deviation / expected.deviation).toBeGreaterThan(0.7);
        expect(found.deviation / expected.deviation).toBeLessThan(1.3);
      }
      expect(shared / all).toBeGreaterThanOrEqual(0.95);
    }
  });
});
