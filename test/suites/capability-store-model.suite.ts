import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CapabilityStore } from "../../src/registry/capability-store.js";
import { foldDisplayName, unnamedNames } from "../../src/registry/display-name.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import { name, newScope, sha256, sign, succeeded, use } from "./capability-samples.js";

/** A capability as the model has it: nothing but what the specification says of names, versions and counts. */
interface Modelled {
  displayName: string;
  readonly aliases: Map<string, string>;
  readonly codes: string[];
  usageCount: number;
  fqdn: Fqdn | undefined;
}

type Step =
  | { readonly kind: "learn"; readonly code: string; readonly name?: string; readonly update: boolean }
  | { readonly kind: "rename"; readonly which: number; readonly name: string }
  | { readonly kind: "use"; readonly which: number; readonly times: number };

const NAMES = ["a", "A", "a:b", "A:b", "a:b_", "ab", "a_b", "c", "c:d"];
const CODES = ["1", "2", "3", "4", "5"];

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record(
      {
        kind: fc.constant("learn" as const),
        code: fc.constantFrom(...CODES),
        name: fc.constantFrom(...NAMES),
        update: fc.boolean(),
      },
      { requiredKeys: ["kind", "code", "update"] },
    ),
    fc.record({ kind: fc.constant("rename" as const), which: fc.nat(6), name: fc.constantFrom(...NAMES) }),
    fc.record({ kind: fc.constant("use" as const), which: fc.nat(6), times: fc.integer({ min: 1, max: 3 }) }),
  ),
  { minLength: 10, maxLength: 30 },
);

const isUnnamed = (one: Modelled) => one.displayName.startsWith("unnamed_");

const byText = (a: string, b: string) => (a < b ? -1 : 1);

class Model {
  readonly all: Modelled[] = [];

  holder(text: string): Modelled | undefined {
    const fold = foldDisplayName(text);
    return this.all.find((one) => foldDisplayName(one.displayName) === fold || one.aliases.has(fold));
  }

  learn({ code, name: wanted, update }: Extract<Step, { kind: "learn" }>): string {
    const known = this.all.filter(({ codes }) => codes.includes(code));
    const best = known.find((one) => !isUnnamed(one)) ?? known[0];
    const holder = wanted === undefined ? undefined : this.holder(wanted);
    const counted = (one: Modelled, kind: string) => {
      one.usageCount += 1;
      return `${kind} ${one.displayName} v${one.codes.indexOf(code) + 1}`;
    };
    if (holder === undefined) {
      if (best === undefined) {
        const [unnamed = ""] = unnamedNames(sha256(code));
        const one = {
          displayName: wanted ?? unnamed,
          aliases: new Map<string, string>(),
          codes: [code],
          usageCount: 0,
          fqdn: undefined,
        };
        this.all.push(one);
        return counted(one, "created");
      }
      if (wanted === undefined || !isUnnamed(best)) return counted(best, "known");
      this.move(best, wanted);
      return counted(best, "named");
    }
    if (known.includes(holder)) return counted(holder, "known");
    if (!update) return "NAME_TAKEN";
    if (best !== undefined && !isUnnamed(best)) return counted(best, "known");
    holder.codes.push(code);
    return counted(holder, "updated");
  }

  rename(one: Modelled, wanted: string): string {
    const holder = this.holder(wanted);
    if (holder !== undefined && holder !== one) return "NAME_TAKEN";
    this.move(one, wanted);
    return one.displayName;
  }

  move(one: Modelled, wanted: string): void {
    const oldName = one.displayName;
    one.displayName = wanted;
    if (foldDisplayName(oldName) === foldDisplayName(wanted)) return;
    one.aliases.delete(foldDisplayName(wanted));
    one.aliases.set(foldDisplayName(oldName), oldName);
  }
}

/** Random histories of names, versions and counts, against a model that keeps them in lists. */
export function describeCapabilityStoreModel(title: string, open: () => Promise<CapabilityStore>): void {
  describe(`CapabilityStore against its model: ${title}`, () => {
    it("[ID-3, ID-5, ID-8, ID-11] does what the model does, whatever is done", async () => {
      const store = await open();
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const scope = newScope();
          const model = new Model();
          for (const step of history) {
            const [expected, found] = await take(store, scope, model, step);
            expect(found).toBe(expected);
          }
          const states = (await store.load()).filter(({ project }) => project === scope.project);
          expect(
            states.map(({ displayName, aliases, version, usageCount }) => ({
              displayName,
              aliases: [...aliases].sort(byText),
              version,
              usageCount,
            })),
          ).toEqual(
            model.all.map(({ displayName, aliases, codes, usageCount }) => ({
              displayName,
              aliases: [...aliases.values()].sort(byText),
              version: codes.length,
              usageCount,
            })),
          );
          for (const text of NAMES) {
            const found = await store.findByName(scope.org, scope.project, foldDisplayName(text));
            expect(found?.displayName).toBe(model.holder(text)?.displayName);
          }
        }),
        { numRuns: 12 },
      );
    });
  });
}

/** Takes one step on both; answers what the model says of it, and what the store does. */
async function take(
  store: CapabilityStore,
  scope: ReturnType<typeof newScope>,
  model: Model,
  step: Step,
): Promise<readonly [string, string]> {
  if (step.kind === "learn") {
    const wanted = step.name === undefined ? undefined : name(step.name);
    const expected = model.learn(step);
    const found = await answer(async () => {
      const fresh = succeeded(scope, step.code, { name: wanted, update: step.update });
      const { kind, version, capability } = await store.learn(fresh, sign);
      const one = model.all.find(({ displayName }) => displayName === capability.displayName);
      if (one !== undefined) one.fqdn ??= capability.fqdn;
      expect(capability.fqdn).toBe(one?.fqdn);
      return `${kind} ${capability.displayName} v${version}`;
    });
    return [expected, found];
  }
  const one = model.all[step.which % Math.max(model.all.length, 1)];
  const fqdn = one?.fqdn;
  if (one === undefined || fqdn === undefined) return ["", ""];
  if (step.kind === "rename") {
    const found = await answer(async () => {
      const request = { fqdn, scope, actor: "user" as const, newName: name(step.name) };
      return (await store.rename(request)).displayName;
    });
    return [model.rename(one, step.name), found];
  }
  one.usageCount += step.times;
  const uses = Array.from({ length: step.times }, () => use(scope, fqdn, one.codes.length));
  const [after] = await store.addUses(uses);
  return [`${one.usageCount}`, `${after?.usageCount}`];
}

async function answer(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    if (code === undefined) throw thrown;
    return code;
  }
}
