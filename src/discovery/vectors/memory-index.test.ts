import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeVectorIndex } from "../../../test/suites/vector-index.suite.js";
import { cosineOf, mixture, randomFrom, randomVector, unit } from "../../../test/support/vectors.js";
import type { VectorSearchOptions } from "../vector-index.js";
import { candidatesOf, type MemoryIndexOptions, MemoryVectorIndex } from "./memory-index.js";

const NEVER = { codedFrom: Number.POSITIVE_INFINITY };

for (const [name, options] of Object.entries({
  "in memory, one by one": NEVER,
  "in memory, with codes from the first": { codedFrom: 1 },
  "in memory, with codes that come and go": { codedFrom: 40, exactBelow: 20 },
  "in memory": {},
} satisfies Record<string, MemoryIndexOptions>)) {
  describeVectorIndex(name, async () => {
    const index = new MemoryVectorIndex<string>(options);
    return { index, settled: () => index.settled() };
  });
}

/** Few numbers each: what is tested is which are found, and not how fast. */
const DIMENSIONS = 64;
/** More than this, and codes are worth it. */
const MANY = 4 * candidatesOf(0, 10);

function filled(options: MemoryIndexOptions, count: number, seed = 1) {
  const draw = mixture(randomFrom(seed), DIMENSIONS, Math.max(100, Math.ceil(count / 30)), 0.7);
  const index = new MemoryVectorIndex<number>(options);
  const exact = new MemoryVectorIndex<number>(NEVER);
  const vectors = new Map<number, Float32Array>();
  const put = (key: number) => {
    const vector = draw();
    index.put(key, vector);
    exact.put(key, vector);
    vectors.set(key, vector);
  };
  const remove = (key: number) => {
    index.remove(key);
    exact.remove(key);
    vectors.delete(key);
  };
  for (let key = 0; key < count; key += 1) put(key);
  return { index, exact, vectors, draw, put, remove };
}

type Pair = Pick<ReturnType<typeof filled>, "index" | "exact" | "draw">;

/** How many of the ten that are nearest are found, on average. */
async function overlap({ index, exact, draw }: Pair, options: VectorSearchOptions<number>, queries = 20) {
  let shared = 0;
  let all = 0;
  for (let time = 0; time < queries; time += 1) {
    const query = draw();
    const { nearest } = await exact.search(query, options);
    const found = new Map((await index.search(query, options)).nearest.map((one) => [one.key, one.cosine]));
    for (const { key, cosine } of nearest) {
      if (found.has(key)) expect(found.get(key)).toBeCloseTo(cosine, 6);
      if (found.has(key)) shared += 1;
      all += 1;
    }
  }
  return all === 0 ? 1 : shared / all;
}

