import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairShare } from "./fair-share.js";

describe("[TB-8] fairShare", () => {
  it.each([
    [16, 0, 8],
    [16, 8, 4],
    [16, 15, 1],
    [16, 16, 0],
    [1, 0, 1],
    [1, 1, 0],
  ])("of %i places, of which others have %i, is %i", (places, others, share) => {
    expect(fairShare(places, others)).toBe(share);
  });

  it("leaves a place for the next client, whatever few greedy ones take, and never gives more than there is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (places, clients) => {
        let taken = 0;
        for (let client = 0; client < clients; client += 1) taken += fairShare(places, taken);
        expect(taken).toBeLessThanOrEqual(places);
        if (2 ** clients <= places) expect(fairShare(places, taken)).toBeGreaterThan(0);
      }),
    );
  });
});
