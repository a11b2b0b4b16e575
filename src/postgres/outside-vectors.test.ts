import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { describeVectorIndex } from "../../test/suites/vector-index.suite.js";
import { inSchema, newSchemaName, postgresUrl, scratchDirectory } from "../../test/support/databases.js";
import { startVectorServer, type VectorServer } from "../../test/support/vector-server.js";
import { mixture, randomFrom, unit } from "../../test/support/vectors.js";
import type { Log } from "../base/log.js";
import { silentLog } from "../base/log.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import { GrowingVectorIndex } from "../discovery/vectors/growing-index.js";
import { MemoryVectorIndex } from "../discovery/vectors/memory-index.js";
import { openStore, type Store } from "./open-store.js";
import { openPostgres } from "./pg-driver.js";

const DIMENSIONS = 32;
/** The least share of the ten nearest that two kinds of index must have in common. */
const OVERLAP = 0.95;

let started: Promise<VectorServer> | undefined;
function server(): Promise<VectorServer> {
  started ??= startVectorServer();
  return started;
}

/** Opens the store as a gateway does. */
async function openOutside(url: string): Promise<OutsideVectors> {
  const store = await openStore({ url, dataDir: "", log: silentLog });
  onTestFinished(() => store.close());
  if (store.outsideVectors === undefined) throw new Error("a server may have vectors");
  return store.outsideVectors;
}

let collections = 0;
function growing(outside: OutsideVectors, most: number, more: { collection?: string; log?: Log } = {}) {
  collections += 1;
  const index = new GrowingVectorIndex<string>({
    outside,
    model: "a model",
    collection: `${collections}`,
    memoryBytes: most * DIMENSIONS * Float32Array.BYTES_PER_ELEMENT,
    ...more,
  });
  onTestFinished(() => index.close());
  return index;
}

/** A log that keeps its lines as text. */
function written(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (event: string, fields = {}) => {
    lines.push(`${event} ${JSON.stringify(fields)}`);
  };
  return { lines, debug() {}, info: write, warn: write, error: write };
}

const x = unit(Array.from({ length: DIMENSIONS }, (_, at) => (at === 0 ? 1 : 0)));

describe("a gateway's vectors", () => {
  let store: Promise<Store> | undefined;
  afterAll(async () => (await store)?.close());
  describeVectorIndex("in memory and with pgvector, back and forth", async (dimensions) => {
    const { url } = await server();
    store ??= openStore({ url, dataDir: "", log: silentLog });
    collections += 1;
    const index = new GrowingVectorIndex<string>({
      outside: (await store).outsideVectors as OutsideVectors,
      model: "a model",
      collection: `${collections}`,
      memoryBytes: 40 * dimensions * Float32Array.BYTES_PER_ELEMENT,
    });
    return { index, settled: () => index.settled() };
  });
});

