/**
 * Tampered exports: every field of real lines, changed in every way that `mutations` knows, by
 * people with and without keys, imported into a store that has nothing of it, a part of it, or the original itself.
 *
 * In every cell the line is refused and nothing has changed; or what would run is exactly what the key's owner signed, in
 * its order, and the importer's own capabilities are as they were and run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import type { InstallationKey } from "../../src/app/installation-key.js";
import { silentLog } from "../../src/base/log.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { CapabilityImporter } from "../../src/execution/learn/import-capabilities.js";
import type { KnownTool } from "../../src/execution/ports/tool-box.js";
import { CapabilityLoader } from "../../src/execution/prepare/capability-loader.js";
import { currentVocabulary } from "../../src/execution/prepare/code-vocabulary.js";
import { contentOf } from "../../src/execution/prepare/stored-structure.js";
import { ToolIndex } from "../../src/execution/prepare/tool-index.js";
import { PostgresCapabilityStore } from "../../src/postgres/capability-store.js";
import type { Database } from "../../src/postgres/database.js";
import { CapabilityRegistry } from "../../src/registry/capability-registry.js";
import type { NewCapability } from "../../src/registry/capability-store.js";
import { formatRecord, parseRecord, versionsOf } from "../../src/registry/export-format.js";
import { KeyRing, trustingSigner } from "../../src/registry/key-ring.js";
import { signedText, signWith } from "../../src/registry/signature.js";
import { parseServerName, toolId } from "../../src/registry/tool-id.js";
import type { TrustedKey } from "../../src/registry/trusted-keys.js";
import { name } from "../suites/capability-samples.js";
import { PGLITE } from "../support/databases.js";
import { migratedOnce } from "../support/migrated.js";
import { IS_FULL, sized } from "../support/sizes.js";
import { newSigner } from "../support/test-signer.js";
import { type Line, type Mutation, mutationsOf } from "./mutations.js";

const SCOPE = { org: "acme", project: "web", user: "vic" };
const KEYS = { victim: newSigner(), ada: newSigner(), untrusted: newSigner(), otherOrg: newSigner() };

const WORK = parseServerName("work");
const COUNT = {
  id: toolId(WORK, "count"),
  server: WORK,
  name: "count",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
} as Partial<KnownTool> as KnownTool;
const TOOLS = { tools: () => new ToolIndex([COUNT]), settled: async () => {} };

/** What may run of a version: nothing but what its owner signed. */
interface Signed {
  readonly code: string;
  readonly canonicalCode: string;
  readonly parameters: unknown;
  readonly definition: unknown;
}

type Versions = ReadonlyMap<string, Signed>;

let database: Database;
let ring: KeyRing;
/** Lines of Ada and of the victim. */
let ada: readonly Line[];
let own: readonly Line[];
let truth: Versions;

async function freshRegistry() {
  const registry = new CapabilityRegistry({ store: new PostgresCapabilityStore(database), log: silentLog });
  await registry.loaded();
  return registry;
}

async function save(
  key: InstallationKey,
  displayName: string,
  code: string,
  more: Partial<NewCapability> = {},
): Promise<void> {
  const registry = await freshRegistry();
  const analysis = analyse(code, currentVocabulary(TOOLS.tools(), registry.directory, SCOPE));
  expect(analysis.problems).toEqual([]);
  const codeHash = await sha256Hex(analysis.canonicalCode);
  await registry.learn(
    {
      ...contentOf(analysis, { code, codeHash, toolsUsed: analysis.toolsUsed }, more.definition),
      scope: SCOPE,
      name: name(displayName),
      inferredNamespace: "say",
      intent: `intent of ${displayName}`,
      description: `description of ${displayName}`,
      tags: ["one", "two"],
      routing: "local",
      routingSource: "tools",
      versionTag: undefined,
      changeSummary: undefined,
      update: true,
      ...more,
    },
    signWith(key),
  );
}

/** As `pml export` writes them. */
async function exported(names: readonly string[]): Promise<readonly Line[]> {
  const registry = await freshRegistry();
  return await Promise.all(
    names.map(async (text) => {
      const { capability } = await registry.find(text, SCOPE);
      return JSON.parse(formatRecord(capability, await registry.store.history(capability.fqdn))) as Line;
    }),
  );
}

