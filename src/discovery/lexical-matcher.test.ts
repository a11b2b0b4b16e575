import { describe, expect, it } from "vitest";
import { INTENTS, UNRELATED } from "../../test/fixtures/intent-pairs.js";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import type { MatchOptions } from "../registry/matcher.js";
import type { Scope } from "../registry/scope.js";
import { type ServerName, toolId } from "../registry/tool-id.js";
import { LexicalMatcher } from "./lexical-matcher.js";
import type { MatchableTool } from "./matchable.js";

const ADA: Scope = { org: "local", project: "default", user: "ada" };

const tool = (id: string, description: string, ...fields: readonly string[]): MatchableTool => {
  const [server = "", name = ""] = id.split(":");
  return {
    id: toolId(server as ServerName, name),
    description,
    hash: `${id} ${description}`,
    inputSchema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, {}])) },
  };
};

async function ids(
  matcher: LexicalMatcher,
  intent: string,
  scope = ADA,
  options: Partial<MatchOptions> = {},
) {
  return (await matcher.match(intent, scope, { limit: 5, ...options })).map(({ id }) => String(id));
}

describe("finding by the words of an intent", () => {
  it("[DI-1] ranks tools and capabilities together, or one kind of them", async () => {
    const one = sampleCapability("fs:read_json", { intent: "read and parse a JSON file" });
    const directory = new CapabilityDirectory([one]);
    const tools = [
      tool("files:read", "Reads a file", "path"),
      tool("mail:send", "Sends a mail", "to", "body"),
    ];
    const matcher = new LexicalMatcher({ directory, tools: () => tools });
    expect(await ids(matcher, "read a JSON file")).toEqual([one.fqdn, "files:read"]);
    expect(await ids(matcher, "read a JSON file", ADA, { kind: "tool" })).toEqual(["files:read"]);
    expect(await ids(matcher, "read a JSON file", ADA, { kind: "capability" })).toEqual([one.fqdn]);
    expect(await ids(matcher, "read a JSON file", ADA, { limit: 1 })).toEqual([one.fqdn]);
    const [first] = await matcher.match("read and parse a JSON file", ADA, { limit: 1 });
    expect(first).toMatchObject({ score: 1, reason: "says nearly the same" });
    expect((await matcher.match("parse a JSON text", ADA, { limit: 1 }))[0]?.reason).toBe("has parse, json");
  });

  it.each([
    ["its intent", { intent: "plant a tree" }],
    ["its description", { description: "plants a tree in the garden" }],
    ["its tags", { tags: ["tree"] }],
    [
      "a parameter",
      { parameters: { type: "object", properties: { tree: {} }, required: [], additionalProperties: false } },
    ],
    ["a tool that it uses", { toolsUsed: [toolId("garden" as ServerName, "plant_tree")] }],
  ] as const)("[DI-1] finds a capability by %s", async (_what, changes) => {
    const one = sampleCapability("x:y", { intent: "something", ...changes });
    const matcher = new LexicalMatcher({ directory: new CapabilityDirectory([one]), tools: () => [] });
    expect(await ids(matcher, "tree")).toEqual([one.fqdn]);
  });

  it("[DI-1] finds an unnamed capability by its intent, and none by what stands for a name", async () => {
    const one = sampleCapability("unnamed_abc123ab", { intent: "plant a tree" });
    const matcher = new LexicalMatcher({ directory: new CapabilityDirectory([one]), tools: () => [] });
    expect(await ids(matcher, "plant a tree")).toEqual([one.fqdn]);
    expect(await ids(matcher, "unnamed")).toEqual([]);
  });

  it("[DI-1] follows the directory and the list of tools", async () => {
    const directory = new CapabilityDirectory();
    let tools = [tool("files:read", "Reads a file")];
    const matcher = new LexicalMatcher({ directory, tools: () => tools });
    expect(await ids(matcher, "plant trees")).toEqual([]);
    const one = sampleCapability("garden:plant", { intent: "plant a tree" });
    directory.put(one);
    expect(await ids(matcher, "plant trees")).toEqual([one.fqdn]);
    directory.put({ ...one, description: "water the roses" });
    expect(await ids(matcher, "water roses")).toEqual([one.fqdn]);
    directory.put({ ...one, deletedAt: new Date(), reservedUntil: new Date() });
    expect(await ids(matcher, "plant trees")).toEqual([]);
    tools = [tool("files:read", "Reads a page")];
    expect(await ids(matcher, "page")).toEqual(["files:read"]);
    expect(await ids(matcher, "file")).toEqual(["files:read"]);
    tools = [];
    expect(await ids(matcher, "page")).toEqual([]);
  });

  it("[DI-1] shows a session what it may see, and scores do not tell that there is more", async () => {
    const mine = sampleCapability("a:mine", { intent: "plant a tree", visibility: "private" });
    const theirs = sampleCapability("a:theirs", {
      intent: "plant a tree quickly",
      visibility: "private",
      creators: ["bob@local"],
    });
    const tools = () => [];
    const both = new LexicalMatcher({ directory: new CapabilityDirectory([mine, theirs]), tools });
    const alone = new LexicalMatcher({ directory: new CapabilityDirectory([mine]), tools });
    expect(await both.match("plant the big tree", ADA, { limit: 5 })).toEqual(
      await alone.match("plant the big tree", ADA, { limit: 5 }),
    );
    expect(await ids(both, "plant the big tree", { ...ADA, user: "bob" })).toEqual([theirs.fqdn]);
    expect(await ids(both, "plant the big tree", { ...ADA, user: "cy" })).toEqual([]);
  });

  it("[DI-1] answers all who ask while a thousand are taken over", async () => {
    const all = Array.from({ length: 1_000 }, (_, i) =>
      sampleCapability(`n:c${i}`, { intent: `plant tree number ${i}` }),
    );
    const matcher = new LexicalMatcher({ directory: new CapabilityDirectory(all), tools: () => [] });
    const asked = [7, 500, 999];
    const found = await Promise.all(
      asked.map((i) => ids(matcher, `plant tree number ${i}`, ADA, { limit: 1 })),
    );
    expect(found).toEqual(asked.map((i) => [all[i]?.fqdn]));
  });
});