describe("more vectors than memory should hold", () => {
  it("[DI-2] move to pgvector, where the same is found within the overlap, and back", async () => {
    const log = written();
    const index = growing(await openOutside((await server()).url), 2_200, { log });
    const memory = new MemoryVectorIndex<string>();
    const draw = mixture(randomFrom(1), DIMENSIONS, 100, 0.7);
    const put = (item: number) => {
      const vector = draw();
      index.put(`${item}`, vector);
      memory.put(`${item}`, vector);
    };
    const expectSame = async () => {
      let common = 0;
      for (let time = 0; time < 10; time += 1) {
        const query = draw();
        const [expected, found] = [
          await memory.search(query, { limit: 10 }),
          await index.search(query, { limit: 10 }),
        ];
        const keys = new Set(found.nearest.map(({ key }) => key));
        common += expected.nearest.filter(({ key }) => keys.has(key)).length;
        expect(found.nearest).toHaveLength(10);
        expect(Math.abs(found.mean - expected.mean)).toBeLessThan(expected.deviation / 3);
      }
      expect(common / 100).toBeGreaterThanOrEqual(OVERLAP);
    };
    for (let item = 0; item < 2_200; item += 1) put(item);
    await index.settled();
    expect(index.isOutside).toBe(false);
    for (let item = 2_200; item < 2_400; item += 1) put(item);
    // Vectors are added, changed and removed while they are moved.
    await new Promise(setImmediate);
    for (let item = 2_300; item < 2_500; item += 1) put(item);
    for (let item = 0; item < 50; item += 1) {
      index.remove(`${item}`);
      memory.remove(`${item}`);
    }
    await expectSame();
    await index.settled();
    expect(index.isOutside).toBe(true);
    expect(index.size).toBe(2_450);
    await expectSame();
    for (let item = 50; item < 1_000; item += 1) {
      index.remove(`${item}`);
      memory.remove(`${item}`);
      if (item === 970) await new Promise(setImmediate);
    }
    put(1_500);
    await index.settled();
    expect(index.isOutside).toBe(false);
    expect(index.size).toBe(1_500);
    await expectSame();
    const everything = await index.search(x, { limit: 2_000 });
    expect(new Set(everything.nearest.map(({ key }) => key))).toEqual(
      new Set((await memory.search(x, { limit: 2_000 })).nearest.map(({ key }) => key)),
    );
    expect(log.lines.map((line) => line.slice(0, line.indexOf(',"count"')))).toEqual([
      `vectors.moved {"collection":"${collections}","to":"pgvector"`,
      `vectors.moved {"collection":"${collections}","to":"memory"`,
    ]);
  }, 60_000);

  it("[DI-2] of two gateways on one store are each its own, also while both move", async () => {
    const { url } = await server();
    const [one, other] = [
      growing(await openOutside(url), 50, { collection: "two" }),
      growing(await openOutside(url), 50, { collection: "two" }),
    ];
    const draw = mixture(randomFrom(2), DIMENSIONS, 20, 0.7);
    const common = Array.from({ length: 60 }, draw);
    for (const [item, vector] of common.entries()) {
      one.put(`common ${item}`, vector);
      other.put(`common ${59 - item}`, common[59 - item] as Float32Array);
    }
    one.put("same name", draw());
    other.put("same name", draw());
    other.put("other's", draw());
    await Promise.all([one.settled(), other.settled()]);
    expect([one.isOutside, other.isOutside]).toEqual([true, true]);
    for (let item = 0; item < 15; item += 1) one.remove(`common ${item}`);
    const keys = async (index: GrowingVectorIndex<string>) =>
      new Set((await index.search(x, { limit: 100 })).nearest.map(({ key }) => key));
    const all = common.map((_, item) => `common ${item}`);
    const others = new Set([...all, "same name", "other's"]);
    expect(await keys(one)).toEqual(new Set([...all.slice(15), "same name"]));
    expect(await keys(other)).toEqual(others);
    // One index goes back to memory; the other keeps its vectors.
    for (let item = 15; item < 60; item += 1) one.remove(`common ${item}`);
    await one.settled();
    expect(one.isOutside).toBe(false);
    expect(await keys(one)).toEqual(new Set(["same name"]));
    expect(await keys(other)).toEqual(others);
  });

  it("[DI-2] are not near for as long as the database is away, and are again when it is back", async () => {
    const vectors = await server();
    const log = written();
    const index = growing(await openOutside(vectors.url), 1, { log });
    for (const key of ["a", "b", "c"]) index.put(key, x);
    await index.settled();
    expect(index.isOutside).toBe(true);
    vectors.isDown = true;
    try {
      for (const _ of [1, 2])
        expect(await index.search(x, { limit: 5 })).toEqual({ nearest: [], mean: 0, deviation: 0 });
      expect(await index.cosines(x, ["a"])).toEqual(new Map());
      index.put("d", x);
    } finally {
      vectors.isDown = false;
    }
    expect((await index.search(x, { limit: 5 })).nearest).toHaveLength(4);
    expect(log.lines.filter((line) => line.startsWith("vectors.not_searched"))).toHaveLength(1);
  });

  it("[DI-2] stay where PostgreSQL has no pgvector, which is said once", async () => {
    const schema = newSchemaName();
    const url = await postgresUrl(18);
    const admin = await openPostgres(url, silentLog);
    await admin.query(`create schema ${schema}`);
    await admin.close();
    const outside = await openOutside(inSchema(url, schema));
    expect(await outside.problem()).toBe("PostgreSQL does not have the extension pgvector");
    const log = written();
    const index = growing(outside, 10, { log });
    for (let item = 0; item < 20; item += 1) {
      index.put(`${item}`, x);
      await index.settled();
    }
    expect(index.isOutside).toBe(false);
    expect((await index.search(x, { limit: 50 })).nearest).toHaveLength(20);
    expect(log.lines).toEqual([
      `vectors.not_moved {"collection":"${collections}","count":11,"why":"PostgreSQL does not have the extension pgvector"}`,
    ]);
  });

  it("[DI-2] have no place outside where the store is embedded", async () => {
    const store = await openStore({ dataDir: scratchDirectory(), log: silentLog });
    expect(store.outsideVectors).toBeUndefined();
    await store.close();
  });
});
