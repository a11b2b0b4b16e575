/** The tools on a real store. What takes analysis is tested through the gateway, in `test/e2e/cap-tools.test.ts`. */
import { beforeEach, describe, expect, it } from "vitest";
import { name, newScope, run, sign, succeeded, use } from "../../../test/suites/capability-samples.js";
import { PGLITE } from "../../../test/support/databases.js";
import { silentLog } from "../../base/log.js";
import { PmlError } from "../../base/pml-error.js";
import type { SavesCapabilities } from "../../execution/learn/capability-saver.js";
import type { ToolBox } from "../../execution/ports/tool-box.js";
import type { Caller } from "../../mcp/real-servers.js";
import { PostgresCapabilityStore } from "../../postgres/capability-store.js";
import { migrate } from "../../postgres/migrate.js";
import { MIGRATIONS } from "../../postgres/migrations/index.js";
import { PostgresSavingsStore } from "../../postgres/savings-store.js";
import { PostgresTraceStore } from "../../postgres/trace-store.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { NewCapability } from "../../registry/capability-store.js";
import type { Scope } from "../../registry/scope.js";
import type { TraceStore } from "../../registry/trace-store.js";
import { Ledger } from "../ledger.js";
import type { Operation } from "../operation.js";
import { capDelete } from "./cap-delete.js";
import { capHistory } from "./cap-history.js";
import { capList } from "./cap-list.js";
import { capLookup } from "./cap-lookup.js";
import { capMerge } from "./cap-merge.js";
import { capRename } from "./cap-rename.js";
import { capSave } from "./cap-save.js";
import { capVerify } from "./cap-verify.js";
import { capWhois } from "./cap-whois.js";

type Answer = Readonly<Record<string, unknown>>;

const caller: Caller = {
  connection: "c",
  capabilities: {},
  signal: new AbortController().signal,
  onLog() {},
};

let opened: ReturnType<typeof open> | undefined;

/** One migrated schema for all tests: each has a project of its own. */
async function open() {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  return {
    store: new PostgresCapabilityStore(database),
    traces: new PostgresTraceStore(database),
    ledger: new Ledger({
      store: new PostgresSavingsStore(database),
      count: async (texts) => texts.map(() => 100),
      log: silentLog,
    }),
  };
}

let registry: CapabilityRegistry;
let traces: TraceStore;
let ledger: Ledger;
let scope: Scope;
let offered: readonly string[];
const tools = {
  settled: async () => {},
  tools: () => offered.map((id) => ({ id, server: id.split(":")[0], name: id.split(":")[1] })),
} as unknown as ToolBox;
const ring = { own: "key", loaded: async () => {}, list: () => [] };
const servers = { statuses: () => [] };

beforeEach(async () => {
  opened ??= open();
  const { store } = await opened;
  ({ traces, ledger } = await opened);
  registry = new CapabilityRegistry({ store, log: silentLog });
  scope = newScope();
  offered = ["filesystem:read_file"];
});

const learn = async (text: string, code: string, more: Partial<NewCapability> = {}) =>
  (await registry.learn(succeeded(scope, code, { name: name(text), ...more }), sign)).capability;
const update = (text: string, code: string, more: Partial<NewCapability> = {}) =>
  learn(text, code, { update: true, ...more });

async function ask(tool: Operation, input: Answer, as = scope): Promise<Answer> {
  const answer = await tool.answer(input, as, caller);
  return answer.result.structuredContent as Answer;
}

async function refusal(tool: Operation, input: Answer, as = scope): Promise<string> {
  try {
    await ask(tool, input, as);
    return "accepted";
  } catch (error) {
    return error instanceof PmlError ? `${error.code}: ${error.message}` : String(error);
  }
}

const repairs = { of: async () => undefined, workingVersion: async () => undefined };
const executor = { structureOf: async () => undefined, repairs };
const whois = (input: Answer) =>
  ask(capWhois.with({ registry, tools, traces, ring, servers, ledger, executor }), input);
const history = (input: Answer) => ask(capHistory.with({ registry }), input);
const rename = (input: Answer) => ask(capRename.with({ registry, tools }), input);
const remove = (input: Answer, as = scope) => ask(capDelete.with({ registry, reserveDays: 30 }), input, as);

