import { describe, expect, it } from "vitest";
import { INTENTS, UNRELATED } from "../../test/fixtures/intent-pairs.js";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { MatchOptions } from "../registry/matcher.js";
import type { Scope } from "../registry/scope.js";
import { type ServerName, toolId } from "../registry/tool-id.js";
import { HybridMatcher } from "./hybrid-matcher.js";
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

async function ids(matcher: HybridMatcher, intent: string, scope = ADA, options: Partial<MatchOptions> = {}) {
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
    const matcher = new HybridMatcher({ directory, tools: () => tools });
    expect(await ids(matcher, "read a JSON file")).toEqual([one.fqdn, "files:read"]);
    expect(await ids(matcher, "read a JSON file", ADA, { kind: "tool" })).toEqual(["files:read"]);
    expect(await ids(matcher, "read a JSON file", ADA, { kind: "capability" })).toEqual([one.fqdn]);
    expect(await ids(matcher, "read a JSON file", ADA, { limit: 1 })).toEqual([one.fqdn]);
    const [first] = await matcher.match("read and parse a JSON file", ADA, { limit: 1 });
    expect(first).toMatchObject({ score: 1, reason: "nearly the same text" });
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
    const matcher = new HybridMatcher({ directory: new CapabilityDirectory([one]), tools: () => [] });
    expect(await ids(matcher, "tree")).toEqual([one.fqdn]);
  });

  it("[DI-1] finds an unnamed capability by its intent, and none by what stands for a name", async () => {
    const one = sampleCapability("unnamed_abc123ab", { intent: "plant a tree" });
    const matcher = new HybridMatcher({ directory: new CapabilityDirectory([one]), tools: () => [] });
    expect(await ids(matcher, "plant a tree")).toEqual([one.fqdn]);
    expect(await ids(matcher, "unnamed")).toEqual([]);
  });

  it("[DI-1] follows the directory and the list of tools", async () => {
    const directory = new CapabilityDirectory();
    let tools = [tool("files:read", "Reads a file")];
    const matcher = new HybridMatcher({ directory, tools: () => tools });
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
    const both = new HybridMatcher({ directory: new CapabilityDirectory([mine, theirs]), tools });
    const alone = new HybridMatcher({ directory: new CapabilityDirectory([mine]), tools });
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
    const matcher = new HybridMatcher({ directory: new CapabilityDirectory(all), tools: () => [] });
    const asked = [7, 500, 999];
    const found = await Promise.all(
      asked.map((i) => ids(matcher, `plant tree number ${i}`, ADA, { limit: 1 })),
    );
    expect(found).toEqual(asked.map((i) => [all[i]?.fqdn]));
  });
});

describe("an intent that was said before", () => {
  const BOB: Scope = { ...ADA, user: "bob" };
  const one = sampleCapability("ops:nightly", { intent: "run job 17" });
  const near = sampleCapability("ops:weekly", { intent: "plan the takeover party" });
  const both = () => new HybridMatcher({ directory: new CapabilityDirectory([one, near]), tools: () => [] });
  const past = { fqdn: one.fqdn, intent: "go on with the Globex takeover", scope: ADA };

  it("[DI-3] finds what it led to first, for whoever said it, and is never sure enough to be run", async () => {
    const matcher = both();
    matcher.remember(past);
    const [first] = await matcher.match("Go on with the globex takeover!", ADA, { limit: 5 });
    expect(first).toMatchObject({ id: one.fqdn, reason: "found for this intent before" });
    expect(first?.score).toBeGreaterThan(0.5);
    expect(first?.score).toBeLessThan(0.8);
  });

  it("[DI-3] lifts little what was asked for in other words", async () => {
    const matcher = both();
    matcher.remember(past);
    expect((await ids(matcher, "plan the takeover"))[0]).toBe(near.fqdn);
  });

  it.each([
    ["user", BOB],
    ["project", { ...ADA, project: "other" }],
    ["org", { ...ADA, org: "acme" }],
  ] as const)("[DI-3] tells another %s nothing", async (_what, scope) => {
    const shown = { ...one, visibility: "public" as const };
    const matcher = new HybridMatcher({ directory: new CapabilityDirectory([shown]), tools: () => [] });
    const asked = ["go on with the Globex takeover", "globex", "takeover", "run the Globex job"];
    const answers = () => Promise.all(asked.map((text) => matcher.match(text, scope, { limit: 5 })));
    const before = await answers();
    matcher.remember(past);
    expect(await answers()).toEqual(before);
  });

  it("[DI-3] finds nothing that the one who said it may not see any more", async () => {
    const matcher = new HybridMatcher({ directory: new CapabilityDirectory([near]), tools: () => [] });
    matcher.remember(past);
    expect(await ids(matcher, past.intent)).toEqual([near.fqdn]);
    expect(await ids(matcher, past.intent, ADA, { kind: "tool" })).toEqual([]);
  });
});

