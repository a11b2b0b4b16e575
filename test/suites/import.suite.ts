import { beforeEach, describe, expect, it } from "vitest";
import type { CapabilityVersion } from "../../src/registry/capability.js";
import type { CapabilityStore, ImportedCapability } from "../../src/registry/capability-store.js";
import { type Fqdn, formatFqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import { signedText } from "../../src/registry/signature.js";
import { name, newScope, sha256, sign, succeeded } from "./capability-samples.js";
import type { OpenedCapabilityStore } from "./capability-store.suite.js";

const DAY = new Date("2026-01-02T03:04:05.678Z");

/** A capability of another author, with `codes` as its versions. */
function foreign(
  scope: Scope,
  text: string,
  codes: readonly [string, ...string[]],
  more: Partial<ImportedCapability> & { readonly calls?: readonly Fqdn[] } = {},
): ImportedCapability {
  const { calls = [], ...rest } = more;
  const [namespace = "", action = ""] = text.split(":");
  const codeHash = sha256(codes[0]);
  const { org, project } = scope;
  const fqdn = formatFqdn({ org, project, namespace, action, hash: codeHash.slice(0, 4) });
  const versions: CapabilityVersion[] = [];
  for (const [index, code] of codes.entries()) {
    const before = versions.at(-1);
    versions.push({
      fqdn,
      version: index + 1,
      previousHash: before === undefined ? null : sha256(signedText(before)),
      versionTag: index === 1 ? "v1.1.0" : undefined,
      code,
      savedCode: code,
      canonicalCode: code,
      codeHash: sha256(code),
      parameters: {
        type: "object",
        properties: { a: { type: "string" } },
        required: [],
        additionalProperties: false,
      },
      toolsUsed: [],
      dependencies: calls,
      changeSummary: undefined,
      signature: `theirs ${code}`,
      publicKey: "their key",
      updatedBy: "eve@elsewhere",
      updatedAt: new Date(DAY.getTime() + index * 1_000),
    });
  }
  return {
    fqdn,
    codeHash,
    source: "code",
    intent: `intent of ${text}`,
    description: "described",
    tags: ["t"],
    visibility: "project",
    routing: "cloud",
    routingSource: "tools",
    cachePolicy: "memoize",
    ttlSeconds: 60,
    createdBy: "eve@elsewhere",
    createdAt: DAY,
    forkedFrom: undefined,
    mergedFrom: [],
    names: [name(text)],
    aliases: [],
    versions: versions as [CapabilityVersion, ...CapabilityVersion[]],
    structure: {},
    liftedCode: codes.at(-1) ?? "",
    analysisVersion: 0,
    scope,
    dryRun: false,
    ...rest,
  };
}

/** Tests imports of capabilities from other installations. */
export function describeImport(title: string, open: () => Promise<OpenedCapabilityStore>): void {
  describe(`CapabilityStore, import: ${title}`, () => {
    let store: CapabilityStore;
    let other: CapabilityStore;
    let rows: OpenedCapabilityStore["rows"];
    let scope: Scope;
    beforeEach(async () => {
      ({ store, other, rows } = await open());
      scope = newScope();
    });

    const learn = async (text: string, code: string, update = false) =>
      (await store.learn(succeeded(scope, code, { name: name(text), update }), sign)).capability;
    const refusal = async (imported: ImportedCapability) => {
      const { kind, code, message } = (await store
        .importRecord(imported)
        .catch((error: unknown) => error)) as { kind?: string; code?: string; message?: string };
      return kind ?? `${code}: ${message}`;
    };
    /** Everything that an import writes, except serial numbers. */
    const stateOf = async () =>
      JSON.stringify([
        await rows("select * from capability_records where project = $1 order by id", [scope.project]),
        await rows("select * from capability_aliases where project = $1 order by alias", [scope.project]),
        await rows("select * from capability_versions where capability_fqdn like $1 order by id", [
          `${scope.org}.${scope.project}.%`,
        ]),
      ]);

    it("[ID-15] keeps identity, versions, dates and signatures, and has earned nothing", async () => {
      const imported = foreign(scope, "fs:read", ["one", "two"], {
        aliases: [name("fs:old"), name("fs:older")],
      });
      const { kind, capability } = await store.importRecord(imported);
      expect(kind).toBe("created");
      expect(capability).toEqual(await other.get(imported.fqdn));
      expect(capability).toMatchObject({
        fqdn: imported.fqdn,
        displayName: "fs:read",
        codeHash: sha256("one"),
        version: 2,
        versionTag: "v1.1.0",
        description: "described",
        routing: "cloud",
        cachePolicy: "memoize",
        ttlSeconds: 60,
        tags: ["t"],
        trust: "unproven",
        usageCount: 0,
        createdBy: "eve@elsewhere",
        createdAt: DAY,
        signedBy: "their key",
        aliases: ["fs:old", "fs:older"],
      });
      expect(await other.history(imported.fqdn)).toEqual(imported.versions);
      expect(await store.renames(imported.fqdn, 10)).toEqual([]);
    });

    it("[ID-15] writes nothing the second time, and nothing where we have more", async () => {
      const imported = foreign(scope, "fs:read", ["one", "two"], { aliases: [name("fs:old")] });
      await store.importRecord(imported);
      const before = await stateOf();
      expect(await other.importRecord(imported)).toEqual({
        kind: "unchanged",
        name: "fs:read",
        aliasesLeftOut: [],
      });
      expect(await refusal(foreign(scope, "fs:read", ["one"]))).toBe("unchanged");
      expect(await stateOf()).toBe(before);
    });

    it("[ID-15] keeps the name and what else is said of it here", async () => {
      const imported = foreign(scope, "fs:read", ["one"]);
      await store.importRecord(imported);
      await store.rename({
        fqdn: imported.fqdn,
        scope,
        actor: "user",
        newName: name("fs:mine"),
        tags: ["mine"],
      });
      const { kind, capability } = await store.importRecord(
        foreign(scope, "fs:read", ["one", "two", "three"]),
      );
      expect(kind).toBe("updated");
      expect(capability).toMatchObject({
        displayName: "fs:mine",
        tags: ["mine"],
        version: 3,
        aliases: ["fs:read"],
      });
      expect((await store.history(imported.fqdn)).map(({ code }) => code)).toEqual(["one", "two", "three"]);
    });

    it("[ID-15] tells where both have gone on by themselves", async () => {
      await store.importRecord(foreign(scope, "fs:read", ["one", "two"]));
      const before = await stateOf();
      expect(await refusal(foreign(scope, "fs:read", ["one", "other", "third"]))).toBe(
        "CAPABILITY_EXISTS: fs:read exists here with different versions: version 2 differs",
      );
      expect(await stateOf()).toBe(before);
    });

    it("[TB-4] never extends a capability of another key", async () => {
      const { capability } = await store.learn(succeeded(scope, "ours", { name: name("fs:read") }), sign);
      const [v1] = await store.history(capability.fqdn);
      if (v1 === undefined) throw new Error("It was not kept");
      const before = await stateOf();
      const next = foreign(scope, "fs:read", ["ours", "theirs"]).versions[1];
      if (next === undefined) throw new Error("There is no version 2");
      const onTop = { ...next, fqdn: capability.fqdn, previousHash: sha256(signedText(v1)) };
      const extended = { ...foreign(scope, "fs:read", ["ours"]), fqdn: capability.fqdn };
      // Their own history from the start, and one that continues ours.
      const theirOwn = { ...v1, publicKey: "their key", signature: "theirs" };
      for (const versions of [[theirOwn, onTop], [theirOwn]] as const)
        expect(await refusal({ ...extended, versions })).toBe(
          "CAPABILITY_EXISTS: fs:read exists here, and its version 1 is signed with a different key: an import cannot extend it",
        );
      expect(await stateOf()).toBe(before);
    });

    it("[TB-4] adds nothing that does not continue the chain that is here", async () => {
      const codes = ["one", "two", "three"] as const;
      await store.importRecord(foreign(scope, "fs:read", ["one", "two"]));
      const before = await stateOf();
      // The same code and key, but signed as another history: version 1 has another source.
      const other = foreign(scope, "fs:read", codes);
      const [first, second, third] = other.versions;
      if (second === undefined || third === undefined) throw new Error("There are too few versions");
      const rewritten = { ...first, code: "// other\none" };
      const next = { ...second, previousHash: sha256(signedText(rewritten)) };
      const last = { ...third, previousHash: sha256(signedText(next)) };
      expect(await refusal({ ...other, versions: [rewritten, next, last] })).toBe(
        "CAPABILITY_EXISTS: fs:read exists here with different versions: version 1 differs",
      );
      expect(await stateOf()).toBe(before);
      expect(await refusal(foreign(scope, "fs:read", codes))).toBe("updated");
    });

    it("[TB-4] renews a signature of the same content by the same key, and no other", async () => {
      const imported = foreign(scope, "fs:read", ["one"]);
      await store.importRecord(imported);
      const [first] = imported.versions;
      const signatures = async () => (await store.history(imported.fqdn)).map(({ signature }) => signature);
      const again = { ...imported, versions: [{ ...first, signature: "renewed" }] as const };
      expect(await refusal({ ...again, dryRun: true })).toBe("updated");
      expect(await signatures()).toEqual(["theirs one"]);
      expect([await refusal(again), await refusal(again)]).toEqual(["updated", "unchanged"]);
      expect(await signatures()).toEqual(["renewed"]);
      expect(
        (await rows("select signature from capability_records where id = $1", [imported.fqdn]))[0],
      ).toEqual({
        signature: "renewed",
      });
    });

    it("[ID-3, ID-15] takes no name that is another's, as name, alias or reserved", async () => {
      await learn("fs:read", "ours");
      const gone = await learn("fs:gone", "gone");
      await store.delete({ fqdn: gone.fqdn, scope, reserveDays: 30 });
      const before = await stateOf();
      const taken = (text: string) =>
        `NAME_TAKEN: Capability name '${text}' already exists in scope ${scope.org}.${scope.project}`;
      expect(await refusal(foreign(scope, "fs:Read".toLowerCase(), ["theirs"]))).toBe(taken("fs:read"));
      expect(await refusal(foreign(scope, "fs:gone", ["theirs"]))).toBe(taken("fs:gone"));
      expect(await stateOf()).toBe(before);
      const names = [name("fs:read"), name("fs:gone"), name("fs:read_3")] as const;
      const outcome = await store.importRecord(
        foreign(scope, "fs:read", ["theirs"], { names, aliases: [name("fs:gone"), name("fs:was")] }),
      );
      expect(outcome).toMatchObject({ kind: "created", name: "fs:read_3", aliasesLeftOut: ["fs:gone"] });
      expect(outcome.capability?.aliases).toEqual(["fs:was"]);
    });

    it("[ID-8, ID-13] takes no code that is another's, but for forks", async () => {
      const ours = await learn("fs:read", "same");
      expect(await refusal(foreign(scope, "fs:copy", ["same"]))).toBe(
        `CAPABILITY_EXISTS: The same code already exists as fs:read in ${scope.org}.${scope.project}`,
      );
      expect(await refusal(foreign(scope, "fs:copy", ["same"], { forkedFrom: ours.fqdn }))).toBe("created");
    });

    it("[ID-13] keeps what it was forked from, which need not be here", async () => {
      const forkedFrom = foreign(scope, "fs:far", ["far"]).fqdn;
      const fork = foreign(scope, "fs:fork", ["far"], { forkedFrom });
      expect((await store.importRecord(fork)).capability?.forkedFrom).toBe(forkedFrom);
    });

    it("[ID-12, ID-15] says that it was deleted here", async () => {
      const imported = foreign(scope, "fs:read", ["one"]);
      await store.importRecord(imported);
      await store.delete({ fqdn: imported.fqdn, scope, reserveDays: 30 });
      expect(await refusal(imported)).toMatch(/^CAPABILITY_DELETED: fs:read was deleted here on \d{4}-/);
      await store.undelete({ fqdn: imported.fqdn, scope });
      expect(await refusal(imported)).toBe("unchanged");
    });

    it("[AN-10, ID-15] refuses a circle, also one that was not there while the other half was missing", async () => {
      const b = foreign(scope, "x:b", ["b"]);
      const a = foreign(scope, "x:a", ["a"], { calls: [b.fqdn] });
      expect(await refusal(a)).toBe("created");
      expect(await refusal(foreign(scope, "x:b", ["b"], { calls: [a.fqdn] }))).toMatch(
        /^CODE_REFUSED: Capabilities call each other in a cycle: x:b → x:a/,
      );
      expect(await store.get(b.fqdn)).toBeUndefined();
      expect(await refusal(b)).toBe("created");
    });

    it("[ID-15] says what would happen, and does nothing, in a dry run", async () => {
      await store.importRecord(foreign(scope, "fs:read", ["one"]));
      const before = await stateOf();
      const dryRun = true;
      expect(await refusal(foreign(scope, "fs:read", ["one", "two"], { dryRun }))).toBe("updated");
      expect(await refusal(foreign(scope, "fs:new", ["new"], { dryRun }))).toBe("created");
      expect(await refusal(foreign(scope, "fs:read", ["x"], { dryRun }))).toMatch(/^NAME_TAKEN/);
      expect(await stateOf()).toBe(before);
    });

    it("[ID-15] has one winner where several import the same at once", async () => {
      const all = Array.from({ length: 12 }, (_, index) =>
        foreign(scope, `fs:c${index}`, [`c${index}`, `d${index}`], { aliases: [name(`fs:was${index}`)] }),
      );
      const importAll = async (through: CapabilityStore, list: readonly ImportedCapability[]) => {
        const kinds: string[] = [];
        await Promise.all(list.map(async (one) => kinds.push((await through.importRecord(one)).kind)));
        return kinds;
      };
      const kinds = await Promise.all([importAll(store, all), importAll(other, [...all].reverse())]);
      expect(kinds.flat().sort()).toEqual([...all.map(() => "created"), ...all.map(() => "unchanged")]);
      for (const { fqdn, versions } of all) expect(await store.history(fqdn)).toEqual(versions);
    });

    it("[ID-15] loses nothing where somebody updates what is being imported", async () => {
      const imported = foreign(scope, "fs:read", ["one"]);
      await store.importRecord(imported);
      const more = foreign(scope, "fs:read", ["one", "two", "three"]);
      const [outcome] = await Promise.all([
        refusal(more),
        other.learn(succeeded(scope, "ours", { name: name("fs:read"), update: true }), sign),
      ]);
      const codes = (await store.history(imported.fqdn)).map(({ code }) => code).join(" ");
      expect([codes, outcome.slice(0, 17)]).toEqual(
        outcome === "updated" ? ["one two three ours", "updated"] : ["one ours", "CAPABILITY_EXISTS"],
      );
    });

    it("[ID-10] counts what each key has signed, of what is alive, by any version", async () => {
      const key = `key of ${scope.project}`;
      const signedBy = (imported: ImportedCapability): ImportedCapability => {
        const [first, ...rest] = imported.versions;
        return { ...imported, versions: [{ ...first, publicKey: key }, ...rest] };
      };
      const gone = signedBy(foreign(scope, "fs:gone", ["gone"]));
      for (const one of [
        signedBy(foreign(scope, "fs:a", ["a", "b"])),
        signedBy(foreign(scope, "fs:c", ["c"])),
        gone,
      ])
        await store.importRecord(one);
      await store.delete({ fqdn: gone.fqdn, scope, reserveDays: 30 });
      expect((await other.signers()).find(({ publicKey }) => publicKey === key)?.capabilities).toBe(2);
    });
  });
}