async function removeAllBut(fqdns: readonly string[]): Promise<void> {
  const tables = {
    capability_aliases: "target_fqdn",
    capability_versions: "capability_fqdn",
    capability_troubles: "capability_fqdn",
    capability_trust: "capability_fqdn",
    capability_records: "id",
  };
  remembered = undefined;
  for (const [table, column] of Object.entries(tables)) {
    await database.query(`alter table ${table} disable trigger all`);
    await database.query(`delete from ${table} where ${column} <> all ($1::text[])`, [fqdns]);
    await database.query(`alter table ${table} enable trigger all`);
  }
}

const state = async (where = "true", values: readonly (readonly string[])[] = []) =>
  JSON.stringify(
    await Promise.all(
      [
        `select * from capability_records where ${where.replaceAll("ID", "id")} order by id`,
        `select * from capability_versions where ${where.replaceAll("ID", "capability_fqdn")} order by id`,
        `select * from capability_aliases where ${where.replaceAll("ID", "target_fqdn")} order by target_fqdn, alias`,
      ].map(async (sql) => (await database.query(sql, [...values])).rows),
    ),
  );

const ownState = () => state("ID = any ($1::text[])", [own.map(({ fqdn }) => fqdn)]);

/** Memory of the store, until something is written past it. */
let remembered: CapabilityRegistry | undefined;

async function importLines(lines: readonly unknown[]) {
  remembered ??= await freshRegistry();
  const registry = remembered;
  const signer = trustingSigner(KEYS.victim, ring);
  const importer = new CapabilityImporter({ registry, signer, tools: TOOLS });
  const outcomes: string[] = [];
  const records = lines.map((record, index) => ({ line: index + 2, record }));
  for await (const one of importer.takeOver(records, { dryRun: false, onConflict: "report" }, SCOPE))
    outcomes.push("outcome" in one ? one.outcome : `${one.code}: ${one.message}`);
  return outcomes;
}

/** What runs of all that is stored, by `fqdn@version`. */
async function running(fqdns?: readonly string[]): Promise<Versions> {
  const registry = await freshRegistry();
  const loader = new CapabilityLoader(registry, trustingSigner(KEYS.victim, ring), TOOLS, silentLog);
  const runs = new Map<string, Signed>();
  for (const capability of registry.directory.all()) {
    if (fqdns !== undefined && !fqdns.includes(capability.fqdn)) continue;
    for (const { version } of await registry.store.versions(capability.fqdn)) {
      const loaded = await loader.load(capability, version, SCOPE).catch((error: { code?: string }) => {
        expect(error.code).toMatch(/^(SIGNATURE_INVALID|CAPABILITY_NOT_FOUND)$/);
      });
      if (loaded === undefined) continue;
      const { code, canonicalCode, parameters, definition } = loaded.stored;
      runs.set(`${capability.fqdn}@${version}`, { code, canonicalCode, parameters, definition });
    }
  }
  return runs;
}

/** Signed with the attacker's key: all versions, or only the newest. */
async function resigned(line: Line, key: InstallationKey, which: "all" | "newest"): Promise<Line> {
  try {
    const copy = structuredClone(line);
    const versions = await versionsOf(parseRecord(structuredClone(line)));
    for (const [index, version] of versions.entries()) {
      if (which === "newest" && index < versions.length - 1) continue;
      const { signature, publicKey } = key.sign(signedText(version));
      Object.assign(copy.versions[index] ?? {}, { signature, public_key: publicKey });
    }
    return copy;
  } catch {
    // What has no form of a line cannot be signed either.
    return line;
  }
}

/** New code, with everything that follows from it right. */
async function withCode(line: Line, index: number, code: string): Promise<Line> {
  const copy = structuredClone(line);
  const analysis = analyse(code, {
    resolve: ({ path }) =>
      path.join(":") === COUNT.id ? { kind: "tool", id: COUNT.id, inputSchema: {} } : undefined,
    nearest: () => [],
  });
  copy.versions[index] = {
    ...structuredClone(line.versions.at(-1) ?? { version: 0 }),
    version: index + 1,
    code,
    canonical_code: analysis.canonicalCode,
    code_hash: await sha256Hex(analysis.canonicalCode),
    parameters: analysis.parameters,
    tools_used: analysis.toolsUsed,
    dependencies: analysis.dependencies,
  };
  delete copy.versions[index]?.saved_code;
  delete copy.versions[index]?.definition;
  return copy;
}

