/** The curator on a real store, with the heuristics that there are. */
import { beforeEach, describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded, use } from "../../test/suites/capability-samples.js";
import {
  type CuratedStore,
  type CuratingGateway,
  countingModel,
  curatingGateway,
  learnReading,
  openCuratedStore,
} from "../../test/support/curated-store.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "../registry/capability.js";
import type { Scope } from "../registry/scope.js";
import type { Curating, GivenName, NameOutcome } from "./curator.js";

let store: CuratedStore;
let gateway: CuratingGateway;
let scope: Scope;
let curating: Curating;

beforeEach(async () => {
  store = await openCuratedStore();
  gateway = await curatingGateway(store);
  scope = newScope();
  curating = { scope, signal: new AbortController().signal };
});

const learn = (what: string, as = scope) => learnReading(gateway.registry, as, what);
const PAGE = { offset: 0, limit: 50 };

async function suggested(filter = {}, as = curating, page = PAGE): Promise<Readonly<Record<string, string>>> {
  const { items } = await gateway.curator.suggest(filter, page, as);
  return Object.fromEntries(
    items.map(({ capability, suggestion }) => [capability.displayName, suggestion.name]),
  );
}

function told(outcomes: readonly NameOutcome[]): readonly string[] {
  return outcomes.map((outcome) =>
    outcome.kind === "named"
      ? `${outcome.from} -> ${outcome.capability.displayName}`
      : `${outcome.error.code}: ${outcome.error.message.replaceAll(scope.project, "P")}`,
  );
}

const apply = async (...names: readonly GivenName[]) =>
  told(await gateway.curator.apply(names, "agent", curating));

