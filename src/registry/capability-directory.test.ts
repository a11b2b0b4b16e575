import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import type { Capability } from "./capability.js";
import { aliasWarning, type CapabilityChange, CapabilityDirectory } from "./capability-directory.js";
import { foldDisplayName, parseDisplayName } from "./display-name.js";
import type { Scope } from "./scope.js";
import type { ToolId } from "./tool-id.js";
import { noToolNames, type ToolNames } from "./tool-names.js";
import { canSee } from "./visibility.js";

const ada: Scope = { org: "local", project: "default", user: "ada" };
const bob: Scope = { ...ada, user: "bob" };
const elsewhere: Scope = { ...ada, project: "other" };

const read = sampleCapability("fs:read_json", { aliases: [parseDisplayName("fs:loadJson")] });
const unnamed = sampleCapability("unnamed_0123abcd");
const shared = sampleCapability("fs:read_json", { org: "acme", project: "shared", visibility: "public" });
const secret = sampleCapability("fs:secret", { org: "acme", project: "shared" });

const directory = new CapabilityDirectory([read, unnamed, shared, secret]);

/** The name, the alias behind `<`, the version behind `@`, the scope in front where it is another. */
function resolved(reference: string, scope: Scope, from = directory): string {
  const found = from.resolve(reference, scope);
  if (found === undefined) return "nothing";
  const { capability, viaAlias, version } = found;
  const where = capability.org === scope.org ? "" : `${capability.org}.${capability.project}:`;
  const via = viaAlias === undefined ? "" : ` < ${viaAlias}`;
  const at = version === undefined ? "" : ` @${version.kind === "latest" ? "latest" : version.text}`;
  return `${where}${capability.displayName}${via}${at}`;
}

describe("resolve", () => {
  it.each([
    ["fs:read_json", "fs:read_json"],
    ["FS:Read-JSON", "fs:read_json"],
    ["fs:readJson@v1", "fs:read_json @v1"],
    ["cap:fs:read_json", "fs:read_json"],
    [read.fqdn, "fs:read_json"],
    [`${read.fqdn}@latest`, "fs:read_json @latest"],
    ["local.default.fs.read_json", "fs:read_json"],
    [read.id, "fs:read_json"],
    [read.id.toUpperCase(), "fs:read_json"],
    ["local.default:fs:read_json", "fs:read_json"],
    ["fs:loadJson", "fs:read_json < fs:loadJson"],
    ["fs:load_json", "fs:read_json < fs:loadJson"],
    ["local.default:fs:load-json@v2", "fs:read_json < fs:loadJson @v2"],
    ["unnamed_0123abcd", "unnamed_0123abcd"],
    [unnamed.fqdn, "unnamed_0123abcd"],
    ["acme.shared:fs:read_json", "acme.shared:fs:read_json"],
    [shared.fqdn, "acme.shared:fs:read_json"],
    ["acme.shared.fs.read_json", "acme.shared:fs:read_json"],
    ["fs:read", "nothing"],
    ["fs_read_json", "nothing"],
    ["local.other:fs:read_json", "nothing"],
    ["local.default.fs.read_json.0000", "nothing"],
    ["", "nothing"],
    ["a b", "nothing"],
    ["constructor", "nothing"],
    ["__proto__", "nothing"],
  ])("[ID-6] %s is %s", (reference, expected) => expect(resolved(reference, ada)).toBe(expected));

  it("[ID-6] never falls through from a bare name to another project, org or the public", () => {
    expect(resolved("fs:read_json", elsewhere)).toBe("nothing");
    expect(resolved("fs:read_json", { ...ada, org: "acme" })).toBe("nothing");
    expect(resolved("fs:read_json", { ...ada, org: "acme", project: "shared" })).toBe("fs:read_json");
  });

  it.each([secret.fqdn, "acme.shared:fs:secret", "acme.shared.fs.secret", secret.id])(
    "[ID-7] %s, which the session may not see, is the same as what does not exist",
    (reference) => expect(resolved(reference, ada)).toBe("nothing"),
  );

  it("[ID-7] shows what is private to its creators alone, whatever it is called by", () => {
    for (const reference of [unnamed.displayName, unnamed.fqdn, unnamed.id])
      expect([resolved(reference, ada), resolved(reference, bob)]).toEqual([unnamed.displayName, "nothing"]);
  });

  it("[TB-6] never takes a name for a capability's that a real tool has, and one with its project always", () => {
    const tools: ToolNames = {
      ...noToolNames,
      toolCalled: (name) =>
        foldDisplayName(name) === "fs:readjson" ? ("fs:read_json" as ToolId) : undefined,
    };
    const names = new CapabilityDirectory([read], tools);
    for (const reference of ["fs:read_json", "FS:Read-JSON", "fs:read_json@v1"])
      expect(resolved(reference, ada, names), reference).toBe("nothing");
    for (const reference of [read.fqdn, "local.default:fs:read_json"])
      expect(resolved(reference, ada, names), reference).toBe("fs:read_json");
    expect(resolved("fs:loadJson", ada, names)).toBe("fs:read_json < fs:loadJson");
  });

  it("[ID-5] warns of an alias in the words of the specification", () => {
    expect(aliasWarning("fs:old_name", { displayName: parseDisplayName("fs:new_name") })).toBe(
      'Deprecated: Using alias "fs:old_name" for capability "fs:new_name". Update your code.',
    );
  });

  it("[ID-6] takes an FQDN without its hash for the one that still has this name, or for none", () => {
    const old = sampleCapability("fs:a", { codeHash: "1".repeat(64), displayName: parseDisplayName("fs:b") });
    const now = sampleCapability("fs:a", { codeHash: "2".repeat(64) });
    const two = new CapabilityDirectory([old]);
    expect(resolved("local.default.fs.a", ada, two)).toBe("fs:b");
    two.put(now);
    expect(resolved("local.default.fs.a", ada, two)).toBe("fs:a");
    two.put({ ...now, displayName: parseDisplayName("fs:c") });
    expect(resolved("local.default.fs.a", ada, two)).toBe("nothing");
    two.remove(old.fqdn);
    expect(resolved("local.default.fs.a", ada, two)).toBe("fs:c");
    const both = new CapabilityDirectory([sampleCapability("a:b:c"), sampleCapability("a:b_c")]);
    expect(resolved("local.default.a.b_c", ada, both)).toBe("nothing");
  });
});