describe("codes", () => {
  it("[DI-2] find at least 95 of 100 that are nearest, with the same cosines", async () => {
    const pair = filled({ codedFrom: 1 }, 6_000);
    await pair.index.settled();
    expect(pair.index.isCoded).toBe(true);
    expect(await overlap(pair, { limit: 10 })).toBeGreaterThanOrEqual(0.95);
    expect(await overlap(pair, { limit: 1 })).toBeGreaterThanOrEqual(0.95);
    expect(await overlap(pair, { limit: 30 })).toBeGreaterThanOrEqual(0.95);
  });

  it("[DI-2] tell mean and deviation nearly, of those that are accepted", async () => {
    const { index, exact, vectors, draw } = filled({ codedFrom: 1 }, 6_000);
    await index.settled();
    const query = draw();
    const isNear = (key: number) => cosineOf(query, vectors.get(key) ?? query) > 0;
    for (const accepts of [undefined, isNear]) {
      const options = { limit: 10, ...(accepts && { accepts }) };
      const [found, expected] = [await index.search(query, options), await exact.search(query, options)];
      expect(found.mean).not.toBe(expected.mean);
      expect(Math.abs(found.mean - expected.mean)).toBeLessThan(expected.deviation / 5);
      expect(found.deviation / expected.deviation).toBeGreaterThan(0.85);
      expect(found.deviation / expected.deviation).toBeLessThan(1.15);
    }
  });

  it("[DI-1] lose nothing where few are accepted", async () => {
    const pair = filled({ codedFrom: 1 }, 6_000);
    await pair.index.settled();
    for (const rest of [20, 200, 5_900]) {
      const options = { limit: 10, accepts: (key: number) => key % rest === 7 % rest };
      expect(await overlap(pair, options, 5)).toBe(1);
      const query = pair.draw();
      const [found, expected] = [
        await pair.index.search(query, options),
        await pair.exact.search(query, options),
      ];
      expect(found.nearest.map(({ key }) => key)).toEqual(expected.nearest.map(({ key }) => key));
      expect(found.mean).toBeCloseTo(expected.mean, 9);
      expect(found.deviation).toBeCloseTo(expected.deviation, 9);
    }
  });

  it("[DI-1] ask about few more than are compared, where all are accepted", async () => {
    const { index, draw } = filled({ codedFrom: 1 }, 20_000);
    await index.settled();
    let asked = 0;
    await index.search(draw(), {
      limit: 10,
      accepts: () => {
        asked += 1;
        return true;
      },
    });
    expect(asked).toBeLessThan(8_000);
  });

  it("[DI-2] stand beside models that put all vectors on one side", async () => {
    const { draw } = filled(NEVER, 0);
    const pair = {
      index: new MemoryVectorIndex<number>({ codedFrom: 3_000 }),
      exact: new MemoryVectorIndex<number>(NEVER),
    };
    const aside = () => unit(draw().map((value) => value + 0.4));
    for (let key = 0; key < 6_000; key += 1) {
      const vector = aside();
      pair.index.put(key, vector);
      pair.exact.put(key, vector);
    }
    await pair.index.settled();
    expect(pair.index.isCoded).toBe(true);
    expect(await overlap({ ...pair, draw: aside }, { limit: 10 })).toBeGreaterThanOrEqual(0.95);
  });

  it.each([1, 31, 32, 33, 384, 400])("[DI-2] are there for vectors of %i numbers", async (dimensions) => {
    const random = randomFrom(dimensions);
    const index = new MemoryVectorIndex<number>({ codedFrom: 1 });
    for (let key = 0; key < MANY + 10; key += 1) index.put(key, randomVector(random, dimensions));
    await index.settled();
    const wanted = randomVector(random, dimensions);
    const near = unit(wanted.map((value, at) => value + (at === 0 ? 0.01 : 0)));
    index.put(-1, near);
    const [found] = (await index.search(wanted, { limit: 10 })).nearest;
    expect(found?.cosine).toBeCloseTo(dimensions === 1 ? 1 : cosineOf(wanted, near), 5);
    if (dimensions > 1) expect(found?.key).toBe(-1);
  });
});

describe("the change to codes and back", () => {
  it("[DI-2] goes by size, and not back and forth", async () => {
    const index = new MemoryVectorIndex<number>({ codedFrom: 100, exactBelow: 50 });
    const draw = mixture(randomFrom(1), 8, 5);
    for (let key = 0; key < 99; key += 1) index.put(key, draw());
    await index.settled();
    expect(index.isCoded).toBe(false);
    index.put(99, draw());
    await index.settled();
    expect(index.isCoded).toBe(true);
    for (let key = 0; key < 50; key += 1) index.remove(key);
    expect(index.isCoded).toBe(true);
    index.remove(50);
    expect(index.isCoded).toBe(false);
    for (let key = 0; key < 50; key += 1) index.put(key, draw());
    await index.settled();
    expect(index.isCoded).toBe(false);
    index.put(50, draw());
    await index.settled();
    expect(index.isCoded).toBe(true);
  });

  it("[DI-2] is made in the background, and gives up when it is not wanted any more", async () => {
    const index = new MemoryVectorIndex<number>({ codedFrom: 3_000, exactBelow: 2_999 });
    const draw = mixture(randomFrom(1), 8, 5);
    for (let key = 0; key < 3_000; key += 1) index.put(key, draw());
    expect(index.isCoded).toBe(false);
    index.remove(0);
    index.remove(1);
    await index.settled();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(index.isCoded).toBe(false);
  });

  it("[DI-2] finds the same while codes are made, with vectors that come, change and go meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = randomFrom(seed);
        const pair = filled({ codedFrom: 2_500, exactBelow: 2_000 }, 0, seed);
        const key = () => Math.floor(random() * 4_000);
        let next = 0;
        // Grows past where codes begin, is changed all the time, and shrinks again.
        for (const [steps, puts] of [
          [4_000, 0.9],
          [2_000, 0.6],
          [3_000, 0.1],
        ] as const) {
          for (let step = 0; step < steps; step += 1) {
            if (random() < puts) pair.put(random() < 0.7 ? next++ : key());
            else pair.remove(key());
            if (step % 200 === 0) await new Promise(setImmediate);
            if (step % 1_000 === 0)
              expect(await overlap(pair, { limit: 10 }, 3)).toBeGreaterThanOrEqual(
                pair.index.isCoded ? 0.9 : 1,
              );
          }
          expect(pair.index.size).toBe(pair.vectors.size);
          const { nearest } = await pair.index.search(pair.draw(), { limit: Number.POSITIVE_INFINITY });
          expect(nearest.map(({ key: one }) => one).toSorted((a, b) => a - b)).toEqual(
            [...pair.vectors.keys()].toSorted((a, b) => a - b),
          );
        }
      }),
      { numRuns: 4 },
    );
  });

  it("[DI-2] has the codes of what was moved while they were made", async () => {
    const pair = filled({ codedFrom: 8_000, exactBelow: 4_000 }, 8_000);
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise(setImmediate);
      // From the end, where there are codes already: the last takes the place of each.
      for (let key = 7_000 - turn * 600; key > 6_400 - turn * 600; key -= 1) pair.remove(key);
    }
    expect(pair.index.isCoded).toBe(false);
    await pair.index.settled();
    expect(pair.index.isCoded).toBe(true);
    expect(await overlap(pair, { limit: 10 }, 40)).toBeGreaterThanOrEqual(0.98);
  });

  it("[DI-2] begins codes anew when there are many times as many, which may be somewhere else", async () => {
    const { draw } = filled(NEVER, 0);
    const pair = {
      index: new MemoryVectorIndex<number>({ codedFrom: 2_000 }),
      exact: new MemoryVectorIndex<number>(NEVER),
      draw: () => unit(draw().map((value) => value - 0.4)),
    };
    const put = (key: number, vector: Float32Array) => {
      pair.index.put(key, vector);
      pair.exact.put(key, vector);
    };
    for (let key = 0; key < 2_000; key += 1) put(key, unit(draw().map((value) => value + 0.4)));
    await pair.index.settled();
    for (let key = 0; key < 8_000; key += 1) put(key, pair.draw());
    expect(pair.index.isCoded).toBe(true);
    await pair.index.settled();
    expect(await overlap(pair, { limit: 10 })).toBeGreaterThanOrEqual(0.95);
  });
});

