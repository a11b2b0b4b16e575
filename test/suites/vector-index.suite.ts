import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { VectorIndex, VectorSearch, VectorSearchOptions } from "../../src/discovery/vector-index.js";
import { sized } from "../support/sizes.js";
import { cosineOf, mixture, randomFrom, randomVector, unit } from "../support/vectors.js";

/** Each has 500 changes. */
const HISTORIES = sized(20, 3);

export interface OpenedVectorIndex {
  readonly index: VectorIndex<string>;
  /** Resolves when searches see all put vectors. */
  settled(): Promise<void>;
}

/** A model that every index must agree with: a map whose vectors are compared one by one and then sorted. */
class Model {
  readonly vectors = new Map<string, Float32Array>();

  search(vector: Float32Array, { limit, accepts = () => true }: VectorSearchOptions<string>) {
    const all = [...this.vectors]
      .filter(([key]) => accepts(key))
      .map(([key, other]) => ({ key, cosine: cosineOf(vector, other) }))
      .sort((a, b) => b.cosine - a.cosine);
    const mean = all.reduce((sum, { cosine }) => sum + cosine, 0) / Math.max(1, all.length);
    const squares = all.reduce((sum, { cosine }) => sum + (cosine - mean) ** 2, 0);
    return {
      nearest: all.slice(0, limit),
      mean,
      deviation: Math.sqrt(squares / Math.max(1, all.length)),
    };
  }
}

const DIMENSIONS = 12;

/** Keys with equal cosines may come in any order; the cosines may not. */
function expectAlike(found: VectorSearch<string>, model: Model, query: Float32Array, options: Options): void {
  const expected = model.search(query, options);
  expect(found.nearest).toHaveLength(expected.nearest.length);
  for (const [place, { cosine }] of expected.nearest.entries())
    expect(found.nearest[place]?.cosine).toBeCloseTo(cosine, 4);
  expect(new Set(found.nearest.map(({ key }) => key)).size).toBe(found.nearest.length);
  for (const { key, cosine } of found.nearest) {
    expect(options.accepts?.(key) ?? true).toBe(true);
    expect(cosine).toBeCloseTo(cosineOf(query, model.vectors.get(key) ?? new Float32Array(DIMENSIONS)), 4);
  }
  expect(found.mean).toBeCloseTo(expected.mean, 4);
  expect(found.deviation).toBeCloseTo(expected.deviation, 4);
}
type Options = VectorSearchOptions<string>;