describe("changes", () => {
  it("are seen at once, and what was before is gone", () => {
    const names = new CapabilityDirectory([read]);
    names.put({ ...read, displayName: parseDisplayName("fs:parse"), aliases: [read.displayName] });
    expect(["fs:parse", "fs:read_json", "fs:loadJson"].map((name) => resolved(name, ada, names))).toEqual([
      "fs:parse",
      "fs:parse < fs:read_json",
      "nothing",
    ]);
    names.remove(read.fqdn);
    expect(
      ["fs:parse", "fs:read_json", read.fqdn, read.id].map((name) => resolved(name, ada, names)),
    ).toEqual(["nothing", "nothing", "nothing", "nothing"]);
    expect(names.size).toBe(0);
  });

  it("that come late do not undo later ones", () => {
    const names = new CapabilityDirectory([{ ...read, usageCount: 5, revision: 7 }]);
    names.put({ ...read, usageCount: 4, revision: 6 });
    expect(names.get(read.fqdn)?.usageCount).toBe(5);
    names.put({ ...read, usageCount: 6, revision: 8 });
    expect(names.get(read.fqdn)?.usageCount).toBe(6);
  });

  it("leave a name with its current holder when its former holder changes later", () => {
    const other = sampleCapability("fs:other", { displayName: read.displayName });
    const names = new CapabilityDirectory([read, other]);
    names.put({ ...read, displayName: parseDisplayName("fs:mine"), aliases: [] });
    expect(names.resolve("fs:read_json", ada)?.capability.fqdn).toBe(other.fqdn);
    expect(names.resolve("FS:READ_JSON", ada)?.capability.fqdn).toBe(other.fqdn);
  });

  it("give a name that is spelled otherwise now to its current holder", () => {
    const other = sampleCapability("fs:other", { displayName: parseDisplayName("FS:Read_JSON") });
    const names = new CapabilityDirectory([read, other]);
    expect(names.resolve("fs:read_json", ada)?.capability.fqdn).toBe(other.fqdn);
  });

  it("are told to listeners, until they stop", () => {
    const names = new CapabilityDirectory([read]);
    const told: CapabilityChange[] = [];
    const stop = names.onChange((change) => told.push(change));
    const changed = { ...read, usageCount: 2 };
    names.put(changed);
    names.put(unnamed);
    names.remove(read.fqdn);
    names.remove(read.fqdn);
    stop();
    names.remove(unnamed.fqdn);
    expect(told).toEqual([{ before: read, after: changed }, { after: unnamed }, { before: changed }]);
  });
});

