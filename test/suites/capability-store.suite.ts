import { beforeEach, describe, expect, it } from "vitest";
import { toSqlText } from "../../src/postgres/sql-text.js";
import type { Capability } from "../../src/registry/capability.js";
import type {
  CapabilityStore,
  Learned,
  NewCapability,
  RenameRequest,
  SignVersion,
} from "../../src/registry/capability-store.js";
import { foldDisplayName } from "../../src/registry/display-name.js";
import { type Fqdn, parseFqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import type { ToolId } from "../../src/registry/tool-id.js";
import { name, newScope, run, sha256, sign, succeeded, use } from "./capability-samples.js";

/** `store` and `other` use the same tables, like two gateways. */
export interface OpenedCapabilityStore {
  readonly store: CapabilityStore;
  readonly other: CapabilityStore;
  /** Rows of a table, for data that no method returns. */
  rows(sql: string, values: readonly string[]): Promise<readonly object[]>;
}

const byText = (a: string, b: string) => (a < b ? -1 : 1);

export function describeCapabilityStore(title: string, open: () => Promise<OpenedCapabilityStore>): void {
  describe(`CapabilityStore: ${title}`, () => {
    let store: CapabilityStore;
    let other: CapabilityStore;
    let rows: OpenedCapabilityStore["rows"];
    let scope: Scope;
    beforeEach(async () => {
      ({ store, other, rows } = await open());
      scope = newScope();
    });

    const learn = (code: string, more: Partial<NewCapability> = {}) =>
      store.learn(succeeded(scope, code, more), sign);
    const learnAs = (text: string, code: string, more: Partial<NewCapability> = {}) =>
      learn(code, { name: name(text), ...more });
    const rename = (fqdn: Fqdn, text: string) =>
      store.rename({ fqdn, scope, actor: "user", newName: name(text) });
    const find = async (text: string) =>
      (
        await store.find({
          kind: "name",
          org: scope.org,
          project: scope.project,
          fold: foldDisplayName(text),
        })
      )[0]?.displayName;
    const remove = (fqdn: Fqdn) => store.delete({ fqdn, scope, reserveDays: 30 });
    const loaded = async () => (await store.load()).filter(({ project }) => project === scope.project);
    const refusal = async (work: Promise<unknown>): Promise<string> => {
      try {
        await work;
        return "accepted";
      } catch (thrown) {
        const { code, message, hint } = thrown as { code: string; message: string; hint?: string };
        return `${code}: ${message.replaceAll(scope.project, "P")}${hint === undefined ? "" : ` (${hint})`}`;
      }
    };

    describe("learning", () => {
      it("[EX-4] the first success stores the capability, its version, its signature and its trace", async () => {
        const { capability, kind, version } = await learnAs("fs:read", "return 1", {
          description: "Reads",
          versionTag: "v1.0.0",
          changeSummary: "first",
        });
        expect({ kind, version }).toEqual({ kind: "created", version: 1 });
        const hash = sha256("return 1");
        const fqdn = `acme.${scope.project}.fs.read.${hash.slice(0, 4)}`;
        expect(capability).toMatchObject({
          fqdn,
          displayName: "fs:read",
          isNamed: true,
          namespace: "fs",
          action: "read",
          codeHash: hash,
          intent: "intent of return 1",
          description: "Reads",
          toolsUsed: ["filesystem:read_file"],
          visibility: "project",
          version: 1,
          versionTag: "v1.0.0",
          trust: "provisional",
          usageCount: 1,
          successCount: 1,
          totalLatencyMs: 10,
          createdBy: "ada@acme",
          creators: ["ada@acme"],
          aliases: [],
        });
        expect(await store.version(capability.fqdn, 1)).toMatchObject({
          fqdn,
          version: 1,
          versionTag: "v1.0.0",
          code: "return 1",
          savedCode: "return 1",
          canonicalCode: "return 1",
          codeHash: hash,
          signature: `signed ${fqdn} ${hash}`,
          publicKey: "key",
          updatedBy: "ada@acme",
          changeSummary: "first",
        });
        expect(
          await rows(
            "select workflow_id, capability_version, code_hash, args_hash from execution_trace where capability_id = $1",
            [fqdn],
          ),
        ).toEqual([{ workflow_id: "w1", capability_version: 1, code_hash: hash, args_hash: sha256("{}") }]);
      });

      it("[ID-4] without a name it is called after its hash, and is its creator's alone", async () => {
        const { capability } = await learn("return 1", { inferredNamespace: "util" });
        const digits = sha256("return 1").slice(0, 8);
        expect(capability).toMatchObject({
          displayName: `unnamed_${digits}`,
          isNamed: false,
          namespace: "util",
          action: `exec_${digits}`,
          visibility: "private",
        });
      });

      it.each([
        ["a:b:c", "a.b_c"],
        ["read_config", "fs.read_config"],
        ["FS:Read-JSON", "fs.read-json"],
      ])("[ID-2] %s has the FQDN of %s", async (text, label) => {
        const { capability } = await learnAs(text, "return 1");
        expect(capability.fqdn).toBe(`acme.${scope.project}.${label}.${sha256("return 1").slice(0, 4)}`);
      });

      it("[ID-8] the same code again is the same capability, and counts", async () => {
        const first = await learn("return 1");
        const again = await learn("return 1", { trace: run(scope, { durationMs: 20.4 }) });
        expect(again).toMatchObject({ kind: "known", version: 1 });
        expect(again.capability).toMatchObject({
          id: first.capability.id,
          usageCount: 2,
          successCount: 2,
          totalLatencyMs: 30,
        });
        expect(await loaded()).toHaveLength(1);
      });

      it("[ID-8] the same code in another project is another capability", async () => {
        const first = await learn("return 1");
        const second = await store.learn(succeeded(newScope(), "return 1"), sign);
        expect(second.kind).toBe("created");
        expect(second.capability.id).not.toBe(first.capability.id);
      });

      it("[ID-7] everyone who ran an unnamed capability is its creator, once", async () => {
        await learn("return 1");
        const bob = { ...scope, user: "bob" };
        await store.learn({ ...succeeded(bob, "return 1") }, sign);
        const { capability } = await store.learn(succeeded(bob, "return 1"), sign);
        expect(capability).toMatchObject({ createdBy: "ada@acme", creators: ["ada@acme", "bob@acme"] });
      });

      it("[ID-7] who runs a named capability does not become its creator", async () => {
        await learnAs("fs:read", "return 1");
        const { capability } = await store.learn(succeeded({ ...scope, user: "bob" }, "return 1"), sign);
        expect(capability.creators).toEqual(["ada@acme"]);
      });

      it("[ID-3] known unnamed code takes the name", async () => {
        const before = await learn("return 1");
        const { kind, capability } = await learnAs("fs:read", "return 1");
        expect(kind).toBe("named");
        expect(capability).toMatchObject({
          fqdn: before.capability.fqdn,
          displayName: "fs:read",
          isNamed: true,
          visibility: "project",
          aliases: [before.capability.displayName],
          usageCount: 2,
        });
        expect(await find(before.capability.displayName)).toBe("fs:read");
      });

      it("[EX-9] keeps what each version was made of, and says it of the newest", async () => {
        const dag = {
          tasks: [{ id: "é\u0000", tool: "t:x", arguments: { a: { $ref: "b" } }, dependsOn: ["b"] }],
        };
        const tool = { tool: "t:x", arguments: { queue: "q" } };
        const { capability } = await learnAs("d:made", "return 1", { source: "dag", definition: dag });
        expect(capability.source).toBe("dag");
        const update = { update: true } as const;
        expect((await learnAs("d:made", "return 2", update)).capability.source).toBe("code");
        const last = await learnAs("d:made", "return 3", { ...update, source: "tool", definition: tool });
        expect(last.capability.source).toBe("tool");
        expect(await find("d:made")).toBe("d:made");
        const made = (await store.history(capability.fqdn)).map(({ definition }) => definition);
        expect(made).toEqual([dag, undefined, tool]);
        expect((await store.version(capability.fqdn, 1))?.definition).toEqual(dag);
      });

      it("[ID-3] known named code keeps its own name", async () => {
        await learnAs("fs:read", "return 1");
        const { kind, capability } = await learnAs("fs:load", "return 1");
        expect([kind, capability.displayName]).toEqual(["known", "fs:read"]);
        expect(await find("fs:load")).toBe(undefined);
      });

      it.each(["fs:read_json", "fs:readJson", "FS:Read-JSON"])(
        "[ID-3] a name that other code has is taken, also as %s",
        async (text) => {
          await learnAs("fs:read_json", "return 1");
          expect(await refusal(learnAs(text, "return 2"))).toBe(
            `NAME_TAKEN: Capability name '${text}' already exists in scope acme.P${text === "fs:read_json" ? "" : ": fs:read_json has it"} (Set options.update to true to add this code as a new version, or choose another name.)`,
          );
          expect(await loaded()).toHaveLength(1);
        },
      );

      it("[ID-3] an alias of other code is taken too", async () => {
        const { capability } = await learnAs("fs:old", "return 1");
        await rename(capability.fqdn, "fs:new");
        expect(await refusal(learnAs("fs:OLD", "return 2"))).toMatch(/^NAME_TAKEN/);
      });

      it("[ID-3] known named code that asks for a name of other code is refused like any other", async () => {
        await learnAs("fs:a", "return 1");
        await learnAs("fs:b", "return 2");
        expect(await refusal(learnAs("fs:b", "return 1"))).toMatch(/^NAME_TAKEN/);
      });

      it("[ID-12] the name of a deleted capability is taken while it is reserved, and free after that", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        await rename(capability.fqdn, "fs:load");
        const remove = (until: string) =>
          rows(
            `update capability_records set deleted_at = '2026-01-02', reserved_until = ${until} where id = $1`,
            [capability.fqdn],
          );
        await remove("now() + interval '1 day'");
        for (const text of ["fs:read", "fs:load"])
          expect(await refusal(learnAs(text, "return 2", { update: true }))).toMatch(
            /^NAME_TAKEN: .* \(It was deleted on 2026-01-02, and its name is reserved until /,
          );
        expect((await store.get(capability.fqdn))?.deletedAt).toEqual(new Date("2026-01-02"));
        await remove("now() - interval '1 second'");
        const [second, third] = [await learnAs("fs:read", "return 2"), await learnAs("fs:load", "return 3")];
        expect([second.kind, third.kind]).toEqual(["created", "created"]);
        expect([await find("fs:read"), await find("fs:load")]).toEqual(["fs:read", "fs:load"]);
        await rename(second.capability.fqdn, "fs:second");
        expect(await find("fs:read")).toBe("fs:second");
      });

      it("[ID-12] code that was deleted is learnt anew, under another FQDN", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        await rows("update capability_records set deleted_at = now() where id = $1", [capability.fqdn]);
        const again = await learnAs("fs:read", "return 1");
        expect(again.kind).toBe("created");
        expect(again.capability.fqdn).toBe(`acme.${scope.project}.fs.read.${sha256("return 1").slice(0, 8)}`);
      });

      it("[ID-10] what is saved and was not run is unproven, and has no uses", async () => {
        const { trace: _, ...unrun } = succeeded(scope, "return 1", { name: name("fs:read"), tags: ["io"] });
        const saved = await store.learn(unrun, sign);
        expect(saved).toMatchObject({ kind: "created", version: 1 });
        expect(saved.capability).toMatchObject({
          trust: "unproven",
          usageCount: 0,
          successCount: 0,
          lastUsedAt: undefined,
          tags: ["io"],
          signedBy: "key",
          cachePolicy: "auto",
          ttlSeconds: undefined,
        });
        expect(await store.learn(unrun, sign)).toMatchObject({ kind: "known" });
        expect(await rows("select 1 from execution_trace where project = $1", [scope.project])).toEqual([]);
        const { capability } = await learn("return 1");
        expect(capability).toMatchObject({ trust: "provisional", usageCount: 1 });
        expect(capability.lastUsedAt).toEqual(new Date("2026-11-15T12:00:00.000Z"));
      });

      it("[LC-5] what was learnt from the calls of two users is one capability of each", async () => {
        const observe = (user: string) => {
          const { trace: _, ...observed } = succeeded({ ...scope, user }, "return 1");
          return store.learn({ ...observed, source: "observed", visibility: "private" }, sign);
        };
        const [first, second] = [await observe("ada"), await observe("bob")];
        expect([first.kind, second.kind]).toEqual(["created", "created"]);
        expect(second.capability.fqdn).not.toBe(first.capability.fqdn);
        expect(second.capability).toMatchObject({
          creators: [`bob@${scope.org}`],
          visibility: "private",
          usageCount: 0,
        });
        expect((await observe("bob")).capability.fqdn).toBe(second.capability.fqdn);
        // A user who runs the code has run their own capability.
        const ran = await store.learn(succeeded({ ...scope, user: "bob" }, "return 1"), sign);
        expect(ran).toMatchObject({ kind: "known", capability: { fqdn: second.capability.fqdn } });
      });

      it("[ID-13] a fork is a capability of its own, also beside its source", async () => {
        const source = await learnAs("fs:read", "return 1");
        const forkedFrom = source.capability.fqdn;
        const fork = await learnAs("fs:copy", "return 1", { forkedFrom });
        expect(fork).toMatchObject({
          kind: "created",
          version: 1,
          capability: { displayName: "fs:copy", forkedFrom, codeHash: source.capability.codeHash },
        });
        expect(fork.capability.id).not.toBe(source.capability.id);
        expect(await refusal(learnAs("fs:copy", "return 1", { forkedFrom }))).toMatch(/^NAME_TAKEN/);
        expect(await refusal(learnAs("fs:read", "return 1", { forkedFrom }))).toMatch(/^NAME_TAKEN/);
        expect(await learn("return 1")).toMatchObject({
          kind: "known",
          capability: { displayName: "fs:read" },
        });
        expect(await learnAs("fs:copy", "return 1")).toMatchObject({
          kind: "known",
          capability: { displayName: "fs:copy" },
        });
        const second = await learnAs("fs:copy2", "return 1", { forkedFrom: fork.capability.fqdn });
        expect(second.capability.forkedFrom).toBe(fork.capability.fqdn);
        expect(await loaded()).toHaveLength(3);
      });

      it("[ID-13] a merged one says what it was made of", async () => {
        const mergedFrom = [parseFqdn("acme.p.fs.a.abcd"), parseFqdn("acme.p.fs.b.abcd")];
        const { capability } = await learnAs("fs:both", "return 1", { mergedFrom });
        expect(capability.mergedFrom).toEqual(mergedFrom);
      });

      it("[ID-1] the hash of an FQDN grows by four digits where different code has it", async () => {
        const codeHash = (end: string) => `abcd${end.padEnd(60, "0")}`;
        const first = await learnAs("fs:read", "return 1", { codeHash: codeHash("1111") });
        await rename(first.capability.fqdn, "fs:other");
        await rows("delete from capability_aliases where target_fqdn = $1", [first.capability.fqdn]);
        const second = await learnAs("fs:read", "return 2", { codeHash: codeHash("2222") });
        expect([first, second].map(({ capability }) => capability.fqdn.split(".").at(-1))).toEqual([
          "abcd",
          "abcd2222",
        ]);
        const orphans = `select code from workflow_pattern where code_hash = $1 and not exists
                           (select from capability_records where workflow_pattern_id = pattern_id)`;
        expect(await rows(orphans, [codeHash("2222")])).toEqual([]);
      });

      it("answers what is made as it is read", async () => {
        const ran = run(scope, {
          decisions: [{ nodeId: "n1", outcome: "then" }],
          loops: [{ nodeId: "n2", iterations: 3 }],
        });
        const { trace: _, ...notRun } = succeeded(scope, "return 3");
        const made = [
          await learnAs("fs:ran", "return 1", { trace: ran, tags: ["a\\b\0"], description: "Reads" }),
          await learn("return 2"),
          await store.learn(notRun, sign),
        ];
        for (const { capability } of made) expect(capability).toEqual(await store.get(capability.fqdn));
      });

      it("[ID-4] the name of an unnamed capability grows where different code has it", async () => {
        const learned = [
          await learn("return 1", { codeHash: `abcdef01${"1".repeat(56)}` }),
          await learn("return 2", { codeHash: `abcdef01${"2".repeat(56)}` }),
        ];
        expect(learned.map(({ capability }) => [capability.displayName, capability.isNamed])).toEqual([
          ["unnamed_abcdef01", false],
          ["unnamed_abcdef012222", false],
        ]);
      });

      it("gives back code, intents, tools and parameters with any character", async () => {
        const odd = 'we"ird\\ \\u0000 \0 \ud800 😀 {a,b}\nreturn `\\n`';
        const { capability } = await learnAs("fs:odd", "x", {
          code: `${odd} 1`,
          savedCode: `${odd} 2`,
          canonicalCode: `${odd} 3`,
          intent: `${odd} 4`,
          description: `${odd} 5`,
          versionTag: `${odd} 6`,
          changeSummary: `${odd} 7`,
          toolsUsed: [`files:${odd}` as ToolId],
          dependencies: [parseFqdn("acme.p.fs.other.abcd")],
          parameters: {
            type: "object",
            properties: { [odd]: { default: odd }, a: { default: [1e21, -0.5, null] } },
            required: [odd],
            additionalProperties: false,
          },
          structure: { [odd]: odd },
          trace: run(scope, {
            intent: odd,
            tasks: [{ result: odd }],
            executedPath: ["n1", "d1", "l1"],
            decisions: [
              { nodeId: "d1", outcome: odd },
              { nodeId: "d1", outcome: "default", count: 2 },
            ],
            loops: [{ nodeId: "l1", iterations: 3 }],
          }),
        });
        expect(capability).toMatchObject({
          intent: `${odd} 4`,
          description: `${odd} 5`,
          versionTag: `${odd} 6`,
          toolsUsed: [`files:${odd}`],
          dependencies: ["acme.p.fs.other.abcd"],
          parameters: { properties: { [odd]: { default: odd }, a: { default: [1e21, -0.5, null] } } },
        });
        expect(await store.version(capability.fqdn, 1)).toMatchObject({
          code: `${odd} 1`,
          savedCode: `${odd} 2`,
          canonicalCode: `${odd} 3`,
          changeSummary: `${odd} 7`,
          parameters: capability.parameters,
          toolsUsed: [`files:${odd}`],
          dependencies: ["acme.p.fs.other.abcd"],
        });
        expect(
          await rows(
            "select executed_path, decisions, task_results from execution_trace where capability_id = $1",
            [capability.fqdn],
          ),
        ).toEqual([
          {
            executed_path: ["n1", "d1", "l1"],
            decisions: [
              { nodeId: "d1", outcome: toSqlText(odd) },
              { nodeId: "d1", outcome: "default", count: 2 },
              { nodeId: "l1", iterations: 3 },
            ],
            task_results: [{ result: odd }],
          },
        ]);
      });

      it("learns all or nothing", async () => {
        const failing = store.learn(succeeded(scope, "return 1"), () => {
          throw new Error("no key");
        });
        expect(await refusal(failing)).toBe("STORE_FAILED: Cannot learn a capability: no key");
        expect(await loaded()).toEqual([]);
      });
    });

    describe("versions", () => {
      const update = (text: string, code: string, more: Partial<NewCapability> = {}) =>
        learnAs(text, code, { update: true, ...more });

      it("[ID-11] an update adds a version; id, FQDN and creator stay", async () => {
        const first = await learnAs("fs:read", "return 1", { description: "Reads" });
        const second = await update("FS:read", "return 2", { routing: "cloud", versionTag: "2.0.0" });
        expect(second).toMatchObject({ kind: "updated", version: 2 });
        expect(second.capability).toMatchObject({
          fqdn: first.capability.fqdn,
          id: first.capability.id,
          displayName: "fs:read",
          codeHash: sha256("return 1"),
          intent: "intent of return 2",
          description: "Reads",
          version: 2,
          versionTag: "2.0.0",
          routing: "cloud",
          usageCount: 2,
          createdBy: "ada@acme",
        });
        expect(
          (await store.versions(first.capability.fqdn)).map(({ version, versionTag, codeHash }) => [
            version,
            versionTag,
            codeHash,
          ]),
        ).toEqual([
          [2, "2.0.0", sha256("return 2")],
          [1, undefined, sha256("return 1")],
        ]);
        expect((await store.version(first.capability.fqdn, 1))?.code).toBe("return 1");
        expect(await store.version(first.capability.fqdn, 3)).toBe(undefined);
      });

      it("[ID-3] an update of what nobody has is new", async () => {
        expect((await update("fs:read", "return 1")).kind).toBe("created");
      });

      it("[ID-10] code that is signed with another key gets a version by an update, once", async () => {
        const other: SignVersion = (content) => ({ ...sign(content), signature: "of a lost key" });
        const { capability } = await store.learn(
          succeeded(scope, "return 1", { name: name("fs:read") }),
          other,
        );
        expect(await learnAs("fs:read", "return 1")).toMatchObject({ kind: "known", version: 1 });
        expect(await update("fs:read", "return 1")).toMatchObject({ kind: "updated", version: 2 });
        expect(await update("fs:read", "return 1")).toMatchObject({ kind: "known", version: 2 });
        expect(await store.version(capability.fqdn, 2)).toMatchObject({
          code: "return 1",
          signature: sign({ ...capability, previousHash: null, code: "return 1", canonicalCode: "return 1" })
            .signature,
        });
      });

      it("[ID-8] code is known as whichever version it is", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        await update("fs:read", "return 2");
        expect(await learn("return 1")).toMatchObject({ kind: "known", version: 1 });
        expect(await learn("return 2")).toMatchObject({
          kind: "known",
          version: 2,
          capability: { fqdn: capability.fqdn, version: 2 },
        });
        expect(await store.findByCode(scope.org, scope.project, sha256("return 2"))).toEqual({
          fqdn: capability.fqdn,
          version: 2,
        });
        expect(await store.findByCode(scope.org, scope.project, sha256("return 3"))).toBe(undefined);
      });

      it("[ID-11] going back to older code is a new version, which the code is from then on", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        await update("fs:read", "return 2");
        expect(await learnAs("fs:read", "return 1")).toMatchObject({ kind: "known", version: 1 });
        expect(await update("fs:read", "return 1", { versionTag: "3.0.0" })).toMatchObject({
          kind: "updated",
          version: 3,
          capability: { version: 3, versionTag: "3.0.0", codeHash: sha256("return 1") },
        });
        expect(await update("fs:read", "return 1")).toMatchObject({ kind: "known", version: 3 });
        expect(await learn("return 1")).toMatchObject({ kind: "known", version: 3 });
        expect((await store.versions(capability.fqdn)).map(({ codeHash }) => codeHash)).toEqual(
          ["return 1", "return 2", "return 1"].map(sha256),
        );
      });

      it("[SW-3] a tag that a version has is given to no other, with or without its v", async () => {
        await learnAs("fs:read", "return 1");
        await update("fs:read", "return 2", { versionTag: "v1.0.0" });
        for (const versionTag of ["v1.0.0", "1.0.0"])
          expect(await refusal(update("fs:read", "return 3", { versionTag }))).toContain(
            `TAG_TAKEN: Cannot tag a version of fs:read as ${versionTag}: version 2 has that tag`,
          );
      });

      it("[ID-7] an update of what the session may not see is refused as a name that is taken", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        await store.rename({ fqdn: capability.fqdn, scope, actor: "user", visibility: "private" });
        const bob = { ...scope, user: "bob" };
        const fresh = succeeded(bob, "return 2", { name: name("fs:read"), update: true });
        expect(await refusal(store.learn(fresh, sign))).toBe(
          "NAME_TAKEN: Capability name 'fs:read' already exists in scope acme.P (Choose another name.)",
        );
        expect(await store.get(capability.fqdn)).toMatchObject({ version: 1 });
      });

      it("a routing that somebody chose stays until somebody chooses again", async () => {
        await learnAs("fs:read", "return 1", { routing: "cloud", routingSource: "explicit" });
        const kept = await update("fs:read", "return 2", { routing: "local", routingSource: "tools" });
        expect(kept.capability).toMatchObject({ routing: "cloud", routingSource: "explicit" });
        const chosen = await update("fs:read", "return 3", { routing: "local", routingSource: "explicit" });
        expect(chosen.capability).toMatchObject({ routing: "local", routingSource: "explicit" });
      });

      it("[EX-15] a routing can be chosen for code that is known, but not of what is private to another", async () => {
        const said = { routing: "cloud", routingSource: "explicit" } as const;
        const { capability } = await learnAs("fs:read", "return 1");
        const again = await update("fs:read", "return 1", said);
        expect(again).toMatchObject({ kind: "known", capability: said });
        expect(again.capability.revision).toBeGreaterThan(capability.revision ?? 0);
        expect((await update("fs:read", "return 1")).capability).toMatchObject(said);
        const own = await learn("return 2");
        expect(own.capability.visibility).toBe("private");
        // A user who runs it may see it; a user who only saves the same code may not.
        const { trace: _, ...unrun } = succeeded({ ...scope, user: "bob" }, "return 2", said);
        await store.learn(unrun, sign);
        expect(await store.get(own.capability.fqdn)).toMatchObject({
          routing: "local",
          routingSource: "tools",
        });
      });

      it("[ID-3] code that ran unnamed before it is an update becomes the version, and is known as that", async () => {
        await learn("return 2");
        const { capability } = await learnAs("fs:read", "return 1");
        expect(await update("fs:read", "return 2")).toMatchObject({
          kind: "updated",
          version: 2,
          capability: { fqdn: capability.fqdn },
        });
        expect(await learn("return 2")).toMatchObject({
          kind: "known",
          version: 2,
          capability: { fqdn: capability.fqdn },
        });
      });

      it("[ID-3] known named code keeps its own name also where it asks to update another", async () => {
        await learnAs("fs:a", "return 1");
        await learnAs("fs:b", "return 2");
        expect(await update("fs:b", "return 1")).toMatchObject({
          kind: "known",
          capability: { displayName: "fs:a" },
        });
      });
    });

    describe("uses", () => {
      const otherArgs = sha256('{"a":1}');
      const trustOf = async (learned: Learned, ...runs: readonly Parameters<typeof run>[1][]) => {
        const uses = runs.map((more) => use(scope, learned.capability.fqdn, learned.version, more));
        return (await store.addUses(uses))[0]?.trust;
      };
      const failed = { success: false, errorCode: "RUN_FAILED", errorMessage: "no \0" };

      it("count exactly, in batches and all at once from two sides", async () => {
        const { capability } = await learn("return 1");
        const batch = () =>
          Array.from({ length: 25 }, (_, index) =>
            use(scope, capability.fqdn, 1, index % 5 === 0 ? failed : { durationMs: 2 }),
          );
        await Promise.all(
          Array.from({ length: 8 }, (_, index) => (index % 2 ? store : other).addUses(batch())),
        );
        expect(await store.get(capability.fqdn)).toMatchObject({
          usageCount: 201,
          successCount: 161,
          totalLatencyMs: 10 + 8 * (20 * 2 + 5 * 10),
        });
        const traces = await rows(
          "select count(*) as n, count(*) filter (where success) as good from execution_trace where capability_id = $1",
          [capability.fqdn],
        );
        expect(traces).toEqual([{ n: 201, good: 161 }]);
        const patterns = await rows(
          "select usage_count, success_count from workflow_pattern where pattern_id = $1::uuid",
          [capability.id],
        );
        expect(patterns).toEqual([{ usage_count: 201, success_count: 161 }]);
      });

      it("do not deadlock when two sides count the same capabilities in another order", async () => {
        const fqdns = await Promise.all(
          Array.from({ length: 12 }, async (_, index) => (await learn(`return ${index}`)).capability.fqdn),
        );
        const forwards = () => fqdns.map((fqdn) => use(scope, fqdn));
        const backwards = () => forwards().toReversed();
        await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            index % 2 ? store.addUses(forwards()) : other.addUses(backwards()),
          ),
        );
        expect((await loaded()).map(({ usageCount }) => usageCount)).toEqual(fqdns.map(() => 13));
      });

      it("[ID-10] the same arguments again leave it provisional, others verify it", async () => {
        const learned = await learn("return 1");
        expect(await trustOf(learned, {}, {})).toBe("provisional");
        expect(await trustOf(learned, { argsHash: otherArgs, ...failed })).toBe("provisional");
        expect(await trustOf(learned, { argsHash: otherArgs })).toBe("verified");
        expect(await trustOf(learned, {})).toBe("verified");
      });

      it("[ID-10] a new version earns its own trust", async () => {
        const first = await learnAs("fs:read", "return 1");
        expect(await trustOf(first, { argsHash: otherArgs })).toBe("verified");
        const second = await learnAs("fs:read", "return 2", { update: true });
        expect(second.capability.trust).toBe("provisional");
        expect(await trustOf(first, {}, { argsHash: otherArgs })).toBe("provisional");
        expect(await trustOf(second, { argsHash: otherArgs })).toBe("verified");
      });

      it("[ID-10] three failures in a row make it suspect, and a success ends that", async () => {
        const learned = await learn("return 1");
        expect(await trustOf(learned, { argsHash: otherArgs })).toBe("verified");
        expect(await trustOf(learned, failed, failed)).toBe("verified");
        expect(await trustOf(learned, {}, failed, failed)).toBe("verified");
        expect(await trustOf(learned, failed)).toBe("suspect");
        expect(await trustOf(learned, { argsHash: otherArgs })).toBe("provisional");
        expect(await trustOf(learned, {})).toBe("verified");
      });

      it("of what is not there are traces and nothing else", async () => {
        const { capability } = await learn("return 1");
        const gone = parseFqdn(`acme.${scope.project}.fs.gone.abcd`);
        const after = await store.addUses([
          use(scope, gone),
          use(scope, capability.fqdn, 7),
          use(scope, capability.fqdn),
        ]);
        expect(after.map(({ fqdn, usageCount }) => [fqdn, usageCount])).toEqual([[capability.fqdn, 2]]);
        const traces = await rows("select capability_version from execution_trace where project = $1", [
          scope.project,
        ]);
        expect(traces).toHaveLength(4);
      });

      it("[EX-4] a failure of code that is not a capability stores its trace alone", async () => {
        await store.addTraces([run(scope, failed), run(scope, failed)]);
        expect(
          await rows(
            "select capability_id, error_code, error_message from execution_trace where project = $1",
            [scope.project],
          ),
        ).toEqual([
          { capability_id: null, error_code: "RUN_FAILED", error_message: "no \\u0000" },
          { capability_id: null, error_code: "RUN_FAILED", error_message: "no \\u0000" },
        ]);
        expect(await loaded()).toEqual([]);
      });

      it("takes none, and more than fit one statement", async () => {
        expect(await store.addUses([])).toEqual([]);
        await store.addTraces([]);
        const { capability } = await learn("return 1");
        await store.addUses(Array.from({ length: 1_201 }, () => use(scope, capability.fqdn)));
        expect((await store.get(capability.fqdn))?.usageCount).toBe(1_202);
      });

      it("[ID-10] a person vouches for one version, whatever its runs came to", async () => {
        const first = await learnAs("fs:read", "return 1");
        await store.addUses([1, 2, 3].map(() => use(scope, first.capability.fqdn, 1, failed)));
        expect((await store.get(first.capability.fqdn))?.trust).toBe("suspect");
        const bob = { ...scope, user: "bob" };
        expect(await store.verify(first.capability.fqdn, 1, bob)).toMatchObject({
          trust: "verified",
          updatedBy: "bob@acme",
        });
        expect(await trustOf(first, failed, failed)).toBe("verified");
        expect(await trustOf(first, failed)).toBe("suspect");
        const { trace: _, ...unrun } = succeeded(scope, "return 2", { name: name("fs:read"), update: true });
        expect((await store.learn(unrun, sign)).capability.trust).toBe("unproven");
        expect((await store.verify(first.capability.fqdn, 1, bob)).trust).toBe("unproven");
        expect((await store.verify(first.capability.fqdn, 2, bob)).trust).toBe("verified");
        expect(await refusal(store.verify(first.capability.fqdn, 3, bob))).toMatch(/^VERSION_NOT_FOUND/);
        await remove(first.capability.fqdn);
        expect(await refusal(store.verify(first.capability.fqdn, 1, bob))).toMatch(/^CAPABILITY_NOT_FOUND/);
      });

      it("puts later states behind earlier ones by their revision", async () => {
        const { capability } = await learn("return 1");
        const [used] = await store.addUses([use(scope, capability.fqdn)]);
        const renamed = await rename(capability.fqdn, "fs:read");
        const revisions = [capability, used, renamed].map((one) => one?.revision ?? Number.NaN);
        expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
        expect(new Set(revisions).size).toBe(3);
      });
    });

    describe("renaming", () => {
      let capability: Capability;
      beforeEach(async () => {
        ({ capability } = await learnAs("fs:old", "return 1"));
      });

      it("[ID-5] gives the new name, keeps the old as an alias, and the FQDN as it is", async () => {
        const renamed = await rename(capability.fqdn, "fs:new");
        expect(renamed).toMatchObject({
          fqdn: capability.fqdn,
          id: capability.id,
          displayName: "fs:new",
          aliases: ["fs:old"],
        });
        expect([await find("fs:old"), await find("fs:new")]).toEqual(["fs:new", "fs:new"]);
        expect(
          await rows(
            "select old_name, new_name, actor, renamed_by from rename_history where capability_fqdn = $1",
            [capability.fqdn],
          ),
        ).toEqual([{ old_name: "fs:old", new_name: "fs:new", actor: "user", renamed_by: "ada@acme" }]);
      });

      it("[CU-1, ID-5] remembers who thought of the name, where that is not who gave it", async () => {
        const curated = { fqdn: capability.fqdn, scope, newName: name("fs:new"), curatedBy: "a \\ model" };
        await store.rename({ ...curated, actor: "auto" });
        await rename(capability.fqdn, "fs:newer");
        expect(await store.renames(capability.fqdn, 5)).toEqual([
          expect.not.objectContaining({ curatedBy: expect.anything() }),
          expect.objectContaining({ newName: "fs:new", actor: "auto", curatedBy: "a \\ model" }),
        ]);
      });

      it("[TB-6] gives way to a tool: no alias is left, and its history says to which", async () => {
        const { fqdn } = capability;
        const gone = { fqdn, name: name("fs:old"), tool: "fs:old" };
        const renamed = await store.giveWay({ ...gone, newName: name("fs:old_2") });
        expect([renamed.displayName, renamed.aliases]).toEqual(["fs:old_2", []]);
        expect([await find("fs:old"), await find("fs:old_2")]).toEqual([undefined, "fs:old_2"]);
        expect(await store.renames(fqdn, 1)).toMatchObject([
          { oldName: "fs:old", newName: "fs:old_2", actor: "auto", renamedBy: "pml", gaveWayTo: "fs:old" },
        ]);
        expect(await store.givenWay(10)).toMatchObject([
          { capability: { displayName: "fs:old_2" }, oldName: "fs:old", tool: "fs:old" },
        ]);
        // The old name is free, and a capability that was renamed later is no longer listed.
        await learnAs("fs:old", "return 2");
        await rename(fqdn, "fs:chosen");
        expect(await store.givenWay(10)).toEqual([]);
      });

      it("[TB-6] gives up an alias to a tool, once", async () => {
        const { fqdn } = await rename(capability.fqdn, "fs:new");
        const alias = { fqdn, name: name("fs:old"), tool: "fs:old" };
        const changed = await store.giveWay(alias);
        expect([changed.displayName, changed.aliases]).toEqual(["fs:new", []]);
        await other.giveWay(alias);
        expect((await store.renames(fqdn, 5)).map(({ gaveWayTo }) => gaveWayTo)).toEqual([
          "fs:old",
          undefined,
        ]);
      });

      it("[TB-6] gives way once, and to no name that another has", async () => {
        const { fqdn } = capability;
        await learnAs("fs:old_2", "return 2");
        const gone = { fqdn, name: name("fs:old"), tool: "fs:old" };
        expect(await refusal(store.giveWay({ ...gone, newName: name("fs:old_2") }))).toContain("NAME_TAKEN");
        const ways = await Promise.allSettled([
          store.giveWay({ ...gone, newName: name("fs:old_3") }),
          other.giveWay({ ...gone, newName: name("fs:old_4") }),
        ]);
        expect(ways.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect(await refusal(store.giveWay({ ...gone, newName: name("fs:old_5") }))).toContain(
          "CAPABILITY_CHANGED",
        );
      });

      it("[CU-1, ID-5] is refused where it is called something else by now", async () => {
        const from = name("fs:old");
        const first = { fqdn: capability.fqdn, scope, actor: "auto", from } as const;
        const renamed = await Promise.allSettled([
          store.rename({ ...first, newName: name("fs:one") }),
          other.rename({ ...first, newName: name("fs:two") }),
        ]);
        const winner = renamed.flatMap((one) => (one.status === "fulfilled" ? [one.value.displayName] : []));
        expect(winner).toHaveLength(1);
        expect(await refusal(store.rename({ ...first, newName: name("fs:three") }))).toBe(
          `CAPABILITY_CHANGED: fs:old is called ${winner[0]} now: it was renamed (Leave it, or rename ${winner[0]}.)`,
        );
        expect(await find("fs:three")).toBe(undefined);
      });

      it("[ID-5] points every older alias at the capability itself, oldest first", async () => {
        await rename(capability.fqdn, "fs:second");
        const renamed = await rename(capability.fqdn, "fs:third");
        expect(renamed.aliases).toEqual(["fs:old", "fs:second"]);
        expect([await find("fs:old"), await find("fs:second")]).toEqual(["fs:third", "fs:third"]);
      });

      it("[ID-5] takes back a name of its own", async () => {
        await rename(capability.fqdn, "fs:new");
        const back = await rename(capability.fqdn, "fs:old");
        expect([back.displayName, back.aliases]).toEqual(["fs:old", ["fs:new"]]);
      });

      it("[ID-5] spells its name anew without an alias", async () => {
        const renamed = await rename(capability.fqdn, "FS:Old");
        expect([renamed.displayName, renamed.aliases]).toEqual(["FS:Old", []]);
        const history = await rows("select new_name from rename_history where capability_fqdn = $1", [
          capability.fqdn,
        ]);
        expect(history).toEqual([{ new_name: "FS:Old" }]);
      });

      it("[ID-5] to the very same name changes nothing about names", async () => {
        const same = await rename(capability.fqdn, "fs:old");
        expect([same.displayName, same.aliases]).toEqual(["fs:old", []]);
        expect(
          await rows("select 1 from rename_history where capability_fqdn = $1", [capability.fqdn]),
        ).toEqual([]);
      });

      it("[ID-3] is refused where the name is another's, or was", async () => {
        const second = await learnAs("fs:other", "return 2");
        await rename(second.capability.fqdn, "fs:another");
        for (const text of ["fs:another", "fs:other", "FS:Other"])
          expect(await refusal(rename(capability.fqdn, text))).toBe(
            `NAME_TAKEN: Capability name '${text}' already exists in scope acme.P${text === "fs:another" ? "" : ": fs:another has it"} (Choose another name.)`,
          );
        expect(await find("fs:old")).toBe("fs:old");
      });

      it("[ID-7] the first name opens it to the project, unless it is said otherwise", async () => {
        const [one, two] = [await learn("return 3"), await learn("return 4")];
        const named = await rename(one.capability.fqdn, "fs:three");
        const kept = await store.rename({
          fqdn: two.capability.fqdn,
          scope,
          actor: "agent",
          newName: name("fs:four"),
          visibility: "private",
        });
        expect([named.visibility, kept.visibility]).toEqual(["project", "private"]);
        expect(await rename(two.capability.fqdn, "fs:five")).toMatchObject({ visibility: "private" });
      });

      it("changes description, tags and visibility, and leaves what is not given", async () => {
        const changed = await store.rename({
          fqdn: capability.fqdn,
          scope: { ...scope, user: "bob" },
          actor: "user",
          description: "Reads \0",
          tags: ["io", "a,b \\"],
          visibility: "org",
        });
        expect(changed).toMatchObject({
          displayName: "fs:old",
          description: "Reads \0",
          tags: ["io", "a,b \\"],
          visibility: "org",
        });
        expect(changed.updatedAt).toBeInstanceOf(Date);
        const again = await rename(capability.fqdn, "fs:new");
        expect(again).toMatchObject({ description: "Reads \0", tags: ["io", "a,b \\"], visibility: "org" });
      });

      it("changes how long results may be cached, and takes that back", async () => {
        const change = (more: Partial<RenameRequest>) =>
          store.rename({ fqdn: capability.fqdn, scope, actor: "user", ...more });
        expect(await change({ cachePolicy: "memoize", ttlSeconds: 60 })).toMatchObject({
          cachePolicy: "memoize",
          ttlSeconds: 60,
          updatedBy: "ada@acme",
        });
        expect(await change({ tags: ["x"] })).toMatchObject({ cachePolicy: "memoize", ttlSeconds: 60 });
        expect(await change({ ttlSeconds: null })).toMatchObject({
          cachePolicy: "memoize",
          ttlSeconds: undefined,
        });
      });

      it("[ID-5] keeps its history, newest first", async () => {
        await rename(capability.fqdn, "fs:second");
        await store.rename({
          fqdn: capability.fqdn,
          scope: { ...scope, user: "bob" },
          actor: "agent",
          newName: name("fs:third"),
        });
        const all = await store.renames(capability.fqdn, 10);
        expect(
          all.map(({ oldName, newName, actor, renamedBy }) => [oldName, newName, actor, renamedBy]),
        ).toEqual([
          ["fs:second", "fs:third", "agent", "bob@acme"],
          ["fs:old", "fs:second", "user", "ada@acme"],
        ]);
        expect(all[0]?.renamedAt).toBeInstanceOf(Date);
        expect(await store.renames(capability.fqdn, 1)).toEqual(all.slice(0, 1));
      });

      it("[ID-12] is refused for what was deleted", async () => {
        await remove(capability.fqdn);
        expect(await refusal(rename(capability.fqdn, "fs:new"))).toMatch(/^CAPABILITY_NOT_FOUND/);
      });

      it("says that there is no such capability", async () => {
        const gone = parseFqdn(`acme.${scope.project}.fs.gone.abcd`);
        expect(await refusal(rename(gone, "fs:new"))).toBe(
          "CAPABILITY_NOT_FOUND: Capability not found: acme.P.fs.gone.abcd",
        );
      });
    });

    describe("deleting", () => {
      let capability: Capability;
      beforeEach(async () => {
        ({ capability } = await learnAs("fs:old", "return 1"));
        capability = await rename(capability.fqdn, "fs:read");
      });
      const undelete = (fqdn = capability.fqdn) => store.undelete({ fqdn, scope });
      const foldOf = (text: string) => ({
        kind: "name" as const,
        org: scope.org,
        project: scope.project,
        fold: foldDisplayName(text),
      });

      it("[ID-12] keeps everything, reserves its names, and says until when", async () => {
        const deleted = await store.delete({
          fqdn: capability.fqdn,
          scope: { ...scope, user: "bob" },
          reserveDays: 30,
        });
        expect(deleted).toMatchObject({
          displayName: "fs:read",
          aliases: ["fs:old"],
          usageCount: 1,
          updatedBy: "bob@acme",
        });
        const days = Number(deleted.reservedUntil) - Number(deleted.deletedAt);
        expect(days).toBe(30 * 86_400_000);
        expect(await store.find(foldOf("fs:OLD"))).toEqual([deleted]);
        expect(await loaded()).toEqual([deleted]);
        expect(await store.findByCode(scope.org, scope.project, capability.codeHash)).toBe(undefined);
        for (const text of ["fs:read", "fs:old"])
          expect(await refusal(learnAs(text, "return 1"))).toMatch(
            /^NAME_TAKEN: .*is reserved until .*"undelete": true/,
          );
        expect(await refusal(remove(capability.fqdn))).toMatch(/^CAPABILITY_NOT_FOUND/);
      });

      it("[ID-12] can be undone, once", async () => {
        await remove(capability.fqdn);
        const back = await undelete();
        expect(back).toMatchObject({ displayName: "fs:read", aliases: ["fs:old"], usageCount: 1 });
        expect([back.deletedAt, back.reservedUntil]).toEqual([undefined, undefined]);
        expect([await find("fs:read"), await find("fs:old")]).toEqual(["fs:read", "fs:read"]);
        expect(await refusal(undelete())).toMatch(
          /^CAPABILITY_NOT_FOUND: Nothing to undelete: .* \(It is not/,
        );
      });

      it("[ID-12] cannot be undone when the time is over, nor where there was none", async () => {
        await store.delete({ fqdn: capability.fqdn, scope, reserveDays: 0 });
        expect(await refusal(undelete())).toMatch(/^CAPABILITY_NOT_FOUND/);
        expect(await loaded()).toEqual([]);
        expect(await store.find(foldOf("fs:read"))).toEqual([]);
        expect(await store.getAll([capability.fqdn])).toHaveLength(1);
        expect((await learnAs("fs:read", "return 1")).kind).toBe("created");
      });

      it("[ID-8] cannot be undone where its code is another's by now, unless it is a fork", async () => {
        const forkedFrom = capability.fqdn;
        const fork = await learnAs("fs:copy", "return 1", { forkedFrom });
        await remove(fork.capability.fqdn);
        expect((await undelete(fork.capability.fqdn)).displayName).toBe("fs:copy");
        await remove(fork.capability.fqdn);
        await remove(capability.fqdn);
        await learnAs("fs:again", "return 1");
        expect(await refusal(undelete())).toBe(
          "CAPABILITY_EXISTS: Cannot undelete fs:read: the same code is fs:again now (Call fs:again, or delete it first.)",
        );
        expect((await undelete(fork.capability.fqdn)).displayName).toBe("fs:copy");
      });

      it("is found by id and by its FQDN without the hash, live ones first", async () => {
        const label = capability.fqdn.slice(0, capability.fqdn.lastIndexOf("."));
        const deleted = await remove(capability.fqdn);
        const { capability: other } = await learnAs("fs:other", "return 2");
        await learnAs("fs:old_", "return 3").catch(() => undefined);
        expect(await store.find({ kind: "id", id: capability.id })).toEqual([deleted]);
        expect(await store.find({ kind: "id", id: other.id })).toEqual([other]);
        expect(await store.find({ kind: "label", label })).toEqual([deleted]);
        expect(await store.find({ kind: "label", label: `${label}x` })).toEqual([]);
        await store.undelete({ fqdn: capability.fqdn, scope });
        await store.delete({ fqdn: capability.fqdn, scope, reserveDays: 0 });
        const { capability: again } = await learnAs("fs:old", "return 4");
        expect(await store.find({ kind: "label", label })).toEqual([again]);
        expect(await store.getAll([again.fqdn, capability.fqdn, other.fqdn])).toHaveLength(3);
      });
    });

    describe("[ST-3] races", () => {
      const outcomes = async (work: readonly Promise<unknown>[]) =>
        (await Promise.allSettled(work)).map((one) =>
          one.status === "fulfilled" ? "won" : (one.reason as { code: string }).code,
        );

      it("two first runs of one code make one capability", async () => {
        for (let round = 0; round < 5; round += 1) {
          const fresh = () => succeeded(scope, `return ${round}`);
          const kinds = await Promise.all(
            Array.from({ length: 6 }, (_, index) => (index % 2 ? store : other).learn(fresh(), sign)),
          );
          expect(kinds.map(({ kind }) => kind).sort(byText)).toEqual(["created", ...Array(5).fill("known")]);
          const [{ fqdn, usageCount } = {}] = (await loaded()).slice(-1);
          expect([usageCount, new Set(kinds.map((one) => one.capability.fqdn))]).toEqual([
            6,
            new Set([fqdn]),
          ]);
        }
      });

      it("two first runs of one code under two names make one capability, with one of them", async () => {
        for (let round = 0; round < 5; round += 1) {
          const learned = await Promise.all(
            ["one", "two", "three", "four"].map((text, index) =>
              (index % 2 ? store : other).learn(
                succeeded(scope, `return ${round}`, { name: name(`${text}:x${round}`) }),
                sign,
              ),
            ),
          );
          expect(learned.map(({ kind }) => kind).sort(byText)).toEqual([
            "created",
            "known",
            "known",
            "known",
          ]);
          expect(new Set(learned.map(({ capability }) => capability.displayName)).size).toBe(1);
        }
      });

      it("two who take one name have one winner, however they spell it", async () => {
        for (let round = 0; round < 5; round += 1) {
          const takers = [`x:take_${round}`, `X:take${round}`].map((text, index) =>
            (index ? store : other).learn(succeeded(scope, `return "${text}"`, { name: name(text) }), sign),
          );
          expect((await outcomes(takers)).sort(byText)).toEqual(["NAME_TAKEN", "won"]);
        }
      });

      it("two renames to one name have one winner, and two that swap names both lose without waiting for ever", async () => {
        const [a, b] = [await learnAs("fs:a", "return 1"), await learnAs("fs:b", "return 2")];
        const to = (from: CapabilityStore, learned: Learned, text: string) =>
          from.rename({ fqdn: learned.capability.fqdn, scope, actor: "user", newName: name(text) });
        expect(await outcomes([to(store, a, "fs:b"), to(other, b, "fs:a")])).toEqual([
          "NAME_TAKEN",
          "NAME_TAKEN",
        ]);
        for (let round = 0; round < 5; round += 1) {
          const both = [to(store, a, `fs:want${round}`), to(other, b, `fs:want_${round}`)];
          expect((await outcomes(both)).sort(byText)).toEqual(["NAME_TAKEN", "won"]);
        }
      });

      it("a name that is given away by one and wanted by another is never held by both", async () => {
        const { capability } = await learnAs("fs:a0", "return 1");
        for (let round = 0; round < 5; round += 1) {
          const moved = store.rename({
            fqdn: capability.fqdn,
            scope,
            actor: "user",
            newName: name(`fs:a${round + 1}`),
          });
          const wanted = other.learn(
            succeeded(scope, `return "other ${round}"`, { name: name(`fs:a${round}`) }),
            sign,
          );
          expect(await outcomes([moved, wanted])).toEqual(["won", "NAME_TAKEN"]);
        }
      });

      it("updates of one name are versions in a row", async () => {
        const { capability } = await learnAs("fs:grows", "return 0");
        await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            (index % 2 ? store : other).learn(
              succeeded(scope, `return ${index + 1}`, { name: name("fs:grows"), update: true }),
              sign,
            ),
          ),
        );
        const versions = await store.versions(capability.fqdn);
        expect(versions.map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
        expect(await store.get(capability.fqdn)).toMatchObject({ version: 7, usageCount: 7 });
      });

      it("what one side has just learnt, the other finds", async () => {
        const { capability } = await learnAs("fs:read", "return 1");
        expect(await other.get(capability.fqdn)).toEqual(capability);
        const { org, project } = scope;
        expect(await other.find({ kind: "name", org, project, fold: "fs:read" })).toEqual([capability]);
        expect(await other.load()).toContainEqual(capability);
      });
    });

    describe("[EX-11, EX-12] the dominant path", () => {
      const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 12, 0, second));
      const took = (path: readonly string[], second: number, more: object = {}) => ({
        executedPath: path,
        executedAt: at(second),
        ...more,
      });

      it("is the one that most successful runs took, and the latest of those that are as frequent", async () => {
        const { capability } = await learn("return 1", { trace: run(scope, took(["n1", "d1", "n2"], 1)) });
        const { fqdn } = capability;
        expect(await store.dominantPath(fqdn, 1)).toEqual(["n1", "d1", "n2"]);
        await store.addUses([use(scope, fqdn, 1, took(["n1", "d1", "n3"], 3))]);
        expect(await store.dominantPath(fqdn, 1)).toEqual(["n1", "d1", "n3"]);
        await store.addUses([use(scope, fqdn, 1, took(["n1", "d1", "n2"], 2))]);
        expect(await other.dominantPath(fqdn, 1)).toEqual(["n1", "d1", "n2"]);
      });

      it("does not count failures, other versions or other capabilities", async () => {
        const { capability } = await learnAs("x:a", "return 1", { trace: run(scope, took(["n1"], 1)) });
        const { fqdn } = capability;
        const updated = { update: true, trace: run(scope, took(["n9"], 2)) };
        await learnAs("x:a", "return 2", updated);
        await learnAs("x:b", "return 3", { trace: run(scope, took(["n8"], 2)) });
        const failed = { success: false, errorCode: "RUN_FAILED", errorMessage: "no" };
        await store.addUses([2, 3].map((second) => use(scope, fqdn, 1, took(["n7"], second, failed))));
        expect(await store.dominantPath(fqdn, 1)).toEqual(["n1"]);
        expect(await store.dominantPath(fqdn, 2)).toEqual(["n9"]);
      });

      it("is nothing where no run has succeeded, and empty where code calls nothing", async () => {
        const { capability } = await learn("return 1", { trace: run(scope, took([], 1)) });
        expect(await store.dominantPath(capability.fqdn, 1)).toEqual([]);
        expect(await store.dominantPath(capability.fqdn, 2)).toBeUndefined();
      });
    });

    it("[ST-4] loads every live capability in the order of creation", async () => {
      const codes = ["c", "a", "b"];
      for (const code of codes) await learnAs(`x:${code}`, code);
      const { capability } = await learnAs("x:gone", "d");
      await rows("update capability_records set deleted_at = now() where id = $1", [capability.fqdn]);
      expect((await loaded()).map(({ displayName }) => displayName)).toEqual(["x:c", "x:a", "x:b"]);
    });
  });
}