describe("[CU-1] suggesting", () => {
  it("names each, changes nothing, and says the same again", async () => {
    const one = await learn("config");
    const two = await learn("settings");
    const names = await suggested();
    expect(new Set(Object.keys(names))).toEqual(new Set([one.displayName, two.displayName]));
    for (const made of Object.values(names)) expect(made).toMatch(/^fs:[a-z0-9]+(_[a-z0-9]+)+$/);
    expect(new Set(Object.values(names)).size).toBe(2);
    expect(await suggested()).toEqual(names);
    expect(gateway.registry.directory.get(one.fqdn)?.displayName).toBe(one.displayName);
  });

  it("[CU-5] keeps what it has made until the code, the intent or the freedom of the name changes", async () => {
    const made: number[] = [];
    gateway = await curatingGateway(store, {
      keep: async (kept) => {
        made.push(kept.length);
        await store.suggestions.keep(kept);
      },
    });
    const { displayName } = await learn("config");
    await learn("settings");
    const names = await suggested();
    expect(made).toEqual([2]);
    await suggested();
    expect(made).toEqual([2]);
    await gateway.registry.learn(
      succeeded(scope, "return 'taker'", { name: name(names[displayName] ?? "") }),
      sign,
    );
    const others = await suggested();
    expect(made).toEqual([2, 1]);
    expect(others[displayName]).not.toBe(names[displayName]);
  });

  it("[CU-5] thinks again of what has other code by now", async () => {
    const { fqdn } = await learnReading(gateway.registry, scope, "config", { name: name("x:y") });
    const all = { unnamedOnly: false };
    const before = await suggested(all);
    await learnReading(gateway.registry, scope, "invoice", { name: name("x:y"), update: true });
    expect(gateway.registry.directory.get(fqdn)?.version).toBe(2);
    const after = await suggested(all);
    expect([before["x:y"], after["x:y"]]).toEqual([
      expect.stringContaining("config"),
      expect.stringContaining("invoice"),
    ]);
  });

  it("suggests no name to two, however they are asked about", async () => {
    await learn("config");
    const one = await suggested();
    for (const what of ["Config", "CONFIG"]) await learn(what);
    const all = await suggested();
    expect(all).toMatchObject(one);
    expect(new Set(Object.values(all)).size).toBe(3);
  });

  it("[CU-4] reports near-duplicates together, also where one comes later", async () => {
    const near = (table: string) =>
      gateway.registry.learn(
        succeeded(
          scope,
          `const { content } = await mcp.filesystem.read_file({ path: "/data/${table}.csv" });
const lines = content.split("\\n").filter((line) => line.length > 0);
return { count: lines.length, first: lines[0] };`,
          { intent: `count the lines of the ${table}` },
        ),
        sign,
      );
    await near("orders");
    await learn("config");
    await suggested();
    await near("invoices");
    const { items } = await gateway.curator.suggest({}, PAGE, curating);
    const places = ["orders", "invoices"].map((table) =>
      items.findIndex(({ capability }) => capability.intent.endsWith(table)),
    );
    expect(Math.abs((places[0] ?? 0) - (places[1] ?? 0))).toBe(1);
    const [one, two] = places.map((at) => items[at]);
    expect(one?.suggestion.near).toEqual([two?.capability.fqdn]);
    expect(two?.suggestion.near).toEqual([one?.capability.fqdn]);
    expect(one?.suggestion.name).not.toBe(two?.suggestion.name);
  });

  it("has only what fits the filter, most used first, in pages", async () => {
    const rare = await learn("rare");
    const often = await learn("often");
    await gateway.registry.learn(
      succeeded(scope, "return 1", { inferredNamespace: "util", toolsUsed: [] }),
      sign,
    );
    const uses = [use(scope, often.fqdn), use(scope, often.fqdn)];
    for (const changed of await store.capabilities.addUses(uses)) gateway.registry.directory.put(changed);
    expect(Object.keys(await suggested({ minUsage: 3 }))).toEqual([often.displayName]);
    expect(Object.keys(await suggested({ namespace: "FS" }))).toEqual([often.displayName, rare.displayName]);
    expect(Object.keys(await suggested({}, curating, { offset: 0, limit: 1 }))).toEqual([often.displayName]);
    expect((await gateway.curator.suggest({}, { offset: 1, limit: 1 }, curating)).total).toBe(3);
    expect(await suggested({}, curating, { offset: 9, limit: 1 })).toEqual({});
  });

  it("looks at named ones where it is asked to, and leaves alone what is well named", async () => {
    const { fqdn, displayName } = await learn("config");
    const best = (await suggested())[displayName] ?? "";
    await apply({ reference: fqdn, name: best });
    expect(await suggested({ unnamedOnly: false })).toEqual({});
    await apply({ reference: fqdn, name: "x:y" });
    expect(await suggested()).toEqual({});
    expect(await suggested({ unnamedOnly: false })).toEqual({ "x:y": best });
  });

  it("[CU-1, ID-14] has nothing of others, and nothing of other projects", async () => {
    const bob: Scope = { ...scope, user: "bob" };
    const mine = await learn("config");
    await learn("secret", bob);
    await learn("elsewhere", newScope());
    expect(Object.keys(await suggested())).toEqual([mine.displayName]);
    const sent: string[] = [];
    const model = {
      name: "m",
      refine: async (briefs: readonly object[]) => {
        sent.push(JSON.stringify(briefs));
        return [];
      },
    };
    await gateway.curator.suggest({}, PAGE, { ...curating, model });
    expect(sent.join()).toContain("config");
    expect(sent.join()).not.toContain("secret");
  });
});

describe("[CU-3] suggesting with a model", () => {
  it("[CU-1] asks in batches of five, about the page alone, and about nothing twice", async () => {
    for (let at = 0; at < 13; at += 1) await learn(`thing${at}`);
    const asked: number[] = [];
    const batches: string[] = [];
    const model = countingModel(asked);
    const withModel: Curating = {
      ...curating,
      model,
      onBatch: (done, total) => void batches.push(`${done}/${total}`),
    };
    const first = await suggested({}, withModel, { offset: 0, limit: 12 });
    expect(asked).toEqual([5, 5, 2]);
    expect(batches).toEqual(["5/12", "10/12", "12/12"]);
    expect(await suggested({}, { ...curating, model }, { offset: 0, limit: 12 })).toEqual(first);
    expect(asked).toEqual([5, 5, 2]);
    expect(Object.values(first).every((made) => made.startsWith("fs:read_model"))).toBe(true);
  });

  it("lets heuristics stand where it fails, says so, and gives it up", async () => {
    for (let at = 0; at < 16; at += 1) await learn(`thing${at}`);
    let asked = 0;
    const model = {
      name: "m",
      refine: async () => {
        asked += 1;
        throw new Error("no answer");
      },
    };
    const { items, problems } = await gateway.curator.suggest({}, PAGE, { ...curating, model });
    expect(items.map(({ suggestion }) => suggestion.by)).toEqual(Array(16).fill("heuristics"));
    expect(problems.join()).toContain("no answer");
    expect(asked).toBe(2);
  });
});