describe("what is sure enough to be run", () => {
  const learnt = INTENTS.map((one, i) => ({
    ...one,
    capability: sampleCapability(`unnamed_${(0xa000_0000 + i).toString(16)}`, { intent: one.learnt }),
  }));
  const directory = new CapabilityDirectory(learnt.map(({ capability }) => capability));
  const matcher = new LexicalMatcher({ directory, tools: () => [] });

  /** What speculation would run. */
  async function sure(intent: string): Promise<string | undefined> {
    const [first, second] = await matcher.match(intent, ADA, { kind: "capability", limit: 2 });
    return first !== undefined && first.score >= 0.85 && first.score - (second?.score ?? 0) >= 0.05
      ? first.id
      : undefined;
  }

  it("[DI-4] is never what would be a mistake", async () => {
    for (const { other } of learnt)
      for (const asked of other) expect(await sure(asked), asked).toBeUndefined();
    for (const asked of UNRELATED) expect(await sure(asked), asked).toBeUndefined();
  });

  it("[DI-4] is the same intent, and most that say the same in other words", async () => {
    let right = 0;
    const asked = learnt.flatMap(({ same, capability }) => same.map((intent) => ({ intent, capability })));
    for (const { learnt: intent, capability } of learnt) expect(await sure(intent)).toBe(capability.fqdn);
    for (const { intent, capability } of asked) if ((await sure(intent)) === capability.fqdn) right += 1;
    expect(right / asked.length).toBeGreaterThan(0.8);
  });

  it("[DI-1] what is unrelated scores below 0.3", async () => {
    for (const asked of UNRELATED)
      for (const { score } of await matcher.match(asked, ADA, { limit: 5 }))
        expect(score, asked).toBeLessThan(0.3);
  });
});
