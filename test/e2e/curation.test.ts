/** Names for what has none, as agents and people get them: through real clients, on real stores. */
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, errorOf, execute, lookUp, succeeds, wireNames } from "../support/agent.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { CLIENTS, type TestClient } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

interface Row {
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
  readonly confidence: number;
  readonly reasoning: string;
  readonly by?: string;
}

const config = { mcpServers: { files: fixture("work") }, approvals: { unannotated: "auto" } };
const NO_TRIGGER = { curation: { after: 1_000 } };

/** Unnamed code that reads a file. */
async function learn(client: TestClient, what: string): Promise<string> {
  const { capabilityName = "" } = await succeeds(client, {
    intent: `read and parse the ${what} file`,
    code: `const { content } = await mcp.files.read_file({ path: args.${what}_path });
const ${what} = JSON.parse(content);
return { ${what} };`,
    args: { [`${what}_path`]: "a.json" },
  });
  expect(capabilityName).toMatch(/^unnamed_/);
  return capabilityName;
}

async function suggest(client: TestClient, input: object = {}): Promise<readonly Row[]> {
  return (await ask(client, "cap_curate", { mode: "suggest", ...input })).suggestions as readonly Row[];
}

async function renamesOf(client: TestClient, name: string) {
  return (await ask(client, "cap_history", { name })).renames as readonly Readonly<Record<string, string>>[];
}

for (const { transport, over } of transports("background")) {
  describe(`[CU-1] curation over ${over}`, () => {
    const gateway = useGateway(transport, { ...config, ...NO_TRIGGER });
    const client = useClient(gateway, "v2-2025");
    let names: readonly string[];

    beforeAll(async () => {
      await client().watchLists();
      names = [];
      for (const what of ["config", "settings", "profile"]) names = [...names, await learn(client(), what)];
    });

    it("[CU-4, 13.4 AC1] suggests a name for each, with reasons, and changes nothing", async () => {
      const rows = await suggest(client());
      expect(new Set(rows.map(({ currentName }) => currentName))).toEqual(new Set(names));
      for (const { suggestedName, confidence, reasoning } of rows) {
        expect(suggestedName).toMatch(/^(fs|files):[a-z0-9]+(_[a-z0-9]+)*$/);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(reasoning).toMatch(/\w/);
      }
      expect(new Set(rows.map(({ suggestedName }) => suggestedName)).size).toBe(3);
      expect((await ask(client(), "cap_list", { unnamed_only: true })).total).toBe(3);
    });

    it("[ID-5, WIRE-6, 13.4 AC3] applies given names: they are listed, run, and the old ones still answer", async () => {
      const row = (await suggest(client())).find(({ currentName }) => currentName === names[0]);
      const before = client().news.toolChanges;
      const answer = await ask(client(), "cap_curate", {
        mode: "apply",
        renames: [
          { id: row?.id, name: "fs:read_config" },
          { id: "no:such", name: "a:b" },
        ],
      });
      expect(answer).toMatchObject({ applied: 1, failed: 1 });
      await client().news.until(({ toolChanges }) => toolChanges > before);
      expect(await wireNames(client())).toContain("mcp__fs__read_config");
      const run = { capability: "fs:read_config", args: { config_path: "b.json" } };
      expect((await execute(client(), run)).result).toEqual({ config: { name: "b", n: 2 } });
      const old = await execute(client(), { ...run, capability: names[0], options: { no_cache: true } });
      expect(old).toMatchObject({ status: "success", warnings: [expect.stringContaining("Deprecated")] });
      expect(await renamesOf(client(), "fs:read_config")).toMatchObject([
        { from: names[0], to: "fs:read_config", actor: "agent" },
      ]);
    });

    it("[13.4 AC2] applies those that are sure by itself, and says who thought of the names", async () => {
      const sure = (await suggest(client())).filter(({ confidence }) => confidence > 0.8);
      expect(sure.length).toBeGreaterThan(0);
      const answer = await ask(client(), "cap_curate", { mode: "auto" });
      const applied = answer.applied as readonly { readonly from: string; readonly name: string }[];
      expect(new Map(applied.map(({ from, name }) => [from, name]))).toEqual(
        new Map(sure.map(({ currentName, suggestedName }) => [currentName, suggestedName])),
      );
      for (const { from, name } of applied) {
        expect(await lookUp(client(), name)).toMatchObject({ display_name: name, aliases: [from] });
        expect(await renamesOf(client(), name)).toMatchObject([{ actor: "auto", curated_by: "heuristics" }]);
        expect(await ask(client(), "cap_whois", { name })).toMatchObject({
          naming: { from, actor: "auto", curated_by: "heuristics" },
        });
      }
      expect(await gateway().pml("cap", "history", applied[0]?.name ?? "")).toContain(
        "(auto, curated by heuristics)",
      );
    });

    it("[CU-2] names code that only calls a capability after what that reaches, and default intents after the code", async () => {
      const named = async (intent: string, code: string, args = {}) => {
        const { capabilityName } = await succeeds(client(), { intent, code, args });
        return (await suggest(client())).find(({ currentName }) => currentName === capabilityName)
          ?.suggestedName;
      };
      const nameless = await learn(client(), "nameless");
      const byName = 'return (await capabilities["fs:read_config"]({ config_path: "a.json" })).config.name;';
      expect(await named("the name in the config", byName)).toMatch(/^fs:\w+_config/);
      const unnamed = `return (await capabilities.${nameless}({ nameless_path: "a.json" })).nameless.name;`;
      expect(await named("what is it called?", unnamed)).toMatch(/^fs:(?!.*unnamed)/);
      const sorted = "return [...args.paths].sort();";
      expect(await named("Run code", sorted, { paths: ["b", "a"] })).toMatch(/^data:sort_(?!.*code)/);
    });

    it("[13.4 AC4] looks at what fits the filter alone", async () => {
      const name = await learn(client(), "filtered");
      const current = async (filter: object) =>
        (await suggest(client(), { filter })).map(({ currentName }) => currentName);
      expect(await current({ min_usage: 1 })).toContain(name);
      expect(await current({ min_usage: 1_000 })).toEqual([]);
      expect(await current({ namespace: "db" })).toEqual([]);
      expect(await current({ namespace: "fs" })).toContain(name);
    });

    it("says what is wrong with what it cannot take", async () => {
      const told = errorOf(await client().call("cap_curate", { mode: "apply" }));
      expect(told).toMatchObject({ code: "ARGUMENTS_INVALID", hint: expect.stringContaining("renames") });
    });
  });
}

