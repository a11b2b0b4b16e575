import { beforeEach, describe, expect, it } from "vitest";
import type { VectorStore } from "../../src/discovery/vector-index.js";

const HASHES = ["a", "b", "c"].map((digit) => digit.repeat(64)) as [string, string, string];
const [A, B, C] = HASHES;

/** One of several thousand unit vectors, the same each time. */
function unit(seed: number, length = 384): Float32Array {
  const values = Float32Array.from({ length }, (_, index) => Math.sin(seed * 1_000 + index * 12.9898));
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
}

function cosine(a: Float32Array, b: Float32Array | undefined): number {
  return a.reduce((sum, value, index) => sum + value * (b?.[index] ?? Number.NaN), 0);
}

export interface OpenedVectorStore {
  readonly store: VectorStore;
  /** Pretends that everything was last used this many days ago. */
  readonly age: (days: number) => Promise<void>;
}

/** Tests vectors by model and text. */
export function describeVectorStore(title: string, open: () => Promise<OpenedVectorStore>): void {
  describe(`VectorStore: ${title}`, () => {
    let store: VectorStore;
    let age: OpenedVectorStore["age"];
    beforeEach(async () => {
      ({ store, age } = await open());
    });

    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

    it("[DI-2] keeps vectors as they were, but for a rounding that changes no order", async () => {
      await store.put("m", new Map(HASHES.map((hash, index) => [hash, unit(index)])));
      const found = await store.get("m", HASHES);
      expect(new Set(found.keys())).toEqual(new Set(HASHES));
      for (const [index, hash] of HASHES.entries()) {
        expect(found.get(hash)?.length).toBe(384);
        expect(cosine(unit(index), found.get(hash))).toBeCloseTo(1, 4);
        expect(cosine(unit(7), found.get(hash))).toBeCloseTo(cosine(unit(7), unit(index)), 4);
      }
    });

    it("[DI-2] keeps numbers between -1 and 1 of every length", async () => {
      for (const vector of [Float32Array.of(1), Float32Array.of(-1, 0), unit(3, 3_072)]) {
        await store.put("m", new Map([[A, vector]]));
        const found = (await store.get("m", [A])).get(A);
        expect(found?.length).toBe(vector.length);
        expect(cosine(vector, found)).toBeCloseTo(1, 4);
      }
    });

    it("[DI-2] never gives a model the vector of another", async () => {
      await store.put("m", new Map([[A, Float32Array.of(1, 0)]]));
      await store.put("n\\ \u0000", new Map([[A, Float32Array.of(0, 1)]]));
      expect((await store.get("m", [A])).get(A)).toEqual(Float32Array.of(1, 0));
      expect((await store.get("n\\ \u0000", [A])).get(A)).toEqual(Float32Array.of(0, 1));
      expect((await store.get("n", [A])).size).toBe(0);
    });

    it("[DI-2] leaves out what it does not have, and answers nothing to nothing", async () => {
      await store.put("m", new Map([[A, Float32Array.of(1, 0)]]));
      expect([...(await store.get("m", [B, A, A, C])).keys()]).toEqual([A]);
      expect((await store.get("m", [])).size).toBe(0);
      await store.put("m", new Map());
    });

    it("[DI-2] replaces a vector, also when two write at once", async () => {
      await Promise.all([
        store.put("m", new Map([A, B].map((hash) => [hash, Float32Array.of(1, 0)]))),
        store.put("m", new Map([B, A].map((hash) => [hash, Float32Array.of(1, 0)]))),
      ]);
      await store.put("m", new Map([[A, Float32Array.of(0, 1)]]));
      expect(await store.get("m", [A, B])).toEqual(
        new Map([
          [A, Float32Array.of(0, 1)],
          [B, Float32Array.of(1, 0)],
        ]),
      );
    });

    it("[DI-2] removes what was not asked for since, and nothing that was", async () => {
      await store.put("m", new Map([A, B].map((hash) => [hash, Float32Array.of(1, 0)])));
      await age(40);
      await store.get("m", [A]);
      await store.put("m", new Map([[C, Float32Array.of(1, 0)]]));
      expect(await store.prune(daysAgo(30))).toBe(1);
      expect(new Set((await store.get("m", HASHES)).keys())).toEqual(new Set([A, C]));
      expect(await store.prune(daysAgo(30))).toBe(0);
    });
  });
}