describe("deleted ones", () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  const deleted = { ...read, deletedAt: days(-1), reservedUntil: days(29), revision: 5 };
  const wasDeleted = (reference: string, scope: Scope, from: CapabilityDirectory) =>
    from.resolveDeleted(reference, scope)?.capability.displayName;

  it("[ID-12] are resolved apart from the others, by whatever they were called by", () => {
    const names = new CapabilityDirectory([{ ...read, revision: 4 }]);
    names.put(deleted);
    for (const reference of [
      "fs:READ_json",
      "fs:loadJson",
      read.fqdn,
      read.id,
      "local.default.fs.read_json",
    ]) {
      expect(resolved(reference, ada, names)).toBe("nothing");
      expect(wasDeleted(reference, ada, names)).toBe("fs:read_json");
    }
    expect([names.size, names.get(read.fqdn), names.getDeleted(read.fqdn)]).toEqual([0, undefined, deleted]);
    expect([names.listed(ada), names.nearest("fs:read_jso", ada)]).toEqual([[], []]);
    expect(names.withCode(read.codeHash, ada)).toBeUndefined();
  });

  it("[ID-7] [ID-12] are nothing to who could not see them", () => {
    const names = new CapabilityDirectory([{ ...deleted, visibility: "private" }]);
    expect([ada, bob].map((scope) => wasDeleted("fs:read_json", scope, names))).toEqual([
      "fs:read_json",
      undefined,
    ]);
    expect(names.isTaken("fs:read_json", bob)).toBe(true);
  });

  it("[ID-12] keep their names for as long as these are reserved", () => {
    const names = new CapabilityDirectory([deleted]);
    expect(["fs:readJson", "fs:LoadJson"].map((name) => names.holderOf(name, ada)?.capability)).toEqual([
      deleted,
      deleted,
    ]);
    names.put({ ...deleted, reservedUntil: days(-1) });
    expect(names.isTaken("fs:read_json", ada)).toBe(false);
    expect(wasDeleted("fs:read_json", ada, names)).toBeUndefined();
  });

  it("[ID-12] come back as they were, and do not come back by news that is late", () => {
    const names = new CapabilityDirectory([deleted]);
    names.put({ ...read, revision: 4 });
    expect(resolved("fs:read_json", ada, names)).toBe("nothing");
    const back = { ...read, revision: 6 };
    names.put(back);
    names.put(deleted);
    expect(resolved("fs:loadJson", ada, names)).toBe("fs:read_json < fs:loadJson");
    expect([names.get(read.fqdn), names.getDeleted(read.fqdn)]).toEqual([back, undefined]);
  });

  it("are told to listeners as what is gone, and as what is new when they come back", () => {
    const names = new CapabilityDirectory([{ ...read, revision: 4 }]);
    const told: string[] = [];
    names.onChange(({ before, after }) => told.push(`${before?.revision} to ${after?.revision}`));
    names.put(deleted);
    names.put({ ...deleted, revision: 6 });
    names.put({ ...read, revision: 7 });
    expect(told).toEqual(["4 to undefined", "undefined to 7"]);
  });
});

describe("withCode", () => {
  it("[ID-13] does not find forks, which began as the code of another", () => {
    const names = new CapabilityDirectory([
      { ...read, forkedFrom: shared.fqdn },
      sampleCapability("fs:own", { codeHash: read.codeHash }),
    ]);
    expect(names.withCode(read.codeHash, ada)?.displayName).toBe("fs:own");
  });

  it("[ID-8] finds what began as this code in its own project only, for as long as it is there", () => {
    const directory = new CapabilityDirectory();
    const one = sampleCapability("fs:read", { codeHash: "a".repeat(64) });
    directory.put(one);
    expect(directory.withCode("a".repeat(64), one)).toBe(one);
    expect(directory.withCode("b".repeat(64), one)).toBeUndefined();
    expect(directory.withCode("a".repeat(64), { org: one.org, project: "elsewhere" })).toBeUndefined();
    directory.remove(one.fqdn);
    expect(directory.withCode("a".repeat(64), one)).toBeUndefined();
  });
});

describe("listed", () => {
  const beta = sampleCapability("b:beta");
  const hidden = sampleCapability("a:hidden", { visibility: "private" });

  it("[WIRE-5, ID-4] has the named capabilities of the project that the session may see, by name", () => {
    const names = new CapabilityDirectory([read, beta, unnamed, shared, hidden]);
    const listed = (scope: Scope) => names.listed(scope).map(({ displayName }) => displayName);
    expect(listed(ada)).toEqual(["a:hidden", "b:beta", "fs:read_json"]);
    expect(listed(bob)).toEqual(["b:beta", "fs:read_json"]);
    expect(listed(elsewhere)).toEqual([]);
  });

  it("shows counters as they are now, and the order of names as they are now", () => {
    const names = new CapabilityDirectory([read, beta]);
    expect(names.listed(ada)).toEqual([beta, read]);
    const used = { ...beta, usageCount: 9 };
    names.put(used);
    expect(names.listed(ada)).toEqual([used, read]);
    const renamed = { ...used, displayName: parseDisplayName("z:beta") };
    names.put(renamed);
    expect(names.listed(ada)).toEqual([read, renamed]);
    names.remove(read.fqdn);
    expect(names.listed(ada)).toEqual([renamed]);
  });
});

