/** Copies of what others made, and capabilities that are put together from several, with real tools behind them. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, counted, errorOf, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const SERVERS = {
  mcpServers: { work: fixture("work"), calc: fixture("tools") },
  approvals: { unannotated: "auto" },
};

async function refused(client: TestClient, tool: string, args: Fields): Promise<string> {
  const { code, message } = errorOf(await client.call(tool, args)) ?? {};
  return `${code}: ${message}`;
}

describe("[ID-13] a fork", () => {
  const gateway = useGateway("background", SERVERS);
  const session = (scope: string) => gateway().connect("v2-2025", { scope });
  const whois = (client: TestClient, name: string) => ask(client, "cap_whois", { name });
  const newest = async (client: TestClient, name: string) =>
    JSON.stringify((await ask(client, "cap_history", { name, limit: 1 })).versions);
  let shop: TestClient;
  let blog: TestClient;
  let far: TestClient;

  beforeAll(async () => {
    [shop, blog, far] = (await Promise.all(
      ["acme/shop/ann", "acme/blog/bob", "else/shop/eve"].map(session),
    )) as [TestClient, TestClient, TestClient];
    await succeeds(shop, { code: "return 'helped ' + args.who;", args: { who: "x" }, name: "lib:help" });
    const code = 'await mcp.work.count({ id: "forked" });\nreturn await mcp.lib.help({ who: args.who });';
    await succeeds(shop, { code, args: { who: "a" }, name: "lib:main" });
    await ask(shop, "cap_rename", { name: "lib:main", tags: ["t1"], description: "Helps whoever asks" });
  });

  it("in the project of its source is another capability with the same code, which nothing has run", async () => {
    const before = await counted(shop, "forked");
    const source = await lookUp(shop, "lib:main");
    const fork = await ask(shop, "cap_fork", { source: "lib:main", name: "lib:mine" });
    expect(fork).toMatchObject({
      saved: "created",
      version: 1,
      forked_from: source.fqdn,
      usage_count: 0,
      description: "Helps whoever asks",
      tags: ["t1"],
      parameters: source.parameters,
    });
    expect(fork.id).not.toBe(source.id);
    expect(await counted(shop, "forked")).toBe(before);
    expect(await wireNames(shop)).toContain("mcp__lib__mine");
    expect(await newest(shop, "lib:mine")).toContain("mcp.lib.help");
    expect((await succeeds(shop, { capability: "lib:mine", args: { who: "b" } })).result).toBe("helped b");
    expect(await whois(shop, "lib:mine")).toMatchObject({
      created_by: "ann@acme",
      provenance: { forked_from: { name: "lib:main" } },
      dependencies: [{ name: "lib:help" }],
    });
    // The code by itself is still that of the source.
    const code = 'await mcp.work.count({ id: "forked" });\nreturn await mcp.lib.help({ who: args.who });';
    expect(await succeeds(shop, { code, args: { who: "c" } })).toMatchObject({ capabilityName: "lib:main" });
  });

  it("leaves its source as it was, whatever becomes of it", async () => {
    await ask(shop, "cap_fork", { source: "lib:main", name: "lib:changed" });
    const before = await whois(shop, "lib:main");
    const saved = { intent: "mine", name: "lib:changed", code: "return 'mine now';" };
    expect(await ask(shop, "cap_save", saved)).toMatchObject({ saved: "updated", version: 2 });
    expect((await succeeds(shop, { capability: "lib:changed" })).result).toBe("mine now");
    expect((await succeeds(shop, { capability: "lib:changed@1", args: { who: "d" } })).result).toBe(
      "helped d",
    );
    expect(await whois(shop, "lib:main")).toMatchObject({
      version: before.version as number,
      code_hash: before.code_hash as string,
      fqdn: before.fqdn as string,
    });
    await ask(shop, "cap_delete", { name: "lib:changed" });
    expect((await succeeds(shop, { capability: "lib:main", args: { who: "e" } })).result).toBe("helped e");
  });

  it("[ID-7] of what another project shows calls by FQDN what has no such name here", async () => {
    const source = "acme.shop:lib:main";
    expect(await refused(blog, "cap_fork", { source, name: "my:main" })).toMatch(/^CAPABILITY_NOT_FOUND/);
    await ask(shop, "cap_rename", { name: "lib:main", visibility: "org" });
    expect(await refused(far, "cap_fork", { source, name: "my:main" })).toMatch(/^CAPABILITY_NOT_FOUND/);
    const { fqdn: helper } = await lookUp(shop, "lib:help");
    const fork = await ask(blog, "cap_fork", { source, name: "my:main" });
    expect(fork).toMatchObject({ fqdn: expect.stringMatching(/^acme\.blog\.my\.main\./) });
    expect(fork.warnings).toEqual([expect.stringContaining("a capability that you may not see")]);
    const shown = await newest(blog, "my:main");
    expect(shown).toContain("(a capability of another user)");
    expect(shown).not.toContain(helper);
    expect((await succeeds(blog, { capability: "my:main", args: { who: "f" } })).result).toBe("helped f");
    // What has that name here is something else.
    await succeeds(blog, { code: "return 'wrong';", name: "lib:help" });
    await ask(blog, "cap_fork", { source, name: "my:second" });
    expect((await succeeds(blog, { capability: "my:second", args: { who: "g" } })).result).toBe("helped g");
    expect((await whois(blog, "my:main")).provenance).toMatchObject({ forked_from: { name: "lib:main" } });
    expect(await refused(blog, "cap_rename", { name: source, tags: [] })).toMatch(/^NOT_ALLOWED/);
    const update = { intent: "x", code: "return 'blog';", name: "my:main" };
    expect(await ask(blog, "cap_save", update)).toMatchObject({ saved: "updated", version: 2 });
    expect((await succeeds(shop, { capability: "lib:main", args: { who: "h" } })).result).toBe("helped h");
  });

  it("[ID-11] is of the version that is named", async () => {
    await ask(shop, "cap_save", { intent: "x", name: "many:it", code: "return 'first';" });
    await ask(shop, "cap_save", { intent: "x", name: "many:it", code: "return 'second';" });
    await ask(shop, "cap_fork", { source: "many:it@1", name: "many:first" });
    expect((await succeeds(shop, { capability: "many:first" })).result).toBe("first");
    expect(await refused(shop, "cap_fork", { source: "many:it@7", name: "many:no" })).toMatch(
      /^VERSION_NOT_FOUND: Version 7 not found for many:it/,
    );
  });

  it("[EX-15] keeps the routing that a user chose", async () => {
    await ask(shop, "cap_save", { intent: "x", name: "rt:it", code: "return 'rt';", routing: "local" });
    await ask(shop, "cap_fork", { source: "rt:it", name: "rt:copy" });
    expect(await whois(shop, "rt:copy")).toMatchObject({ routing: "local", routing_source: "explicit" });
  });

  it("can be forked itself, and renamed", async () => {
    await ask(shop, "cap_fork", { source: "many:first", name: "many:third" });
    await ask(shop, "cap_rename", { name: "many:third", new_name: "many:last" });
    expect((await succeeds(shop, { capability: "many:third" })).result).toBe("first");
    expect((await whois(shop, "many:last")).provenance).toMatchObject({
      forked_from: { name: "many:first" },
    });
  });
});

describe("[ID-13] capabilities merged into one", () => {
  const gateway = useGateway("http", SERVERS);
  const client = useClient(gateway, "v2-2025");
  const save = (name: string, code: string, more: Fields = {}) =>
    ask(client(), "cap_save", { intent: `does ${name}`, name, code, ...more });
  const merge = (name: string, sources: readonly string[], more: Fields = {}) =>
    ask(client(), "cap_merge", { name, sources, ...more });
  const result = async (capability: string, args: Fields = {}) =>
    (await succeeds(client(), { capability, args })).result;

  it("hand on by field name what a tool gave, and nothing runs before", async () => {
    await save("m:read", "return await mcp.work.read_file({ path: args.path });");
    await save("m:parse", "await mcp.work.count({ id: 'merged' });\nreturn JSON.parse(args.content);");
    const merged = await merge("m:load", ["m:read", "m:parse"]);
    expect(merged).toMatchObject({ parameters: { required: ["path"] }, merged_from: expect.any(Array) });
    expect(await counted(client(), "merged")).toBe(0);
    expect(await result("m:load", { path: "b.json" })).toEqual({ name: "b", n: 2 });
    expect(await counted(client(), "merged")).toBe(1);
    expect((await fails(client(), { capability: "m:load" })).code).toBe("ARGUMENTS_INVALID");
  });

  it("hand on the whole where the fields are not known", async () => {
    await save("w:any", "return await mcp.work.echo({ value: args.value });");
    await save("w:all", "return Object.keys(args);");
    await merge("w:both", ["w:any", "w:all"]);
    expect(await result("w:both", { value: 3 })).toEqual(["value"]);
  });

  it("may leave out what may be left out", async () => {
    await save("o:sum", "return await mcp.calc.add({ a: args.a, b: args.b ?? 10 });");
    await save("o:tell", "return (args.prefix ?? 'sum') + ': ' + args.sum;");
    await merge("o:both", ["o:sum", "o:tell"]);
    expect(await result("o:both", { a: 1 })).toBe("sum: 11");
    expect(await result("o:both", { a: 1, b: 2, prefix: "all" })).toBe("all: 3");
    expect((await lookUp(client(), "o:both")).parameters).toMatchObject({ required: ["a"] });
  });

  it("follow their newest versions, or stay at the one that was named", async () => {
    await save("p:one", "return { n: 1 };");
    await save("p:two", "return args.n * 10;");
    await merge("p:moves", ["p:one", "p:two"]);
    await merge("p:stays", ["p:one@1", "p:two"]);
    await save("p:one", "return { n: 2 };");
    expect(await result("p:moves")).toBe(20);
    expect(await result("p:stays")).toBe(10);
    expect((await ask(client(), "cap_whois", { name: "p:stays" })).provenance).toMatchObject({
      merged_from: [{ name: "p:one", pinned: 1 }, { name: "p:two" }],
    });
  });

  it("are joined by given code", async () => {
    const code =
      "const [a, b] = await Promise.all([mcp.p.one({}), mcp.m.load({ path: 'a.json' })]);\nreturn { a, b };";
    expect(await merge("g:given", ["p:one", "m:load"], { code, intent: "join them" })).toMatchObject({
      code,
      description: "join them",
    });
    expect(await result("g:given")).toEqual({ a: { n: 2 }, b: { name: "a", n: 1 } });
  });

  it("are refused where one is not there, a name is taken, or there is only one", async () => {
    const no = (args: Fields) => refused(client(), "cap_merge", args);
    expect(await no({ sources: ["p:one", "p:none"], name: "x:x" })).toMatch(
      /^CAPABILITY_NOT_FOUND: .*p:none/,
    );
    expect(await no({ sources: ["p:one", "p:two"], name: "p:one" })).toMatch(/^NAME_TAKEN/);
    expect(await no({ sources: ["p:one"], name: "x:x" })).toMatch(/^ARGUMENTS_INVALID/);
    expect(await no({ sources: ["p:one", "p:two@9"], name: "x:x" })).toMatch(/^VERSION_NOT_FOUND/);
    expect(await no({ sources: ["p:one", "p:two"], name: "x:x", code: "return (" })).toMatch(/^CODE_SYNTAX/);
    expect(await refused(client(), "cap_lookup", { name: "x:x" })).toMatch(/^CAPABILITY_NOT_FOUND/);
  });
});
