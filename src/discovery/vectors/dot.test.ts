import fc from "fast-check";
import { expect, it } from "vitest";
import { cosineOf, randomFrom, randomVector } from "../../../test/support/vectors.js";
import { dot, dotRows } from "./vector-rows.js";

it("[DI-2] dot products are those of a plain loop, for any length and any number of rows", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(11), fc.nat(), (dimensions, count, seed) => {
      const random = randomFrom(seed);
      const query = randomVector(random, dimensions);
      const vectors = Array.from({ length: count }, () => randomVector(random, dimensions));
      const rows = Float32Array.from(vectors.flatMap((vector) => [...vector]));
      const out = new Float64Array(count + 1).fill(7);
      dotRows(rows, count, Float64Array.from(query), out);
      for (const [row, vector] of vectors.entries()) {
        expect(out[row]).toBeCloseTo(cosineOf(query, vector), 6);
        expect(dot(rows, row * dimensions, Float64Array.from(query))).toBeCloseTo(cosineOf(query, vector), 6);
      }
      expect(out[count]).toBe(7);
    }),
  );
});
