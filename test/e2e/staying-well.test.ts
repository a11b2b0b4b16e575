/** What a memory is worth in three months: new versions, changed tools, and recordings that travel. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, execute, fails, succeeds } from "../support/agent.js";
import { scratchDirectory } from "../support/databases.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

/** Counters are written in batches, and servers tell of changes when they have happened. */
const SOON = { timeout: 20_000, interval: 30 };
const approvals = { unannotated: "auto", scripted: true };
const directory = scratchDirectory();
const gateway = useGateway("background", {
  mcpServers: { shop: fixture("changing", join(directory, "state")) },
  approvals,
  scope: { org: "acme", project: "web", user: "ada" },
});
let ada: TestClient;
let bob: TestClient;

beforeAll(async () => {
  ada = await gateway().connect("v2-2025", { scope: "acme/web/ada" });
  bob = await gateway().connect("v2-2025", { scope: "acme/web/bob" });
});

const pmlJson = async (...args: readonly string[]) =>
  JSON.parse(await gateway().pml(...args, "--json")) as Fields;
/** Also of a command that ends with 1. */
const pmlSays = async (...args: readonly string[]) =>
  await gateway()
    .pml(...args)
    .catch((error: { readonly stdout?: string }) => error.stdout ?? "");
const run = (client: TestClient, capability: string, args: Fields): Promise<Answer> =>
  execute(client, { capability, args, options: { no_cache: true } });
const versionFor = async (client: TestClient, name: string, args: Fields) =>
  (await run(client, name, args)).capabilityVersion;
const save = (name: string, code: string, args: Fields, update = false) =>
  succeeds(ada, { name, code, args, ...(update && { options: { update: true } }) });
const parametersOf = async (client: TestClient, wireName: string) =>
  Object.keys((await client.tools()).find(({ name }) => name === wireName)?.inputSchema.properties ?? {});
const decisionsOf = async (name: string) =>
  ((await ask(bob, "cap_history", { name })).promotions ?? []) as readonly Fields[];
const today = () => new Date().toISOString().slice(0, 10);

describe("[SW-3] a new version", () => {
  it("is for others what it was before, until it has 3 successes", async () => {
    await save("num:twice", "return { twice: args.n * 2 };", { n: 1 });
    await save("num:twice", "return { twice: args.n * 2 + args.plus };", { n: 1, plus: 0 }, true);
    expect(await versionFor(ada, "num:twice", { n: 1, plus: 1 })).toBe(2);
    expect(await versionFor(bob, "num:twice", { n: 1 })).toBe(1);
    expect(await ask(bob, "mcp__num__twice", { n: 4 })).toEqual({ twice: 8 });
    expect(await parametersOf(ada, "mcp__num__twice")).toEqual(["n", "plus"]);
    expect(await parametersOf(bob, "mcp__num__twice")).toEqual(["n"]);
    for (const plus of [2, 3]) await run(ada, "num:twice", { n: 1, plus });
    await expect.poll(() => versionFor(bob, "num:twice", { n: 1, plus: 1 }), SOON).toBe(2);
    expect(await parametersOf(bob, "mcp__num__twice")).toEqual(["n", "plus"]);
    expect(await versionFor(bob, "num:twice@v1", { n: 1 })).toBe(1);
    expect(await versionFor(bob, `num:twice@${today()}`, { n: 1, plus: 1 })).toBe(2);
    expect(await decisionsOf("num:twice")).toMatchObject([
      { version: 2, kind: "promoted", reason: "3 successful runs" },
      { version: 2, kind: "trial" },
    ]);
  });

  it("is for all when a person promotes it, and back again", async () => {
    await save("num:half", "return args.n / 2;", { n: 2 });
    await save("num:half", "return { half: args.n / 2 };", { n: 2 }, true);
    expect(await versionFor(bob, "num:half", { n: 2 })).toBe(1);
    expect(await pmlJson("cap", "promote", "num:half", "--reason", "reviewed")).toMatchObject({
      version: 2,
      promoted: true,
    });
    expect(await versionFor(bob, "num:half", { n: 2 })).toBe(2);
    await pmlJson("cap", "promote", "num:half@v1");
    for (const client of [ada, bob]) expect(await versionFor(client, "num:half", { n: 2 })).toBe(1);
    expect(await versionFor(bob, "num:half@v2", { n: 2 })).toBe(2);
    const [, ...before] = await decisionsOf("num:half");
    expect(before).toContainEqual(
      expect.objectContaining({ version: 2, kind: "promoted", reason: "reviewed", by: "ada@acme" }),
    );
  });

  it("is rolled back when its success rate is far below that of the version before", async () => {
    const worse = 'if (args.n > 9) throw new Error("too large");\nreturn { square: args.n * args.n };';
    await save("num:square", "return { square: args.n ** 2 };", { n: 1 });
    for (const n of [2, 3, 4, 5]) await run(ada, "num:square", { n });
    await save("num:square", worse, { n: 1 }, true);
    // Never three failures in a row.
    for (const n of [10, 11, 1, 12, 13]) await run(ada, "num:square", { n });
    await expect.poll(() => versionFor(ada, "num:square", { n: 20 }), SOON).toBe(1);
    expect((await fails(ada, { capability: "num:square@v2", args: { n: 10 } })).message).toContain(
      "too large",
    );
    const [last] = await decisionsOf("num:square");
    expect(last).toMatchObject({ version: 2, kind: "rolled_back", to_version: 1 });
    expect(await versionFor(ada, `num:square@${today()}`, { n: 20 })).toBe(1);
  });
});