beforeAll(async () => {
  database = await migratedOnce(PGLITE)().then(([opened]) => opened);
  const trusted = (publicKey: string, orgs: readonly string[]): TrustedKey => ({
    publicKey,
    name: publicKey.slice(0, 5),
    orgs,
    trustedBy: "vic@acme",
    trustedAt: new Date(0),
  });
  const keys = [trusted(KEYS.ada.publicKey, ["acme"]), trusted(KEYS.otherOrg.publicKey, ["other"])];
  ring = new KeyRing(
    { list: async () => ({ keys, ignored: [] }), keep: async () => {}, distrust: async () => false },
    KEYS.victim.publicKey,
  );
  await ring.loaded();
  await save(KEYS.ada, "say:hello", "// Greets\nreturn 'hello ' + args.who;");
  await save(
    KEYS.ada,
    "say:hello",
    "// Greets\nawait mcp.work.count({ id: 'x' });\nreturn 'hello, ' + args.who;",
    {
      versionTag: "v1.1.0",
      changeSummary: "counts",
    },
  );
  await save(KEYS.ada, "say:hello", "// Greets\nreturn 'HELLO ' + args.who;", { versionTag: "v2.0.0" });
  await save(KEYS.ada, "say:both", "return [await mcp.say.hello({ who: args.a }), 2];");
  await save(KEYS.ada, "say:count", 'return await mcp["work:count"](args);\n', {
    definition: { tool: "work:count", arguments: {} },
  });
  ada = await exported(["say:hello", "say:both", "say:count"]);
  truth = await running();
  expect([...truth.keys()].length).toBe(5);
  await removeAllBut([]);
  await save(KEYS.victim, "mine:own", "return 'mine 1';");
  await save(KEYS.victim, "mine:own", "return 'mine 2';", { versionTag: "v2.0.0" });
  own = await exported(["mine:own"]);
}, 300_000);

function never(): never {
  throw new Error("There is no database");
}

const SITUATIONS = {
  "nothing of it": { before: async () => {}, lines: () => ada },
  "its first two versions": {
    before: async () => {
      const [hello] = ada;
      if (hello === undefined) never();
      const prefix = { ...hello, versions: hello.versions.slice(0, 2) };
      expect(await importLines([prefix])).toEqual(["created"]);
    },
    lines: () => ada.slice(0, 1),
  },
  "the original, as its owner": { before: async () => {}, lines: () => own },
} as const;

const TAMPERERS = {
  "no key": async (line: Line) => [line],
  "an untrusted key": (line: Line) => bothWays(line, KEYS.untrusted),
  "a key trusted for another org": (line: Line) => bothWays(line, KEYS.otherOrg),
} as const;

/** In the full size every cell is tried, otherwise one in so many, and each kind. */
const STEP = sized(1, 8);

/** How many cells are refused, and how many have no effect; docs/security.md has the same table. */
const CELLS = {
  "nothing of it": {
    "no key": [503, 177],
    "an untrusted key": [475, 135],
    "a key trusted for another org": [475, 135],
  },
  "its first two versions": {
    "no key": [233, 72],
    "an untrusted key": [610, 0],
    "a key trusted for another org": [610, 0],
  },
  "the original, as its owner": {
    "no key": [164, 66],
    "an untrusted key": [460, 0],
    "a key trusted for another org": [460, 0],
  },
} as const satisfies Record<
  keyof typeof SITUATIONS,
  Record<keyof typeof TAMPERERS, readonly [number, number]>
>;

async function bothWays(line: Line, key: InstallationKey): Promise<readonly Line[]> {
  return [await resigned(line, key, "all"), await resigned(line, key, "newest")];
}

/** Also what fits together: code with its hash, canonical form and parameters. */
async function allMutations(line: Line, lines: readonly Line[]): Promise<readonly Mutation[]> {
  const evil = "await mcp.work.count({ id: 'evil' });\nreturn 'evil';";
  const made: Mutation[] = [{ kind: "changed", where: "nothing", line }];
  for (const index of [...line.versions.keys(), line.versions.length]) {
    const changed = await withCode(line, index, evil);
    made.push({
      kind: index < line.versions.length ? "changed" : "added",
      where: `code ${index + 1}`,
      line: changed,
    });
  }
  const others = [...lines, ...own].filter((other) => other !== line);
  return [...mutationsOf(line, others), ...made];
}