describe("a search that others take turns with", () => {
  it.each([
    ["one by one", NEVER, 40_000, 8],
    ["by codes", { codedFrom: 1 }, 300_000, 8],
  ] as const)(
    "[DI-2] %s finds all that is there all the while, once",
    async (_, options, count, dimensions) => {
      const index = new MemoryVectorIndex<number>(options);
      const random = randomFrom(5);
      const far = () => unit(randomVector(random, dimensions).map((value) => -Math.abs(value)));
      const query = unit(Array.from({ length: dimensions }, () => 1));
      const wanted = (key: number) => key >= count - 20;
      for (let key = 0; key < count; key += 1) index.put(key, wanted(key) ? query : far());
      await index.settled();
      let turns = 0;
      let isOver = false;
      const searching = index.search(query, { limit: 20 }).finally(() => {
        isOver = true;
      });
      // Each that goes lets the last take its place: those that are wanted move to the front, or somewhere else.
      while (!isOver) {
        for (let time = 0; time < 3; time += 1) index.remove(turns * 3 + time);
        index.put(count + turns, far());
        turns += 1;
        await new Promise(setImmediate);
      }
      const found = (await searching).nearest.map(({ key }) => key);
      expect(turns).toBeGreaterThan(1);
      expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => count - 20 + at));
    },
  );

  it("[DI-2] begins again where codes are given up meanwhile", async () => {
    const count = 300_000;
    const index = new MemoryVectorIndex<number>({ codedFrom: count, exactBelow: 200_000 });
    const query = unit(Array.from({ length: 8 }, () => 1));
    const far = unit(Array.from({ length: 8 }, (_, at) => at - 4.5));
    const wanted = (key: number) => key >= 1_000 && key < 1_020;
    for (let key = 0; key < count; key += 1) index.put(key, wanted(key) ? query : far);
    await index.settled();
    const searching = index.search(query, { limit: 20 });
    await new Promise(setImmediate);
    for (let key = count - 1; key >= 1_020; key -= 1) index.remove(key);
    for (let key = 0; key < 20; key += 1) index.remove(key);
    expect((await searching).nearest.filter(({ key }) => wanted(key))).toHaveLength(20);
  });

  it("[DI-1] does not find what was removed, or is not accepted any more, before it is over", async () => {
    const index = new MemoryVectorIndex<string>(NEVER);
    const random = randomFrom(5);
    const query = unit([1, 0, 0, 0]);
    for (let item = 0; item < 40_000; item += 1) {
      const [, ...rest] = randomVector(random, 4);
      index.put(`far ${item}`, unit([-1, ...rest]));
    }
    // Last, and so what a search meets first.
    index.put("third", unit([1, 0.3, 0, 0]));
    index.put("second", unit([1, 0.2, 0, 0]));
    index.put("first", unit([1, 0.1, 0, 0]));
    const hidden = new Set<string>();
    const searching = index.search(query, { limit: 1, accepts: (key) => !hidden.has(key) });
    index.remove("first");
    hidden.add("second");
    expect((await searching).nearest.map(({ key }) => key)).toEqual(["third"]);
  });
});