describe("[SW-2] a tool that its server changes in place", () => {
  const become = (what: string) => ada.call("shop:become", { what });
  const driftOf = async (name: string) => (await ask(bob, "cap_whois", { name })).drift as Fields | undefined;
  const repairOf = async (name: string) =>
    ((JSON.parse(await pmlSays("repair", name, "--json")) as Fields).capabilities as readonly Fields[])[0];

  it("is quarantined, judged, accepted, repaired and tested, and others get the repaired version", async () => {
    await save("shop:say", 'return "said " + args.text;', { text: "a" });
    await save("shop:say", "return await mcp.shop.target({ text: args.text });", { text: "a" }, true);
    await pmlJson("cap", "promote", "shop:say");
    await run(bob, "shop:say", { text: "b" });
    expect(await pmlJson("test", "record", "shop:say")).toMatchObject({ version: 2, added: 2 });
    await become("field");
    await expect
      .poll(async () => (await run(bob, "shop:say", { text: "a" })).error?.code, SOON)
      .toBe("TOOL_QUARANTINED");
    await expect.poll(() => driftOf("shop:say"), SOON).toMatchObject({ verdict: "repairable" });
    await pmlSays("tools", "accept", "shop:target", "--yes");
    const error = await fails(bob, { capability: "shop:say", args: { text: "a" } });
    expect(error).toMatchObject({
      code: "CAPABILITY_BROKEN",
      hint: expect.stringContaining("Version 1 works: call shop:say@1."),
    });
    expect((await run(bob, "shop:say@1", { text: "a" })).result).toBe("said a");
    expect(await repairOf("shop:say")).toMatchObject({
      verdict: "repairable",
      recordings_passed: 2,
      diff: expect.stringContaining("+return await mcp.shop.target({ message: args.text });"),
    });
    expect(await pmlSays("repair", "shop:say", "--apply")).toContain("repaired: version 3");
    expect(await pmlJson("test", "shop:say")).toMatchObject({
      passed: 2,
      failed: 0,
      tests: [{ version: 3 }],
    });
    for (const text of ["c", "d", "e"])
      expect(await run(ada, "shop:say", { text })).toMatchObject({ status: "success", capabilityVersion: 3 });
    await expect.poll(() => versionFor(bob, "shop:say", { text: "f" }), SOON).toBe(3);
    expect((await decisionsOf("shop:say"))[0]).toMatchObject({
      version: 3,
      kind: "promoted",
      reason: "3 successful runs, 2 recordings pass",
    });
  });

  it("is found under its new name", async () => {
    await become("first");
    const works = async () => {
      await pmlSays("tools", "accept", "--all", "--yes");
      return (await execute(ada, { code: 'return await mcp.shop.target({ text: "x" });' })).status;
    };
    await expect.poll(works, SOON).toBe("success");
    await save("shop:tell", "return await mcp.shop.target({ text: args.what });", { what: "a" });
    await pmlJson("test", "record", "shop:tell");
    await become("renamed");
    await expect.poll(() => driftOf("shop:tell"), SOON).toMatchObject({ verdict: "repairable" });
    expect(await fails(bob, { capability: "shop:tell", args: { what: "a" } })).toMatchObject({
      code: "CAPABILITY_BROKEN",
      message: expect.stringContaining("shop:target is called shop:say_text now"),
    });
    expect(await fails(bob, { capability: "shop:say", args: { text: "a" } })).toMatchObject({
      code: "CAPABILITY_BROKEN",
      hint: expect.stringContaining("Version 1 works: call shop:say@1."),
    });
    expect(await repairOf("shop:tell")).toMatchObject({
      verdict: "repairable",
      reasons: ["shop:target is called shop:say_text now"],
      recordings_passed: 1,
    });
    expect(await pmlSays("repair", "shop:tell", "--apply")).toContain("repaired: version 2");
    expect(await run(ada, "shop:tell", { what: "b" })).toMatchObject({ status: "success", result: "said b" });
    expect(await pmlJson("test", "shop:tell")).toMatchObject({ passed: 1, failed: 0 });
  });
});

