/** Saving code and running its versions through every door, with a server that counts what really ran. */
import { describe, expect, it } from "vitest";
import { ask, counted, errorOf, execute, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

describe("[ID-11] code that is saved", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto", scripted: true },
  });
  const client = useClient(gateway, "v2-2025");
  const save = (input: Fields) => ask(client(), "cap_save", { intent: "keep it for later", ...input });
  const whois = (name: string) => ask(client(), "cap_whois", { name });
  /** Runs are counted a moment after they have answered. */
  const used = async (name: string, times: number) => {
    await expect
      .poll(async () => (await lookUp(client(), name)).usage_count, { timeout: 15_000 })
      .toBe(times);
    return whois(name);
  };
  const refused = async (tool: string, args: Fields) => {
    const { code, message } = errorOf(await client().call(tool, args)) ?? {};
    return `${code}: ${message}`;
  };
  const counting = (id: string, more = "") => `await mcp.work.count({ id: "${id}" });\nreturn "ran${more}";`;

  it("is created, known, named and updated, and none of that runs it", async () => {
    const first = await save({ code: counting("saved") });
    expect(first).toMatchObject({ saved: "created", version: 1, usage_count: 0, visibility: "private" });
    const name = first.display_name as string;
    expect(name).toMatch(/^unnamed_[0-9a-f]{8}$/);
    expect(await save({ code: counting("saved") })).toMatchObject({ saved: "known", display_name: name });
    expect(await wireNames(client())).not.toContain("mcp__kept__it");
    expect(await save({ code: counting("saved"), name: "kept:it" })).toMatchObject({
      saved: "named",
      id: first.id,
      display_name: "kept:it",
      visibility: "project",
      version: 1,
    });
    expect(await wireNames(client())).toContain("mcp__kept__it");
    expect(await save({ code: counting("saved"), name: "kept:it" })).toMatchObject({ saved: "known" });
    const changed = { version_tag: "v1.1.0", change_summary: "counts twice" };
    expect(await save({ code: counting("saved", " twice"), name: "kept:it", ...changed })).toMatchObject({
      saved: "updated",
      id: first.id,
      version: 2,
      version_tag: "v1.1.0",
    });
    expect((await ask(client(), "cap_history", { name: "kept:it" })).versions).toMatchObject([
      { version: 2, ...changed },
      { version: 1 },
    ]);
    expect(await counted(client(), "saved")).toBe(0);
    expect((await succeeds(client(), { capability: "kept:it" })).result).toBe("ran twice");
    expect(await counted(client(), "saved")).toBe(1);
  });

  it("[ID-8] keeps its name when it is saved under another one, with a warning", async () => {
    await save({ code: "return 'only one';", name: "one:name" });
    const again = await save({ code: "return `only one`;", name: "other:name" });
    expect(again).toMatchObject({ saved: "known", display_name: "one:name" });
    expect(again.warnings).toEqual([
      expect.stringContaining("already saved as one:name and keeps that name"),
    ]);
  });

  it("[ID-3] takes no name that is no capability's to have", async () => {
    await save({ code: "return 'old';", name: "was:called" });
    await ask(client(), "cap_rename", { name: "was:called", new_name: "is:called" });
    const code = "return 'somebody else';";
    const intent = "take it";
    expect(await refused("cap_save", { intent, code, name: "was:called" })).toMatch(
      /^NAME_TAKEN: .*former name of is:called/,
    );
    expect(await refused("cap_save", { intent, code, name: "work:count" })).toMatch(/^NAME_TAKEN/);
    for (const name of ["cap:mine", "pml:mine", "mcp:mine"])
      expect(await refused("cap_save", { intent, code, name })).toMatch(/^NAME_TAKEN: .*reserved/);
    expect(await refused("cap_save", { intent, code, name: "no good" })).toMatch(/^NAME_INVALID/);
    expect(await refused("cap_save", { intent, code, name: "a:b", version_tag: "newest" })).toMatch(
      /^ARGUMENTS_INVALID/,
    );
    expect(await refused("cap_save", { intent, code: "return await mcp.work.nothing({});" })).toMatch(
      /^TOOL_NOT_FOUND/,
    );
    expect(await refused("cap_save", { intent })).toMatch(/^ARGUMENTS_INVALID/);
  });

  it("[ID-4] without a name is called by name, id and FQDN, and takes its first run as usage", async () => {
    const { display_name, id, fqdn } = await save({ code: "return { nameless: args.n ?? 0 };" });
    for (const capability of [display_name, id, fqdn])
      expect((await succeeds(client(), { capability })).result).toEqual({ nameless: 0 });
    expect(await ask(client(), `cap:${display_name as string}`, { n: 2 })).toEqual({ nameless: 2 });
    expect(await used(id as string, 4)).toMatchObject({ success_rate: 1 });
  });

  describe("in four versions", () => {
    const today = new Date().toISOString().slice(0, 10);
    const setUp = async () => {
      const codeOf = (n: number) => `await mcp.work.count({ id: "v${n}" });\nreturn { ran: ${n} };`;
      if ((await ask(client(), "cap_list", { pattern: "four:*" })).total !== 0) return;
      await save({ name: "four:it", code: codeOf(1) });
      await save({ name: "four:it", code: codeOf(2), version_tag: "v1.2.0" });
      await save({ name: "four:it", code: codeOf(3), version_tag: "1.2.1" });
      await save({ name: "four:it", code: codeOf(4), version_tag: "2.0.0" });
    };

    it.each([
      ["", 4],
      ["@latest", 4],
      ["@v1", 3],
      ["@v1.2", 3],
      ["@v1.2.0", 2],
      ["@v1.2.1", 3],
      ["@v2", 4],
      ["@v2.0.0", 4],
      ["@1", 1],
      ["@2", 2],
      ["@v3", 3],
      [`@${today}`, 4],
    ])("means by %j version %d, through every door", async (spec, n) => {
      await setUp();
      const { fqdn, id } = await lookUp(client(), "four:it");
      const before = await counted(client(), `v${n}`);
      const forms = ["four:it", "four:It", fqdn, id, "local.default:four:it"].map((form) => `${form}${spec}`);
      for (const capability of forms) {
        const answer = await succeeds(client(), { capability });
        expect(answer, capability).toMatchObject({ result: { ran: n }, capabilityVersion: n });
        expect(await ask(client(), `cap:${capability}`), capability).toEqual({ ran: n });
      }
      expect(await ask(client(), `four:it${spec}`)).toEqual({ ran: n });
      const code = `return await mcp["four:it${spec}"]({}); // ${spec}`;
      expect((await succeeds(client(), { code })).result).toEqual({ ran: n });
      expect(await lookUp(client(), `four:it${spec}`)).toMatchObject({ version: n });
      expect(await counted(client(), `v${n}`)).toBe(before + 2 * forms.length + 2);
    });

    it.each(["@v5", "@v1.3", "@2.0.1", "@9", "@2020-01-01"])("has no %s", async (spec) => {
      await setUp();
      const refusal = {
        code: "VERSION_NOT_FOUND",
        message: expect.stringMatching(`^Version ${spec.slice(1)} not found for four:it`),
      };
      expect(await fails(client(), { capability: `four:it${spec}` })).toMatchObject(refusal);
      expect(errorOf(await client().call(`cap:four:it${spec}`))).toMatchObject(refusal);
      expect(errorOf(await client().call("cap_lookup", { name: `four:it${spec}` }))).toMatchObject(refusal);
      const code = `await mcp.work.count({ id: "no version" });\nreturn await mcp["four:it${spec}"]({});`;
      expect((await fails(client(), { code })).code).toBe("VERSION_NOT_FOUND");
      expect(await counted(client(), "no version")).toBe(0);
    });
  });

  it("goes back to older code as a new version, which is the one that is run from then on", async () => {
    await save({ code: "return 'a';", name: "back:forth" });
    await save({ code: "return 'b';", name: "back:forth" });
    expect(await save({ code: "return 'a';", name: "back:forth" })).toMatchObject({
      saved: "updated",
      version: 3,
    });
    expect((await succeeds(client(), { capability: "back:forth" })).result).toBe("a");
    expect((await succeeds(client(), { capability: "back:forth@2" })).result).toBe("b");
    expect(await succeeds(client(), { code: "return 'a';" })).toMatchObject({ capabilityName: "back:forth" });
  });

  it("[ID-10] earns trust by its runs, version by version, and loses it by three failures", async () => {
    const name = "trust:me";
    const run = (args: Fields) => execute(client(), { capability: name, args });
    const trustAfter = async (times: number) =>
      ((await used(name, times)).trust as { readonly state: string }).state;
    await save({ code: "if (args.bad ?? false) throw new Error('bad');\nreturn args.n;", name });
    expect(await trustAfter(0)).toBe("unproven");
    await run({ n: 1 });
    expect(await trustAfter(1)).toBe("provisional");
    await run({ n: 1 });
    expect(await trustAfter(2)).toBe("provisional");
    await run({ n: 2 });
    expect(await trustAfter(3)).toBe("verified");
    for (const [times, expected] of [
      [4, "verified"],
      [5, "verified"],
      [6, "suspect"],
    ] as const) {
      expect((await run({ n: 1, bad: true })).error?.code).toBe("RUN_FAILED");
      expect(await trustAfter(times)).toBe(expected);
    }
    expect((await run({ n: 1 })).result).toBe(1);
    expect(await trustAfter(7)).toBe("provisional");
    await save({ code: "return [args.n];", name });
    expect(await trustAfter(7)).toBe("unproven");
  });

  it("[ID-10] is verified only by a person", async () => {
    await save({ code: "return 'vouched for';", name: "vouch:it" });
    for (const tool of ["cap_verify", "pml_export", "pml_import", "pml_keys"]) {
      expect(await wireNames(client())).not.toContain(tool);
      await expect(client().call(tool, { name: "vouch:it" })).rejects.toMatchObject({ code: -32602 });
    }
    expect((await whois("vouch:it")).trust).toMatchObject({ state: "unproven" });
    expect(await gateway().pml("cap", "verify", "vouch:it")).toContain("vouch:it");
    expect((await whois("vouch:it")).trust).toMatchObject({ state: "verified" });
  });
});