describe("[CU-1] applying what is sure", () => {
  it("gives names over 0.8, leaves the others, and says why", async () => {
    const sure = await learn("config");
    const { capability: unsure } = await gateway.registry.learn(
      succeeded(scope, "return 1", { intent: "do it", toolsUsed: [], inferredNamespace: "util" }),
      sign,
    );
    const { applied, left, others } = await gateway.curator.auto({}, 100, curating);
    expect(applied.map(({ from, suggestion }) => [from, suggestion.confidence > 0.8])).toEqual([
      [sure.displayName, true],
    ]);
    expect(left.map(({ capability, why }) => [capability.displayName, why])).toEqual([
      [unsure.displayName, expect.stringMatching(/^confidence 0\.\d\d is not over 0\.8$/)],
    ]);
    expect(others).toBe(0);
    const named = gateway.registry.directory.get(sure.fqdn);
    expect(named).toMatchObject({ isNamed: true, aliases: [sure.displayName] });
    expect(named?.description).toBeTruthy();
    expect(await store.capabilities.renames(sure.fqdn, 1)).toMatchObject([
      { actor: "auto", curatedBy: "heuristics", renamedBy: "ada@acme", oldName: sure.displayName },
    ]);
  });

  it("keeps the description and tags that a user gave", async () => {
    const { fqdn } = await learn("config");
    await gateway.registry.rename({ fqdn, scope, actor: "user", description: "mine", tags: ["t"] });
    await gateway.curator.auto({}, 100, curating);
    const named = gateway.registry.directory.get(fqdn);
    expect([named?.isNamed, named?.description, named?.tags]).toEqual([true, "mine", ["t"]]);
  });

  it("leaves what was named or deleted meanwhile, also through another gateway", async () => {
    const named = await learn("config");
    const deleted = await learn("settings");
    const free = await learn("profile");
    await suggested();
    const other = await curatingGateway(store);
    await other.registry.rename({ fqdn: named.fqdn, scope, actor: "user", newName: name("bob:was_here") });
    await other.registry.delete({ fqdn: deleted.fqdn, scope, reserveDays: 1 });
    const { applied, left } = await gateway.curator.auto({}, 100, curating);
    expect(applied.map(({ from }) => from)).toEqual([free.displayName]);
    expect(left.map(({ why }) => why).sort()).toEqual([
      expect.stringMatching(/was deleted .*\[CAPABILITY_DELETED\]$/),
      expect.stringMatching(/is called bob:was_here now: it was renamed \[CAPABILITY_CHANGED\]$/),
    ]);
    expect(gateway.registry.directory.get(named.fqdn)?.displayName).toBe("bob:was_here");
  });

  it("gives each name once where two gateways apply at the same time", async () => {
    for (let at = 0; at < 12; at += 1) await learn(`thing${at}`);
    const other = await curatingGateway(store);
    const outcomes = await Promise.all(
      [gateway, other].map(({ curator }) => curator.auto({}, 100, curating)),
    );
    const applied = outcomes.flatMap(({ applied: some }) => some.map(({ capability }) => capability.fqdn));
    expect(applied).toHaveLength(12);
    expect(new Set(applied).size).toBe(12);
  });
});