describe("what is called so", () => {
  const one = sampleCapability("fs:read_json", { intent: "parse", aliases: [] });
  const unnamed = sampleCapability("unnamed_abc123ab", { intent: "plant a tree" });
  const others = Array.from({ length: 200 }, (_, i) =>
    sampleCapability(`local:default_fs_read_json_${i}`, { intent: "read json of fs, local, default" }),
  );
  const tools = [
    tool("filesystem:read_text_file", "Gives the contents", "path"),
    tool("filesystem:read_media_file", "Reads a file of the filesystem, text or not", "path"),
  ];
  const matcher = new HybridMatcher({
    directory: new CapabilityDirectory([one, unnamed, ...others]),
    tools: () => tools,
  });

  it.each([
    ["filesystem:read_text_file", "filesystem:read_text_file"],
    ["mcp__filesystem__read_text_file", "filesystem:read_text_file"],
    ["read_text_file", "filesystem:read_text_file"],
    ["fs:read_json", one.fqdn],
    ["mcp__fs__read_json", one.fqdn],
    [one.fqdn, one.fqdn],
    [` ${unnamed.fqdn.toUpperCase()}\n`, unnamed.fqdn],
  ])("[DI-1] %s is exactly that", async (asked, id) => {
    const [first] = await matcher.match(asked, ADA, { limit: 2 });
    expect(first).toMatchObject({ id, score: 1, reason: "same name" });
  });

  it("[DI-1] is found by those who may see it", async () => {
    const [first] = await matcher.match(unnamed.fqdn, { ...ADA, user: "bob" }, { limit: 1 });
    expect(first?.id).not.toBe(unnamed.fqdn);
  });
});

describe("a tool that is deprecated", () => {
  const text = "Read the complete contents of a file from the file system as text.";
  const tools = [
    tool("filesystem:read_file", `${text} DEPRECATED: Use read_text_file instead.`, "path", "head", "tail"),
    tool(
      "filesystem:read_text_file",
      `${text} Handles various text encodings and provides detailed error messages if the file cannot be read.`,
      "path",
      "head",
      "tail",
    ),
    tool("filesystem:move_file", "Move or rename files and directories.", "source", "destination"),
  ];
  const matcher = new HybridMatcher({ directory: new CapabilityDirectory(), tools: () => tools });

  it("[DI-3] stands after one that does the same and is not, and before what does something else", async () => {
    for (const asked of ["read a file", "read the contents of a file"])
      expect(await ids(matcher, asked), asked).toEqual([
        "filesystem:read_text_file",
        "filesystem:read_file",
        "filesystem:move_file",
      ]);
  });

  it("[DI-3] so does a capability whose description says so", async () => {
    const old = sampleCapability("fs:read_a", {
      intent: "read a file",
      description: "Deprecated: read a file with fs:read_b",
      usageCount: 50,
      successCount: 50,
    });
    const now = sampleCapability("fs:read_b", { intent: "read a file" });
    const other = sampleCapability("fs:move", { intent: "move a file" });
    const directory = new CapabilityDirectory([old, other, now]);
    const found = new HybridMatcher({ directory, tools: () => [] });
    for (const asked of ["read a file", "read some big file"])
      expect(await ids(found, asked), asked).toEqual([now.fqdn, old.fqdn, other.fqdn]);
  });

  it("[DI-1] is what is asked for by its name", async () => {
    expect((await ids(matcher, "read_file"))[0]).toBe("filesystem:read_file");
  });
});

describe("what is sure enough to be run", () => {
  const learnt = INTENTS.map((one, i) => ({
    ...one,
    capability: sampleCapability(`unnamed_${(0xa000_0000 + i).toString(16)}`, { intent: one.learnt }),
  }));
  const directory = new CapabilityDirectory(learnt.map(({ capability }) => capability));
  const matcher = new HybridMatcher({ directory, tools: () => [] });

  /** What speculation would run. */
  async function sure(intent: string): Promise<string | undefined> {
    const found = await matcher.match(intent, ADA, { kind: "capability", limit: 10 });
    const judged = found.flatMap(({ id }) => {
      const capability = directory.get(id as Fqdn);
      return capability === undefined ? [] : [{ id, score: matcher.certainty(intent, {}, capability).score }];
    });
    const [first, second] = judged.toSorted((a, b) => b.score - a.score);
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
