import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import type { Embedder } from "../../src/discovery/embedder.js";
import { HybridMatcher } from "../../src/discovery/hybrid-matcher.js";
import type { MatchableTool } from "../../src/discovery/matchable.js";
import { Meaning } from "../../src/discovery/meaning.js";
import { createEmbedder } from "../../src/embedding/create-embedder.js";
import { CapabilityDirectory } from "../../src/registry/capability-directory.js";
import type { Scope } from "../../src/registry/scope.js";
import { type ServerName, toolId } from "../../src/registry/tool-id.js";
import { sampleCapability } from "../support/sample-capability.js";

const ADA: Scope = { org: "local", project: "default", user: "ada" };

function tool(id: string, description: string): MatchableTool {
  const [server = "", name = ""] = id.split(":");
  return {
    id: toolId(server as ServerName, name),
    description,
    hash: `${id} ${description}`,
    inputSchema: { type: "object", properties: {} },
  };
}

const TOOLS = [
  tool("mail:deliver", "Delivers an electronic message to a recipient"),
  tool("shop:purchase", "Purchases goods from the store"),
  tool("sky:forecast", "Tells tomorrow's temperature and rain for a city"),
  tool("db:query", "Runs SQL against the database"),
];

describe("finding by words and meaning", () => {
  let embedder: Embedder;
  let meaning: Meaning;
  const directory = new CapabilityDirectory([]);
  let tools: readonly MatchableTool[] = TOOLS;
  const matcher = new HybridMatcher({ directory, tools: () => tools });
  const first = async (intent: string, scope = ADA) => (await matcher.match(intent, scope, { limit: 1 }))[0];

  beforeAll(async () => {
    embedder = await createEmbedder("bundled", silentLog);
    meaning = new Meaning({ embedder, patienceMs: 30_000, embedAfterMs: 0 });
  });
  afterAll(() => matcher.stop());

  it("[DI-2] words alone find nothing that says it otherwise, and the model does", async () => {
    expect(await first("will it be wet outside")).toBeUndefined();
    matcher.useMeaning(meaning);
    await matcher.match("anything", ADA, { limit: 1 });
    await meaning.idle();
    expect(matcher.status).toMatchObject({ state: "ready", known: TOOLS.length, pending: 0 });
    expect(await first("will it be wet outside")).toMatchObject({ id: "sky:forecast" });
    expect(await first("write an email to my boss")).toMatchObject({ id: "mail:deliver" });
    expect(await first("buy a new bicycle")).toMatchObject({ id: "shop:purchase" });
  });

  it("[DI-2] what is new is found by its words at once, and by its meaning once it has a vector; what is gone is not", async () => {
    const one = sampleCapability("garden:water", { intent: "sprinkle the lawn", visibility: "private" });
    directory.put(one);
    expect(await first("sprinkle the lawn")).toMatchObject({ id: one.fqdn, score: 1 });
    await meaning.idle();
    expect(await first("irrigate the grass")).toMatchObject({ id: one.fqdn });
    expect(await first("irrigate the grass", { ...ADA, user: "bob" })).not.toMatchObject({ id: one.fqdn });
    tools = TOOLS.slice(1);
    expect(await first("write an email to my boss")).not.toMatchObject({ id: "mail:deliver" });
    tools = TOOLS;
  });

  it("[DI-3] what was used for an intent before is what the same intent finds, and what is near to it", async () => {
    const { fqdn } = sampleCapability("ops:nightly", { intent: "run job 17", visibility: "project" });
    directory.put(sampleCapability("ops:nightly", { intent: "run job 17", visibility: "project" }));
    const intent = "archive the invoices of last month";
    const near = "put last month's bills into the archive";
    const asked = async (scope: Scope) =>
      (await matcher.match(near, scope, { limit: 10 })).find(({ id }) => id === fqdn);
    const bob = { ...ADA, user: "bob" };
    await matcher.match("anything", ADA, { limit: 1 });
    await meaning.idle();
    const [before, beforeAsBob] = [await asked(ADA), await asked(bob)];
    matcher.remember({ fqdn, intent, scope: ADA });
    await meaning.idle();
    const again = await first("Archive the invoices of last month!");
    expect(again).toMatchObject({ id: fqdn, reason: "found for this intent before" });
    expect(again?.score).toBeLessThan(0.8);
    const after = await asked(ADA);
    expect(after?.reason).toContain("found for this intent before");
    expect(after?.score).toBeGreaterThan(before?.score ?? 1);
    expect(await asked(bob)).toEqual(beforeAsBob);
  });

  it("[DI-3] of near-equals the one that works stands first", async () => {
    const intent = "translate a text into Latin";
    const bad = sampleCapability("lang:a_latin", { intent, usageCount: 20, successCount: 2 });
    const good = sampleCapability("lang:b_latin", { intent, usageCount: 20, successCount: 20 });
    directory.put(bad);
    directory.put(good);
    await matcher.match("anything", ADA, { limit: 1 });
    await meaning.idle();
    const found = await matcher.match("put this paragraph into Latin", ADA, { limit: 2 });
    expect(found.map(({ id }) => id)).toEqual([good.fqdn, bad.fqdn]);
  });
});
