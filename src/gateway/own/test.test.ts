import { expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { Parts } from "./parts.js";
import { pmlTestExport } from "./test.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };
const MILLION = 1_000_000;

it("[SW-1] exports recordings in as many answers as they need", async () => {
  const sizes = new Map([
    ["a:one", 5 * MILLION],
    ["b:two", 5 * MILLION],
    ["c:three", 20 * MILLION],
    ["d:four", 1],
  ]);
  const parts = {
    registry: {
      findToChange: async (name: string) => ({
        capability: sampleCapability(name),
        version: 1,
        warnings: [],
      }),
      versionsOf: async () => [{ version: 1 }],
    },
    executor: {
      recordings: {
        bundle: async ({ capability }: { readonly capability: { readonly displayName: string } }) => ({
          name: capability.displayName,
          code: "x".repeat(sizes.get(capability.displayName) ?? 0),
          recordings: [{}],
        }),
      },
    },
  } as unknown as Pick<Parts, "registry" | "executor">;
  const names = [...sizes.keys()];
  const pages: string[][] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const run = pmlTestExport.run(parts) as unknown as (
      input: object,
      scope: typeof SCOPE,
    ) => Promise<{ readonly bundles: readonly { readonly name: string }[]; readonly next?: number }>;
    const { bundles, next }: Awaited<ReturnType<typeof run>> = await run({ names, from }, SCOPE);
    pages.push(bundles.map(({ name }) => name));
    from = next;
  }
  expect(pages).toEqual([["a:one"], ["b:two"], ["c:three"], ["d:four"]]);
});
