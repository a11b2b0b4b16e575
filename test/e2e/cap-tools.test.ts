/** The registry as agents manage it: every `cap_*` tool through a real client, on a real store. */
import { describe, expect, it } from "vitest";
import { ask, counted, errorOf, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

describe("the tools that manage capabilities", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const save = (name: string, code: string, more: Fields = {}) =>
    ask(client(), "cap_save", { intent: `intent of ${name}`, name, code, ...more });
  const refused = async (tool: string, args: Fields) => {
    const { code, message } = errorOf(await client().call(tool, args)) ?? {};
    return `${code}: ${message}`;
  };

  it("[WIRE-6] are listed, but for what a person alone may do", async () => {
    const names = await wireNames(client());
    for (const tool of ["lookup", "list", "whois", "history", "rename", "save", "fork", "merge", "delete"])
      expect(names).toContain(`cap_${tool}`);
    expect(names).not.toContain("cap_verify");
    await expect(client().call("cap_verify", { name: "any:thing" })).rejects.toMatchObject({ code: -32602 });
    expect(await refused("cap:verify", { name: "any:thing" })).toMatch(/^CAPABILITY_NOT_FOUND/);
  });

  it("[ID-11] save code without running it, and then a version of it", async () => {
    const code = "await mcp.work.count({ id: 'never' });\nreturn args.path;";
    expect(await save("keep:it", code)).toMatchObject({
      display_name: "keep:it",
      version: 1,
      saved: "created",
      usage_count: 0,
      parameters: { required: ["path"] },
    });
    expect(await ask(client(), "work:seen", { id: "never" })).toMatchObject({ count: 0 });
    expect((await ask(client(), "cap_whois", { name: "keep:it" })).trust).toMatchObject({
      state: "unproven",
    });
    expect(await wireNames(client())).toContain("mcp__keep__it");
    const second = { version_tag: "v1.1.0", change_summary: "two", routing: "local" };
    expect(await save("keep:it", "return 2;", second)).toMatchObject({
      version: 2,
      version_tag: "v1.1.0",
      saved: "updated",
      routing: "local",
    });
    expect(await save("keep:it", "return 2;")).toMatchObject({ version: 2, saved: "known" });
    expect(await ask(client(), "cap_whois", { name: "keep:it" })).toMatchObject({
      routing_source: "explicit",
      trust: { signed_by: "this installation", trusted: true, signature: expect.stringMatching(/=$/) },
    });
    expect(await save("keep:it", "return 2;", { name: undefined })).toMatchObject({ saved: "known" });
  });

  it("[ID-4] save code without a name, and with its source as an object", async () => {
    const source = { type: "code", code: "return 'nameless';" };
    expect(await ask(client(), "cap_save", { intent: "none", source })).toMatchObject({
      display_name: expect.stringMatching(/^unnamed_[0-9a-f]{8}$/),
      visibility: "private",
    });
    expect(await refused("cap_save", { intent: "bad", code: "return (;", name: "bad:code" })).toMatch(
      /^CODE_SYNTAX/,
    );
  });

  it("[ID-11, 13.6 AC9] show the history with diffs and renames", async () => {
    await succeeds(client(), { code: "const a = 1;\nreturn a;", name: "hist:old" });
    await save("hist:old", "const a = 2;\nreturn a;", { change_summary: "a is 2" });
    await ask(client(), "cap_rename", { name: "hist:old", new_name: "hist:new" });
    expect(await ask(client(), "cap_history", { name: "hist:new" })).toMatchObject({
      versions: [
        {
          version: 2,
          change_summary: "a is 2",
          diff: expect.stringMatching(/^-const a = 1;\n\+const a = 2;$/m),
        },
        { version: 1, diff: expect.stringMatching(/^\+const a = 1;$/m) },
      ],
      renames: [{ from: "hist:old", to: "hist:new", actor: "agent" }],
    });
    expect((await ask(client(), "cap_history", { name: "hist:old" })).warnings).toHaveLength(1);
  });

  it("[ID-13] fork, and change the copy alone", async () => {
    await succeeds(client(), { code: "return 'origin';", name: "src:one" });
    const { fqdn } = await lookUp(client(), "src:one");
    expect(await ask(client(), "cap_fork", { source: "src:one", name: "src:copy" })).toMatchObject({
      display_name: "src:copy",
      version: 1,
      forked_from: fqdn,
    });
    await save("src:copy", "return 'changed';");
    expect((await succeeds(client(), { capability: "src:copy" })).result).toBe("changed");
    expect((await succeeds(client(), { capability: "src:one" })).result).toBe("origin");
    expect((await ask(client(), "cap_whois", { name: "src:copy" })).provenance).toMatchObject({
      forked_from: { name: "src:one", fqdn },
    });
    expect(await refused("cap_fork", { source: "src:none", name: "src:x" })).toMatch(/^CAPABILITY_NOT_FOUND/);
    expect(await refused("cap_fork", { source: "src:one", name: "src:copy" })).toMatch(/^NAME_TAKEN/);
  });

  it("[ID-13] merge into a pipeline, or with given code", async () => {
    await succeeds(client(), { code: "return { text: args.a + '!' };", args: { a: "x" }, name: "pipe:one" });
    await succeeds(client(), {
      code: "return { out: args.text.length };",
      args: { text: "x" },
      name: "pipe:two",
    });
    const sources = ["pipe:one", "pipe:two"];
    const merged = await ask(client(), "cap_merge", { sources, name: "pipe:both" });
    expect(merged).toMatchObject({
      display_name: "pipe:both",
      version: 1,
      code: expect.stringContaining("pipe"),
    });
    expect(merged.merged_from).toHaveLength(2);
    expect((await succeeds(client(), { capability: "pipe:both", args: { a: "abc" } })).result).toEqual({
      out: 4,
    });
    expect((await ask(client(), "cap_whois", { name: "pipe:both" })).provenance).toMatchObject({
      merged_from: [{ name: "pipe:one" }, { name: "pipe:two" }],
    });
    const code = "return [await mcp.pipe.one({ a: 'q' }), await mcp.pipe.two({ text: 'qq' })];";
    await ask(client(), "cap_merge", { sources, name: "pipe:given", code });
    expect((await succeeds(client(), { capability: "pipe:given" })).result).toEqual([
      { text: "q!" },
      { out: 2 },
    ]);
  });

  it("[ID-12] delete, name what depends on it, and bring it back", async () => {
    await succeeds(client(), { code: "return 1;", name: "del:callee" });
    await succeeds(client(), { code: "return [await mcp.del.callee({})];", name: "del:caller" });
    const deleted = await ask(client(), "cap_delete", { name: "del:callee" });
    expect(deleted).toMatchObject({ dependents: [{ name: "del:caller" }] });
    expect(deleted.warnings).toEqual([expect.stringMatching(/^del:caller calls it and fails from now on/)]);
    expect(await wireNames(client())).not.toContain("mcp__del__callee");
    expect(await fails(client(), { capability: "del:callee" })).toMatchObject({ code: "CAPABILITY_DELETED" });
    expect(await refused("cap_delete", { name: "del:callee" })).toMatch(/^CAPABILITY_DELETED/);
    await ask(client(), "cap_delete", { name: "del:callee", undelete: true });
    expect((await succeeds(client(), { capability: "del:caller" })).result).toEqual([1]);
    expect(await wireNames(client())).toContain("mcp__del__callee");
  });

  it("[ID-12] have one winner where several delete at once, and the others are told so", async () => {
    await save("gone:once", "return 'gone once';");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client().call("cap_delete", { name: "gone:once" })),
    );
    const errors = answers.flatMap((answer) => errorOf(answer) ?? []);
    expect(errors.map(({ code }) => code)).toEqual(Array(4).fill("CAPABILITY_DELETED"));
  });

  it("[SW-3, ID-11] refuse a tag that another version has, before anything runs", async () => {
    const name = "tagged:twice";
    await save(name, "return 'first';", { version_tag: "v1.0.0" });
    const input = { intent: "tag again", code: "return 'second';", name };
    for (const version_tag of ["v1.0.0", "1.0.0"]) {
      expect(await refused("cap_save", { ...input, version_tag })).toBe(
        `TAG_TAKEN: Cannot tag a version of ${name} as ${version_tag}: version 1 has that tag`,
      );
      const code = "await mcp.work.count({ id: 'tagged' });\nreturn 'second';";
      const options = { update: true, version_tag };
      const error = await fails(client(), { code, name, options });
      expect(error).toMatchObject({ code: "TAG_TAKEN", version: 1 });
    }
    expect(await counted(client(), "tagged")).toBe(0);
    expect((await succeeds(client(), { capability: `${name}@v1.0.0` })).result).toBe("first");
    await save(name, "return 'second';", { version_tag: "v1.1.0" });
    expect((await succeeds(client(), { capability: `${name}@v1` })).result).toBe("second");
    // As it was before: that is another version, and the tag would have moved.
    expect(await refused("cap_save", { ...input, code: "return 'first';", version_tag: "v1.0.0" })).toMatch(
      /^TAG_TAKEN: .*version 1 has that tag$/,
    );
  });

  it("[SW-3] take the same code with the same tag again, and change nothing", async () => {
    const again = { version_tag: "v1.0.0" };
    await save("tagged:same", "return 'same';", again);
    const second = await save("tagged:same", "return 'same';", again);
    expect([second.version, second.warnings]).toEqual([1, undefined]);
    const run = { code: "return 'same';", name: "tagged:same", options: again };
    expect((await succeeds(client(), run)).warnings).toBeUndefined();
    const other = await save("tagged:same", "return 'same';", { version_tag: "v1.0.1" });
    expect(other.warnings).toEqual(["version_tag v1.0.1 was not used: this code is not a new version."]);
  });

  it("[FP-15] refuse filters that exclude each other, and names of tools", async () => {
    expect(await refused("cap_list", { named_only: true, unnamed_only: true })).toMatch(/^ARGUMENTS_INVALID/);
    expect(await refused("cap_save", { intent: "x", code: "return 1;", name: "mcp__work__count" })).toMatch(
      /^NAME_TAKEN: .* is reserved/,
    );
  });

  it("[ID-14, FP-9] know servers too, in a list of their own", async () => {
    const all = await ask(client(), "cap_list", { type: "mcp-server" });
    const names = (all.capabilities as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["mcp:filesystem", "mcp:shell", "mcp:sqlite", "mcp:work"]);
    expect(JSON.stringify(await ask(client(), "cap_list", { limit: 500 }))).not.toContain("mcp-server");
    expect(await lookUp(client(), "mcp:work")).toMatchObject({ type: "mcp-server", routing: "local" });
    expect(await ask(client(), "cap_whois", { name: "cap:mcp:work" })).toMatchObject({ configured: true });
    expect(await ask(client(), "cap_history", { name: "mcp:work" })).toMatchObject({ type: "mcp-server" });
    expect(await refused("cap_rename", { name: "mcp:work", tags: [] })).toMatch(
      /^NOT_ALLOWED: mcp:work is a server/,
    );
  });
});