describe("[CU-5] curation that starts by itself", () => {
  const gateway = useGateway("http", { ...config, curation: { after: 3, mode: "auto" } });

  it("gives names in the background, and survives a restart in the middle of nothing", async () => {
    const client = await gateway().connect("v2-2025");
    for (const what of ["config", "settings"]) await learn(client, what);
    await gateway().restart();
    const again = await gateway().connect("v2-2025");
    expect((await ask(again, "cap_list", { named_only: true })).total).toBe(0);
    await learn(again, "profile");
    await until("names are given", async () => {
      return Number((await ask(again, "cap_list", { named_only: true })).total) === 3;
    });
    const { capabilities } = await ask(again, "cap_list", { named_only: true });
    for (const { name } of capabilities as readonly { readonly name: string }[])
      expect(await renamesOf(again, name)).toMatchObject([{ actor: "auto", curated_by: "heuristics" }]);
  });
});

describe("[CU-5, ST-4] two gateways on one PostgreSQL", async () => {
  const shared = { ...(await sharedStoreConfig()), curation: { after: 4, mode: "auto" } };
  const one = useGateway("http", shared);
  const two = useGateway("http", shared);

  it("curate once", async () => {
    const first = await one().connect("v2-2025");
    const second = await two().connect("v2-2025");
    const code = (what: string) => ({
      intent: `read and parse the ${what} file`,
      code: `const { content } = await mcp.work.read_file({ path: args.${what}_path });
const ${what} = JSON.parse(content);
return { ${what} };`,
      args: { [`${what}_path`]: "a.json" },
    });
    for (const what of ["config", "profile"]) await succeeds(first, code(what));
    for (const what of ["settings", "orders"]) await succeeds(second, code(what));
    const named = async (client: TestClient) => {
      const { capabilities, total } = await ask(client, "cap_list", { named_only: true });
      return { total, names: (capabilities as readonly { readonly name: string }[]).map(({ name }) => name) };
    };
    await until("names are given", async () => Number((await named(first)).total) === 4);
    await until("the other knows", async () => Number((await named(second)).total) === 4);
    for (const name of (await named(second)).names)
      expect(await renamesOf(second, name)).toMatchObject([{ actor: "auto", curated_by: "heuristics" }]);
  });
});

describe("[CU-3] curation with the client's own model", () => {
  const gateway = useGateway("background", {
    ...config,
    curation: { after: 1_000, model: "sampling" },
  });

  const WORDS = { v1: "invoice", "v2-2025": "calendar", "v2-2026": "recipe" } as const;

  it.each(CLIENTS)("asks $client, and no other client", async ({ kind }) => {
    const client = await gateway().connect(kind);
    const what = WORDS[kind];
    const name = await learn(client, what);
    client.sampleWith(() => JSON.stringify({ names: [{ key: "1", name: `fs:load_${what}` }] }));
    const asked = client.questions.length;
    const row = (await suggest(client)).find(({ currentName }) => currentName === name);
    expect(row).toMatchObject({ suggestedName: `fs:load_${what}`, by: "sampling" });
    expect(client.questions.length).toBe(asked + 1);
    expect(client.questions.at(-1)).toContain("read_file");
    await ask(client, "cap_curate", { mode: "apply", renames: [{ id: row?.id, name: row?.suggestedName }] });
    expect(await renamesOf(client, `fs:load_${what}`)).toMatchObject([
      { actor: "agent", curated_by: "sampling" },
    ]);
    const silent = await gateway().connect(kind, { can: [] });
    const other = await learn(silent, `${what}_archive`);
    const unasked = (await suggest(silent)).find(({ currentName }) => currentName === other);
    expect(unasked).not.toHaveProperty("by");
    await ask(silent, "cap_curate", { mode: "apply", renames: [{ id: other, name: `fs:done_${what}` }] });
  });
});