/** For few vectors, where every index is exact. */
export function describeVectorIndex(
  name: string,
  open: (dimensions: number) => Promise<OpenedVectorIndex>,
): void {
  describe(`VectorIndex: ${name}`, () => {
    let index: VectorIndex<string>;
    let settled: () => Promise<void>;
    beforeEach(async () => {
      ({ index, settled } = await open(3));
    });

    const keysOf = ({ nearest }: VectorSearch<string>) => nearest.map(({ key }) => key);
    const x = unit([1, 0, 0]);
    const y = unit([0, 1, 0]);
    const between = unit([0.8, 0.6, 0]);
    const away = unit([-1, 0, 0]);

    it("[DI-2] finds nothing where there is nothing", async () => {
      expect(await index.search(x, { limit: 10 })).toEqual({ nearest: [], mean: 0, deviation: 0 });
      expect(await index.cosines(x, ["a"])).toEqual(new Map());
      expect(index.size).toBe(0);
    });

    it("[DI-2] finds the nearest first, with cosines, their mean and their deviation", async () => {
      for (const [key, vector] of Object.entries({ away, between, x, y })) index.put(key, vector);
      const found = await index.search(x, { limit: 3 });
      expect(keysOf(found)).toEqual(["x", "between", "y"]);
      const cosines = found.nearest.map(({ cosine }) => cosine);
      for (const [place, cosine] of [1, 0.8, 0].entries()) expect(cosines[place]).toBeCloseTo(cosine, 6);
      expect(found.mean).toBeCloseTo(0.2, 6);
      expect(found.deviation).toBeCloseTo(Math.sqrt((0.64 + 0.36 + 0.04 + 1.44) / 4), 6);
      await settled();
      expect(index.size).toBe(4);
    });

    it("[DI-2] puts a vector in the place of the one that the key had", async () => {
      index.put("a", x);
      index.put("b", between);
      index.put("a", away);
      const found = await index.search(x, { limit: 10 });
      expect(keysOf(found)).toEqual(["b", "a"]);
      expect(found.nearest[1]?.cosine).toBeCloseTo(-1, 6);
      await settled();
      expect(index.size).toBe(2);
    });

    it("[DI-2] keeps numbers of its own: whoever put them may use them again", async () => {
      const mine = Float32Array.from(x);
      index.put("a", mine);
      mine.set(away);
      expect((await index.search(x, { limit: 1 })).nearest[0]?.cosine).toBeCloseTo(1, 6);
    });

    it("[DI-2] forgets what is removed, and takes it again", async () => {
      for (const [key, vector] of Object.entries({ x, between, y })) index.put(key, vector);
      index.remove("x");
      index.remove("never there");
      index.remove("x");
      expect(keysOf(await index.search(x, { limit: 10 }))).toEqual(["between", "y"]);
      await settled();
      expect(index.size).toBe(2);
      index.put("x", x);
      expect(keysOf(await index.search(x, { limit: 1 }))).toEqual(["x"]);
      for (const key of ["x", "between", "y"]) index.remove(key);
      expect(await index.search(x, { limit: 10 })).toEqual({ nearest: [], mean: 0, deviation: 0 });
      await settled();
      expect(index.size).toBe(0);
    });

    it("[DI-1] leaves out what is not accepted before it ranks, and from the mean as well", async () => {
      for (const [key, vector] of Object.entries({ away, between, x, y })) index.put(key, vector);
      const found = await index.search(x, { limit: 2, accepts: (key) => key !== "x" && key !== "y" });
      expect(keysOf(found)).toEqual(["between", "away"]);
      expect(found.mean).toBeCloseTo(-0.1, 6);
      expect(found.deviation).toBeCloseTo(0.9, 6);
      expect(await index.search(x, { limit: 2, accepts: () => false })).toEqual({
        nearest: [],
        mean: 0,
        deviation: 0,
      });
    });

    it("[DI-2] answers with all where more are asked for, and with none where none are", async () => {
      for (const [key, vector] of Object.entries({ between, x, y })) index.put(key, vector);
      expect(keysOf(await index.search(x, { limit: 1_000 }))).toEqual(["x", "between", "y"]);
      expect(keysOf(await index.search(x, { limit: Number.POSITIVE_INFINITY }))).toHaveLength(3);
      const none = await index.search(x, { limit: 0 });
      expect(none.nearest).toEqual([]);
      expect(none.mean).toBeCloseTo(0.6, 6);
      expect(keysOf(await index.search(x, { limit: -1 }))).toEqual([]);
    });

    it("[DI-2] finds all that are as near as one another, each once", async () => {
      for (const key of ["a", "b", "c", "d"]) index.put(key, between);
      index.put("y", y);
      expect(keysOf(await index.search(x, { limit: 4 })).toSorted()).toEqual(["a", "b", "c", "d"]);
      const two = keysOf(await index.search(x, { limit: 2 }));
      expect(new Set(two).size).toBe(2);
      expect(two).not.toContain("y");
      expect((await index.search(between, { limit: 2, accepts: (key) => key < "e" })).deviation).toBeCloseTo(
        0,
        6,
      );
    });

    it("[DI-2] tells the cosines of what it has", async () => {
      for (const [key, vector] of Object.entries({ between, y })) index.put(key, vector);
      const cosines = await index.cosines(x, ["y", "none", "between"]);
      expect(new Set(cosines.keys())).toEqual(new Set(["between", "y"]));
      expect(cosines.get("between")).toBeCloseTo(0.8, 6);
      expect(cosines.get("y")).toBeCloseTo(0, 6);
      expect(await index.cosines(x, [])).toEqual(new Map());
    });

    it("[DI-2] takes any text as a key", async () => {
      const keys = [
        "",
        " ",
        "a'b\"c\\",
        "\u0000",
        "\ud800",
        "é€😀",
        "[1,2]",
        "{}",
        "null",
        "a".repeat(3_000),
      ];
      for (const key of keys) index.put(key, x);
      expect(new Set(keysOf(await index.search(x, { limit: 100 })))).toEqual(new Set(keys));
      expect(new Set((await index.cosines(x, keys)).keys())).toEqual(new Set(keys));
      for (const key of keys) index.remove(key);
      expect(keysOf(await index.search(x, { limit: 100 }))).toEqual([]);
    });

    it("[DI-2] refuses vectors of another length: those of two models are never compared", async () => {
      index.put("a", x);
      const long = unit([1, 0, 0, 0]);
      const text = "A vector has 4 dimensions: expected 3, as the others have";
      expect(() => index.put("b", long)).toThrow(new TypeError(text));
      await expect(index.search(long, { limit: 1 })).rejects.toThrow(new TypeError(text));
      await expect(index.cosines(long, ["a"])).rejects.toThrow(new TypeError(text));
      expect(() => index.put("b", new Float32Array(0))).toThrow(TypeError);
      expect(keysOf(await index.search(x, { limit: 10 }))).toEqual(["a"]);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      "[DI-2] refuses vectors with %s in them, and keeps what it had",
      async (bad) => {
        index.put("a", x);
        const vector = Float32Array.from([1, bad, 0]);
        const text = "A vector has a number that is not finite";
        expect(() => index.put("a", vector)).toThrow(new TypeError(text));
        await expect(index.search(vector, { limit: 1 })).rejects.toThrow(new TypeError(text));
        await expect(index.cosines(vector, ["a"])).rejects.toThrow(new TypeError(text));
        expect((await index.search(x, { limit: 1 })).nearest[0]?.cosine).toBeCloseTo(1, 6);
      },
    );

    it("[DI-2] answers who asks at the same time as who asks alone", async () => {
      const random = randomFrom(3);
      const { index: other } = await open(DIMENSIONS);
      const model = new Model();
      for (let item = 0; item < 300; item += 1) {
        const vector = randomVector(random, DIMENSIONS);
        other.put(`k${item}`, vector);
        model.vectors.set(`k${item}`, vector);
      }
      const queries = Array.from({ length: 20 }, () => randomVector(random, DIMENSIONS));
      const found = await Promise.all(queries.map((query) => other.search(query, { limit: 7 })));
      for (const [place, one] of found.entries())
        expectAlike(one, model, queries[place] as Float32Array, { limit: 7 });
    });

    it(`[DI-2] is what a map that is sorted as a whole would be, after ${HISTORIES * 500} changes`, async () => {
      const operation = fc.oneof(
        { weight: 6, arbitrary: fc.record({ put: fc.nat(150) }) },
        { weight: 3, arbitrary: fc.record({ remove: fc.nat(150) }) },
        { weight: 1, arbitrary: fc.record({ limit: fc.nat(200), every: fc.integer({ min: 1, max: 5 }) }) },
      );
      const operations = fc.array(operation, { minLength: 500, maxLength: 500, size: "max" });
      await fc.assert(
        fc.asyncProperty(operations, fc.nat(), async (all, seed) => {
          const opened = await open(DIMENSIONS);
          const model = new Model();
          const draw = mixture(randomFrom(seed), DIMENSIONS, 20);
          const query = draw();
          for (const one of all) {
            if ("put" in one) {
              const vector = draw();
              opened.index.put(`k${one.put}`, vector);
              model.vectors.set(`k${one.put}`, vector);
            } else if ("remove" in one) {
              opened.index.remove(`k${one.remove}`);
              model.vectors.delete(`k${one.remove}`);
            } else {
              const accepts = (key: string) => Number(key.slice(1)) % one.every === 0;
              const options = { limit: one.limit, ...(one.every > 1 ? { accepts } : {}) };
              expectAlike(await opened.index.search(query, options), model, query, options);
            }
          }
          await opened.settled();
          expect(opened.index.size).toBe(model.vectors.size);
          const everything = { limit: Number.POSITIVE_INFINITY };
          const found = await opened.index.search(query, everything);
          expectAlike(found, model, query, everything);
          expect(new Set(keysOf(found))).toEqual(new Set(model.vectors.keys()));
          const cosines = await opened.index.cosines(query, ["k0", "k1", "k2"]);
          expect(new Set(cosines.keys())).toEqual(
            new Set(["k0", "k1", "k2"].filter((key) => model.vectors.has(key))),
          );
        }),
        // Shrinking a counterexample takes minutes if each try uses a database.
        { numRuns: HISTORIES, endOnFailure: true },
      );
    });
  });
}
