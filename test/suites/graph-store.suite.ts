import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { GraphNode, GraphStore, ObservedSequence } from "../../src/registry/tool-graph.js";

export interface OpenedGraphStore {
  readonly store: GraphStore;
  /** The store of a second gateway. */
  readonly other: GraphStore;
}

const seen = (from: string, to: string, uses = 1, period = 700): ObservedSequence => ({
  from: from as GraphNode,
  to: to as GraphNode,
  uses,
  period,
});

/** `open` returns an empty store. */
export function describeGraphStore(name: string, open: () => Promise<OpenedGraphStore>): void {
  describe(`GraphStore: ${name}`, () => {
    let store: GraphStore;
    let other: GraphStore;
    beforeEach(async () => {
      ({ store, other } = await open());
    });
    const all = async () => (await store.load(1_000)).observed;

    it("[DI-5] keeps what followed what, whatever tools are called", async () => {
      const odd = ["fs:read", "x:a\0b", "x:\ud800", "x:back\\slash", "x:é", "local.default.fs.a.b7f3"];
      const pairs = odd.map((node) => seen(node, "fs:read"));
      await store.add(pairs);
      await store.add([]);
      expect(new Set(await all())).toEqual(new Set(pairs));
    });

    it("[DI-5] adds up, old uses for less, in whatever order and grouping they come", async () => {
      await store.add([seen("a:b", "c:d", 4, 700)]);
      await other.add([seen("a:b", "c:d", 1, 702)]);
      await store.add([seen("a:b", "c:d", 8, 699)]);
      // 4 / 4 + 1 + 8 / 8
      expect(await all()).toEqual([seen("a:b", "c:d", 3, 702)]);

      const event = fc.record({
        pair: fc.constantFrom("p:1", "p:2", "p:3"),
        uses: fc.integer({ min: 1, max: 1_000 }),
        period: fc.integer({ min: 690, max: 710 }),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(event, { minLength: 1, maxLength: 20 }),
          fc.infiniteStream(fc.nat(3)),
          async (events, sizes) => {
            run += 1;
            const into = async (list: typeof events, to: string) => {
              const left = list.map(({ pair, uses, period }) =>
                seen(`${to}${run}:${pair}`, "x:y", uses, period),
              );
              while (left.length > 0) await store.add(left.splice(0, 1 + (sizes.next().value ?? 0)));
            };
            await into(events, "one");
            await into([...events].reverse(), "two");
            const { observed } = await store.load(100_000);
            const of = (to: string) =>
              observed
                .flatMap(({ from, uses, period }) =>
                  from.startsWith(`${to}${run}:`) ? [[from.slice(to.length), uses, period]] : [],
                )
                .sort();
            expect(of("two")).toEqual(of("one"));
          },
        ),
        { numRuns: 15 },
      );
    });

    it("[DI-5] loses nothing that gateways add at the same time", async () => {
      const pairs = Array.from({ length: 20 }, (_, index) => seen(`t:${index}`, `t:${19 - index}`));
      await Promise.all(
        Array.from({ length: 20 }, (_, round) =>
          (round % 2 === 0 ? store : other).add(round % 3 === 0 ? [...pairs].reverse() : pairs),
        ),
      );
      const observed = await all();
      expect(observed).toHaveLength(20);
      expect(observed.every(({ uses }) => uses === 20)).toBe(true);
    });

    it("[DI-5] answers the strongest first, as many as are asked for", async () => {
      await store.add([seen("a:1", "b:1", 10, 690), seen("a:2", "b:2", 2, 700), seen("a:3", "b:3", 3, 700)]);
      expect((await store.load(2)).observed.map(({ from }) => from)).toEqual(["a:3", "a:2"]);
    });

    it("[DI-5] tells what others have added since, as it is now", async () => {
      await store.add([seen("a:1", "b:1")]);
      const { mark } = await store.load(10);
      await other.add([seen("a:1", "b:1"), seen("a:2", "b:2")]);
      const { observed, mark: next } = await store.since(mark, 10);
      expect(observed).toEqual(expect.arrayContaining([seen("a:1", "b:1", 2), seen("a:2", "b:2")]));
      expect(next.getTime()).toBeGreaterThanOrEqual(mark.getTime());
      const future = new Date(next.getTime() + 3_600_000);
      expect((await store.since(future, 10)).observed).toEqual([]);
    });

    it("[DI-5] forgets what is too little by now", async () => {
      await store.add([seen("a:1", "b:1", 1, 690), seen("a:2", "b:2", 64, 700), seen("a:3", "b:3", 1, 700)]);
      expect(await store.prune(706, 1 / 64)).toBe(1);
      expect((await all()).map(({ from }) => from)).toEqual(["a:2", "a:3"]);
      expect(await store.prune(707, 1 / 64)).toBe(1);
    });
  });
}
