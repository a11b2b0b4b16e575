import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADA, prepared, type RunSketch, tool } from "../../../test/support/cached-runs.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import { executionKey, intentKey, paramsKey } from "./cache-key.js";

const capability = sampleCapability("fs:read");
const word = fc.constantFrom("a", "b", "c", "ab", "", '","', "a,b");
const units = fc.uniqueArray(
  fc.record({
    ref: word.map((text) => `acme.p.fs.${text}.0000` as CapabilityRef),
    version: fc.constantFrom(1, 2),
    codeHash: word,
  }),
  { maxLength: 2, selector: ({ ref }) => ref },
);
const tools = fc
  .uniqueArray(fc.tuple(word, word), { maxLength: 3, selector: ([id]) => id })
  .map((pairs) => pairs.map(([id, hash]) => tool(`t:${id}`, { hash })));
const args = fc.dictionary(fc.constantFrom("x", "y", "__proto__"), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 2,
}) as fc.Arbitrary<Record<string, Json>>;
const scopes = fc.record({ org: word, project: word, user: word });

interface Case {
  readonly scope: { readonly org: string; readonly project: string; readonly user: string };
  readonly version: number;
  readonly run: Required<Pick<RunSketch, "codeHash" | "units" | "tools" | "args">>;
}

const cases: fc.Arbitrary<Case> = fc.record({
  scope: scopes,
  version: fc.constantFrom(1, 2),
  run: fc.record({ codeHash: word, units, tools, args }),
});

/** Everything that matters, written so that nothing can pass for something else. */
function meaning({ scope, run }: Case, followsTools = true): string {
  const sorted = (rows: readonly unknown[]) => rows.map((row) => canonicalJson(row)).sort();
  return canonicalJson([
    scope,
    run.codeHash,
    sorted(run.units),
    sorted(run.tools.map(({ id, hash }) => (followsTools ? [id, hash] : [id]))),
    run.args,
  ]);
}

const preparedOf = ({ run, version }: Case) => prepared({ ...run, of: { capability, version } });

describe("[EX-14] keys of cached results", () => {
  it("are shared by runs that are the same, and by no others", async () => {
    await fc.assert(
      fc.asyncProperty(cases, cases, async (one, other) => {
        const [a, b] = await Promise.all(
          [one, other].map((each) => executionKey(preparedOf(each), each.scope)),
        );
        expect(a === b).toBe(meaning(one) === meaning(other));
      }),
      { numRuns: 500 },
    );
  });

  it("differ when one thing differs", async () => {
    await fc.assert(
      fc.asyncProperty(cases, cases, async (one, other) => {
        const mixed: readonly Case[] = [
          { ...one, scope: { ...one.scope, org: other.scope.org } },
          { ...one, scope: { ...one.scope, project: other.scope.project } },
          { ...one, scope: { ...one.scope, user: other.scope.user } },
          { ...one, run: { ...one.run, codeHash: other.run.codeHash } },
          { ...one, run: { ...one.run, units: other.run.units } },
          { ...one, run: { ...one.run, tools: other.run.tools } },
          { ...one, run: { ...one.run, args: other.run.args } },
        ];
        const key = await executionKey(preparedOf(one), one.scope);
        for (const each of mixed)
          expect((await executionKey(preparedOf(each), each.scope)) === key).toBe(
            meaning(each) === meaning(one),
          );
      }),
      { numRuns: 200 },
    );
  });

  it("of the store hold the version too, and tools by name where these may change", async () => {
    await fc.assert(
      fc.asyncProperty(cases, cases, fc.boolean(), async (one, other, followsTools) => {
        const keys = await Promise.all([one, other].map((each) => paramsKey(preparedOf(each), followsTools)));
        const same = { ...other, scope: one.scope };
        expect(keys[0] === keys[1]).toBe(
          one.version === other.version && meaning(one, followsTools) === meaning(same, followsTools),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("take arguments for what they are, in whatever order they were given", async () => {
    const keyOf = (given: Record<string, Json>) => executionKey(prepared({ args: given }), ADA);
    expect(await keyOf({ a: 1, b: [1, "1"] })).toBe(await keyOf({ b: [1, "1"], a: 1 }));
    expect(await keyOf({ a: 1 })).not.toBe(await keyOf({ a: "1" }));
    expect(await keyOf({})).not.toBe(await keyOf({ a: null }));
  });

  it("of an intent are never those of a run", async () => {
    expect(await intentKey({}, ADA)).not.toBe(await executionKey(prepared(), ADA));
    expect(await intentKey({}, ADA)).not.toBe(await intentKey({}, { ...ADA, user: "bob" }));
  });
});