describe("[SW-2] a tool that changes while a version is on trial", () => {
  const become = (what: string) => ada.call("shop:become", { what });
  const driftOf = async (client: TestClient, name: string) =>
    (await ask(client, "cap_whois", { name })).drift as Fields | undefined;

  it("has a verdict and a repair for every version that somebody gets", async () => {
    await become("first");
    const works = async () => {
      await pmlSays("tools", "accept", "--all", "--yes");
      return (await execute(ada, { code: 'return await mcp.shop.target({ text: "x" });' })).status;
    };
    await expect.poll(works, SOON).toBe("success");
    await save("shop:both", "return [1, await mcp.shop.target({ text: args.text })];", { text: "a" });
    const newer = "return [2, await mcp.shop.target({ text: args.text })];";
    await save("shop:both", newer, { text: "a" }, true);
    expect(await versionFor(bob, "shop:both", { text: "b" })).toBe(1);
    await become("field");
    for (const client of [ada, bob])
      await expect.poll(() => driftOf(client, "shop:both"), SOON).toMatchObject({ verdict: "repairable" });
    await pmlSays("tools", "accept", "shop:target", "--yes");
    expect(await fails(bob, { capability: "shop:both", args: { text: "a" } })).toMatchObject({
      code: "CAPABILITY_BROKEN",
      hint: "A person can repair it: pml repair shop:both@1 --apply.",
    });
    const shown = await pmlSays("repair", "shop:both");
    expect(shown).toContain("shop:both@2 (what ada@acme gets): repairable");
    expect(shown).toContain("shop:both@1 (what others get): repairable");
    expect(shown).toContain("+return [1, await mcp.shop.target({ message: args.text })];");
    expect(shown).toContain("+return [2, await mcp.shop.target({ message: args.text })];");
    expect(await pmlSays("repair")).toContain("shop:both@1 (what others get): repairable");
    expect(await pmlSays("repair", "shop:both", "--apply")).toContain("repaired: version 3");
    expect((await run(ada, "shop:both", { text: "c" })).result).toEqual([2, "said c"]);
    const again = JSON.parse(await pmlSays("repair", "--apply", "--json")) as Fields;
    const both = (again.capabilities as readonly Fields[]).filter((one) => one.name === "shop:both");
    expect(both).toEqual([expect.objectContaining({ version: 1, gets: "others", works: 3 })]);
    expect(both[0]?.repaired).toBeUndefined();
    // What was written for the tool as it is works for who still gets version 1.
    expect(await fails(bob, { capability: "shop:both", args: { text: "a" } })).toMatchObject({
      hint: expect.stringContaining("Version 3 works: call shop:both@3."),
    });
    expect(await pmlSays("repair", "shop:both@1", "--apply")).toContain("repaired: version 4");
    await pmlJson("cap", "promote", "shop:both@4");
    expect((await run(bob, "shop:both", { text: "d" })).result).toEqual([1, "said d"]);
  });

  it("has one too for a version that others get again", async () => {
    await become("first");
    const works = async () => {
      await pmlSays("tools", "accept", "--all", "--yes");
      return (await execute(ada, { code: 'return await mcp.shop.target({ text: "x" });' })).status;
    };
    await expect.poll(works, SOON).toBe("success");
    await save("shop:back", "return [3, await mcp.shop.target({ text: args.text })];", { text: "a" });
    await save("shop:back", "return 'none ' + args.text;", { text: "a" }, true);
    await pmlJson("cap", "promote", "shop:back");
    await become("field");
    await expect.poll(() => driftOf(bob, "shop:back@v1"), SOON).toMatchObject({ verdict: "repairable" });
    await pmlJson("cap", "promote", "shop:back@v1");
    expect(await driftOf(bob, "shop:back")).toMatchObject({ verdict: "repairable" });
  });
});