describe("[ID-9] cap_whois", () => {
  it("[ID-10] tells all there is of a capability", async () => {
    const { fqdn, id } = await learn("fs:read", "return 1", { versionTag: "v1.0.0" });
    await rename({ name: "fs:read", tags: ["a"], cache_policy: "memoize", ttl: 60 });
    const answer = await whois({ name: "fs:read" });
    expect(answer).toMatchObject({
      display_name: "fs:read",
      fqdn,
      id,
      type: "capability",
      source: "code",
      intent: "intent of return 1",
      signature: "mcp.fs.read(): Promise<unknown>",
      created_by: "ada@acme",
      creators: ["ada@acme"],
      updated_by: "ada@acme",
      version: 1,
      version_tag: "v1.0.0",
      visibility: "project",
      tags: ["a"],
      aliases: [],
      routing: "local",
      routing_source: "tools",
      cache_policy: "memoize",
      ttl: 60,
      tools_used: ["filesystem:read_file"],
      usage_count: 1,
      success_count: 1,
      success_rate: 1,
      average_latency_ms: 10,
      trust: { state: "provisional", public_key: "key", signed_by: "this installation", trusted: true },
      provenance: { source: "code" },
      dependencies: [],
      dependents: [],
      learning: {
        paths: [{ path: ["n1"], count: 1, successRate: 1 }],
        dominantPath: ["n1"],
        decisionStats: [],
      },
      traces: [{ workflowId: "w1", capability: "fs:read", version: 1, by: "ada@acme", success: true }],
    });
    expect(answer.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect((answer.trust as Answer).signature).toContain(`signed ${fqdn}`);
    expect(await whois({ fqdn })).toEqual(answer);
  });

  it("[ID-11] tells of the version that was asked for", async () => {
    await learn("fs:read", "return 1", { versionTag: "v1.0.0" });
    const second = await update("fs:read", "return 2", { toolsUsed: [] });
    expect(await whois({ name: "fs:read@v1" })).toMatchObject({
      version: 1,
      version_tag: "v1.0.0",
      tools_used: ["filesystem:read_file"],
    });
    expect(await whois({ name: "fs:read" })).toMatchObject({ version: second.version, tools_used: [] });
  });

  it("[ID-10] shows what has lost a tool as degraded, and names the tool", async () => {
    await learn("fs:read", "return 1");
    offered = [];
    expect((await whois({ name: "fs:read" })).trust).toMatchObject({
      state: "degraded",
      missing_tools: ["filesystem:read_file"],
    });
  });

  it("[ID-10] says of a foreign key that it is unknown", async () => {
    await registry.learn(succeeded(scope, "return 1", { name: name("fs:read") }), () => ({
      signature: "s",
      publicKey: "other",
    }));
    expect((await whois({ name: "fs:read" })).trust).toMatchObject({
      signed_by: "unknown key",
      trusted: false,
    });
  });

  it("[AN-10] names callers and callees with the version that is called for good", async () => {
    const callee = await learn("fs:read", "return 1");
    const pinned = `${callee.fqdn}@1` as CapabilityRef;
    const { fqdn } = await learn("fs:both", "return 3", { dependencies: [callee.fqdn, pinned] });
    const related = { name: "fs:read", fqdn: callee.fqdn, version: 1 };
    expect(await whois({ name: "fs:both" })).toMatchObject({
      dependencies: [related, { ...related, pinned: 1 }],
    });
    expect((await whois({ name: "fs:read" })).dependents).toEqual([
      { name: "fs:both", fqdn, version: 1 },
      { name: "fs:both", fqdn, version: 1, pinned: 1 },
    ]);
    await remove({ name: "fs:read" });
    expect((await whois({ name: "fs:both" })).dependencies).toMatchObject([
      { name: "fs:read", deleted_at: expect.any(String) },
      { name: "fs:read", pinned: 1, deleted_at: expect.any(String) },
    ]);
  });

  it("[ID-7] leaves out whatever the session may not see", async () => {
    const callee = await learn("fs:read", "return 1");
    await learn("fs:caller", "return 2", { dependencies: [callee.fqdn] });
    await learn("fs:fork", "return 1", { forkedFrom: callee.fqdn });
    expect((await whois({ name: "fs:fork" })).provenance).toMatchObject({
      forked_from: { name: "fs:read", fqdn: callee.fqdn },
    });
    await rename({ name: "fs:read", visibility: "private" });
    await rename({ name: "fs:fork", visibility: "project" });
    const bob = { ...scope, user: "bob" };
    const tool = capWhois.with({ registry, tools, traces, ring, servers, ledger, executor });
    expect(await ask(tool, { name: "fs:caller" }, bob)).toMatchObject({ dependencies: [] });
    expect((await ask(tool, { name: "fs:fork" }, bob)).provenance).toEqual({ source: "code" });
    expect(await refusal(tool, { name: "fs:read" }, bob)).toMatch(/^CAPABILITY_NOT_FOUND/);
  });

  it("[LP-6] tells what its runs from memory saved, once there was one", async () => {
    const cold = { programMs: 10, resultTokens: 0 };
    const { fqdn } = await learn("fs:read", "return 1", { cold });
    expect(await whois({ name: "fs:read" })).not.toHaveProperty("saved");
    const saved = { at: new Date(), sentTokens: 5, resultTokens: 7, durationMs: 4 };
    await registry.store.addUses([{ ...use(scope, fqdn), saved }]);
    expect((await whois({ name: "fs:read" })).saved).toEqual({
      runs: 1,
      tokens: 102,
      tokens_measured: 95,
      tokens_estimated: 7,
      ms: 6,
    });
  });

  it.each([
    [{}, "neither name nor fqdn is given"],
    [{ name: "a", fqdn: "b" }, "give either name or fqdn, not both"],
  ])("wants exactly one name: %j", async (input, why) =>
    expect(
      await refusal(capWhois.with({ registry, tools, traces, ring, servers, ledger, executor }), input),
    ).toBe(`ARGUMENTS_INVALID: Cannot call cap_whois: ${why}`),
  );
});

describe("[ID-11] cap_history", () => {
  const versionsOf = async (input: Answer) => (await history(input)).versions as readonly Answer[];

  it("[ID-5] has the versions newest first with what changed, and the former names", async () => {
    await learn("fs:read", "const a = 1;\nreturn a;");
    await update("fs:read", "const a = 2;\nreturn a;", { versionTag: "v1.2.0", changeSummary: "a is 2" });
    await rename({ name: "fs:read", new_name: "fs:load" });
    await rename({ name: "fs:load", new_name: "fs:fetch" });
    const answer = await history({ name: "fs:fetch" });
    expect(answer).toMatchObject({
      display_name: "fs:fetch",
      total_versions: 2,
      versions: [
        {
          version: 2,
          version_tag: "v1.2.0",
          author: "ada@acme",
          date: expect.stringMatching(/Z$/),
          change_summary: "a is 2",
          diff: "--- fs:fetch@1\n+++ fs:fetch@2\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n return a;\n",
        },
        {
          version: 1,
          diff: "--- /dev/null\n+++ fs:fetch@1\n@@ -0,0 +1,2 @@\n+const a = 1;\n+return a;\n",
        },
      ],
      renames: [
        { from: "fs:load", to: "fs:fetch", by: "ada@acme", actor: "agent" },
        { from: "fs:read", to: "fs:load", by: "ada@acme", actor: "agent" },
      ],
    });
  });

  it("compares the last one that is shown too, and begins at the version that is asked for", async () => {
    await learn("fs:read", "return 1");
    await update("fs:read", "return 2");
    await update("fs:read", "return 3");
    expect(await versionsOf({ name: "fs:read", limit: 1 })).toMatchObject([
      { version: 3, diff: "--- fs:read@2\n+++ fs:read@3\n@@ -1,1 +1,1 @@\n-return 2\n+return 3\n" },
    ]);
    expect((await versionsOf({ name: "fs:read@2" })).map(({ version }) => version)).toEqual([2, 1]);
  });

  it("cuts diffs, and says how to see the whole", async () => {
    const long = (text: string) =>
      Array.from({ length: 900 }, (_, at) => `${text} ${at} ${"x".repeat(30)}`).join("\n");
    await learn("fs:read", long("old"));
    const edits = Array.from({ length: 6 }, (_, at) => `${long("old")}\n${"y".repeat(19_000)}${at}`);
    for (const code of edits) await update("fs:read", code);
    const versions = await versionsOf({ name: "fs:read" });
    const shown = versions.map(({ diff, diff_note }) => [typeof diff, diff_note]);
    const alone = (version: number) => `cap_history { "name": "fs:read@${version}", "limit": 1 }`;
    expect(shown[6]).toEqual(["undefined", `Omitted for brevity: ${alone(1)} shows it.`]);
    const cut = versions.find(({ diff, diff_note }) => diff !== undefined && diff_note !== undefined);
    expect(cut?.diff_note).toBe(`Truncated: ${alone(Number(cut?.version))} shows all of it.`);
    const [whole] = await versionsOf({ name: `fs:read@1`, limit: 1 });
    expect(String(whole?.diff).length).toBeGreaterThan(30_000);
    expect(whole?.diff_note).toBeUndefined();
  });

  it.each([[0], [201], [1.5]])("refuses a limit of %j", async (limit) =>
    expect(await refusal(capHistory.with({ registry }), { name: "x", limit })).toMatch(
      /^ARGUMENTS_INVALID.*limit/,
    ),
  );
});

describe("[ID-12] cap_delete", () => {
  it("names what depends on it, counts what is hidden, and can be taken back", async () => {
    const callee = await learn("fs:read", "return 1");
    await learn("fs:caller", "return 2", { dependencies: [callee.fqdn] });
    await learn("fs:second", "return 4", { dependencies: [callee.fqdn] });
    await learn("fs:secret", "return 3", { dependencies: [callee.fqdn] });
    await rename({ name: "fs:secret", visibility: "private" });
    const bob = { ...scope, user: "bob" };
    const answer = await remove({ name: "fs:read" }, bob);
    expect(answer).toMatchObject({
      display_name: "fs:read",
      dependents: [{ name: "fs:caller" }, { name: "fs:second" }],
      other_dependents: 1,
    });
    const [deleted, reserved] = [answer.deleted_at, answer.reserved_until].map((at) =>
      Date.parse(String(at)),
    );
    expect(((reserved ?? 0) - (deleted ?? 0)) / 86_400_000).toBeCloseTo(30, 1);
    expect(answer.warnings).toEqual([
      `fs:caller, fs:second, 1 more call it and fail from now on. Until ${String(answer.reserved_until).slice(0, 10)} it can be restored: cap_delete { "name": "fs:read", "undelete": true }.`,
    ]);
    expect(await refusal(capLookup.with({ registry }), { name: "fs:read" })).toMatch(
      /^CAPABILITY_DELETED: Capability fs:read was deleted on \d{4}-\d\d-\d\d$/,
    );
    const back = await remove({ name: "fs:read", undelete: true });
    expect(back).toMatchObject({ display_name: "fs:read", fqdn: callee.fqdn });
    expect(back).not.toHaveProperty("deleted_at");
    expect(await ask(capLookup.with({ registry }), { name: "fs:read" })).toMatchObject({ version: 1 });
  });

  it("is silent where nothing depends on it", async () => {
    await learn("fs:read", "return 1");
    expect(await remove({ name: "fs:read" })).not.toHaveProperty("warnings");
  });

  it("deletes no single version, and no server", async () => {
    await learn("fs:read", "return 1");
    const tool = capDelete.with({ registry, reserveDays: 30 });
    expect(await refusal(tool, { name: "fs:read@v1" })).toBe(
      "ARGUMENTS_INVALID: Cannot call cap_delete: fs:read@v1 is one version, and single versions cannot be deleted",
    );
    expect(await refusal(tool, { name: "mcp:filesystem" })).toBe(
      "NOT_ALLOWED: mcp:filesystem is a server: change its entry in the configuration",
    );
    expect(await refusal(tool, { name: "fs:read", undelete: true })).toMatch(
      /^CAPABILITY_NOT_FOUND: Nothing to undelete/,
    );
  });

  it("[ID-7] is for those who may change it", async () => {
    await learn("fs:read", "return 1");
    await rename({ name: "fs:read", visibility: "public" });
    const other = { ...scope, project: "elsewhere", user: "eve" };
    const from = `${scope.org}.${scope.project}:fs:read`;
    const tool = capDelete.with({ registry, reserveDays: 30 });
    expect(await refusal(tool, { name: from }, other)).toMatch(/^NOT_ALLOWED/);
  });
});

describe("[ID-7] cap_list", () => {
  it("names what is of another project so that it can be called from here, and its owner", async () => {
    await learn("fs:read", "return 1");
    await rename({ name: "fs:read", visibility: "org" });
    const list = async (as: typeof scope) => {
      const { capabilities } = await ask(capList.with({ registry }), { visibility: "org" }, as);
      return (capabilities as readonly Answer[]).map(({ name, owner }) => [name, owner]);
    };
    const elsewhere = { ...scope, project: "elsewhere", user: "eve" };
    expect(await list(scope)).toEqual([["fs:read", undefined]]);
    const qualified = `${scope.org}.${scope.project}:fs:read`;
    expect(await list(elsewhere)).toEqual([[qualified, `${scope.user}@${scope.org}`]]);
    const lookup = capLookup.with({ registry });
    expect(await ask(lookup, { name: qualified }, elsewhere)).toMatchObject({ display_name: "fs:read" });
  });
});

describe("[ID-9] cap_rename", () => {
  it("sets the rules for caching, and takes the time away again", async () => {
    await learn("fs:read", "return 1");
    expect(await rename({ name: "fs:read", cache_policy: "persistent", ttl: 0 })).toMatchObject({
      cache_policy: "persistent",
      ttl: 0,
    });
    expect(await rename({ name: "fs:read", ttl: null })).not.toHaveProperty("ttl");
  });

  it.each([["mcp:filesystem"], ["cap:mcp:filesystem@v1.2.0"], ["pml.std:mcp:filesystem"]])(
    "[ID-14] leaves the server %s alone",
    async (server) =>
      expect(await refusal(capRename.with({ registry, tools }), { name: server, tags: [] })).toBe(
        `NOT_ALLOWED: ${server} is a server: change its entry in the configuration`,
      ),
  );

  it.each([[-1], [1.5], ["10"]])("refuses a time of %j", async (ttl) =>
    expect(await refusal(capRename.with({ registry, tools }), { name: "x", ttl })).toMatch(
      /^ARGUMENTS_INVALID.*ttl/,
    ),
  );
});

describe("[ID-10] cap_verify", () => {
  it("is for a person alone, and verifies the version that is named", async () => {
    const tool = capVerify.with({ registry });
    expect(tool.who).toBe("person");
    const { fqdn } = await learn("fs:read", "return 1");
    await update("fs:read", "return 2");
    await registry.store.addUses([use(scope, fqdn, 2)]);
    expect(await ask(tool, { name: "fs:read@v1" })).toMatchObject({ version: 1, trust: "verified" });
    expect((await whois({ name: "fs:read" })).trust).toMatchObject({ state: "provisional" });
    expect(await ask(tool, { name: "fs:read" })).toMatchObject({ version: 2, trust: "verified" });
    expect((await whois({ name: "fs:read" })).trust).toMatchObject({ state: "verified" });
  });
});

describe("[ID-11] cap_save and cap_merge", () => {
  const never: SavesCapabilities = {
    save: () => Promise.reject(new Error("saved")),
    observe: () => Promise.reject(new Error("observed")),
    fork: () => Promise.reject(new Error("forked")),
    merge: () => Promise.reject(new Error("merged")),
  };

  it.each([
    [{}, "neither code nor source is given"],
    [{ code: "a", source: "b" }, "give either code or source, not both"],
    [{ source: { type: "dag", tasks: [] } }, "source.tasks: Too small: expected array to have >=1 items"],
    [{ source: { type: "dag" } }, "source.tasks is missing"],
    [{ source: { type: "tool", arguments: {} } }, "source.tool is missing"],
    [{ source: { type: "shell" } }, 'source.type is "shell", expected code, dag or tool'],
    [{ source: { type: "code" } }, "source.code is missing"],
    [{ code: "a", version_tag: "one" }, 'version_tag is "one", expected one such as v1.2.0'],
  ])("refuses %j", async (input, why) =>
    expect(await refusal(capSave.with({ registry, saver: never }), { intent: "i", ...input })).toBe(
      `ARGUMENTS_INVALID: Cannot call cap_save: ${why}`,
    ),
  );

  it.each([
    [{ change_summary: "x".repeat(1_001) }, "change_summary"],
    [{ routing: "moon" }, "routing"],
    [{ intent: "" }, "intent"],
  ])("refuses what does not fit: %#", async (input, field) =>
    expect(
      await refusal(capSave.with({ registry, saver: never }), { intent: "i", code: "a", ...input }),
    ).toMatch(new RegExp(`^ARGUMENTS_INVALID: Cannot call cap_save: ${field}`)),
  );

  it.each([
    [{ code: "return 1;" }],
    [{ source: "return 1;" }],
    [{ source: { type: "code", code: "return 1;" } }],
  ])("takes the code of %j, and tells what has become of it", async (input) => {
    const capability = await learn("fs:read", "return 1", { trace: run(scope) });
    const asked: unknown[] = [];
    const saver: SavesCapabilities = {
      ...never,
      async save(request) {
        asked.push(request);
        return { capability, version: 1, kind: "created", code: request.code ?? "", warnings: ["w"] };
      },
    };
    expect(await ask(capSave.with({ registry, saver }), { intent: "i", ...input })).toMatchObject({
      display_name: "fs:read",
      version: 1,
      saved: "created",
      warnings: ["w"],
    });
    expect(asked).toMatchObject([{ intent: "i", code: "return 1;" }]);
  });

  it("[ID-13] merging wants sources", async () =>
    expect(await refusal(capMerge.with({ registry, saver: never }), { sources: [], name: "a:b" })).toMatch(
      /^ARGUMENTS_INVALID.*sources/,
    ));
});
