import fc from "fast-check";
import { expect, it } from "vitest";
import { randomFrom, randomVector } from "../../../test/support/vectors.js";
import { SignCodes } from "./sign-codes.js";
import { VectorRows } from "./vector-rows.js";

it("[DI-2] codes differ in as many bits as there are numbers on another side of the middle", () => {
  const length = fc.constantFrom(1, 8, 32, 33, 96, 383, 384, 385, 400, 768, 1_536);
  fc.assert(
    fc.property(length, fc.integer({ min: 1, max: 9 }), fc.nat(), (dimensions, count, seed) => {
      const random = randomFrom(seed);
      const rows = new VectorRows<number>();
      const vectors = Array.from({ length: count }, () => randomVector(random, dimensions));
      for (const [key, vector] of vectors.entries()) rows.put(key, vector);
      const codes = new SignCodes(rows);
      for (const [key, vector] of vectors.entries()) codes.write(key, vector);
      const middle = Float32Array.from(
        { length: dimensions },
        (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0) / count,
      );
      const isBelow = (vector: Float32Array, at: number) => (vector[at] ?? 0) - (middle[at] ?? 0) < 0;
      const query = randomVector(random, dimensions);
      const out = new Uint16Array(count);
      codes.distances(0, count, codes.codeOf(query), out);
      const expected = vectors.map(
        (vector) => [...vector].filter((_, at) => isBelow(vector, at) !== isBelow(query, at)).length,
      );
      expect([...out]).toEqual(expected);
    }),
  );
});