describe("[CU-1] applying given names", () => {
  it("takes any form of a name, and gives each its own outcome", async () => {
    const [one, two, three, four, five] = await Promise.all(
      ["a", "b", "c", "d", "e"].map((what) => learn(what)),
    );
    await gateway.registry.delete({ fqdn: five?.fqdn as Capability["fqdn"], scope, reserveDays: 1 });
    expect(
      await apply(
        { reference: one?.id ?? "", name: "fs:one" },
        { reference: two?.displayName ?? "", name: "fs:one" },
        { reference: `cap:${three?.fqdn}`, name: "fs:three" },
        { reference: "no:such", name: "fs:x" },
        { reference: four?.displayName ?? "", name: "not a name!" },
        { reference: five?.id ?? "", name: "fs:five" },
        { reference: one?.fqdn ?? "", name: "fs:again" },
        { reference: four?.id ?? "", name: "cap:mine" },
      ),
    ).toEqual([
      `${one?.displayName} -> fs:one`,
      "NAME_TAKEN: Capability name 'fs:one' already exists in scope acme.P",
      `${three?.displayName} -> fs:three`,
      "CAPABILITY_NOT_FOUND: Capability not found: no:such",
      expect.stringMatching(/^NAME_INVALID: Invalid capability name: "not a name!"/),
      expect.stringMatching(/^CAPABILITY_DELETED: /),
      "ARGUMENTS_INVALID: fs:one has two names in one call",
      expect.stringMatching(/^NAME_TAKEN: Capability name 'cap:mine' is reserved/),
    ]);
    expect(gateway.registry.directory.resolve(one?.displayName ?? "", scope)?.viaAlias).toBe(
      one?.displayName,
    );
  });

  it("leaves what is called something else by now", async () => {
    const { id, displayName } = await learn("config");
    expect(await apply({ reference: id, name: "fs:mine", currentName: displayName })).toEqual([
      `${displayName} -> fs:mine`,
    ]);
    for (const late of [
      { reference: displayName, name: "fs:late" },
      { reference: id, name: "fs:late", currentName: displayName },
    ])
      expect(await apply(late)).toEqual([
        `CAPABILITY_CHANGED: ${displayName} is called fs:mine now: it was renamed`,
      ]);
    expect(await apply({ reference: id, name: "fs:later" })).toEqual(["fs:mine -> fs:later"]);
  });

  it("brings along what was suggested beside the name, and says who thought of it", async () => {
    const { fqdn, displayName } = await learn("config");
    const other = await learn("settings");
    const names = await suggested();
    await apply(
      { reference: fqdn, name: names[displayName] ?? "" },
      { reference: other.fqdn, name: "fs:own" },
    );
    const taken = gateway.registry.directory.get(fqdn);
    expect(taken?.description).toBeTruthy();
    expect(gateway.registry.directory.get(other.fqdn)?.description).toBe(undefined);
    expect(await store.capabilities.renames(fqdn, 1)).toMatchObject([
      { actor: "agent", curatedBy: "heuristics" },
    ]);
    expect((await store.capabilities.renames(other.fqdn, 1))[0]).not.toHaveProperty("curatedBy");
    expect(await store.suggestions.kept([fqdn, other.fqdn])).toEqual([]);
  });

  it("[ID-14] refuses what the session may see and not change, and does not know what it may not see", async () => {
    const stranger: Scope = { org: "other", project: "p", user: "eve" };
    const { fqdn, displayName } = await learn("config");
    const asStranger = { ...curating, scope: stranger };
    const given = [{ reference: fqdn, name: "fs:x" }];
    const [hidden] = await gateway.curator.apply(given, "agent", asStranger);
    expect(hidden?.kind === "failed" && hidden.error.code).toBe("CAPABILITY_NOT_FOUND");
    await gateway.registry.rename({ fqdn, scope, actor: "user", visibility: "public" });
    const [seen] = await gateway.curator.apply(given, "agent", asStranger);
    expect(seen?.kind === "failed" && seen.error.code).toBe("NOT_ALLOWED");
    expect(gateway.registry.directory.get(fqdn)?.displayName).toBe(displayName);
  });

  it("stops where the store does", async () => {
    const { id } = await learn("config");
    const failing = await curatingGateway(store, {
      kept: () => Promise.reject(new PmlError("STORE_FAILED", "Cannot read: it is gone")),
    });
    await expect(failing.curator.apply([{ reference: id, name: "fs:x" }], "agent", curating)).rejects.toThrow(
      "it is gone",
    );
  });
});