describe("taken names", () => {
  it.each([
    ["fs:read_json", true],
    ["FS:ReadJson", true],
    ["fs:LOAD_json", true],
    ["unnamed-0123ABCD", true],
    ["fs:secret", false],
    ["fs:new", false],
  ])("[ID-3] %s is taken: %s", (name, expected) => expect(directory.isTaken(name, ada)).toBe(expected));

  it("[ID-3] also where the session may not see who has it", () => {
    expect(directory.isTaken(unnamed.displayName, bob)).toBe(true);
  });
});

describe("nearest", () => {
  it("[FP-15] offers only names that the asker may see", () => {
    const names = new CapabilityDirectory([
      read,
      sampleCapability("fs:read_jsonl", { visibility: "private" }),
      shared,
    ]);
    expect(names.nearest("fs:raed_json", ada)).toEqual(["fs:read_json", "fs:read_jsonl"]);
    expect(names.nearest("fs:raed_json", bob)).toEqual(["fs:read_json"]);
    expect(names.nearest("fs:raed_json", elsewhere)).toEqual([]);
  });
});

describe("dependents", () => {
  it("are the capabilities whose newest code calls one", () => {
    const caller = sampleCapability("fs:caller", { dependencies: [read.fqdn] });
    const names = new CapabilityDirectory([read, caller]);
    expect(names.dependents(read.fqdn)).toEqual([caller]);
    names.put({ ...caller, dependencies: [] });
    expect(names.dependents(read.fqdn)).toEqual([]);
  });
});

describe("against a list", () => {
  const NAMES = ["a", "A", "a:b", "A:b", "a-b", "ab", "c:d", "unnamed_00000000"];
  const capability = fc
    .record({
      codeHash: fc.constantFrom("1", "2", "3", "4").map((digit) => digit.repeat(64)),
      project: fc.constantFrom("default", "other"),
      displayName: fc.constantFrom(...NAMES).map(parseDisplayName),
      aliases: fc.uniqueArray(fc.constantFrom(...NAMES).map(parseDisplayName), { maxLength: 2 }),
      visibility: fc.constantFrom("private" as const, "project" as const, "org" as const, "public" as const),
    })
    .map((changes) => sampleCapability("x:y", changes));

  /** Memory follows the store, in which a name has one holder: the second one gives up the name. */
  function fits(all: readonly Capability[], one: Capability): boolean {
    const folds = ({ displayName, aliases }: Capability) => [displayName, ...aliases].map(foldDisplayName);
    if (new Set(folds(one)).size !== folds(one).length) return false;
    return !all.some(
      (other) =>
        other.fqdn !== one.fqdn &&
        other.project === one.project &&
        folds(other).some((fold) => folds(one).includes(fold)),
    );
  }

  it("[ID-6, ID-7] resolves what a search through all of them would find", () => {
    const step = fc.oneof(capability, capability, fc.nat(3));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.constantFrom(ada, bob, elsewhere), (steps, scope) => {
        const names = new CapabilityDirectory();
        let all: Capability[] = [];
        for (const one of steps) {
          if (typeof one === "number") {
            const [gone] = all.slice(one, one + 1);
            if (gone !== undefined) names.remove(gone.fqdn);
            all = all.filter((other) => other !== gone);
          } else if (fits(all, one)) {
            names.put(one);
            all = [...all.filter(({ fqdn }) => fqdn !== one.fqdn), one];
          }
        }
        for (const name of NAMES) {
          const isCalled = (text: string) => foldDisplayName(text) === foldDisplayName(name);
          const expected = all.find(
            (one) =>
              one.project === scope.project &&
              [one.displayName, ...one.aliases].some(isCalled) &&
              canSee(one, scope),
          );
          const found = names.resolve(name, scope);
          expect(found?.capability).toBe(expected);
          expect(found?.viaAlias).toBe(expected?.aliases.find(isCalled));
        }
        expect(names.size).toBe(all.length);
        for (const one of all)
          expect(names.resolve(one.fqdn, scope)?.capability).toBe(canSee(one, scope) ? one : undefined);
      }),
    );
  });
});