describe("[SW-1] recordings that travel", () => {
  const other = useGateway("background", { mcpServers: {}, approvals });
  const file = join(directory, "shared.jsonl");
  const imported = async (path: string, ...args: readonly string[]) =>
    await other()
      .pml("import", path, "--json", ...args)
      .catch((error: { readonly stdout?: string }) => error.stdout ?? "")
      .then((text) => JSON.parse(text) as Fields);

  interface Line {
    recordings: { recordings: { recording: { result: unknown } }[] };
  }

  /** The file with every line changed. */
  function changed(change: (line: Line) => void): string {
    const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    const path = join(directory, `changed-${Math.random()}.jsonl`);
    const made = lines.map((text) => {
      const line = JSON.parse(text) as Line;
      change(line);
      return JSON.stringify(line);
    });
    writeFileSync(path, `${[header, ...made].join("\n")}\n`);
    return path;
  }

  beforeAll(async () => {
    await save("greet:one", "return 'hello ' + args.who;", { who: "a" });
    await save("greet:two", "return [await mcp.greet.one({ who: args.a }), args.b];", { a: "x", b: 1 });
    for (const b of [2, 3]) await run(ada, "greet:two", { a: "y", b });
    await pmlJson("test", "record", "greet:two");
    await gateway().pml("export", "greet:two", "--output", file);
  });

  it("[TB-4] are refused where they were changed, and what they prove is taken over without them", async () => {
    const path = changed(({ recordings }) => {
      const [first] = recordings?.recordings ?? [];
      if (first !== undefined) first.recording.result = ["goodbye", 1];
    });
    expect(await imported(path, "--dry-run")).toMatchObject({
      created: 2,
      refused: [
        {
          line: 3,
          name: "greet:two",
          code: "RECORDING_INVALID",
          message: "its recordings are refused: recording 1 does not match its digest",
        },
      ],
    });
  });

  it("are run before anything is trusted, and shown", async () => {
    const shown = await other().pml("import", file, "--dry-run");
    expect(shown).toContain("    3 recordings, 3 pass here");
    expect(shown).toContain("Would be: 2 created, 0 updated, 0 unchanged\n3 recordings, 3 pass here\n");
    const report = await imported(file, "--yes", "--trust");
    expect(report).toMatchObject({ created: 2, refused: [], recordings: { count: 3, passed: 3 } });
    const tested = await other().pml("test", "--scope", "acme/web", "--json");
    expect(JSON.parse(tested)).toMatchObject({ passed: 3, failed: 0, tests: [{ name: "greet:two" }] });
  });

  it("that fail are told, and not kept", async () => {
    await save(
      "greet:two",
      "return [await mcp.greet.one({ who: args.a }), -args.b];",
      { a: "x", b: 1 },
      true,
    );
    const newer = join(directory, "newer.jsonl");
    await gateway().pml("export", "greet:two", "--output", newer);
    expect(await imported(newer, "--yes")).toMatchObject({
      updated: 1,
      refused: [],
      recordings: { count: 3, passed: 0 },
      warnings: [
        expect.stringMatching(
          /^greet:two: 3 recordings, 0 pass here; the others are not kept: the result is/,
        ),
        expect.any(String),
      ],
    });
  });

  it("stay at home where they are not wanted", async () => {
    const bare = await gateway().pml("export", "greet:two", "--no-recordings");
    expect(bare).not.toContain("recordings");
    expect(readFileSync(file, "utf8")).toContain('"recordings"');
  });
});