describe.each(Object.keys(SITUATIONS) as (keyof typeof SITUATIONS)[])(
  "[TB-4, ID-15] an importer who has %s",
  (situation) => {
    it.each(Object.keys(TAMPERERS) as (keyof typeof TAMPERERS)[])(
      "is safe from a tamperer with %s, whatever is changed",
      async (tamperer) => {
        const { before, lines } = SITUATIONS[situation];
        const counts = { refused: 0, "no effect": 0 };
        const kinds = new Set<string>();
        let tried = 0;
        const reset = async () => {
          await removeAllBut(own.map(({ fqdn }) => fqdn));
          await before();
        };
        await reset();
        let base = await state();
        const ownBefore = await ownState();
        const ownRuns = await running(own.map(({ fqdn }) => fqdn));
        expect(ownRuns.size).toBe(2);
        // An attacker who signs again can sign any line.
        for (const line of tamperer === "no key" ? lines() : lines().slice(0, 1))
          for (const { kind, where, line: mutated } of await allMutations(line, ada))
            for (const sent of await TAMPERERS[tamperer](mutated)) {
              tried += 1;
              if (tried % STEP !== 0 && kinds.has(kind) && where !== "nothing") continue;
              const cell = `${line.fqdn} ${kind} ${where}`;
              const [outcome = ""] = await importLines([sent]);
              const isRefused = /^[A-Z_]+: /.test(outcome);
              counts[isRefused ? "refused" : "no effect"] += 1;
              kinds.add(kind);
              // Such a line never comes to the store, which is looked at once more at the end.
              if (outcome.startsWith("IMPORT_INVALID: ")) continue;
              if ((await state()) === base) continue;
              expect(isRefused, `${cell}: refused, and something was written`).toBe(false);
              expect(await ownState(), cell).toBe(ownBefore);
              const runs = await running();
              for (const [ref, content] of runs)
                expect([ref, content], cell).toEqual([ref, truth.get(ref) ?? ownRuns.get(ref)]);
              for (const ref of ownRuns.keys()) expect(runs.has(ref), `${cell}: ${ref}`).toBe(true);
              // Lines that were not tampered with all run.
              if (where === "nothing" && tamperer === "no key" && line === lines()[0])
                expect([...runs.keys()].filter((ref) => ref.startsWith(`${line.fqdn}@`))).toHaveLength(
                  line.versions.length,
                );
              // In the order of the owner: no version without those before it.
              for (const ref of runs.keys()) {
                const [fqdn, version] = ref.split("@");
                if (Number(version) > 1) expect(runs.has(`${fqdn}@${Number(version) - 1}`), cell).toBe(true);
              }
              await reset();
              base = await state();
            }
        expect(await state()).toBe(base);
        expect(kinds).toEqual(
          new Set(["added", "changed", "duplicated", "removed", "reordered", "replayed"]),
        );
        if (!IS_FULL) return;
        expect(counts).toEqual({
          refused: CELLS[situation][tamperer][0],
          "no effect": CELLS[situation][tamperer][1],
        });
      },
      600_000,
    );
  },
);

describe("[TB-4, SW-3] tags, which nobody signs", () => {
  /** The versions of `say:hello` with these tags. */
  function tagged(...tags: readonly (string | undefined)[]): Line {
    const copy = structuredClone(ada[0] ?? never());
    for (const [index, version] of copy.versions.entries()) {
      const tag = tags[index];
      if (tag === undefined) delete version.version_tag;
      else version.version_tag = tag;
    }
    return { ...copy, versions: copy.versions.slice(0, tags.length) };
  }

  it("are of one version each, and do not move to a newer one", async () => {
    await removeAllBut(own.map(({ fqdn }) => fqdn));
    expect(await importLines([tagged("v1.0.0", undefined, "1.0.0")])).toEqual([
      "IMPORT_INVALID: versions 1 and 3 have the same tag 1.0.0",
    ]);
    expect(await importLines([tagged("v1.0.0", "v1.1.0")])).toEqual(["created"]);
    expect(await importLines([tagged("v1.0.0", undefined, "v1.1.0")])).toEqual([
      "TAG_TAKEN: Cannot tag a version of say:hello as v1.1.0: version 2 has that tag",
    ]);
    expect(await importLines([tagged("v1.0.0", "v1.1.0", "v1.2.0")])).toEqual(["updated"]);
  });
});
