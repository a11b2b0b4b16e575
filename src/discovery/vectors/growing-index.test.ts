import { describe, expect, it } from "vitest";
import { unit } from "../../../test/support/vectors.js";
import type { Log } from "../../base/log.js";
import type { OpenedOutside, OutsideVectorIndex, OutsideVectors } from "../vector-index.js";
import { GrowingVectorIndex } from "./growing-index.js";
import { MemoryVectorIndex } from "./memory-index.js";

const x = unit([1, 0]);
const y = unit([0, 1]);
const BYTES = 2 * Float32Array.BYTES_PER_ELEMENT;

/** An outside whose steps a test takes one by one. */
class Elsewhere implements OutsideVectors {
  readonly name = "elsewhere";
  opened = 0;
  isClosed = false;
  /** Before what it has is told: read, and not yet told. */
  told = Promise.resolve();
  answer: () => Promise<"open" | "none"> = async () => "open";

  async problem() {
    return undefined;
  }

  async open<Key>(): Promise<OpenedOutside<Key>> {
    this.opened += 1;
    if ((await this.answer()) === "none") return { problem: "it is not there" };
    const vectors = new MemoryVectorIndex<Key>();
    const { told } = this;
    const close = () => {
      this.isClosed = true;
    };
    const index: OutsideVectorIndex<Key> = {
      get size() {
        return vectors.size;
      },
      put: (key, vector) => vectors.put(key, vector),
      remove: (key) => vectors.remove(key),
      search: (vector, options) => vectors.search(vector, options),
      cosines: (vector, keys) => vectors.cosines(vector, keys),
      flush: async () => {},
      ready: async () => {},
      async *entries() {
        const read = [...vectors.entries()].map(([key, vector]) => [key, vector.slice()] as const);
        await told;
        yield* read;
      },
      close,
    };
    return { index };
  }
}

function open(outside: OutsideVectors, most: number) {
  const lines: string[] = [];
  const write = (event: string, fields = {}) => {
    lines.push(`${event} ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug() {}, info: write, warn: write, error: write };
  const index = new GrowingVectorIndex<string>({
    outside,
    model: "m",
    collection: "c",
    memoryBytes: most * BYTES,
    log,
  });
  const cosines = async () =>
    Object.fromEntries(
      (await index.search(x, { limit: 50 })).nearest.map(({ key, cosine }) => [key, cosine]),
    );
  return { index, lines, cosines };
}

describe("vectors that move [DI-2]", () => {
  it("into memory are what was put last, though it is told as it was before", async () => {
    const outside = new Elsewhere();
    let tell = () => {};
    outside.told = new Promise((resolve) => {
      tell = resolve;
    });
    const { index, cosines } = open(outside, 3);
    for (const key of ["a", "b", "c", "d"]) index.put(key, x);
    await index.settled();
    expect(index.isOutside).toBe(true);
    for (const key of ["c", "d"]) index.remove(key);
    // It has begun to read.
    await new Promise(setImmediate);
    index.put("a", y);
    index.remove("b");
    index.put("e", x);
    expect(await cosines()).toEqual({ a: 0, e: 1 });
    tell();
    await index.settled();
    expect([index.isOutside, outside.isClosed]).toEqual([false, true]);
    expect(await cosines()).toEqual({ a: 0, e: 1 });
  });

  it("nowhere stay, and try again when there are a tenth more", async () => {
    const outside = new Elsewhere();
    outside.answer = async () => {
      throw new Error("no way");
    };
    const { index, lines, cosines } = open(outside, 19);
    for (let item = 0; item < 21; item += 1) {
      index.put(`${item}`, x);
      await index.settled();
    }
    expect([index.isOutside, outside.opened]).toEqual([false, 1]);
    outside.answer = async () => "none";
    index.put("21", x);
    await index.settled();
    expect(outside.opened).toBe(2);
    expect(Object.keys(await cosines())).toHaveLength(22);
    outside.answer = async () => "open";
    for (const key of ["22", "23", "24"]) index.put(key, x);
    await index.settled();
    expect(index.isOutside).toBe(true);
    expect(Object.keys(await cosines())).toHaveLength(25);
    expect(lines).toEqual([
      'vectors.not_moved {"collection":"c","count":20,"why":"no way"}',
      'vectors.not_moved {"collection":"c","count":22,"why":"it is not there"}',
      'vectors.moved {"collection":"c","to":"elsewhere","count":25}',
    ]);
  });

  it("do not any more once nobody asks, and what was opened is closed", async () => {
    const outside = new Elsewhere();
    let answer = (_: "open") => {};
    outside.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { index } = open(outside, 1);
    index.put("a", x);
    index.put("b", x);
    index.close();
    answer("open");
    await index.settled();
    expect(outside.isClosed).toBe(true);
    index.put("c", x);
    await index.settled();
    expect(outside.opened).toBe(1);
  });
});
